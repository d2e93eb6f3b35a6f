// Text of Mesa's virgl driver that TGSI does not have, or that means something else there.
#pragma once

#include "tgsi/program/survey.h"

namespace tgsi2spv::tgsi {

/// Mends a Program as parse() leaves it, in three places (prepare.h). The first two come from the driver's rewriting of
/// texts for virglrenderer (Mesa, src/gallium/drivers/virgl/virgl_tgsi.c), and neither has another meaning:
///
/// - 64-bit sources. The driver moves each to the xy of a register of its own and reads that without a swizzle, since
///   virglrenderer reads xy for every result. `DADD TEMP[0].zw, TEMP[5], TEMP[6]` would read zw, which nothing writes.
/// - CLIPVERTEX of TESS_CTRL. The driver collects the output in a register, but leaves the vertex with the register and
///   not with the output: `MOV TEMP[ADDR[1].x][6], TEMP[1]`, then `MOV OUT[1], TEMP[6]`. The driver prints the second
///   right after the first (virgl_tgsi_transform_instruction()).
/// - Usage masks of TESS_CTRL's outputs, which limit the components that exist there (output_components). Those of
///   doubles count too
///   few components: `DCL OUT[][5].xy, GENERIC[2]` is written in zw. Written components count as declared.
void mend_virgl(Program& program, Survey& survey);

}  // namespace tgsi2spv::tgsi

// FRAG outputs as pictures, in which a pixel is a lane.
#pragma once

#include <vector>

#include "cases/compare.h"
#include "cases/result.h"
#include "reference/case/inputs.h"
#include "reference/case/result.h"

namespace tgsi2spv::difftest {

/// RGBA pixels of four bytes, in rows from the top.
struct Picture {
    uint32_t width = 0, height = 0;
    std::vector<uint8_t> rgba;
};

/// The colours that FRAG writes to COLOR[0], at the positions of its lanes: components are clamped to [0, 1], and
/// killed lanes are transparent.
Picture picture_of(const tgsi::Program& program, const reference::Inputs& inputs, const reference::Result& result);

/// Returns pictures for each OUT register of FRAG with a wrong word, for at most four registers: "expected" is the
/// nominal answer, "got" the device's answer. "difference" shows wrong components in red, green and blue,
/// and a wrong alpha or a wrongly killed lane in white. Pixels are at the positions of their lanes. Components are
/// clamped to [0, 1]; killed lanes are transparent. `zeros_alike` is that of the comparison.
std::vector<EvidencePicture> pictures_of(const reference::Result& judged, const reference::Result& device,
                                         const reference::Inputs& inputs, bool zeros_alike = false);

std::string base64(const std::vector<uint8_t>& bytes);

}  // namespace tgsi2spv::difftest

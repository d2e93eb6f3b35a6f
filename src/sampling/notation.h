// Messages from the text of their own pages, such as `TLD4.G.AOFFI.DC R8, R0, R4, 5, ARRAY_2D, 0x6;` and
// `SAMPLE_B_C.cps.RG (M1, 16) 0x12f S0 T3 V10 V40 V41 V42 V43`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sampling/carrier.h"

namespace tgsi2spv::sampling {

/// A line of the TLD4 page. Words that only schedule (.NDV, .NODEP, .T, .P, &req, &rd, &wr, ?sched) and predicates are
/// accepted and forgotten; Ra and Rb become source 0 and 1 (place_parameters). Offsets and the reference come from Rb.
/// `#tid, #smp` give a texture and a sampler apart, one index both. Nothing, and `reason`, for what the page lacks.
std::optional<Call> parse_tld4(std::string_view line, std::string& reason);

/// A line of the 3D_SAMPLE page, whose surface has this target without comparison (the op says whether one is made).
/// Execution sizes and masks and predicates are accepted and forgotten. Parameters count from source 0 on; `:hf` behind
/// them makes all of them halves, a type behind the destination that of the result.
std::optional<Call> parse_sample_3d(std::string_view line, tgsi::Target target, std::string& reason);

}  // namespace tgsi2spv::sampling

// Reads messages from the notation of their own pages, such as `TLD4.G.AOFFI.DC R8, R0, R4, 5, ARRAY_2D, 0x6;` and
// `SAMPLE_B_C.cps.RG (M1, 16) 0x12f S0 T3 V10 V40 V41 V42 V43`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sampling/carrier.h"

namespace tgsi2spv::sampling {

/// Reads a line of the TLD4 page. Predicates and words that only affect scheduling (.NDV, .NODEP, .T, .P, &req, &rd,
/// &wr, ?sched) are accepted and ignored. Ra and Rb become source 0 and 1 (place_parameters). Offsets and the reference
/// come from Rb. `#tid, #smp` name a texture and a sampler separately; a single index names both. If the
/// line has something that the page does not define, returns nothing and sets `reason`.
std::optional<Call> parse_tld4(std::string_view line, std::string& reason);

/// Reads a line of the 3D_SAMPLE page. Its surface has this target, without comparison (the op says whether one is
/// made). Execution sizes, masks and predicates are accepted and ignored. Parameters count from source 0. `:hf` after
/// the parameters makes them all halves; a type after the destination is the type of the result.
std::optional<Call> parse_sample_3d(std::string_view line, tgsi::Target target, std::string& reason);

}  // namespace tgsi2spv::sampling

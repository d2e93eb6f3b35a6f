// Locations of varyings: a fixed table by semantic name and index, so that separately converted stages still link.
#pragma once

#include <cstdint>
#include <optional>

#include "tgsi/tables/types.h"

namespace tgsi2spv::lower {

inline constexpr uint32_t kLocations = 32;
/// Room for position, PointSize and eight clip and cull distances: built-in variables also count against the components
/// of an interface (Vulkan, "Shader Input and Output Interfaces"), and validation layers count from the last location.
inline constexpr uint32_t kBuiltInLocations = 4;

/// GENERIC[n] n mod 32 · CLIPVERTEX 15 · BCOLOR[n] 29 − n · COLOR[n] 27 − n · FOG 25 · TEXCOORD[n] 24 − n ·
/// NORMAL 16 (docs/lowering.md says why). Two semantics of one shader may get the same location: then the stages have
/// to be linked. None: not a varying.
constexpr std::optional<uint32_t> varying_location(tgsi::Semantic semantic, uint32_t index) {
    switch (semantic) {
        case tgsi::Semantic::Generic:
            return index % kLocations;
        case tgsi::Semantic::Color:
            return index < 2 ? std::optional(27 - index) : std::nullopt;
        case tgsi::Semantic::Fog:
            return index == 0 ? std::optional(25u) : std::nullopt;
        case tgsi::Semantic::BColor:
            return index < 2 ? std::optional(29 - index) : std::nullopt;
        case tgsi::Semantic::TexCoord:
            return index < 8 ? std::optional(24 - index) : std::nullopt;
        case tgsi::Semantic::Normal:
            return index == 0 ? std::optional(16u) : std::nullopt;
        case tgsi::Semantic::ClipVertex:
            return index == 0 ? std::optional(15u) : std::nullopt;
        default:
            return std::nullopt;
    }
}

/// True for semantics that are passed by name from one stage to the next: linked stages take any index of these.
constexpr bool is_linked(tgsi::Semantic semantic) {
    switch (semantic) {
        case tgsi::Semantic::Generic:
        case tgsi::Semantic::Color:
        case tgsi::Semantic::Fog:
        case tgsi::Semantic::BColor:
        case tgsi::Semantic::TexCoord:
        case tgsi::Semantic::Normal:
        case tgsi::Semantic::Patch:
        case tgsi::Semantic::ClipVertex:
        case tgsi::Semantic::EdgeFlag:  // only a GEOM reads it
            return true;
        default:
            return false;
    }
}

/// True for built-in inputs of FRAG that a VERT or TESS_EVAL may pass on.
constexpr bool is_passed_flat(tgsi::Semantic semantic) {
    return semantic == tgsi::Semantic::PrimId || semantic == tgsi::Semantic::Layer ||
           semantic == tgsi::Semantic::ViewportIndex;
}

/// PATCH[n] 29 − n. Patch variables have separate locations. Devices offer 30 of them, but SPIRV-Tools only learned
/// after 2023 that they are separate: counted from the top, they seldom collide with the GENERICs.
constexpr std::optional<uint32_t> patch_location(uint32_t index) {
    if (index < 30) return 29 - index;
    return index < kLocations ? std::optional(index) : std::nullopt;
}

}  // namespace tgsi2spv::lower

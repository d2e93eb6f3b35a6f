// Locations of varyings: a fixed table by semantic name and index, so that stages converted apart still link.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "tgsi/types.h"

namespace tgsi2spv::lower {

inline constexpr uint32_t kLocations = 32;

/// GENERIC[n] n mod 32 · COLOR[n] 31 − n · FOG 29 · BCOLOR[n] 28 − n · TEXCOORD[n] 26 − n · NORMAL 18 (README.md tells
/// why). Two semantics of one shader may meet in a location: then the stages have to be linked. None: not a varying.
constexpr std::optional<uint32_t> varying_location(tgsi::Semantic semantic, uint32_t index) {
    switch (semantic) {
        case tgsi::Semantic::Generic:
            return index % kLocations;
        case tgsi::Semantic::Color:
            return index < 2 ? std::optional(31 - index) : std::nullopt;
        case tgsi::Semantic::Fog:
            return index == 0 ? std::optional(29u) : std::nullopt;
        case tgsi::Semantic::BColor:
            return index < 2 ? std::optional(28 - index) : std::nullopt;
        case tgsi::Semantic::TexCoord:
            return index < 8 ? std::optional(26 - index) : std::nullopt;
        case tgsi::Semantic::Normal:
            return index == 0 ? std::optional(18u) : std::nullopt;
        default:
            return std::nullopt;
    }
}

/// PATCH[n] 29 − n: patch variables have locations of their own, of which devices offer 30, but SPIRV-Tools knew so
/// only after 2023: from the top they seldom meet the GENERICs.
constexpr std::optional<uint32_t> patch_location(uint32_t index) {
    if (index < 30) return 29 - index;
    return index < kLocations ? std::optional(index) : std::nullopt;
}

/// Specialization constants, by id.
namespace spec {
inline constexpr uint32_t kFramebufferHeight = 0;  ///< f32, pixels: FS_COORD_ORIGIN LOWER_LEFT
inline constexpr uint32_t kBaseVertex = 1;         ///< u32: where the device has no draw parameters
inline constexpr uint32_t kBaseInstance = 2;
inline constexpr uint32_t kDrawId = 3;
inline constexpr uint32_t kTessDefaultOuter = 4;  ///< f32, four of them: TESS_DEFAULT_OUTER_LEVEL
inline constexpr uint32_t kTessDefaultInner = 8;  ///< f32, two of them
inline constexpr uint32_t kBlockSize = 10;        ///< u32, three: x, y, z of a work group that the text leaves open
inline constexpr uint32_t kWorkDim = 13;          ///< u32
inline constexpr uint32_t kTargetSamples = 14;    ///< u32: samples of the render target, for SAMPLE_POS and SAMPLE_INFO

/// As TGSI has it, where it does; empty: none of these.
constexpr std::string_view name_of(uint32_t id) {
    constexpr std::string_view kNames[] = {"framebuffer height",
                                           "BASEVERTEX",
                                           "BASEINSTANCE",
                                           "DRAWID",
                                           "TESS_DEFAULT_OUTER_LEVEL.x",
                                           "TESS_DEFAULT_OUTER_LEVEL.y",
                                           "TESS_DEFAULT_OUTER_LEVEL.z",
                                           "TESS_DEFAULT_OUTER_LEVEL.w",
                                           "TESS_DEFAULT_INNER_LEVEL.x",
                                           "TESS_DEFAULT_INNER_LEVEL.y",
                                           "BLOCK_SIZE.x",
                                           "BLOCK_SIZE.y",
                                           "BLOCK_SIZE.z",
                                           "WORK_DIM",
                                           "samples of the render target"};
    static_assert(std::size(kNames) == kTargetSamples + 1);
    return id < std::size(kNames) ? kNames[id] : std::string_view{};
}
}  // namespace spec

}  // namespace tgsi2spv::lower

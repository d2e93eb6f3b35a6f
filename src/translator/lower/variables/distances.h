// Clip and cull distances, and what stands for the builtins on devices without shaderClipDistance.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lower/variables/declared.h"

namespace tgsi2spv::lower {

/// Clip and cull distances, of all registers of a file together: how many, and their variables.
struct Distances {
    uint32_t num_clip = 0, num_cull = 0;
    uint32_t clip = kNoIndex, cull = kNoIndex;
    std::array<uint32_t, 2> passed{kNoIndex, kNoIndex};  ///< varyings in place of `clip`: four distances in each
};
struct DistanceCount {
    uint32_t clip = 0, cull = 0;
    Declared last;  ///< a register with distances; without a declaration if there is none. An index above 1 is an error
};
/// Counts the distances in the registers with these masks: from the properties (`by_property`), otherwise up to the
/// last component in use of each semantic.
DistanceCount count_distances(const tgsi::Program& program, const tgsi::Registers& registers, tgsi::File file,
                              std::span<const uint8_t> masks, bool by_property);
/// The same for the shader at hand; inputs are as many as the linkage says. False after a refusal.
bool count_distances(Context& context, tgsi::File file, std::span<const uint8_t> masks, bool by_property,
                     Distances& distances);
/// Whether the semantic is a distance that goes to or comes from a neighbour as a varying (distances.cpp).
bool are_varyings(const Context& context, tgsi::Semantic semantic, tgsi::File file);
/// Makes Distances::passed if the linkage has them: of the last stage before the rasterizer, and of FRAG.
void prepare_passed_distances(Context& context, tgsi::File file, Distances& distances);
/// FRAG reads clip and cull distances: its registers determine the length of the arrays.
ir::Value load_distance(Context& context, uint32_t number);
/// Stores to `clip` or `passed` of the outputs.
void store_clip_distance(Context& context, uint32_t number, ir::Value value);
/// The number of the distance in component 0 of a CLIPDIST or CULLDIST register; clip distances come first, then cull
/// distances (semantics: System values).
inline uint32_t first_distance(const Declared& declared, uint32_t num_clip) {
    return 4 * declared.index + (declared.semantic == tgsi::Semantic::CullDist ? num_clip : 0);
}

}  // namespace tgsi2spv::lower

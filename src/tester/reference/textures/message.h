// Executes one texture message for many lanes, without a shader around it. This judges the sampling matrix, and the
// modifiers of both texture pages that no TGSI opcode reaches (sparse residency, packed channels, non-uniform samplers,
// CPS LOD compensation).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/case/inputs.h"
#include "reference/case/options.h"
#include "reference/numbers/output.h"
#include "sampling/message.h"

namespace tgsi2spv::reference {

/// The parameters of one lane, as register words. Parameters that the message does not name (Param::present) are not
/// read; the sources and components that its Params name do not matter here.
struct MessageLane {
    bool active = true;    ///< executes the message. A helper of its quad also does: set it, and ignore the result
    uint32_t texture = 0;  ///< key of Inputs::views (if the key exists, and the message is separate or not bindless),
                           ///< else of Inputs::textures
    uint32_t sampler = 0;  ///< key of Inputs::samplers; absent: the default state
    std::array<uint32_t, 3> coord{}, ddx{}, ddy{};    ///< floats; Fetch: integers
    uint32_t layer = 0;                               ///< float; Fetch: integer
    uint32_t reference = 0, divisor = 0, bias = 0;    ///< floats
    uint32_t lod = 0;                                 ///< float; Fetch, Query: integer
    uint32_t sample_index = 0, component = 0;         ///< integers
    std::array<std::array<int32_t, 3>, 4> offsets{};  ///< used if `offsets_are_immediate` is not set
};

/// Texels of one level of one texture that lie in unmapped pages. `first[2]` and `last[2]` hold slices of 3D textures;
/// `first_layer` and `last_layer` hold layers and faces. All ends are inclusive.
struct NullPage {
    uint32_t texture = 0;  ///< key of Inputs::textures
    uint32_t level = 0;
    std::array<uint32_t, 3> first{}, last{};
    uint32_t first_layer = 0, last_layer = 0;
};

struct MessageState {
    std::vector<NullPage> null_pages;  ///< everything else is resident
    /// The amount that CPS LOD compensation adds to the level if the message asks for it: the negative logarithm of the
    /// coarse pixel's size; 0 if shading is not coarse.
    float coarse_bias = 0;
};

struct MessageResult {
    /// Per lane, the channels of `channel_mask` one after another (both pages pack them); the rest is zero.
    std::vector<std::array<Component, 4>> channels;
    uint32_t channel_count = 0;
    /// Per lane, if the message is `sparse`: 1 if no texel came from a null page (the pixel null mask; TLD4's Ps is its
    /// inverse), 0 if one did, both if Vulkan leaves it unspecified. Texels of null pages are undefined.
    std::vector<Component> resident;
};

/// Executes a legal message (sampling::why_illegal). Lanes of FRAG come in quads, as TextureLane says; a message whose
/// implicit level is 0 (`lod_is_zero`) has no quads. Only textures, views and samplers of `resources` are read.
/// Samplers meet no views but the message's, which are all of integers or none.
MessageResult run_message(const sampling::Message& message, std::span<const MessageLane> lanes, const Inputs& resources,
                          const MessageState& state, const Options& options);

}  // namespace tgsi2spv::reference

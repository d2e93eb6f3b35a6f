// What drivers are known to do wrong, and how judged cases avoid it: a difference that is left is news.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/convert.h"
#include "reference/run.h"
#include "sampling/message.h"
#include "tgsi/program.h"

namespace tgsi2spv::difftest {

/// One row for each known mistake; the evidence stands in README.md.
struct Quirks {
    bool demote_is_lost_in_loops = false;               ///< SwiftShader
    bool cube_gradients_are_not_projected = false;      ///< SwiftShader
    bool offsets_are_wrong_between_levels = false;      ///< SwiftShader
    bool gathers_mirror_the_footprint = false;          ///< SwiftShader
    bool level_queries_are_not_clamped = false;         ///< SwiftShader
    bool samplers_of_one_image_do_not_differ = false;   ///< SwiftShader
    bool sizes_are_of_one_lanes_texture = false;        ///< SwiftShader
    bool four_offsets_read_texture_0 = false;           ///< lavapipe
    bool cube_level_queries_are_not_projected = false;  ///< lavapipe
    bool selected_minus_one_is_negated_bool = false;    ///< lavapipe: and so −0 where 0 was selected
    bool cube_borders_are_empty_in_compute = false;     ///< SwiftShader: until some draw has bound the cube
    bool zero_signs_are_lost = false;                   ///< lavapipe: where it can tell an operand to be zero
    bool helper_query_crashes = false;                  ///< lavapipe: OpIsHelperInvocationEXT, which a demotion needs
    bool storage_arrays_are_not_indexed = false;        ///< SwiftShader: it offers them, and dies of their capabilities
};

Quirks quirks_of(std::string_view device_name);

/// Takes away what the driver offers but cannot do for this program; `messages` by instruction, of a carrier.
void avoid(const Quirks& quirks, const tgsi::Program& program, std::span<const sampling::Message> messages,
           lower::Capabilities& capabilities);

/// Whether arithmetic reads components of TEMP that no instruction writes: zeros that a driver can tell, as immediates
/// are, and that no option hides from it.
bool computes_with_unwritten(const tgsi::Program& program);

/// Why the case means nothing on this driver, or nothing.
std::optional<std::string> unusable(const Quirks& quirks, const tgsi::Program& program,
                                    const reference::Inputs& inputs);
/// Why a message means nothing on this driver with this texture and sampler, or nothing.
std::optional<std::string> unusable(const Quirks& quirks, const sampling::Message& message,
                                    const reference::Texture& texture, const reference::SamplerState& sampler);

}  // namespace tgsi2spv::difftest

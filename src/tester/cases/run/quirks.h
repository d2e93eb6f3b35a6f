// Known driver bugs, and how judged cases avoid them, so that any remaining difference is new.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/convert.h"
#include "reference/case/inputs.h"
#include "sampling/message.h"
#include "tgsi/program/program.h"

namespace tgsi2spv::difftest {

/// One field for each known bug; driver-bugs.md has the evidence.
struct Quirks {
    bool demote_is_lost_in_loops = false;               ///< SwiftShader
    bool cube_gradients_are_not_projected = false;      ///< SwiftShader
    bool cube_gradients_are_differences = false;        ///< NVIDIA
    bool offsets_are_wrong_between_levels = false;      ///< SwiftShader
    bool gathers_mirror_the_footprint = false;          ///< SwiftShader
    bool level_queries_are_not_clamped = false;         ///< SwiftShader
    bool samplers_of_one_image_do_not_differ = false;   ///< SwiftShader
    bool sizes_are_of_one_lanes_texture = false;        ///< SwiftShader
    bool four_offsets_read_texture_0 = false;           ///< lavapipe
    bool cube_level_queries_are_not_projected = false;  ///< lavapipe
    bool selected_minus_one_is_negated_bool = false;    ///< lavapipe: gives −0 where 0 is selected
    bool cube_borders_are_empty_in_compute = false;     ///< SwiftShader: until some draw has bound the cube
    bool zero_signs_are_lost = false;                   ///< lavapipe: if it can prove that an operand is zero
    bool helper_query_crashes = false;                  ///< lavapipe: OpIsHelperInvocationEXT, which demotion needs
    bool killed_lanes_load_zero = false;          ///< lavapipe: from buffers, so their quads' derivatives are wrong
    bool middles_round_to_zero = false;           ///< lavapipe without AVX-512: DROUND of 1.5 is 1
    bool tiny_maxima_are_minima = false;          ///< lavapipe since Mesa 25
    bool anisotropy_crashes = false;              ///< lavapipe: 1D, and cubes whose two filters differ
    bool storage_arrays_are_not_indexed = false;  ///< SwiftShader: offers the features, but crashes on their
                                                  ///< capabilities
};

/// `driver`: its description, which has the version.
Quirks quirks_of(std::string_view device_name, std::string_view driver = {});

/// Removes the capabilities that the driver offers but implements wrongly for this program. `messages`: by instruction,
/// of a carrier.
void avoid(const Quirks& quirks, const tgsi::Program& program, std::span<const sampling::Message> messages,
           lower::Capabilities& capabilities);

/// Returns why the case is meaningless on this driver, or nothing.
std::optional<std::string> unusable(const Quirks& quirks, const tgsi::Program& program,
                                    const reference::Inputs& inputs);
/// Returns why a message is meaningless on this driver with this texture and sampler, or nothing.
std::optional<std::string> unusable(const Quirks& quirks, const sampling::Message& message,
                                    const reference::Texture& texture, const reference::SamplerState& sampler);

}  // namespace tgsi2spv::difftest

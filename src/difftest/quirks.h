// What drivers are known to do wrong, and how judged cases avoid it: a difference that is left is news.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/convert.h"
#include "reference/run.h"
#include "sampling/message.h"
#include "tgsi/program.h"

namespace tgsi2spv::difftest {

/// One row for each known mistake; the evidence stands in README.md.
struct Quirks {
    bool demote_is_lost_in_loops = false;           ///< SwiftShader
    bool cube_gradients_are_not_projected = false;  ///< SwiftShader
    bool helper_query_crashes = false;              ///< lavapipe: OpIsHelperInvocationEXT, which a demotion needs
    bool storage_arrays_are_not_indexed = false;    ///< SwiftShader: it offers them, and dies of their capabilities
};

Quirks quirks_of(std::string_view device_name);

/// Takes away what the driver offers but cannot do for this program.
void avoid(const Quirks& quirks, const tgsi::Program& program, lower::Capabilities& capabilities);

/// Why the case means nothing on this driver, or nothing.
std::optional<std::string> unusable(const Quirks& quirks, const tgsi::Program& program,
                                    const reference::Inputs& inputs);
/// The same for a message without an instruction.
std::optional<std::string> unusable(const Quirks& quirks, const sampling::Message& message,
                                    const reference::Inputs& inputs);

}  // namespace tgsi2spv::difftest

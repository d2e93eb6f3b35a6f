// A TESS_CTRL shader where the application has none: TGSI leaves it out, Vulkan wants one.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "tgsi/diagnostic.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::api {

/// The text of a TESS_CTRL shader for patches of `vertices` vertices (1 to 32), to stand before a TESS_EVAL shader:
/// each vertex goes through with all that `evaluation` reads of it, and the levels are TESS_DEFAULT_OUTER_LEVEL and
/// TESS_DEFAULT_INNER_LEVEL (specialization constants of the module that it becomes). An error if `evaluation` is no
/// TESS_EVAL shader or reads PATCH data, which nothing would have written.
tl::expected<std::string, tgsi::Diagnostic> passthrough_tess_ctrl(const tgsi::Program& evaluation,
                                                                  const tgsi::Registers& registers, uint32_t vertices);

}  // namespace tgsi2spv::api

// Shaders that an application leaves out: a TESS_CTRL, which Vulkan requires, and a VERT that copies records.
#pragma once

#include <memory_resource>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::api {

/// The reason why such a text cannot be written; `position` is the place in the program's text.
tl::unexpected<tgsi::Diagnostic> refused(tgsi::Code code, uint32_t position, std::string message);

/// The text of a TESS_CTRL shader for patches of `vertices` vertices (1 to 32), to run before a TESS_EVAL shader. It
/// passes on everything that `evaluation` reads of each vertex; the levels are TESS_DEFAULT_OUTER_LEVEL and
/// TESS_DEFAULT_INNER_LEVEL (specialization constants of the resulting module). An error if `evaluation` is not a
/// TESS_EVAL shader or reads PATCH data, which nothing would have written.
tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_tess_ctrl(
    const tgsi::Program& evaluation, const tgsi::Registers& registers, uint32_t vertices,
    std::pmr::memory_resource* memory = std::pmr::get_default_resource());

/// The text of a VERT shader that draws from the records of `before` (TGSI2SPV_OPTION_RECORDS): it writes what
/// `before` wrote, and a PRIMID for a linked FRAG. Vertex n reads record n of BUFFER[0], or after a VERT the record
/// whose number is word 2n of BUFFER[1], and PRIMID is word 2n + 1. An error if `before` has no records.
tl::expected<std::pmr::string, tgsi::Diagnostic> passthrough_records(
    const tgsi::Program& before, const tgsi::Registers& registers,
    std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace tgsi2spv::api

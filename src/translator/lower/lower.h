// Turns a Program into an SSA module, in one walk.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "ir/module.h"
#include "lower/options/capabilities.h"
#include "lower/options/facts.h"
#include "lower/options/options.h"
#include "sampling/message.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::lower {

/// The walk's working memory, reused between conversions; opaque.
struct Workspace;
struct WorkspaceDeleter {
    void operator()(Workspace*) const;
};
using WorkspacePtr = std::unique_ptr<Workspace, WorkspaceDeleter>;
WorkspacePtr make_workspace(std::pmr::memory_resource* memory = std::pmr::get_default_resource());

/// The input of lowering, its settings, and the place of the result.
struct Conversion {
    const tgsi::Program& program;  ///< checked
    const tgsi::Registers& registers;
    /// The messages of a program that carries them without instructions (sampling/carrier.h); otherwise empty.
    std::span<const sampling::Message> messages;
    const Options& options;
    const Capabilities& capabilities;
    Workspace& workspace;
    ir::Module& module;  ///< overwritten, its memory reused
    std::vector<tgsi::Diagnostic>& diagnostics;
};

/// If something is not supported, returns false with diagnostics that name the opcode, stage or feature; it never
/// translates wrongly.
bool lower(const Conversion& conversion);

}  // namespace tgsi2spv::lower

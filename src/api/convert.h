// Text to SPIR-V words: the whole line in one call, with a context that keeps its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/passes/pipeline.h"
#include "lower/lower.h"
#include "sampling/carrier.h"
#include "spirv/emit.h"
#include "spirv/reflect.h"
#include "tgsi/diagnostic.h"
#include "tgsi/parse.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::api {

struct Options {
    tgsi::Limits limits;
    uint32_t entry = 0;  ///< COMP: the instruction where main begins (old texts hold several pieces)
    lower::Options lower;
    lower::Capabilities capabilities;
    spirv::EmitOptions emit;
    bool optimise = true;    ///< run the passes
    ir::PassOptions passes;  ///< which of them
};

/// Everything one conversion makes, kept until the next; one context a thread.
struct Context {
    tgsi::Program program;
    tgsi::Survey survey;  ///< of a program that parse() made
    tgsi::Registers registers;
    std::vector<sampling::Message> messages;  ///< of a program that carry() made
    ir::Module module;
    std::vector<uint32_t> words;
    std::vector<tgsi::Diagnostic> diagnostics;
    std::string source;  ///< the text, kept for debug lines only
    ir::PassMemory pass_memory;
    lower::WorkspacePtr lower_workspace = lower::make_workspace();
    spirv::WorkspacePtr emit_workspace = spirv::make_workspace();
};

/// Each step needs the ones before it; false after an error, which `context.diagnostics` tells.
bool parse(Context& context, std::string_view text, const Options& options);
/// In place of parse(): the program of texture messages that no instruction makes (sampling/carrier.h).
void carry(Context& context, std::span<const sampling::Call> calls, tgsi::Stage stage, int32_t pool);
bool lower(Context& context, const Options& options);
/// The same of a program that stands elsewhere, checked. Diagnostics are appended.
bool lower(Context& context, const tgsi::Program& program, const tgsi::Registers& registers, const Options& options);
/// The passes, where Options::optimise asks for them.
bool optimise(Context& context, const Options& options);
bool emit(Context& context, const Options& options);

/// parse, lower, passes, emit.
bool convert(Context& context, std::string_view text, const Options& options);

spirv::Reflection reflect(const Context& context, const Options& options);

}  // namespace tgsi2spv::api

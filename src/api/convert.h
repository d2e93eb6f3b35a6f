// Text to SPIR-V words: the whole line in one call, with a context that keeps its memory.
#pragma once

#include <cstdint>
#include <memory_resource>
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
    explicit Context(std::pmr::memory_resource* from = std::pmr::get_default_resource()) : memory(from) {}

    std::pmr::memory_resource* const memory;  ///< of all that the text decides the size of
    tgsi::Program program{memory};
    tgsi::Survey survey{memory};  ///< of a program that parse() made
    tgsi::Registers registers{memory};
    std::vector<sampling::Message> messages;  ///< of a program that carry() made
    ir::Module module{memory};
    std::pmr::vector<uint32_t> words{memory};
    std::vector<tgsi::Diagnostic> diagnostics;
    std::pmr::string source{memory};  ///< the text, kept for debug lines only
    ir::PassMemory pass_memory{memory};
    lower::WorkspacePtr lower_workspace = lower::make_workspace(memory);
    spirv::WorkspacePtr emit_workspace = spirv::make_workspace(memory);
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
/// The same into `reflection`, whose memory is kept.
void reflect(const Context& context, const Options& options, spirv::Reflection& reflection);

}  // namespace tgsi2spv::api

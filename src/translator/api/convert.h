// Text to SPIR-V words: the whole conversion in one call, with a context that keeps its memory.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/memory.h"
#include "ir/module.h"
#include "ir/passes/pipeline.h"
#include "lower/lower.h"
#include "sampling/carrier.h"
#include "spirv/emit.h"
#include "spirv/reflect.h"
#include "tgsi/parse/parse.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::api {

struct Options {
    tgsi::Limits limits;
    uint32_t entry = 0;  ///< COMP: the instruction where main begins (old texts hold several pieces)
    lower::Options lower;
    lower::Capabilities capabilities;
    spirv::EmitOptions emit;
    bool optimise = true;  ///< run the passes
    /// The passes to run. Emission skips gaps; only code that prints or compares the module should close them.
    ir::PassOptions passes{.compact = false};
};

/// The results of one conversion, kept until the next; one context per thread.
struct Context {
    explicit Context(std::pmr::memory_resource* from = default_memory()) : memory(from) {}

    std::pmr::memory_resource* const memory;  ///< the memory of everything whose size the text decides
    tgsi::Program program{memory};
    tgsi::Survey survey{memory};  ///< the survey of a program from parse()
    tgsi::Registers registers{memory};
    std::vector<sampling::Message> messages;  ///< the messages of a program from carry()
    ir::Module module{memory};
    std::pmr::vector<uint32_t> words{memory};
    std::vector<tgsi::Diagnostic> diagnostics;
    std::pmr::string source{memory};  ///< the text, kept for debug lines only
    ir::PassMemory pass_memory{memory};
    lower::WorkspacePtr lower_workspace = lower::make_workspace(memory);
    spirv::WorkspacePtr emit_workspace = spirv::make_workspace(memory);
};

/// Each step needs the ones before it. False after an error, which is in `context.diagnostics`.
bool parse(Context& context, std::string_view text, const Options& options);
/// Replaces parse(): creates the program for texture messages that no instruction produces (sampling/carrier.h).
void carry(Context& context, std::span<const sampling::Call> calls, tgsi::Stage stage, int32_t pool);
bool lower(Context& context, const Options& options);
/// The same for a checked program that is not in the context. Diagnostics are appended.
bool lower(Context& context, const tgsi::Program& program, const tgsi::Registers& registers, const Options& options);
/// Runs Options::passes, or none without Options::optimise. Fails only if the module breaks a rule of the IR.
bool optimise(Context& context, const Options& options);
bool emit(Context& context, const Options& options);

/// parse, lower, passes, emit.
bool convert(Context& context, std::string_view text, const Options& options);

spirv::Reflection reflect(const Context& context, const Options& options);
/// The same into `reflection`, whose memory is kept.
void reflect(const Context& context, const Options& options, spirv::Reflection& reflection);

/// SPIR-V's number of a format (tgsi/tables/formats.h) for storage images; 0: it has none.
uint16_t storage_format(uint16_t pipe_format);

}  // namespace tgsi2spv::api

#include "api/convert.h"

#include "ir/passes/pipeline.h"
#include "lower/state/spec_constants.h"
#include "lower/variables/locations.h"
#include "tgsi/prepare.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::api {
namespace {

void add_error(Context& context, tgsi::Code code, uint32_t offset, std::string message) {
    tgsi::Diagnostic d;
    d.code = code;
    d.offset = offset;
    d.message = std::move(message);
    context.diagnostics.push_back(std::move(d));
}

}  // namespace

bool parse(Context& context, std::string_view text, const Options& options) {
    context.diagnostics.clear();
    context.messages.clear();
    context.source.assign(options.emit.debug_lines ? text : std::string_view{});
    return tgsi::read_text(text, options.limits, context.program, context.survey, context.registers,
                           context.diagnostics, options.entry, context.memory);
}

void carry(Context& context, std::span<const sampling::Call> calls, tgsi::Stage stage, int32_t pool) {
    context.diagnostics.clear();
    context.source.clear();
    sampling::Carrier carrier = sampling::carry(calls, stage, pool);
    context.program = std::move(carrier.program);
    context.messages = std::move(carrier.messages);
    context.registers = tgsi::gather(context.program);
}

bool lower(Context& context, const tgsi::Program& program, const tgsi::Registers& registers, const Options& options) {
    const auto with = [&](const lower::Options& o) {
        return lower::lower({.program = program,
                             .registers = registers,
                             .messages = context.messages,
                             .options = o,
                             .capabilities = options.capabilities,
                             .workspace = *context.lower_workspace,
                             .module = context.module,
                             .diagnostics = context.diagnostics});
    };
    const bool simplify = options.optimise && options.passes.fold && options.passes.value_numbering;
    const bool drop_unneeded = options.optimise && options.passes.dead_code;
    if (simplify && drop_unneeded) return with(options.lower);
    lower::Options less = options.lower;
    less.simplify &= simplify;
    less.drop_unneeded &= drop_unneeded;
    return with(less);
}

bool lower(Context& context, const Options& options) {
    return lower(context, context.program, context.registers, options);
}

bool optimise(Context& context, const Options& options) {
    ir::PassOptions passes = options.passes;
    passes.speculate_conversions = options.lower.conversions != lower::Conversions::Trust;
    if (!options.optimise)
        passes.trivial_phis = passes.fold = passes.value_numbering = passes.dead_code = passes.flow = false;
    // A module that breaks a rule of the IR is our bug; it must not become words.
    if (auto broken = ir::optimise(context.module, passes, context.pass_memory)) {
        add_error(context, "internal-error", 0, std::move(*broken));
        return false;
    }
    return true;
}

bool emit(Context& context, const Options& options) {
    spirv::EmitError error;
    bool ok = false;
    if (options.emit.debug_lines && options.emit.source.empty()) {
        spirv::EmitOptions with_source = options.emit;
        with_source.source = context.source;
        ok = spirv::emit(context.module, with_source, *context.emit_workspace, context.words, error);
    } else {
        ok = spirv::emit(context.module, options.emit, *context.emit_workspace, context.words, error);
    }
    if (!ok)
        add_error(context, tgsi::Code::named(error.code), error.offset_plus_one == 0 ? 0 : error.offset_plus_one - 1,
                  std::move(error.message));
    return ok;
}

bool convert(Context& context, std::string_view text, const Options& options) {
    return parse(context, text, options) && lower(context, options) && optimise(context, options) &&
           emit(context, options);
}

spirv::Reflection reflect(const Context& context, const Options& options) {
    spirv::Reflection r;
    reflect(context, options, r);
    return r;
}

void reflect(const Context& context, const Options& options, spirv::Reflection& reflection) {
    spirv::reflect(context.module, options.emit.layout, context.words, reflection);
    for (spirv::SpecConstant& c : reflection.spec_constants) c.name = lower::spec::name_of(c.id);
    for (spirv::InterfaceVariable& v : reflection.interface) {
        const auto semantic = static_cast<tgsi::Semantic>(v.semantic);
        if (semantic != tgsi::Semantic::None) v.semantic_name = tgsi::name(semantic);
    }
    if (!options.lower.io_buffers) return;
    const tgsi::Registers& registers = context.registers;
    const lower::IoSlots slots = lower::io_slots(context.program, registers);
    reflection.io_input_slots = slots.input;
    reflection.io_output_slots = slots.output;
    for (int32_t i = 0; i < registers.count(tgsi::File::SystemValue); ++i) {
        const tgsi::Range* range = registers.find(tgsi::File::SystemValue, i);
        if (range == nullptr) continue;
        if (!options.lower.buffers(context.program.declarations[range->declaration].semantic)) continue;
        reflection.io_system_values.push_back(static_cast<uint32_t>(i));
        reflection.io_input_slots++;
    }
}

uint16_t storage_format(uint16_t pipe_format) {
    return lower::storage_format(pipe_format);
}

}  // namespace tgsi2spv::api

#include "cases/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <spirv-tools/libspirv.hpp>

#include "cases/compare.h"
#include "cases/evidence_pictures.h"
#include "cases/judge_parts.h"
#include "cases/judge_sampling.h"
#include "cases/run/drawn_options.h"
#include "cases/run/quirks.h"
#include "cases/run/run_parts.h"
#include "cases/run/statistics.h"
#include "cases/sources.h"
#include "cases/variants.h"
#include "generate/generate.h"
#include "inputs/case.h"
#include "inputs/inputs.h"
#include "reference/run.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

bool per_vertex(const api::Context& context) {
    return tgsi::has_vertices(context.program.stage, tgsi::File::Input);
}

void decide(MadeCase& made, Status status, std::string message) {
    CaseResult r;
    r.id = id_of(made.spec);
    r.status = status;
    r.message = std::move(message);
    made.decided = std::move(r);
}

/// Returns the case's text, or why there is none.
tl::expected<std::string, std::string> text_of(const CaseSpec& spec, uint64_t seed, Workplace& workplace) {
    switch (spec.kind) {
        case CaseKind::File:
            return read_source(spec.path);
        case CaseKind::Generated:
            if (workplace.generated_text.empty() || workplace.generated_seed != seed + spec.number)
                workplace.generated_text = generate_program(workplace.generated_seed = seed + spec.number);
            return workplace.generated_text;
        case CaseKind::Given:
            return spec.text;
        case CaseKind::Sampling:
            break;
    }
    return std::string();
}

/// Turns the case of the original into that of its variant.
void make_variant(MadeCase& made, const RunSettings& options, api::Context& context) {
    const auto kind = static_cast<VariantKind>(made.spec.number - 1);
    auto text = vary(context.program, context.registers, kind, case_seed(made.text, options.seed, made.spec.input));
    if (!text) return decide(made, Status::Skip, "this variant does not apply to the shader");
    made.original = Original{context.program, context.registers};
    made.text = std::move(*text);
    context.diagnostics.clear();
    api::Options parsing;
    parsing.lower.dialect = options.dialect;
    if (options.entry != 0) return decide(made, Status::Skip, "no variants with --entry");
    if (!api::parse(context, made.text, parsing))
        decide(made, Status::Fail, "the variant is not a valid shader: " + first_error(context.diagnostics));
}

reference::Inputs drawn_inputs(const MadeCase& made, uint32_t number, const RunSettings& options,
                               const api::Context& context) {
    InputOptions generation = options_for_set(number);
    generation.one_level_offsets = options.one_level_offsets;
    generation.seed = case_seed(made.text, options.seed, number);
    return generate_inputs(context.program, context.registers, generation);
}

void show(CaseResult& result, const MadeCase& made, const Workplace& workplace, const reference::Result& judged,
          const reference::Result& ran, bool zeros_alike) {
    result.evidence = evidence_of(made, workplace);
    result.evidence.spirv = disassemble(workplace.context.words);
    WriteOptions writing;
    writing.killed = workplace.context.program.stage == tgsi::Stage::Fragment;
    writing.lanes = made.inputs.lanes;
    result.evidence.got = write_result(ran, writing);
    writing.bounds = true;
    result.evidence.expected = write_result(judged, writing);
    if (writing.killed) result.evidence.pictures = pictures_of(judged, ran, made.inputs, zeros_alike);
}

/// Returns why the reference's answer cannot be compared with, or an empty string.
std::string not_judged(const reference::Result& judged, uint64_t max_steps) {
    if (!judged.error.empty()) return "not judged: " + judged.error;
    return judged.instructions >= max_steps ? fmt::format("the reference executed more than {} instructions", max_steps)
                                            : std::string();
}

/// Returns the unknown words by the opcode that could not determine them, without those that are attributed to no
/// instruction.
std::vector<std::pair<std::string, uint64_t>> by_opcode(const Comparison& compared, const tgsi::Program& program) {
    std::map<std::string_view, uint64_t> words;
    for (const auto& [origin, count] : compared.unknown_origins)
        if (origin > 0 && origin <= program.instructions.size())
            words[tgsi::info(program.instructions[origin - 1].op).mnemonic] += count;
    return {words.begin(), words.end()};
}

/// COMP: the number of consecutive invocations of a work group that form a subgroup, if all subgroups are formed this
/// way. Vulkan does not guarantee this order; lavapipe (which groups rows of a work group), SwiftShader and NVIDIA have
/// it, with a single size.
struct Subgroups {
    uint32_t size = 0;      ///< 0: not a compute shader
    bool are_sure = false;  ///< otherwise a device may form subgroups differently
};
Subgroups subgroups_of(const vulkan::DeviceReport& report, const tgsi::Program& program) {
    using tgsi::Property;
    if (program.stage != tgsi::Stage::Compute) return {};
    const uint32_t size = report.subgroup.subgroupSize;
    const uint32_t width = program.property(Property::CsFixedBlockWidth),
                   height = program.property(Property::CsFixedBlockHeight),
                   depth = program.property(Property::CsFixedBlockDepth);
    const bool whole_rows = size != 0 && width != 0 && width % size == 0;
    const bool in_rows = whole_rows || (width != 0 && height <= 1 && depth <= 1);
    switch (vulkan::driver_of(report.info.name)) {
        case vulkan::Driver::Nvidia:
            return {size, true};
        case vulkan::Driver::Lavapipe:
        case vulkan::Driver::SwiftShader:
            return {size, in_rows};
        case vulkan::Driver::Radv:
        case vulkan::Driver::Other:
            break;
    }
    return {size, false};
}

/// Whether the translator has to take the shader. The generator makes only programs that can be translated for every
/// device, and a variant has the meaning of its original; Vulkan may be unable to express other shaders.
bool must_be_translated(const MadeCase& made, const harness::Device& device, const api::Context& context,
                        const VulkanOptions& running) {
    if (!made.original) return made.spec.kind == CaseKind::Generated;
    auto conversion = judged_conversion(device, context, made.inputs, running);
    if (context.program.stage != tgsi::Stage::Compute) buffer_system_values(context, made.inputs, conversion.lower);
    api::Context other;
    return api::lower(other, made.original->program, made.original->registers, conversion);
}

/// Compiles the shader as users would (RunSettings::statistics).
CaseResult measure(const MadeCase& made, size_t index, const RunSettings& options, Workplace& workplace) {
    auto& device = *workplace.devices[index];
    CaseResult result = begin_result(made, device.report().info.name, workplace.context);
    if (workplace.turn) workplace.turn(true);
    auto measured = shader_statistics(device, workplace.context, options.dialect);
    if (workplace.turn) workplace.turn(false);
    if (measured) {
        take_trouble(result, {Trouble::NotRun, {}});
        result.statistics = std::move(measured->values);
        result.statistics.emplace_back("creation_ms", measured->creation_ms);
    } else {
        take_trouble(result, measured.error());
    }
    return result;
}

CaseResult judge_text(const MadeCase& made, size_t index, const RunSettings& options, Workplace& workplace,
                      const ModuleHook& hook) {
    auto& device = *workplace.devices[index];
    auto& context = workplace.context;
    CaseResult result = begin_result(made, device.report().info.name, context);
    Stopwatch watch;
    // The reference runs first: a case that does not end there is not given to a driver, which cannot be stopped.
    auto judging = reference_options(device.report(), options.dialect);
    judging.max_steps = judging.most_useful = options.max_steps;
    if (options.strict) be_strict(device.report(), judging);
    // Bugs that only generated programs may show: real ones, and the cases of baselines, fail.
    Quirks known;
    if (made.spec.kind == CaseKind::Generated)
        known = quirks_of(device.report().info.name, device.report().info.driver);
    judging.tiny_maxima_are_minima = known.tiny_maxima_are_minima;
    judging.middles_round_to_zero = known.middles_round_to_zero;
    const Subgroups subgroups = subgroups_of(device.report(), context.program);
    judging.subgroup_size = subgroups.size;
    const auto& inputs = made.inputs;
    const auto& program = made.original ? made.original->program : context.program;
    const auto& registers = made.original ? made.original->registers : context.registers;
    // A variant has other loops and calls than its original, which the reference runs.
    judging.max_iterations = made.original ? 0 : draw_few_iterations(options.options_seed);
    const bool robust = draw_robust_access(options.options_seed) && device.report().robust_buffer_access2;
    judging.constants_as_bound = robust;
    const auto promises =
        draw_promises(options.options_seed) ? vulkan::promises_of(device.report().info.name) : vulkan::Promises{};
    judging.angles_by_device = promises.reduces_angles;
    auto judged = device.compiles_only() ? reference::Result{} : reference::run(program, registers, inputs, judging);
    result.times.judge_ms = watch.lap();
    result.message = not_judged(judged, options.max_steps);
    if (!result.message.empty()) return result;
    VulkanOptions running;
    running.settings = options;
    running.max_iterations = judging.max_iterations;
    running.robust_access = robust;
    running.promises = promises;
    running.unwritten = kUnwritten;
    running.hook = hook;
    running.translator_ms = &result.times.translator_ms;
    const auto ran = take_turn(workplace, index, context, inputs, running);
    result.times.driver_ms = watch.lap() - result.times.translator_ms;
    const auto messages = workplace.instance->take_messages();
    for (const auto& message : messages) result.details.push_back("validation: " + message);
    if (!ran) {
        take_trouble(result, ran.error());
        const bool refused = ran.error().kind == Trouble::Refused;
        if (refused && must_be_translated(made, device, context, running)) result.status = Status::Fail;
        fail_by_messages(result);
        if (device.lost && result.status == Status::Fail) result.status = Status::DeviceLost;
        if ((is_failure(result.status) || result.reason == Reason::CompilerMemory) && options.evidence) {
            result.evidence = evidence_of(made, workplace);
            if (!refused) result.evidence.spirv = disassemble(context.words);
        }
        return result;
    }
    const bool zeros_alike = options.zeros_alike || known.zero_signs_are_lost;
    const auto held = [&] { return compare(judged, *ran, inputs.lanes, stream_outputs(program), zeros_alike); };
    auto compared = held();
    if (!compared.passed() && subgroups.size != 0 && !subgroups.are_sure) {
        judging.subgroup_size = 0;
        judged = reference::run(program, registers, inputs, judging);
        result.message = not_judged(judged, options.max_steps);
        if (!result.message.empty()) {
            result.times.judge_ms += watch.lap();
            fail_by_messages(result);
            return result;
        }
        compared = held();
    }
    result.times.judge_ms += watch.lap();
    result.words = compared.words;
    result.unknown = compared.unknown;
    result.wide = compared.wide;
    result.wrong = compared.wrong;
    result.unknown_by = by_opcode(compared, program);
    result.status = compared.passed() && messages.empty() ? Status::Pass : Status::Fail;
    if (result.status == Status::Pass) return result;
    std::vector<std::string> lines;
    for (const auto& m : compared.mismatches) lines.push_back(describe(m));
    if (compared.wrong > lines.size()) lines.push_back(fmt::format("{} words are wrong", compared.wrong));
    result.details.insert(result.details.begin(), lines.begin(), lines.end());
    result.message = result.details.front();
    result.details.erase(result.details.begin());
    if (options.evidence) show(result, made, workplace, judged, *ran, zeros_alike);
    return result;
}

}  // namespace

tl::expected<Workplace, std::string> open_workplace(std::span<const std::string> devices, bool validation,
                                                    harness::Use use) {
    using Error = tl::unexpected<std::string>;
    Workplace w;
    auto instance = vulkan::Instance::create({validation});
    if (!instance) return Error(instance.error().message);
    w.instance = std::move(*instance);
    std::vector<vulkan::DeviceInfo> infos;
    for (const auto& name : devices) {
        const auto info = w.instance->find(name);
        if (!info) return Error(info.error().message);
        infos.push_back(*info);
    }
    if (devices.empty()) {
        const auto info = w.instance->default_device();
        if (!info) return Error(info.error().message);
        infos.push_back(*info);
    }
    for (const auto& info : infos) {
        auto device = harness::Device::create(*w.instance, info, use);
        if (!device) return Error(device.error().message);
        w.devices.push_back(std::move(*device));
    }
    return w;
}

MadeCase make_case(const CaseSpec& spec, const RunSettings& options, Workplace& workplace) {
    MadeCase made;
    made.spec = spec;
    if (spec.kind == CaseKind::Sampling) {
        make_sampling_case(made, options, workplace);
        return made;
    }
    auto& context = workplace.context;
    auto text = text_of(spec, options.seed, workplace);
    if (!text) {
        decide(made, Status::Fail, text.error());
        return made;
    }
    made.text = std::move(*text);
    api::Options parsing;
    parsing.lower.dialect = options.dialect;
    if (spec.kind == CaseKind::File || spec.kind == CaseKind::Given) parsing.entry = options.entry;
    context.diagnostics.clear();
    if (!api::parse(context, made.text, parsing)) {
        // An invalid generated text is a bug of the generator; in a file, it is a truncated dump or an error of the
        // parser, which a campaign must not overlook. Not every text has the --entry.
        const bool fails = spec.kind == CaseKind::Generated || (spec.kind == CaseKind::File && parsing.entry == 0);
        decide(made, fails ? Status::Fail : Status::Skip, "invalid shader: " + first_error(context.diagnostics));
        return made;
    }
    if (spec.kind == CaseKind::Given) {
        auto inputs = read_inputs(spec.inputs);
        if (!inputs)
            decide(made, Status::Skip, "invalid inputs: " + inputs.error());
        else
            made.inputs = std::move(*inputs);
        return made;
    }
    made.inputs = drawn_inputs(made, spec.input, options, context);
    if (spec.kind == CaseKind::File && spec.number > 0) make_variant(made, options, context);
    return made;
}

Evidence evidence_of(const MadeCase& made, const Workplace& workplace) {
    Evidence e;
    e.shader = made.sampling ? made.sampling->text : made.text;
    const auto& inputs = made.sampling ? made.sampling->inputs : made.inputs;
    if (!e.shader.empty() && !made.decided) e.inputs = write_inputs(inputs, per_vertex(workplace.context));
    return e;
}

CaseResult judge_case(const MadeCase& made, size_t device, const RunSettings& options, Workplace& workplace,
                      const ModuleHook& hook) {
    if (made.decided) {
        CaseResult result = *made.decided;
        result.device = workplace.devices[device]->report().info.name;
        return result;
    }
    if (options.statistics && !made.sampling) return measure(made, device, options, workplace);
    return made.sampling ? judge_sampling_case(made, device, options, workplace, hook)
                         : judge_text(made, device, options, workplace, hook);
}

tl::expected<reference::Result, VulkanTrouble> take_turn(const Workplace& workplace, size_t device,
                                                         api::Context& context, const reference::Inputs& inputs,
                                                         VulkanOptions options) {
    if (!workplace.turn) return run_vulkan(*workplace.devices[device], context, inputs, options);
    options.hook = [&, hook = std::move(options.hook)](api::Context& c, const api::Options& conversion) {
        workplace.turn(true);
        if (hook) hook(c, conversion);
    };
    auto ran = run_vulkan(*workplace.devices[device], context, inputs, options);
    workplace.turn(false);
    return ran;
}

CaseResult begin_result(const MadeCase& made, const std::string& device, const api::Context& context) {
    CaseResult r;
    r.id = id_of(made.spec);
    r.device = device;
    r.stage = tgsi::name(context.program.stage);
    std::set<std::string_view> used;
    for (const auto& i : context.program.instructions) used.insert(tgsi::info(i.op).mnemonic);
    r.opcodes.assign(used.begin(), used.end());
    return r;
}

void take_trouble(CaseResult& result, const VulkanTrouble& trouble) {
    result.message = trouble.message;
    switch (trouble.kind) {
        case Trouble::Refused:
            result.status = Status::Skip;
            result.message = "not translated: " + trouble.message;
            return;
        case Trouble::Missing:
        case Trouble::Case:
            result.status = Status::Skip;
            return;
        case Trouble::Memory:
        case Trouble::CompilerMemory:
            // Other users of the device's memory are not the case's fault; a new process shows whether it was they.
            result.status = Status::Skip;
            result.reason = trouble.kind == Trouble::Memory ? Reason::Memory : Reason::CompilerMemory;
            result.message = "not run, out of memory: " + trouble.message;
            return;
        case Trouble::Timeout:
            result.status = Status::Timeout;
            return;
        case Trouble::NotRun:
            result.status = Status::Pass;
            result.reason = Reason::OnlyCompiled;
            result.message = "compiled, not run";
            return;
        case Trouble::Invalid:
        case Trouble::Device:
            result.status = Status::Fail;
            return;
    }
}

/// lavapipe provides all of it; SwiftShader, which has no doubles, gives NaN from fewer functions (its EX2 and SIN of
/// NaN are numbers). Both filter with the weights of texels as floats.
void be_strict(const vulkan::DeviceReport& report, reference::Options& judging) {
    judging.doubles_as_single = false;
    judging.rounding_filters = false;
    judging.functions_keep_nan = vulkan::driver_of(report.info.name) != vulkan::Driver::SwiftShader;
}

void fail_by_messages(CaseResult& result) {
    if (is_failure(result.status) || result.details.empty()) return;
    if (!result.message.empty()) result.details.push_back(std::move(result.message));
    result.status = Status::Fail;
    result.reason = Reason::None;
    result.message = std::move(result.details.front());
    result.details.erase(result.details.begin());
}

std::string disassemble(std::span<const uint32_t> words) {
    const spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    std::string text;
    if (!tools.Disassemble(words.data(), words.size(), &text,
                           SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_INDENT))
        return {};
    return text;
}

}  // namespace tgsi2spv::difftest

#include "reference/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "reference/families/families.h"
#include "reference/flow/interpreter.h"
#include "reference/machine/fork.h"
#include "reference/machine/geometry.h"
#include "reference/machine/system_values.h"
#include "reference/machine/tessellation.h"
#include "reference/memory/words.h"
#include "reference/observe.h"
#include "sampling/message.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::File;
using tgsi::Opcode;

/// The number of invocations of a run.
constexpr uint32_t kMaxInvocations = 1u << 18;

void collect(Machine& machine, const FlowTable& flow, Result& result) {
    const std::vector<uint8_t> written = written_outputs(machine.program, machine.registers, flow);
    if (machine.program.stage == tgsi::Stage::Geometry) {
        for (size_t i = 0; i < written.size(); ++i)
            if (machine.registers.declared(File::Output, static_cast<int32_t>(i)))
                result.written[static_cast<int32_t>(i)] = written[i];
        return collect_emissions(machine, result);
    }
    if (machine.files.outputs_are_shared) return collect_patches(machine, written, result);
    machine.registers.for_each_run(File::Output, 0, [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) {
            auto& lanes = result.outputs[i];
            lanes.resize(machine.inputs.lanes);
            result.written[i] = written[static_cast<size_t>(i)];
            const Value* block =
                machine.any_lost ? machine.make(machine.files.outputs(), i) : machine.files.outputs().at(i);
            for (uint32_t lane = 0; lane < machine.inputs.lanes; ++lane)
                for (size_t c = 0; c < 4; ++c) {
                    if (!(written[static_cast<size_t>(i)] >> c & 1))
                        lanes[lane][c] = unknown();
                    else
                        lanes[lane][c] = block ? block[c * machine.lanes + lane] : exact(0u);
                }
        }
    });
    if (machine.program.stage != tgsi::Stage::Fragment) return;
    result.killed.resize(machine.inputs.lanes);
    result.killed_unknown.resize(machine.inputs.lanes);
    for (uint32_t lane = 0; lane < machine.inputs.lanes; ++lane) {
        result.killed[lane] = machine.killed[lane] & kNominal;
        result.killed_unknown[lane] = (machine.killed[lane] & kMay) && !(machine.killed[lane] & kMust);
    }
}

/// Why a stage, or its size, is not executed; empty if it is executed.
std::string why_not(const tgsi::Program& program, const Inputs& inputs, const std::array<uint32_t, 3>& block) {
    using tgsi::Property;
    switch (program.stage) {
        case tgsi::Stage::Vertex:
        case tgsi::Stage::TessEval:
        case tgsi::Stage::Fragment:
            return {};
        case tgsi::Stage::TessControl: {
            const bool per_vertex = std::ranges::any_of(
                program.declarations, [](const tgsi::Declaration& d) { return d.file == File::Output && d.has_dim; });
            const uint32_t vertices = program.property(Property::TcsVerticesOut, per_vertex ? 0 : 1);
            if (vertices < 1 || vertices > static_cast<uint32_t>(kMaxPatch))
                return fmt::format("TCS_VERTICES_OUT is {}, but a patch must have 1 to {} vertices", vertices,
                                   kMaxPatch);
            if (uint64_t{vertices} * inputs.lanes > kMaxInvocations)
                return fmt::format("{} patches of {} vertices are more than {} invocations", inputs.lanes, vertices,
                                   kMaxInvocations);
            return {};
        }
        case tgsi::Stage::Geometry: {
            const auto primitive = static_cast<tgsi::Primitive>(program.property(Property::GsInputPrimitive));
            if (tgsi::vertices_of(primitive) == 0) return "GS_INPUT_PRIMITIVE names a primitive that GEOM cannot take";
            const uint32_t invocations = program.property(Property::GsInvocations);
            if (invocations > kMaxInvocations || uint64_t{invocations} * inputs.lanes > kMaxInvocations)
                return fmt::format("GS_INVOCATIONS of {} with {} lanes gives more than {} invocations", invocations,
                                   inputs.lanes, kMaxInvocations);
            return {};
        }
        case tgsi::Stage::Compute: {
            uint64_t invocations = 1;
            for (uint32_t n : {block[0], block[1], block[2], inputs.grid[0], inputs.grid[1], inputs.grid[2]}) {
                if (n == 0 || n > kMaxInvocations) return "the grid or the work group is empty or too large";
                invocations *= n;
                if (invocations > kMaxInvocations)
                    return fmt::format("the grid has more than {} invocations", kMaxInvocations);
            }
            return {};
        }
        default:
            return fmt::format("the reference does not support stage {}", tgsi::name(program.stage));
    }
}

/// The data that every run of a program shares.
struct Plan {
    const tgsi::Program& program;
    const tgsi::Registers& registers;
    const Inputs& inputs;
    FlowTable flow;
    Messages messages;
    Overtaken overtaken;  ///< reads that writes overtook, as far as the runs so far have found out
    bool may_kill = false;
    bool uses_memory = false;
    bool shares = false;  ///< lanes share written memory, or see more of each other than the derivatives of their quad
    bool quads = false;   ///< derivatives, which let lanes see their quad
    uint32_t parts = 1;   ///< COMP: work groups
    const Observer* observer = nullptr;
};

/// Notes the instruction's needs of a run; false if the judge does not support it.
bool add_to_plan(Plan& plan, const sampling::Views& views, const tgsi::Instruction& in, std::string& error) {
    const tgsi::OpcodeInfo& info = tgsi::info(in.op);
    plan.may_kill |= kills(in.op);
    plan.uses_memory |= info.family == tgsi::Family::memory;
    plan.shares |= writes_memory(in.op) || info.family == tgsi::Family::subgroup || in.op == Opcode::BARRIER;
    plan.quads |=
        in.op == Opcode::DDX || in.op == Opcode::DDY || in.op == Opcode::DDX_FINE || in.op == Opcode::DDY_FINE;
    if (info.family != tgsi::Family::texture || makes_handle(in.op)) return true;
    sampling::Refusal refusal;
    const std::optional<sampling::Message> message = sampling::message_of(plan.program, views, in, refusal);
    if (!message) {
        error = fmt::format("{}: {}", info.mnemonic, refusal.reason);
        return false;
    }
    plan.quads |= message->cls == sampling::Class::Sample3D;
    const auto at = static_cast<size_t>(&in - plan.program.instructions.data());
    plan.messages.of_instruction.resize(plan.program.instructions.size());
    plan.messages.of_instruction[at] = static_cast<uint32_t>(plan.messages.all.size());
    plan.messages.all.push_back(*message);
    return true;
}

void refuse_endless(const tgsi::Program& program, uint32_t at, uint64_t steps, const Options& options, Result& result) {
    const tgsi::Instruction& in = program.instructions[at];
    const bool of_a_lane = steps > options.max_steps;
    result = {};
    result.error = fmt::format(
        "{} does not end within {} instructions {}", in.op == Opcode::BGNLOOP ? "this loop" : "the code here",
        of_a_lane ? options.max_steps : options.most_instructions, of_a_lane ? "per lane" : "in all lanes");
    result.error_position = in.position;
    result.endless = true;
}

/// Executes the program once, one work group after another. `last` says whether outputs are wanted, once races are
/// known. Returns the lanes that reached a branch which may go either way.
template <class Last>
std::vector<bool> execute(Plan& plan, const Options& options, Findings& findings, Forks* forks, Result& result,
                          Last last) {
    std::optional<Memory> memory;
    std::vector<bool> undecided;
    plan.overtaken.grew = false;
    for (uint32_t part = 0; part < plan.parts; ++part) {
        Machine m(plan.program, plan.registers, plan.inputs, options, part);
        m.messages = &plan.messages;
        m.may_kill = plan.may_kill;
        m.forks = forks;
        m.shared.overtaken = &plan.overtaken;
        if (plan.uses_memory && !memory)
            memory.emplace(plan.program.stage, plan.inputs, plan.parts > 1 ? plan.parts : m.lanes / m.group, m.group,
                           options.fast_values, findings);
        if (memory) {
            m.memory = &*memory;
            memory->enter(m.first_lane);
        }
        if (forks)
            for (uint32_t lane = 0; lane < m.lanes; ++lane)
                if (!forks->runs(lane)) m.base[lane] = 0;
        load_inputs(m);
        m.progress.executed = result.instructions;  // those of all work groups count for Options::most_useful
        interpret(m, plan.flow, plan.observer);
        result.instructions = m.progress.executed;
        if (m.progress.given_up && options.most_instructions != 0) {
            refuse_endless(plan.program, *m.progress.given_up, m.progress.steps, options, result);
            return undecided;
        }
        if (plan.observer != nullptr || part + 1 < plan.parts || !last()) continue;
        collect(m, plan.flow, result);
        undecided = std::move(m.undecided);
    }
    if (memory && plan.observer == nullptr && last()) memory->collect(result);
    return undecided;
}

/// Tightens the result of one run by following every path separately (fork.h).
void follow_paths(Plan& plan, const Options& options, Findings& findings, const std::vector<bool>& undecided,
                  Result& result) {
    if (plan.shares || plan.parts > 1 || plan.program.stage == tgsi::Stage::TessControl ||
        plan.program.stage == tgsi::Stage::Compute || plan.program.property(tgsi::Property::GsInvocations) > 1 ||
        std::ranges::find(undecided, true) == undecided.end())
        return;
    Forks forks(undecided, plan.quads ? 4 : 1);
    // All paths together may take several times as long as the run that they tighten.
    const uint64_t budget = result.instructions * 16 + 100'000;
    uint64_t spent = 0;
    Options limited = options;
    limited.max_steps = std::min(limited.max_steps, result.instructions * 2 + 10'000);
    limited.most_instructions = limited.most_useful = 0;
    for (;;) {
        Result path;
        execute(plan, limited, findings, &forks, path, [] { return true; });
        spent += path.instructions;
        if (!forks.next(path) || spent > budget) break;
    }
    forks.tighten(result);
}

/// False with an error in `result` if the reference does not execute this program, or this case of it.
bool make_plan(Plan& plan, const Options& options, Result& result) {
    const std::array<uint32_t, 3> block = block_of(plan.program, plan.registers, plan.inputs);
    result.error = why_not(plan.program, plan.inputs, block);
    if (!result.error.empty()) return false;
    sampling::Views views;
    sampling::gather_views(plan.program, views);
    for (const tgsi::Instruction& in : plan.program.instructions) {
        if (add_to_plan(plan, views, in, result.error)) continue;
        result.error_position = in.position;
        return false;
    }
    if (!plan.messages.all.empty()) plan.messages.borders = Borders(plan.program, plan.inputs);
    plan.flow = analyse_flow(plan.program, options.max_iterations != 0);
    const auto& grid = plan.inputs.grid;
    if (plan.program.stage == tgsi::Stage::Compute) plan.parts = grid[0] * grid[1] * grid[2];
    return true;
}

/// Repeats while a run finds races that it did not know of (memory_words.h, tessellation.h); an observer sees one run.
Result run_with(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
                const Options& options, const Observer* observer) {
    constexpr int kRuns = 8;
    Result result;
    Plan plan{program, registers, inputs, {}, {}, {}};
    plan.observer = observer;
    if (!make_plan(plan, options, result)) return result;
    Findings findings;
    for (int again = 0;; ++again) {
        const bool is_last_try = again == kRuns || observer != nullptr;
        const auto last = [&] { return is_last_try || !(findings.grew || plan.overtaken.grew); };
        result.instructions = 0;
        const std::vector<bool> undecided = execute(plan, options, findings, nullptr, result, last);
        if (!result.error.empty()) return result;
        if (!last()) {
            if (again == kRuns - 1) findings.given_up = plan.overtaken.given_up = true;
            continue;
        }
        if (!options.fast_values && observer == nullptr) follow_paths(plan, options, findings, undecided, result);
        return result;
    }
}

}  // namespace

Result run(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
           const Options& options) {
    return run_with(program, registers, inputs, options, nullptr);
}

Result observe(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
               const Options& options, const Observer& observer) {
    return run_with(program, registers, inputs, options, &observer);
}

std::string refusal(const Result& result, std::string_view name, std::string_view text) {
    const tgsi::LineColumn at = tgsi::line_column_of(text, result.error_position);
    return fmt::format("{}:{}:{}: the reference cannot run this shader: {}", name, at.line, at.column, result.error);
}

bool may_be_endless(const tgsi::Program& program) {
    return std::ranges::any_of(program.instructions, [](const tgsi::Instruction& in) {
        return in.op == tgsi::Opcode::BGNLOOP || in.op == tgsi::Opcode::BRA;
    });
}

}  // namespace tgsi2spv::reference

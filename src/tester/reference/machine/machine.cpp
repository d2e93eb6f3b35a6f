#include "reference/machine/machine.h"

#include <algorithm>

#include "reference/machine/fork.h"
#include "reference/memory/words.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::File;

/// How often a lane of the case executes the program. run() has already refused numbers out of bounds.
uint32_t invocations_of(const tgsi::Program& program, const std::array<uint32_t, 3>& block) {
    if (program.stage == tgsi::Stage::Compute) return block[0] * block[1] * block[2];
    if (program.stage == tgsi::Stage::Geometry) return std::max(program.property(tgsi::Property::GsInvocations), 1u);
    if (program.stage == tgsi::Stage::TessControl)
        return std::max(program.property(tgsi::Property::TcsVerticesOut), 1u);
    return 1;
}

}  // namespace

Context context_of(const tgsi::Program& program, const Options& options) {
    Context c;
    c.dialect = options.dialect;
    c.contract = !options.exact;
    c.preserve = options.preserves_nan_inf_zero;
    c.functions_keep_nan = options.functions_keep_nan;
    c.angles_by_device = options.angles_by_device;
    c.tiny_maxima_are_minima = options.tiny_maxima_are_minima;
    c.middles_round_to_zero = options.middles_round_to_zero;
    c.round_to_even = options.round_to_even;
    c.preserve_wide = options.preserves_nan_inf_zero_64;
    c.round_to_even_wide = options.round_to_even_64;
    c.doubles_as_single = options.doubles_as_single;
    c.nominal = options.fast_values;
    c.legacy_math = program.property(tgsi::Property::LegacyMathRules) != 0;
    return c;
}

std::array<uint32_t, 3> block_of(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs) {
    using tgsi::Property;
    if (program.stage != tgsi::Stage::Compute) return {1, 1, 1};
    const std::array<uint32_t, 3> fixed = {program.property(Property::CsFixedBlockWidth),
                                           program.property(Property::CsFixedBlockHeight),
                                           program.property(Property::CsFixedBlockDepth)};
    if (fixed != std::array<uint32_t, 3>{})
        return {std::max(fixed[0], 1u), std::max(fixed[1], 1u), std::max(fixed[2], 1u)};
    for (const auto& [index, words] : inputs.system_values) {
        const tgsi::Range* range = registers.find(File::SystemValue, index);
        if (range && !words.empty() && program.declarations[range->declaration].semantic == tgsi::Semantic::BlockSize)
            return {std::max(words[0][0], 1u), std::max(words[0][1], 1u), std::max(words[0][2], 1u)};
    }
    return {4, 1, 1};
}

namespace {

/// TESS_*: the vertices of each patch that have inputs.
uint32_t vertices_with_inputs(const Inputs& inputs) {
    uint32_t vertices = 1;
    for (const auto& [key, words] : inputs.inputs)
        if (key.first < kMaxPatch) vertices = std::max(vertices, static_cast<uint32_t>(key.first + 1));
    return vertices;
}

}  // namespace

Machine::Machine(const tgsi::Program& p, const tgsi::Registers& r, const Inputs& i, const Options& o,
                 uint32_t work_group)
    : program(p),
      registers(r),
      inputs(i),
      options(o),
      context(context_of(p, o)),
      block_size(block_of(p, r, i)),
      group(invocations_of(p, block_size)),
      files(p, r, vertices_with_inputs(i), group) {
    lanes = std::max(i.lanes, 1u) * group;
    if (p.stage == tgsi::Stage::Compute) {
        lanes = group;
        first_lane = work_group * group;
    }
    if (p.stage == tgsi::Stage::Fragment) lanes = (lanes + 3) / 4 * 4;
    if (p.stage == tgsi::Stage::Geometry) emissions.of_lane.resize(lanes);
    for (const tgsi::Instruction& in : p.instructions)
        if (in.op == tgsi::Opcode::PUSHA || in.op == tgsi::Opcode::POPA) stacks.resize(lanes);
    base.assign(lanes, kAll);
    flow.condition = flow.loop = flow.proceed = flow.branch = flow.function = base;
    killed.assign(lanes, 0);
    lost.assign(lanes, false);
    undecided.assign(lanes, false);
    uncertain_iterations.assign(lanes, 0);
    spent.assign(o.max_iterations != 0 ? lanes : 0, {});
    exec.assign(lanes, 0);
}

Truth Machine::decide(uint32_t lane, const Truth& truth) {
    if (!truth.may_be_true || !truth.may_be_false) return truth;
    undecided[lane] = true;
    return forks ? forks->decide(lane, truth) : truth;
}

Value* Machine::scratch() {
    if (scratch_used_ == scratch_.size()) scratch_.push_back(std::make_unique<Value[]>(lanes));
    return scratch_[scratch_used_++].get();
}

void Machine::lose(uint32_t lane) {
    if (lost[lane]) return;
    lost[lane] = any_lost = exec_is_stale = true;
    if (memory) memory->give_up();
    // It may write words that the other lanes of its patch read.
    if (files.outputs_are_shared)
        for (uint32_t first = lane / group * group, k = 0; k < group; ++k) lose(first + k);
    base[lane] = static_cast<Presence>(base[lane] & ~kMust);
    if (may_kill) killed[lane] = static_cast<Presence>((killed[lane] | kMay) & ~kMust);
    auto make_unknown = [&](Value* block) {
        for (int c = 0; c < 4; ++c) reference::make_unknown(block[static_cast<size_t>(c) * lanes + lane], origin);
    };
    for (RegisterFile* f : {&files.temps, &files.addresses, &files.predicates}) f->for_each_block(make_unknown);
    for (auto* all : {&files.temp_arrays, &files.outputs_of_vertex})
        for (auto& f : *all) f.for_each_block(make_unknown);
    if (!emissions.of_lane.empty()) emissions.of_lane[lane].unknown = true;
    if (!stacks.empty()) stacks[lane].unknown = true;
}

bool Machine::quad_is_together(uint32_t lane) const {
    const uint32_t quad = lane & ~3u;
    for (uint32_t k = 0; k < 4; ++k)
        if (quad + k >= lanes || !(exec[quad + k] & kMust)) return false;
    return parted.of_quad.empty() || parted.of_quad[lane / 4] == 0;
}

Value* Machine::make(RegisterFile& file, int32_t index) {
    if (Value* there = file.at(index)) return there;
    Value* block = file.make(index, lanes);
    // Nothing initialises the memory that invocations share.
    if (files.outputs_are_shared && files.is_output(file)) std::fill_n(block, size_t{4} * lanes, unknown());
    if (any_lost)
        for (uint32_t lane = 0; lane < lanes; ++lane)
            if (lost[lane])
                for (int c = 0; c < 4; ++c) block[static_cast<size_t>(c) * lanes + lane] = unknown();
    return block;
}

void update_exec(Machine& machine) {
    machine.exec_is_stale = false;
    machine.active.clear();
    const FlowMasks& f = machine.flow;
    for (uint32_t lane = 0; lane < machine.lanes; ++lane) {
        machine.exec[lane] = static_cast<Presence>(machine.base[lane] & f.condition[lane] & f.loop[lane] &
                                                   f.proceed[lane] & f.branch[lane] & f.function[lane]);
        if (machine.exec[lane] & (kNominal | kMay)) machine.active.push_back(lane);
    }
}

}  // namespace tgsi2spv::reference

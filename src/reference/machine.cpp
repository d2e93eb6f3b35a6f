#include "reference/machine.h"

#include <algorithm>

#include "reference/fork.h"
#include "reference/memory_words.h"
#include "tgsi/stage.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::File;

/// How often a lane of the case executes the program. run() has already refused what is out of bounds.
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
    c.round_to_even = options.round_to_even;
    c.preserve_wide = options.preserves_nan_inf_zero_64;
    c.round_to_even_wide = options.round_to_even_64;
    c.doubles_as_single = options.doubles_as_single;
    c.plain = options.fast_values;
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

Machine::Machine(const tgsi::Program& p, const tgsi::Registers& r, const Inputs& i, const Options& o,
                 uint32_t work_group)
    : program(p), registers(r), inputs(i), options(o), context(context_of(p, o)), block_size(block_of(p, r, i)) {
    group = invocations_of(p, block_size);
    lanes = std::max(i.lanes, 1u) * group;
    if (p.stage == tgsi::Stage::Compute) {
        lanes = group;
        first_lane = work_group * group;
    }
    if (p.stage == tgsi::Stage::Fragment) lanes = (lanes + 3) / 4 * 4;
    if (p.stage == tgsi::Stage::Geometry) {
        vertices_in = tgsi::vertices_of(static_cast<tgsi::Primitive>(p.property(tgsi::Property::GsInputPrimitive)));
        emissions.resize(lanes);
    }
    temps.resize(r.count(File::Temp));
    addresses.resize(r.count(File::Address));
    predicates.resize(r.count(File::Predicate));
    if (p.stage == tgsi::Stage::TessControl || p.stage == tgsi::Stage::TessEval) {
        for (const auto& [key, words] : i.inputs)
            if (key.first < kMaxPatch) vertices_in = std::max(vertices_in, static_cast<uint32_t>(key.first + 1));
        may_have_more = true;
    }
    shares_outputs = p.stage == tgsi::Stage::TessControl;
    outputs_of_vertex.resize(shares_outputs ? group : 1);
    inputs_of_vertex.resize(std::max(vertices_in, 1u));
    for (RegisterFile& f : outputs_of_vertex) f.resize(r.count(File::Output));
    for (RegisterFile& f : inputs_of_vertex) f.resize(r.count(File::Input));
    input_array_.resize(static_cast<size_t>(r.count(File::Input)));
    output_array_.resize(static_cast<size_t>(r.count(File::Output)));
    for (const File file : {File::Input, File::Output}) {
        std::vector<bool>& array = file == File::Input ? input_array_ : output_array_;
        for (size_t k = 0; k < array.size(); ++k) array[k] = tgsi::is_per_vertex(p, r, file, static_cast<int32_t>(k));
    }
    if (shares_outputs)
        for (int32_t k = 0; k < r.count(File::Output); ++k)
            output_components_.push_back(tgsi::output_components(p, r, k));
    system_values.resize(r.count(File::SystemValue));
    temp_arrays.resize(static_cast<size_t>(r.dims(File::TempArray)));
    for (size_t d = 0; d < temp_arrays.size(); ++d)
        temp_arrays[d].resize(r.count(File::TempArray, static_cast<int32_t>(d)));
    for (const tgsi::Instruction& in : p.instructions)
        if (in.op == tgsi::Opcode::PUSHA || in.op == tgsi::Opcode::POPA) stacks.resize(lanes);
    base.assign(lanes, kAll);
    condition = loop = proceed = branch = function = base;
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
    // It may write what the other lanes of its patch read.
    if (shares_outputs)
        for (uint32_t first = lane / group * group, k = 0; k < group; ++k) lose(first + k);
    base[lane] = static_cast<Presence>(base[lane] & ~kMust);
    if (may_kill) killed[lane] = static_cast<Presence>((killed[lane] | kMay) & ~kMust);
    auto make_unknown = [&](Value* block) {
        for (int c = 0; c < 4; ++c) reference::make_unknown(block[static_cast<size_t>(c) * lanes + lane], origin);
    };
    for (RegisterFile* f : {&temps, &addresses, &predicates}) f->for_each_block(make_unknown);
    for (auto* files : {&temp_arrays, &outputs_of_vertex})
        for (auto& f : *files) f.for_each_block(make_unknown);
    if (!emissions.empty()) emissions[lane].unknown = true;
    if (!stacks.empty()) stacks[lane].unknown = true;
}

bool Machine::quad_is_together(uint32_t lane) const {
    const uint32_t quad = lane & ~3u;
    for (uint32_t k = 0; k < 4; ++k)
        if (quad + k >= lanes || !(exec[quad + k] & kMust)) return false;
    return parted.empty() || parted[lane / 4] == 0;
}

bool Machine::is_array(File file, int32_t index) const {
    if (file != File::Input && file != File::Output) return false;
    const std::vector<bool>& array = file == File::Input ? input_array_ : output_array_;
    return index >= 0 && static_cast<size_t>(index) < array.size() && array[static_cast<size_t>(index)];
}

int32_t Machine::space(File file, int32_t dim, int32_t index) const {
    return file == File::Const || file == File::TempArray || is_array(file, index) ? dim : 0;
}

int32_t Machine::spaces(File file) const {
    if (file == File::TempArray) return static_cast<int32_t>(temp_arrays.size());
    return file == File::Output ? static_cast<int32_t>(outputs_of_vertex.size()) : 1;
}

RegisterFile* Machine::writable(File file, int32_t dim) {
    switch (file) {
        case File::Temp:
            return &temps;
        case File::Address:
            return &addresses;
        case File::Output:
            return dim >= 0 && dim < spaces(file) ? &outputs_of_vertex[static_cast<size_t>(dim)] : nullptr;
        case File::Predicate:
            return &predicates;
        case File::TempArray:
            return dim >= 0 && static_cast<size_t>(dim) < temp_arrays.size() ? &temp_arrays[static_cast<size_t>(dim)]
                                                                             : nullptr;
        default:
            return nullptr;
    }
}

void Machine::forget(uint32_t lane, uint32_t first, uint32_t last) {
    auto make_unknown = [&](RegisterFile& f, int32_t index, uint8_t mask) {
        if (index < 0 || index >= f.count()) return;
        Value* block = make(f, index);
        for (int c = 0; c < 4; ++c)
            if (mask >> c & 1) reference::make_unknown(block[static_cast<size_t>(c) * lanes + lane], origin);
    };
    for (uint32_t i = first; i <= last; ++i) {
        const tgsi::Instruction& in = program.instructions[i];
        // A function may write anything; after a return the lane is no longer surely here.
        bool any = in.op == tgsi::Opcode::CAL || in.op == tgsi::Opcode::CALLNZ || in.op == tgsi::Opcode::RET;
        // What the invocations of a patch share cannot be forgotten in only one of them.
        for (const tgsi::Operand& o : program.dsts(in)) any |= shares_outputs && o.file == File::Output;
        if (any || in.op == tgsi::Opcode::BARRIER) {
            lose(lane);
            return;
        }
    }
    for (uint32_t i = first; i <= last; ++i) {
        const tgsi::Instruction& in = program.instructions[i];
        if (kills(in.op)) killed[lane] = static_cast<Presence>(killed[lane] | kMay);
        if (in.op == tgsi::Opcode::PUSHA || in.op == tgsi::Opcode::POPA) stacks[lane].unknown = true;
        spoil_resource(*this, in, lane);
        if (in.op == tgsi::Opcode::EMIT || in.op == tgsi::Opcode::ENDPRIM) emissions[lane].unknown = true;
        for (const tgsi::Operand& o : program.dsts(in)) {
            const int32_t dims = o.dim_is_relative ? spaces(o.file) : 1;
            for (int32_t d = 0; d < dims; ++d) {
                RegisterFile* f = writable(o.file, o.dim_is_relative ? d
                                                   : o.has_dim       ? space(o.file, o.dim, o.index)
                                                                     : 0);
                if (!f) continue;
                const bool any = o.index_is_relative;
                for (int32_t r = any ? 0 : o.index; r < (any ? f->count() : o.index + 1); ++r)
                    make_unknown(*f, r, o.write_mask);
            }
        }
    }
}

Value* Machine::make(RegisterFile& file, int32_t index) {
    if (Value* there = file.at(index)) return there;
    Value* block = file.make(index, lanes);
    // Nothing initialises what invocations share.
    if (shares_outputs && &file >= outputs_of_vertex.data() &&
        &file < outputs_of_vertex.data() + outputs_of_vertex.size())
        std::fill_n(block, size_t{4} * lanes, unknown());
    if (any_lost)
        for (uint32_t lane = 0; lane < lanes; ++lane)
            if (lost[lane])
                for (int c = 0; c < 4; ++c) block[static_cast<size_t>(c) * lanes + lane] = unknown();
    return block;
}

void update_exec(Machine& m) {
    m.exec_is_stale = false;
    m.active.clear();
    for (uint32_t lane = 0; lane < m.lanes; ++lane) {
        m.exec[lane] = static_cast<Presence>(m.base[lane] & m.condition[lane] & m.loop[lane] & m.proceed[lane] &
                                             m.branch[lane] & m.function[lane]);
        if (m.exec[lane] & (kPlain | kMay)) m.active.push_back(lane);
    }
}

}  // namespace tgsi2spv::reference

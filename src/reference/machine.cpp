#include "reference/machine.h"

#include <algorithm>

namespace tgsi2spv::reference {
namespace {

using tgsi::File;

Context context_of(const tgsi::Program& program, const Options& options) {
    Context c;
    c.dialect = options.dialect;
    c.contract = !options.exact;
    c.preserve = options.preserves_nan_inf_zero;
    c.functions_keep_nan = options.functions_keep_nan;
    c.round_to_even = options.round_to_even;
    c.plain = options.fast_values;
    c.legacy_math = program.property(tgsi::Property::LegacyMathRules) != 0;
    return c;
}

}  // namespace

Machine::Machine(const tgsi::Program& p, const tgsi::Registers& r, const Inputs& i, const Options& o)
    : program(p), registers(r), inputs(i), options(o), context(context_of(p, o)), lanes(std::max(i.lanes, 1u)) {
    if (p.stage == tgsi::Stage::Fragment) lanes = (lanes + 3) / 4 * 4;
    temps.resize(r.count(File::Temp));
    addresses.resize(r.count(File::Address));
    outputs.resize(r.count(File::Output));
    predicates.resize(r.count(File::Predicate));
    input_registers.resize(r.count(File::Input));
    system_values.resize(r.count(File::SystemValue));
    temp_arrays.resize(static_cast<size_t>(r.dims(File::TempArray)));
    for (size_t d = 0; d < temp_arrays.size(); ++d)
        temp_arrays[d].resize(r.count(File::TempArray, static_cast<int32_t>(d)));
    base.assign(lanes, kAll);
    condition = loop = proceed = branch = function = base;
    killed.assign(lanes, 0);
    lost.assign(lanes, false);
    uncertain_iterations.assign(lanes, 0);
    exec.assign(lanes, 0);
}

Value* Machine::scratch() {
    if (scratch_used_ == scratch_.size()) scratch_.push_back(std::make_unique<Value[]>(lanes));
    return scratch_[scratch_used_++].get();
}

void Machine::lose(uint32_t lane) {
    if (lost[lane]) return;
    lost[lane] = any_lost = true;
    base[lane] = static_cast<Presence>(base[lane] & ~kMust);
    if (may_kill) killed[lane] = static_cast<Presence>((killed[lane] | kMay) & ~kMust);
    auto make_unknown = [&](Value* block) {
        for (int c = 0; c < 4; ++c) block[static_cast<size_t>(c) * lanes + lane].kind = Kind::Unknown;
    };
    for (RegisterFile* f : {&temps, &addresses, &outputs, &predicates}) f->for_each_block(make_unknown);
    for (auto& f : temp_arrays) f.for_each_block(make_unknown);
}

RegisterFile* Machine::writable(File file, int32_t dim) {
    switch (file) {
        case File::Temp:
            return &temps;
        case File::Address:
            return &addresses;
        case File::Output:
            return &outputs;
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
            if (mask >> c & 1) block[static_cast<size_t>(c) * lanes + lane].kind = Kind::Unknown;
    };
    for (uint32_t i = first; i <= last; ++i) {
        const tgsi::Instruction& in = program.instructions[i];
        // A function may write anything; after a return the lane is no longer here for sure.
        if (in.op == tgsi::Opcode::CAL || in.op == tgsi::Opcode::CALLNZ || in.op == tgsi::Opcode::RET) {
            lose(lane);
            return;
        }
    }
    for (uint32_t i = first; i <= last; ++i) {
        const tgsi::Instruction& in = program.instructions[i];
        if (kills(in.op)) killed[lane] = static_cast<Presence>(killed[lane] | kMay);
        for (const tgsi::Operand& o : program.dsts(in)) {
            const int32_t dims = o.dim_is_relative ? static_cast<int32_t>(temp_arrays.size()) : 1;
            for (int32_t d = 0; d < dims; ++d) {
                RegisterFile* f = writable(o.file, o.dim_is_relative ? d : o.has_dim ? o.dim : 0);
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
    if (any_lost)
        for (uint32_t lane = 0; lane < lanes; ++lane)
            if (lost[lane])
                for (int c = 0; c < 4; ++c) block[static_cast<size_t>(c) * lanes + lane] = unknown();
    return block;
}

void update_exec(Machine& m) {
    m.active.clear();
    for (uint32_t lane = 0; lane < m.lanes; ++lane) {
        m.exec[lane] = static_cast<Presence>(m.base[lane] & m.condition[lane] & m.loop[lane] & m.proceed[lane] &
                                             m.branch[lane] & m.function[lane]);
        if (m.exec[lane] & (kPlain | kMay)) m.active.push_back(lane);
    }
}

}  // namespace tgsi2spv::reference

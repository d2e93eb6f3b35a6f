// Structured control flow over presence masks. A lane executes where the condition, loop, proceed (CONT), branch
// (SWITCH) and function (RET) masks agree. A branch on a value that may go either way leaves the lane in both sides
// without kMust, and its writes there are joined with the previous contents.
#include <algorithm>

#include "reference/families/families.h"
#include "reference/flow/interpreter.h"
#include "reference/machine/geometry.h"
#include "reference/machine/tessellation.h"
#include "reference/memory/words.h"

namespace tgsi2spv::reference {

using tgsi::Opcode;

namespace {

/// BARRIER of COMP. A group is lost unless all of it arrives.
void group_barrier(Machine& machine, const Mask& here) {
    for (uint32_t group = 0; group < machine.lanes / machine.group; ++group) {
        const auto first = here.begin() + static_cast<std::ptrdiff_t>(size_t{group} * machine.group);
        if (std::none_of(first, first + machine.group, [](Presence p) { return (p & (kNominal | kMay)) != 0; }))
            continue;
        if (std::any_of(first, first + machine.group, [](Presence p) { return p != kAll; }))
            machine.lose(group * machine.group);
        if (machine.memory) machine.memory->barrier(group);
    }
}

}  // namespace

void Interpreter::begin_if(const tgsi::Instruction& in) {
    const Value* column = condition(in);
    IfFrame f{m.flow.condition, m.flow.condition};
    for (uint32_t lane : m.active) {
        const Truth t = m.decide(lane, in.op == Opcode::UIF ? any_bit(column[lane]) : any_magnitude_bit(column[lane]));
        m.flow.condition[lane] = restrict(f.saved[lane], t);
        f.otherwise[lane] = restrict(f.saved[lane], !t);
        if (t.may_be_true && t.may_be_false && !m.lost[lane])
            m.sides.enter(f.split, m.lanes, lane, m.exec[lane], t.nominal);
    }
    ifs.push_back(std::move(f));
    update_exec(m);
    if (m.active.empty()) pc = table.partner[pc - 1];
}

void Interpreter::pop_if() {
    if (ifs.back().split) m.sides.close(*ifs.back().split, m.lost);
    ifs.pop_back();
}

void Interpreter::spend(Mask& mask) {
    if (m.options.max_iterations == 0) return;
    Mask leaving = m.exec;
    for (uint32_t lane : m.active) {
        const Spent& s = m.spent[lane];
        const uint64_t most = m.options.max_iterations;
        leaving[lane] = restrict(leaving[lane], m.decide(lane, {s.nominal >= most, s.most >= most, s.least < most}));
    }
    take_out(mask, leaving);
    for (uint32_t lane : m.active) {
        Spent& s = m.spent[lane];
        s.nominal += (m.exec[lane] & kNominal) != 0;
        s.most += (m.exec[lane] & kMay) != 0;
        s.least += (m.exec[lane] & kMust) != 0;
    }
}

void Interpreter::end_loop() {
    LoopFrame& f = loops.back();
    m.flow.proceed = f.proceed;
    update_exec(m);
    // A lane that may have left cannot be followed forever: after a while, everything that the loop writes becomes
    // unknown, and the lane goes on only as long as the nominal execution does.
    constexpr uint32_t kPatience = 64;
    for (uint32_t lane : m.active) {
        if (m.exec[lane] & kMust) continue;
        // A lane that was uncertain before the loop may still be following its only path, or be in no path at all.
        const uint32_t patience = m.exec[lane] == f.entry[lane] ? 64 * kPatience : kPatience;
        if (++m.uncertain_iterations[lane] < patience) continue;
        if (m.uncertain_iterations[lane] == kPatience || f.given_up.empty() || !f.given_up[lane]) {
            f.given_up.resize(m.lanes);
            f.given_up[lane] = true;
            forget(m, lane, table.partner[pc - 1], pc - 1);
        }
        if (!(m.exec[lane] & kNominal)) m.flow.loop[lane] = 0;
    }
    update_exec(m);
    spend(m.flow.loop);
    if (!m.active.empty()) {
        pc = table.partner[pc - 1] + 1;
        return;
    }
    m.flow.loop = std::move(f.loop);
    loops.pop_back();
    update_exec(m);
}

void Interpreter::begin_switch(const tgsi::Instruction& in) {
    // A lane's registers do not change before it enters, so every label can be compared now (semantics: Flow).
    const Value* selector = condition(in);
    SwitchFrame f{m.flow.branch, std::vector<uint32_t>(m.lanes, SwitchFrame::kNone), {}};
    std::vector<Presence> rest(m.lanes, 0);
    for (uint32_t lane : m.active) rest[lane] = kAll;
    auto arrive = [&](uint32_t label, uint32_t lane, Presence here) {
        const bool sure = (here & kMust) != 0;  // if it is here at all
        here = static_cast<Presence>(here & f.saved[lane]);
        if (sure && here == f.saved[lane])
            f.entry[lane] = label;
        else if (here)
            f.maybe.push_back({label, lane, here});
    };
    const uint32_t close = table.partner[pc - 1];
    uint32_t otherwise = SwitchFrame::kNone;
    for (uint32_t label = table.next_label[pc - 1]; label < close; label = table.next_label[label]) {
        if (at(label).op == Opcode::DEFAULT) {
            otherwise = label;
            continue;
        }
        const size_t mark = m.scratch_mark();
        const Value* value = condition(at(label));
        for (uint32_t lane : m.active) {
            if (!rest[lane]) continue;
            const Truth t = m.decide(lane, same_bits(selector[lane], value[lane]));
            if (t.may_be_true && t.may_be_false) m.sides.may_leave(lane);
            arrive(label, lane, restrict(rest[lane], t));
            rest[lane] = restrict(rest[lane], !t);
        }
        m.release_scratch(mark);
    }
    if (otherwise != SwitchFrame::kNone)
        for (uint32_t lane : m.active) arrive(otherwise, lane, rest[lane]);
    for (uint32_t lane = 0; lane < m.lanes; ++lane) m.flow.branch[lane] = 0;
    switches.push_back(std::move(f));
    update_exec(m);
    pc = table.next_label[pc - 1];
}

void Interpreter::enter_label() {
    const SwitchFrame& f = switches.back();
    const uint32_t label = pc - 1;
    for (uint32_t lane = 0; lane < m.lanes; ++lane)
        if (f.entry[lane] == label) m.flow.branch[lane] = f.saved[lane];
    for (const auto& entry : f.maybe)
        if (entry.label == label)
            m.flow.branch[entry.lane] = static_cast<Presence>(m.flow.branch[entry.lane] | entry.here);
    update_exec(m);
}

void Interpreter::call(const tgsi::Instruction& in, const Mask& here) {
    if (in.label >= end) return;  // it names the end of the shader: calls nothing
    calls.push_back({pc, m.flow, ifs.size(), loops.size(), switches.size()});
    m.flow.function = here;
    for (Mask* mask : {&m.flow.condition, &m.flow.loop, &m.flow.proceed, &m.flow.branch}) mask->assign(m.lanes, kAll);
    update_exec(m);
    spend(m.flow.function);
    pc = in.label;
    if (m.active.empty()) leave_function();
}

void Interpreter::leave_function() {
    if (calls.empty()) {
        pc = end;
        return;
    }
    CallFrame f = std::move(calls.back());
    calls.pop_back();
    pc = f.back;
    m.flow = std::move(f.flow);
    while (ifs.size() > f.ifs) pop_if();
    loops.resize(f.loops);
    switches.resize(f.switches);
    update_exec(m);
}

void Interpreter::kill(const Mask& here) {
    for (uint32_t lane : m.active) m.killed[lane] = static_cast<Presence>(m.killed[lane] | here[lane]);
}

namespace {

/// Marks where unknown results come from: a source that was already unknown, else this instruction.
const Value* with_origin(Frame& frame, const Value* column) {
    bool any = false;
    for (uint32_t lane : frame.lanes())
        any |= is_unknown(column[lane]) && !is_packed(column[lane]) && origin_of(column[lane]) == 0;
    if (!any) return column;
    return frame.map_lanes([&](uint32_t lane) {
        Value v = column[lane];
        if (!is_unknown(v) || is_packed(v) || origin_of(v) != 0) return v;
        v.lo = frame.m.origin;
        for (const auto& source : frame.sources)
            for (const Value* s : source)
                if (s && origin_of(s[lane]) != 0) v.lo = origin_of(s[lane]);
        return v;
    });
}

}  // namespace

/// KILL_IF and KIL: kills where any component is below zero.
void Interpreter::kill_below_zero(const tgsi::Instruction& in) {
    Frame f = frame(in);
    Mask here = present(in);
    std::array<const Value*, 4> c{f.src(0, 0), f.src(0, 1), f.src(0, 2), f.src(0, 3)};
    for (uint32_t lane : m.active) {
        Truth any{false, false, true};
        for (const Value* column : c) {
            const Truth t = compare(f.c, kLess, column[lane], exact(0.0f));
            any = {any.nominal || t.nominal, any.may_be_true || t.may_be_true, any.may_be_false && t.may_be_false};
        }
        here[lane] = restrict(here[lane], any);
    }
    kill(here);
}

/// Whether `in` is a flow instruction; if so, it has been executed.
bool Interpreter::step_flow(const tgsi::Instruction& in) {
    switch (in.op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
            begin_if(in);
            return true;
        case Opcode::ELSE:
            m.flow.condition = std::move(ifs.back().otherwise);
            ifs.back().otherwise.assign(m.lanes, 0);
            if (ifs.back().split) m.sides.turn(*ifs.back().split, m.lost);
            update_exec(m);
            if (m.active.empty()) pc = table.partner[pc - 1];
            return true;
        case Opcode::ENDIF:
            m.flow.condition = std::move(ifs.back().saved);
            pop_if();
            update_exec(m);
            return true;
        case Opcode::BGNLOOP:
            loops.push_back({m.origin - 1, m.flow.loop, m.flow.proceed, m.exec, {}});
            spend(m.flow.loop);
            if (m.active.empty()) pc = table.partner[pc - 1];
            return true;
        case Opcode::ENDLOOP:
            end_loop();
            return true;
        case Opcode::SWITCH:
            begin_switch(in);
            return true;
        case Opcode::CASE:
        case Opcode::DEFAULT:
            enter_label();
            return true;
        case Opcode::ENDSWITCH:
            m.flow.branch = std::move(switches.back().saved);
            switches.pop_back();
            update_exec(m);
            return true;
        case Opcode::BRK:
        case Opcode::BREAKC: {
            Mask here = present(in);
            if (in.op == Opcode::BREAKC) {
                const Value* column = condition(in);
                narrow(here, column, any_bit);
            }
            take_out(table.leaves_switch[pc - 1] ? m.flow.branch : m.flow.loop, here);
            return true;
        }
        case Opcode::CONT:
            take_out(m.flow.proceed, present(in));
            return true;
        case Opcode::CAL:
        case Opcode::CALLNZ: {
            Mask here = present(in);
            if (in.op == Opcode::CALLNZ) narrow(here, condition(in), any_bit);
            call(in, here);
            return true;
        }
        case Opcode::RET: {
            const bool unconditional = !table.nested[pc - 1] && !in.has_predicate;
            take_out(m.flow.function, present(in));
            if (unconditional || std::all_of(m.flow.function.begin(), m.flow.function.end(),
                                             [](Presence p) { return !(p & (kNominal | kMay)); }))
                leave_function();
            return true;
        }
        case Opcode::ENDSUB:
        case Opcode::END:
            leave_function();
            return true;
        case Opcode::KILL:
        case Opcode::KILP:
        case Opcode::DEMOTE:
            kill(present(in));
            return true;
        case Opcode::KILL_IF:
        case Opcode::KIL:
            kill_below_zero(in);
            return true;
        case Opcode::NOP:
        case Opcode::BGNSUB:
            return true;
        default:
            return false;
    }
}

/// Executes effects other than results: returns whether `in` was such an instruction.
bool Interpreter::step_effect(const tgsi::Instruction& in) {
    switch (in.op) {
        case Opcode::PUSHA: {
            Frame f = frame(in);
            push_words(m, {f.src(0, 0), f.src(0, 1), f.src(0, 2), f.src(0, 3)}, present(in));
            return true;
        }
        case Opcode::BARRIER:
            (m.program.stage == tgsi::Stage::Compute ? group_barrier : patch_barrier)(m, present(in));
            return true;
        case Opcode::EMIT:
        case Opcode::ENDPRIM: {
            Frame f = frame(in);
            const Value* stream = in.num_src != 0 ? f.src(0, 0) : nullptr;
            (in.op == Opcode::EMIT ? emit_vertex : end_primitive)(m, present(in), stream);
            return true;
        }
        default:
            return false;
    }
}

/// Computes the results of the family.
void Interpreter::compute(Frame& frame, const tgsi::Instruction& in) {
    switch (frame.info.family) {
        case tgsi::Family::arithmetic:
            return arithmetic(frame);
        case tgsi::Family::compare:
            return compare(frame);
        case tgsi::Family::integer:
            return integer(frame);
        case tgsi::Family::convert:
            return frame.info.shape == tgsi::Shape::pair ? wide_convert(frame) : convert(frame);
        case tgsi::Family::wide:
            return wide_family(frame);
        case tgsi::Family::legacy:
            return legacy(frame);
        case tgsi::Family::texture:
            return texture(frame);
        case tgsi::Family::io:
            return io(frame);
        case tgsi::Family::subgroup:
            if (in.op == Opcode::READ_HELPER) return io(frame);
            if (!m.parted.any) subgroup(frame);
            return;
        default:
            return;
    }
}

/// Saturates the computed results and writes them where the predicate allows.
void Interpreter::write_results(Frame& frame, const tgsi::Instruction& in) {
    const auto dsts = m.program.dsts(in);
    const bool clamps = in.saturate && frame.info.dst[0] != tgsi::OperandType::Double;
    std::array<const Value*, 4> predicate{};
    for (int c = 0; c < 4; ++c) {
        if (frame.writes(c) || frame.second_mask >> c & 1)
            predicate[static_cast<size_t>(c)] = predicate_column(m, in, c);
        if (!frame.writes(c)) continue;
        const Value* column = frame.result[c] ? frame.result[c] : frame.map([] { return unknown(); });
        if (clamps)
            column = frame.map(
                [&](const Value& v) { return in.saturate_signed ? saturate_signed(frame.c, v) : saturate(frame.c, v); },
                column);
        if (dsts[0].file == tgsi::File::Predicate && frame.info.dst[0] == tgsi::OperandType::Float)
            column = frame.map(predicate_of_float, column);
        frame.result[c] = with_origin(frame, column);
        if (observer != nullptr) (*observer)({m.origin - 1, static_cast<uint8_t>(c), m.active, frame.result[c]});
    }
    // All sources, including index registers, are read before any component is written.
    const DestinationIndex index = destination_index(m, dsts[0]);
    const DestinationIndex second_index = frame.second_mask ? destination_index(m, dsts[1]) : DestinationIndex{};
    for (int c = 0; c < 4; ++c)
        if (frame.writes(c)) write(m, dsts[0], index, c, frame.result[c], predicate[static_cast<size_t>(c)]);
    for (int c = 0; c < 4; ++c)
        if (frame.second_mask >> c & 1)
            write(m, dsts[1], second_index, c, frame.second[c], predicate[static_cast<size_t>(c)]);
}

void Interpreter::step(const tgsi::Instruction& in) {
    m.origin = static_cast<uint32_t>(&in - m.program.instructions.data()) + 1;
    if (step_flow(in) || step_effect(in)) return;
    Frame f = frame(in);
    const auto dsts = m.program.dsts(in);
    f.mask = dsts.empty() ? 0 : dsts[0].write_mask;
    const bool is_memory = f.info.family == tgsi::Family::memory;
    if (is_memory && m.memory) memory(f, present(in));
    if (dsts.empty() || in.op == Opcode::STORE) return;
    if (f.mask == 0 && dsts.size() == 1 && in.op != Opcode::POPA) return;
    if (!is_memory) compute(f, in);
    write_results(f, in);
}

void Interpreter::run() {
    end = static_cast<uint32_t>(m.program.instructions.size());
    pc = m.program.entry;
    update_exec(m);
    while (pc < end) {
        const uint32_t i = pc++;
        const tgsi::Instruction& in = at(i);
        if (m.active.empty()) {
            // No lane is here: only the ends of constructs and the labels of switches matter.
            switch (in.op) {
                case Opcode::ELSE:
                case Opcode::ENDIF:
                case Opcode::ENDLOOP:
                case Opcode::CASE:
                case Opcode::DEFAULT:
                case Opcode::ENDSWITCH:
                case Opcode::ENDSUB:
                case Opcode::END:
                    break;
                case Opcode::RET:
                    if (!table.nested[i]) leave_function();
                    continue;
                case Opcode::IF:
                case Opcode::IFC:
                case Opcode::UIF:
                    pc = table.partner[i];
                    if (pc < end && at(pc).op == Opcode::ELSE) pc = table.partner[pc];
                    ++pc;
                    continue;
                case Opcode::BGNLOOP:
                case Opcode::SWITCH:
                    pc = table.partner[i] + 1;
                    continue;
                default:
                    continue;
            }
        } else if (++m.progress.steps, m.progress.is_over(m.options)) {
            m.progress.given_up = loops.empty() ? i : loops.back().begin;
            // Lanes that wait for a construct to end never get there.
            for (uint32_t lane = 0; lane < m.lanes; ++lane) {
                if (m.base[lane] == 0) continue;
                m.lose(lane);
                m.base[lane] = 0;
            }
            update_exec(m);
            break;
        }
        m.progress.count(in, m.active.size());
        step(in);
        if (m.exec_is_stale) update_exec(m);
        m.release_scratch();
    }
}

void interpret(Machine& machine, const FlowTable& table, const Observer* observer) {
    Interpreter interpreter{machine, table, {}, {}, {}, {}};
    interpreter.observer = observer;
    if (table.branches)
        run_branches(interpreter);
    else
        interpreter.run();
}

}  // namespace tgsi2spv::reference

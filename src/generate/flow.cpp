// Constructs of flow: the states of paths are joined where paths merge.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

constexpr uint32_t kMaxTurns = 64;
/// Operands of equality tests have at most this many values, so that both outcomes occur.
constexpr uint32_t kEqualOneIn = 4;
constexpr uint32_t kMaxKept = 0xffff;  // of kept_register()

/// Merges this path with another one; either may have ended.
void meet(Shader& s, const State& other, bool other_ended) {
    if (s.ended)
        s.state = other;
    else if (!other_ended)
        s.state = join(s.state, other);
    s.state.resize(s.registers.size());
    s.ended = s.ended && other_ended;
}

/// Emits a comparison whose result differs from lane to lane.
std::string compare(Shader& s) {
    const int reg = fresh_temp(s);
    const std::string to = name(s, reg) + ".x";
    bool uniform = false;
    s.read.clear();
    if (s.chance(2)) {
        const auto a = scalar(s, {Kind::Int, -4096, 65535, 0, false, false, true});
        // A range contains all possible values, but not all need to occur: if there are many, the lowest bits are
        // compared.
        std::string text = a.text;
        double middle = std::floor((a.values[0].lo + a.values[0].hi + 1) / 2);
        bool few = a.values[0].hi - a.values[0].lo < kEqualOneIn;
        if (a.values[0].hi - a.values[0].lo > 15 && a.values[0].grid <= 0) {
            few = s.chance(3);
            emit(s, fmt::format("AND {}, {}, {}", to, a.text, imm_int(s, few ? kEqualOneIn - 1 : 7)));
            text = name(s, reg) + ".xxxx";
            middle = 1 + s.random.below(few ? kEqualOneIn - 1 : 6);
        }
        const auto b = imm_int(s, static_cast<uint32_t>(static_cast<int64_t>(middle)));
        constexpr const char* kOps[] = {"USLT", "USGE", "ISLT", "ISGE", "USEQ", "USNE"};
        emit(s, fmt::format("{} {}, {}, {}", kOps[s.random.below(few ? 6 : 4)], to, text, b));
        uniform = a.values[0].uniform;
    } else {
        const auto a = scalar(s, {Kind::Float, -4096, 4096, 0, true, false, true});
        // On the grid, so that some lane may be equal.
        const double step = std::exp2(a.values[0].grid);
        const auto b = imm_float(s, std::floor((a.values[0].lo + a.values[0].hi) / 2 / step) * step);
        constexpr const char* kOps[] = {"FSLT", "FSGE", "FSEQ", "FSNE"};
        const bool few = count_of(a.values[0]) <= kEqualOneIn;
        emit(s, fmt::format("{} {}, {}, {}", kOps[s.random.below(few ? 4 : 2)], to, a.text, b));
        uniform = a.values[0].uniform;
    }
    write_component(s, reg, 0, mask_of(0, uniform));
    s.unread[static_cast<size_t>(reg)][0] = false;  // a branch reads it
    s.read.emplace_back(reg, 0);
    return name(s, reg) + ".xxxx";
}

struct Condition {
    std::string line;
    bool uniform = false;
};
Condition open_if(Shader& s) {
    if (s.chance(6)) {
        // A float that is 0 in some lanes.
        s.read.clear();
        const auto bits = scalar(s, {Kind::Int, kMinInt, kMaxUint, 0, false, false, true});
        const int reg = fresh_temp(s);
        const std::string to = name(s, reg);
        emit(s, fmt::format("AND {}.x, {}, {}", to, bits.text, imm_int(s, s.chance(2) ? 1 : 3)));
        emit(s, fmt::format("U2F {0}.x, {0}.xxxx", to));
        write_component(s, reg, 0, float_of(0, 3, 0, bits.values[0].uniform));
        s.unread[static_cast<size_t>(reg)][0] = false;
        s.read.emplace_back(reg, 0);
        return {fmt::format("{} {}.xxxx", s.chance(3) ? "IFC" : "IF", to), bits.values[0].uniform};
    }
    const auto c = condition(s);
    return {"UIF " + c.text, c.values[0].uniform};
}

void write_word(Shader& s, int reg) {
    const uint32_t word = static_cast<uint32_t>(s.random.below(kMaxKept + 1));
    emit(s, fmt::format("MOV {}.x, {}", name(s, reg), imm_int(s, word)));
    write_component(s, reg, 0, int_of(word, word, true));
}

/// An IF without ELSE. `then` emits what is in it, and is given the state of the lanes that skip it.
template <class Then>
void under_if(Shader& s, Then&& then) {
    const auto c = open_if(s);
    const State entry = s.state;
    ask(s);
    emit(s, c.line);
    const State before = s.state;
    const bool uniform = std::exchange(s.uniform, s.uniform && c.uniform);
    then(before);
    emit(s, "ENDIF");
    meet(s, before, false);
    forget(s, entry);
    s.uniform = uniform;
}

void write_in_some_lanes(Shader& s, int reg) {
    under_if(s, [&](const State&) { write_word(s, reg); });
}

/// Sometimes returns a register that is written before a construct, in some lanes twice, and that most of its paths
/// overwrite: only on the others the first values are read. Else -1.
int kept_register(Shader& s) {
    if (!s.chance(3)) return -1;
    const int reg = fresh_temp(s);
    write_word(s, reg);
    write_in_some_lanes(s, reg);
    return reg;
}

/// At the start of a path.
void overwrite_mostly(Shader& s, int kept) {
    if (kept < 0 || s.ended) return;
    if (s.chance(4))
        show(s, kept, 1);
    else
        write_word(s, kept);
}

void if_else(Shader& s) {
    const int kept = kept_register(s);
    const auto c = open_if(s);
    const State entry = s.state;
    ask(s);
    emit(s, c.line);
    const State before = s.state;
    const bool uniform = s.uniform;
    s.uniform = uniform && c.uniform;
    overwrite_mostly(s, kept);
    statements(s, body(s));
    show_lost(s, before);
    State then = std::move(s.state);
    const bool then_ended = s.ended;
    s.state = before;
    s.state.resize(s.registers.size());
    s.ended = false;
    if (s.chance(2)) {
        emit(s, "ELSE");
        overwrite_mostly(s, kept);
        statements(s, body(s));
        if (!then_ended) show_lost(s, then);
    }
    emit(s, "ENDIF");
    meet(s, then, then_ended);
    forget(s, entry);
    s.uniform = uniform;
    if (kept >= 0) show(s, kept, 1);
}

/// Widens some components to everything that the registers may hold in any iteration of a loop, so that the loop can
/// accumulate in them.
std::vector<std::pair<int, int>> accumulators(Shader& s) {
    std::vector<std::pair<int, int>> chosen;
    for (int attempt = 0; attempt < 6; attempt++) {
        const int reg = static_cast<int>(s.random.below(s.registers.size()));
        const int c = static_cast<int>(s.random.below(4));
        const Value v = s.state[static_cast<size_t>(reg)][static_cast<size_t>(c)];
        Value wide;
        if (v.kind == Kind::Int && v.fuzz == 0) wide = any_int();
        if (v.kind == Kind::Float && v.fuzz <= 4 && std::max(std::abs(v.lo), std::abs(v.hi)) <= 64) {
            wide = float_of(-64, 64);
            wide.fuzz = 5;
        }
        if (wide.kind == Kind::None || !may_write(s, reg, c, wide)) continue;
        if (s.registers[static_cast<size_t>(reg)].count > 1) continue;
        write_component(s, reg, c, wide);
        chosen.emplace_back(reg, c);
    }
    return chosen;
}

void accumulate(Shader& s, const std::vector<std::pair<int, int>>& list) {
    constexpr const char* kInts[] = {"UADD", "XOR", "UMUL", "IMUL_HI", "SAD"};
    for (const auto& [reg, c] : list) {
        if (s.ended) return;
        const std::string all = name(s, reg) + "." + std::string(4, "xyzw"[c]);
        const std::string to = name(s, reg) + "." + std::string(1, "xyzw"[c]);
        Value v = s.state[static_cast<size_t>(reg)][static_cast<size_t>(c)];
        if (v.kind == Kind::Int) {
            const std::string op = kInts[s.random.below(5)];
            std::string line = fmt::format("{} {}, {}", op, to, all);
            for (int i = op == "SAD" ? 0 : 1; i < 2; i++)
                line += ", " + scalar(s, {Kind::Int, kMinInt, kMaxUint, 0, false, false}).text;
            if (!may_write(s, reg, c, any_int())) continue;
            emit(s, std::move(line));
            write_component(s, reg, c, any_int());
        } else if (v.kind == Kind::Float) {
            const auto more = scalar(s, {Kind::Float, -16, 16, 3, false, false});
            Value wide = float_of(-64, 64);
            wide.fuzz = 5;
            if (!may_write(s, reg, c, wide) || v.lo < -64 || v.hi > 64) continue;
            emit(s, fmt::format("MAD {}, {}, {}, {}", to, all, imm_float(s, s.chance(2) ? 0.5 : -0.625), more.text));
            write_component(s, reg, c, wide);
        }
    }
}

/// Adds this state to those in which lanes leave the loop or the switch.
void note_exit(Shader& s) {
    auto& loop = s.loops.back();
    loop.exit = loop.left ? join(loop.exit, s.state) : s.state;
    loop.left = true;
}

void leave(Shader& s) {
    note_exit(s);
    emit(s, "BRK");
    s.ended = true;
}

/// Adds this state to those in which lanes return from the subroutine.
void note_return(Shader& s) {
    s.returns = s.returned ? join(s.returns, s.state) : s.state;
    s.returned = true;
}

/// Emits `USGE counter, iterations` and an exit from the loop.
void test_turns(Shader& s, const std::string& counter) {
    emit(s, fmt::format("USGE {0}.z, {0}.xxxx, {0}.yyyy", counter));
    if (s.chance(3)) {
        note_exit(s);
        if (s.chance(2))
            emit(s, fmt::format("BREAKC {}.zzzz", counter));
        else
            emit(s, under(s, counter + ".zzzz") + "BRK");
        return;
    }
    emit(s, fmt::format("UIF {}.zzzz", counter));
    leave(s);
    s.ended = false;
    emit(s, "ENDIF");
}

void loop(Shader& s) {
    // Lanes that leave early lose what they loaded in the loop (driver-bugs.md, lavapipe). In these stages IN is loaded
    // where it is read, so all lanes stay together.
    const bool together = is_primitive_stage(s);
    if (together && !s.uniform) return;
    const uint32_t most = std::min(7u, kMaxTurns / s.turns);
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    const std::string counter = name(s, reg);
    emit(s, fmt::format("MOV {}.x, {}", counter, imm_int(s, 0)));
    bool uniform_turns = true;
    if (together || s.chance(2)) {
        emit(s, fmt::format("MOV {}.y, {}", counter, imm_int(s, 1 + s.random.below(most))));
    } else {
        const auto turns = scalar(s, {Kind::Int, 0, static_cast<double>(most), 0, false, false, true});
        emit(s, fmt::format("MOV {}.y, {}", counter, turns.text));
        uniform_turns = turns.values[0].uniform;
    }
    const int kept = kept_register(s);
    if (kept >= 0) write_component(s, kept, 0, int_of(0, kMaxKept));
    const auto list = accumulators(s);
    s.heads.push_back(s.state);
    s.loops.push_back({});
    const bool uniform = s.uniform;
    const uint32_t turns = s.turns;
    s.uniform = uniform && uniform_turns && (together || s.chance(2));
    s.loops.back().uniform = s.uniform;
    s.turns *= most;
    emit(s, "BGNLOOP");
    // Rarely at the end if lanes leave at different times: lavapipe returns values of a later iteration from such loops
    // (driver-bugs.md).
    const bool at_end = s.chance(s.uniform ? 3 : 16);
    s.loops.back().no_continue = at_end;
    if (!at_end) test_turns(s, counter);
    emit(s, fmt::format("UADD {0}.x, {0}.xxxx, {1}", counter, imm_int(s, 1)));
    // Drivers may drop a loop without effects, whether or not it terminates. They compute loops wrongly that lanes
    // leave at different times (driver-bugs.md): the counter of such a loop is shown after it, and inside it only what
    // would be lost.
    const bool together_here = s.uniform, shows_all = s.shows_all;
    s.shows_all = shows_all && together_here;
    const auto show_turns = [&] {
        emit(s, fmt::format("UMAD {0}.x, {0}.xxxx, {1}, {2}.xxxx", name(s, s.witness), imm_int(s, 31), counter));
    };
    if (together_here) show_turns();
    const bool keeps = together_here && kept >= 0;
    if (keeps && s.chance(2)) show(s, kept, 1);
    if (keeps && s.chance(2)) write_in_some_lanes(s, kept);
    if (s.chance(2)) accumulate(s, list);
    statements(s, body(s));
    if (!s.ended) accumulate(s, list);
    if (keeps && !s.ended) {
        if (s.chance(2))
            write_word(s, kept);
        else
            write_in_some_lanes(s, kept);
    }
    show_lost(s, s.heads.back());
    if (at_end && !s.ended) test_turns(s, counter);
    emit(s, "ENDLOOP");
    s.turns = turns;
    const State head = std::move(s.heads.back());
    s.heads.pop_back();
    const Loop done = std::move(s.loops.back());
    s.loops.pop_back();
    s.state = done.exit;
    s.state.resize(s.registers.size());
    forget(s, head);
    s.ended = !done.left;
    if (!together_here && !s.ended) show_turns();
    s.shows_all = shows_all;
    s.uniform = uniform;
    if (kept >= 0 && s.chance(2)) write_word(s, kept);  // without a reader after the loop
    if (kept >= 0) show(s, kept, 1);
}

void switch_case(Shader& s) {
    const int kept = kept_register(s);
    s.read.clear();
    const auto chosen = scalar(s, {Kind::Int, 0, 7, 0, false, false, true});
    const int labels = 1 + static_cast<int>(s.random.below(4));
    const int at_default = static_cast<int>(s.random.below(static_cast<uint64_t>(labels) * 2));
    bool together = chosen.values[0].uniform;
    std::vector<std::string> computed(static_cast<size_t>(labels));  // empty: the label is an immediate
    for (int i = 0; i < labels; i++) {
        if (i == at_default || !s.chance(6)) continue;
        const auto label = scalar(s, {Kind::Int, 0, 7, 0, false, false, true});
        together = together && label.values[0].uniform;
        computed[static_cast<size_t>(i)] = label.text;
    }
    const State entry = s.state;
    ask(s);
    emit(s, "SWITCH " + chosen.text);
    const State before = s.state;
    const bool uniform = s.uniform;
    s.uniform = uniform && together;
    s.loops.push_back({});
    s.loops.back().is_switch = true;
    s.loops.back().uniform = s.uniform;
    s.loops.back().no_continue = s.loops.size() < 2 || s.loops[s.loops.size() - 2].no_continue;
    int next = static_cast<int>(s.random.below(2));
    s.ended = true;
    for (int i = 0; i < labels; i++) {
        if (i == at_default) {
            emit(s, "DEFAULT");
        } else if (!computed[static_cast<size_t>(i)].empty()) {
            emit(s, "CASE " + computed[static_cast<size_t>(i)]);
        } else if (next > chosen.values[0].hi) {
            continue;  // no lane would match
        } else {
            emit(s, "CASE " + imm_int(s, static_cast<uint32_t>(next)));
            next += 1 + static_cast<int>(s.random.below(2));
        }
        meet(s, before, false);
        overwrite_mostly(s, kept);
        if (!s.chance(5)) statements(s, body(s));
        show_lost(s, before);
        if (!s.ended && !s.chance(3)) leave(s);
    }
    if (!s.ended) note_exit(s);
    if (at_default >= labels) {
        s.state = before;
        note_exit(s);
    }
    emit(s, "ENDSWITCH");
    const Loop done = std::move(s.loops.back());
    s.loops.pop_back();
    s.state = done.exit;
    s.state.resize(s.registers.size());
    forget(s, entry);
    s.ended = !done.left;
    s.uniform = uniform;
    if (kept >= 0) show(s, kept, 1);
}

enum Exit { Break, Continue, Return, Kill };

/// How lanes may leave here, if all lanes do the same (`uniform`) or not.
std::vector<int> exits(const Shader& s, bool uniform) {
    std::vector<int> kinds;
    if (!s.loops.empty() && (uniform || !s.loops.back().uniform)) kinds.insert(kinds.end(), {Break, Break});
    // A CONT must not split lanes that an enclosing construct keeps together.
    const bool splits_no_loop =
        std::all_of(s.loops.begin(), s.loops.end(), [&](const Loop& l) { return uniform || !l.uniform; });
    if (!s.loops.empty() && !s.loops.back().no_continue && splits_no_loop)
        kinds.insert(kinds.end(), {Continue, Continue});
    if (s.may_return) kinds.push_back(Return);
    if (is_fragment(s) && s.may_kill) kinds.push_back(Kill);
    return kinds;
}

/// One instruction leaves, under a predicate.
void leave_under_predicate(Shader& s) {
    const auto c = condition(s);
    s.read.clear();
    auto kinds = exits(s, s.uniform && c.values[0].uniform);
    if (s.subroutine < 0) std::erase(kinds, Return);  // main would have to write its outputs first
    if (kinds.empty()) return;
    const int kind = s.any_of(kinds);
    if (kind == Kill) begin_spare(s);
    if (kind == Break) note_exit(s);
    if (kind == Return) note_return(s);
    constexpr const char* kOpcodes[] = {"BRK", "CONT", "RET", "KILL"};
    emit(s, under(s, c.text) + kOpcodes[kind]);
    if (kind == Kill) emit(s, "ENDIF");
}

/// A conditional BRK, CONT, RET or KILL.
void conditional_exit(Shader& s) {
    if (s.chance(3)) return leave_under_predicate(s);
    under_if(s, [&](const State& before) {
        const auto kinds = exits(s, s.uniform);
        if (s.chance(2)) statements(s, 1);
        show_lost(s, before);
        if (kinds.empty() || s.ended) return;
        switch (s.any_of(kinds)) {
            case Break:
                leave(s);
                break;
            case Continue:
                emit(s, "CONT");
                s.ended = true;
                break;
            case Return:
                if (s.subroutine >= 0)
                    note_return(s);
                else
                    show_early(s);
                emit(s, "RET");
                s.ended = true;
                break;
            default:
                begin_spare(s);
                emit(s, s.chance(3) ? "DEMOTE" : "KILL");
                emit(s, "ENDIF");
                break;
        }
    });
}

/// A BRA over some statements, at the top level of main: the lanes that it separates may not be together again before
/// the end.
void branch(Shader& s) {
    if (s.subroutine >= 0 || s.depth > 1 || !s.loops.empty()) return;
    const auto c = condition(s);
    emit(s, "UIF " + c.text);
    const size_t jump = s.code.size();
    emit(s, "BRA");
    emit(s, "ENDIF");
    const State skipped = s.state;
    s.uniform = false;
    statements(s, 1 + body(s));
    show_lost(s, skipped);
    s.code[jump] = fmt::format("BRA :{}", s.code.size());
    emit(s, "NOP");
    meet(s, skipped, false);
}

}  // namespace

Source condition(Shader& s) {
    const std::string text = compare(s);
    Source c{text, {}};
    c.values.fill(s.state.back()[0]);
    return c;
}

void flow(Shader& s, uint32_t construct) {
    if (s.depth >= kMaxDepth) return;
    s.depth++;
    switch (construct) {
        case 0:
        case 1:
        case 2:
            if_else(s);
            break;
        case 3:
            if (s.turns * 2 <= kMaxTurns) loop(s);
            break;
        case 4:
            switch_case(s);
            break;
        case 5:
            call(s, s.chance(3));
            break;
        default:
            conditional_exit(s);
            break;
    }
    s.depth--;
}

bool flow_instruction(Shader& s, Opcode op) {
    if (s.depth >= kMaxDepth) return false;
    s.depth++;
    switch (op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
        case Opcode::ELSE:
        case Opcode::ENDIF:
            if_else(s);
            break;
        case Opcode::BGNLOOP:
        case Opcode::ENDLOOP:
        case Opcode::BRK:
        case Opcode::CONT:
        case Opcode::BREAKC:
            if (s.turns * 2 <= kMaxTurns) loop(s);
            break;
        case Opcode::SWITCH:
        case Opcode::CASE:
        case Opcode::DEFAULT:
        case Opcode::ENDSWITCH:
            switch_case(s);
            break;
        case Opcode::CAL:
        case Opcode::BGNSUB:
        case Opcode::ENDSUB:
            call(s, false);
            break;
        case Opcode::CALLNZ:
            call(s, true);
            break;
        case Opcode::RET:
        case Opcode::KILL:
        case Opcode::DEMOTE:
            conditional_exit(s);
            break;
        case Opcode::BRA:
            branch(s);
            break;
        case Opcode::NOP:
            emit(s, "NOP");
            break;
        default:
            s.depth--;
            return false;
    }
    s.depth--;
    return true;
}

}  // namespace tgsi2spv::difftest::generate

// Constructs of flow: the states of paths are joined where paths merge.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generate/flow.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

constexpr uint32_t kMaxTurns = 64;
/// Operands of equality tests have at most this many values, so that both outcomes occur.
constexpr uint32_t kEqualOneIn = 4;

/// Emits a comparison whose result differs from lane to lane.
std::string compare(Shader& shader) {
    const int reg = fresh_temp(shader);
    const std::string to = name(shader, reg) + ".x";
    bool uniform = false;
    shader.read.clear();
    if (shader.chance(2)) {
        const auto a = scalar(shader, {Kind::Int, -4096, 65535, 0, false, false, true});
        // A range contains all possible values, but not all need to occur: if there are many, the lowest bits are
        // compared.
        std::string text = a.text;
        double middle = std::floor((a.values[0].lo + a.values[0].hi + 1) / 2);
        bool few = a.values[0].hi - a.values[0].lo < kEqualOneIn;
        if (a.values[0].hi - a.values[0].lo > 15 && a.values[0].grid <= 0) {
            few = shader.chance(3);
            emit(shader, fmt::format("AND {}, {}, {}", to, a.text, imm_int(shader, few ? kEqualOneIn - 1 : 7)));
            text = name(shader, reg) + ".xxxx";
            middle = 1 + shader.random.below(few ? kEqualOneIn - 1 : 6);
        }
        const auto b = imm_int(shader, static_cast<uint32_t>(static_cast<int64_t>(middle)));
        constexpr const char* kOps[] = {"USLT", "USGE", "ISLT", "ISGE", "USEQ", "USNE"};
        emit(shader, fmt::format("{} {}, {}, {}", kOps[shader.random.below(few ? 6 : 4)], to, text, b));
        uniform = a.values[0].uniform;
    } else {
        const auto a = scalar(shader, {Kind::Float, -4096, 4096, 0, true, false, true});
        // On the grid, so that some lane may be equal.
        const double step = std::exp2(a.values[0].grid);
        const auto b = imm_float(shader, std::floor((a.values[0].lo + a.values[0].hi) / 2 / step) * step);
        constexpr const char* kOps[] = {"FSLT", "FSGE", "FSEQ", "FSNE"};
        const bool few = count_of(a.values[0]) <= kEqualOneIn;
        emit(shader, fmt::format("{} {}, {}, {}", kOps[shader.random.below(few ? 4 : 2)], to, a.text, b));
        uniform = a.values[0].uniform;
    }
    write_component(shader, reg, 0, mask_of(0, uniform));
    shader.unread[static_cast<size_t>(reg)][0] = false;  // a branch reads it
    shader.read.emplace_back(reg, 0);
    return name(shader, reg) + ".xxxx";
}

}  // namespace

void meet(Shader& shader, const State& other, bool other_ended) {
    if (shader.ended)
        shader.state = other;
    else if (!other_ended)
        shader.state = join(shader.state, other);
    shader.state.resize(shader.registers.size());
    shader.ended = shader.ended && other_ended;
}

Condition open_if(Shader& shader) {
    if (shader.chance(6)) {
        // A float that is 0 in some lanes.
        shader.read.clear();
        const auto bits = scalar(shader, {Kind::Int, kMinInt, kMaxUint, 0, false, false, true});
        const int reg = fresh_temp(shader);
        const std::string to = name(shader, reg);
        emit(shader, fmt::format("AND {}.x, {}, {}", to, bits.text, imm_int(shader, shader.chance(2) ? 1 : 3)));
        emit(shader, fmt::format("U2F {0}.x, {0}.xxxx", to));
        write_component(shader, reg, 0, float_of(0, 3, 0, bits.values[0].uniform));
        shader.unread[static_cast<size_t>(reg)][0] = false;
        shader.read.emplace_back(reg, 0);
        return {fmt::format("{} {}.xxxx", shader.chance(3) ? "IFC" : "IF", to), bits.values[0].uniform};
    }
    const auto c = condition(shader);
    return {"UIF " + c.text, c.values[0].uniform};
}

void write_word(Shader& shader, int reg) {
    const uint32_t word = static_cast<uint32_t>(shader.random.below(kMaxKept + 1));
    emit(shader, fmt::format("MOV {}.x, {}", name(shader, reg), imm_int(shader, word)));
    write_component(shader, reg, 0, int_of(word, word, true));
}

void note_exit(Shader& shader) {
    auto& loop = shader.loops.back();
    loop.exit = loop.left ? join(loop.exit, shader.state) : shader.state;
    loop.left = true;
}

std::vector<Exit> exits(const Shader& shader, bool uniform) {
    std::vector<Exit> kinds;
    if (!shader.loops.empty() && (uniform || !shader.loops.back().uniform)) kinds.insert(kinds.end(), 2, Exit::Break);
    // A CONT must not split lanes that an enclosing construct keeps together.
    const bool splits_no_loop =
        std::all_of(shader.loops.begin(), shader.loops.end(), [&](const Loop& l) { return uniform || !l.uniform; });
    if (!shader.loops.empty() && !shader.loops.back().no_continue && splits_no_loop)
        kinds.insert(kinds.end(), 2, Exit::Continue);
    if (shader.may_return) kinds.push_back(Exit::Return);
    if (is_fragment(shader) && shader.may_kill) kinds.push_back(Exit::Kill);
    return kinds;
}

void note_return(Shader& shader) {
    shader.returns = shader.returned ? join(shader.returns, shader.state) : shader.state;
    shader.returned = true;
}

void in_if(Shader& shader, const std::function<void(const State&)>& then, const Fill& otherwise) {
    const auto c = open_if(shader);
    const State entry = shader.state;
    ask(shader);
    emit(shader, c.line);
    const State before = shader.state;
    const bool uniform = std::exchange(shader.uniform, shader.uniform && c.uniform);
    then(before);
    State other = before;
    if (otherwise) {
        other = std::exchange(shader.state, before);
        emit(shader, "ELSE");
        otherwise();
    }
    emit(shader, "ENDIF");
    meet(shader, other, false);
    forget(shader, entry);
    shader.uniform = uniform;
}

namespace {

void write_in_some_lanes(Shader& shader, int reg) {
    in_if(shader, [&](const State&) { write_word(shader, reg); });
}

/// Sometimes returns a register that is written before a construct, in some lanes twice, and that most of its paths
/// overwrite: only on the others the first values are read. Else -1.
int kept_register(Shader& shader) {
    if (!shader.chance(shader.nests ? 12 : 3)) return -1;
    const int reg = fresh_temp(shader);
    write_word(shader, reg);
    write_in_some_lanes(shader, reg);
    return reg;
}

/// At the start of a path.
void overwrite_mostly(Shader& shader, int kept) {
    if (kept < 0 || shader.ended) return;
    if (shader.chance(4))
        show(shader, kept, 1);
    else
        write_word(shader, kept);
}

void if_else(Shader& shader) {
    const int kept = kept_register(shader);
    const auto c = open_if(shader);
    const State entry = shader.state;
    ask(shader);
    emit(shader, c.line);
    const State before = shader.state;
    const bool uniform = shader.uniform;
    shader.uniform = uniform && c.uniform;
    overwrite_mostly(shader, kept);
    statements(shader, body(shader));
    show_lost(shader, before);
    State then = std::move(shader.state);
    const bool then_ended = shader.ended;
    shader.state = before;
    shader.state.resize(shader.registers.size());
    shader.ended = false;
    if (shader.chance(2)) {
        emit(shader, "ELSE");
        overwrite_mostly(shader, kept);
        statements(shader, body(shader));
        if (!then_ended) show_lost(shader, then);
    }
    emit(shader, "ENDIF");
    meet(shader, then, then_ended);
    forget(shader, entry);
    shader.uniform = uniform;
    if (kept >= 0) show(shader, kept, 1);
}

/// Widens some components to everything that the registers may hold in any iteration of a loop, so that the loop can
/// accumulate in them.
std::vector<std::pair<int, int>> accumulators(Shader& shader) {
    std::vector<std::pair<int, int>> chosen;
    for (int attempt = 0; attempt < 6; attempt++) {
        const int reg = static_cast<int>(shader.random.below(shader.registers.size()));
        const int c = static_cast<int>(shader.random.below(4));
        const Value v = shader.state[static_cast<size_t>(reg)][static_cast<size_t>(c)];
        Value wide;
        if (v.kind == Kind::Int && v.fuzz == 0) wide = any_int();
        if (v.kind == Kind::Float && v.fuzz <= 4 && std::max(std::abs(v.lo), std::abs(v.hi)) <= 64) {
            wide = float_of(-64, 64);
            wide.fuzz = 5;
        }
        if (wide.kind == Kind::None || !may_write(shader, reg, c, wide)) continue;
        if (shader.registers[static_cast<size_t>(reg)].count > 1) continue;
        write_component(shader, reg, c, wide);
        chosen.emplace_back(reg, c);
    }
    return chosen;
}

void accumulate(Shader& shader, const std::vector<std::pair<int, int>>& list) {
    constexpr const char* kInts[] = {"UADD", "XOR", "UMUL", "IMUL_HI", "SAD"};
    for (const auto& [reg, c] : list) {
        if (shader.ended) return;
        const std::string all = name(shader, reg) + "." + std::string(4, "xyzw"[c]);
        const std::string to = name(shader, reg) + "." + std::string(1, "xyzw"[c]);
        Value v = shader.state[static_cast<size_t>(reg)][static_cast<size_t>(c)];
        if (v.kind == Kind::Int) {
            const std::string op = kInts[shader.random.below(5)];
            std::string line = fmt::format("{} {}, {}", op, to, all);
            for (int i = op == "SAD" ? 0 : 1; i < 2; i++)
                line += ", " + scalar(shader, {Kind::Int, kMinInt, kMaxUint, 0, false, false}).text;
            if (!may_write(shader, reg, c, any_int())) continue;
            emit(shader, std::move(line));
            write_component(shader, reg, c, any_int());
        } else if (v.kind == Kind::Float) {
            const auto more = scalar(shader, {Kind::Float, -16, 16, 3, false, false});
            Value wide = float_of(-64, 64);
            wide.fuzz = 5;
            if (!may_write(shader, reg, c, wide) || v.lo < -64 || v.hi > 64) continue;
            emit(shader, fmt::format("MAD {}, {}, {}, {}", to, all, imm_float(shader, shader.chance(2) ? 0.5 : -0.625),
                                     more.text));
            write_component(shader, reg, c, wide);
        }
    }
}

/// All lanes here go on with the next iteration or leave the innermost loop or switch.
void leave_or_continue(Shader& shader) {
    const auto kinds = exits(shader, shader.uniform);
    const bool may_continue = std::find(kinds.begin(), kinds.end(), Exit::Continue) != kinds.end();
    const bool continues = shader.nests && may_continue && shader.chance(4);
    leave_in_all_lanes(shader, continues ? Exit::Continue : Exit::Break);
}

/// Emits `USGE counter, iterations` and an exit from the loop.
void test_turns(Shader& shader, const std::string& counter) {
    emit(shader, fmt::format("USGE {0}.z, {0}.xxxx, {0}.yyyy", counter));
    if (shader.chance(3)) {
        note_exit(shader);
        if (shader.chance(2))
            emit(shader, fmt::format("BREAKC {}.zzzz", counter));
        else
            emit(shader, under(shader, counter + ".zzzz") + "BRK");
        return;
    }
    emit(shader, fmt::format("UIF {}.zzzz", counter));
    leave_in_all_lanes(shader, Exit::Break);
    shader.ended = false;
    emit(shader, "ENDIF");
}

/// Goes on with the lanes that left the innermost loop or switch. `entry`: the state before it.
void end_innermost(Shader& shader, const State& entry) {
    const Loop done = std::move(shader.loops.back());
    shader.loops.pop_back();
    shader.state = done.exit;
    shader.state.resize(shader.registers.size());
    forget(shader, entry);
    shader.ended = !done.left;
}

}  // namespace

void loop(Shader& shader, const Fill& fill) {
    if (shader.turns * 2 > kMaxTurns) return;
    // Lanes that leave early lose values loaded in the loop (driver-bugs.md, lavapipe). In these stages IN is loaded
    // where it is read, so all lanes stay together.
    const bool together = is_primitive_stage(shader);
    if (together && !shader.uniform) return;
    const uint32_t most = std::min(fill ? 3u : 7u, kMaxTurns / shader.turns);
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    const std::string counter = name(shader, reg);
    emit(shader, fmt::format("MOV {}.x, {}", counter, imm_int(shader, 0)));
    bool uniform_turns = true;
    if (together || shader.chance(2)) {
        emit(shader, fmt::format("MOV {}.y, {}", counter, imm_int(shader, 1 + shader.random.below(most))));
    } else {
        const auto turns = scalar(shader, {Kind::Int, 0, static_cast<double>(most), 0, false, false, true});
        emit(shader, fmt::format("MOV {}.y, {}", counter, turns.text));
        uniform_turns = turns.values[0].uniform;
    }
    const int kept = fill ? -1 : kept_register(shader);
    if (kept >= 0) write_component(shader, kept, 0, int_of(0, kMaxKept));
    const auto list = fill ? std::vector<std::pair<int, int>>{} : accumulators(shader);
    shader.heads.push_back(shader.state);
    shader.loops.push_back({});
    const bool uniform = shader.uniform;
    const uint32_t turns = shader.turns;
    shader.uniform = uniform && uniform_turns && (together || shader.chance(2));
    shader.loops.back().uniform = shader.uniform;
    shader.turns *= most;
    emit(shader, "BGNLOOP");
    // Rarely at the end if lanes leave at different times: lavapipe returns values of a later iteration from such loops
    // (driver-bugs.md).
    const bool at_end = shader.chance(shader.uniform ? 3 : 16);
    shader.loops.back().no_continue = at_end;
    if (!at_end) test_turns(shader, counter);
    emit(shader, fmt::format("UADD {0}.x, {0}.xxxx, {1}", counter, imm_int(shader, 1)));
    // Drivers may drop a loop without effects, whether or not it terminates. They compute loops wrongly that lanes
    // leave at different times (driver-bugs.md): the counter of such a loop is shown after it, and inside it only
    // values that would be lost.
    const bool together_here = shader.uniform, shows_all = shader.shows_all;
    shader.shows_all = shows_all && together_here;
    const auto show_turns = [&] {
        emit(shader, fmt::format("UMAD {0}.x, {0}.xxxx, {1}, {2}.xxxx", name(shader, shader.witness),
                                 imm_int(shader, 31), counter));
    };
    if (together_here && !fill) show_turns();
    const bool keeps = together_here && kept >= 0;
    if (keeps && shader.chance(2)) show(shader, kept, 1);
    if (keeps && shader.chance(2)) write_in_some_lanes(shader, kept);
    if (shader.chance(2)) accumulate(shader, list);
    fill ? fill() : statements(shader, body(shader));
    if (!shader.ended) accumulate(shader, list);
    if (keeps && !shader.ended) {
        if (shader.chance(2))
            write_word(shader, kept);
        else
            write_in_some_lanes(shader, kept);
    }
    show_lost(shader, shader.heads.back());
    if (at_end && !shader.ended) test_turns(shader, counter);
    if (!at_end && !shader.ended && shader.nests && shader.chance(6)) leave_or_continue(shader);
    emit(shader, "ENDLOOP");
    shader.turns = turns;
    const State head = std::move(shader.heads.back());
    shader.heads.pop_back();
    end_innermost(shader, head);
    if (!together_here && !shader.ended && !fill) show_turns();
    shader.shows_all = shows_all;
    shader.uniform = uniform;
    if (kept >= 0 && shader.chance(2)) write_word(shader, kept);  // without a reader after the loop
    if (kept >= 0) show(shader, kept, 1);
}

void switch_case(Shader& shader, const Fill& fill) {
    const int kept = fill ? -1 : kept_register(shader);
    shader.read.clear();
    const auto chosen = scalar(shader, {Kind::Int, 0, 7, 0, false, false, true});
    const int labels = 1 + static_cast<int>(shader.random.below(4));
    const int at_default = static_cast<int>(shader.random.below(static_cast<uint64_t>(labels) * 2));
    bool together = chosen.values[0].uniform;
    std::vector<std::string> computed(static_cast<size_t>(labels));  // empty: the label is an immediate
    for (int i = 0; i < labels; i++) {
        if (i == at_default || !shader.chance(6)) continue;
        const auto label = scalar(shader, {Kind::Int, 0, 7, 0, false, false, true});
        together = together && label.values[0].uniform;
        computed[static_cast<size_t>(i)] = label.text;
    }
    const State entry = shader.state;
    ask(shader);
    emit(shader, "SWITCH " + chosen.text);
    const State before = shader.state;
    const bool uniform = shader.uniform;
    shader.uniform = uniform && together;
    shader.loops.push_back({});
    shader.loops.back().is_switch = true;
    shader.loops.back().uniform = shader.uniform;
    shader.loops.back().no_continue = shader.loops.size() < 2 || shader.loops[shader.loops.size() - 2].no_continue;
    int next = static_cast<int>(shader.random.below(2));
    shader.ended = true;
    bool filled = false;
    for (int i = 0; i < labels; i++) {
        if (i == at_default) {
            emit(shader, "DEFAULT");
        } else if (!computed[static_cast<size_t>(i)].empty()) {
            emit(shader, "CASE " + computed[static_cast<size_t>(i)]);
        } else if (next > chosen.values[0].hi) {
            continue;  // no lane would match
        } else {
            emit(shader, "CASE " + imm_int(shader, static_cast<uint32_t>(next)));
            next += 1 + static_cast<int>(shader.random.below(2));
        }
        meet(shader, before, false);
        overwrite_mostly(shader, kept);
        if (fill && !filled && (i + 1 == labels || shader.chance(2))) {
            fill();
            filled = true;
        } else if (fill ? shader.chance(3) : !shader.chance(5)) {
            statements(shader, body(shader));
        }
        show_lost(shader, before);
        if (!shader.ended && !shader.chance(3)) leave_or_continue(shader);
    }
    if (!shader.ended) note_exit(shader);
    if (at_default >= labels) {
        shader.state = before;
        note_exit(shader);
    }
    emit(shader, "ENDSWITCH");
    end_innermost(shader, entry);
    shader.uniform = uniform;
    if (kept >= 0) show(shader, kept, 1);
}

namespace {

/// One instruction leaves, under a predicate or a condition of its own.
void leave_under_predicate(Shader& shader) {
    const auto kinds = exits(shader, shader.uniform);
    if (kinds.empty()) return;
    const Exit exit = shader.any_of(kinds);
    leave_in_some_lanes(shader, exit, exit == Exit::Break && shader.nests && shader.chance(2));
}

/// A conditional BRK, CONT, RET or KILL.
void conditional_exit(Shader& shader) {
    if (shader.chance(shader.nests ? 2 : 3)) return leave_under_predicate(shader);
    in_if(shader, [&](const State& before) {
        const auto kinds = exits(shader, shader.uniform);
        if (shader.chance(2)) statements(shader, 1);
        show_lost(shader, before);
        if (kinds.empty() || shader.ended) return;
        const Exit exit = shader.any_of(kinds);
        if (exit != Exit::Kill) return leave_in_all_lanes(shader, exit);
        begin_spare(shader);
        emit(shader, shader.chance(3) ? "DEMOTE" : "KILL");
        emit(shader, "ENDIF");
    });
}

/// A BRA over some statements, at the top level of main: the lanes that it separates may not be together again before
/// the end.
void branch(Shader& shader) {
    if (shader.subroutine >= 0 || shader.depth > 1 || !shader.loops.empty()) return;
    const auto c = condition(shader);
    emit(shader, "UIF " + c.text);
    const size_t jump = shader.code.size();
    emit(shader, "BRA");
    emit(shader, "ENDIF");
    const State skipped = shader.state;
    shader.uniform = false;
    statements(shader, 1 + body(shader));
    show_lost(shader, skipped);
    shader.code[jump] = fmt::format("BRA :{}", shader.code.size());
    emit(shader, "NOP");
    meet(shader, skipped, false);
}

}  // namespace

Source condition(Shader& shader) {
    const std::string text = compare(shader);
    Source c{text, {}};
    c.values.fill(shader.state.back()[0]);
    return c;
}

void flow(Shader& shader, uint32_t construct) {
    if (shader.depth >= max_depth(shader)) return;
    shader.depth++;
    switch (construct) {
        case 0:
        case 1:
        case 2:
            if_else(shader);
            break;
        case 3:
            loop(shader);
            break;
        case 4:
            switch_case(shader);
            break;
        case 5:
            call(shader, shader.chance(3));
            break;
        case 6:
        case 7:
            exit_with_values(shader);
            break;
        default:
            conditional_exit(shader);
            break;
    }
    shader.depth--;
}

bool flow_instruction(Shader& shader, Opcode op) {
    if (shader.depth >= max_depth(shader)) return false;
    shader.depth++;
    switch (op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
        case Opcode::ELSE:
        case Opcode::ENDIF:
            if_else(shader);
            break;
        case Opcode::BGNLOOP:
        case Opcode::ENDLOOP:
        case Opcode::BRK:
        case Opcode::CONT:
        case Opcode::BREAKC:
            loop(shader);
            break;
        case Opcode::SWITCH:
        case Opcode::CASE:
        case Opcode::DEFAULT:
        case Opcode::ENDSWITCH:
            switch_case(shader);
            break;
        case Opcode::CAL:
        case Opcode::BGNSUB:
        case Opcode::ENDSUB:
            call(shader, false);
            break;
        case Opcode::CALLNZ:
            call(shader, true);
            break;
        case Opcode::RET:
        case Opcode::KILL:
        case Opcode::DEMOTE:
            conditional_exit(shader);
            break;
        case Opcode::BRA:
            branch(shader);
            break;
        case Opcode::NOP:
            emit(shader, "NOP");
            break;
        default:
            shader.depth--;
            return false;
    }
    shader.depth--;
    return true;
}

}  // namespace tgsi2spv::difftest::generate

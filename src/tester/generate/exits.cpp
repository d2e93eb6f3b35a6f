// Exits of all kinds in all constructs: lowering must know what they skip, and which registers their targets read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generate/flow.h"

namespace tgsi2spv::difftest::generate {

namespace {

constexpr int kClosing = 40;  // lines after the statements of main

enum class Form : uint8_t { Plain, Predicate, Test };  // Test: BREAKC, KILL_IF
enum class Around : uint8_t { Then, Else, Case, Loop, Nothing };

/// Registers that are written before a construct and perhaps in it, and shown after it; -1: none.
struct Marks {
    int before = -1, beside = -1, elsewhere = -1;
};

struct Plan {
    Exit exit{};
    Form form{};
    Around target{}, around{};
    Marks marks{};
};

/// A register that holds 0 in lanes that no exit kills.
std::string spared(Shader& shader) {
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    emit(shader, fmt::format("AND {}.x, IN[0].xxxx, {}", name(shader, reg), imm_int(shader, 3)));
    return name(shader, reg);
}

/// Computes a word for an exit of some lanes. Lanes that must not be killed have a 0.
std::string word(Shader& shader, const Source& condition, bool kills) {
    if (!kills) return condition.text;
    const std::string reg = spared(shader);
    emit(shader, fmt::format("AND {0}.x, {0}.xxxx, {1}", reg, condition.text));
    return reg + ".xxxx";
}

/// Text that no lane reaches. It writes `mark`, which changes no state.
void unreachable(Shader& shader, int mark) {
    const bool nested = shader.chance(3);
    if (nested) emit(shader, fmt::format("UIF {}.xxxx", name(shader, shader.witness)));
    const std::string word = imm_int(shader, static_cast<uint32_t>(shader.random.below(kMaxKept)));
    emit(shader, fmt::format("MOV {}.x, {}", name(shader, mark), word));
    if (nested) emit(shader, "ENDIF");
}

void note(Shader& shader, Exit exit) {
    if (exit == Exit::Break) note_exit(shader);
    if (exit == Exit::Return && shader.subroutine >= 0) note_return(shader);
    if (exit == Exit::Return && shader.subroutine < 0) show_early(shader);
}

std::string mnemonic_of(Exit exit) {
    constexpr const char* kMnemonics[] = {"BRK", "CONT", "RET", "KILL"};
    return kMnemonics[static_cast<size_t>(exit)];
}

/// Whether the exit may be here, if all lanes do the same or not.
bool may_leave(const Shader& shader, Exit exit, bool uniform) {
    const auto kinds = exits(shader, uniform);
    return std::find(kinds.begin(), kinds.end(), exit) != kinds.end();
}

/// Kills the lanes that are not spared, in a construct of its own. Killed lanes go on as helpers.
void kill_here(Shader& shader, int beside) {
    const std::string spare = spared(shader);
    const auto kill = [&] {
        emit(shader, shader.chance(3) ? "DEMOTE" : "KILL");
        if (beside >= 0) write_word(shader, beside);
    };
    const auto around = static_cast<Around>(shader.random.below(4));  // not Nothing
    if (around == Around::Else || around == Around::Loop)
        emit(shader, fmt::format("USEQ {0}.x, {0}.xxxx, {1}", spare, imm_int(shader, 0)));
    switch (around) {
        case Around::Then:
            emit(shader, fmt::format("UIF {}.xxxx", spare));
            kill();
            return emit(shader, "ENDIF");
        case Around::Else:
            emit(shader, fmt::format("UIF {}.xxxx", spare));
            emit(shader, "ELSE");
            kill();
            return emit(shader, "ENDIF");
        case Around::Case:
            emit(shader, fmt::format("SWITCH {}.xxxx", spare));
            emit(shader, "CASE " + imm_int(shader, 1 + shader.random.below(3)));
            kill();
            if (shader.chance(2)) emit(shader, "BRK");
            return emit(shader, "ENDSWITCH");
        default:
            emit(shader, "BGNLOOP");
            emit(shader, fmt::format("BREAKC {}.xxxx", spare));
            kill();
            emit(shader, "BRK");
            return emit(shader, "ENDLOOP");
    }
}

/// The exit, and text beside it.
void leave_here(Shader& shader, const Plan& plan) {
    if (plan.form != Form::Plain) {
        leave_in_some_lanes(shader, plan.exit, plan.form == Form::Test);
        if (plan.marks.beside >= 0) write_word(shader, plan.marks.beside);
    } else if (plan.exit == Exit::Kill) {
        const State before = shader.state;
        kill_here(shader, plan.marks.beside);
        meet(shader, before, false);
    } else if (may_leave(shader, plan.exit, shader.uniform)) {
        leave_in_all_lanes(shader, plan.exit);
        if (plan.marks.beside >= 0) unreachable(shader, plan.marks.beside);
    }
}

/// An IF with this in its THEN, or in its ELSE: then `mark` may be written in THEN.
void leave_in_if(Shader& shader, bool in_else, int mark, const Fill& fill) {
    if (!in_else) return in_if(shader, [&](const State&) { fill(); });
    const auto then = [&](const State&) {
        if (mark >= 0 && shader.chance(2)) write_word(shader, mark);
    };
    in_if(shader, then, fill);
}

void leave_around(Shader& shader, const Plan& plan) {
    const Fill leave = [&] { leave_here(shader, plan); };
    switch (plan.around) {
        case Around::Then:
        case Around::Else:
            return leave_in_if(shader, plan.around == Around::Else, plan.marks.beside, leave);
        case Around::Case:
            return switch_case(shader, leave);
        case Around::Loop:
            return loop(shader, leave);
        case Around::Nothing:
            return leave();
    }
}

/// Draws an exit that TGSI permits in its constructs, and registers for values.
Plan draw(Shader& shader) {
    Plan plan;
    std::vector<Exit> kinds{Exit::Break, Exit::Break, Exit::Break, Exit::Continue, Exit::Continue};
    const size_t more = shader.subroutine >= 0 ? 9 : 3;  // there are few subroutines
    if (shader.may_return) kinds.insert(kinds.end(), more, Exit::Return);
    if (is_fragment(shader) && shader.may_kill) kinds.insert(kinds.end(), more, Exit::Kill);
    plan.exit = shader.any_of(kinds);
    const bool stays = plan.exit == Exit::Break || plan.exit == Exit::Continue;
    const bool tests = plan.exit == Exit::Break || plan.exit == Exit::Kill;
    plan.form = static_cast<Form>(shader.random.below(tests ? 3 : 2));
    if (plan.exit == Exit::Continue || shader.chance(stays ? 2 : 3))
        plan.target = Around::Loop;
    else
        plan.target = stays || shader.chance(2) ? Around::Case : Around::Nothing;
    std::vector<Around> around{Around::Then, Around::Else};
    if (plan.exit != Exit::Break) around.push_back(Around::Case);
    if (!stays) around.push_back(Around::Loop);
    // A RET of all lanes outside all constructs is elsewhere: at the end of main and of subroutines.
    if (plan.exit != Exit::Return || plan.form != Form::Plain) around.push_back(Around::Nothing);
    plan.around = shader.any_of(around);
    if (!stays && shader.chance(4)) plan.target = Around::Nothing;
    if (plan.exit == Exit::Kill && shader.chance(4)) plan.target = plan.around = Around::Nothing;
    for (int* mark : {&plan.marks.before, &plan.marks.beside, &plan.marks.elsewhere}) {
        if (shader.chance(2)) continue;
        *mark = fresh_temp(shader);
        write_word(shader, *mark);
        write_component(shader, *mark, 0, int_of(0, kMaxKept, true));
    }
    return plan;
}

}  // namespace

void leave_in_some_lanes(Shader& shader, Exit exit, bool tests) {
    // GEOM shows its results early as vertices, which only lanes that return may emit.
    if (exit == Exit::Return && shader.subroutine < 0 && shader.stage == tgsi::Stage::Geometry) return;
    const auto c = condition(shader);
    shader.read.clear();
    if (!may_leave(shader, exit, shader.uniform && c.values[0].uniform)) return;
    const bool kills = exit == Exit::Kill;
    const std::string text = word(shader, c, kills);
    if (!tests) {
        const std::string predicate = under(shader, text);
        note(shader, exit);
        return emit(shader, predicate + mnemonic_of(exit));
    }
    note(shader, exit);
    if (!kills) return emit(shader, "BREAKC " + text);
    const int reg = fresh_temp(shader);
    const std::string below = imm_float(shader, -1), above = imm_float(shader, 0.5);
    emit(shader, fmt::format("UCMP {}.x, {}, {}, {}", name(shader, reg), text, below, above));
    emit(shader, fmt::format("KILL_IF {}.xxxx", name(shader, reg)));
}

void leave_in_all_lanes(Shader& shader, Exit exit) {
    note(shader, exit);
    emit(shader, mnemonic_of(exit));
    shader.ended = true;
}

void kill_at_end(Shader& shader) {
    emit(shader, "KILL");
    if (shader.chance(2)) unreachable(shader, shader.witness);
}

void return_at_end(Shader& shader) {
    emit(shader, "RET");
    if (shader.chance(2)) unreachable(shader, shader.witness);
}

void unneeded_loop(Shader& shader) {
    // Lowering compares the operands of phis, at most one for each exit and register, with the instructions: n * n
    // should be above 4 * (text + 2 * n).
    const auto text = static_cast<double>(shader.code.size()) + kClosing;
    const int n = 5 + static_cast<int>(std::sqrt(16 + 4 * text));
    const std::string test = condition(shader).text;
    emit(shader, "BGNLOOP");
    for (int i = 0; i < n; i++) {
        const int reg = fresh_temp(shader);
        shader.registers[static_cast<size_t>(reg)].writable = false;
        emit(shader, fmt::format("MOV {}.x, {}", name(shader, reg), test));
    }
    for (int i = 0; i < n; i++) emit(shader, "BREAKC " + test);
    emit(shader, "BRK");
    emit(shader, "ENDLOOP");
}

void exit_with_values(Shader& shader) {
    if (shader.ended) return;
    const Plan plan = draw(shader);
    const Fill inside = [&] {
        if (plan.marks.before >= 0) write_word(shader, plan.marks.before);
        const auto write_elsewhere = [&] {
            if (plan.marks.elsewhere >= 0 && !shader.ended) write_word(shader, plan.marks.elsewhere);
        };
        const bool twice = plan.around != Around::Nothing && shader.chance(2), in_else = shader.chance(3);
        const bool outside = !twice || shader.chance(2);
        const Fill around = [&] {
            leave_around(shader, plan);
            if (!outside) write_elsewhere();
        };
        if (twice && plan.exit != Exit::Break && shader.chance(3))
            switch_case(shader, around);
        else
            twice ? leave_in_if(shader, in_else, -1, around) : around();
        if (outside) write_elsewhere();
    };
    switch (plan.target) {
        case Around::Case:
            switch_case(shader, inside);
            break;
        case Around::Loop:
            loop(shader, inside);
            break;
        default:
            inside();
            break;
    }
    for (const int mark : {plan.marks.before, plan.marks.beside, plan.marks.elsewhere})
        if (mark >= 0 && !shader.ended) show(shader, mark, 1);
}

}  // namespace tgsi2spv::difftest::generate

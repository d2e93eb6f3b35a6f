// Subroutines: written where they are first called, and placed after main's END.
#include <fmt/format.h>

#include <algorithm>

#include "generate/flow.h"

namespace tgsi2spv::difftest::generate {

namespace {

/// Writes a new subroutine where it is first called.
int new_subroutine(Shader& shader) {
    const int number = static_cast<int>(shader.subroutines.size());
    shader.subroutines.push_back({});
    for (int i = 0; i < 2; i++) {
        const int reg = fresh_temp(shader);
        shader.registers[static_cast<size_t>(reg)].writable = false;
        shader.subroutines.back().parameters.push_back(reg);
    }
    // Save main's state.
    auto code = std::move(shader.code);
    auto state = shader.state;
    auto heads = std::move(shader.heads);
    auto loops = std::move(shader.loops);
    const bool uniform = shader.uniform, may_return = shader.may_return;
    const int subroutine = shader.subroutine, depth = shader.depth;
    shader.code.clear();
    shader.heads.clear();
    shader.loops.clear();
    shader.uniform = false;
    shader.may_return = true;
    shader.returned = false;
    shader.subroutine = number;
    shader.depth = shader.nests ? 1 : kMaxDepth - 2;
    for (size_t r = 0; r < shader.registers.size(); r++)
        if (shader.registers[r].writable && shader.registers[r].count == 1) shader.state[r] = {};
    shader.state[static_cast<size_t>(shader.subroutines.back().parameters[0])].fill(float_of(-16, 16));
    shader.state[static_cast<size_t>(shader.subroutines.back().parameters[1])].fill(int_of(0, 255));
    emit(shader, "BGNSUB");
    for (int i = 0; shader.nests && i < 3; i++) exit_with_values(shader);
    if (number > 0 && !shader.ended) call(shader, shader.chance(2));
    statements(shader, 2 + body(shader));
    show_lost(shader, {});
    if (!shader.ended) shader.returns = shader.returned ? join(shader.returns, shader.state) : shader.state;
    const bool kills = !shader.ended && is_fragment(shader) && shader.may_kill && shader.chance(2);
    if (kills) kill_at_end(shader);
    if (!shader.ended && shader.chance(2)) return_at_end(shader);
    emit(shader, "ENDSUB");
    auto& done = shader.subroutines[static_cast<size_t>(number)];
    done.code = std::move(shader.code);
    done.exit = shader.returns;
    done.kills = kills;
    shader.code = std::move(code);
    shader.state = std::move(state);
    shader.state.resize(shader.registers.size());
    shader.heads = std::move(heads);
    shader.loops = std::move(loops);
    shader.uniform = uniform;
    shader.may_return = may_return;
    shader.subroutine = subroutine;
    shader.depth = depth;
    shader.ended = false;
    return number;
}

}  // namespace

void call(Shader& shader, bool conditional) {
    // Subroutines load inputs themselves, and lanes that leave a loop early lose values loaded in it (driver-bugs.md,
    // lavapipe).
    if (std::any_of(shader.loops.begin(), shader.loops.end(), [](const Loop& l) { return !l.is_switch && !l.uniform; }))
        return;
    const bool fresh =
        shader.subroutine < 0 && (shader.subroutines.empty() || (shader.subroutines.size() < 3 && shader.chance(3)));
    if (!fresh && shader.subroutines.empty()) return;
    const int number =
        fresh ? new_subroutine(shader) : static_cast<int>(shader.random.below(shader.subroutines.size()));
    if (number >= shader.subroutine && shader.subroutine >= 0) return;  // no recursion
    const auto parameters = shader.subroutines[static_cast<size_t>(number)].parameters;
    const auto floats = source(shader, {Kind::Float, -16, 16, 0, false, false}, 15);
    emit(shader, fmt::format("MOV {}, {}", name(shader, parameters[0]), floats.text));
    const auto ints = source(shader, {Kind::Int, 0, 255, 0, false, false}, 15);
    emit(shader, fmt::format("MOV {}, {}", name(shader, parameters[1]), ints.text));
    const std::string test = conditional ? condition(shader).text : "";
    const bool kills = shader.subroutines[static_cast<size_t>(number)].kills;
    if (kills) begin_spare(shader);
    // A loop that lanes leave together.
    const bool in_loop = shader.chance(3), in_if = in_loop && shader.chance(2), in_else = in_if && shader.chance(2);
    const std::string other = in_if ? condition(shader).text : "";
    if (in_loop) emit(shader, "BGNLOOP");
    if (in_if) emit(shader, "UIF " + other);
    if (in_else) emit(shader, "ELSE");
    emit(shader, conditional ? fmt::format("CALLNZ {} :@{}@", test, number) : fmt::format("CAL :@{}@", number));
    if (in_if) emit(shader, "ENDIF");
    if (in_loop) {
        emit(shader, "BRK");
        emit(shader, "ENDLOOP");
    }
    if (kills) emit(shader, "ENDIF");
    State after = shader.state;
    const auto& exit = shader.subroutines[static_cast<size_t>(number)].exit;
    for (size_t r = 0; r < exit.size(); r++)
        if (shader.registers[r].owner == number) after[r] = exit[r];
    shader.state = conditional || kills || in_if ? join(shader.state, after) : std::move(after);
}

void write_subroutines(Shader& shader) {
    std::vector<size_t> starts;
    for (auto& sub : shader.subroutines) {
        starts.push_back(shader.code.size());
        for (auto& line : sub.code) shader.code.push_back(std::move(line));
    }
    for (auto& line : shader.code) {
        const auto at = line.find('@');
        if (at == std::string::npos) continue;
        const auto end = line.find('@', at + 1);
        const auto number = static_cast<size_t>(std::stoi(line.substr(at + 1, end - at - 1)));
        line.replace(at, end - at + 1, std::to_string(starts[number]));
    }
}

}  // namespace tgsi2spv::difftest::generate

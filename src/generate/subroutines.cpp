// Subroutines: written where they are first called, and placed after main's END.
#include <fmt/format.h>

#include <algorithm>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

/// Writes a new subroutine where it is first called.
int new_subroutine(Shader& s) {
    const int number = static_cast<int>(s.subroutines.size());
    s.subroutines.push_back({});
    for (int i = 0; i < 2; i++) {
        const int reg = fresh_temp(s);
        s.registers[static_cast<size_t>(reg)].writable = false;
        s.subroutines.back().parameters.push_back(reg);
    }
    // Save main's state.
    auto code = std::move(s.code);
    auto state = s.state;
    auto heads = std::move(s.heads);
    auto loops = std::move(s.loops);
    const bool uniform = s.uniform, may_return = s.may_return;
    const int subroutine = s.subroutine, depth = s.depth;
    s.code.clear();
    s.heads.clear();
    s.loops.clear();
    s.uniform = false;
    s.may_return = true;
    s.returned = false;
    s.subroutine = number;
    s.depth = kMaxDepth - 2;
    for (size_t r = 0; r < s.registers.size(); r++)
        if (s.registers[r].writable && s.registers[r].count == 1) s.state[r] = {};
    s.state[static_cast<size_t>(s.subroutines.back().parameters[0])].fill(float_of(-16, 16));
    s.state[static_cast<size_t>(s.subroutines.back().parameters[1])].fill(int_of(0, 255));
    emit(s, "BGNSUB");
    statements(s, 2 + body(s));
    show_lost(s, {});
    if (!s.ended) s.returns = s.returned ? join(s.returns, s.state) : s.state;
    if (!s.ended && s.chance(2)) emit(s, "RET");
    emit(s, "ENDSUB");
    auto& done = s.subroutines[static_cast<size_t>(number)];
    done.code = std::move(s.code);
    done.exit = s.returns;
    s.code = std::move(code);
    s.state = std::move(state);
    s.state.resize(s.registers.size());
    s.heads = std::move(heads);
    s.loops = std::move(loops);
    s.uniform = uniform;
    s.may_return = may_return;
    s.subroutine = subroutine;
    s.depth = depth;
    s.ended = false;
    return number;
}

}  // namespace

void call(Shader& s, bool conditional) {
    // Subroutines load inputs themselves, and lanes that leave a loop early lose what they loaded in it
    // (driver-bugs.md, lavapipe).
    if (std::any_of(s.loops.begin(), s.loops.end(), [](const Loop& l) { return !l.is_switch && !l.uniform; })) return;
    const bool fresh = s.subroutines.empty() || (s.subroutines.size() < 3 && s.chance(3));
    if (fresh && s.subroutine >= 0) return;
    const int number = fresh ? new_subroutine(s) : static_cast<int>(s.random.below(s.subroutines.size()));
    if (number >= s.subroutine && s.subroutine >= 0) return;  // no recursion
    const auto parameters = s.subroutines[static_cast<size_t>(number)].parameters;
    const auto floats = source(s, {Kind::Float, -16, 16, 0, false, false}, 15);
    emit(s, fmt::format("MOV {}, {}", name(s, parameters[0]), floats.text));
    const auto ints = source(s, {Kind::Int, 0, 255, 0, false, false}, 15);
    emit(s, fmt::format("MOV {}, {}", name(s, parameters[1]), ints.text));
    const std::string test = conditional ? condition(s).text : "";
    emit(s, conditional ? fmt::format("CALLNZ {} :@{}@", test, number) : fmt::format("CAL :@{}@", number));
    State after = s.state;
    const auto& exit = s.subroutines[static_cast<size_t>(number)].exit;
    for (size_t r = 0; r < exit.size(); r++)
        if (s.registers[r].owner == number) after[r] = exit[r];
    s.state = conditional ? join(s.state, after) : std::move(after);
}

void write_subroutines(Shader& s) {
    std::vector<size_t> starts;
    for (auto& sub : s.subroutines) {
        starts.push_back(s.code.size());
        for (auto& line : sub.code) s.code.push_back(std::move(line));
    }
    for (auto& line : s.code) {
        const auto at = line.find('@');
        if (at == std::string::npos) continue;
        const auto end = line.find('@', at + 1);
        const auto number = static_cast<size_t>(std::stoi(line.substr(at + 1, end - at - 1)));
        line.replace(at, end - at + 1, std::to_string(starts[number]));
    }
}

}  // namespace tgsi2spv::difftest::generate

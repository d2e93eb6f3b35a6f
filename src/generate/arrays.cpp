// Arrays that an index selects from, possibly out of range.
#include <fmt/format.h>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

constexpr char kLetters[] = "xyzw";

int add_array(Shader& s, std::string file, int first, int count, bool writable, const Values& holds) {
    const int reg = add_register(s, std::move(file), first, writable, holds);
    s.registers[static_cast<size_t>(reg)].count = count;
    return reg;
}

/// The grid of floats in arrays. These are shown at the end, and should have few bits.
constexpr int kGrid = -10;

/// Zero is in every range, since an index out of range reads it.
Values mixed(Shader& s) {
    Values v;
    for (auto& c : v) c = s.chance(2) ? float_of(-64, 64, kGrid) : int_of(0, 255);
    return v;
}

/// Returns an operand that fits a component of an array. `v` is a copy, since adding a register moves the state that it
/// may be in.
std::string element(Shader& s, Value v) {
    const bool is_float = v.kind == Kind::Float;
    for (int attempt = 0; attempt < 3; attempt++) {
        const auto from = scalar(s, {v.kind, v.lo, v.hi, v.fuzz, is_float, false});
        if (!is_float || from.values[0].grid >= v.grid) return from.text;
    }
    return imm_float(s, s.random.between(-32, 32) * 0.25);
}

/// Writes every component; the array is not read before.
void fill(Shader& s, int reg) {
    const Register r = s.registers[static_cast<size_t>(reg)];
    const Values holds = std::exchange(s.state[static_cast<size_t>(reg)], {});
    for (int i = 0; i < r.count; i++)
        for (int c = 0; c < 4; c++) {
            const std::string from = element(s, holds[static_cast<size_t>(c)]);
            emit(s, fmt::format("MOV {}[{}].{}, {}", r.file, r.index + i, kLetters[c], from));
        }
    s.state[static_cast<size_t>(reg)] = holds;
}

void temps(Shader& s) {
    const int first = s.temps, count = 2 + static_cast<int>(s.random.below(4));
    s.temps += count;
    s.declarations.push_back(
        fmt::format("DCL TEMP[{}..{}], ARRAY(1){}", first, first + count - 1, s.chance(2) ? ", LOCAL" : ""));
    const int reg = add_array(s, "TEMP", first, count, true, mixed(s));
    s.registers[static_cast<size_t>(reg)].array_id = 1;
    fill(s, reg);
}

void temp_x(Shader& s) {
    const int count = 2 + static_cast<int>(s.random.below(3));
    s.declarations.push_back(fmt::format("DCL TEMPX[0][0..{}]", count - 1));
    fill(s, add_array(s, "TEMPX[0]", 0, count, true, mixed(s)));
}

void imm_x(Shader& s) {
    const int count = 2 + static_cast<int>(s.random.below(3));
    std::string text = fmt::format("DCL IMMX[0..{}] {{", count - 1);
    constexpr int kEighths = -3;
    for (int i = 0; i < count; i++) {
        text += i == 0 ? "{" : ", {";
        for (int c = 0; c < 4; c++)
            text += fmt::format("{}{:.3f}", c == 0 ? "" : ", ", s.random.between(-32, 32) * 0.125);
        text += "}";
    }
    s.declarations.push_back(text + "}");
    Values v;
    v.fill(float_of(-4, 4, kEighths));
    add_array(s, "IMMX", 0, count, false, v);
}

}  // namespace

void begin_arrays(Shader& s) {
    if (s.chance(6)) imm_x(s);
    if (s.chance(2)) temps(s);
    if (s.chance(6)) temp_x(s);
}

bool store_to_array(Shader& s) {
    std::vector<int> arrays;
    for (size_t r = 0; r < s.registers.size(); r++)
        if (s.registers[r].count > 1 && s.registers[r].writable && s.registers[r].owner == s.subroutine)
            arrays.push_back(static_cast<int>(r));
    if (arrays.empty()) return false;
    const int reg = s.any_of(arrays);
    const auto c = s.random.below(4);
    const std::string from = element(s, s.state[static_cast<size_t>(reg)][c]);
    emit(s, fmt::format("MOV {}.{}, {}", reference(s, reg), kLetters[c], from));
    return true;
}

}  // namespace tgsi2spv::difftest::generate

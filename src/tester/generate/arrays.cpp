// Arrays that an index selects from, possibly out of range.
#include <fmt/format.h>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

constexpr char kLetters[] = "xyzw";

int add_array(Shader& shader, std::string file, int first, int count, bool writable, const Values& holds) {
    const int reg = add_register(shader, std::move(file), first, writable, holds);
    shader.registers[static_cast<size_t>(reg)].count = count;
    return reg;
}

/// The grid of floats in arrays. These are shown at the end, and should have few bits.
constexpr int kGrid = -10;

/// Zero is in every range, since an index out of range reads it.
Values mixed(Shader& shader) {
    Values v;
    for (auto& c : v) c = shader.chance(2) ? float_of(-64, 64, kGrid) : int_of(0, 255);
    return v;
}

/// Returns an operand that fits a component of an array. `v` is a copy, since adding a register moves the state that it
/// may be in.
std::string element(Shader& shader, Value v) {
    const bool is_float = v.kind == Kind::Float;
    for (int attempt = 0; attempt < 3; attempt++) {
        const auto from = scalar(shader, {v.kind, v.lo, v.hi, v.fuzz, is_float, false});
        if (!is_float || from.values[0].grid >= v.grid) return from.text;
    }
    return imm_float(shader, shader.random.between(-32, 32) * 0.25);
}

/// Writes every component; the array is not read before.
void fill(Shader& shader, int reg) {
    const Register r = shader.registers[static_cast<size_t>(reg)];
    const Values holds = std::exchange(shader.state[static_cast<size_t>(reg)], {});
    for (int i = 0; i < r.count; i++)
        for (int c = 0; c < 4; c++) {
            const std::string from = element(shader, holds[static_cast<size_t>(c)]);
            emit(shader, fmt::format("MOV {}[{}].{}, {}", r.file, r.index + i, kLetters[c], from));
        }
    shader.state[static_cast<size_t>(reg)] = holds;
}

void temps(Shader& shader) {
    const int first = shader.temps, count = 2 + static_cast<int>(shader.random.below(4));
    shader.temps += count;
    shader.declarations.push_back(
        fmt::format("DCL TEMP[{}..{}], ARRAY(1){}", first, first + count - 1, shader.chance(2) ? ", LOCAL" : ""));
    const int reg = add_array(shader, "TEMP", first, count, true, mixed(shader));
    shader.registers[static_cast<size_t>(reg)].array_id = 1;
    fill(shader, reg);
}

void temp_x(Shader& shader) {
    const int count = 2 + static_cast<int>(shader.random.below(3));
    shader.declarations.push_back(fmt::format("DCL TEMPX[0][0..{}]", count - 1));
    fill(shader, add_array(shader, "TEMPX[0]", 0, count, true, mixed(shader)));
}

void imm_x(Shader& shader) {
    const int count = 2 + static_cast<int>(shader.random.below(3));
    std::string text = fmt::format("DCL IMMX[0..{}] {{", count - 1);
    constexpr int kEighths = -3;
    for (int i = 0; i < count; i++) {
        text += i == 0 ? "{" : ", {";
        for (int c = 0; c < 4; c++)
            text += fmt::format("{}{:.3f}", c == 0 ? "" : ", ", shader.random.between(-32, 32) * 0.125);
        text += "}";
    }
    shader.declarations.push_back(text + "}");
    Values v;
    v.fill(float_of(-4, 4, kEighths));
    add_array(shader, "IMMX", 0, count, false, v);
}

}  // namespace

void begin_arrays(Shader& shader) {
    if (shader.chance(6)) imm_x(shader);
    if (shader.chance(2)) temps(shader);
    if (shader.chance(6)) temp_x(shader);
}

bool store_to_array(Shader& shader) {
    std::vector<int> arrays;
    for (size_t r = 0; r < shader.registers.size(); r++)
        if (shader.registers[r].count > 1 && shader.registers[r].writable &&
            shader.registers[r].owner == shader.subroutine)
            arrays.push_back(static_cast<int>(r));
    if (arrays.empty()) return false;
    const int reg = shader.any_of(arrays);
    const auto c = shader.random.below(4);
    const std::string from = element(shader, shader.state[static_cast<size_t>(reg)][c]);
    emit(shader, fmt::format("MOV {}.{}, {}", reference(shader, reg), kLetters[c], from));
    return true;
}

}  // namespace tgsi2spv::difftest::generate

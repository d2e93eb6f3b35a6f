// Opcodes with special forms: packed halves, the stack, subgroups, interpolation, predicates.
#include <fmt/format.h>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

void result(Shader& shader, const std::string& op, const std::string& operands, const Value& v, uint8_t mask) {
    Values values;
    values.fill(v);
    const Dest to = dest(shader, mask, values);
    emit(shader, fmt::format("{} {}{}{}", op, to.text(shader), operands.empty() ? "" : ", ", operands));
    written(shader, to, values);
}

uint8_t random_mask(Shader& shader) {
    return static_cast<uint8_t>(shader.random.below(15) + 1);
}

/// Unpacks a word whose halves are below 1 in magnitude.
void unpack_half(Shader& shader) {
    const auto from = scalar(shader, {Kind::Int, kMinInt, kMaxUint, 0, false, false});
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    emit(shader, fmt::format("AND {}.x, {}, {}", name(shader, reg), from.text, imm_int(shader, 0xbbffbbff)));
    Value v = float_of(-1, 1);
    v.fuzz = 1;
    result(shader, "UP2H", name(shader, reg) + ".xxxx", v, random_mask(shader));
}

/// Pushes and pops in one place.
void stack(Shader& shader) {
    const Need need{Kind::Int, kMinInt, kMaxUint, 0, false, false};
    const auto from = source(shader, need, 15);
    emit(shader, "PUSHA " + from.text);
    if (shader.chance(3)) {
        emit(shader, "PUSHA " + source(shader, need, 15).text);
        result(shader, "POPA", "", any_int(), random_mask(shader));
    }
    result(shader, "POPA", "", any_int(), random_mask(shader));
}

/// Returns a register of its own with a word whose x is 0 in about half of the cases.
std::string zero_or_one(Shader& shader, const Need& need) {
    const auto from = scalar(shader, need);
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    emit(shader, fmt::format("AND {}.x, {}, {}", name(shader, reg), from.text, imm_int(shader, 1)));
    return name(shader, reg) + ".xxxx";
}

/// Shows the answer in lanes that know it from their own operand (those where it is zero if `if_zero`, otherwise the
/// others), and a number in the other lanes.
void shown_where_known(Shader& shader, const std::string& mnemonic, const std::string& operand, bool if_zero) {
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    const std::string answer = name(shader, reg) + ".xxxx", other = imm_int(shader, 5);
    emit(shader, fmt::format("{} {}.x, {}", mnemonic, name(shader, reg), operand));
    result(shader, "UCMP", fmt::format("{}, {}, {}", operand, if_zero ? other : answer, if_zero ? answer : other),
           int_of(-1, 5), random_mask(shader));
}

/// Emits operations whose answers do not depend on how lanes are grouped: the operand is uniform, or a lane knows the
/// answer from its own operand.
bool subgroup(Shader& shader, Opcode op) {
    const Need uniform{Kind::Int, kMinInt, kMaxUint, 0, false, true};
    const Need any{Kind::Int, kMinInt, kMaxUint, 0, false, false, true};
    const std::string mnemonic(tgsi::info(op).mnemonic);
    uint8_t mask = 0;
    std::string operand;
    if ((shader.stage != tgsi::Stage::Fragment && shader.stage != tgsi::Stage::Compute) || !shader.uniform)
        return false;
    switch (op) {
        case Opcode::VOTE_ALL:
        case Opcode::VOTE_ANY:
            if (!shader.chance(3)) {
                // A lane that votes no knows that not all lanes vote yes; a lane that votes yes knows that some do.
                shown_where_known(shader, mnemonic, zero_or_one(shader, any), op == Opcode::VOTE_ALL);
                return true;
            }
            [[fallthrough]];
        case Opcode::VOTE_EQ:
            mask = random_mask(shader);
            operand = shader.chance(4) ? scalar(shader, uniform).text : zero_or_one(shader, uniform);
            result(shader, mnemonic, operand, mask_of(0, true), mask);
            return true;
        case Opcode::READ_FIRST:
            mask = random_mask(shader);
            result(shader, mnemonic, source(shader, uniform, 15).text, any_int(true), mask);
            return true;
        case Opcode::READ_INVOC: {
            mask = static_cast<uint8_t>(1 << shader.random.below(4));  // it is unknown whether lane 0 takes part
            const std::string from = source(shader, uniform, 15).text;
            result(shader, mnemonic, from + ", " + imm_int(shader, 0), any_int(true), mask);
            return true;
        }
        case Opcode::BALLOT:
            // The members of a ballot are unknown, but it is empty if all lanes vote no.
            if (shader.chance(2))
                result(shader, mnemonic, imm_int(shader, 0), int_of(0, 0, true), 3);
            else
                shown_where_known(shader, mnemonic, zero_or_one(shader, uniform), true);
            return true;
        default:
            return false;
    }
}

void declare_predicate(Shader& shader) {
    bool declared = false;
    for (const auto& d : shader.declarations) declared |= d == "DCL PRED[0]";
    if (!declared) shader.declarations.emplace_back("DCL PRED[0]");
}

/// Overwrites a register under a predicate.
void predicate(Shader& shader) {
    declare_predicate(shader);
    const auto a = source(shader, {Kind::Float, -64, 64, 0, true, false}, 15);
    const auto b = source(shader, {Kind::Float, -64, 64, 0, true, false}, 15);
    constexpr const char* kCompare[] = {"SLT", "SGE", "SEQ", "SNE", "SGT", "SLE"};
    emit(shader, fmt::format("{} PRED[0], {}, {}", kCompare[shader.random.below(6)], a.text, b.text));
    const int reg = fresh_temp(shader);
    Values v;
    v.fill(float_of(-128, 128, a.values[0].grid));
    for (auto& c : v) c.fuzz = 2;
    const auto x = source(shader, {Kind::Float, -64, 64, 1, false, false}, 15);
    const auto y = source(shader, {Kind::Float, -64, 64, 1, false, false}, 15);
    emit(shader, fmt::format("MOV {}, {}", name(shader, reg), x.text));
    const char* swizzle = shader.chance(2) ? "xyzw" : "wxyz";
    emit(shader, fmt::format("({}PRED[0].{}) ADD {}, {}, {}", shader.chance(2) ? "!" : "", swizzle, name(shader, reg),
                             x.text, y.text));
    written(shader, {reg, 15}, v);
}

}  // namespace

std::string under(Shader& shader, const std::string& word) {
    declare_predicate(shader);
    const bool negated = shader.chance(3);
    const char c = "xyzw"[shader.random.below(4)];
    emit(shader, fmt::format("{} PRED[0].{}, {}, {}", negated ? "USEQ" : "USNE", c, word, imm_int(shader, 0)));
    return fmt::format("({}PRED[0].{}) ", negated ? "!" : "", std::string(4, c));
}

void begin_spare(Shader& shader) {
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    emit(shader, fmt::format("AND {}.x, IN[0].xxxx, {}", name(shader, reg), imm_int(shader, 3)));
    emit(shader, fmt::format("UIF {}.xxxx", name(shader, reg)));
}

namespace {

bool kill(Shader& shader, Opcode op) {
    if (!is_fragment(shader) || !shader.may_kill) return false;
    if (op == Opcode::KILP || op == Opcode::KILL || op == Opcode::DEMOTE) {
        const auto c = condition(shader);
        begin_spare(shader);
        emit(shader, "UIF " + c.text);
        emit(shader, std::string(tgsi::info(op).mnemonic));
        emit(shader, "ENDIF");
    } else {
        const auto from = scalar(shader, {Kind::Float, -64, 64, 0, true, false});
        begin_spare(shader);
        emit(shader, fmt::format("{} {}", tgsi::info(op).mnemonic, from.text));
    }
    emit(shader, "ENDIF");
    return true;
}

/// Interpolates an input at another position in the pixel; the result is known for a constant input.
bool interpolate(Shader& shader, Opcode op) {
    if (!is_fragment(shader) || shader.constant_input < 0) return false;
    std::string operands = fmt::format("IN[{}]", shader.constant_input);
    if (op == Opcode::INTERP_SAMPLE) operands += ", " + imm_int(shader, 0);
    if (op == Opcode::INTERP_OFFSET) {
        const std::string x = imm_float(shader, 0.25);
        operands += ", " + x;
    }
    result(shader, std::string(tgsi::info(op).mnemonic), operands, any_int(), random_mask(shader));
    return true;
}

/// Reads the clock, whose value is arbitrary; the result is not used.
void clock(Shader& shader) {
    const int reg = fresh_temp(shader);
    shader.registers[static_cast<size_t>(reg)].writable = false;
    emit(shader, fmt::format("CLOCK {}.xy", name(shader, reg)));
}

void split_double(Shader& shader) {
    const auto from = pair_source(shader, {Kind::Double, -4096, 4096, 0, true, false}, 15);
    const int fraction = fresh_temp(shader), exponent = fresh_temp(shader);
    emit(shader, fmt::format("DFRACEXP {}, {}.xy, {}", name(shader, fraction), name(shader, exponent), from.text));
    const Value v{Kind::Double, -1, 1, 0, kNoGrid, false};
    written(shader, {fraction, 15}, {v, high(v), v, high(v)});
    written(shader, {exponent, 3}, {int_of(-40, 40), int_of(-40, 40), {}, {}});
}

}  // namespace

bool special_instruction(Shader& shader, Opcode op) {
    switch (op) {
        case Opcode::UP2H:
            unpack_half(shader);
            return true;
        case Opcode::PUSHA:
        case Opcode::POPA:
            if (!may_load(shader)) return false;
            stack(shader);
            return true;
        case Opcode::CLOCK:
            clock(shader);
            return true;
        case Opcode::DFRACEXP:
            split_double(shader);
            return true;
        case Opcode::KILL:
        case Opcode::DEMOTE:
        case Opcode::KILL_IF:
        case Opcode::KIL:
        case Opcode::KILP:
            return kill(shader, op);
        case Opcode::INTERP_CENTROID:
        case Opcode::INTERP_SAMPLE:
        case Opcode::INTERP_OFFSET:
            return interpolate(shader, op);
        case Opcode::NOP:
            if (shader.chance(3)) predicate(shader);
            emit(shader, "NOP");
            return true;
        case Opcode::FBFETCH: {
            if (!is_fragment(shader) || !may_load(shader)) return false;
            Value v = float_of(0, 1);
            v.fuzz = 1;
            const uint8_t mask = random_mask(shader);
            result(shader, "FBFETCH", fmt::format("OUT[{}]", shader.random.below(4)), v, mask);
            return true;
        }
        case Opcode::READ_HELPER: {
            if (!is_fragment(shader) || shader.may_kill) return false;
            result(shader, "READ_HELPER", "", mask_of(), 1);
            return true;
        }
        default:
            return subgroup(shader, op);
    }
}

}  // namespace tgsi2spv::difftest::generate

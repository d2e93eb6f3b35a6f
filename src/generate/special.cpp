// Opcodes with special forms: packed halves, the stack, subgroups, interpolation, predicates.
#include <fmt/format.h>

#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

void result(Shader& s, const std::string& op, const std::string& operands, const Value& v, uint8_t mask) {
    Values values;
    values.fill(v);
    const Dest to = dest(s, mask, values);
    emit(s, fmt::format("{} {}{}{}", op, to.text(s), operands.empty() ? "" : ", ", operands));
    written(s, to, values);
}

uint8_t random_mask(Shader& s) {
    return static_cast<uint8_t>(s.random.below(15) + 1);
}

/// Unpacks a word whose halves are below 1 in magnitude.
void unpack_half(Shader& s) {
    const auto from = scalar(s, {Kind::Int, kMinInt, kMaxUint, 0, false, false});
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    emit(s, fmt::format("AND {}.x, {}, {}", name(s, reg), from.text, imm_int(s, 0xbbffbbff)));
    Value v = float_of(-1, 1);
    v.fuzz = 1;
    result(s, "UP2H", name(s, reg) + ".xxxx", v, random_mask(s));
}

/// Pushes and pops in one place.
void stack(Shader& s) {
    const Need need{Kind::Int, kMinInt, kMaxUint, 0, false, false};
    const auto from = source(s, need, 15);
    emit(s, "PUSHA " + from.text);
    if (s.chance(3)) {
        emit(s, "PUSHA " + source(s, need, 15).text);
        result(s, "POPA", "", any_int(), random_mask(s));
    }
    result(s, "POPA", "", any_int(), random_mask(s));
}

/// Returns a register of its own with a word whose x is 0 in about half of the cases.
std::string zero_or_one(Shader& s, const Need& need) {
    const auto from = scalar(s, need);
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    emit(s, fmt::format("AND {}.x, {}, {}", name(s, reg), from.text, imm_int(s, 1)));
    return name(s, reg) + ".xxxx";
}

/// Shows the answer in lanes that know it from their own operand (those where it is zero if `if_zero`, otherwise the
/// others), and a number in the other lanes.
void shown_where_known(Shader& s, const std::string& mnemonic, const std::string& operand, bool if_zero) {
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    const std::string answer = name(s, reg) + ".xxxx", other = imm_int(s, 5);
    emit(s, fmt::format("{} {}.x, {}", mnemonic, name(s, reg), operand));
    result(s, "UCMP", fmt::format("{}, {}, {}", operand, if_zero ? other : answer, if_zero ? answer : other),
           int_of(-1, 5), random_mask(s));
}

/// Emits operations whose answers do not depend on how lanes are grouped: the operand is uniform, or a lane knows the
/// answer from its own operand.
bool subgroup(Shader& s, Opcode op) {
    const Need uniform{Kind::Int, kMinInt, kMaxUint, 0, false, true};
    const Need any{Kind::Int, kMinInt, kMaxUint, 0, false, false, true};
    const std::string mnemonic(tgsi::info(op).mnemonic);
    uint8_t mask = 0;
    std::string operand;
    if ((s.stage != tgsi::Stage::Fragment && s.stage != tgsi::Stage::Compute) || !s.uniform) return false;
    switch (op) {
        case Opcode::VOTE_ALL:
        case Opcode::VOTE_ANY:
            if (!s.chance(3)) {
                // A lane that votes no knows that not all lanes vote yes; a lane that votes yes knows that some do.
                shown_where_known(s, mnemonic, zero_or_one(s, any), op == Opcode::VOTE_ALL);
                return true;
            }
            [[fallthrough]];
        case Opcode::VOTE_EQ:
            mask = random_mask(s);
            operand = s.chance(4) ? scalar(s, uniform).text : zero_or_one(s, uniform);
            result(s, mnemonic, operand, mask_of(0, true), mask);
            return true;
        case Opcode::READ_FIRST:
            mask = random_mask(s);
            result(s, mnemonic, source(s, uniform, 15).text, any_int(true), mask);
            return true;
        case Opcode::READ_INVOC: {
            mask = static_cast<uint8_t>(1 << s.random.below(4));  // it is unknown whether lane 0 takes part
            const std::string from = source(s, uniform, 15).text;
            result(s, mnemonic, from + ", " + imm_int(s, 0), any_int(true), mask);
            return true;
        }
        case Opcode::BALLOT:
            // The members of a ballot are unknown, but it is empty if all lanes vote no.
            if (s.chance(2))
                result(s, mnemonic, imm_int(s, 0), int_of(0, 0, true), 3);
            else
                shown_where_known(s, mnemonic, zero_or_one(s, uniform), true);
            return true;
        default:
            return false;
    }
}

void declare_predicate(Shader& s) {
    bool declared = false;
    for (const auto& d : s.declarations) declared |= d == "DCL PRED[0]";
    if (!declared) s.declarations.emplace_back("DCL PRED[0]");
}

/// Overwrites a register under a predicate.
void predicate(Shader& s) {
    declare_predicate(s);
    const auto a = source(s, {Kind::Float, -64, 64, 0, true, false}, 15);
    const auto b = source(s, {Kind::Float, -64, 64, 0, true, false}, 15);
    constexpr const char* kCompare[] = {"SLT", "SGE", "SEQ", "SNE", "SGT", "SLE"};
    emit(s, fmt::format("{} PRED[0], {}, {}", kCompare[s.random.below(6)], a.text, b.text));
    const int reg = fresh_temp(s);
    Values v;
    v.fill(float_of(-128, 128, a.values[0].grid));
    for (auto& c : v) c.fuzz = 2;
    const auto x = source(s, {Kind::Float, -64, 64, 1, false, false}, 15);
    const auto y = source(s, {Kind::Float, -64, 64, 1, false, false}, 15);
    emit(s, fmt::format("MOV {}, {}", name(s, reg), x.text));
    const char* swizzle = s.chance(2) ? "xyzw" : "wxyz";
    emit(s,
         fmt::format("({}PRED[0].{}) ADD {}, {}, {}", s.chance(2) ? "!" : "", swizzle, name(s, reg), x.text, y.text));
    written(s, {reg, 15}, v);
}

}  // namespace

std::string under(Shader& s, const std::string& word) {
    declare_predicate(s);
    const bool negated = s.chance(3);
    const char c = "xyzw"[s.random.below(4)];
    emit(s, fmt::format("{} PRED[0].{}, {}, {}", negated ? "USEQ" : "USNE", c, word, imm_int(s, 0)));
    return fmt::format("({}PRED[0].{}) ", negated ? "!" : "", std::string(4, c));
}

void begin_spare(Shader& s) {
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    emit(s, fmt::format("AND {}.x, IN[0].xxxx, {}", name(s, reg), imm_int(s, 3)));
    emit(s, fmt::format("UIF {}.xxxx", name(s, reg)));
}

namespace {

bool kill(Shader& s, Opcode op) {
    if (!is_fragment(s) || !s.may_kill) return false;
    if (op == Opcode::KILP || op == Opcode::KILL || op == Opcode::DEMOTE) {
        const auto c = condition(s);
        begin_spare(s);
        emit(s, "UIF " + c.text);
        emit(s, std::string(tgsi::info(op).mnemonic));
        emit(s, "ENDIF");
    } else {
        const auto from = scalar(s, {Kind::Float, -64, 64, 0, true, false});
        begin_spare(s);
        emit(s, fmt::format("{} {}", tgsi::info(op).mnemonic, from.text));
    }
    emit(s, "ENDIF");
    return true;
}

/// Interpolates an input at another position in the pixel; the result is known for a constant input.
bool interpolate(Shader& s, Opcode op) {
    if (!is_fragment(s) || s.constant_input < 0) return false;
    std::string operands = fmt::format("IN[{}]", s.constant_input);
    if (op == Opcode::INTERP_SAMPLE) operands += ", " + imm_int(s, 0);
    if (op == Opcode::INTERP_OFFSET) {
        const std::string x = imm_float(s, 0.25);
        operands += ", " + x;
    }
    result(s, std::string(tgsi::info(op).mnemonic), operands, any_int(), random_mask(s));
    return true;
}

/// Reads the clock, whose value is arbitrary; the result is not used.
void clock(Shader& s) {
    const int reg = fresh_temp(s);
    s.registers[static_cast<size_t>(reg)].writable = false;
    emit(s, fmt::format("CLOCK {}.xy", name(s, reg)));
}

void split_double(Shader& s) {
    const auto from = pair_source(s, {Kind::Double, -4096, 4096, 0, true, false}, 15);
    const int fraction = fresh_temp(s), exponent = fresh_temp(s);
    emit(s, fmt::format("DFRACEXP {}, {}.xy, {}", name(s, fraction), name(s, exponent), from.text));
    const Value v{Kind::Double, -1, 1, 0, kNoGrid, false};
    written(s, {fraction, 15}, {v, high(v), v, high(v)});
    written(s, {exponent, 3}, {int_of(-40, 40), int_of(-40, 40), {}, {}});
}

}  // namespace

bool special_instruction(Shader& s, Opcode op) {
    switch (op) {
        case Opcode::UP2H:
            unpack_half(s);
            return true;
        case Opcode::PUSHA:
        case Opcode::POPA:
            if (!may_load(s)) return false;
            stack(s);
            return true;
        case Opcode::CLOCK:
            clock(s);
            return true;
        case Opcode::DFRACEXP:
            split_double(s);
            return true;
        case Opcode::KILL:
        case Opcode::DEMOTE:
        case Opcode::KILL_IF:
        case Opcode::KIL:
        case Opcode::KILP:
            return kill(s, op);
        case Opcode::INTERP_CENTROID:
        case Opcode::INTERP_SAMPLE:
        case Opcode::INTERP_OFFSET:
            return interpolate(s, op);
        case Opcode::NOP:
            if (s.chance(3)) predicate(s);
            emit(s, "NOP");
            return true;
        case Opcode::FBFETCH: {
            if (!is_fragment(s) || !may_load(s)) return false;
            Value v = float_of(0, 1);
            v.fuzz = 1;
            const uint8_t mask = random_mask(s);
            result(s, "FBFETCH", fmt::format("OUT[{}]", s.random.below(4)), v, mask);
            return true;
        }
        case Opcode::READ_HELPER: {
            if (!is_fragment(s) || s.may_kill) return false;
            result(s, "READ_HELPER", "", mask_of(), 1);
            return true;
        }
        default:
            return subgroup(s, op);
    }
}

}  // namespace tgsi2spv::difftest::generate

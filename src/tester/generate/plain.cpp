// Instructions that have a rule.
#include <fmt/format.h>

#include <algorithm>

#include "generate/rules.h"
#include "generate/shader.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;
using tgsi::OperandType;
using tgsi::Shape;

/// Whether some source has more than one value. Instructions on literals alone give the same result in every program,
/// so they are rare.
bool tells(const Shader& shader, const std::array<Values, 4>& values, int count) {
    for (int i = 0; i < count; i++)
        for (const auto& v : values[static_cast<size_t>(i)])
            if (v.kind != Kind::None && v.lo < v.hi) return true;
    return count == 0 || shader.code.size() % 64 == 0;
}

/// Returns the component of an operand that component `c` of the mask reads: `IN[1].x`.
std::string component_of(std::string operand, int c) {
    std::erase_if(operand, [](char l) { return l == '-' || l == '|'; });
    const auto dot = operand.rfind('.');
    const bool swizzled = dot != std::string::npos && operand.find(']', dot) == std::string::npos;
    if (!swizzled) return operand + '.' + "xyzw"[c];
    return operand.substr(0, dot + 1) + operand[std::min(dot + 1 + static_cast<size_t>(c), operand.size() - 1)];
}

/// Whether no component of the mask combines a component with itself, regardless of signs; such instructions are rare.
bool tells(const Shader& shader, const std::vector<std::string>& operands, uint8_t mask) {
    bool alike = false;
    for (int c = 0; c < 4; c++)
        for (size_t i = 1; i < operands.size() && (mask >> c & 1) != 0; i++)
            alike |= component_of(operands[i], c) == component_of(operands[i - 1], c);
    return !alike || shader.code.size() % 64 == 0;
}

/// LIT uses x, y and w differently: if they are one number, most combinations never occur.
bool is_told_apart(Opcode op, const std::vector<std::string>& operands) {
    if (op != Opcode::LIT) return true;
    const std::string x = component_of(operands[0], 0), y = component_of(operands[0], 1);
    const std::string w = component_of(operands[0], 3);
    return x != y && y != w && w != x;
}

/// Whether all components of the mask reveal the operation; others are rare.
bool reveals(const Shader& shader, Opcode op, const std::array<Values, 4>& values, uint8_t mask) {
    bool all = true;
    for (int c = 0; c < 4; c++) all &= (mask >> c & 1) == 0 || reveals(op, values, c);
    return all || shader.code.size() % 64 == 0;
}

/// Returns mostly the needs that reveal more.
Needs needs_here(Shader& shader, Opcode op, const Needs& needs) {
    return shader.chance(8) ? needs : telling_needs(op, needs);
}

bool is_64(OperandType t) {
    return t == OperandType::Double || t == OperandType::Int64 || t == OperandType::Uint64;
}

std::string suffix(Shader& shader, const tgsi::OpcodeInfo& info, Values& values, uint8_t mask) {
    std::string text;
    if (info.num_dst == 0 || (info.dst[0] != OperandType::Float && info.dst[0] != OperandType::Double)) return text;
    for (size_t c = 0; c < 4; c++)
        if ((mask >> c & 1) != 0 && values[c].kind != Kind::Float && values[c].kind != Kind::Double &&
            values[c].kind != Kind::High)
            return text;
    if (shader.chance(10)) {
        text += "_SAT";
        for (auto& v : values) {
            v.lo = std::clamp(v.lo, 0.0, 1.0);
            v.hi = std::clamp(v.hi, 0.0, 1.0);
            if (v.grid > 0) v.grid = 0;
        }
    }
    if (shader.chance(10)) text += "_PRECISE";
    return text;
}

/// MOV and the like copy their sources: any kind is allowed.
Need kind_of_copy(Shader& shader) {
    if (shader.chance(2)) return {Kind::Float, -kMaxFloat, kMaxFloat, 6, false, false};
    return {Kind::Int, kMinInt, kMaxUint, 1, false, false};
}

/// Emits an instruction with 32-bit results: each component of the mask.
bool of_words(Shader& shader, Opcode op, const tgsi::OpcodeInfo& info, Needs needs) {
    const auto mask = static_cast<uint8_t>(shader.random.below(15) + 1);
    const bool whole = info.shape != Shape::component;
    if (op == Opcode::MOV) needs[0] = kind_of_copy(shader);
    if (op == Opcode::UCMP) needs[1] = needs[2] = kind_of_copy(shader);
    std::array<Values, 4> values{};
    std::string operands;
    std::vector<std::string> texts;
    for (int i = 0; i < info.num_src; i++) {
        const auto from = source(shader, needs[static_cast<size_t>(i)], whole ? 15 : mask);
        values[static_cast<size_t>(i)] = from.values;
        operands += ", " + from.text;
        texts.push_back(from.text);
    }
    // Opcodes that mix components, or read only the first one, are represented by x.
    const uint8_t reads = whole ? 1 : mask;
    if (op != Opcode::MOV && (!tells(shader, values, info.num_src) || !tells(shader, texts, reads))) return false;
    if (!reveals(shader, op, values, reads) || !is_told_apart(op, texts)) return false;
    Values results{};
    for (int c = 0; c < 4; c++) {
        if ((mask >> c & 1) == 0) continue;
        auto& r = results[static_cast<size_t>(c)];
        r = result_of(op, values, c);
        if (r.kind == Kind::None) return false;
        if (whole) {  // not worth tracking precisely
            for (int i = 0; i < info.num_src; i++)
                for (const auto& v : values[static_cast<size_t>(i)]) r.uniform &= v.uniform;
        }
    }
    const std::string text = std::string(info.mnemonic) + suffix(shader, info, results, mask);
    const Dest to = dest(shader, mask, results);
    emit(shader, text + " " + to.text(shader) + operands);
    written(shader, to, results);
    return true;
}

/// Emits an instruction with 64-bit results or sources.
bool of_pairs(Shader& shader, Opcode op, const tgsi::OpcodeInfo& info, const Needs& needs) {
    const bool wide_result = is_64(info.dst[0]);
    const bool compares = !wide_result && info.dst[0] == OperandType::Uint && info.family == tgsi::Family::wide;
    // The pairs that are computed: xy, zw or both.
    uint8_t pairs = shader.chance(3) ? 15 : shader.chance(2) ? 3 : 12;
    uint8_t mask = pairs;
    if (compares) mask = pairs & 5;
    const bool narrows = !wide_result && !compares;
    if (narrows) {
        // The first component of the mask gets the result of the first pair.
        const int first = static_cast<int>(shader.random.below(4));
        mask = static_cast<uint8_t>(1 << first);
        if (first < 3 && shader.chance(2))
            mask |= static_cast<uint8_t>(
                1 << (first + 1 + static_cast<int>(shader.random.below(static_cast<uint64_t>(3 - first)))));
        pairs = 15;
    }
    std::array<Values, 4> values{};
    std::string operands;
    std::vector<std::string> texts;
    for (int i = 0; i < info.num_src; i++) {
        const auto& need = needs[static_cast<size_t>(i)];
        auto& at = values[static_cast<size_t>(i)];
        Source from;
        if (is_64(info.src[static_cast<size_t>(i)])) {
            from = pair_source(shader, need, pairs);
            at = from.values;
        } else if (op == Opcode::DLDEXP || op == Opcode::I64SHR || op == Opcode::U64SHL || op == Opcode::U64SHR) {
            from = source(shader, need, 5);  // .x for xy, .z for zw
            at = from.values;
        } else {
            from = source(shader, need, 3);  // .x for xy, .y for zw
            at = from.values;
            at[2] = at[1];
        }
        operands += ", " + from.text;
        texts.push_back(from.text);
    }
    const auto reads = static_cast<uint8_t>(pairs & 5);
    if (!tells(shader, values, info.num_src) || !tells(shader, texts, reads) || !reveals(shader, op, values, reads))
        return false;
    Values results{};
    if (narrows) {
        int pair = 0;
        for (int c = 0; c < 4; c++)
            if ((mask >> c & 1) != 0) results[static_cast<size_t>(c)] = result_of(op, values, pair), pair = 2;
    } else {
        for (int c = 0; c < 4; c += 2) {
            if ((pairs >> c & 3) == 0) continue;
            results[static_cast<size_t>(c)] = result_of(op, values, c);
            if (wide_result) results[static_cast<size_t>(c) + 1] = high(results[static_cast<size_t>(c)]);
        }
    }
    for (int c = 0; c < 4; c++) {
        auto& r = results[static_cast<size_t>(c)];
        if ((mask >> c & 1) != 0 && r.kind == Kind::None) return false;
        r.uniform = false;
    }
    const std::string text = std::string(info.mnemonic) + suffix(shader, info, results, mask);
    const Dest to = dest(shader, mask, results);
    // The results of a narrowing opcode depend on the whole mask.
    const Dest whole = narrows && to.mask != mask ? Dest{fresh_temp(shader), mask} : to;
    emit(shader, text + " " + whole.text(shader) + operands);
    written(shader, whole, results);
    return true;
}

/// Whether the opcode is defined here: derivatives need whole quads.
bool allowed_here(const Shader& shader, Opcode op) {
    switch (op) {
        case Opcode::DDX:
        case Opcode::DDY:
        case Opcode::DDX_FINE:
        case Opcode::DDY_FINE:
            return is_fragment(shader) && shader.uniform;
        default:
            return true;
    }
}

}  // namespace

bool plain_instruction(Shader& shader, Opcode op) {
    const auto& info = tgsi::info(op);
    const auto needs = needs_of(op);
    if (!needs || !allowed_here(shader, op)) return false;
    const Needs here = needs_here(shader, op, *needs);
    if (info.is_wide) return of_pairs(shader, op, info, here);
    return of_words(shader, op, info, here);
}

}  // namespace tgsi2spv::difftest::generate

// Executes straight-line code of 32-bit values on the host. Independent of the folder, so that the tests of laws can
// compare with it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::ir {

using Words = std::array<uint32_t, 4>;

inline uint32_t evaluate_component(Op op, const std::array<uint32_t, 4>& x) {
    const float a = std::bit_cast<float>(x[0]), b = std::bit_cast<float>(x[1]), c = std::bit_cast<float>(x[2]);
    const auto s = static_cast<int32_t>(x[0]), t = static_cast<int32_t>(x[1]);
    auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
    switch (op) {
        case Op::FAdd:
            return bits(a + b);
        case Op::FSub:
            return bits(a - b);
        case Op::FMul:
            return bits(a * b);
        case Op::FDiv:
            return bits(a / b);
        case Op::FNegate:
            return x[0] ^ 0x80000000u;
        case Op::FAbs:
            return x[0] & 0x7fffffffu;
        case Op::Fma:
            return bits(std::fma(a, b, c));
        case Op::FMin:
            return bits(std::fmin(a, b));
        case Op::FMax:
            return bits(std::fmax(a, b));
        case Op::FFloor:
            return bits(std::floor(a));
        case Op::FCeil:
            return bits(std::ceil(a));
        case Op::FTrunc:
            return bits(std::trunc(a));
        case Op::FRoundEven:
            return bits(std::nearbyint(a));
        case Op::FOEq:
            return a == b;
        case Op::FUNe:
            return a != b;
        case Op::FOLt:
            return a < b;
        case Op::FOLe:
            return a <= b;
        case Op::FOGt:
            return a > b;
        case Op::FOGe:
            return a >= b;
        case Op::IsNan:
            return std::isnan(a);
        case Op::IAdd:
            return x[0] + x[1];
        case Op::ISub:
            return x[0] - x[1];
        case Op::IMul:
            return x[0] * x[1];
        case Op::UDiv:
            return x[1] == 0 ? 0xdeadbeef : x[0] / x[1];
        case Op::UMod:
            return x[1] == 0 ? 0xdeadbeef : x[0] % x[1];
        case Op::SDiv:
            return t == 0 || (t == -1 && s == INT32_MIN) ? 0xdeadbeef : static_cast<uint32_t>(s / t);
        case Op::INegate:
            return 0 - x[0];
        case Op::SMin:
            return s < t ? x[0] : x[1];
        case Op::SMax:
            return s > t ? x[0] : x[1];
        case Op::UMin:
            return std::min(x[0], x[1]);
        case Op::UMax:
            return std::max(x[0], x[1]);
        case Op::And:
            return x[0] & x[1];
        case Op::Or:
            return x[0] | x[1];
        case Op::Xor:
            return x[0] ^ x[1];
        case Op::Not:
            return ~x[0];
        case Op::Shl:
            return x[0] << (x[1] & 31);
        case Op::LShr:
            return x[0] >> (x[1] & 31);
        case Op::AShr:
            return static_cast<uint32_t>(s >> (x[1] & 31));
        case Op::IEq:
        case Op::LEq:
            return x[0] == x[1];
        case Op::INe:
        case Op::LNe:
            return x[0] != x[1];
        case Op::SLt:
            return s < t;
        case Op::SLe:
            return s <= t;
        case Op::SGt:
            return s > t;
        case Op::SGe:
            return s >= t;
        case Op::ULt:
            return x[0] < x[1];
        case Op::ULe:
            return x[0] <= x[1];
        case Op::UGt:
            return x[0] > x[1];
        case Op::UGe:
            return x[0] >= x[1];
        case Op::LAnd:
            return x[0] & x[1];
        case Op::LOr:
            return x[0] | x[1];
        case Op::LNot:
            return x[0] ^ 1;
        case Op::Select:
            return x[0] != 0 ? x[1] : x[2];
        case Op::UToF:
            return bits(static_cast<float>(x[0]));
        case Op::SToF:
            return bits(static_cast<float>(s));
        default:
            ADD_FAILURE() << info(op).name << " is not evaluated here";
            return 0;
    }
}

/// Returns what the first function stores to $0, in order; `inputs` are the words of $0, `vector` is the element of $5.
inline std::vector<uint32_t> evaluate(const Module& m, std::array<uint32_t, 2> inputs, Words vector) {
    const Function& f = m.functions[0];
    std::vector<Words> values(f.instructions.size());
    std::vector<uint32_t> stored;
    auto read = [&](Value v) {
        if (!is_constant(v)) return values[v];
        const auto& words = m.constants[v & ~kConstantBit].words;
        return Words{words[0], words[1], words[2], words[3]};
    };
    auto width = [&](Value v) {
        return is_constant(v) ? m.constants[v & ~kConstantBit].type.components : f.instructions[v].type.components;
    };
    for (size_t n = 0; n < f.instructions.size(); n++) {
        const Instruction& i = f.instructions[n];
        const auto args = f.args_of(i);
        if (i.op == Op::Store) stored.push_back(read(args[1])[0]);
        if (i.type.is_void()) continue;
        if (i.op == Op::Load) {
            values[n] = vector;
            if (m.variables[i.aux].kind == VariableKind::StorageBuffer) values[n][0] = inputs[read(args[0])[0] & 1];
        } else if (i.op == Op::Compose) {
            for (size_t a = 0; a < args.size(); a++) values[n][a] = read(args[a])[i.aux >> 2 * a & 3];
        } else if (i.op == Op::Bitcast) {
            values[n] = read(args[0]);
        } else {
            for (size_t k = 0; k < i.type.components; k++) {
                std::array<uint32_t, 4> x{};
                for (size_t a = 0; a < args.size(); a++) x[a] = read(args[a])[width(args[a]) == 1 ? 0 : k];
                values[n][k] = evaluate_component(i.op, x);
            }
        }
    }
    return stored;
}

}  // namespace tgsi2spv::ir

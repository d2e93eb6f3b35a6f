// Executes straight-line code of 32-bit values on the host, for the tests of laws.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "ir/module.h"
#include "ir/operations.h"

namespace tgsi2spv::ir {

using Words = std::array<uint32_t, 4>;

inline uint32_t evaluate_component(Op op, Type from, Type to, const test::Operands& x) {
    if (op == Op::Select) return static_cast<uint32_t>(x[0] != 0 ? x[1] : x[2]);
    const auto answer = test::component(op, from, to, x);
    if (!answer) ADD_FAILURE() << info(op).name << " is not evaluated here";
    return answer ? static_cast<uint32_t>(answer->bits) : 0;
}

/// Returns the words that the first function stores to $0, in order; `inputs` are the words of $0, `vector` is the
/// element of $5.
inline std::vector<uint32_t> evaluate(const Module& m, std::array<uint32_t, 2> inputs, Words vector) {
    const Function& f = m.functions[0];
    std::vector<Words> values(f.instructions.size());
    std::vector<uint32_t> stored;
    auto read = [&](Value v) {
        if (!is_constant(v)) return values[v];
        const auto& words = m.constant(v).words;
        return Words{words[0], words[1], words[2], words[3]};
    };
    auto type_of = [&](Value v) { return ir::type_of(m, f, v); };
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
                test::Operands x{};
                for (size_t a = 0; a < args.size(); a++) x[a] = read(args[a])[type_of(args[a]).components == 1 ? 0 : k];
                values[n][k] = evaluate_component(i.op, type_of(args[0]), i.type, x);
            }
        }
    }
    return stored;
}

}  // namespace tgsi2spv::ir

// When two instructions give the same value. For the builder and the value numbering pass, on the hot path of both.
#pragma once

#include <cstddef>
#include <cstring>

#include "ir/flat_table.h"
#include "ir/module.h"

namespace tgsi2spv::ir {

/// The same words come whenever it is done again: pure ones, loads of what the shader cannot write (inputs, constant
/// buffers, push constants), lengths of buffers, phis (of one block). Convergent instructions are never repeatable.
inline bool is_repeatable(const Module& m, const Instruction& i) {
    switch (trait_of(i.op)) {
        case Trait::pure:
            return true;
        case Trait::head:
            return i.op == Op::Phi;
        case Trait::read:
            break;
        default:
            return false;
    }
    if (i.op == Op::ArrayLength) return true;
    if (i.op != Op::Load) return false;
    const Variable& v = m.variables[i.aux];
    if (v.is_volatile) return false;
    switch (v.kind) {
        case VariableKind::Input:
            return v.builtin != BuiltIn::HelperInvocation;  // changes with Demote
        case VariableKind::ConstantBuffer:
        case VariableKind::PushConstant:
            return true;
        default:
            return false;
    }
}

/// What an instruction is beside its arguments and `aux`, as one word of 40 bits.
inline uint64_t kind_of(const Instruction& i) {
    uint32_t op_type_precise = 0;
    static_assert(offsetof(Instruction, sub) == sizeof(op_type_precise));
    std::memcpy(&op_type_precise, &i, sizeof(op_type_precise));
    return op_type_precise | uint64_t{i.sub} << 32;
}

/// Equal for equal instructions.
inline uint64_t hash_of(const Function& f, const Instruction& i) {
    uint64_t hash = hash_word(kind_of(i), uint64_t{i.aux} << 40);
    const uint32_t* a = f.args.data() + i.first_arg;
    const uint32_t* const last = a + (i.num_args & ~1u);
    for (; a != last; a += 2) hash = hash_word(hash, uint64_t{a[0]} << 32 | a[1]);
    return i.num_args % 2 == 0 ? hash : hash_word(hash, a[0]);
}

/// The same operation on the same arguments.
inline bool equal(const Function& f, const Instruction& i, const Instruction& j) {
    if (kind_of(i) != kind_of(j) || i.aux != j.aux || i.aux2 != j.aux2 || i.num_args != j.num_args) return false;
    const uint32_t *x = f.args.data() + i.first_arg, *y = f.args.data() + j.first_arg;
    for (uint32_t a = 0; a < i.num_args; a++)  // a few: no call
        if (x[a] != y[a]) return false;
    return true;
}

}  // namespace tgsi2spv::ir

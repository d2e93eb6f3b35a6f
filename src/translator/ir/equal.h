// Decides when two instructions give the same value. Used by the builder and the value numbering pass, on the hot path
// of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/flat_table.h"
#include "ir/module.h"

namespace tgsi2spv::ir {

/// Whether repeating the instruction gives the same words: pure ones, loads of memory that the shader cannot write
/// (inputs, constant buffers, push constants), lengths of buffers, phis (of one block). Convergent instructions are
/// never repeatable.
inline bool is_repeatable(const Module& module, Op op, uint32_t aux) {
    switch (trait_of(op)) {
        case Trait::pure:
            return true;
        case Trait::head:
            return op == Op::Phi;
        case Trait::read:
            break;
        default:
            return false;
    }
    if (op == Op::ArrayLength) return true;
    if (op != Op::Load) return false;
    const Variable& v = module.variables[aux];
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

/// An instruction without its arguments and `aux`, as one number.
constexpr uint64_t kind_of(Op op, Type type, bool precise, uint8_t sub) {
    return static_cast<uint64_t>(op) | static_cast<uint64_t>(type.scalar) << 8 | uint64_t{type.components} << 16 |
           uint64_t{precise} << 24 | uint64_t{sub} << 32;
}
inline uint64_t kind_of(const Instruction& instruction) {
    return kind_of(instruction.op, instruction.type, instruction.precise, instruction.sub);
}
/// The reverse; the flags become false.
inline void set_kind(Instruction& instruction, uint64_t kind) {
    instruction.op = static_cast<Op>(kind & 0xff);
    instruction.type = {static_cast<Scalar>(kind >> 8 & 0xff), static_cast<uint8_t>(kind >> 16 & 0xff)};
    instruction.precise = (kind >> 24 & 1) != 0;
    instruction.sub = static_cast<uint8_t>(kind >> 32);
    instruction.second = instruction.dead = false;
}

/// When a table has this many instructions, all are forgotten: lookups in a table that does not fit the cache cost more
/// than they save in so long a function.
inline constexpr size_t kMaxNumbered = 20'000;

/// Equal instructions have equal hashes in a table with this seed. `N` is the number of arguments if it is known.
template <size_t N>
[[gnu::always_inline]] inline uint64_t hash_of(uint64_t seed, uint64_t kind, uint32_t aux,
                                               std::span<const Value, N> args) {
    uint64_t hash = hash_word(seed ^ kind, uint64_t{aux} << 40);
    size_t a = 0;
    for (; a + 1 < args.size(); a += 2) hash = hash_word(hash, pair_of_words(args[a], args[a + 1]));
    return a == args.size() ? hash : hash_word(hash, args[a]);
}

/// Whether the instruction, with its arguments in `all_args`, is the same operation on the same arguments as `kind`,
/// `aux` and `args`.
template <size_t N>
[[gnu::always_inline]] inline bool equal(uint64_t kind, uint32_t aux, std::span<const Value, N> args,
                                         const Instruction& instruction, const Value* all_args) {
    if (kind != kind_of(instruction) || aux != instruction.aux || args.size() != instruction.num_args) return false;
    const Value* const y = all_args + instruction.first_arg;
    for (size_t a = 0; a < args.size(); a++)  // only a few: no call
        if (args[a] != y[a]) return false;
    return true;
}

}  // namespace tgsi2spv::ir

// Whether any law of peepholes.cpp, or folding, could change an instruction, judged by the definitions of its
// arguments. The builder asks this about everything that it appends; few instructions reach the laws.
// Without it, a conversion takes 12 to 27 % more machine instructions. tests/ir/peepholes.cpp checks it for each law.
#pragma once

#include <array>

#include "ir/commutative.h"
#include "ir/module.h"
#include "ir/plain_laws.h"

namespace tgsi2spv::ir {

/// The argument definitions that laws look for, as bits.
namespace behind {
inline constexpr uint8_t kConstant = 1, kSelect = 2, kBitcast = 4;
inline constexpr uint8_t kNegative = 8, kAbsolute = 16;  ///< FNegate, FAbs
inline constexpr uint8_t kInverse = 32;                  ///< INegate, Not
inline constexpr uint8_t kNot = 64, kMask = 128;         ///< LNot; operations that combine conditions as ~0 or 0
}  // namespace behind

/// For each operation, the bits of the values that it defines.
inline constexpr auto kMadeBy = [] {
    std::array<uint8_t, kOpCount> table{};
    auto set = [&](uint8_t what, std::initializer_list<Op> ops) {
        for (const Op op : ops) table[static_cast<size_t>(op)] = what;
    };
    set(behind::kSelect, {Op::Select});
    set(behind::kBitcast, {Op::Bitcast});
    set(behind::kNegative, {Op::FNegate});
    set(behind::kAbsolute, {Op::FAbs});
    set(behind::kInverse, {Op::INegate, Op::Not});
    set(behind::kNot, {Op::LNot});
    set(behind::kMask, {Op::And, Op::Or, Op::Xor});
    return table;
}();

/// The patterns of laws in x op c, as bits: the words of c, any c, and x that is itself y op d.
namespace beside {
inline constexpr uint8_t kZero = 1, kOne = 2, kAllBits = 4, kFloatOne = 8, kMinusZero = 16, kChain = 32, kAny = 64;
}  // namespace beside

/// For each operation on x and a constant.
inline constexpr auto kBesideConstant = [] {
    using namespace beside;
    constexpr auto kUnknown = PlainLaws::Result::Unknown;
    std::array<uint8_t, kOpCount> table{};
    for (size_t op = 0; op < table.size(); op++) {
        const PlainLaws& laws = kPlainLaws[op];
        table[op] = static_cast<uint8_t>((laws.zero != kUnknown ? kZero : 0) | (laws.one != kUnknown ? kOne : 0) |
                                         (laws.all_bits != kUnknown ? kAllBits : 0));
    }
    auto add = [&](uint8_t what, std::initializer_list<Op> ops) {
        for (const Op op : ops) table[static_cast<size_t>(op)] |= what;
    };
    add(kMinusZero, {Op::FAdd});
    add(kZero, {Op::FSub});
    add(kFloatOne, {Op::FMul, Op::FDiv});
    add(kAny, {Op::UMin, Op::ULt});
    add(kChain, {Op::IAdd, Op::IMul, Op::And, Op::Or, Op::Xor});
    return table;
}();

/// For each operation, the argument definitions that its laws start from. This excludes results that are known because
/// all arguments are constants, or because two are equal. 0: nothing folds the operation, for any arguments.
inline constexpr auto kLawsBegin = [] {
    using namespace behind;
    std::array<uint8_t, kOpCount> table{};
    for (size_t op = 0; op < table.size(); op++) {
        const bool folds = trait_of(static_cast<Op>(op)) == Trait::pure && !is_image_op(static_cast<Op>(op));
        if (folds) table[op] = kSelect;  // Laws::over_select
        if (kBesideConstant[op] != 0) table[op] |= kConstant;
    }
    auto add = [&](uint8_t what, std::initializer_list<Op> ops) {
        for (const Op op : ops) table[static_cast<size_t>(op)] |= what;
    };
    add(kNegative, {Op::FAdd, Op::FSub, Op::FMul, Op::FNegate, Op::FAbs, Op::FMax});
    add(kAbsolute, {Op::FAbs});
    add(kInverse, {Op::INegate, Op::Not});
    add(kNot, {Op::Select});
    add(kMask, {Op::INe});
    add(kBitcast, {Op::Bitcast});
    return table;
}();

/// Whether the components may be bitcasts of one value, possibly through a Compose.
inline bool may_be_one_bitcast(const Function& function, std::span<const Value> args) {
    Value first = kNone;
    for (const Value v : args) {
        if (is_constant(v) || function.instructions[v].op != Op::Bitcast) return false;
        const Value source = function.args[function.instructions[v].first_arg];
        if (first == kNone) first = source;
        if (source != first && (is_constant(source) || function.instructions[source].op != Op::Compose)) return false;
    }
    return true;
}

/// Whether this is a component of c ? k : l, where one condition selects between constants.
inline bool may_be_one_choice(const Function& function, Value select) {
    const auto args = function.args_of(function.instructions[select]);
    if (!is_constant(args[1]) || !is_constant(args[2])) return false;
    return is_constant(args[0]) || function.instructions[args[0]].type.components == 1;
}

/// For x op c, if nothing else is known about x: is there a law for this c, judged by its first word, or for x?
inline bool may_combine(const Module& module, const Function& function, Op op, Value a, Value b) {
    if (!is_constant(b) && !is_commutative(op)) return false;  // no law has c first
    const Value constant = is_constant(b) ? b : a, other = is_constant(b) ? a : b;
    const uint8_t wanted = kBesideConstant[static_cast<size_t>(op)];
    const uint32_t word = module.constant(constant).words[0];
    const int telling = beside::kAny | (word == 0 ? beside::kZero : 0) | (word == 1 ? beside::kOne : 0) |
                        (word == 0xffff'ffffu ? beside::kAllBits : 0) | (word == 0x3f80'0000u ? beside::kFloatOne : 0) |
                        (word == 0x8000'0000u ? beside::kMinusZero : 0);
    return (wanted & telling) != 0 || ((wanted & beside::kChain) != 0 && function.instructions[other].op == op);
}

/// False: fold_instruction() would not change the operation. `N` is the number of arguments if it is known.
template <size_t N>
[[gnu::always_inline]] inline bool may_fold(const Module& module, const Function& function, Op op, Type type,
                                            std::span<const Value, N> args) {
    const uint8_t laws = kLawsBegin[static_cast<size_t>(op)];
    if (laws == 0) return false;
    static constexpr Instruction kNothing{};
    const Instruction* const made = function.instructions.data();
    uint8_t seen = 0;
    size_t constants = 0;
    for (const Value v : args) {  // no branch: which arguments are constants is unpredictable
        const bool constant = is_constant(v);
        const Instruction& by = *(constant ? &kNothing : made + v);
        constants += constant;
        seen |= static_cast<uint8_t>(kMadeBy[static_cast<size_t>(by.op)] | (constant ? behind::kConstant : 0));
    }
    switch (op) {
        case Op::Compose:  // made from the result of resolve()
            if (args.size() == 1 && (seen & behind::kSelect)) return may_be_one_choice(function, args[0]);
            return (seen & behind::kBitcast) && may_be_one_bitcast(function, args);
        case Op::Select:
            if constexpr (N < 3)
                return false;
            else
                return (seen & laws) || is_constant(args[0]) || args[1] == args[2] || type.scalar == Scalar::Bool;
        case Op::LNot:
            return true;  // of any comparison
        default:
            if constexpr (N == 2)
                if ((seen & laws) == behind::kConstant && constants == 1)
                    return may_combine(module, function, op, args[0], args[1]);
            return (seen & laws) || (constants != 0 && constants == args.size()) ||
                   (args.size() == 2 && args[0] == args[1]);
    }
}

}  // namespace tgsi2spv::ir

// Builder: appends an instruction, or with `simplify` returns a value that makes it unnecessary.
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "ir/builder.h"
#include "ir/commutative.h"
#include "ir/equal.h"
#include "ir/fold.h"
#include "ir/may_fold.h"

namespace tgsi2spv::ir {
namespace {

constexpr Value kSimilarPhis = 4;
constexpr size_t kMaxFoldedArguments = 4;

/// For each operation, the properties that emit() tests, as bits.
enum : uint8_t { kArithmetic = 1, kMayBeKnown = 2, kReads = 4, kCommutes = 8 };
constexpr auto kEmission = [] {
    std::array<uint8_t, kOpCount> table{};
    for (size_t n = 0; n < table.size(); n++) {
        const auto op = static_cast<Op>(n);
        const Trait trait = trait_of(op);
        table[n] = static_cast<uint8_t>((is_float_arithmetic(op) ? kArithmetic : 0) |
                                        (trait == Trait::pure || trait == Trait::read ? kMayBeKnown : 0) |
                                        (trait == Trait::read ? kReads : 0) | (is_commutative(op) ? kCommutes : 0));
    }
    return table;
}();
constexpr uint8_t emission(Op op) {
    return kEmission[static_cast<size_t>(op)];
}

}  // namespace

template <size_t N>
[[gnu::always_inline]] inline Value Builder::append(uint64_t kind, uint32_t aux, std::span<const Value, N> args) {
    assert(!terminated_ && "no block is open");
    Function& f = *function_;
    const auto value = static_cast<Value>(f.instructions.size());
    Instruction& i = f.instructions.emplace_back();
    set_kind(i, kind);
    i.num_args = static_cast<uint32_t>(args.size());
    i.first_arg = static_cast<uint32_t>(f.args.size());
    i.aux = aux;
    i.offset_plus_one = offset_plus_one_;
    for (const Value a : args) f.args.push_back(a);
    return value;
}

/// Removes the last instruction, with all arguments from `args_before` on.
inline void Builder::take_back(uint32_t args_before) {
    function_->instructions.pop_back();
    function_->args.resize(args_before);
}

/// Whether the value's block dominates the current one. Searches from the end, where most values are; the entry block
/// dominates all.
bool Builder::stands_above(Value value) const {
    const auto& blocks = function_->blocks;
    if (value >= blocks.back().first || value < blocks[1].first) return true;
    size_t back = 1;
    while (back < blocks.size() && blocks[blocks.size() - back].first > value) back *= 2;
    const auto first = blocks.end() - static_cast<ptrdiff_t>(std::min(back, blocks.size()));
    const auto after = std::upper_bound(first, blocks.end() - static_cast<ptrdiff_t>(back / 2), value,
                                        [](Value v, const Block& b) { return v < b.first; });
    return dominators_.dominates(handles_[static_cast<size_t>(after - blocks.begin()) - 1], block_);
}

/// Returns an equal earlier instruction, or the new one.
template <size_t N>
[[gnu::always_inline]] inline Value Builder::numbered(uint64_t kind, uint32_t aux, std::span<const Value, N> args) {
    const Function& f = *function_;
    const auto next = static_cast<Value>(f.instructions.size());
    if (numbers_.size() >= kMaxNumbered) [[unlikely]]
        numbers_.clear(kMaxNumbered);
    uint32_t& first = numbers_.find_or_insert(hash_of(numbers_.seed(), kind, aux, args), next, [&](uint32_t other) {
        return equal(kind, aux, args, f.instructions[other], f.args.data());
    });
    if (first != next) {
        if (stands_above(first)) return first;
        first = next;  // the later one serves its successors; one entry per value keeps this linear
    }
    return append(kind, aux, args);
}

/// Tries folding and the laws, which need the instruction to be in the function.
[[gnu::noinline]] Value Builder::folded(uint64_t kind, uint32_t aux, std::span<const Value> args) {
    Function& f = *function_;
    const auto args_before = static_cast<uint32_t>(f.args.size());
    const Value last = append(kind, aux, args);
    const Value known = fold_instruction(*module_, f, last, constants_);
    if (known != last) {
        take_back(args_before);
        return known;
    }
    // The instruction, or its replacement, is numbered like any other.
    const Instruction& i = f.instructions[last];
    kind = kind_of(i);
    aux = i.aux;
    const auto left = std::as_const(f).args_of(i);
    std::array<Value, kMaxFoldedArguments> kept;
    for (size_t a = 0; a < left.size(); a++) kept[a] = left[a];
    if ((emission(i.op) & kCommutes) && kept[1] < kept[0]) std::swap(kept[0], kept[1]);
    take_back(args_before);
    return numbered(kind, aux, std::span<const Value>(kept.data(), left.size()));
}

template <size_t N>
Value Builder::emit_some(Op op, Type type, std::span<const Value, N> args, uint32_t aux, uint8_t sub) {
    const uint8_t traits = emission(op);
    const uint64_t kind = kind_of(op, type, precise_ && (traits & kArithmetic) != 0, sub);
    if (!simplify_ || (traits & kMayBeKnown) == 0) return append(kind, aux, args);
    if (may_fold(*module_, *function_, op, type, args)) return folded(kind, aux, args);
    if ((traits & kReads) && !is_repeatable(*module_, op, aux)) return append(kind, aux, args);
    if constexpr (N == 2) {
        if ((traits & kCommutes) && args[1] < args[0]) {
            const Value swapped[] = {args[1], args[0]};
            return numbered(kind, aux, std::span(swapped));
        }
    }
    return numbered(kind, aux, args);
}

template Value Builder::emit_some(Op, Type, std::span<const Value, 1>, uint32_t, uint8_t);
template Value Builder::emit_some(Op, Type, std::span<const Value, 2>, uint32_t, uint8_t);
template Value Builder::emit_some(Op, Type, std::span<const Value, 3>, uint32_t, uint8_t);
template Value Builder::emit_some(Op, Type, std::span<const Value, 4>, uint32_t, uint8_t);

Value Builder::emit(Op op, Type type, std::span<const Value> args, uint32_t aux, uint8_t sub) {
    switch (args.size()) {
        case 1:
            return emit_some(op, type, args.first<1>(), aux, sub);
        case 2:
            return emit_some(op, type, args.first<2>(), aux, sub);
        case 3:
            return emit_some(op, type, args.first<3>(), aux, sub);
        case 4:
            return emit_some(op, type, args.first<4>(), aux, sub);
        default:
            return emit_some(op, type, args, aux, sub);
    }
}

Value Builder::compose(std::span<const Component> components) {
    const Composition c = resolve(*module_, *function_, components);
    if (c.single != kNone) return c.single;
    if (c.constant) return constant_of(constant_words(*module_, c));
    return emit(Op::Compose, c.type, std::span(c.values.data(), c.type.components), c.selector);
}

Value Builder::select_components(Value value, int n, uint32_t selector) {
    constexpr uint32_t kInOrder = 0xe4;
    const Instruction& i = instruction(value);
    const uint32_t used = (1u << 2 * n) - 1;
    if (i.type.components == n && selector == (kInOrder & used)) return value;
    if (i.op == Op::Compose) {
        Component parts[4];
        for (int c = 0; c < n; c++) parts[c] = {value, static_cast<uint8_t>(selector >> 2 * c & 3)};
        return compose(std::span(parts, static_cast<size_t>(n)));
    }
    const Value args[4] = {value, value, value, value};
    return emit(Op::Compose, i.type.with(n), std::span(args, static_cast<size_t>(n)), selector);
}

Value Builder::phi(Type type, std::span<const Incoming> edges, uint32_t expected) {
    assert(block().first == function_->instructions.size() || function_->instructions.back().op == Op::Phi);
    const Value value = append(kind_of(Op::Phi, type, false, 0), 0, std::span<const Value, 0>());
    const auto room = std::max(static_cast<uint32_t>(edges.size()), expected);
    for (const Incoming& e : edges) {
        function_->args.push_back(e.value);
        function_->args.push_back(e.block);
    }
    Instruction& i = function_->instructions.back();
    i.num_args = static_cast<uint32_t>(2 * edges.size());
    i.aux = room;
    if (expected > edges.size()) {
        function_->args.resize(i.first_arg + size_t{2} * room, kNone);
        return value;  // with more edges it may come to differ from the phi that it equals now
    }
    if (!simplify_) return value;
    // Registers with the same writes have neighbouring phis; a table of all phis would be large and find few more.
    const Value first = std::max(block().first, value - std::min(value, kSimilarPhis));
    const uint32_t* const args = function_->args.data();
    for (Value other = first; other < value; other++) {
        const Instruction& o = function_->instructions[other];
        if (args[o.first_arg] != args[i.first_arg] || !equal(kind_of(i), i.aux, args_of(value), o, args)) continue;
        take_back(i.first_arg);
        return other;
    }
    return value;
}

}  // namespace tgsi2spv::ir

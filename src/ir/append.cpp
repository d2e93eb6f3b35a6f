// Builder: how an instruction comes to stand at the end, and with `simplify`, whether it does.
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "ir/builder.h"
#include "ir/equal.h"
#include "ir/passes/commutative.h"
#include "ir/passes/fold.h"
#include "ir/passes/may_fold.h"

namespace tgsi2spv::ir {
namespace {

constexpr Value kSimilarPhis = 4;

/// By operation, what emit() asks of it, as bits.
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

[[gnu::always_inline]] inline Value Builder::append(Op op, Type type, std::span<const Value> args, uint32_t aux,
                                                    uint8_t sub) {
    assert(!terminated_ && "no block is open");
    Function& f = *function_;
    const auto value = static_cast<Value>(f.instructions.size());
    const auto first_arg = static_cast<uint32_t>(f.args.size());
    Value* const to = f.args.extend(args.size());
    for (size_t a = 0; a < args.size(); a++) to[a] = args[a];
    *f.instructions.extend(1) = {.op = op,
                                 .type = type,
                                 .precise = precise_ && (emission(op) & kArithmetic) != 0,
                                 .sub = sub,
                                 .num_args = static_cast<uint32_t>(args.size()),
                                 .first_arg = first_arg,
                                 .aux = aux,
                                 .line = line_};
    return value;
}

/// Takes the last instruction back, with all arguments from `args_before` on.
inline void Builder::take_back(uint32_t args_before) {
    function_->instructions.pop_back();
    function_->args.resize(args_before);
}

/// Its block dominates the current one. Looked for from the end, where most are; and the entry dominates all.
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

/// The last instruction, or an equal one before it, which it then is not needed beside.
[[gnu::always_inline]] inline Value Builder::numbered(Value last, uint32_t args_before) {
    const Function& f = *function_;
    const Instruction& i = f.instructions[last];
    if (numbers_.size() >= kMostNumbered) numbers_.clear(kMostNumbered);
    uint32_t& first = numbers_.find_or_insert(hash_of(f, i), last,
                                              [&](uint32_t other) { return equal(f, i, f.instructions[other]); });
    if (first == last) return last;
    if (!stands_above(first)) {
        first = last;  // the later one serves what follows it; one entry a value keeps this linear
        return last;
    }
    const Value known = first;
    take_back(args_before);
    return known;
}

Value Builder::emit(Op op, Type type, std::span<const Value> args, uint32_t aux, uint8_t sub) {
    const auto args_before = static_cast<uint32_t>(function_->args.size());
    const Value last = append(op, type, args, aux, sub);
    if (!simplify_ || (emission(op) & kMayBeKnown) == 0) return last;
    Function& f = *function_;
    if (may_fold(f, f.instructions[last])) {
        const Value folded = fold_instruction(*module_, f, last, constants_);
        if (folded != last) {
            take_back(args_before);
            return folded;
        }
    }
    const Instruction& i = f.instructions[last];  // perhaps another operation by now
    const uint8_t traits = emission(i.op);
    if ((traits & kReads) && !is_repeatable(*module_, i)) return last;
    if (traits & kCommutes) {
        const auto both = f.args_of(f.instructions[last]);
        if (both[1] < both[0]) std::swap(both[0], both[1]);
    }
    return numbered(last, args_before);
}

Value Builder::compose(std::span<const Component> components) {
    const Composition c = resolve(*module_, *function_, components);
    if (c.single != kNone) return c.single;
    if (c.constant) return constant_of(constant_words(*module_, c));
    return emit(Op::Compose, c.type, std::span(c.values.data(), c.type.components), c.selector);
}

Value Builder::phi(Type type, std::span<const Incoming> edges, uint32_t expected) {
    assert(block().first == function_->instructions.size() || function_->instructions.back().op == Op::Phi);
    const Value value = append(Op::Phi, type, {}, 0, 0);
    const auto room = std::max(static_cast<uint32_t>(edges.size()), expected);
    uint32_t* arg = function_->args.extend(size_t{2} * room);
    for (const Incoming& e : edges) {
        *arg++ = e.value;
        *arg++ = e.block;
    }
    Instruction& i = function_->instructions.back();
    i.num_args = static_cast<uint32_t>(2 * edges.size());
    i.aux = room;
    if (expected > edges.size()) {
        std::fill_n(arg, 2 * (expected - edges.size()), kNone);
        return value;  // with more edges it may become different from what it equals now
    }
    if (!simplify_) return value;
    // Registers that are written alike stand side by side; a table of all phis would be large, and finds few.
    const Value first = std::max(block().first, value - std::min(value, kSimilarPhis));
    const uint32_t* const args = function_->args.data();
    for (Value other = first; other < value; other++) {
        const Instruction& o = function_->instructions[other];
        if (args[o.first_arg] != args[i.first_arg] || !equal(*function_, i, o)) continue;
        take_back(i.first_arg);
        return other;
    }
    return value;
}

}  // namespace tgsi2spv::ir

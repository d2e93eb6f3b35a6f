// Values of a module as nodes that two modules share: the same computation gives the same node, even if one module
// takes a detour. Internal to equal.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <tuple>
#include <vector>

namespace tgsi2spv::difftest::mutation {

/// One component. What is known about its word: a range as an unsigned number and, if `real`, as a float that is
/// neither NaN nor an infinity.
struct Node {
    spv::Op op{};
    uint32_t bits = 0;  ///< 1, 32, 64; 0: no number
    uint64_t literal =
        0;  ///< constants: the word; components: which; functions: their number; else a place in the text
    std::vector<uint32_t> operands{};
    uint64_t lo = 0, hi = ~uint64_t{0};
    /// As a signed number; no wider than `lo` and `hi` imply where these have the same sign.
    int64_t least_signed = std::numeric_limits<int64_t>::min(), most_signed = std::numeric_limits<int64_t>::max();
    bool real = false;
    bool ranged = false;  ///< `least` and `most` bound it, even if it is an infinity, unless it is NaN
    double least = 0, most = 0;
    bool naught = false;    ///< as a float: a zero of either sign, or NaN
    bool no_minus = false;  ///< as a float: not -0
    bool whole = false;     ///< as a float: an integer, unless it is NaN or an infinity
    bool kept = false;      ///< as a float: a number that adding a zero does not change: no denormal, and not -0

    bool is_constant() const { return op == spv::Op::OpConstant; }
};

/// A word as a float: a number between two bounds, possibly always an integer.
struct FloatRange {
    bool real = false, whole = false;
    double least = 0, most = 0;  ///< if `real`
    bool operator==(const FloatRange&) const = default;
};

/// A word as an unsigned and as a signed number, and as a float.
struct Range {
    uint64_t lo = 0, hi = ~uint64_t{0};
    int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
    FloatRange number{};
    bool operator==(const Range&) const = default;
};
inline FloatRange hull(const FloatRange& a, const FloatRange& b) {
    if (!a.real || !b.real) return {};
    return {true, a.whole && b.whole, std::min(a.least, b.least), std::max(a.most, b.most)};
}
inline Range hull(const Range& a, const Range& b) {
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), std::min(a.least, b.least), std::max(a.most, b.most),
            hull(a.number, b.number)};
}

/// The lowest bits of a word, if they are always the same.
struct LowBits {
    uint32_t count = 0;
    uint64_t word = 0;
};

/// What is known about conditions, by node.
using Facts = std::map<uint32_t, bool>;

class Nodes {
  public:
    /// What Vulkan leaves open counts as the same: the sine of an angle beyond 2^15 or of NaN, the sign of a sine's
    /// zero, a denormal that one operation may flush and another may not.
    bool open_alike = false;
    const Node& operator[](uint32_t id) const { return all_[id]; }
    uint32_t constant(uint32_t bits, uint64_t word);
    /// A value of its own, named by operation, literal and operands: no rule applies to it.
    uint32_t opaque(spv::Op op, uint32_t bits, uint64_t literal, std::vector<uint32_t> operands);
    /// Applies the rules of integers, of truth values and of floats that round to nearest.
    uint32_t make(spv::Op op, uint32_t bits, uint64_t literal, std::vector<uint32_t> operands);
    /// Limits it to at most `hi`.
    uint32_t bounded(uint32_t id, uint64_t hi);
    void at_least(uint32_t id, uint64_t lo) { all_[id].lo = std::max(all_[id].lo, lo); }
    void within(uint32_t id, const Range& range);
    /// The range of its word where the facts hold.
    Range range(uint32_t id, const Facts& facts);
    /// For example, of an index that is twice a number plus one.
    LowBits low_bits(uint32_t id, int depth) const;
    /// The node where the facts hold.
    uint32_t under(uint32_t id, const Facts& facts);
    /// Adds what follows if the node is true (`holds`) or false.
    void learn(Facts& facts, uint32_t id, bool holds);
    /// A float of the same magnitude, for a use that does not see the sign.
    uint32_t without_sign(uint32_t id, int depth = 8);
    /// Facts that hold in each lane of a quad, and so in what a lane reads from its neighbours.
    Facts in_quad{};

  private:
    using Key = std::tuple<spv::Op, uint32_t, uint64_t, std::vector<uint32_t>>;
    std::vector<Node> all_;
    std::map<Key, uint32_t> known_;
    bool through_loads_ = true;  ///< also rebuilds what is loaded

    std::optional<uint32_t> simple(spv::Op op, uint32_t bits, uint64_t literal, const std::vector<uint32_t>& o);
    std::optional<uint32_t> simple_select(uint32_t bits, uint32_t c, uint32_t a, uint32_t b);
    /// For a computation on constants and a selection among constants: the selection among the results for each.
    std::optional<uint32_t> of_selection(spv::Op op, uint32_t bits, uint64_t literal, const std::vector<uint32_t>& o);
    /// For a computation on an integer that is a constant if some word has one value (the guard of a quotient that does
    /// not fit): also becomes a selection, so that both arms may turn out equal.
    std::optional<uint32_t> of_one_word(spv::Op op, uint32_t bits, const std::vector<uint32_t>& o);
    /// Where the condition leaves only one word for a value, puts that word in the value's place.
    uint32_t with_word(uint32_t id, uint32_t condition);
    std::optional<uint32_t> simple_truth(spv::Op op, const std::vector<uint32_t>& o);
    /// A chain of AND or of OR, with each part once and in one order.
    uint32_t joined(spv::Op op, const std::vector<uint32_t>& o);
    std::optional<uint32_t> simple_integer(spv::Op op, uint32_t bits, const std::vector<uint32_t>& o);
    std::optional<uint32_t> simple_float(spv::Op op, uint32_t bits, uint64_t function, const std::vector<uint32_t>& o);
    std::optional<uint32_t> simple_function(uint32_t bits, uint64_t function, const std::vector<uint32_t>& o);
    void bound(Node& n) const;
    void bound_integer(Node& n) const;
    void bound_signed(Node& n) const;
    void bound_float(Node& n) const;
    bool is_whole(const Node& n) const;
    bool has_no_minus(const Node& n) const;
    /// Applies what a comparison of floats says about the range of one that it compares.
    void refine_float(Node& n, uint32_t id, const Node& fact, bool holds) const;
    /// The minimum or maximum of two integers that a fact compares.
    std::optional<uint32_t> of_known_order(const Node& n, const std::vector<uint32_t>& operands, const Facts& facts);
    /// A comparison or clamp of floats, if the facts say enough about their ranges.
    std::optional<uint32_t> of_narrowed_floats(const Node& n, const std::vector<uint32_t>& operands,
                                               const Facts& facts);
    /// The node with what the facts say about its range.
    Node refined(uint32_t id, const Facts& facts) const;
    /// The same, and what they say about the ranges of its operands.
    Node narrowed(uint32_t id, const Facts& facts, int depth);
    /// A clamp of a number that is never above the upper limit.
    std::optional<uint32_t> of_clamp(uint64_t function, const std::vector<uint32_t>& o);
    uint32_t without_one(uint32_t id) const;
    /// If the ranges of two floats are in order, a comparison only asks whether one is NaN.
    std::optional<uint32_t> unless_nan(spv::Op op, const std::vector<uint32_t>& o);
    /// Whether it is one of some constants.
    bool chooses_constants(uint32_t id, int depth) const;
    /// x for x + 0, whatever the sign of that 0. If x is 0, its sign is not known: a cosine does not see it, and a
    /// sine's own zero may have either.
    uint32_t without_zero(uint32_t id) const;
    /// `x = 0 ? 0 : x * C` is x * C except for the sign of a zero (LEGACY_MATH_RULES, with a constant).
    uint32_t without_zero_choice(uint32_t id);
    /// Removes the limit of a clamp if a fact says that the number is below it.
    std::optional<uint32_t> without_limit(const Node& clamp, const std::vector<uint32_t>& operands, const Facts& facts);
    /// For a selection of an angle if another angle is small enough, or a number: the first angle. What the other angle
    /// gives in the remaining cases is open (reference/README.md: sines beyond 2^15, functions of NaN).
    uint32_t of_known_angles(uint32_t id) const;
    std::optional<uint32_t> difference_of_same(uint32_t id, const Facts& facts);
    bool is_finite(uint32_t id, const Facts& facts) const;
    /// Some NaN: it is not specified which.
    uint32_t nan() { return opaque(spv::Op::OpUndef, 32, ~uint64_t{0}, {}); }
    bool is_nan(uint32_t id) const { return all_[id].op == spv::Op::OpUndef && all_[id].literal == ~uint64_t{0}; }
    uint32_t truth(bool b) { return constant(1, b ? 1 : 0); }
    uint32_t rebuilt(uint32_t id, const Facts& facts, std::map<uint32_t, uint32_t>& done, int depth);
};

/// The largest word of `bits` bits.
uint64_t limit(uint32_t bits);

inline int64_t as_signed(uint64_t word, uint32_t bits) {
    return bits == 64 ? static_cast<int64_t>(word) : static_cast<int32_t>(static_cast<uint32_t>(word));
}
inline float as_float(uint64_t word) {
    return std::bit_cast<float>(static_cast<uint32_t>(word));
}
inline uint64_t as_word(float f) {
    return std::bit_cast<uint32_t>(f);
}
/// A float that every device computes in the same way: not one that it may flush, nor one that has several words.
inline bool is_plain(float f) {
    return f == 0 || std::isnormal(f);
}
inline bool orders_floats(spv::Op op) {
    return op >= spv::Op::OpFOrdEqual && op <= spv::Op::OpFUnordGreaterThanEqual;
}

bool compares_integers(spv::Op op);

/// The result of a comparison of integers, if the order of their ranges decides it.
std::optional<uint64_t> fold_ranges(spv::Op op, const Node& a, const Node& b);

/// The result of a comparison of floats, if the order of their ranges decides it.
std::optional<bool> fold_order(spv::Op op, const Node& a, const Node& b);

/// Each range takes over what the other one knows.
void settle_ranges(Node& n);

/// Reads neighbours, or a time: facts about this lane do not hold of what it reads.
bool crosses_lanes(spv::Op op);

}  // namespace tgsi2spv::difftest::mutation

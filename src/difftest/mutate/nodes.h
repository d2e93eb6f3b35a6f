// Values of a module as nodes that two modules share: what is computed in the same way is the same node, also where one
// of them takes a detour. Internal to mutate_equal.
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

/// One component. What is known of its word: a range as an unsigned number, and, where `real`, as a float that is
/// neither NaN nor an infinity.
struct Node {
    spv::Op op{};
    uint32_t bits = 0;  ///< 1, 32, 64; 0: no number
    uint64_t literal =
        0;  ///< constants: the word; components: which; functions: their number; else a place in the text
    std::vector<uint32_t> operands{};
    uint64_t lo = 0, hi = ~uint64_t{0};
    /// As a signed number; no wider than `lo` and `hi` say where these lie on one side of the sign.
    int64_t least_signed = std::numeric_limits<int64_t>::min(), most_signed = std::numeric_limits<int64_t>::max();
    bool real = false;
    bool ranged = false;  ///< `least` and `most` bound it, an infinity too, unless it is NaN
    double least = 0, most = 0;
    bool naught = false;    ///< as a float: a zero of either sign, or NaN
    bool no_minus = false;  ///< as a float: no -0
    bool whole = false;     ///< as a float: an integer, unless it is NaN or an infinity
    bool kept = false;      ///< as a float: a number that stays as it is where a zero is added: no denormal, nor -0

    bool is_constant() const { return op == spv::Op::OpConstant; }
};

/// Of a word as a float: a number between two, an integer maybe.
struct FloatRange {
    bool real = false, whole = false;
    double least = 0, most = 0;  ///< where it is a number
    bool operator==(const FloatRange&) const = default;
};

/// Of a word: as an unsigned and as a signed number, and as a float.
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

/// The lowest so many bits of a word, where they are always the same.
struct LowBits {
    uint32_t count = 0;
    uint64_t word = 0;
};

/// What conditions are known to be: by node.
using Facts = std::map<uint32_t, bool>;

class Nodes {
  public:
    /// What Vulkan leaves open counts as the same: the sine of an angle beyond 2^15 or of NaN, the sign of a sine's
    /// zero, a denormal that one operation may flush and another not.
    bool open_alike = false;
    const Node& operator[](uint32_t id) const { return all_[id]; }
    uint32_t constant(uint32_t bits, uint64_t word);
    /// A value of its own, named by operation, literal and operands: no rule is applied to it.
    uint32_t opaque(spv::Op op, uint32_t bits, uint64_t literal, std::vector<uint32_t> operands);
    /// By the rules of integers, of truth values and of floats that are rounded to the nearest.
    uint32_t make(spv::Op op, uint32_t bits, uint64_t literal, std::vector<uint32_t> operands);
    /// No more than `hi`.
    uint32_t bounded(uint32_t id, uint64_t hi);
    void at_least(uint32_t id, uint64_t lo) { all_[id].lo = std::max(all_[id].lo, lo); }
    void within(uint32_t id, const Range& range);
    /// What its word is where the facts hold.
    Range range(uint32_t id, const Facts& facts);
    /// Of an index that is twice a number, and one, say.
    LowBits low_bits(uint32_t id, int depth) const;
    /// The node where the facts hold.
    uint32_t under(uint32_t id, const Facts& facts);
    /// Adds what follows from the node's being so.
    void learn(Facts& facts, uint32_t id, bool holds);
    /// A float of the same size, of which the sign is not seen.
    uint32_t without_sign(uint32_t id, int depth = 8);
    /// What holds in each lane of a quad, and so in what it reads of its neighbours.
    Facts in_quad{};

  private:
    using Key = std::tuple<spv::Op, uint32_t, uint64_t, std::vector<uint32_t>>;
    std::vector<Node> all_;
    std::map<Key, uint32_t> known_;
    bool through_loads_ = true;  ///< what is loaded is rebuilt, too

    std::optional<uint32_t> simple(spv::Op op, uint32_t bits, uint64_t literal, const std::vector<uint32_t>& o);
    std::optional<uint32_t> simple_select(uint32_t bits, uint32_t c, uint32_t a, uint32_t b);
    /// What is computed of a selection among constants, and of constants: chosen among what is computed of each.
    std::optional<uint32_t> of_selection(spv::Op op, uint32_t bits, uint64_t literal, const std::vector<uint32_t>& o);
    /// What is computed of an integer that is a constant where a word is another one (the guard of a quotient that does
    /// not fit): chosen, too, so that both ways may come to the same.
    std::optional<uint32_t> of_one_word(spv::Op op, uint32_t bits, const std::vector<uint32_t>& o);
    /// With the one word that the condition leaves a value in that value's place.
    uint32_t with_word(uint32_t id, uint32_t condition);
    std::optional<uint32_t> simple_truth(spv::Op op, const std::vector<uint32_t>& o);
    /// What is joined by AND, or by OR, each part but once and in one order.
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
    /// What a comparison of floats says of the range of one that it compares.
    void refine_float(Node& n, uint32_t id, const Node& fact, bool holds) const;
    /// The less of two integers, or the greater, that a fact compares.
    std::optional<uint32_t> of_known_order(const Node& n, const std::vector<uint32_t>& operands, const Facts& facts);
    /// A comparison, or a clamp, of floats of whose ranges the facts say enough.
    std::optional<uint32_t> of_narrowed_floats(const Node& n, const std::vector<uint32_t>& operands,
                                               const Facts& facts);
    /// What the facts say of its range.
    Node refined(uint32_t id, const Facts& facts) const;
    /// And of the ranges of what it is computed of.
    Node narrowed(uint32_t id, const Facts& facts, int depth);
    /// A number that is never above the upper limit.
    std::optional<uint32_t> of_clamp(uint64_t function, const std::vector<uint32_t>& o);
    uint32_t without_one(uint32_t id) const;
    /// Of floats in ranges that are in order a comparison asks only whether one is NaN.
    std::optional<uint32_t> unless_nan(spv::Op op, const std::vector<uint32_t>& o);
    /// It is one of some constants.
    bool chooses_constants(uint32_t id, int depth) const;
    /// x + 0, of whatever sign that is, but for x being 0: then its sign is not known. A cosine does not see it, and a
    /// sine's own zero may have either.
    uint32_t without_zero(uint32_t id) const;
    /// `x = 0 ? 0 : x * C` is x * C but for the sign of a zero (LEGACY_MATH_RULES, of a constant).
    uint32_t without_zero_choice(uint32_t id);
    /// A number that is below one fact's limit is not cut off there.
    std::optional<uint32_t> without_limit(const Node& clamp, const std::vector<uint32_t>& operands, const Facts& facts);
    /// An angle that is chosen where another one is small enough, or a number: what that one gives where it is not is
    /// open (reference/README.md: sines beyond 2^15, functions of NaN).
    uint32_t of_known_angles(uint32_t id) const;
    std::optional<uint32_t> difference_of_same(uint32_t id, const Facts& facts);
    bool is_finite(uint32_t id, const Facts& facts) const;
    /// Some NaN: which one is nowhere said.
    uint32_t nan() { return opaque(spv::Op::OpUndef, 32, ~uint64_t{0}, {}); }
    bool is_nan(uint32_t id) const { return all_[id].op == spv::Op::OpUndef && all_[id].literal == ~uint64_t{0}; }
    uint32_t truth(bool b) { return constant(1, b ? 1 : 0); }
    uint32_t rebuilt(uint32_t id, const Facts& facts, std::map<uint32_t, uint32_t>& done, int depth);
};

/// The largest word of so many bits.
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
/// What every device computes in the same way: not what it may flush, nor what has several words.
inline bool is_plain(float f) {
    return f == 0 || std::isnormal(f);
}
inline bool orders_floats(spv::Op op) {
    return op >= spv::Op::OpFOrdEqual && op <= spv::Op::OpFUnordGreaterThanEqual;
}

bool compares_integers(spv::Op op);

/// What a comparison of integers gives, where the order of two ranges tells.
std::optional<uint64_t> fold_ranges(spv::Op op, const Node& a, const Node& b);

/// What a comparison of floats gives, where the order of two ranges tells.
std::optional<bool> fold_order(spv::Op op, const Node& a, const Node& b);

/// Each range says what the other one knows.
void settle_ranges(Node& n);

/// Of neighbours, or of a time: no fact about this lane is one about what it reads.
bool crosses_lanes(spv::Op op);

}  // namespace tgsi2spv::difftest::mutation

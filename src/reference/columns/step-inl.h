// A step with bounds. If words suffice, it is executed as without bounds (words-inl.h), otherwise with ends
// (bounds-inl.h). For lanes that these cannot handle, every combination of the words of sets is executed; for what
// remains, the interpreter's function, lane by lane.
#if defined(TGSI2SPV_COLUMNS_STEP) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_STEP
#undef TGSI2SPV_COLUMNS_STEP
#else
#define TGSI2SPV_COLUMNS_STEP
#endif

#include "reference/columns/bounds-inl.h"
#include "reference/columns/sums_of_sets-inl.h"
#include "reference/columns/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// Whether the interpreter's function of sets of words gives the results of every combination of the words.
inline bool goes_word_by_word(Action a) {
    switch (a) {
        case Action::Negate:
        case Action::Absolute:
        case Action::Saturate:
        case Action::LightExponent:
        case Action::Add:
        case Action::Subtract:
        case Action::Multiply:
        case Action::Square:
        case Action::MultiplyAdd:
        case Action::Reciprocal:
        case Action::ReciprocalRoot:
        case Action::Root:
        case Action::Exp2:
        case Action::Log2:
        case Action::Minimum:
        case Action::Maximum:
            return true;
        default:
            return false;
    }
}

/// Lanes with operands that are sets of words: executes the same kernel on every combination of the words. If one
/// operand is an interval, the other operands become the ranges around their sets, as in the interpreter; sets of words
/// far from each other are left to it.
class OfSets {
  public:
    explicit OfSets(const Step& step) : step_(step) {}

    /// Adds a lane. Returns false if this class cannot handle it.
    bool add(const At& at, size_t lane) {
        Entry entries[kMaxOperands];
        ShortSet sets[kMaxOperands];
        uint32_t combinations = 1;
        bool any_set = false, any_interval = false;
        for (size_t k = 0; k < step_.operands; ++k) {
            const Entry e = entries[k] = at.entry(k, lane);
            if (e.lo == e.hi) continue;
            if (!is_marked(e)) {
                any_interval = true;
                continue;
            }
            sets[k] = at.boxes.set_of(e);
            if (sets[k].count == 0) return false;
            combinations *= sets[k].count;
            any_set = true;
        }
        if (!any_set || combinations > kMaxCombinations) return false;
        // Next to an interval, each alternative gives one.
        for (size_t k = 0; any_interval && k < step_.operands; ++k)
            if (is_apart(sets[k])) return false;
        const size_t n = used_++;
        lanes_[n] = static_cast<uint8_t>(lane);
        for (size_t k = 0; k < step_.operands; ++k) {
            const Entry& e = entries[k];
            uint32_t* to = operands_[k] + n;
            for (size_t i = 0; i < 4; ++i) to[i * kLanes] = e.value;
            if (any_interval) {
                to[kLanes] = e.lo;
                to[2 * kLanes] = e.hi;
                if (sets[k].count != 0) ends_of_set(sets[k], to[kLanes], to[2 * kLanes]);
            } else if (sets[k].count != 0) {
                const uint32_t count = sets[k].count;
                for (size_t i = 0; i < 4; ++i) to[i * kLanes] = sets[k].words[std::min<size_t>(i, count - 1)];
                most_words_[k] = std::max(most_words_[k], count);
            }
        }
        (any_interval ? intervals_ : words_) |= Bits{1} << n;
        return true;
    }

    /// Executes the lanes, and combines the results of each. Returns the lanes that it could not handle.
    Bits run(const Code& code, const At& at) {
        if (used_ == 0) return 0;
        for (size_t k = 0; k < step_.operands; ++k)
            for (size_t i = 0; i < 4; ++i)
                std::fill(operands_[k] + i * kLanes + used_, operands_[k] + i * kLanes + round_up(used_), 0u);
        if (intervals_ != 0) execute(code, at, {0, 0, 0}, kLanes, intervals_);
        if (words_ != 0)
            for (uint32_t i = 0; i < most_words_[0]; ++i)
                for (uint32_t j = 0; j < most_words_[1]; ++j)
                    for (uint32_t k = 0; k < most_words_[2]; ++k) execute(code, at, {i, j, k}, 0, words_);
        Bits left = 0;
        for (size_t n = 0; n < used_; ++n)
            if (bad_[n] != 0 || !gathered_.put(at, n, lanes_[n], true)) left |= Bits{1} << lanes_[n];
        return left;
    }

  private:
    static constexpr uint32_t kMaxCombinations = 16;
    static constexpr size_t kMaxOperands = 3;
    static size_t round_up(size_t n) { return (n + kWidest - 1) / kWidest * kWidest; }

    /// Executes the step with the words `chosen` of the operands, or with planes that are `plane` words apart; adds the
    /// results to those of the lanes `of`.
    void execute(const Code& code, const At& lanes, const std::array<uint32_t, kMaxOperands>& chosen, uint32_t plane,
                 Bits of) {
        alignas(64) uint32_t bad[kLanes] = {}, here[kLanes];
        At at(step_, out_, bad, kEveryLane, lanes.boxes, round_up(used_));
        const Holds holds = plane == 0 ? Holds::Words : Holds::Ends;
        for (size_t k = 0; k < step_.operands; ++k) at.from[k] = {operands_[k] + chosen[k] * kLanes, ~0u, plane, holds};
        run_vectors(code, at);
        spread(of, here);
        for (size_t n = 0; n < used_; n += hn::Lanes(kW)) {
            const Mask counts = hn::MaskFromVec(hn::Load(kW, here + n));
            gathered_.add(n, counts, floats(hn::Load(kW, out_ + kLanes + n)),
                          floats(hn::Load(kW, out_ + 2 * kLanes + n)));
            const W b = hn::IfThenElseZero(counts, hn::Load(kW, bad + n));
            hn::Store(hn::Or(hn::Load(kW, bad_ + n), b), kW, bad_ + n);
        }
    }

    const Step& step_;
    size_t used_ = 0;
    Bits words_ = 0, intervals_ = 0;
    uint32_t most_words_[kMaxOperands] = {1, 1, 1};
    uint8_t lanes_[kLanes];
    alignas(64) uint32_t operands_[kMaxOperands][4 * kLanes];  ///< words; or the plainest value and the ends
    alignas(64) uint32_t out_[3 * kLanes];
    alignas(64) uint32_t bad_[kLanes] = {};
    Gathered gathered_;
};

/// Executes one lane with the interpreter's function.
inline void value_at(const At& at, const Context& c, size_t lane) {
    Value x[8], r;
    for (size_t k = 0; k < at.step.operands; ++k) x[k] = at.boxes.value_of(at.entry(k, lane));
    Entry e;
    at.bad[lane] = evaluate(at.step, c, x, r) && at.boxes.put(r, at.step.origin, e) ? 0 : ~0u;
    at.put(lane, e);
}
/// Adds lanes to a class that executes several at once. Returns those that it cannot handle.
template <class Several>
Bits add_lanes(Several& several, const At& at, Bits lanes) {
    Bits left = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(lanes));
        if (!several.add(at, lane)) left |= Bits{1} << lane;
    }
    return left;
}
/// Executes lanes of a sum. Returns those that remain.
template <int kTerms>
Bits run_sums(const At& at, Bits lanes) {
    SumsOfSets<kTerms> sums;
    const Bits left = add_lanes(sums, at, lanes);
    return left | sums.run(at);
}

/// Executes the lanes `rest`, which no vector kernel can handle. Adds to `escaped` those that nothing here can handle.
HWY_NOINLINE void run_lanes(const Code& code, const At& at, Bits rest, uint32_t* escaped) {
    if (goes_word_by_word(at.step.action)) {
        OfSets sets(at.step);
        const Bits left = add_lanes(sets, at, rest);
        rest = left | sets.run(code, at);
    } else if (at.step.action == Action::Dot) {
        rest = at.step.terms == 2   ? run_sums<2>(at, rest)
               : at.step.terms == 3 ? run_sums<3>(at, rest)
                                    : run_sums<4>(at, rest);
    }
    for (; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        value_at(at, code.context, lane);
        escaped[lane] |= at.bad[lane];
    }
}

inline Operand operand_of(const Source& s, const uint32_t* block) {
    const uint32_t* at = block + s.at;
    if (s.is_uniform()) return {at, 0, 0, Holds::Words};
    return {at, s.mask, plane_of(at), held_by(at)};
}
/// Whether the ends differ in some lane.
inline bool has_ends(const uint32_t* column) {
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW))
        if (!hn::AllTrue(kW, hn::Eq(hn::Load(kW, column + kLanes + i), hn::Load(kW, column + 2 * kLanes + i))))
            return true;
    return false;
}

/// Executes a step in the lanes `exec`; adds to `escaped` the lanes whose result it cannot determine.
inline void run(const Code& code, const Step& step, const uint32_t* block, uint32_t* out, Bits exec, Boxes& boxes,
                uint32_t* escaped) {
    alignas(64) uint32_t bad[kLanes];
    At at(step, out, bad, exec, boxes);
    bool all_words = true;
    for (size_t k = 0; k < step.operands; ++k) {
        at.from[k] = operand_of(step.from[k], block);
        all_words &= at.is_words(k);
    }
    if (all_words && run_words(code, at, block)) return;
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) hn::Store(word(0), kW, bad + i);
    run_vectors(code, at);
    W any_bad = word(0);
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) any_bad = hn::Or(any_bad, hn::Load(kW, bad + i));
    if (HWY_UNLIKELY(any(any_bad))) run_lanes(code, at, gather(bad) & exec, escaped);
    set_holds(out, has_ends(out) ? Holds::Ends : Holds::Words);
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target

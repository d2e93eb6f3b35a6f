// DP2, DP3, DP4 of words and sets of words, as in float_sum.cpp: all results are listed, for many lanes at once.
#if defined(TGSI2SPV_COLUMNS_SUMS_OF_SETS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_SUMS_OF_SETS
#undef TGSI2SPV_COLUMNS_SUMS_OF_SETS
#else
#define TGSI2SPV_COLUMNS_SUMS_OF_SETS
#endif

#include "reference/columns/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// The possible values of a sum of some products: up to four words, or everything between two ends.
class AllSums {
  public:
    HWY_INLINE AllSums() {}
    /// Sets the word around which words are listed; otherwise it is the first one.
    HWY_INLINE void be_around(W plain) {
        base_ = plain;
        has_base_ = true;
    }
    HWY_INLINE void put(F x) {
        if (!has_base_) be_around(words(x));
        const W n = hn::Sub(words(x), hn::Sub(base_, word(kBefore)));
        all_ = hn::Or(all_, n);
        bits_ = hn::Or(bits_, hn::Shl(word(1), hn::And(n, word(31))));
        low_ = hn::Min(low_, x);
        high_ = hn::Max(high_, x);
    }
    /// Called after the results of one operation. `of_range`: ~0 if the interpreter knows only its ends.
    HWY_INLINE void close(W of_range) {
        is_range_ = hn::Or(is_range_, hn::And(of_range, truth(mask_of(hn::Lt(low_, high_)))));
        least_ = hn::Min(least_, low_);
        most_ = hn::Max(most_, high_);
        low_ = number(HUGE_VALF);
        high_ = number(-HUGE_VALF);
    }
    /// Called after all operations: lists the values from which further sums are made. For a range the ends suffice,
    /// since additions are monotone.
    HWY_INLINE void list() {
        const Mask range = hn::MaskFromVec(is_range());
        W rest = bits_;
        for (count_ = 0; count_ < 4; ++count_) {
            if (count_ >= 2 && hn::AllTrue(kW, hn::Or(range, hn::Eq(rest, word(0))))) break;
            const W lowest = lowest_alone(rest);
            const F end = count_ % 2 == 0 ? least_ : most_;
            const F listed = floats(hn::Add(hn::Sub(base_, word(kBefore)), highest_bit(lowest)));
            // If there are fewer words, ends take their place.
            const Mask ends = hn::Or(range, hn::Eq(rest, word(0)));
            list_[count_] = hn::IfThenElse(hn::RebindMask(kF, ends), end, listed);
            rest = hn::Xor(rest, lowest);
        }
    }
    unsigned count() const { return count_; }
    const F& operator[](unsigned i) const { return list_[i]; }
    F least() const { return least_; }
    F most() const { return most_; }
    /// As in Listed. `outside`: ~0 if some word has no bit.
    W bits() const { return bits_; }
    W outside() const { return truth(hn::Ne(hn::AndNot(word(31), all_), word(0))); }
    W how_many() const { return hn::PopulationCount(bits_); }
    /// ~0 if the interpreter has an interval, since it lists at most four words.
    W is_range() const { return hn::Or(is_range_, more_than_four(bits_)); }

  private:
    F list_[4];
    unsigned count_ = 0;
    bool has_base_ = false;
    W base_ = word(0), bits_ = word(0), all_ = word(0), is_range_ = word(0);
    F low_ = number(HUGE_VALF), high_ = number(-HUGE_VALF), least_ = low_, most_ = high_;
};

template <int kTerms>
class SumsOfSets {
  public:
    /// Adds a lane. Returns false if this class cannot handle it.
    bool add(const At& at, size_t lane) {
        const size_t n = used_;
        bool any_set = false;
        uint32_t most[2 * kTerms];
        for (unsigned k = 0; k < 2 * kTerms; ++k) {
            const Entry e = at.entry(k, lane);
            const bool is_word = e.lo == e.hi;
            const ShortSet set = is_word ? ShortSet{1, {e.lo}} : at.boxes.set_of(e);
            if (set.count == 0 || is_apart(set)) return false;
            any_set |= !is_word;
            count_[k][n] = set.count;
            most[k] = std::max(most_[k], count_[k][n]);
            for (uint32_t i = 0; i < kMaxWords; ++i) {
                const uint32_t w = set.words[std::min(i, set.count - 1)];
                words_[k][i][n] = w;
                if (is_nan(w) || is_unfit_end(w) || ((w ^ words_[k][0][n]) & kSign) != 0) return false;
            }
        }
        for (unsigned t = 0; t < kTerms; ++t)
            if (!at.is_square(t) && most[2 * t] * most[2 * t + 1] > kMaxWords) return false;
        if (!any_set) return false;
        std::copy_n(most, 2 * kTerms, most_);
        lanes_[used_++] = static_cast<uint8_t>(lane);
        return true;
    }

    /// Stores the possible sums. Returns the lanes that it could not handle.
    Bits run(const At& at) {
        Bits left = 0;
        for (size_t first = 0; first < used_; first += hn::Lanes(kW)) {
            const size_t count = std::min(used_ - first, hn::Lanes(kW));
            alignas(64) uint32_t plain[kWidest] = {}, least[kWidest], most[kWidest], bits[kWidest], bad[kWidest];
            for (size_t i = 0; i < count; ++i) plain[i] = at.out[lanes_[first + i]];
            AllSums sums[1u << kTerms];
            AllSums& all = sums[(1u << kTerms) - 1];
            all.be_around(hn::Load(kW, plain));
            W is_bad = word(0);
            add_up(at, first, sums, is_bad);
            is_bad = hn::Or(is_bad, hn::AndNot(all.is_range(), all.outside()));
            // The interpreter knows which zero it is.
            is_bad = hn::Or(is_bad, hn::Not(truth(mask_of(hn::Gt(hn::Mul(all.least(), all.most()), hn::Zero(kF))))));
            hn::Store(words(all.least()), kW, least);
            hn::Store(words(all.most()), kW, most);
            hn::Store(hn::AndNot(all.is_range(), all.bits()), kW, bits);
            hn::Store(is_bad, kW, bad);
            for (size_t i = 0; i < count; ++i) {
                const size_t lane = lanes_[first + i];
                Entry e{plain[i], least[i], most[i]};
                if (bad[i] != 0 || (bits[i] != 0 && !put_listed(plain[i], bits[i], at.step, at.boxes, e)))
                    left |= Bits{1} << lane;
                else
                    at.put(lane, e);
            }
        }
        return left;
    }

  private:
    static constexpr uint32_t kMaxWords = 4;

    /// Computes the possible values of every set of products, for a vector of lanes.
    HWY_INLINE void add_up(const At& at, size_t first, AllSums* sums, W& bad) const {
        F x[kTerms][kMaxWords], y[kTerms][kMaxWords];
        unsigned pairs[kTerms] = {};
        for (unsigned t = 0; t < kTerms; ++t) {
            const auto factor = [&](unsigned k, unsigned i)
                                    HWY_ATTR { return floats(hn::Load(kW, words_[k][i] + first)); };
            const bool square = at.is_square(t);
            AllSums& product = sums[1u << t];
            for (unsigned i = 0; i < most_[2 * t]; ++i)
                for (unsigned j = square ? i : 0; j < (square ? i + 1 : most_[2 * t + 1]); ++j) {
                    const F p = factor(2 * t, i), q = factor(2 * t + 1, j), r = hn::Mul(p, q);
                    x[t][pairs[t]] = p;
                    y[t][pairs[t]++] = q;
                    product.put(r);
                    bad = hn::Or(bad, hn::Not(is_usual_product(p, q, r)));
                }
            product.close(word(0));
            product.list();
            bad = hn::Or(bad, product.outside());
        }
        for (unsigned set = 3; set < 1u << kTerms; ++set) {
            if ((set & (set - 1)) == 0) continue;
            AllSums& sum = sums[set];
            for (unsigned part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set) {
                const AllSums &p = sums[part], &q = sums[set ^ part];
                for (unsigned i = 0; i < p.count(); ++i)
                    for (unsigned j = 0; j < q.count(); ++j) sum.put(hn::Add(p[i], q[j]));
                sum.close(hn::Or(p.is_range(), q.is_range()));
            }
            for (unsigned t = 0; t < kTerms; ++t) {
                if (!(set >> t & 1)) continue;
                const AllSums& rest = sums[set ^ (1u << t)];
                for (unsigned i = 0; i < pairs[t]; ++i)
                    for (unsigned j = 0; j < rest.count(); ++j) sum.put(fused_of(x[t][i], y[t][i], rest[j]));
                // The interpreter does not list more than 16 combinations.
                const W factors = hn::Mul(hn::Load(kW, count_[2 * t] + first), hn::Load(kW, count_[2 * t + 1] + first));
                const W too_many = truth(below(word(16), hn::Mul(factors, rest.how_many())));
                sum.close(hn::Or(rest.is_range(), too_many));
            }
            if (set == (1u << kTerms) - 1) return;
            sum.list();
            bad = hn::Or(bad, sum.outside());
        }
    }

    size_t used_ = 0;
    uint8_t lanes_[kLanes];
    uint32_t most_[2 * kTerms] = {};  ///< words of an operand
    alignas(64) uint32_t words_[2 * kTerms][kMaxWords][kLanes] = {};
    alignas(64) uint32_t count_[2 * kTerms][kLanes] = {};
};

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target

// A step with bounds: its operands and results lane by lane, and what its kernels share.
#if defined(TGSI2SPV_COLUMNS_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_LANES
#undef TGSI2SPV_COLUMNS_LANES
#else
#define TGSI2SPV_COLUMNS_LANES
#endif

#include "reference/columns/functions-inl.h"
#include "reference/columns/sets-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// An operand of a step. Its planes are `plane` words apart; if it holds words, `plane` is 0.
struct Operand {
    const uint32_t* at;
    uint32_t mask, plane;
    Holds holds;
};

struct At {
    const Step& step;
    uint32_t* out;
    uint32_t* bad;
    Bits exec;
    Boxes& boxes;
    size_t lanes;                 ///< a multiple of kWidest
    std::array<Operand, 8> from;  ///< only the step's operands are valid

    // Not an aggregate, so that most of `from` stays uninitialised.
    At(const Step& s, uint32_t* o, uint32_t* b, Bits e, Boxes& x, size_t l = kLanes)
        : step(s), out(o), bad(b), exec(e), boxes(x), lanes(l) {}
    HWY_INLINE Bounded load(size_t operand, size_t lane) const {
        const Operand& o = from[operand];
        const uint32_t* at = o.at + (lane & o.mask);
        return {hn::Load(kW, at), floats(hn::Load(kW, at + o.plane)), floats(hn::Load(kW, at + 2 * o.plane))};
    }
    HWY_INLINE void store(size_t lane, const Bounded& r, W is_bad) const {
        hn::Store(r.value, kW, out + lane);
        hn::Store(words(r.lo), kW, out + kLanes + lane);
        hn::Store(words(r.hi), kW, out + 2 * kLanes + lane);
        hn::Store(hn::Or(hn::Load(kW, bad + lane), is_bad), kW, bad + lane);
    }
    Entry entry(size_t operand, size_t lane) const {
        const Operand& o = from[operand];
        const uint32_t* at = o.at + (lane & o.mask);
        return {at[0], at[o.plane], at[2 * o.plane]};
    }
    void put(size_t lane, const Entry& e) const {
        out[lane] = e.value;
        out[kLanes + lane] = e.lo;
        out[2 * kLanes + lane] = e.hi;
    }
    /// Whether the operand is a word in every lane.
    bool is_words(size_t operand) const { return from[operand].plane == 0; }
    /// Whether product `term` of a sum multiplies a component by itself that is not a word in every lane.
    bool is_square(size_t term) const { return step.from[2 * term] == step.from[2 * term + 1] && !is_words(2 * term); }
};

template <class Function>
HWY_INLINE void each1(const At& at, Function f) {
    for (size_t i = 0; i < at.lanes; i += hn::Lanes(kW)) {
        W bad = word(0);
        const Bounded r = f(at.load(0, i), bad);
        at.store(i, r, bad);
    }
}
template <class Function>
HWY_INLINE void each2(const At& at, Function f) {
    for (size_t i = 0; i < at.lanes; i += hn::Lanes(kW)) {
        W bad = word(0);
        const Bounded r = f(at.load(0, i), at.load(1, i), bad);
        at.store(i, r, bad);
    }
}
template <class Function>
HWY_INLINE void each3(const At& at, Function f) {
    for (size_t i = 0; i < at.lanes; i += hn::Lanes(kW)) {
        W bad = word(0);
        const Bounded r = f(at.load(0, i), at.load(1, i), at.load(2, i), bad);
        at.store(i, r, bad);
    }
}
/// Arithmetic with an unknown operand has an unknown result.
HWY_INLINE void pass_unknown(const Bounded& a, Bounded& r, W& bad) {
    const W is = unknown(a);
    r = select(hn::MaskFromVec(is), {r.value, a.lo, a.hi}, r);
    bad = hn::AndNot(is, bad);
}
template <class Function>
HWY_INLINE void floats1(const At& at, Function f) {
    each1(at, [f](const Bounded& a, W& bad) HWY_ATTR {
        Bounded r = f(a, bad);
        if (HWY_UNLIKELY(any(bad))) pass_unknown(a, r, bad);
        return r;
    });
}
template <class Function>
HWY_INLINE void floats2(const At& at, Function f) {
    each2(at, [f](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
        Bounded r = f(a, b, bad);
        if (HWY_UNLIKELY(any(bad))) {
            pass_unknown(a, r, bad);
            pass_unknown(b, r, bad);
        }
        return r;
    });
}
template <class Function>
HWY_INLINE void floats3(const At& at, Function f) {
    each3(at, [f](const Bounded& a, const Bounded& b, const Bounded& d, W& bad) HWY_ATTR {
        Bounded r = f(a, b, d, bad);
        if (HWY_UNLIKELY(any(bad))) {
            pass_unknown(a, r, bad);
            pass_unknown(b, r, bad);
            pass_unknown(d, r, bad);
        }
        return r;
    });
}

/// For functions that map words to words: also handles sets of words.
template <class Function>
HWY_INLINE void by_words1(const At& at, Function f) {
    floats1(at, [f](const Bounded& a, W& bad) HWY_ATTR {
        Bounded r = f(a, bad);
        if (HWY_UNLIKELY(any(bad))) put_sets(a, f, r, bad);
        return r;
    });
}
/// The same for MIN and MAX: a known operand limits the result, even if the other one is unknown (the interpreter's
/// function does this).
template <class Function>
HWY_INLINE void limits2(const At& at, Function f) {
    each2(at, [f](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
        Bounded r = f(a, b, bad);
        if (HWY_UNLIKELY(any(bad))) {
            const W both = hn::And(unknown(a), unknown(b));
            r = select(hn::MaskFromVec(both), {r.value, a.lo, a.hi}, r);
            bad = hn::AndNot(both, bad);
            put_sets(a, b, f, r, bad);
        }
        return r;
    });
}
template <class Function>
HWY_INLINE void by_words2(const At& at, Function f) {
    floats2(at, [f](const Bounded& a, const Bounded& b, W& bad) HWY_ATTR {
        Bounded r = f(a, b, bad);
        if (HWY_UNLIKELY(any(bad))) put_sets(a, b, f, r, bad);
        return r;
    });
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target

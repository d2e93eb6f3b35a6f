// Steps whose operands are words in every lane, as most are. If the plainest answer is the only one, the kernels
// without bounds give it. Other answers, for bounds-inl.h, come from denormals, infinities and NaN, from inexact
// operations (DIV, RSQ, …), and from zeros with a free sign.
#if defined(TGSI2SPV_COLUMNS_WORDS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_WORDS
#undef TGSI2SPV_COLUMNS_WORDS
#else
#define TGSI2SPV_COLUMNS_WORDS
#endif

#include "reference/columns/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds {

/// When the plainest answer is the only one.
enum class Only : uint8_t {
    Always,        ///< always, since words are used as they are
    OfUsual,       ///< if the operands are usual: zeros and normal numbers
    OfUsualFirst,  ///< if the first operand is usual
    Arithmetic,    ///< as run_arithmetic() determines
    Never,         ///< not known
};
inline Only only_of(Action a) {
    switch (a) {
        case Action::Move:
        case Action::SelectAnyBit:
        case Action::AddWords:
        case Action::MultiplyWords:
        case Action::NegateWords:
        case Action::And:
        case Action::Or:
        case Action::Xor:
        case Action::Not:
        case Action::ShiftLeft:
        case Action::ShiftRight:
        case Action::ShiftRightSigned:
        case Action::SameWords:
        case Action::LessSigned:
        case Action::LessUnsigned:
        case Action::AnyBit:
        case Action::Word:
            return Only::Always;
        case Action::Negate:
        case Action::Absolute:
        case Action::Saturate:
        case Action::LightExponent:
        case Action::Minimum:
        case Action::Maximum:
        case Action::Less:
        case Action::LessEqual:
        case Action::Equal:
        case Action::NotEqual:
        case Action::NotZero:
        case Action::BelowZero:
        case Action::ToInt:
        case Action::ToUint:
        case Action::FloorToInt:
            return Only::OfUsual;
        case Action::SelectBelowZero:
            return Only::OfUsualFirst;
        case Action::Add:
        case Action::Subtract:
        case Action::Multiply:
        case Action::Square:
        case Action::MultiplyAdd:
            return Only::Arithmetic;
        default:
            return Only::Never;
    }
}

/// Whether `is_else(i)` is 0 for all lanes of a column.
template <class Function>
HWY_INLINE bool in_no_lane(Function is_else) {
    W found = word(0);
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) found = hn::Or(found, is_else(i));
    return !any(found);
}
inline bool is_usual(const Operand& o) {
    if (o.holds == Holds::UsualNumbers) return true;
    return in_no_lane([&](size_t i) HWY_ATTR { return unusual(floats(hn::Load(kW, o.at + (i & o.mask)))); });
}
/// Whether the words of a result, computed from usual words, are the only permitted ones.
inline bool is_only(const At& at) {
    const auto load = [&](size_t k, size_t i) HWY_ATTR { return hn::Load(kW, at.from[k].at + (i & at.from[k].mask)); };
    if (at.step.action == Action::Minimum || at.step.action == Action::Maximum)
        // Of two zeros with different signs, the result may be either.
        return in_no_lane([&](size_t i) HWY_ATTR {
            const W a = load(0, i), b = load(1, i);
            return hn::AndNot(truth(hn::Eq(a, b)), truth(mask_of(hn::Eq(floats(a), floats(b)))));
        });
    return true;
}

/// Records whether all words seen are usual and no result may be flushed, in few operations per word.
class Extent {
  public:
    HWY_INLINE Extent() {}
    HWY_INLINE F operator()(F x) {
        least_ = hn::Min(least_, hn::Sub(twice(x), word(1)));  // for zero this is the greatest word
        most_ = hn::Max(most_, twice(x));
        return x;
    }
    HWY_INLINE bool is_usual() const {
        // Without the least normal number, which may have been denormal (was_denormal of steps.h).
        constexpr uint32_t kLeast = 0x00800001, kMost = 0x7f7fffff;
        return hn::AllTrue(kW, hn::And(below(word(2 * kLeast - 2), least_), below(most_, word(2 * kMost + 1))));
    }

  private:
    W least_ = word(~0u), most_ = word(0);
};
/// Sums and products of usual words that are usual themselves. Returns false if one is not.
inline bool run_arithmetic(const At& at) {
    Extent seen;
    const auto each = [&](auto f) HWY_ATTR {
        for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) {
            const auto operand = [&](size_t k) HWY_ATTR {
                return seen(floats(hn::Load(kW, at.from[k].at + (i & at.from[k].mask))));
            };
            hn::Store(words(seen(f(operand))), kW, at.out + i);
        }
        return seen.is_usual();
    };
    switch (at.step.action) {
        case Action::Add:
            return each([](auto x) HWY_ATTR { return hn::Add(x(0), x(1)); });
        case Action::Subtract:
            return each([](auto x) HWY_ATTR { return hn::Sub(x(0), x(1)); });
        case Action::Multiply:
            return each([](auto x) HWY_ATTR { return hn::Mul(x(0), x(1)); });
        case Action::Square:
            return each([](auto x) HWY_ATTR {
                const F a = x(0);
                return hn::Mul(a, a);
            });
        default:
            return each([&](auto x) HWY_ATTR { return hn::Add(seen(hn::Mul(x(0), x(1))), x(2)); });
    }
}

/// Executes the step if the plainest answer is the only one in every lane. Otherwise returns false, and the output is
/// invalid.
inline bool run_words(const Code& code, const At& at, const uint32_t* block) {
    Only only = only_of(at.step.action);
    if (at.step.action == Action::Lookup && !code.tables[at.step.table].any_undecided) only = Only::Always;
    if (only == Only::Never) return false;
    if (only == Only::Arithmetic) {
        if (!run_arithmetic(at)) return false;
        set_holds(at.out, Holds::UsualNumbers);
        return true;
    }
    const size_t usual = only == Only::Always ? 0 : only == Only::OfUsualFirst ? 1 : at.step.operands;
    for (size_t k = 0; k < usual; ++k)
        if (!is_usual(at.from[k])) return false;
    plain::run(code, {at.step, block, at.out});
    if (usual != 0 && !is_only(at)) return false;
    const bool is_usual_result =
        at.step.action == Action::Move ? at.from[0].holds == Holds::UsualNumbers : at.step.action == Action::Negate;
    set_holds(at.out, is_usual_result ? Holds::UsualNumbers : Holds::Words);
    return true;
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target

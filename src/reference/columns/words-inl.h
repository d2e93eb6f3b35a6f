// Steps whose operands are words in every lane, as most are: where the plainest answer is the only one, the kernels
// without bounds give it. What bounds-inl.h permits beside it comes of denormals, infinities and NaN, of roundings
// (DIV, RSQ, …), and of zeros whose sign is free.
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
    Always,        ///< words as they are
    OfUsual,       ///< where the operands are usual: zeros and normal numbers
    OfUsualFirst,  ///< where the first one is
    ToUsual,       ///< where the operands and the result are
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
            return Only::ToUsual;
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
/// Whether the words of a result, made of usual ones, are all that is permitted.
inline bool is_only(const At& at) {
    const auto load = [&](size_t k, size_t i) HWY_ATTR { return hn::Load(kW, at.from[k].at + (i & at.from[k].mask)); };
    if (at.step.action == Action::Minimum || at.step.action == Action::Maximum)
        // Of zeros of both signs it may be either.
        return in_no_lane([&](size_t i) HWY_ATTR {
            const W a = load(0, i), b = load(1, i);
            return hn::AndNot(truth(hn::Eq(a, b)), truth(mask_of(hn::Eq(floats(a), floats(b)))));
        });
    if (at.step.action == Action::MultiplyAdd &&
        !in_no_lane([&](size_t i) HWY_ATTR { return unusual(hn::Mul(floats(load(0, i)), floats(load(1, i)))); }))
        return false;
    return only_of(at.step.action) != Only::ToUsual ||
           in_no_lane([&](size_t i) HWY_ATTR { return unusual(floats(hn::Load(kW, at.out + i))); });
}

/// False where a lane may be something else; then nothing is done.
inline bool run_words(const Code& code, const At& at, const uint32_t* block) {
    const Only only = only_of(at.step.action);
    if (only == Only::Never) return false;
    const size_t usual = only == Only::Always ? 0 : only == Only::OfUsualFirst ? 1 : at.step.operands;
    for (size_t k = 0; k < usual; ++k)
        if (!is_usual(at.from[k])) return false;
    plain::run(code, {at.step, block, at.out});
    if (usual != 0 && !is_only(at)) return false;
    const bool is_usual_result = at.step.action == Action::Move
                                     ? at.from[0].holds == Holds::UsualNumbers
                                     : only == Only::ToUsual || at.step.action == Action::Negate;
    set_holds(at.out, is_usual_result ? Holds::UsualNumbers : Holds::Words);
    return true;
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::bounds
HWY_AFTER_NAMESPACE();

#endif  // per target

// Steps without bounds: the results of an implementation that rounds to even, contracts nothing and keeps denormals.
// They equal Value::value as computed by float_*.cpp and the files of the opcode families.
#if defined(TGSI2SPV_COLUMNS_PLAIN) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_PLAIN
#undef TGSI2SPV_COLUMNS_PLAIN
#else
#define TGSI2SPV_COLUMNS_PLAIN
#endif

#include "reference/columns/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE::plain {

/// If one operand is NaN, the result is the other one; -0 is less than +0.
HWY_INLINE F minimum(F x, F y) {
    const F least = hn::IfThenElse(hn::Eq(x, y), hn::Or(x, y), hn::IfThenElse(hn::Lt(x, y), x, y));
    return hn::IfThenElse(hn::IsNaN(y), x, least);
}
HWY_INLINE F maximum(F x, F y) {
    const F most = hn::IfThenElse(hn::Eq(x, y), hn::And(x, y), hn::IfThenElse(hn::Lt(y, x), x, y));
    return hn::IfThenElse(hn::IsNaN(y), x, most);
}
HWY_INLINE F flipped(F x) {
    return hn::Xor(x, hn::BitCast(kF, word(kSign)));
}
HWY_INLINE F saturated(F x) {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(kF)), hn::Min(x, number(1.0f)));
}
HWY_INLINE F sign_of(F x) {
    const F one = number(1.0f);
    return hn::IfThenElse(hn::Gt(x, hn::Zero(kF)), one, hn::IfThenElseZero(hn::Lt(x, hn::Zero(kF)), flipped(one)));
}
HWY_INLINE F reciprocal_root(F x) {
    return narrow(apply([](D d) HWY_ATTR { return hn::Div(number(1.0), hn::Sqrt(d)); }, widen(x)));
}
HWY_INLINE F power(F x, F y) {
    const F base = hn::Add(x, hn::Zero(kF));  // -0 counts as +0
    const F p = narrow(apply([](D a, D b) HWY_ATTR { return pow_of(a, b); }, widen(base), widen(y)));
    return hn::IfThenElse(hn::Eq(y, hn::Zero(kF)), number(1.0f), p);
}
HWY_INLINE F light_exponent(F x) {
    return minimum(maximum(x, number(-128.0f)), number(128.0f));
}
/// Saturates; NaN gives 0.
HWY_INLINE W to_int(F x) {
    const W inside = hn::BitCast(kW, ints_of(x));
    const W most = hn::IfThenElse(mask_of(hn::Ge(x, number(0x1p31f))), word(0x7fffffff), inside);
    const W least = hn::IfThenElse(mask_of(hn::Lt(x, number(-0x1p31f))), word(0x80000000), most);
    return hn::IfThenZeroElse(mask_of(hn::IsNaN(x)), least);
}
HWY_INLINE W to_uint(F x) {
    const F half = number(0x1p31f);
    const auto large = hn::Ge(x, half);
    const W high = hn::IfThenElseZero(mask_of(large), word(0x80000000));
    const W w = hn::Xor(hn::BitCast(kW, ints_of(hn::IfThenElse(large, hn::Sub(x, half), x))), high);
    const W most = hn::IfThenElse(mask_of(hn::Ge(x, number(0x1p32f))), word(~0u), w);
    return hn::IfThenElseZero(mask_of(hn::Gt(x, hn::Zero(kF))), most);
}
HWY_INLINE F from_uint(W w) {
    const F high = hn::ConvertTo(kF, hn::BitCast(kI, hn::ShiftRight<16>(w)));
    const F low = hn::ConvertTo(kF, hn::BitCast(kI, hn::And(w, word(0xffff))));
    return hn::Add(hn::Mul(high, number(0x1p16f)), low);  // rounded once: both terms are exact
}

HWY_INLINE W shifted_signed(W a, W b) {
    return hn::BitCast(kW, hn::Shr(hn::BitCast(kI, a), hn::BitCast(kI, hn::And(b, word(31)))));
}
HWY_INLINE W less_signed(W a, W b) {
    return truth(mask_of(hn::Lt(hn::BitCast(kI, a), hn::BitCast(kI, b))));
}

struct At {
    const Step& step;
    const uint32_t* block;
    uint32_t* out;
    HWY_INLINE W load(size_t operand, size_t lane) const {
        const Source& s = step.from[operand];
        return hn::Load(kW, block + s.at + (lane & s.mask));
    }
};

template <class Function>
HWY_INLINE void each1(const At& at, Function f) {
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) hn::Store(f(at.load(0, i)), kW, at.out + i);
}
template <class Function>
HWY_INLINE void each2(const At& at, Function f) {
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) hn::Store(f(at.load(0, i), at.load(1, i)), kW, at.out + i);
}
template <class Function>
HWY_INLINE void each3(const At& at, Function f) {
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW))
        hn::Store(f(at.load(0, i), at.load(1, i), at.load(2, i)), kW, at.out + i);
}
template <class Function>
HWY_INLINE void floats1(const At& at, Function f) {
    each1(at, [f](W a) HWY_ATTR { return words(f(floats(a))); });
}
template <class Function>
HWY_INLINE void floats2(const At& at, Function f) {
    each2(at, [f](W a, W b) HWY_ATTR { return words(f(floats(a), floats(b))); });
}
template <class Function>
HWY_INLINE void floats3(const At& at, Function f) {
    each3(at, [f](W a, W b, W c) HWY_ATTR { return words(f(floats(a), floats(b), floats(c))); });
}
template <class Function>
HWY_INLINE void compares(const At& at, Function f) {
    each2(at, [f](W a, W b) HWY_ATTR { return truth(mask_of(f(floats(a), floats(b)))); });
}
template <class Function>
HWY_INLINE void doubles1(const At& at, Function f) {
    floats1(at, [f](F a) HWY_ATTR { return narrow(apply(f, widen(a))); });
}

template <int kTerms>
HWY_INLINE void dot(const At& at) {
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) {
        F sum = hn::Mul(floats(at.load(0, i)), floats(at.load(1, i)));
        for (size_t t = 1; t < kTerms; ++t)
            sum = hn::Add(sum, hn::Mul(floats(at.load(2 * t, i)), floats(at.load(2 * t + 1, i))));
        hn::Store(words(sum), kW, at.out + i);
    }
}

HWY_INLINE void look_up(const At& at, const Table& table) {
    const W offset = word(at.step.offset), outside = word(static_cast<uint32_t>(table.words.size() - 1));
    each1(at, [&](W index) HWY_ATTR {
        const W i = hn::Add(index, offset);
        const W inside = hn::IfThenElse(below(i, outside), i, outside);
        return hn::GatherIndex(kW, table.words.data(), hn::BitCast(kI, inside));
    });
}

/// Executes an action without a vector form.
inline void each_word(const At& at) {
    uint32_t x[8];
    for (size_t lane = 0; lane < kLanes; ++lane) {
        for (size_t k = 0; k < at.step.operands; ++k)
            x[k] = at.block[at.step.from[k].at + (lane & at.step.from[k].mask)];
        at.out[lane] = at.step.word(x);
    }
}
inline void each_value(const At& at, const Context& c) {
    Value x[8];
    for (size_t lane = 0; lane < kLanes; ++lane) {
        for (size_t k = 0; k < at.step.operands; ++k)
            x[k] = exact(at.block[at.step.from[k].at + (lane & at.step.from[k].mask)]);
        at.out[lane] = at.step.function(c, x).value;
    }
}

inline void run(const Code& code, const At& at) {
    switch (at.step.action) {
        case Action::Move:
            return each1(at, [](W a) HWY_ATTR { return a; });
        case Action::Negate:
            return floats1(at, [](F a) HWY_ATTR { return flipped(a); });
        case Action::Absolute:
            return floats1(at, [](F a) HWY_ATTR { return hn::Abs(a); });
        case Action::Saturate:
            return floats1(at, [](F a) HWY_ATTR { return saturated(a); });
        case Action::LightExponent:
            return floats1(at, [](F a) HWY_ATTR { return light_exponent(a); });
        case Action::Add:
            return floats2(at, [](F a, F b) HWY_ATTR { return hn::Add(a, b); });
        case Action::Subtract:
            return floats2(at, [](F a, F b) HWY_ATTR { return hn::Sub(a, b); });
        case Action::Multiply:
            return floats2(at, [](F a, F b) HWY_ATTR { return hn::Mul(a, b); });
        case Action::Square:
            return floats1(at, [](F a) HWY_ATTR { return hn::Mul(a, a); });
        case Action::MultiplyAdd:
            return floats3(at, [](F a, F b, F c) HWY_ATTR { return hn::Add(hn::Mul(a, b), c); });
        case Action::Fused:
            return floats3(at, [](F a, F b, F c) HWY_ATTR { return fused_of(a, b, c); });
        case Action::Lerp:
            return floats3(at, [](F a, F b, F c)
                                   HWY_ATTR { return hn::Add(hn::Mul(a, b), hn::Mul(hn::Sub(number(1.0f), a), c)); });
        case Action::Divide:
            return floats2(at, [](F a, F b) HWY_ATTR { return hn::Div(a, b); });
        case Action::Minimum:
            return floats2(at, [](F a, F b) HWY_ATTR { return minimum(a, b); });
        case Action::Maximum:
            return floats2(at, [](F a, F b) HWY_ATTR { return maximum(a, b); });
        case Action::Reciprocal:
            return floats1(at, [](F a) HWY_ATTR { return hn::Div(number(1.0f), a); });
        case Action::ReciprocalRoot:
            return floats1(at, [](F a) HWY_ATTR { return reciprocal_root(a); });
        case Action::Root:
            return floats1(at, [](F a) HWY_ATTR { return hn::Sqrt(a); });
        case Action::Exp2:
            return doubles1(at, [](D a) HWY_ATTR { return exp2_of(a); });
        case Action::Log2:
            return doubles1(at, [](D a) HWY_ATTR { return log2_of(a); });
        case Action::Sine:
            return doubles1(at, [](D a) HWY_ATTR { return sin_of(a); });
        case Action::Cosine:
            return doubles1(at, [](D a) HWY_ATTR { return cos_of(a); });
        case Action::Power:
            return floats2(at, [](F a, F b) HWY_ATTR { return power(a, b); });
        case Action::Floor:
            return floats1(at, [](F a) HWY_ATTR { return floor_of(a); });
        case Action::Ceil:
            return floats1(at, [](F a) HWY_ATTR { return ceil_of(a); });
        case Action::Truncate:
            return floats1(at, [](F a) HWY_ATTR { return hn::Trunc(a); });
        case Action::Round:
            return floats1(at, [](F a) HWY_ATTR { return hn::Round(a); });
        case Action::Fraction:
            return floats1(at, [](F a) HWY_ATTR { return hn::Sub(a, floor_of(a)); });
        case Action::Sign:
            return floats1(at, [](F a) HWY_ATTR { return sign_of(a); });
        case Action::Dot:
            return at.step.terms == 2 ? dot<2>(at) : at.step.terms == 3 ? dot<3>(at) : dot<4>(at);
        case Action::Less:
            return compares(at, [](F a, F b) HWY_ATTR { return hn::Lt(a, b); });
        case Action::LessEqual:
            return compares(at, [](F a, F b) HWY_ATTR { return hn::Le(a, b); });
        case Action::Equal:
            return compares(at, [](F a, F b) HWY_ATTR { return hn::Eq(a, b); });
        case Action::NotEqual:
            return each2(at, [](W a, W b) HWY_ATTR { return hn::Not(truth(mask_of(hn::Eq(floats(a), floats(b))))); });
        case Action::NotZero:
            return each1(at, [](W a) HWY_ATTR { return truth(hn::Ne(hn::And(a, word(~kSign)), word(0))); });
        case Action::BelowZero:
            return each1(at, [](W a) HWY_ATTR { return truth(mask_of(hn::Lt(floats(a), hn::Zero(kF)))); });
        case Action::SelectBelowZero:
            return each3(at, [](W a, W b, W c)
                                 HWY_ATTR { return hn::IfThenElse(mask_of(hn::Lt(floats(a), hn::Zero(kF))), b, c); });
        case Action::SelectAnyBit:
            return each3(at, [](W a, W b, W c) HWY_ATTR { return hn::IfThenElse(hn::Eq(a, word(0)), c, b); });
        case Action::AddWords:
            return each2(at, [](W a, W b) HWY_ATTR { return hn::Add(a, b); });
        case Action::MultiplyWords:
            return each2(at, [](W a, W b) HWY_ATTR { return hn::Mul(a, b); });
        case Action::NegateWords:
            return each1(at, [](W a) HWY_ATTR { return hn::Sub(word(0), a); });
        case Action::And:
            return each2(at, [](W a, W b) HWY_ATTR { return hn::And(a, b); });
        case Action::Or:
            return each2(at, [](W a, W b) HWY_ATTR { return hn::Or(a, b); });
        case Action::Xor:
            return each2(at, [](W a, W b) HWY_ATTR { return hn::Xor(a, b); });
        case Action::Not:
            return each1(at, [](W a) HWY_ATTR { return hn::Not(a); });
        case Action::ShiftLeft:
            return each2(at, [](W a, W b) HWY_ATTR { return hn::Shl(a, hn::And(b, word(31))); });
        case Action::ShiftRight:
            return each2(at, [](W a, W b) HWY_ATTR { return hn::Shr(a, hn::And(b, word(31))); });
        case Action::ShiftRightSigned:
            return each2(at, [](W a, W b) HWY_ATTR { return shifted_signed(a, b); });
        case Action::SameWords:
            return each2(at, [](W a, W b) HWY_ATTR { return truth(hn::Eq(a, b)); });
        case Action::LessSigned:
            return each2(at, [](W a, W b) HWY_ATTR { return less_signed(a, b); });
        case Action::LessUnsigned:
            return each2(at, [](W a, W b) HWY_ATTR { return truth(below(a, b)); });
        case Action::AnyBit:
            return each1(at, [](W a) HWY_ATTR { return truth(hn::Ne(a, word(0))); });
        case Action::ToInt:
            return each1(at, [](W a) HWY_ATTR { return to_int(hn::Trunc(floats(a))); });
        case Action::ToUint:
            return each1(at, [](W a) HWY_ATTR { return to_uint(hn::Trunc(floats(a))); });
        case Action::FloorToInt:
            return each1(at, [](W a) HWY_ATTR { return to_int(floor_of(floats(a))); });
        case Action::FromInt:
            return each1(at, [](W a) HWY_ATTR { return words(hn::ConvertTo(kF, hn::BitCast(kI, a))); });
        case Action::FromUint:
            return each1(at, [](W a) HWY_ATTR { return words(from_uint(a)); });
        case Action::Word:
            return each_word(at);
        case Action::Float:
            return each_value(at, code.context);
        case Action::Lookup:
            return look_up(at, code.tables[at.step.table]);
    }
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE::plain
HWY_AFTER_NAMESPACE();

#endif  // per target

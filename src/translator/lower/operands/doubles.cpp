#include "lower/operands/doubles.h"

#include <algorithm>

#include "lower/context/double_functions.h"
#include "lower/operands/family.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;

namespace {

/// The components of pair `p`, or the scalar, of a value with `width` of them for each.
Value part_of(ir::Builder& b, Value x, int p, int width) {
    const auto first = static_cast<uint8_t>(width * p);
    if (width == 1) return b.extract(x, first);
    return b.compose({{x, first}, {x, static_cast<uint8_t>(first + 1)}});
}

/// Calls the function for each of `count` pairs. Arguments and results are vectors of all pairs.
Value call_each(Operation& op, DoubleFunction function, int count, std::span<const Value> args) {
    ir::Builder& b = op.b;
    ir::Component parts[4];
    size_t n = 0;
    for (int p = 0; p < count; ++p) {
        Value own[3];
        for (size_t i = 0; i < args.size(); ++i) own[i] = part_of(b, args[i], p, b.type_of(args[i]).components / count);
        const Value result = call_double(op.context, function, std::span<const Value>(own, args.size()));
        for (uint8_t c = 0; c < b.type_of(result).components; ++c) parts[n++] = {result, c};
    }
    return b.compose(std::span<const ir::Component>(parts, n));
}
Value call_each(Operation& op, DoubleFunction function, std::span<const Value> doubles) {
    return call_each(op, function, count_of_doubles(op, doubles[0]), doubles);
}
Value call_each(Operation& op, DoubleFunction function, std::initializer_list<Value> doubles) {
    return call_each(op, function, std::span(doubles.begin(), doubles.size()));
}

/// `word` in the high words, 0 in the low ones.
Value high_words(Operation& op, uint32_t word, Value like) {
    const uint32_t words[] = {0, word, 0, word};
    const ir::Type type = op.b.type_of(like);
    return op.b.const_words(type, std::span(words, type.components));
}

DoubleFunction function_of(Op o) {
    static constexpr Op kReplaced[] = {
#define DOUBLE_FUNCTION(function, operation, ...) Op::operation,
#include "lower/doubles/functions.def"
#undef DOUBLE_FUNCTION
    };
    return static_cast<DoubleFunction>(std::ranges::find(kReplaced, o) - kReplaced);
}

/// Operations that consist of others.
Value in_words(Operation& op, Op o, std::span<const Value> args) {
    ir::Builder& b = op.b;
    const Value x = args[0];
    switch (o) {
        case Op::FNegate:
            return b.bit_xor(x, high_words(op, 0x8000'0000, x));
        case Op::FAbs: {
            const Value sign = high_words(op, 0x8000'0000, x);
            return b.bit_and(x, b.op(Op::Not, sign));
        }
        case Op::FFract: {
            const Value whole = call_each(op, DoubleFunction::Floor, {x});
            return call_each(op, DoubleFunction::Add, {x, in_words(op, Op::FNegate, std::span(&whole, 1))});
        }
        case Op::FRsqrt: {
            const Value root = call_each(op, DoubleFunction::SquareRoot, {x});
            return call_each(op, DoubleFunction::Divide, {high_words(op, 0x3ff0'0000, x), root});
        }
        case Op::FClamp: {
            const Value above = call_each(op, DoubleFunction::Maximum, {x, args[1]});
            return call_each(op, DoubleFunction::Minimum, {above, args[2]});
        }
        case Op::FOGt:
            return call_each(op, DoubleFunction::Less, {args[1], x});
        case Op::FUNe:
            return b.lnot(call_each(op, DoubleFunction::Equal, args));
        default:
            return call_each(op, function_of(o), args);
    }
}

}  // namespace

ir::Type doubles_type(const Operation& op, int count) {
    return op.capabilities.float64 ? ir::f64(count) : ir::u32(2 * count);
}

int count_of_doubles(const Operation& op, Value doubles) {
    const int components = op.b.type_of(doubles).components;
    return op.capabilities.float64 ? components : components / 2;
}

Value double_op(Operation& op, Op o, std::initializer_list<Value> args) {
    if (!op.capabilities.float64) return in_words(op, o, std::span(args.begin(), args.size()));
    const ir::Type type = op.b.result_type(o, *args.begin());
    return op.b.emit(o, type, std::span(args.begin(), args.size()));
}

Value double_select(Operation& op, Value condition, Value a, Value b) {
    if (!op.capabilities.float64 && op.b.type_of(condition).components == 2)
        condition = op.b.compose({{condition, 0}, {condition, 0}, {condition, 1}, {condition, 1}});
    return op.b.select(condition, a, b);
}

Value wide_convert(Operation& op, Op o, Value x, Scalar from, Scalar to) {
    ir::Builder& b = op.b;
    if (op.capabilities.float64 || (from != Scalar::F64 && to != Scalar::F64))
        return b.convert(o, x, b.type_of(x).of(to));
    const bool is_signed = o == Op::FToS || o == Op::SToF;
    if (from == Scalar::F64) {
        const int count = count_of_doubles(op, x);
        if (to == Scalar::F32) return b.bitcast(call_each(op, DoubleFunction::ToFloat, {x}), ir::f32(count));
        if (to == Scalar::U32)
            return call_each(op, is_signed ? DoubleFunction::ToSigned : DoubleFunction::ToUnsigned, {x});
        const auto function = is_signed ? DoubleFunction::ToSigned64 : DoubleFunction::ToUnsigned64;
        return b.bitcast(call_each(op, function, {x}), ir::u64(count));
    }
    const int count = b.type_of(x).components;
    if (from == Scalar::U64) {
        const Value words = b.bitcast(x, ir::u32(2 * count));
        return call_each(op, is_signed ? DoubleFunction::FromSigned64 : DoubleFunction::FromUnsigned64, {words});
    }
    const Value words = b.bitcast(x, ir::u32(count));
    const auto integers = is_signed ? DoubleFunction::FromSigned : DoubleFunction::FromUnsigned;
    return call_each(op, from == Scalar::F32 ? DoubleFunction::FromFloat : integers, count, std::span(&words, 1));
}

Value double_ldexp(Operation& op, Value x, Value n) {
    return call_each(op, DoubleFunction::LoadExponent, {x, n});
}

SplitDouble double_frexp(Operation& op, Value x) {
    ir::Builder& b = op.b;
    const int count = count_of_doubles(op, x);
    ir::Component fractions[4], exponents[2];
    for (int p = 0; p < count; ++p) {
        const Value own[] = {part_of(b, x, p, 2)};
        const Value split = call_double(op.context, DoubleFunction::SplitExponent, own);
        fractions[2 * p] = {split, 0};
        fractions[2 * p + 1] = {split, 1};
        exponents[p] = {split, 2};
    }
    const auto n = static_cast<size_t>(count);
    const Value fraction = b.compose(std::span<const ir::Component>(fractions, 2 * n));
    return {fraction, b.compose(std::span<const ir::Component>(exponents, n))};
}

}  // namespace tgsi2spv::lower

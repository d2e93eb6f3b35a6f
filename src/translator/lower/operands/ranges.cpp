#include "lower/operands/ranges.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tgsi2spv::lower {

using ir::Op;
using ir::Value;

FloatRange either(const FloatRange& a, const FloatRange& b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high), a.maybe_nan || b.maybe_nan};
}

namespace {

/// No framebuffer is as large as this. (Helper invocations may be outside of it.)
constexpr float kFramebuffer = 0x1p30f;
constexpr int kDepth = 4;

FloatRange of_constant(const ir::Constant& constant, int component) {
    const float x = std::bit_cast<float>(constant.words[static_cast<size_t>(component)]);
    if (constant.spec_id >= 0 || std::isnan(x)) return {};
    return {x, x, false};
}

FloatRange of_load(const ir::Variable& variable, int component) {
    if (variable.builtin != ir::BuiltIn::FragCoord || component > 1) return {};
    return {-kFramebuffer, kFramebuffer, false};
}

FloatRange negated(const FloatRange& r) {
    return {-r.high, -r.low, r.maybe_nan};
}

/// NMin: of a number and a NaN, the number.
FloatRange minimum(const FloatRange& a, const FloatRange& b) {
    FloatRange r{std::min(a.low, b.low), std::min(a.high, b.high), a.maybe_nan && b.maybe_nan};
    if (a.maybe_nan) r.high = std::max(r.high, b.high);
    if (b.maybe_nan) r.high = std::max(r.high, a.high);
    return r;
}

FloatRange maximum(const FloatRange& a, const FloatRange& b) {
    return negated(minimum(negated(a), negated(b)));
}

FloatRange magnitude(const FloatRange& r) {
    return {0, std::max(-r.low, r.high), r.maybe_nan};
}

/// To whole numbers, in any direction.
FloatRange rounded(const FloatRange& r) {
    return {std::floor(r.low), std::ceil(r.high), r.maybe_nan};
}

/// Looks at a chain of at most `depth` definitions.
FloatRange search(const ir::Builder& builder, Value value, int component, int depth) {
    if (ir::is_constant(value)) return of_constant(builder.constant(value), component);
    if (depth == 0) return {};
    const ir::Instruction& i = builder.instruction(value);
    const auto args = builder.args_of(value);
    const auto arg = [&](size_t n) { return search(builder, args[n], component, depth - 1); };
    switch (i.op) {
        case Op::Compose: {
            const auto c = static_cast<size_t>(component);
            return search(builder, args[c], static_cast<int>(i.aux >> 2 * c & 3), depth - 1);
        }
        case Op::Select:
            return either(arg(1), arg(2));
        case Op::Load:
            return of_load(builder.module().variables[i.aux], component);
        case Op::SToF: {
            const float most = builder.type_of(args[0]).is_wide() ? 0x1p63f : 0x1p31f;
            return {-most, most, false};
        }
        case Op::UToF:
            return {0, builder.type_of(args[0]).is_wide() ? 0x1p64f : 0x1p32f, false};
        case Op::FNegate:
            return negated(arg(0));
        case Op::FAbs:
            return magnitude(arg(0));
        case Op::FFract:
            return {0, 1, true};  // NaN of infinities
        case Op::FFloor:
        case Op::FCeil:
        case Op::FTrunc:
        case Op::FRoundEven:
            return rounded(arg(0));
        case Op::FMin:
            return minimum(arg(0), arg(1));
        case Op::FMax:
            return maximum(arg(0), arg(1));
        case Op::FClamp:
            return minimum(maximum(arg(0), arg(1)), arg(2));
        default:
            return {};
    }
}

}  // namespace

FloatRange range_of(const ir::Builder& builder, Value value, int component) {
    return search(builder, value, component, kDepth);
}

}  // namespace tgsi2spv::lower

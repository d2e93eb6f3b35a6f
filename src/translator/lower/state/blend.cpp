// State::blend: FRAG blends target 0 with what it reads of it, as Vulkan's "Blending" and "Logical Operations" define
// it.
#include <algorithm>
#include <bit>

#include "lower/state/state_context.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"

namespace tgsi2spv::lower {

using ir::Value;

namespace {

// Vulkan's numbers. Between Zero and Saturate, and after it, each factor is followed by one minus it.
enum Factor : uint8_t {
    kZero,
    kOne,
    kSrcColor,
    kDstColor = 4,
    kSrcAlpha = 6,
    kDstAlpha = 8,
    kConstantColor = 10,
    kConstantAlpha = 12,
    kSaturate = 14,
    kSecondColor = 15,
    kSecondAlpha = 17
};
enum Operation : uint8_t { kAdd, kSubtract, kReverseSubtract, kMin, kMax };

struct Operands {
    Value first = ir::kNone, second = ir::kNone, target = ir::kNone;
};

Value splat(Context& context, Value scalar) {
    return context.b.compose({{scalar, 0}, {scalar, 0}, {scalar, 0}, {scalar, 0}});
}

Value alpha_of(Context& context, Value color) {
    return splat(context, context.b.extract(color, 3));
}

Value blend_constant(Context& context) {
    Value parts[4];
    for (uint32_t c = 0; c < 4; ++c) parts[c] = state_value(context, ir::f32(), spec::kBlendColor + c, 0);
    return context.b.compose({{parts[0], 0}, {parts[1], 0}, {parts[2], 0}, {parts[3], 0}});
}

Value one(Context& context) {
    return context.b.const_splat(ir::f32(4), 0x3f80'0000);
}

/// "Blending": for a fixed-point target, sources, its colour and factors are clamped to the range of its values.
Value in_range(Context& context, Value color) {
    ir::Builder& b = context.b;
    const Blend::Range range = context.options.state.blend.range;
    if (range == Blend::Range::Unbounded) return color;
    const Value least = range == Blend::Range::UNorm ? b.zero(ir::f32(4)) : b.const_splat(ir::f32(4), 0xbf80'0000);
    return b.fclamp(color, least, one(context));
}

/// min(alpha, 1 − the target's alpha) for colours, 1 for alpha.
Value saturate_factor(Context& context, const Operands& o) {
    ir::Builder& b = context.b;
    const Value rest = b.fsub(b.const_f32(1.0f), b.extract(o.target, 3));
    const Value least = b.fmin(b.extract(o.first, 3), rest);
    return b.compose({{least, 0}, {least, 0}, {least, 0}, {b.const_f32(1.0f), 0}});
}

/// A factor that has a complement.
Value plain_factor(Context& context, const Operands& o, uint8_t factor) {
    switch (factor) {
        case kSrcColor:
            return o.first;
        case kDstColor:
            return o.target;
        case kSrcAlpha:
            return alpha_of(context, o.first);
        case kDstAlpha:
            return alpha_of(context, o.target);
        case kConstantColor:
            return blend_constant(context);
        case kConstantAlpha:
            return alpha_of(context, blend_constant(context));
        case kSecondColor:
            return o.second;
        default:
            return alpha_of(context, o.second);
    }
}

Value weighted(Context& context, const Operands& o, Value color, uint8_t factor) {
    ir::Builder& b = context.b;
    if (factor == kZero) return b.zero(ir::f32(4));
    if (factor == kOne) return color;
    if (factor == kSaturate) return b.fmul(color, saturate_factor(context, o));
    const bool complement = factor < kSaturate ? factor % 2 != 0 : factor % 2 == 0;
    Value value = plain_factor(context, o, complement ? factor - 1 : factor);
    if (complement) value = b.fsub(one(context), value);
    // Colours are in range already, and so is one minus an unsigned one.
    const bool is_constant = factor >= kConstantColor && factor < kSaturate;
    const bool may_leave = is_constant || (complement && context.options.state.blend.range == Blend::Range::SNorm);
    return b.fmul(color, may_leave ? in_range(context, value) : value);
}

Value combined(Context& context, const Operands& o, const Blend::Equation& e) {
    ir::Builder& b = context.b;
    if (e.op == kMin) return b.fmin(o.first, o.target);
    if (e.op == kMax) return b.fmax(o.first, o.target);
    const Value src = weighted(context, o, o.first, e.src);
    const Value dst = weighted(context, o, o.target, e.dst);
    return e.op == kAdd ? b.fadd(src, dst) : e.op == kSubtract ? b.fsub(src, dst) : b.fsub(dst, src);
}

/// Vulkan's table of logic operations, whose numbers are s AND d's truth table: bit 0 is the result of (1, 1), bit 1 of
/// (1, 0), bit 2 of (0, 1), bit 3 of (0, 0). Each is a sum of these cases.
Value logic_bits(Context& context, uint8_t op, Value src, Value dst) {
    ir::Builder& b = context.b;
    const Value ones = b.const_splat(ir::u32(4), UINT32_MAX);
    const Value other_src = b.bit_xor(src, ones), other_dst = b.bit_xor(dst, ones);
    const Value cases[] = {b.bit_and(src, dst), b.bit_and(src, other_dst), b.bit_and(other_src, dst),
                           b.bit_and(other_src, other_dst)};
    Value result = b.zero(ir::u32(4));
    for (uint32_t i = 0; i < 4; ++i)
        if ((op >> i & 1) != 0) result = b.bit_or(result, cases[i]);
    return result;
}

/// The operation of the words that a fixed-point target has for the colours.
Value logic_color(Context& context, Value src, Value dst) {
    ir::Builder& b = context.b;
    const Blend& blend = context.options.state.blend;
    uint32_t largest[4], words[4];
    for (size_t c = 0; c < 4; ++c) {
        words[c] = (1U << blend.bits[c]) - 1;
        largest[c] = std::bit_cast<uint32_t>(static_cast<float>(std::max(words[c], 1U)));
    }
    const Value scale = b.const_words(ir::f32(4), largest);
    const auto to_words = [&](Value color) {
        const Value bounded = b.fclamp(color, b.zero(ir::f32(4)), one(context));
        return b.convert(ir::Op::FToU, b.op(ir::Op::FRoundEven, b.fmul(bounded, scale)), ir::u32(4));
    };
    const Value result = logic_bits(context, blend.logic - 1, to_words(src), to_words(dst));
    const Value kept = b.bit_and(result, b.const_words(ir::u32(4), words));
    return b.fdiv(b.convert(ir::Op::UToF, kept, ir::f32(4)), scale);
}

}  // namespace

Value blended_color(Context& context, Value first, Value second) {
    ir::Builder& b = context.b;
    Operands o;
    o.first = in_range(context, first);
    o.second = second == ir::kNone ? b.zero(ir::f32(4)) : in_range(context, second);
    o.target = read_attachment(context, 0, context.options.state.blend.multisampled, context.state.target);
    if (context.options.state.blend.logic != 0) return logic_color(context, first, o.target);
    const Value color = combined(context, o, context.options.state.blend.color);
    const Value alpha = combined(context, o, context.options.state.blend.alpha);
    return b.compose({{color, 0}, {color, 1}, {color, 2}, {alpha, 3}});
}

}  // namespace tgsi2spv::lower

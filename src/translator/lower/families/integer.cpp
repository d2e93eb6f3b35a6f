// 32-bit integers. SPIR-V leaves division by 0, INT_MIN / -1, negative remainders, wide shifts and wide bit fields
// undefined; TGSI defines them (semantics: Integer), so the operands are made safe first.
#include "lower/operands/wide.h"

#include "lower/families/families.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

Value src(Operation& op, int i) {
    return source(op, i, Scalar::U32);
}
Outcome unary(Operation& op, Op o) {
    return done(op.b.op(o, src(op, 0)));
}
Outcome binary(Operation& op, Op o) {
    const Value a = src(op, 0);
    return done(op.b.op(o, a, src(op, 1)));
}

/// Whether the components are masks: each c ? ~0 : 0 for some bool c. `conditions`: where each is.
bool are_masks(const ir::Builder& b, Value v, ir::Component* conditions) {
    for (int c = 0; c < b.type_of(v).components; c++) {
        Value mask = v;
        int component = c;
        for (int depth = 0; depth < 2 && !ir::is_constant(mask); depth++) {
            const ir::Instruction& i = b.instruction(mask);
            if (i.op == Op::Compose) {
                mask = b.args_of(mask)[static_cast<size_t>(component)];
                component = static_cast<int>(i.aux >> 2 * component & 3);
            } else if (i.op == Op::Bitcast) {
                mask = b.args_of(mask)[0];
            }
        }
        // Of 64 bits, a condition is that of two words.
        if (ir::is_constant(mask) || b.instruction(mask).op != Op::Select || b.type_of(mask).is_wide()) return false;
        const auto args = b.args_of(mask);
        const auto is = [&](Value word, uint32_t bits) {
            return b.is_plain_constant(word) && b.constant(word).words[static_cast<size_t>(component)] == bits;
        };
        if (!is(args[1], 0xffff'ffff) || !is(args[2], 0)) return false;
        const bool one = b.type_of(args[0]).components == 1;
        conditions[c] = {args[0], static_cast<uint8_t>(one ? 0 : component)};
    }
    return true;
}

/// AND, OR, XOR. Of masks: (c ? ~0 : 0) & (d ? ~0 : 0) = c && d ? ~0 : 0, and so for | with ||, ^ with !=. Where only
/// tests read the words, these laws leave nothing of them.
Outcome bitwise(Operation& op, Op words, Op bools) {
    ir::Builder& b = op.b;
    const Value a = src(op, 0), other = src(op, 1);
    const auto n = static_cast<size_t>(b.type_of(a).components);
    ir::Component first[4], second[4];
    if (!op.options.simplify || !are_masks(b, a, first) || !are_masks(b, other, second))
        return done(b.op(words, a, other));
    const Value c = b.compose(std::span(first, n));
    const Value both = b.op(bools, c, b.compose(std::span(second, n)));
    const Value yes = u32_like(op, 0xffff'ffff, a);
    return done(b.select(both, yes, b.zero(b.type_of(a))));
}

/// UDIV, UMOD: all bits are set if the divisor is 0.
Outcome divide_unsigned(Operation& op, Op o) {
    ir::Builder& b = op.b;
    const Value a = src(op, 0), divisor = src(op, 1);
    if (is_known(op, divisor, [](uint32_t word) { return word != 0; })) return done(b.op(o, a, divisor));
    const Value result = b.op(o, a, b.umax(divisor, u32_like(op, 1, divisor)));
    const Value is_zero = b.ieq(divisor, u32_like(op, 0, divisor));
    return done(b.select(is_zero, u32_like(op, 0xffff'ffff, divisor), result));
}

/// IDIV, MOD by 2^n, n from 1 to 30: a / 2^n = (a + (a < 0 ? 2^n - 1 : 0)) >> n, rounded to zero for INT_MIN, too, as
/// the sum of a negative number and one below 2^30 does not wrap. a % 2^n is what the shift loses, less the part that
/// was added.
Value divide_by_power(Operation& op, Value a, Value divisor, bool remainder) {
    ir::Builder& b = op.b;
    ir::Constant n = b.constant(divisor), rest = n;
    for (int c = 0; c < n.type.components; c++) {
        rest.words[static_cast<size_t>(c)] =
            32 - static_cast<uint32_t>(std::countr_zero(n.words[static_cast<size_t>(c)]));
        n.words[static_cast<size_t>(c)] = 32 - rest.words[static_cast<size_t>(c)];
    }
    const Value sign = b.ashr(a, u32_like(op, 31, a));
    const Value added = b.lshr(sign, b.constant_of(rest));
    const Value sum = b.iadd(a, added);
    const Value shift = b.constant_of(n);
    const Value quotient = b.ashr(sum, shift);
    return remainder ? b.isub(a, b.shl(quotient, shift)) : quotient;
}

Outcome divide_signed(Operation& op, bool remainder) {
    const Value a = src(op, 0), divisor = src(op, 1);
    const auto is_power = [](uint32_t word) { return word > 1 && word < 1u << 31 && std::has_single_bit(word); };
    if (is_known(op, divisor, is_power)) return done(divide_by_power(op, a, divisor, remainder));
    const bool is_safe = is_known(op, divisor, [](uint32_t word) { return word != 0 && word != 0xffff'ffff; });
    if (!is_safe) return done(divided(op, a, divisor, remainder));
    const Value quotient = op.b.op(Op::SDiv, a, divisor);
    return done(remainder ? op.b.isub(a, op.b.imul(divisor, quotient)) : quotient);
}

Outcome multiply_high(Operation& op, Op o) {
    const Value a = src(op, 0);
    const Value low = op.b.op(o, a, src(op, 1));
    return done(op.b.second(low, op.b.type_of(low)));
}

/// In SPIR-V, a bit field has one offset and one count for all components: this emits one instruction if the sources
/// agree, otherwise one per component. `first` is the index of the offset among the sources. TGSI leaves fields that do
/// not fit undefined; they are made to fit here. Offset 32 with 0 bits, which is legal, becomes offset 0.
template <class F>
Outcome bit_field(Operation& op, int first, F&& f) {
    ir::Builder& b = op.b;
    const auto fit = [&](Value& offset, Value& bits) {
        const bool fits = is_known(op, offset, [](uint32_t o) { return o < 32; }) &&
                          is_known(op, bits, [&](uint32_t n) { return n <= 32 - b.constant(offset).words[0]; });
        if (fits) return;
        offset = b.bit_and(offset, b.const_u32(31));
        const Value width = b.const_u32(32);
        bits = b.umin(bits, b.isub(width, offset));
    };
    const auto operands = op.program.srcs(op.instruction);
    const auto one_for_all = [&](int i) {
        int component = -1;
        for (int c = 0; c < 4; c++) {
            if ((op.mask >> c & 1) == 0) continue;
            const int read = operands[static_cast<size_t>(i)].component(c);
            if (component >= 0 && read != component) return false;
            component = read;
        }
        return true;
    };
    int lowest = 0;
    while ((op.mask >> lowest & 1) == 0) lowest++;
    if (one_for_all(first) && one_for_all(first + 1)) {
        Value offset = source_component(op, first, Scalar::U32, lowest);
        Value bits = source_component(op, first + 1, Scalar::U32, lowest);
        fit(offset, bits);
        return done(f([&](int i) { return src(op, i); }, offset, bits));
    }
    return done(per_component(op, [&](int c) {
        Value offset = source_component(op, first, Scalar::U32, c);
        Value bits = source_component(op, first + 1, Scalar::U32, c);
        fit(offset, bits);
        return f([&](int i) { return source_component(op, i, Scalar::U32, c); }, offset, bits);
    }));
}

Outcome extract_bits(Operation& op, Op o) {
    return bit_field(op, 1, [&](auto&& value, Value offset, Value bits) {
        const Value word = value(0);
        return op.b.emit(o, op.b.type_of(word), {word, offset, bits});
    });
}

Outcome insert_bits(Operation& op) {
    return bit_field(op, 2, [&](auto&& value, Value offset, Value bits) {
        const Value base = value(0);
        return op.b.emit(Op::BitInsert, op.b.type_of(base), {base, value(1), offset, bits});
    });
}

}  // namespace

Outcome shift(Operation& op, Op o, bool one_count) {
    const Value a = src(op, 0);
    Value count = one_count ? source_component(op, 1, Scalar::U32, 0) : src(op, 1);
    if (!is_known(op, count, [](uint32_t word) { return word < 32; })) {
        count = op.b.bit_and(count, u32_like(op, 31, count));
    }
    if (one_count) count = op.b.splat(count, op.width);
    return done(op.b.op(o, a, count));
}

bool has_one_shift_count(const Operation& op) {
    return tgsi::is_earlier(op.options.dialect);
}

namespace {

Outcome lower_bits(Operation& op) {
    switch (op.instruction.op) {
        case Opcode::AND:
            return bitwise(op, Op::And, Op::LAnd);
        case Opcode::OR:
            return bitwise(op, Op::Or, Op::LOr);
        case Opcode::XOR:
            return bitwise(op, Op::Xor, Op::LNe);
        case Opcode::NOT:
            return unary(op, Op::Not);
        case Opcode::SHL:
            return shift(op, Op::Shl, has_one_shift_count(op));
        case Opcode::USHR:
            return shift(op, Op::LShr, false);
        case Opcode::ISHR:
            return shift(op, Op::AShr, false);
        case Opcode::BFI:
            return insert_bits(op);
        case Opcode::UBFE:
            return extract_bits(op, Op::UBitExtract);
        case Opcode::IBFE:
            return extract_bits(op, Op::SBitExtract);
        case Opcode::BREV:
            return unary(op, Op::BitReverse);
        case Opcode::POPC:
            return unary(op, Op::BitCount);
        case Opcode::LSB:
            return unary(op, Op::FindLsb);
        case Opcode::UMSB:
            return unary(op, Op::FindUMsb);
        case Opcode::IMSB:
            return unary(op, Op::FindSMsb);
        default:
            return no_case(op);
    }
}

}  // namespace

Outcome lower_integer(Operation& op) {
    switch (op.instruction.op) {
        case Opcode::UADD:
            return binary(op, Op::IAdd);
        case Opcode::UMUL:
            return binary(op, Op::IMul);
        case Opcode::UMAX:
            return binary(op, Op::UMax);
        case Opcode::UMIN:
            return binary(op, Op::UMin);
        case Opcode::UDIV:
            return divide_unsigned(op, Op::UDiv);
        case Opcode::UMOD:
            return divide_unsigned(op, Op::UMod);
        case Opcode::UMUL_HI:
            return multiply_high(op, Op::UMulExt);
        case Opcode::IMUL_HI:
            return multiply_high(op, Op::SMulExt);
        case Opcode::UMAD: {
            const Value a = src(op, 0), factor = src(op, 1), c = src(op, 2);
            return done(op.b.iadd(op.b.imul(a, factor), c));
        }
        case Opcode::IDIV:
            return divide_signed(op, false);
        case Opcode::MOD:
            return divide_signed(op, true);
        case Opcode::IMAX:
            return binary(op, Op::SMax);
        case Opcode::IMIN:
            return binary(op, Op::SMin);
        case Opcode::IABS:
            return unary(op, Op::SAbs);
        case Opcode::INEG:
            return unary(op, Op::INegate);
        case Opcode::ISSG:
            return unary(op, Op::SSign);
        case Opcode::UARL:
            return done(src(op, 0));
        default:
            return lower_bits(op);
    }
}

}  // namespace tgsi2spv::lower

// Reads sources for the opcode families: the swizzle first, then modifiers according to the opcode's operand type.
#include <string>

#include "lower/context/values.h"
#include "lower/operands/operands.h"
#include "lower/operands/wide.h"
#include "lower/registers/cells.h"
#include "lower/registers/constant_buffers.h"
#include "lower/registers/read.h"

namespace tgsi2spv::lower {

using ir::Scalar;
using tgsi::OperandType;

namespace {

constexpr uint32_t kSign = 0x8000'0000u;

OperandType operand_type(const tgsi::Instruction& instruction, int source) {
    return source < 5 ? tgsi::info(instruction.op).src[static_cast<size_t>(source)] : OperandType::Float;
}

/// Whether modifiers of a source that is read as `scalar` are those of an integer. Newest edition, TG4: where others
/// have the component, an integer, SHADOWCUBEARRAY has its reference, which alone is read as a float.
bool is_integer(const tgsi::Instruction& instruction, int source, Scalar scalar) {
    if (instruction.op == tgsi::Opcode::TG4 && scalar == Scalar::F32) return false;
    const OperandType type = operand_type(instruction, source);
    return type == OperandType::Int || type == OperandType::Uint;
}

const tgsi::Operand& operand(const Operation& op, int source) {
    const tgsi::Instruction& i = op.instruction;
    return op.program.operands[i.first_operand + i.num_dst + static_cast<uint32_t>(source)];
}

bool all_constant(Context& context, std::span<const Ref> refs) {
    for (const Ref& r : refs)
        if (!context.b.is_plain_constant(r.value)) return false;
    return true;
}

/// Semantics, Text: `-` flips the sign bit of a float, negates an integer; `|x|` is for floats, before the negation.
uint32_t modified_word(const tgsi::Operand& operand, bool integer, uint32_t word) {
    if (integer) {
        if (operand.absolute && (word & kSign) != 0) word = 0u - word;
        if (operand.negate) word = 0u - word;
    } else {
        if (operand.absolute) word &= ~kSign;
        if (operand.negate) word ^= kSign;
    }
    return word;
}

ir::Value modified(Operation& op, const tgsi::Operand& operand, bool integer, std::span<Ref> refs, Scalar scalar) {
    Context& w = op.context;
    if (all_constant(w, refs)) {
        for (Ref& r : refs)
            r = constant_ref(w.b, modified_word(operand, integer, w.b.constant(r.value).words[r.component]));
        return gather(w.b, refs, scalar);
    }
    ir::Value value = gather(w.b, refs, integer ? Scalar::U32 : Scalar::F32);
    if (operand.absolute) value = w.b.op(integer ? ir::Op::SAbs : ir::Op::FAbs, value);
    if (operand.negate) value = w.b.op(integer ? ir::Op::INegate : ir::Op::FNegate, value);
    return w.b.bitcast(value, scalar);
}

/// `IMM[1].xxyy` from its known words, with modifiers applied.
ir::Value immediate_source(Operation& op, int i, const tgsi::Operand& operand, Scalar scalar,
                           std::span<const uint8_t> comps) {
    const size_t n = comps.size();
    const auto index = static_cast<size_t>(operand.index);
    const bool modifies = operand.absolute || operand.negate;
    if (n == 1 && !modifies) return known_immediate(op.context, index, operand.component(comps[0]), scalar);
    const uint32_t* const from = op.program.immediates[index].words;
    const bool integer = modifies && is_integer(op.instruction, i, scalar);
    uint32_t words[4];
    for (size_t k = 0; k < n; ++k) {
        words[k] = from[operand.component(comps[k])];
        if (modifies) words[k] = modified_word(operand, integer, words[k]);
    }
    return op.b.const_words({scalar, static_cast<uint8_t>(n)}, std::span(words, n));
}

/// A register in cells, or a vector of a constant buffer, without modifiers: most sources. kNone: something else.
ir::Value plain_source(Context& context, const tgsi::Operand& operand, Scalar scalar, std::span<const uint8_t> comps) {
    const size_t n = comps.size();
    const auto place = [&](size_t k) { return static_cast<uint8_t>(operand.component(comps[k])); };
    if (const Ref* const cells = cells_of(context, operand))
        return gather_at(
            context.b, n, [&](size_t k) -> const Ref& { return cells[place(k)]; }, scalar);
    if (const ir::Value vector = named_constant(context, operand); vector != ir::kNone)
        return gather_at(
            context.b, n,
            [&](size_t k) {
                return Ref{vector, place(k)};
            },
            scalar);
    return ir::kNone;
}

/// Workarounds::opaque_immediates: values that are known only because nothing wrote the register, or because they were
/// folded, are hidden from the driver as immediates are.
void hide_known(Context& context, std::span<Ref> refs) {
    if (context.opaque_zero == ir::kNone) return;
    for (Ref& r : refs) {
        const ir::Type type = context.b.type_of(r.value);
        if (!context.b.is_plain_constant(r.value) || type.is_wide() || type.scalar == ir::Scalar::Bool) continue;
        const uint32_t word = context.b.constant(r.value).words[r.component];
        r = {context.b.bit_xor(context.b.const_u32(word), context.opaque_zero), 0};
    }
}

}  // namespace

bool read_swizzled(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* refs) {
    const size_t n = comps.size();
    if (const Ref* const cells = cells_of(context, operand)) {
        for (size_t k = 0; k < n; ++k) refs[k] = cells[operand.component(comps[k])];
        return true;
    }
    if (const ir::Value vector = named_constant(context, operand); vector != ir::kNone) {
        for (size_t k = 0; k < n; ++k) refs[k] = {vector, static_cast<uint8_t>(operand.component(comps[k]))};
        return true;
    }
    uint8_t places[4];
    for (size_t k = 0; k < n; ++k) places[k] = static_cast<uint8_t>(operand.component(comps[k]));
    return read(context, operand, std::span(places, n), refs);
}

ir::Value wide_source(Operation& op, int i, Scalar scalar, Pairs pairs) {
    Context& w = op.context;
    const tgsi::Operand& o = operand(op, i);
    uint8_t places[4];
    size_t n = 0;
    for (const uint8_t p : pairs.span())
        for (int half = 0; half < 2; ++half) places[n++] = static_cast<uint8_t>(o.component(2 * p + half));
    const bool integer = scalar != Scalar::F64;
    const ir::Type type = integer ? ir::u64(pairs.count) : doubles_type(op, pairs.count);
    Ref refs[4];
    if (!read(w, o, std::span(places, n), refs)) return w.b.zero(type);
    hide_known(w, std::span(refs, n));
    // Void: a pair that was just written is read back without a cast.
    ir::Value value = w.b.bitcast(gather(w.b, std::span<const Ref>(refs, n), Scalar::Void), type);
    const auto modified = [&](ir::Op of_integers, ir::Op of_floats) {
        return integer ? w.b.op(of_integers, value) : double_op(op, of_floats, {value});
    };
    if (o.absolute) value = modified(ir::Op::SAbs, ir::Op::FAbs);
    if (o.negate) value = modified(ir::Op::INegate, ir::Op::FNegate);
    return value;
}

ir::Value source(Operation& op, int i, Scalar scalar, std::span<const uint8_t> comps) {
    const tgsi::Operand& o = operand(op, i);
    Context& w = op.context;
    const size_t n = comps.size();
    if (o.file == tgsi::File::Immediate && !o.index_is_relative && !o.has_dim && w.opaque_zero == ir::kNone)
        return immediate_source(op, i, o, scalar, comps);
    if (!o.absolute && !o.negate && w.opaque_zero == ir::kNone)
        if (const ir::Value value = plain_source(w, o, scalar, comps); value != ir::kNone) return value;
    Ref refs[4];
    if (!read_swizzled(w, o, comps, refs)) return op.b.zero({scalar, static_cast<uint8_t>(n)});
    hide_known(w, std::span(refs, n));
    if (o.absolute || o.negate)
        return modified(op, o, is_integer(op.instruction, i, scalar), std::span(refs, n), scalar);
    return gather(w.b, std::span<const Ref>(refs, n), scalar);
}

ir::Value source(Operation& op, int i, Scalar scalar) {
    return source(op, i, scalar, components_of(op.mask));
}

ir::Value source_component(Operation& op, int i, Scalar scalar, int component) {
    const uint8_t comps[1] = {static_cast<uint8_t>(component)};
    return source(op, i, scalar, std::span<const uint8_t>(comps));
}

ir::Value offset_source(Operation& op, int i, int n) {
    const tgsi::Operand& o = op.program.offsets(op.instruction)[static_cast<size_t>(i)];
    const auto count = static_cast<size_t>(n);
    Ref refs[4];
    if (!read_swizzled(op.context, o, first_components(n), refs))
        return op.b.zero({Scalar::U32, static_cast<uint8_t>(n)});
    if (o.absolute || o.negate) return modified(op, o, true, std::span(refs, count), Scalar::U32);
    return gather(op.context.b, std::span<const Ref>(refs, count), Scalar::U32);
}

Outcome refuse(Operation& op, tgsi::Code code, std::string_view message) {
    fail(op.context, code, op.instruction.position,
         std::string(tgsi::info(op.instruction.op).mnemonic) + ": " + std::string(message));
    return {.ok = false};
}

Outcome refuse_lacking(Operation& op, std::string_view feature, std::string_view needing) {
    std::string what(tgsi::info(op.instruction.op).mnemonic);
    if (!needing.empty()) what.append(": ").append(needing);
    fail_lacking(op.context, op.instruction.position, feature, what);
    return {.ok = false};
}

ir::Value opaque_integer(Operation& op, ir::Value value) {
    const Context& w = op.context;
    if (!op.options.workarounds.opaque_integers || w.opaque_zero == ir::kNone) return value;
    const int n = op.b.type_of(value).components;
    return op.b.bit_xor(value, n > 1 ? op.b.splat(w.opaque_zero, n) : w.opaque_zero);
}

ir::Value opaque_zero(Operation& op) {
    const Context& w = op.context;
    return w.opaque_zero == ir::kNone ? op.b.const_f32(0.0f) : op.b.bitcast(w.opaque_zero, ir::Scalar::F32);
}

Outcome no_case(Operation& op) {
    return refuse(op, "internal-error", "no code translates this opcode");
}

}  // namespace tgsi2spv::lower

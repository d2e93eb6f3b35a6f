#include "lower/registers/predicates.h"

#include <algorithm>
#include <bit>

#include "lower/context/components.h"
#include "lower/context/regions.h"
#include "lower/context/values.h"
#include "lower/registers/read.h"

namespace tgsi2spv::lower {

using ir::Scalar;

namespace {

/// The predicate's components as a bool vector: true where the lane continues.
ir::Value condition_of(Context& context, const tgsi::Instruction& instruction, std::span<const uint8_t> comps) {
    ir::Builder& b = context.b;
    const tgsi::Operand& p = *context.program.predicate(instruction);
    Ref words[4], refs[4];
    if (context.predicate.words == nullptr && !read_predicate(context, instruction, words)) return b.const_bool(false);
    for (size_t k = 0; k < comps.size(); ++k)
        refs[k] = (context.predicate.words != nullptr ? context.predicate.words : words)[p.component(comps[k])];
    const ir::Value bits = gather(context.b, std::span<const Ref>(refs, comps.size()), Scalar::U32);
    const ir::Value zero = b.zero(b.type_of(bits));
    return instruction.predicate_inverted ? b.ieq(bits, zero) : b.ine(bits, zero);
}

}  // namespace

bool read_predicate(Context& context, const tgsi::Instruction& instruction, Ref* out) {
    return read(context, *context.program.predicate(instruction), all_components(), out);
}

void truth_values(Context& context, uint8_t mask, const Ref* refs, Ref* out) {
    ir::Builder& b = context.b;
    for (int k = 0, n = std::popcount(mask); k < n; ++k) {
        // For a float, -0 is zero too. The test uses the bits, not the value: MOV is a float opcode but also carries
        // small integers, which are denormals as floats and may be flushed. The result of reading an integer texture is
        // not a float, for any opcode.
        const bool is_float = context.predicate.float_result && b.type_of(refs[k].value).scalar == Scalar::F32;
        ir::Value bits = gather(context.b, std::span(refs + k, 1), Scalar::U32);
        if (is_float) bits = b.bit_and(bits, b.const_u32(0x7fff'ffff));
        const ir::Value yes = b.const_u32(0xffff'ffff), no = b.const_u32(0);
        out[k] = {b.select(b.ine(bits, no), yes, no), 0};
    }
}

bool keep_where_predicated(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs, Ref* out) {
    ir::Builder& b = context.b;
    const tgsi::Instruction& i = *context.predicate.instruction;
    uint8_t comps[4];
    size_t n = 0;
    for (uint8_t c = 0; c < 4; ++c)
        if (mask >> c & 1) comps[n++] = c;
    Ref before[4], after[4];
    std::copy_n(refs, n, after);
    tgsi::Operand source = operand;
    source.swizzle = 0xe4;
    source.negate = source.absolute = false;
    if (!read(context, source, std::span<const uint8_t>(comps, n), before)) return false;
    const ir::Value condition = condition_of(context, i, std::span<const uint8_t>(comps, n));
    const ir::Value written = gather(context.b, std::span<const Ref>(after, n), Scalar::Void);
    const ir::Value kept = gather(context.b, std::span<const Ref>(before, n), b.type_of(written).scalar);
    const ir::Value value = b.select(condition, written, kept);
    for (size_t k = 0; k < n; ++k) out[k] = {value, static_cast<uint8_t>(k)};
    return true;
}

bool write_where_predicated(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs) {
    const tgsi::Instruction& i = *context.predicate.instruction;
    for (uint8_t c = 0; c < 4; ++c) {
        if ((mask >> c & 1) == 0) continue;
        const Conditional conditional = begin_conditional(context, condition_of(context, i, std::span(&c, 1)));
        const bool ok = context.interface_operands.write(context, operand, static_cast<uint8_t>(1u << c), refs++);
        end_conditional(context, conditional);
        if (!ok) return false;
    }
    return true;
}

ir::Value predicate_condition(Context& context, const tgsi::Instruction& instruction) {
    static constexpr uint8_t kFirst[1] = {0};
    return condition_of(context, instruction, kFirst);
}

}  // namespace tgsi2spv::lower

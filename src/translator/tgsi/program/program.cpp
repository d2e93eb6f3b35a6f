#include "tgsi/program/program.h"

#include <algorithm>

namespace tgsi2spv::tgsi {

bool Operand::operator==(const Operand& operand) const {
    return file == operand.file && write_mask == operand.write_mask && swizzle == operand.swizzle &&
           swizzle_letters == operand.swizzle_letters && negate == operand.negate && absolute == operand.absolute &&
           has_dim == operand.has_dim && index_is_relative == operand.index_is_relative &&
           dim_is_relative == operand.dim_is_relative && array_id == operand.array_id &&
           dim_array_id == operand.dim_array_id && index == operand.index && dim == operand.dim &&
           relative == operand.relative;
}

bool Instruction::operator==(const Instruction& instruction) const {
    return op == instruction.op && saturate == instruction.saturate && saturate_signed == instruction.saturate_signed &&
           precise == instruction.precise && num_dst == instruction.num_dst && num_src == instruction.num_src &&
           num_offsets == instruction.num_offsets && has_predicate == instruction.has_predicate &&
           predicate_inverted == instruction.predicate_inverted && has_label == instruction.has_label &&
           target == instruction.target && qualifiers == instruction.qualifiers && format == instruction.format &&
           label == instruction.label && first_operand == instruction.first_operand;
}

bool Declaration::operator==(const Declaration& declaration) const {
    return file == declaration.file && usage_mask == declaration.usage_mask && has_dim == declaration.has_dim &&
           dim_is_empty == declaration.dim_is_empty && has_semantic == declaration.has_semantic &&
           invariant == declaration.invariant && local == declaration.local && has_stream == declaration.has_stream &&
           writable == declaration.writable && raw == declaration.raw && atomic == declaration.atomic &&
           memory_kind == declaration.memory_kind && cylwrap == declaration.cylwrap &&
           std::ranges::equal(streams, declaration.streams) && semantic == declaration.semantic &&
           interpolation == declaration.interpolation && location == declaration.location &&
           target == declaration.target && std::ranges::equal(returns, declaration.returns) &&
           format == declaration.format && array_id == declaration.array_id && dim == declaration.dim &&
           semantic_index == declaration.semantic_index && first == declaration.first && last == declaration.last &&
           immediates == declaration.immediates;
}

bool Immediate::operator==(const Immediate& immediate) const {
    return type == immediate.type && std::ranges::equal(words, immediate.words);
}

bool PropertyValue::operator==(const PropertyValue& o) const {
    return name == o.name && value == o.value;
}

const PropertyValue* Program::written(Property wanted) const {
    const PropertyValue* last = nullptr;
    for (const PropertyValue& p : properties)
        if (p.name == wanted) last = &p;
    return last;
}

uint32_t Program::property(Property wanted, uint32_t otherwise) const {
    const PropertyValue* const p = written(wanted);
    return p != nullptr ? p->value : otherwise;
}

}  // namespace tgsi2spv::tgsi

#include "tgsi/program.h"

#include <algorithm>

namespace tgsi2spv::tgsi {

bool Operand::operator==(const Operand& o) const {
    return file == o.file && write_mask == o.write_mask && swizzle == o.swizzle &&
           swizzle_letters == o.swizzle_letters && negate == o.negate && absolute == o.absolute &&
           has_dim == o.has_dim && index_is_relative == o.index_is_relative && dim_is_relative == o.dim_is_relative &&
           array_id == o.array_id && dim_array_id == o.dim_array_id && index == o.index && dim == o.dim &&
           relative == o.relative;
}

bool Instruction::operator==(const Instruction& o) const {
    return op == o.op && saturate == o.saturate && saturate_signed == o.saturate_signed && precise == o.precise &&
           num_dst == o.num_dst && num_src == o.num_src && num_offsets == o.num_offsets &&
           has_predicate == o.has_predicate && predicate_inverted == o.predicate_inverted && has_label == o.has_label &&
           target == o.target && qualifiers == o.qualifiers && format == o.format && label == o.label &&
           first_operand == o.first_operand;
}

bool Declaration::operator==(const Declaration& o) const {
    return file == o.file && usage_mask == o.usage_mask && has_dim == o.has_dim && dim_is_empty == o.dim_is_empty &&
           has_semantic == o.has_semantic && invariant == o.invariant && local == o.local &&
           has_stream == o.has_stream && writable == o.writable && raw == o.raw && atomic == o.atomic &&
           memory_kind == o.memory_kind && cylwrap == o.cylwrap && std::ranges::equal(streams, o.streams) &&
           semantic == o.semantic && interpolation == o.interpolation && location == o.location && target == o.target &&
           std::ranges::equal(returns, o.returns) && format == o.format && array_id == o.array_id && dim == o.dim &&
           semantic_index == o.semantic_index && first == o.first && last == o.last && immediates == o.immediates;
}

bool Immediate::operator==(const Immediate& o) const {
    return type == o.type && std::ranges::equal(words, o.words);
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

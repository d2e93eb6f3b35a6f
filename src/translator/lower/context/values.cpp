// Combines register components into the values that instructions take.
#include "lower/context/values.h"

#include <algorithm>

namespace tgsi2spv::lower {

using ir::Scalar;

Ref constant_ref(ir::Builder& b, uint32_t bits) {
    return {b.const_u32(bits), 0};
}

ir::Value gather_one(ir::Builder& b, const Ref& component, Scalar scalar) {
    if (b.is_plain_constant(component.value)) {
        const ir::Type type{scalar == Scalar::Void ? Scalar::F32 : scalar, 1};
        const ir::Constant& c = b.constant(component.value);
        return c.type == type ? component.value : b.const_splat(type, c.words[component.component]);
    }
    const ir::Type type = b.type_of(component.value);
    const ir::Value value = type.components == 1 ? component.value : b.extract(component.value, component.component);
    return scalar == Scalar::Void || scalar == type.scalar ? value : b.bitcast(value, scalar);
}

ir::Value gather_mixed(ir::Builder& b, std::span<const Ref> refs, Scalar scalar) {
    const size_t n = refs.size();
    bool constant = true;
    Scalar natural = Scalar::Void;
    for (const Ref& r : refs) {
        if (b.is_plain_constant(r.value)) continue;
        constant = false;
        natural = b.type_of(r.value).scalar;
        break;
    }
    if (constant) {
        uint32_t words[4];
        for (size_t i = 0; i < n; ++i) words[i] = b.constant(refs[i].value).words[refs[i].component];
        const ir::Type type{scalar == Scalar::Void ? Scalar::F32 : scalar, static_cast<uint8_t>(n)};
        return b.const_words(type, std::span(words, n));
    }
    if (scalar == Scalar::Void) scalar = natural;
    // If all have one type, one bitcast of the result; otherwise one bitcast per value.
    bool uniform = true;
    for (const Ref& r : refs) uniform &= b.type_of(r.value).scalar == natural;
    Ref parts[4];
    const Scalar common = uniform ? natural : scalar;
    for (size_t i = 0; i < n; ++i) {
        parts[i] = refs[i];
        if (b.type_of(refs[i].value).scalar == common) continue;
        for (size_t k = 0; k < i; ++k)
            if (refs[k].value == refs[i].value) parts[i].value = parts[k].value;
        if (parts[i].value == refs[i].value) parts[i].value = b.bitcast(refs[i].value, common);
    }
    const ir::Value value = b.compose(std::span<const Ref>(parts, n));
    return uniform ? b.bitcast(value, scalar) : value;
}

ir::Value gather(ir::Builder& b, std::span<const Ref> refs, Scalar scalar) {
    return gather_at(
        b, refs.size(), [&](size_t k) -> const Ref& { return refs[k]; }, scalar);
}

namespace {

/// True for constants, loads from variables that nothing writes, and values computed from these. `budget`: how many
/// values are looked at, so that the time does not grow with the text.
bool is_same_in_all_lanes(const Context& context, ir::Value value, int& budget) {
    if (ir::is_constant(value)) return true;
    const ir::Instruction& i = context.b.instruction(value);
    const auto is_constant_memory = [&](uint32_t variable) {
        const ir::Variable& v = context.b.module().variables[variable];
        const bool parameters = v.kind == ir::VariableKind::IoBuffer && v.index == 2;
        return parameters || v.kind == ir::VariableKind::ConstantBuffer || v.kind == ir::VariableKind::PushConstant;
    };
    const bool computed = ir::trait_of(i.op) == ir::Trait::pure && !ir::is_image_op(i.op) && i.op != ir::Op::Undef;
    if (!computed && (i.op != ir::Op::Load || !is_constant_memory(i.aux))) return false;
    return --budget >= 0 && std::ranges::all_of(context.b.args_of(value),
                                                [&](ir::Value v) { return is_same_in_all_lanes(context, v, budget); });
}

}  // namespace

bool is_same_in_all_lanes(const Context& context, ir::Value value) {
    int budget = 32;
    return is_same_in_all_lanes(context, value, budget);
}

}  // namespace tgsi2spv::lower

// Constants: each stands once, told apart by its bits (0 is not -0, and every NaN is itself).
#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

/// A constant-like instruction of the globals whose words after the result identify it.
template <class... Operands>
Id intern_constant(Emitter& e, spv::Op op, Id type, Operands... operands) {
    const uint32_t key[] = {static_cast<uint32_t>(op), type, static_cast<uint32_t>(operands)...};
    Id& id = e.w.interner.id_of(key);
    if (id) return id;
    id = e.new_id();
    put(e.w.globals, op, {type, id, operands...});
    return id;
}

}  // namespace

Id Emitter::make_u32_constant(uint32_t word) {
    const Id id = intern_constant(*this, spv::Op::OpConstant, type(ir::u32()), word);
    if (word < w.small_constants.size()) w.small_constants[word] = id;
    return id;
}

Id Emitter::scalar_constant(ir::Scalar scalar, std::span<const uint32_t> words) {
    const Id t = type({scalar, 1});
    switch (scalar) {
        case ir::Scalar::Bool:
            return intern_constant(*this, words[0] ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, t);
        case ir::Scalar::U32:
        case ir::Scalar::F32:
            return intern_constant(*this, spv::Op::OpConstant, t, words[0]);
        case ir::Scalar::U64:
        case ir::Scalar::F64:
            return intern_constant(*this, spv::Op::OpConstant, t, words[0], words[1]);
        case ir::Scalar::Void:
            break;
    }
    return 0;
}

Id Emitter::signed_constant(std::span<const uint32_t> words) {
    Id parts[4];
    const Id scalar = signed_type(1);
    for (size_t i = 0; i < words.size(); ++i) parts[i] = intern_constant(*this, spv::Op::OpConstant, scalar, words[i]);
    if (words.size() == 1) return parts[0];
    return composite_constant(signed_type(static_cast<int>(words.size())), {parts, words.size()});
}

Id Emitter::composite_constant(Id type, std::span<const Id> parts) {
    switch (parts.size()) {
        case 2:
            return intern_constant(*this, spv::Op::OpConstantComposite, type, parts[0], parts[1]);
        case 3:
            return intern_constant(*this, spv::Op::OpConstantComposite, type, parts[0], parts[1], parts[2]);
        default:
            return intern_constant(*this, spv::Op::OpConstantComposite, type, parts[0], parts[1], parts[2], parts[3]);
    }
}

Id Emitter::null_constant(Id type) {
    return intern_constant(*this, spv::Op::OpConstantNull, type);
}

Id Emitter::undef(Id type) {
    return intern_constant(*this, spv::Op::OpUndef, type);
}

Id Emitter::make_constant(uint32_t index) {
    const ir::Constant& c = module.constants[index];
    Id id = 0;
    if (c.spec_id >= 0) {
        const Id t = type(c.type);
        id = new_id();
        switch (c.type.scalar) {
            case ir::Scalar::Bool:
                put(w.globals, c.words[0] ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse, {t, id});
                break;
            case ir::Scalar::U64:
            case ir::Scalar::F64:
                put(w.globals, spv::Op::OpSpecConstant, {t, id, c.words[0], c.words[1]});
                break;
            case ir::Scalar::U32:
            case ir::Scalar::F32:
            case ir::Scalar::Void:
                put(w.globals, spv::Op::OpSpecConstant, {t, id, c.words[0]});
                break;
        }
        decorate(id, spv::Decoration::SpecId, static_cast<uint32_t>(c.spec_id));
    } else {
        const size_t width = c.type.is_wide() ? 2 : 1;
        Id parts[4];
        for (size_t i = 0; i < c.type.components; ++i)
            parts[i] = scalar_constant(c.type.scalar, {c.words.data() + i * width, width});
        id = c.type.components == 1 ? parts[0] : composite_constant(type(c.type), {parts, c.type.components});
    }
    return w.constant_ids[index] = id;
}

}  // namespace tgsi2spv::spirv

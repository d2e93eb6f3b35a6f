// Constants: each is declared once, identified by its bits (0 differs from -0, and every NaN is distinct).
#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

/// A global constant-like instruction, identified by its words after the result id.
template <class... Operands>
Id intern_constant(Emitter& emitter, spv::Op op, Id type, Operands... operands) {
    const uint32_t key[] = {static_cast<uint32_t>(op), type, static_cast<uint32_t>(operands)...};
    Id& id = emitter.w.interner.id_of(std::span(key));
    if (id) return id;
    id = emitter.new_id();
    put(emitter.w.globals, op, {type, id, operands...});
    return id;
}

}  // namespace

Id Emitter::make_u32_constant(uint32_t word) {
    const Id t = type(ir::u32());
    if (word >= w.small_constants.size()) return intern_constant(*this, spv::Op::OpConstant, t, word);
    const Id id = w.small_constants[word] = new_id();
    put(w.globals, spv::Op::OpConstant, {t, id, word});
    return id;
}

Id Emitter::scalar_constant(ir::Scalar scalar, std::span<const uint32_t> words) {
    const Id t = type({scalar, 1});
    switch (scalar) {
        case ir::Scalar::Bool:
            return intern_constant(*this, words[0] ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, t);
        case ir::Scalar::U32:
            return u32_constant(words[0]);
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

Id Emitter::work_group_size() {
    if (size_constant) return size_constant;
    const ir::EntryPoint& entry = module.entry;
    Id parts[3];
    bool open = false;
    for (size_t c = 0; c < 3; ++c) {
        const uint32_t id = entry.local_size_ids[c];
        parts[c] = id == ir::kNone ? u32_constant(entry.local_size[c]) : spec_constant(id, entry.local_size[c]);
        open |= id != ir::kNone;
    }
    const Id t = type(ir::u32(3));
    if (!open) return size_constant = composite_constant(t, parts);
    size_constant = new_id();
    put(w.globals, spv::Op::OpSpecConstantComposite, {t, size_constant, parts[0], parts[1], parts[2]});
    decorate(size_constant, spv::Decoration::BuiltIn, static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize));
    return size_constant;
}

Id Emitter::spec_constant(uint32_t spec_id, uint32_t standard) {
    for (uint32_t i = 0; i < module.constants.size(); ++i)
        if (module.constants[i].spec_id == static_cast<int32_t>(spec_id)) return constant(i);
    const Id t = type(ir::u32());
    const Id id = new_id();
    put(w.globals, spv::Op::OpSpecConstant, {t, id, standard});
    decorate(id, spv::Decoration::SpecId, spec_id);
    return id;
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
    } else if (c.type.components == 1) {
        id = scalar_constant(c.type.scalar, c.words);
    } else {
        const size_t width = c.type.is_wide() ? 2 : 1;
        Id parts[4];
        for (size_t i = 0; i < c.type.components; ++i) {
            const uint32_t* const words = c.words.data() + i * width;
            // Most vectors have the same number in every component.
            const bool again =
                i > 0 && words[0] == words[-static_cast<ptrdiff_t>(width)] && (width == 1 || words[1] == words[-1]);
            parts[i] = again ? parts[i - 1] : scalar_constant(c.type.scalar, {words, width});
        }
        id = composite_constant(type(c.type), {parts, c.type.components});
    }
    return w.constant_ids[index] = id;
}

}  // namespace tgsi2spv::spirv

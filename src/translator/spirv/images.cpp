// Image instructions. Instructions that must be in the same block as their use (OpSampledImage) are emitted again for
// each use.
#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

using Mask = spv::ImageOperandsMask;

struct Image {
    Emitter& e;
    const ir::Instruction& i;
    const ir::ImageOp& op;
    const ir::Variable& variable;
    const ir::ImageType& type;
    std::span<const uint32_t> args;
    ir::ImageArguments at;

    Id arg(int where) const { return where < 0 ? 0 : e.id_of(args[static_cast<size_t>(where)]); }
};

/// A pointer to the descriptor: the variable, or an element of its array.
Id descriptor(const Image& image, uint32_t index, int where) {
    Emitter& e = image.e;
    const ir::Variable& v = e.module.variables[index];
    const Id base = e.variable(index);
    if (where < 0) return base;
    const ir::Value i = image.args[static_cast<size_t>(where)];
    const bool divergent = image.op.non_uniform && !ir::is_constant(i);
    if (!ir::is_constant(i)) e.w.requirements.descriptor_index(v, divergent);
    const Id element = e.id_of(i);
    const Id pointer = e.pointer_type(spv::StorageClass::UniformConstant, e.variable_type(v));
    const Id chain = e.new_id();
    put(e.w.code, spv::Op::OpAccessChain, {pointer, chain, base, element});
    if (divergent) e.decorate(chain, spv::Decoration::NonUniform);
    return chain;
}

bool is_divergent(const Image& image, int where) {
    return image.op.non_uniform && where >= 0 && !ir::is_constant(image.args[static_cast<size_t>(where)]);
}

Id load_descriptor(const Image& image, uint32_t index, int where) {
    Emitter& e = image.e;
    const Id pointer = descriptor(image, index, where);
    const Id type = e.variable_type(e.module.variables[index]);
    const Id loaded = e.new_id();
    put(e.w.code, spv::Op::OpLoad, {type, loaded, pointer});
    if (is_divergent(image, where)) e.decorate(loaded, spv::Decoration::NonUniform);
    return loaded;
}

bool is_combined(const Image& image) {
    return image.variable.kind == ir::VariableKind::CombinedImage && image.type.dim != ir::ImageDim::Buffer;
}

bool is_storage(const Image& image) {
    return image.variable.kind == ir::VariableKind::StorageImage ||
           image.variable.kind == ir::VariableKind::InputAttachment;
}

/// The image with its sampler, for filtering instructions.
Id sampled_image(const Image& m) {
    Emitter& e = m.e;
    const Id image = load_descriptor(m, m.op.image, m.at.image_index);
    if (m.op.sampler == ir::kNone) return image;
    const Id sampler = load_descriptor(m, m.op.sampler, m.at.sampler_index);
    const Id type = e.sampled_image_type(e.image_type(m.type, false));
    const Id both = e.new_id();
    put(e.w.code, spv::Op::OpSampledImage, {type, both, image, sampler});
    if (is_divergent(m, m.at.image_index) || is_divergent(m, m.at.sampler_index))
        e.decorate(both, spv::Decoration::NonUniform);
    return both;
}

/// The image alone, for instructions without filtering.
Id plain_image(const Image& m) {
    Emitter& e = m.e;
    const Id loaded = load_descriptor(m, m.op.image, m.at.image_index);
    if (!is_combined(m)) return loaded;
    const Id type = e.image_type(m.type, false);
    const Id image = e.new_id();
    put(e.w.code, spv::Op::OpImage, {type, image, loaded});
    if (is_divergent(m, m.at.image_index)) e.decorate(image, spv::Decoration::NonUniform);
    return image;
}

/// The image operands: mask, then the ids in the order of its bits.
struct Operands {
    uint32_t mask = 0;
    Id ids[12] = {};
    uint32_t count = 0;

    void add(Mask bit, Id id) {
        mask |= static_cast<uint32_t>(bit);
        ids[count++] = id;
    }
};

Id signed_offset(const Image& image, int where) {
    return image.e.as_signed(image.args[static_cast<size_t>(where)]);
}

Operands image_operands(const Image& image) {
    Operands o;
    if (image.at.bias >= 0) o.add(Mask::Bias, image.arg(image.at.bias));
    if (image.at.lod >= 0) o.add(Mask::Lod, image.arg(image.at.lod));
    if (image.at.grad >= 0) {
        o.add(Mask::Grad, image.arg(image.at.grad));
        o.ids[o.count++] = image.arg(image.at.grad + 1);
    }
    if (image.at.const_offset >= 0) o.add(Mask::ConstOffset, signed_offset(image, image.at.const_offset));
    if (image.at.offset >= 0) o.add(Mask::Offset, signed_offset(image, image.at.offset));
    if (image.at.const_offsets >= 0) {
        Id parts[4];
        for (int k = 0; k < 4; ++k) parts[k] = signed_offset(image, image.at.const_offsets + k);
        o.add(Mask::ConstOffsets, image.e.composite_constant(image.e.array_type(image.e.signed_type(2), 4), parts));
    }
    if (image.at.sample >= 0) o.add(Mask::Sample, image.arg(image.at.sample));
    if (image.at.min_lod >= 0) o.add(Mask::MinLod, image.arg(image.at.min_lod));
    image.e.w.requirements.image_operands(o.mask);
    return o;
}

/// If SPIR-V's image type is signed, the instruction returns int, and the IR value is the same bits as uint.
Id result_type(const Image& image) {
    return image.type.sampled_is_signed ? image.e.signed_type(image.i.type.components) : image.e.type(image.i.type);
}

/// Emits `op type result words… [mask ids…]`, sparse or not, and converts its result to the IR's value.
void emit_read(const Image& image, ir::Value self, spv::Op op, std::span<const Id> words, const Operands& operands) {
    Emitter& e = image.e;
    const Id texel_type = result_type(image);
    const bool direct = !image.op.sparse && !image.type.sampled_is_signed;
    const Id type = image.op.sparse ? e.pair_type(e.type(ir::u32()), texel_type) : texel_type;
    const Id result = direct ? e.result_id(self) : e.new_id();
    const auto count = static_cast<uint32_t>(3 + words.size() + (operands.mask ? 1 + operands.count : 0));
    uint32_t* p = e.w.code.grow(count);
    *p++ = count << 16 | static_cast<uint32_t>(op);
    *p++ = type;
    *p++ = result;
    for (Id w : words) *p++ = w;
    if (operands.mask) {
        *p++ = operands.mask;
        for (uint32_t k = 0; k < operands.count; ++k) *p++ = operands.ids[k];
    }
    if (direct) return;
    Id texel = result;
    if (image.op.sparse) {
        e.w.requirements.add(spv::Capability::SparseResidency);
        e.w.pair_ids[self] = result;  // Second is member 0 of this pair
        texel = image.type.sampled_is_signed ? e.new_id() : e.result_id(self);
        put(e.w.code, spv::Op::OpCompositeExtract, {texel_type, texel, result, 1});
    }
    if (image.type.sampled_is_signed)
        put(e.w.code, spv::Op::OpBitcast, {e.type(image.i.type), e.result_id(self), texel});
}

spv::Op sample_op(bool explicit_lod, bool dref, bool sparse) {
    if (sparse) {
        if (explicit_lod)
            return dref ? spv::Op::OpImageSparseSampleDrefExplicitLod : spv::Op::OpImageSparseSampleExplicitLod;
        return dref ? spv::Op::OpImageSparseSampleDrefImplicitLod : spv::Op::OpImageSparseSampleImplicitLod;
    }
    if (explicit_lod) return dref ? spv::Op::OpImageSampleDrefExplicitLod : spv::Op::OpImageSampleExplicitLod;
    return dref ? spv::Op::OpImageSampleDrefImplicitLod : spv::Op::OpImageSampleImplicitLod;
}

void emit_sample(const Image& image, ir::Value self) {
    const bool explicit_lod = image.i.op == ir::Op::ImageSampleLod;
    Id words[3] = {sampled_image(image), image.arg(image.at.coordinate)};
    size_t count = 2;
    if (image.op.dref) words[count++] = image.arg(image.at.dref);
    emit_read(image, self, sample_op(explicit_lod, image.op.dref, image.op.sparse), {words, count},
              image_operands(image));
}

void emit_gather(const Image& image, ir::Value self) {
    Id words[3] = {sampled_image(image), image.arg(image.at.coordinate)};
    words[2] = image.op.dref ? image.arg(image.at.dref) : image.e.u32_constant(image.op.component);
    const spv::Op op = image.op.dref ? (image.op.sparse ? spv::Op::OpImageSparseDrefGather : spv::Op::OpImageDrefGather)
                                     : (image.op.sparse ? spv::Op::OpImageSparseGather : spv::Op::OpImageGather);
    emit_read(image, self, op, words, image_operands(image));
}

void emit_texel(const Image& image, ir::Value self) {
    const bool fetch = image.i.op == ir::Op::ImageFetch;
    const Id words[2] = {plain_image(image), image.arg(image.at.coordinate)};
    if (!fetch) image.e.w.requirements.storage_access(image.type, false);
    const spv::Op op = fetch ? (image.op.sparse ? spv::Op::OpImageSparseFetch : spv::Op::OpImageFetch)
                             : (image.op.sparse ? spv::Op::OpImageSparseRead : spv::Op::OpImageRead);
    emit_read(image, self, op, words, image_operands(image));
}

void emit_write(const Image& m) {
    Emitter& e = m.e;
    const Id image = plain_image(m);
    const Id coordinate = m.arg(m.at.coordinate);
    Id texel = m.arg(m.at.texel);
    if (m.type.sampled_is_signed) {
        const ir::Type type = e.type_of(m.args[static_cast<size_t>(m.at.texel)]);
        texel = e.bitcast(e.signed_type(type.components), texel);
    }
    const Operands operands = image_operands(m);
    e.w.requirements.storage_access(m.type, true);
    if (operands.mask)  // only Sample is possible here
        put(e.w.code, spv::Op::OpImageWrite, {image, coordinate, texel, operands.mask, operands.ids[0]});
    else
        put(e.w.code, spv::Op::OpImageWrite, {image, coordinate, texel});
}

void emit_atomic(const Image& m, ir::Value self) {
    Emitter& e = m.e;
    const bool is_signed = m.type.sampled_is_signed;
    const Id texel_type = is_signed ? e.signed_type(1) : e.type({m.type.sampled, 1});
    const Id image = descriptor(m, m.op.image, m.at.image_index);
    const Id coordinate = m.arg(m.at.coordinate);
    const Id sample = m.at.sample >= 0 ? m.arg(m.at.sample) : e.u32_constant(0);
    const Id pointer_type = is_signed ? e.pointer_type(spv::StorageClass::Image, texel_type)
                                      : e.pointer_type(spv::StorageClass::Image, ir::Type{m.type.sampled, 1});
    const Id pointer = e.new_id();
    put(e.w.code, spv::Op::OpImageTexelPointer, {pointer_type, pointer, image, coordinate, sample});
    if (is_divergent(m, m.at.image_index)) e.decorate(pointer, spv::Decoration::NonUniform);

    const int count = ir::atomic_operands(static_cast<ir::AtomicOp>(m.i.sub));
    Id operands[2] = {};
    for (int k = 0; k < count; ++k) {
        const ir::Value v = m.args[static_cast<size_t>(m.at.operand + k)];
        operands[k] = e.id_of(v);
        if (is_signed) operands[k] = e.bitcast(texel_type, operands[k]);
    }
    const Id result = is_signed ? e.new_id() : e.result_id(self);
    e.atomic(m.i, texel_type, result, pointer, m.variable.kind, {operands, static_cast<size_t>(count)});
    if (is_signed) put(e.w.code, spv::Op::OpBitcast, {e.type(m.i.type), e.result_id(self), result});
}

void emit_query(const Image& m, ir::Value self) {
    Emitter& e = m.e;
    const Id type = e.type(m.i.type);
    switch (m.i.op) {
        case ir::Op::ImageQuerySize: {
            const Id image = plain_image(m);
            // Only sampled images that have levels take the level.
            const bool levels = !is_storage(m) && !m.type.ms && m.type.dim != ir::ImageDim::Buffer;
            if (levels) {
                const Id lod = m.at.lod >= 0 ? m.arg(m.at.lod) : e.u32_constant(0);
                put(e.w.code, spv::Op::OpImageQuerySizeLod, {type, e.result_id(self), image, lod});
            } else {
                put(e.w.code, spv::Op::OpImageQuerySize, {type, e.result_id(self), image});
            }
            return;
        }
        case ir::Op::ImageQueryLevels:
        case ir::Op::ImageQuerySamples: {
            const Id image = plain_image(m);
            const bool samples = m.i.op == ir::Op::ImageQuerySamples;
            put(e.w.code, samples ? spv::Op::OpImageQuerySamples : spv::Op::OpImageQueryLevels,
                {type, e.result_id(self), image});
            return;
        }
        default: {
            const Id image = sampled_image(m);
            put(e.w.code, spv::Op::OpImageQueryLod, {type, e.result_id(self), image, m.arg(m.at.coordinate)});
            return;
        }
    }
}

}  // namespace

void Emitter::emit_image(const ir::Instruction& instruction, ir::Value self) {
    const ir::ImageOp& op = module.image_ops[instruction.aux];
    const ir::Variable& v = module.variables[op.image];
    const Image m{
        *this, instruction, op, v, v.image, function->args_of(instruction), ir::image_arguments(module, instruction)};
    switch (instruction.op) {
        case ir::Op::ImageSample:
        case ir::Op::ImageSampleLod:
            return emit_sample(m, self);
        case ir::Op::ImageGather:
            return emit_gather(m, self);
        case ir::Op::ImageFetch:
        case ir::Op::ImageRead:
            return emit_texel(m, self);
        case ir::Op::ImageWrite:
            return emit_write(m);
        case ir::Op::ImageAtomic:
            return emit_atomic(m, self);
        default:
            return emit_query(m, self);
    }
}

}  // namespace tgsi2spv::spirv

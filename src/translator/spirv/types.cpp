// Types: each is declared once. A type with layout decorations differs from the same type without them.
#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

/// Distinguishes the keys of types that differ only in their decorations.
enum class Salt : uint32_t { None = 0, Laid = 1 };

template <class... Operands>
Id intern_type(Emitter& emitter, Salt salt, bool& fresh, spv::Op op, Operands... operands) {
    const uint32_t key[] = {static_cast<uint32_t>(op) | static_cast<uint32_t>(salt) << 16,
                            static_cast<uint32_t>(operands)...};
    Id& id = emitter.w.interner.id_of(std::span(key));
    fresh = id == 0;
    if (!fresh) return id;
    id = emitter.new_id();
    put(emitter.w.globals, op, {id, operands...});
    return id;
}

template <class... Operands>
Id intern_type(Emitter& emitter, spv::Op op, Operands... operands) {
    bool fresh = false;
    return intern_type(emitter, Salt::None, fresh, op, operands...);
}

/// A new type; from now on Workspace::type_ids or pointer_ids holds it, and nothing else creates it.
template <class... Operands>
Id new_type(Emitter& emitter, spv::Op op, Operands... operands) {
    const Id id = emitter.new_id();
    put(emitter.w.globals, op, {id, operands...});
    return id;
}

spv::Dim dim_of(ir::ImageDim dim) {
    switch (dim) {
        case ir::ImageDim::D1:
            return spv::Dim::Dim1D;
        case ir::ImageDim::D2:
            return spv::Dim::Dim2D;
        case ir::ImageDim::D3:
            return spv::Dim::Dim3D;
        case ir::ImageDim::Cube:
            return spv::Dim::Cube;
        case ir::ImageDim::Buffer:
            return spv::Dim::Buffer;
        case ir::ImageDim::SubpassData:
            return spv::Dim::SubpassData;
    }
    return spv::Dim::Dim2D;
}

}  // namespace

Id Emitter::make_type(ir::Type t) {
    Id id = 0;
    if (t.components > 1) {
        const Id scalar = type({t.scalar, 1});
        id = new_type(*this, spv::Op::OpTypeVector, scalar, t.components);
    } else {
        w.requirements.scalar(t.scalar);
        switch (t.scalar) {
            case ir::Scalar::Void:
                id = new_type(*this, spv::Op::OpTypeVoid);
                break;
            case ir::Scalar::Bool:
                id = new_type(*this, spv::Op::OpTypeBool);
                break;
            case ir::Scalar::U32:
                id = new_type(*this, spv::Op::OpTypeInt, 32, 0);
                break;
            case ir::Scalar::F32:
                id = new_type(*this, spv::Op::OpTypeFloat, 32);
                break;
            case ir::Scalar::U64:
                id = new_type(*this, spv::Op::OpTypeInt, 64, 0);
                break;
            case ir::Scalar::F64:
                id = new_type(*this, spv::Op::OpTypeFloat, 64);
                break;
        }
    }
    return w.type_ids[static_cast<size_t>(t.scalar)][t.components] = id;
}

Id Emitter::signed_type(int components, int bits) {
    const Id scalar = intern_type(*this, spv::Op::OpTypeInt, static_cast<uint32_t>(bits), 1);
    return components == 1 ? scalar : intern_type(*this, spv::Op::OpTypeVector, scalar, components);
}

Id Emitter::array_type(Id element, uint32_t length) {
    return intern_type(*this, spv::Op::OpTypeArray, element, u32_constant(length));
}

Id Emitter::pair_type(Id first, Id second) {
    return intern_type(*this, spv::Op::OpTypeStruct, first, second);
}

Id Emitter::pointer_type(spv::StorageClass storage, Id pointee) {
    return intern_type(*this, spv::Op::OpTypePointer, storage, pointee);
}

Id Emitter::pointer_type(spv::StorageClass storage, ir::Type pointee) {
    Id& id = w.pointer_ids[static_cast<size_t>(storage)][static_cast<size_t>(pointee.scalar)][pointee.components];
    return id ? id : id = new_type(*this, spv::Op::OpTypePointer, storage, type(pointee));
}

Id Emitter::function_type(const ir::Function& callee) {
    if (callee.params.size() > kMaxFunctionParameters) {
        fail("parameter-limit", "a function has more than 255 parameters");
        return 0;
    }
    uint32_t key[kMaxFunctionParameters + 2];
    size_t n = 0;
    key[n++] = static_cast<uint32_t>(spv::Op::OpTypeFunction);
    key[n++] = type(callee.result);
    for (ir::Type p : callee.params) key[n++] = type(p);
    Id& id = w.interner.id_of(std::span<const uint32_t>(key, n));
    if (id) return id;
    id = new_id();
    uint32_t* p = w.globals.grow(n + 1);
    p[0] = static_cast<uint32_t>(n + 1) << 16 | key[0];
    p[1] = id;
    for (size_t i = 1; i < n; ++i) p[i + 1] = key[i];
    return id;
}

Id Emitter::image_type(const ir::ImageType& image, bool storage) {
    w.requirements.image_type(image, storage);
    const Id sampled = image.sampled_is_signed ? signed_type(1) : type({image.sampled, 1});
    return intern_type(*this, spv::Op::OpTypeImage, sampled, dim_of(image.dim), image.depth ? 1 : 0,
                       image.array ? 1 : 0, image.ms ? 1 : 0, storage ? 2 : 1, storage ? image.format : 0);
}

Id Emitter::sampled_image_type(Id image) {
    return intern_type(*this, spv::Op::OpTypeSampledImage, image);
}

Id Emitter::sampler_type() {
    return intern_type(*this, spv::Op::OpTypeSampler);
}

Id Emitter::block_type(const Block& block) {
    const Id element = type(block.element);
    bool fresh = false;
    const Id array =
        block.length ? intern_type(*this, Salt::Laid, fresh, spv::Op::OpTypeArray, element, u32_constant(block.length))
                     : intern_type(*this, Salt::Laid, fresh, spv::Op::OpTypeRuntimeArray, element);
    // An element type always has the same stride: 16 for vectors of four, 4 for words.
    if (fresh) decorate(array, spv::Decoration::ArrayStride, block.stride);

    const uint32_t flags = (block.buffer_block ? 1u : 0u) | (block.non_readable ? 2u : 0u) |
                           (block.non_writable ? 4u : 0u) | (block.coherent ? 8u : 0u) | (block.is_volatile ? 16u : 0u);
    const uint32_t key[] = {static_cast<uint32_t>(spv::Op::OpTypeStruct) | 2u << 16, array, flags};
    Id& id = w.interner.id_of(std::span(key));
    if (id) return id;
    id = new_id();
    put(w.globals, spv::Op::OpTypeStruct, {id, array});
    decorate(id, block.buffer_block ? spv::Decoration::BufferBlock : spv::Decoration::Block);
    const auto member = [&](spv::Decoration d) { put(w.annotations, spv::Op::OpMemberDecorate, {id, 0, d}); };
    put(w.annotations, spv::Op::OpMemberDecorate, {id, 0, spv::Decoration::Offset, 0});
    if (block.non_readable) member(spv::Decoration::NonReadable);
    if (block.non_writable) member(spv::Decoration::NonWritable);
    if (block.coherent) member(spv::Decoration::Coherent);
    if (block.is_volatile) member(spv::Decoration::Volatile);
    return id;
}

}  // namespace tgsi2spv::spirv

// Variables: declared when an instruction first names them, so that unused ones require nothing.
#include <algorithm>
#include <utility>

#include "spirv/emitter.h"

#include "spirv/reflect.h"

namespace tgsi2spv::spirv {
namespace {

using spv::Decoration;
using spv::StorageClass;

constexpr std::pair<ir::BuiltIn, spv::BuiltIn> kBuiltIns[] = {
    {ir::BuiltIn::Position, spv::BuiltIn::Position},
    {ir::BuiltIn::PointSize, spv::BuiltIn::PointSize},
    {ir::BuiltIn::ClipDistance, spv::BuiltIn::ClipDistance},
    {ir::BuiltIn::CullDistance, spv::BuiltIn::CullDistance},
    {ir::BuiltIn::VertexIndex, spv::BuiltIn::VertexIndex},
    {ir::BuiltIn::InstanceIndex, spv::BuiltIn::InstanceIndex},
    {ir::BuiltIn::BaseVertex, spv::BuiltIn::BaseVertex},
    {ir::BuiltIn::BaseInstance, spv::BuiltIn::BaseInstance},
    {ir::BuiltIn::DrawIndex, spv::BuiltIn::DrawIndex},
    {ir::BuiltIn::FragCoord, spv::BuiltIn::FragCoord},
    {ir::BuiltIn::FrontFacing, spv::BuiltIn::FrontFacing},
    {ir::BuiltIn::PointCoord, spv::BuiltIn::PointCoord},
    {ir::BuiltIn::FragDepth, spv::BuiltIn::FragDepth},
    {ir::BuiltIn::FragStencilRef, spv::BuiltIn::FragStencilRefEXT},
    {ir::BuiltIn::SampleId, spv::BuiltIn::SampleId},
    {ir::BuiltIn::SamplePosition, spv::BuiltIn::SamplePosition},
    {ir::BuiltIn::SampleMask, spv::BuiltIn::SampleMask},
    {ir::BuiltIn::HelperInvocation, spv::BuiltIn::HelperInvocation},
    {ir::BuiltIn::PrimitiveId, spv::BuiltIn::PrimitiveId},
    {ir::BuiltIn::Layer, spv::BuiltIn::Layer},
    {ir::BuiltIn::ViewportIndex, spv::BuiltIn::ViewportIndex},
    {ir::BuiltIn::ViewportMask, spv::BuiltIn::ViewportMaskNV},
    {ir::BuiltIn::ViewIndex, spv::BuiltIn::ViewIndex},
    {ir::BuiltIn::InvocationId, spv::BuiltIn::InvocationId},
    {ir::BuiltIn::TessCoord, spv::BuiltIn::TessCoord},
    {ir::BuiltIn::TessLevelOuter, spv::BuiltIn::TessLevelOuter},
    {ir::BuiltIn::TessLevelInner, spv::BuiltIn::TessLevelInner},
    {ir::BuiltIn::PatchVertices, spv::BuiltIn::PatchVertices},
    {ir::BuiltIn::NumWorkgroups, spv::BuiltIn::NumWorkgroups},
    {ir::BuiltIn::WorkgroupId, spv::BuiltIn::WorkgroupId},
    {ir::BuiltIn::WorkgroupSize, spv::BuiltIn::WorkgroupSize},
    {ir::BuiltIn::LocalInvocationId, spv::BuiltIn::LocalInvocationId},
    {ir::BuiltIn::LocalInvocationIndex, spv::BuiltIn::LocalInvocationIndex},
    {ir::BuiltIn::GlobalInvocationId, spv::BuiltIn::GlobalInvocationId},
    {ir::BuiltIn::SubgroupSize, spv::BuiltIn::SubgroupSize},
    {ir::BuiltIn::SubgroupLocalInvocationId, spv::BuiltIn::SubgroupLocalInvocationId},
    {ir::BuiltIn::SubgroupEqMask, spv::BuiltIn::SubgroupEqMask},
    {ir::BuiltIn::SubgroupGeMask, spv::BuiltIn::SubgroupGeMask},
    {ir::BuiltIn::SubgroupGtMask, spv::BuiltIn::SubgroupGtMask},
    {ir::BuiltIn::SubgroupLeMask, spv::BuiltIn::SubgroupLeMask},
    {ir::BuiltIn::SubgroupLtMask, spv::BuiltIn::SubgroupLtMask},
    {ir::BuiltIn::ShadingRate, spv::BuiltIn::ShadingRateKHR},
};

spv::BuiltIn builtin_of(ir::BuiltIn builtin, ir::Stage stage) {
    if (builtin == ir::BuiltIn::Position && stage == ir::Stage::Fragment) return spv::BuiltIn::FragCoord;
    const auto* const row = std::ranges::find(kBuiltIns, builtin, &std::pair<ir::BuiltIn, spv::BuiltIn>::first);
    return row == std::end(kBuiltIns) ? spv::BuiltIn::Max : row->second;
}

bool is_resource(ir::VariableKind kind) {
    switch (kind) {
        case ir::VariableKind::ConstantBuffer:
        case ir::VariableKind::StorageBuffer:
        case ir::VariableKind::CombinedImage:
        case ir::VariableKind::SampledImage:
        case ir::VariableKind::Sampler:
        case ir::VariableKind::StorageImage:
        case ir::VariableKind::InputAttachment:
        case ir::VariableKind::IoBuffer:
            return true;
        case ir::VariableKind::Input:
        case ir::VariableKind::Output:
        case ir::VariableKind::Private:
        case ir::VariableKind::Local:
        case ir::VariableKind::Shared:
        case ir::VariableKind::PushConstant:
            return false;
    }
    return false;
}

}  // namespace

StorageClass Emitter::storage_class(const ir::Variable& variable) const {
    // Before 1.3, a storage buffer is a uniform whose struct has BufferBlock.
    const StorageClass buffer = version >= kSpirv13 ? StorageClass::StorageBuffer : StorageClass::Uniform;
    switch (variable.kind) {
        case ir::VariableKind::Input:
            return StorageClass::Input;
        case ir::VariableKind::Output:
            return StorageClass::Output;
        case ir::VariableKind::Private:
            return StorageClass::Private;
        case ir::VariableKind::Local:
            return StorageClass::Function;
        case ir::VariableKind::Shared:
            return StorageClass::Workgroup;
        case ir::VariableKind::ConstantBuffer:
            return variable.storage ? buffer : StorageClass::Uniform;
        case ir::VariableKind::StorageBuffer:
        case ir::VariableKind::IoBuffer:
            return buffer;
        case ir::VariableKind::PushConstant:
            return StorageClass::PushConstant;
        case ir::VariableKind::CombinedImage:
        case ir::VariableKind::SampledImage:
        case ir::VariableKind::Sampler:
        case ir::VariableKind::StorageImage:
        case ir::VariableKind::InputAttachment:
            return StorageClass::UniformConstant;
    }
    return StorageClass::Private;
}

Id Emitter::variable_type(const ir::Variable& variable) {
    Block block{.element = variable.element};
    block.non_readable = variable.non_readable;
    block.non_writable = variable.non_writable;
    block.coherent = variable.coherent;
    block.is_volatile = variable.is_volatile;
    switch (variable.kind) {
        case ir::VariableKind::Input:
        case ir::VariableKind::Output:
        case ir::VariableKind::Private:
        case ir::VariableKind::Local:
        case ir::VariableKind::Shared: {
            Id t = variable.is_signed ? signed_type(variable.element.components) : type(variable.element);
            if (is_array_of_one(variable.builtin)) return array_type(t, 1);
            if (variable.array[1]) t = array_type(t, variable.array[1]);
            if (variable.array[0]) t = array_type(t, variable.array[0]);
            return t;
        }
        case ir::VariableKind::ConstantBuffer:
            block.length = variable.array[1];
            block.stride = 16;
            block.buffer_block = variable.storage && version < kSpirv13;
            block.non_writable = variable.storage;
            block.non_readable = false;
            return block_type(block);
        case ir::VariableKind::StorageBuffer:
        case ir::VariableKind::IoBuffer:
            block.stride = 4;
            block.buffer_block = version < kSpirv13;
            return block_type(block);
        case ir::VariableKind::PushConstant:
            block.length = variable.array[1];
            block.stride = 4;
            block.non_readable = block.non_writable = block.coherent = block.is_volatile = false;
            return block_type(block);
        case ir::VariableKind::CombinedImage:
            // A texel buffer has no sampler: its descriptor is the image alone.
            if (variable.image.dim == ir::ImageDim::Buffer) return image_type(variable.image, false);
            return sampled_image_type(image_type(variable.image, false));
        case ir::VariableKind::SampledImage:
            return image_type(variable.image, false);
        case ir::VariableKind::Sampler:
            return sampler_type();
        case ir::VariableKind::StorageImage:
        case ir::VariableKind::InputAttachment:
            return image_type(variable.image, true);
    }
    return 0;
}

void Emitter::decorate_interface(const ir::Variable& variable, Id id) {
    const bool fragment_input = variable.kind == ir::VariableKind::Input && module.entry.stage == ir::Stage::Fragment;
    if (variable.builtin != ir::BuiltIn::None) {
        w.requirements.builtin(variable.builtin);
        decorate(id, Decoration::BuiltIn, static_cast<uint32_t>(builtin_of(variable.builtin, module.entry.stage)));
        if (fragment_input && variable.element.is_int()) decorate(id, Decoration::Flat);
    } else {
        decorate(id, Decoration::Location, variable.location);
        if (variable.component) decorate(id, Decoration::Component, variable.component);
        if (variable.dual_source) decorate(id, Decoration::Index, variable.dual_source);
        if (fragment_input) {
            // Vulkan requires Flat on integers and doubles, for any interpolation of the text.
            if (variable.interpolation == ir::Interpolation::Flat || variable.element.is_int() ||
                variable.element.is_wide())
                decorate(id, Decoration::Flat);
            else if (variable.interpolation == ir::Interpolation::Linear)
                decorate(id, Decoration::NoPerspective);
            w.requirements.interpolation(variable.sample_location);
            if (variable.sample_location == ir::SampleLocation::Centroid) decorate(id, Decoration::Centroid);
            if (variable.sample_location == ir::SampleLocation::Sample) decorate(id, Decoration::Sample);
        }
    }
    // TessLevel* are always patch variables, and Vulkan requires the decoration.
    if (variable.patch || variable.builtin == ir::BuiltIn::TessLevelOuter ||
        variable.builtin == ir::BuiltIn::TessLevelInner)
        decorate(id, Decoration::Patch);
    if (variable.viewport_relative) {
        w.requirements.add(spv::Capability::ShaderViewportMaskNV);
        decorate(id, Decoration::ViewportRelativeNV);
    }
    if (variable.invariant && variable.kind == ir::VariableKind::Output) decorate(id, Decoration::Invariant);
    if (streams && variable.kind == ir::VariableKind::Output) decorate(id, Decoration::Stream, variable.stream);
    if (variable.captured) {
        decorate(id, Decoration::XfbBuffer, variable.xfb_buffer);
        decorate(id, Decoration::XfbStride, variable.xfb_stride);
        decorate(id, Decoration::Offset, variable.xfb_offset);
    }
}

Id Emitter::variable_pointer(const ir::Variable& variable, Id type) {
    // Most variables have one of the IR's types.
    const bool is_element =
        type == w.type_ids[static_cast<size_t>(variable.element.scalar)][variable.element.components];
    const StorageClass storage = storage_class(variable);
    return is_element ? pointer_type(storage, variable.element) : pointer_type(storage, type);
}

Id Emitter::make_variable(uint32_t index) {
    const ir::Variable& v = module.variables[index];
    if (++globals > kMaxGlobalVariables) {
        fail("variable-limit", "more than 65,535 variables at module scope");
        return 0;
    }
    Id pointee = variable_type(v);
    const StorageClass storage = storage_class(v);
    if (is_resource(v.kind) && v.array[0]) pointee = array_type(pointee, v.array[0]);
    const Id pointer = variable_pointer(v, pointee);
    const bool initialised = v.zero_initialised && !is_resource(v.kind);
    const Id initialiser = initialised ? null_constant(pointee) : 0;
    const Id id = new_id();
    if (initialised)
        put(w.globals, spv::Op::OpVariable, {pointer, id, storage, initialiser});
    else
        put(w.globals, spv::Op::OpVariable, {pointer, id, storage});
    name(id, v.name);

    const bool is_interface = storage == StorageClass::Input || storage == StorageClass::Output;
    if (is_interface || version >= kSpirv14) w.interface.push_back(id);
    if (is_interface) decorate_interface(v, id);
    if (is_resource(v.kind)) {
        const Binding at = options.layout.binding(module.entry.stage, v.kind, v.index);
        w.placed.push_back({at, index});
        decorate(id, Decoration::DescriptorSet, at.set);
        decorate(id, Decoration::Binding, at.binding);
        if (v.restricted) decorate(id, Decoration::Restrict);
        if (v.aliased) decorate(id, Decoration::Aliased);
    }
    if (v.kind == ir::VariableKind::InputAttachment) decorate(id, Decoration::InputAttachmentIndex, v.index);
    if (v.kind == ir::VariableKind::StorageImage) {
        if (v.non_readable) decorate(id, Decoration::NonReadable);
        if (v.non_writable) decorate(id, Decoration::NonWritable);
        if (v.coherent) decorate(id, Decoration::Coherent);
        if (v.is_volatile) decorate(id, Decoration::Volatile);
    }
    return w.variable_ids[index] = id;
}

Id Emitter::helper_invocation() {
    const ir::Variable wanted{
        .kind = ir::VariableKind::Input, .element = ir::boolean(), .builtin = ir::BuiltIn::HelperInvocation};
    if (helper_variable) return helper_variable;
    for (uint32_t i = 0; i < module.variables.size(); ++i)
        if (module.variables[i].kind == wanted.kind && module.variables[i].builtin == wanted.builtin)
            return helper_variable = variable(i);
    const Id pointer = pointer_type(StorageClass::Input, wanted.element);
    helper_variable = new_id();
    put(w.globals, spv::Op::OpVariable, {pointer, helper_variable, StorageClass::Input});
    w.interface.push_back(helper_variable);
    decorate_interface(wanted, helper_variable);
    return helper_variable;
}

void Emitter::emit_locals(uint32_t index) {
    const uint32_t first = w.first_local[index], last = w.first_local[index + 1];
    if (last - first > kMaxLocalVariables) {
        fail("variable-limit", "more than 524,287 variables in a function");
        return;
    }
    for (uint32_t i = first; i < last; ++i) {
        const ir::Variable& v = module.variables[w.locals[i]];
        const Id pointee = variable_type(v);
        const Id pointer = variable_pointer(v, pointee);
        const Id id = new_id();
        if (v.zero_initialised)
            put(w.code, spv::Op::OpVariable, {pointer, id, StorageClass::Function, null_constant(pointee)});
        else
            put(w.code, spv::Op::OpVariable, {pointer, id, StorageClass::Function});
        name(id, v.name);
        w.variable_ids[w.locals[i]] = id;
    }
}

uint32_t number_of(ir::BuiltIn builtin, ir::Stage stage) {
    return static_cast<uint32_t>(builtin_of(builtin, stage));
}

}  // namespace tgsi2spv::spirv

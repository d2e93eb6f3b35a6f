// Textures, samplers, buffers and images as descriptor variables, made when an operand first needs them.
#include "lower/interface/resources.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "lower/context/names.h"
#include "lower/context/values.h"
#include "lower/operands/operation.h"
#include "lower/registers/addressing.h"
#include "lower/registers/read.h"
#include "tgsi/program/resource_numbers.h"

namespace tgsi2spv::lower {

using ir::VariableKind;
using tgsi::File;

namespace {

size_t table_of(VariableKind kind) {
    switch (kind) {
        case VariableKind::SampledImage:
            return 1;
        case VariableKind::Sampler:
            return 2;
        case VariableKind::StorageBuffer:
            return 3;
        case VariableKind::StorageImage:
            return 4;
        default:
            return 0;
    }
}

ir::Name name_of(VariableKind kind, File file, uint32_t index) {
    if (file == File::HwAtomic) return indexed("HWATOMIC", index - tgsi::kFirstCounter);
    if (file == File::Memory) return index == tgsi::kGlobalMemory ? "global memory" : "input memory";
    switch (kind) {
        case VariableKind::SampledImage:
            return indexed("SVIEW", index);
        case VariableKind::StorageImage:
            return indexed("IMAGE", index);
        case VariableKind::StorageBuffer:
            return indexed("BUFFER", index);
        default:
            return indexed("SAMP", index);
    }
}

/// Adds uses to a variable. Registers of two files may be the same descriptor (BUFFER[0] and RES[0]; RGLOBAL and
/// MEMORY[n], GLOBAL), each with separate uses.
void allow(ir::Variable& variable, uint8_t uses) {
    variable.coherent |= (uses & access::kCoherent) != 0;
    variable.is_volatile |= (uses & access::kVolatile) != 0;
    variable.restricted &= (uses & access::kUnrestricted) == 0;
    variable.non_readable &= (uses & access::kRead) == 0;
    variable.non_writable &= (uses & access::kWrite) == 0;
    variable.unwritten &= (uses & access::kWrite) == 0;
}

/// The variable with this first register, length and type; the same arguments give the same variable. `uses` are
/// access:: bits, for memory. `file`: for files that only share their numbers; registers of all other files are the
/// same descriptor (BUFFER and RES).
uint32_t descriptor(Context& context, VariableKind kind, uint32_t first, uint32_t length, const ir::ImageType& image,
                    uint8_t uses, File file = File::Buffer) {
    auto& known = context.resources.descriptors;
    auto& heads = context.resources.heads[table_of(kind)];
    if (heads.size() <= first) heads.resize(first + 1, kNoIndex);
    const bool is_image = kind != VariableKind::Sampler && kind != VariableKind::StorageBuffer;
    const ir::ImageType type = is_image ? image : ir::ImageType{};
    bool differ = false;  // in the descriptors to bind there
    for (uint32_t d = heads[first]; d != kNoIndex; d = known[d].next) {
        ir::Variable& v = context.b.module().variables[known[d].variable];
        // Different users may use different elements of an array; an image unit was bound as one of its layers.
        const bool shapes = kind != VariableKind::StorageImage && length == 0 && v.array[0] == 0 &&
                            (v.image.dim != type.dim || v.image.array != type.array || v.image.ms != type.ms);
        differ |= is_image && (shapes || (v.image.dim == ir::ImageDim::Buffer) != (type.dim == ir::ImageDim::Buffer));
        if (v.image != type || v.array[0] != length || known[d].file != file) continue;
        allow(v, uses);
        return known[d].variable;
    }
    if (differ)
        warn(context, "two-descriptors", context.position,
             std::string(name_of(kind, file, first).view()) +
                 " is used for images of two shapes, but a descriptor can have only one");
    const bool memory = kind == VariableKind::StorageBuffer || kind == VariableKind::StorageImage;
    ir::Variable v{.kind = kind,
                   .element = kind == VariableKind::StorageBuffer ? ir::u32() : ir::kVoid,
                   .array = {length, 0},
                   .index = first,
                   .restricted = memory && uses != 0,
                   .non_readable = memory,
                   .non_writable = memory,
                   .unwritten = memory,
                   .image = type,
                   .name = name_of(kind, file, first)};
    allow(v, uses);
    const uint32_t variable = context.b.add_variable(v);
    known.push_back({variable, heads[first], file});
    heads[first] = static_cast<uint32_t>(known.size() - 1);
    return variable;
}

uint8_t uses_of_array(Context& context, File file, int32_t first, int32_t last) {
    const MemoryUses& memory = context.plan.memory_uses[static_cast<size_t>(file)];
    if (first == last) return memory.of(static_cast<uint32_t>(first));
    auto& all = context.resources.array_uses;  // of a file at most two: images and texel buffers
    for (const ArrayUses& known : all)
        if (known.file == file && known.first == first && known.last == last) return known.uses;
    uint8_t uses = 0;
    for (int32_t i = first; i <= last; ++i) uses |= memory.of(static_cast<uint32_t>(i));
    all.push_back({file, first, last, uses});
    return uses;
}

/// The registers that an index may select: those of its array, else from the lowest to the highest declared one.
bool array_around(Context& context, const tgsi::Operand& operand, int32_t& first, int32_t& last) {
    const tgsi::Range* range =
        operand.array_id != 0 ? context.registers.array(operand.file, operand.array_id) : nullptr;
    if (range != nullptr) {
        first = range->first;
        last = range->last;
        return true;
    }
    const auto runs = context.registers.runs_of(operand.file, 0);
    if (runs.empty()) return false;
    first = runs.front().first;
    last = runs.back().last;
    return true;
}

}  // namespace

void prepare_resources(Context& context) {
    Resources& r = context.resources;
    r.array_uses.clear();
    for (auto& heads : r.heads) heads.clear();
    r.descriptors.clear();
    r.float_buffers.clear();
    for (OwnMemory* own : {&r.shared_memory, &r.private_memory}) {
        own->by_register.clear();
        own->whole_file = kNoIndex;
    }
    for (ImageSpan& span : r.image_spans) span = {};
}

uint32_t storage_buffer(Context& context, File file, uint32_t index, uint8_t uses) {
    return descriptor(context, VariableKind::StorageBuffer, index, 0, {}, uses, file);
}

uint32_t as_floats(Context& context, uint32_t words) {
    auto& known = context.resources.float_buffers;
    if (known.size() <= words) known.resize(words + 1, kNoIndex);
    if (known[words] != kNoIndex) return known[words];
    ir::Variable floats = context.b.module().variables[words];
    floats.element = ir::f32();
    return known[words] = context.b.add_variable(floats);
}

namespace {

/// Whether a device without shaderStorageImageWriteWithoutFormat requires NonWritable.
bool has_to_be_read_only(const Context& context, const ir::Variable& variable) {
    return variable.kind == VariableKind::StorageImage && variable.image.format == 0 &&
           !context.capabilities.storage_image_write_without_format;
}

/// Two variables with the same descriptor alias each other, even if the text says RESTRICT. If they belong to two files
/// that only share their numbers, no caller can bind both. `objects` are sorted by kind and first register.
void mark_shared_descriptors(Context& context, std::span<const uint32_t> objects) {
    auto& variables = context.b.module().variables;
    for (size_t k = 1; k < objects.size(); ++k) {
        ir::Variable &v = variables[objects[k]], &before = variables[objects[k - 1]];
        if (v.kind != before.kind || v.index != before.index) continue;
        if (v.name.view() != before.name.view())
            return fail(context, "two-descriptors", 0,
                        std::string(before.name.view()) + " and " + std::string(v.name.view()) +
                            " share one descriptor (storage buffer " + std::to_string(v.index) + ")");
        v.aliased = before.aliased = true;
        v.restricted = before.restricted = false;
    }
}

}  // namespace

void mark_aliases(Context& context) {
    auto& variables = context.b.module().variables;
    auto& objects = context.resources.memory_objects;
    objects.clear();
    for (uint32_t v = 0; v < variables.size(); ++v)
        if (variables[v].kind == VariableKind::StorageBuffer || variables[v].kind == VariableKind::StorageImage)
            objects.push_back(v);
    if (objects.empty()) return;
    std::ranges::sort(objects, {}, [&](uint32_t v) { return std::tuple(variables[v].kind, variables[v].index, v); });
    mark_shared_descriptors(context, objects);
    for (uint32_t w = 0; w < context.resources.float_buffers.size(); ++w) {
        if (context.resources.float_buffers[w] == kNoIndex) continue;
        ir::Variable &words = variables[w], &floats = variables[context.resources.float_buffers[w]];
        words.coherent = floats.coherent = words.coherent || floats.coherent;
        words.is_volatile = floats.is_volatile = words.is_volatile || floats.is_volatile;
    }
    // SPIR-V, Aliasing: a consumer may assume that two variables never alias unless both are Aliased, and that nothing
    // writes NonWritable memory. In the text, any two may alias unless it says RESTRICT. If nothing is written,
    // aliasing cannot be observed.
    uint32_t open = 0;
    bool written = false;
    for (const uint32_t o : objects) {
        const ir::Variable& v = variables[o];
        if (v.restricted) continue;
        open += v.array[0] > 1 ? 2 : 1;
        written |= !v.non_writable;
    }
    if (open < 2 || !written) return;
    for (const uint32_t o : objects) {
        ir::Variable& v = variables[o];
        if (v.restricted) continue;
        v.aliased = true;
        if (!has_to_be_read_only(context, v)) v.non_writable = false;
    }
}

namespace {

/// The number of the array of descriptors: by dimension, sampled type and depth (design: spirv).
uint32_t handle_array(const ir::ImageType& image) {
    const uint32_t type = image.sampled == ir::Scalar::F32 ? 0 : image.sampled_is_signed ? 2 : 1;
    return (((static_cast<uint32_t>(image.dim) * 2 + image.array) * 2 + image.ms) * 2 + image.depth) * 3 + type;
}

/// An index into an array of `count` descriptors, clamped unless trusted.
ir::Value clamped_descriptor(Context& context, ir::Value index, uint32_t count) {
    if (policy(context.options, &Bounds::descriptors) == OutOfRange::Trust) return index;
    return context.b.umin(index, context.b.const_u32(count - 1));
}

}  // namespace

ResourceRef handle(Operation& op, const tgsi::Operand& operand, VariableKind kind, const ir::ImageType& image) {
    Context& w = op.context;
    const uint8_t comps[1] = {static_cast<uint8_t>(operand.component(0))};
    Ref low;
    ResourceRef ref;
    if (!read(w, operand, comps, &low)) return ref;
    const uint32_t count = std::max(1u, w.options.handles);
    ref.variable = descriptor(w, kind, tgsi::kFirstHandle + handle_array(image), count, image, w.plan.handle_uses);
    const ir::Value number = gather(w.b, std::span<const Ref>(&low, 1), ir::Scalar::U32);
    ref.index = clamped_descriptor(w, number, count);
    if (kind == VariableKind::StorageImage && policy(w.options, &Bounds::descriptors) == OutOfRange::Zero)
        ref.exists = w.b.ult(number, w.b.const_u32(count));
    ref.non_uniform = !is_same_in_all_lanes(w, number);
    return ref;
}

namespace {

/// Texel buffers and images are different descriptor types, and a binding has one type. If registers of both kinds are
/// declared, an array goes from the first to the last register of its own kind.
void narrow(Context& context, bool buffers, int32_t& first, int32_t& last) {
    ImageSpan& span = context.resources.image_spans[buffers ? 1 : 0];
    if (!span.known) {
        span.known = true;
        for (const tgsi::Declaration& d : context.program.declarations) {
            if (d.file != File::Image || (d.target == tgsi::Target::Buffer) != buffers) continue;
            span.first = span.last < 0 ? d.first : std::min(span.first, d.first);
            span.last = std::max(span.last, d.last);
        }
    }
    if (span.last < 0) return;
    first = std::max(first, span.first);
    last = std::min(last, span.last);
}

}  // namespace

DescriptorArrays arrays_of(const Operation& op, const ResourceRef& ref) {
    const Capabilities& device = op.capabilities;
    const ir::Variable& v = op.b.module().variables[ref.variable];
    const bool texels = v.image.dim == ir::ImageDim::Buffer;
    switch (v.kind) {
        case VariableKind::StorageBuffer:
            return {device.storage_buffers, "buffers", "shaderStorageBuffer"};
        case VariableKind::StorageImage:
            if (texels) return {device.storage_texel_buffers, "texel buffers", "shaderStorageTexelBuffer"};
            return {device.storage_images, "images", "shaderStorageImage"};
        case VariableKind::CombinedImage:
        case VariableKind::SampledImage:
            if (texels) return {device.texel_buffers, "textures", "shaderUniformTexelBuffer"};
            [[fallthrough]];
        default:
            return {device.sampled_images, "textures", "shaderSampledImage"};
    }
}

uint32_t one_by_one(const Operation& op, const ResourceRef& ref, bool implicit_level) {
    if (ref.index == ir::kNone || ir::is_constant(ref.index)) return 0;
    Indexing indexing = arrays_of(op, ref).indexing;
    if (implicit_level) indexing.non_uniform &= op.capabilities.quad_divergent_implicit_lod;
    return indexing.allows(ref.non_uniform) ? 0 : op.b.module().variables[ref.variable].array[0];
}

ResourceRef resource(Operation& op, const tgsi::Operand& operand, VariableKind kind, const ir::ImageType& image) {
    Context& w = op.context;
    ir::Builder& b = w.b;
    const MemoryUses& memory = w.plan.memory_uses[static_cast<size_t>(operand.file)];
    const tgsi::Relative* relative = w.program.index_relative(operand);
    // Texel buffers have another descriptor type than images, so an array of images cannot hold them.
    const bool alone = kind == VariableKind::StorageImage && image.dim == ir::ImageDim::Buffer;
    if (relative == nullptr && (alone || !w.plan.indirect[static_cast<size_t>(operand.file)].some)) {
        const auto index = static_cast<uint32_t>(operand.index);
        return {.variable = descriptor(w, kind, index, 0, image, memory.of(index))};
    }
    // If any access is indexed, all declared registers of the file form one array, so that bindings do not clash.
    int32_t first = 0, last = -1;
    tgsi::Operand whole = operand;
    whole.array_id = 0;
    if (!array_around(w, whole, first, last)) {
        first = last = operand.index < 0 ? 0 : operand.index;
    }
    const bool is_image = kind == VariableKind::StorageImage && operand.file == File::Image;
    if (is_image) narrow(w, image.dim == ir::ImageDim::Buffer, first, last);
    if (relative == nullptr && (operand.index < first || operand.index > last)) {
        const auto index = static_cast<uint32_t>(operand.index);
        return {.variable = descriptor(w, kind, index, 0, image, memory.of(index))};
    }
    const uint8_t uses = uses_of_array(w, operand.file, first, last);
    ResourceRef ref{.variable = descriptor(w, kind, static_cast<uint32_t>(first),
                                           static_cast<uint32_t>(last - first + 1), image, uses)};
    if (relative == nullptr) {
        ref.index = b.const_u32(static_cast<uint32_t>(operand.index - first));
        return ref;
    }
    int32_t low = first, high = last;
    array_around(w, operand, low, high);
    if (is_image) {
        low = std::clamp(low, first, last);
        high = std::clamp(high, low, last);
    }
    const auto offset = static_cast<uint32_t>(operand.index) - static_cast<uint32_t>(low);  // it may wrap
    const ir::Value index = relative_index(w, *relative, static_cast<int32_t>(offset));
    const ir::Value clamped = clamped_descriptor(w, index, static_cast<uint32_t>(high - low) + 1);
    ref.index = low == first ? clamped : b.iadd(clamped, b.const_u32(static_cast<uint32_t>(low - first)));
    ref.non_uniform = !is_same_in_all_lanes(w, index);
    return ref;
}

ResourceRef resource(Operation& op, int source_index, VariableKind kind, const ir::ImageType& image) {
    return resource(op, op.program.srcs(op.instruction)[static_cast<size_t>(source_index)], kind, image);
}

const tgsi::Declaration* view_of(const Operation& op, int source_index) {
    const tgsi::Operand& o = op.program.srcs(op.instruction)[static_cast<size_t>(source_index)];
    return tgsi::view_of(op.program, op.context.registers, o);
}

tgsi::ReturnType return_type(const Operation& op, int source_index) {
    const tgsi::Declaration* view = view_of(op, source_index);
    return view == nullptr ? tgsi::ReturnType::Unwritten : view->returns[0];
}

}  // namespace tgsi2spv::lower

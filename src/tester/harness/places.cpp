#include "harness/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>

namespace tgsi2spv::harness {

namespace {

using BindingNumber = std::pair<uint32_t, uint32_t>;  ///< set and binding

const char* name_of(VkDescriptorType type) {
    switch (type) {
        case VK_DESCRIPTOR_TYPE_SAMPLER:
            return "a sampler";
        case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
            return "an image with its sampler";
        case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
            return "a sampled image";
        case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
            return "a storage image";
        case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
            return "a uniform texel buffer";
        case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
            return "a storage texel buffer";
        case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
            return "a uniform buffer";
        case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
            return "a storage buffer";
        default:
            return "an input attachment";
    }
}

/// The declarations of a module that determine descriptor types, by id.
struct Declarations {
    struct Type {
        spv::Op op{};
        uint32_t of = 0;  ///< an array's elements, a sampled image's image, a pointer's pointee; a struct: its members
        uint32_t dim = 0, sampled = 0;
    };
    struct Variable {
        uint32_t id = 0, type = 0;
        spv::StorageClass storage{};
    };
    std::unordered_map<uint32_t, Type> types;
    std::unordered_map<uint32_t, uint32_t> sets, bindings;
    std::unordered_map<uint32_t, bool> buffer_blocks;
    std::unordered_map<uint32_t, uint32_t> read_only;  ///< number of NonWritable decorations of a variable, or of
                                                       ///< a type's members
    std::vector<Variable> variables;

    explicit Declarations(std::span<const uint32_t> words);
    std::optional<VkDescriptorType> kind(const Variable& variable) const;
    bool is_writable(const Variable& variable) const;

  private:
    using Types = std::unordered_map<uint32_t, Type>;
    Types::const_iterator resource_type(const Variable& variable) const;
    void read(spv::Op op, std::span<const uint32_t> operands);
    std::optional<VkDescriptorType> image_kind(const Type& image) const;
};

Declarations::Declarations(std::span<const uint32_t> words) {
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
        const auto op = static_cast<spv::Op>(words[at] & 0xffff);
        if (op == spv::Op::OpFunction) break;
        read(op, words.subspan(at + 1, (words[at] >> 16) - 1));
    }
}

void Declarations::read(spv::Op op, std::span<const uint32_t> operands) {
    switch (op) {
        case spv::Op::OpDecorate: {
            if (operands.size() < 2) return;
            const auto decoration = static_cast<spv::Decoration>(operands[1]);
            if (decoration == spv::Decoration::BufferBlock) buffer_blocks[operands[0]] = true;
            if (decoration == spv::Decoration::NonWritable) read_only[operands[0]]++;
            if (operands.size() < 3) return;
            if (decoration == spv::Decoration::DescriptorSet) sets[operands[0]] = operands[2];
            if (decoration == spv::Decoration::Binding) bindings[operands[0]] = operands[2];
            return;
        }
        case spv::Op::OpMemberDecorate:
            if (operands.size() >= 3 && static_cast<spv::Decoration>(operands[2]) == spv::Decoration::NonWritable)
                read_only[operands[0]]++;
            return;
        case spv::Op::OpTypeImage:
            if (operands.size() >= 7) types[operands[0]] = {op, 0, operands[2], operands[6]};
            return;
        case spv::Op::OpTypeSampledImage:
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
            if (operands.size() >= 2) types[operands[0]] = {op, operands[1]};
            return;
        case spv::Op::OpTypePointer:
            if (operands.size() >= 3) types[operands[0]] = {op, operands[2]};
            return;
        case spv::Op::OpTypeSampler:
        case spv::Op::OpTypeStruct:
            if (!operands.empty()) types[operands[0]] = {op, static_cast<uint32_t>(operands.size() - 1)};
            return;
        case spv::Op::OpVariable:
            if (operands.size() >= 3)
                variables.push_back({operands[1], operands[0], static_cast<spv::StorageClass>(operands[2])});
            return;
        default:
            return;
    }
}

std::optional<VkDescriptorType> Declarations::image_kind(const Type& image) const {
    const bool storage = image.sampled == 2;
    switch (static_cast<spv::Dim>(image.dim)) {
        case spv::Dim::Buffer:
            return storage ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        case spv::Dim::SubpassData:
            return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
        default:
            return storage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    }
}

/// Returns the type of a variable's resources: the pointee, or the elements of its array.
Declarations::Types::const_iterator Declarations::resource_type(const Variable& variable) const {
    auto type = types.find(variable.type);
    const auto go_to = [&](uint32_t id) { type = types.find(id); };
    if (type != types.end()) go_to(type->second.of);
    // Two steps suffice, as Vulkan has no arrays of arrays of descriptors. The limit also ends the loop for an invalid
    // module in which a type is its own element.
    for (int depth = 0; depth < 2 && type != types.end(); ++depth)
        if (type->second.op == spv::Op::OpTypeArray || type->second.op == spv::Op::OpTypeRuntimeArray)
            go_to(type->second.of);
    return type;
}

std::optional<VkDescriptorType> Declarations::kind(const Variable& variable) const {
    const auto type = resource_type(variable);
    if (type == types.end()) return std::nullopt;
    switch (type->second.op) {
        case spv::Op::OpTypeSampler:
            return VK_DESCRIPTOR_TYPE_SAMPLER;
        case spv::Op::OpTypeImage:
            return image_kind(type->second);
        case spv::Op::OpTypeSampledImage: {
            const auto image = types.find(type->second.of);
            const bool texels = image != types.end() && image->second.dim == static_cast<uint32_t>(spv::Dim::Buffer);
            return texels ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        }
        case spv::Op::OpTypeStruct:
            return variable.storage == spv::StorageClass::StorageBuffer || buffer_blocks.contains(type->first)
                       ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                       : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        default:
            return std::nullopt;
    }
}

bool Declarations::is_writable(const Variable& variable) const {
    if (read_only.contains(variable.id)) return false;
    const auto type = resource_type(variable);
    if (type == types.end() || type->second.op != spv::Op::OpTypeStruct) return true;
    const auto members = read_only.find(type->first);
    return members == read_only.end() || members->second < type->second.of;
}

/// Whether a descriptor may be used through a variable of this kind. A variable may be either part of a combined image
/// sampler (Vulkan, "Shader Resource and Descriptor Type Correspondence").
bool serves(VkDescriptorType descriptor, VkDescriptorType variable) {
    if (descriptor == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER &&
        (variable == VK_DESCRIPTOR_TYPE_SAMPLER || variable == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE))
        return true;
    return descriptor == variable;
}

}  // namespace

std::optional<std::string> two_kinds_at_one_place(const Job& job) {
    using Kinds = std::map<BindingNumber, VkDescriptorType>;
    Kinds variables, descriptors;
    std::optional<std::string> clash;
    const auto differ = [&](BindingNumber place, VkDescriptorType one, VkDescriptorType other) {
        if (!clash)
            clash =
                fmt::format("set {}, binding {} is {} and {}", place.first, place.second, name_of(one), name_of(other));
    };
    const auto note = [&](Kinds& kinds, BindingNumber place, VkDescriptorType kind) {
        const auto [known, fresh] = kinds.emplace(place, kind);
        if (!fresh && known->second != kind) differ(place, known->second, kind);
    };
    for (const Shader* shader :
         {&job.vertex, &job.tess_control, &job.tess_eval, &job.geometry, &job.fragment, &job.compute}) {
        if (shader->words.empty()) continue;
        const Declarations module(shader->words);
        for (const auto& variable : module.variables) {
            const auto binding = module.bindings.find(variable.id);
            const auto set = module.sets.find(variable.id);
            if (binding == module.bindings.end() || set == module.sets.end()) continue;
            if (const auto kind = module.kind(variable)) note(variables, {set->second, binding->second}, *kind);
        }
    }
    for (const Descriptor& d : job.descriptors) {
        note(descriptors, {d.set, d.binding}, d.type);
        const auto used = variables.find({d.set, d.binding});
        if (used != variables.end() && !serves(d.type, used->second)) differ(used->first, used->second, d.type);
    }
    return clash;
}

bool may_store(std::span<const uint32_t> words) {
    const Declarations module(words);
    return std::any_of(module.variables.begin(), module.variables.end(), [&](const auto& variable) {
        const auto kind = module.kind(variable);
        const bool storage = kind == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || kind == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
                             kind == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
        return storage && module.is_writable(variable);
    });
}

std::vector<const Descriptor*> one_a_place(const Job& job) {
    std::vector<const Descriptor*> all;
    std::map<BindingNumber, size_t> known;
    for (const Descriptor& d : job.descriptors) {
        const auto [at, fresh] = known.emplace(BindingNumber{d.set, d.binding}, all.size());
        if (fresh)
            all.push_back(&d);
        else if (d.items.size() > all[at->second]->items.size())
            all[at->second] = &d;
    }
    return all;
}

}  // namespace tgsi2spv::harness

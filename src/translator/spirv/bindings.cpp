// Checks that no two resources have the same binding: a descriptor has one type.
#include <algorithm>
#include <string>
#include <tuple>

#include "spirv/emitter.h"

namespace tgsi2spv::spirv {
namespace {

/// Variables of one class may share a descriptor (Vulkan, "Shader Resource and Storage Class Correspondence"): a
/// sampled image and a sampler are the two halves of a combined one.
enum class DescriptorClass : uint8_t {
    Uniform,
    Storage,
    Image,
    TexelBuffer,
    StorageImage,
    StorageTexelBuffer,
    InputAttachment
};

DescriptorClass class_of(const ir::Variable& variable) {
    const bool texels = variable.image.dim == ir::ImageDim::Buffer;
    switch (variable.kind) {
        case ir::VariableKind::ConstantBuffer:
            return variable.storage ? DescriptorClass::Storage : DescriptorClass::Uniform;
        case ir::VariableKind::CombinedImage:
        case ir::VariableKind::SampledImage:
            return texels ? DescriptorClass::TexelBuffer : DescriptorClass::Image;
        case ir::VariableKind::Sampler:
            return DescriptorClass::Image;
        case ir::VariableKind::StorageImage:
            return texels ? DescriptorClass::StorageTexelBuffer : DescriptorClass::StorageImage;
        case ir::VariableKind::InputAttachment:
            return DescriptorClass::InputAttachment;
        default:
            return DescriptorClass::Storage;
    }
}

}  // namespace

void Emitter::check_bindings() {
    std::ranges::sort(w.placed, {}, [](const Placed& p) { return std::tuple(p.at.set, p.at.binding, p.variable); });
    for (size_t k = 1; k < w.placed.size(); ++k) {
        const Placed &before = w.placed[k - 1], &here = w.placed[k];
        if (before.at != here.at) continue;
        const ir::Variable &a = module.variables[before.variable], &b = module.variables[here.variable];
        // One register that is used as two kinds: lowering has already reported it.
        if (class_of(a) == class_of(b) || (a.kind == b.kind && a.index == b.index)) continue;
        return fail("two-descriptors", std::string(a.name.view()) + " and " + std::string(b.name.view()) +
                                           " are both at set " + std::to_string(here.at.set) + ", binding " +
                                           std::to_string(here.at.binding) + ", but need different descriptors");
    }
}

}  // namespace tgsi2spv::spirv

#include "spirv/reflect.h"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>
#include <tuple>

#include "spirv/features.h"
#include "spirv/requirements.h"

namespace tgsi2spv::spirv {
namespace {

/// Marks the variables that live instructions name. Returns whether IsHelper reads a built-in variable: it does unless
/// something demotes.
bool find_used(const ir::Module& module, std::pmr::vector<uint8_t>& used) {
    bool asks = false, demotes = false;
    used.assign(module.variables.size(), 0);
    for (size_t v = 0; v < used.size(); ++v) used[v] = ir::is_always_declared(module.variables[v]);
    for (const ir::Function& f : module.functions)
        for (const ir::Instruction& i : f.instructions) {
            if (i.dead) continue;
            asks |= i.op == ir::Op::IsHelper;
            demotes |= i.op == ir::Op::Demote;
            if (ir::names_variable(i.op)) {
                used[i.aux] = 1;
            } else if (ir::is_image_op(i.op)) {
                const ir::ImageOp& op = module.image_ops[i.aux];
                used[op.image] = 1;
                if (op.sampler != ir::kNone) used[op.sampler] = 1;
            }
        }
    return asks && !demotes;
}

void add_interface(const ir::Module& module, uint32_t variable, Reflection& reflection) {
    const ir::Variable& v = module.variables[variable];
    InterfaceVariable i;
    i.variable = variable;
    i.is_output = v.kind == ir::VariableKind::Output;
    i.semantic = v.semantic;
    i.semantic_index = v.semantic_index;
    i.builtin = v.builtin;
    i.location = v.location;
    i.component = v.component;
    i.dual_source = v.dual_source;
    i.type = v.element;
    i.is_signed = v.is_signed;
    i.array = v.array[0];
    i.interpolation = v.interpolation;
    i.sample_location = v.sample_location;
    i.patch = v.patch;
    i.stream = v.stream;
    i.captured = v.captured;
    i.xfb_buffer = v.xfb_buffer;
    i.xfb_offset = v.xfb_offset;
    i.xfb_stride = v.xfb_stride;
    i.name = v.name;
    reflection.interface.push_back(i);
}

/// The built-in variable that IsHelper reads in a module without Demote (Emitter::helper_invocation()).
void add_helper_invocation(Reflection& reflection) {
    const bool listed = std::ranges::any_of(
        reflection.interface, [](const InterfaceVariable& v) { return v.builtin == ir::BuiltIn::HelperInvocation; });
    if (listed) return;
    InterfaceVariable i;
    i.variable = ir::kNone;
    i.builtin = ir::BuiltIn::HelperInvocation;
    i.type = ir::boolean();
    i.name = "HELPER_INVOCATION";
    reflection.interface.push_back(i);
}

void add_resource(const ir::Module& module, uint32_t variable, Binding binding, Reflection& reflection) {
    const ir::Variable& v = module.variables[variable];
    Resource resource;
    resource.variable = variable;
    resource.kind = v.kind;
    resource.index = v.index;
    resource.binding = binding;
    resource.count = v.array[0] ? v.array[0] : 1;
    if (v.kind == ir::VariableKind::ConstantBuffer) {
        resource.max_bytes = v.array[1] * 16;
        resource.bytes = v.declared == 0 ? resource.max_bytes : v.declared * 16;
    }
    resource.storage = v.storage;
    if (v.kind == ir::VariableKind::StorageBuffer || v.kind == ir::VariableKind::StorageImage) {
        resource.reads = !v.non_readable;
        resource.writes = !v.unwritten && !v.non_writable;
    }
    resource.image = v.image;
    resource.name = v.name;
    reflection.resources.push_back(resource);
}

/// The capabilities and extensions come before the memory model.
void read_requirements(std::span<const uint32_t> words, Reflection& reflection) {
    for (size_t at = 5; at < words.size();) {
        const size_t length = words[at] >> 16;
        const auto op = static_cast<spv::Op>(words[at] & 0xffff);
        if (length == 0 || at + length > words.size() || op == spv::Op::OpMemoryModel) return;
        if (op == spv::Op::OpCapability) {
            const auto capability = static_cast<spv::Capability>(words[at + 1]);
            reflection.capabilities.emplace_back(capability_name(capability));
            const std::string_view feature = feature_of(capability);
            if (!feature.empty() &&
                std::ranges::find(reflection.features, feature, &ir::Name::view) == reflection.features.end())
                reflection.features.emplace_back(feature);
        }
        if (op == spv::Op::OpExtension) {
            ir::Name name;
            for (size_t i = at + 1; i < at + length; ++i)
                for (int b = 0; b < 4; ++b)
                    if (const auto c = static_cast<char>(words[i] >> (8 * b))) name.append({&c, 1});
            reflection.extensions.push_back(name);
        }
        at += length;
    }
}

void clear(Reflection& reflection) {
    reflection.resources.clear();
    reflection.interface.clear();
    reflection.spec_constants.clear();
    reflection.capabilities.clear();
    reflection.extensions.clear();
    reflection.features.clear();
    reflection.io_system_values.clear();
    reflection.push_constant_bytes = reflection.shared_bytes = reflection.io_input_slots = reflection.io_output_slots =
        0;
}

/// In the order of what binds them. What occurs twice is one.
void sort(Reflection& reflection) {
    std::ranges::sort(reflection.resources, {}, [](const Resource& x) {
        return std::tuple(x.binding.set, x.binding.binding, x.kind, x.index, x.variable);
    });
    // A buffer with both float and word elements is one descriptor.
    const auto one_buffer = [](const Resource& a, const Resource& b) {
        return a.kind == ir::VariableKind::StorageBuffer && a.kind == b.kind && a.index == b.index;
    };
    reflection.resources.erase(std::unique(reflection.resources.begin(), reflection.resources.end(), one_buffer),
                               reflection.resources.end());
    std::ranges::sort(reflection.interface, {}, [](const InterfaceVariable& x) {
        return std::tuple(x.is_output, x.builtin, x.location, x.component, x.dual_source, x.variable);
    });
    std::sort(reflection.spec_constants.begin(), reflection.spec_constants.end(),
              [](const SpecConstant& a, const SpecConstant& b) { return a.id < b.id; });
    const auto same = [](const SpecConstant& a, const SpecConstant& b) { return a.id == b.id; };
    reflection.spec_constants.erase(
        std::unique(reflection.spec_constants.begin(), reflection.spec_constants.end(), same),
        reflection.spec_constants.end());
}

}  // namespace

Reflection reflect(const ir::Module& module, const Layout& layout, std::span<const uint32_t> words) {
    Reflection r;
    reflect(module, layout, words, r);
    return r;
}

void reflect(const ir::Module& module, const Layout& layout, std::span<const uint32_t> words, Reflection& reflection) {
    clear(reflection);
    reflection.entry = module.entry;
    const bool reads_helper_invocation = find_used(module, reflection.used_);
    for (uint32_t i = 0; i < module.variables.size(); ++i) {
        if (reflection.used_[i] == 0) continue;
        const ir::Variable& v = module.variables[i];
        switch (v.kind) {
            case ir::VariableKind::Input:
            case ir::VariableKind::Output:
                add_interface(module, i, reflection);
                break;
            case ir::VariableKind::Private:
            case ir::VariableKind::Local:
                break;
            case ir::VariableKind::Shared:
                reflection.shared_bytes = static_cast<uint32_t>(
                    std::min<uint64_t>(uint64_t{reflection.shared_bytes} + uint64_t{v.array[0]} * 4, UINT32_MAX));
                break;
            case ir::VariableKind::PushConstant:
                reflection.push_constant_bytes = v.array[1] * 4;
                break;
            case ir::VariableKind::ConstantBuffer:
            case ir::VariableKind::StorageBuffer:
            case ir::VariableKind::CombinedImage:
            case ir::VariableKind::SampledImage:
            case ir::VariableKind::Sampler:
            case ir::VariableKind::StorageImage:
            case ir::VariableKind::InputAttachment:
            case ir::VariableKind::IoBuffer:
                add_resource(module, i, layout.binding(module.entry.stage, v.kind, v.index), reflection);
                break;
        }
    }
    if (reads_helper_invocation) add_helper_invocation(reflection);
    for (const ir::Constant& c : module.constants)
        if (c.spec_id >= 0) reflection.spec_constants.push_back({static_cast<uint32_t>(c.spec_id), c.words[0], {}});

    for (size_t c = 0; c < 3; ++c)
        if (module.entry.local_size_ids[c] != ir::kNone)
            reflection.spec_constants.push_back({module.entry.local_size_ids[c], module.entry.local_size[c], {}});
    sort(reflection);
    read_requirements(words, reflection);
    add_features(module, words.size() > 1 ? words[1] : 0, reflection.used_, reflection.features);
}

}  // namespace tgsi2spv::spirv

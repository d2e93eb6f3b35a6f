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

void add_interface(const ir::Module& module, uint32_t variable, Reflection& r) {
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
    r.interface.push_back(i);
}

/// The built-in variable that IsHelper reads in a module without Demote (Emitter::helper_invocation()).
void add_helper_invocation(Reflection& r) {
    const bool listed = std::ranges::any_of(
        r.interface, [](const InterfaceVariable& v) { return v.builtin == ir::BuiltIn::HelperInvocation; });
    if (listed) return;
    InterfaceVariable i;
    i.variable = ir::kNone;
    i.builtin = ir::BuiltIn::HelperInvocation;
    i.type = ir::boolean();
    i.name = "HELPER_INVOCATION";
    r.interface.push_back(i);
}

void add_resource(const ir::Module& module, uint32_t variable, Binding binding, Reflection& r) {
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
    r.resources.push_back(resource);
}

/// The capabilities and extensions come before the memory model.
void read_requirements(std::span<const uint32_t> words, Reflection& r) {
    for (size_t at = 5; at < words.size();) {
        const size_t length = words[at] >> 16;
        const auto op = static_cast<spv::Op>(words[at] & 0xffff);
        if (length == 0 || at + length > words.size() || op == spv::Op::OpMemoryModel) return;
        if (op == spv::Op::OpCapability) {
            const auto capability = static_cast<spv::Capability>(words[at + 1]);
            r.capabilities.emplace_back(capability_name(capability));
            const std::string_view feature = feature_of(capability);
            if (!feature.empty() && std::ranges::find(r.features, feature, &ir::Name::view) == r.features.end())
                r.features.emplace_back(feature);
        }
        if (op == spv::Op::OpExtension) {
            ir::Name name;
            for (size_t i = at + 1; i < at + length; ++i)
                for (int b = 0; b < 4; ++b)
                    if (const auto c = static_cast<char>(words[i] >> (8 * b))) name.append({&c, 1});
            r.extensions.push_back(name);
        }
        at += length;
    }
}

}  // namespace

Reflection reflect(const ir::Module& module, const Layout& layout, std::span<const uint32_t> words) {
    Reflection r;
    reflect(module, layout, words, r);
    return r;
}

void reflect(const ir::Module& module, const Layout& layout, std::span<const uint32_t> words, Reflection& r) {
    r.entry = module.entry;
    r.resources.clear();
    r.interface.clear();
    r.spec_constants.clear();
    r.capabilities.clear();
    r.extensions.clear();
    r.features.clear();
    r.io_system_values.clear();
    r.push_constant_bytes = r.shared_bytes = r.io_input_slots = r.io_output_slots = 0;
    const bool reads_helper_invocation = find_used(module, r.used_);
    for (uint32_t i = 0; i < module.variables.size(); ++i) {
        if (r.used_[i] == 0) continue;
        const ir::Variable& v = module.variables[i];
        switch (v.kind) {
            case ir::VariableKind::Input:
            case ir::VariableKind::Output:
                add_interface(module, i, r);
                break;
            case ir::VariableKind::Private:
            case ir::VariableKind::Local:
                break;
            case ir::VariableKind::Shared:
                r.shared_bytes = static_cast<uint32_t>(
                    std::min<uint64_t>(uint64_t{r.shared_bytes} + uint64_t{v.array[0]} * 4, UINT32_MAX));
                break;
            case ir::VariableKind::PushConstant:
                r.push_constant_bytes = v.array[1] * 4;
                break;
            case ir::VariableKind::ConstantBuffer:
            case ir::VariableKind::StorageBuffer:
            case ir::VariableKind::CombinedImage:
            case ir::VariableKind::SampledImage:
            case ir::VariableKind::Sampler:
            case ir::VariableKind::StorageImage:
            case ir::VariableKind::InputAttachment:
            case ir::VariableKind::IoBuffer:
                add_resource(module, i, layout.binding(module.entry.stage, v.kind, v.index), r);
                break;
        }
    }
    if (reads_helper_invocation) add_helper_invocation(r);
    for (const ir::Constant& c : module.constants)
        if (c.spec_id >= 0) r.spec_constants.push_back({static_cast<uint32_t>(c.spec_id), c.words[0], {}});

    for (size_t c = 0; c < 3; ++c)
        if (module.entry.local_size_ids[c] != ir::kNone)
            r.spec_constants.push_back({module.entry.local_size_ids[c], module.entry.local_size[c], {}});

    std::ranges::sort(r.resources, {}, [](const Resource& x) {
        return std::tuple(x.binding.set, x.binding.binding, x.kind, x.index, x.variable);
    });
    // A buffer with both float and word elements is one descriptor.
    const auto one_buffer = [](const Resource& a, const Resource& b) {
        return a.kind == ir::VariableKind::StorageBuffer && a.kind == b.kind && a.index == b.index;
    };
    r.resources.erase(std::unique(r.resources.begin(), r.resources.end(), one_buffer), r.resources.end());
    std::ranges::sort(r.interface, {}, [](const InterfaceVariable& x) {
        return std::tuple(x.is_output, x.builtin, x.location, x.component, x.dual_source, x.variable);
    });
    std::sort(r.spec_constants.begin(), r.spec_constants.end(),
              [](const SpecConstant& a, const SpecConstant& b) { return a.id < b.id; });
    const auto same = [](const SpecConstant& a, const SpecConstant& b) { return a.id == b.id; };
    r.spec_constants.erase(std::unique(r.spec_constants.begin(), r.spec_constants.end(), same), r.spec_constants.end());
    read_requirements(words, r);
    add_features(module, words.size() > 1 ? words[1] : 0, r.used_, r.features);
}

}  // namespace tgsi2spv::spirv

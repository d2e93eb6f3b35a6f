// Returns a module and its reflection in the caller's form.
#include <utility>

#include "api/handles.h"
#include "api/options.h"
#include "api/versioned.h"
#include "lower/state/spec_constants.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::api {
namespace {

tgsi2spv_component_type component_of(ir::Scalar scalar, bool is_signed) {
    switch (scalar) {
        case ir::Scalar::Bool:
            return TGSI2SPV_COMPONENT_BOOL;
        case ir::Scalar::U32:
        case ir::Scalar::U64:
            return is_signed ? TGSI2SPV_COMPONENT_INT : TGSI2SPV_COMPONENT_UINT;
        case ir::Scalar::F32:
        case ir::Scalar::F64:
        case ir::Scalar::Void:
            break;
    }
    return TGSI2SPV_COMPONENT_FLOAT;
}

tgsi2spv_topology topology_of(const ir::EntryPoint& entry) {
    if (entry.stage == ir::Stage::Geometry) {
        const ir::OutputPrimitive made = entry.output_primitive;
        return made == ir::OutputPrimitive::Points      ? TGSI2SPV_TOPOLOGY_POINTS
               : made == ir::OutputPrimitive::LineStrip ? TGSI2SPV_TOPOLOGY_LINE_STRIP
                                                        : TGSI2SPV_TOPOLOGY_TRIANGLE_STRIP;
    }
    if (entry.stage != ir::Stage::TessEval || entry.tess_points) return TGSI2SPV_TOPOLOGY_POINTS;
    return entry.tess_domain == ir::TessDomain::Isolines ? TGSI2SPV_TOPOLOGY_LINES : TGSI2SPV_TOPOLOGY_TRIANGLES;
}

tgsi2spv_variable variable_of(const spirv::InterfaceVariable& variable, ir::Stage stage, Texts& texts) {
    tgsi2spv_variable out{};
    out.struct_size = sizeof out;
    out.name = texts.keep(variable.name);
    static_assert(TGSI2SPV_SEMANTIC_VIEW_INDEX == static_cast<int>(tgsi::Semantic::ViewIndex) &&
                  TGSI2SPV_SEMANTIC_SAMPLE_MASK == static_cast<int>(tgsi::Semantic::SampleMask));
    out.semantic = static_cast<tgsi2spv_semantic>(variable.semantic);
    out.builtin =
        variable.builtin == ir::BuiltIn::None ? TGSI2SPV_NO_BUILTIN : spirv::number_of(variable.builtin, stage);
    out.semantic_index = variable.semantic_index;
    out.location = variable.location;
    out.component = variable.component;
    out.components = variable.type.components;
    out.dual_source = variable.dual_source;
    out.array_size = variable.array;
    out.patch = variable.patch ? 1 : 0;
    out.type = component_of(variable.type.scalar, variable.is_signed);
    static_assert(TGSI2SPV_INTERPOLATION_SMOOTH == static_cast<int>(ir::Interpolation::Smooth) &&
                  TGSI2SPV_INTERPOLATION_LINEAR == static_cast<int>(ir::Interpolation::Linear));
    out.interpolation = static_cast<tgsi2spv_interpolation>(variable.interpolation);
    out.sample_location = static_cast<uint32_t>(variable.sample_location);
    out.stream = variable.stream;
    out.captured = variable.captured ? 1 : 0;
    out.xfb_buffer = variable.xfb_buffer;
    out.xfb_offset = variable.xfb_offset;
    out.xfb_stride = variable.xfb_stride;
    return out;
}

}  // namespace

tgsi2spv_resource resource_of(const spirv::Resource& resource, Texts& texts) {
    tgsi2spv_resource out{};
    out.struct_size = sizeof out;
    out.name = texts.keep(resource.name);
    out.kind = resource_kind_of(resource.kind);
    out.index = resource.index;
    out.set = resource.binding.set;
    out.binding = resource.binding.binding;
    out.count = resource.count;
    out.bytes = resource.bytes;
    out.max_bytes = resource.max_bytes;
    out.storage = resource.storage ? 1 : 0;
    static_assert(TGSI2SPV_IMAGE_1D == static_cast<int>(ir::ImageDim::D1) &&
                  TGSI2SPV_IMAGE_CUBE == static_cast<int>(ir::ImageDim::Cube) &&
                  TGSI2SPV_IMAGE_SUBPASS == static_cast<int>(ir::ImageDim::SubpassData));
    out.image_dim = static_cast<tgsi2spv_image_dim>(resource.image.dim);
    out.image_component = component_of(resource.image.sampled, resource.image.sampled_is_signed);
    out.image_array = resource.image.array ? 1 : 0;
    out.image_depth = resource.image.depth ? 1 : 0;
    out.image_multisampled = resource.image.ms ? 1 : 0;
    out.image_format = resource.image.format;
    if (resource.reads) out.access |= TGSI2SPV_ACCESS_READ;
    if (resource.writes) out.access |= TGSI2SPV_ACCESS_WRITE;
    return out;
}

namespace {

void keep_all(const std::pmr::vector<ir::Name>& names, Texts& texts, std::pmr::vector<const char*>& out) {
    out.clear();
    for (const ir::Name& name : names) out.push_back(texts.keep(name));
}

/// The names are literals, which end with a zero.
const char* spec_name(uint32_t id) {
    const std::string_view name = lower::spec::name_of(id);
    return name.empty() ? "" : name.data();
}

template <class T>
tgsi2spv_status get(const std::pmr::vector<T>& all, uint32_t index, T* out) {
    if (index >= all.size() || !copy_out(all[index], out)) return TGSI2SPV_ERROR_INVALID_ARGUMENT;
    return TGSI2SPV_SUCCESS;
}

}  // namespace

}  // namespace tgsi2spv::api

using namespace tgsi2spv;

tgsi2spv_module::tgsi2spv_module(const api::CallerMemory& m)
    : memory(m),
      reflection(&memory),
      texts(memory),
      words(&memory),
      resources(&memory),
      inputs(&memory),
      outputs(&memory),
      spec_constants(&memory),
      capabilities(&memory),
      extensions(&memory),
      features(&memory) {}

void tgsi2spv_module::clear() {
    texts.clear();
    words.clear();
    resources.clear();
    inputs.clear();
    outputs.clear();
    spec_constants.clear();
    capabilities.clear();
    extensions.clear();
    features.clear();
    info = {};
    info.struct_size = sizeof info;
}

void tgsi2spv_module::set(std::span<const uint32_t> module_words) {
    clear();
    const spirv::Reflection& r = reflection;
    words.assign(module_words.begin(), module_words.end());
    for (const spirv::Resource& resource : r.resources) resources.push_back(api::resource_of(resource, texts));
    for (const spirv::InterfaceVariable& v : r.interface)
        (v.is_output ? outputs : inputs).push_back(api::variable_of(v, r.entry.stage, texts));
    for (const spirv::SpecConstant& c : r.spec_constants)
        spec_constants.push_back({sizeof(tgsi2spv_spec_constant), api::spec_name(c.id), c.id, c.default_value});
    api::keep_all(r.capabilities, texts, capabilities);
    api::keep_all(r.extensions, texts, extensions);
    api::keep_all(r.features, texts, features);

    const auto count = [](const auto& all) { return static_cast<uint32_t>(all.size()); };
    info.words = words.data();
    info.word_count = words.size();
    info.capabilities = capabilities.data();
    info.extensions = extensions.data();
    info.features = features.data();
    info.capability_count = count(capabilities);
    info.extension_count = count(extensions);
    info.feature_count = count(features);
    info.stage = static_cast<tgsi2spv_stage>(r.entry.stage);
    info.resource_count = count(resources);
    info.input_count = count(inputs);
    info.output_count = count(outputs);
    info.spec_constant_count = count(spec_constants);
    info.push_constant_bytes = r.push_constant_bytes;
    info.shared_bytes = r.shared_bytes;
    if (r.entry.stage == ir::Stage::Compute)
        for (size_t c = 0; c < 3; ++c)
            info.local_size[c] = r.entry.local_size_ids[c] == ir::kNone ? r.entry.local_size[c] : 0;
    if (r.entry.stage == ir::Stage::TessControl) info.patch_vertices = r.entry.output_vertices;
    info.output_topology = api::topology_of(r.entry);
}

tgsi2spv_status tgsi2spv_context_take_module(tgsi2spv_context* context, tgsi2spv_module** module) noexcept {
    if (module != nullptr) *module = nullptr;
    if (context == nullptr || module == nullptr || context->module == nullptr || context->module->words.empty())
        return TGSI2SPV_ERROR_INVALID_ARGUMENT;
    *module = std::exchange(context->module, nullptr);
    return TGSI2SPV_SUCCESS;
}

void tgsi2spv_module_destroy(tgsi2spv_module* module) noexcept {
    api::destroy(module);
}

tgsi2spv_status tgsi2spv_module_get_info(const tgsi2spv_module* module, tgsi2spv_module_info* info) noexcept {
    return module != nullptr && api::copy_out(module->info, info) ? TGSI2SPV_SUCCESS : TGSI2SPV_ERROR_INVALID_ARGUMENT;
}

tgsi2spv_status tgsi2spv_module_get_resource(const tgsi2spv_module* module, uint32_t index,
                                             tgsi2spv_resource* resource) noexcept {
    return module == nullptr ? TGSI2SPV_ERROR_INVALID_ARGUMENT : api::get(module->resources, index, resource);
}

tgsi2spv_status tgsi2spv_module_get_input(const tgsi2spv_module* module, uint32_t index,
                                          tgsi2spv_variable* variable) noexcept {
    return module == nullptr ? TGSI2SPV_ERROR_INVALID_ARGUMENT : api::get(module->inputs, index, variable);
}

tgsi2spv_status tgsi2spv_module_get_output(const tgsi2spv_module* module, uint32_t index,
                                           tgsi2spv_variable* variable) noexcept {
    return module == nullptr ? TGSI2SPV_ERROR_INVALID_ARGUMENT : api::get(module->outputs, index, variable);
}

tgsi2spv_status tgsi2spv_module_get_spec_constant(const tgsi2spv_module* module, uint32_t index,
                                                  tgsi2spv_spec_constant* constant) noexcept {
    return module == nullptr ? TGSI2SPV_ERROR_INVALID_ARGUMENT : api::get(module->spec_constants, index, constant);
}

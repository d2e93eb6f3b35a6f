// A small emulation layer: shaders become modules that know each other, state becomes specialization constants, what
// the reflection lists is bound.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "api/convert.h"
#include "draw_scene.h"
#include "lower/link.h"
#include "lower/spec_constants.h"

namespace tools {

using namespace tgsi2spv;

namespace {

std::string first_error(const std::vector<tgsi::Diagnostic>& diagnostics) {
    for (const auto& d : diagnostics)
        if (d.severity == tgsi::Severity::Error) return d.message;
    return "refused";
}

/// One stage on its way.
struct Stage {
    api::Context context;
    api::Options options;
    std::vector<uint32_t> words;
    spirv::Reflection reflection;
};

/// State of the last stage before rasterization is no other's.
lower::State state_of(const Scene& scene, size_t stage, size_t last) {
    lower::State state = scene.state;
    if (stage == last || scene.shaders[stage].stage == tgsi::Stage::Fragment) return state;
    state.depth_range = state.flip_y = state.clip_enable = state.clamp_vertex_color = state.point_size = false;
    state.clip_planes = 0;
    return state;
}

tl::expected<std::vector<Stage>, std::string> convert(const Scene& scene) {
    std::vector<Stage> stages(scene.shaders.size());
    std::vector<lower::LinkStage> to_link;
    const bool rasterizes = !scene.shaders.empty() && scene.shaders.back().stage == tgsi::Stage::Fragment;
    if (!rasterizes || stages.size() < 2) return tl::unexpected<std::string>("a scene has VERT and FRAG at least");
    const size_t last = stages.size() - 2;
    for (size_t i = 0; i < stages.size(); ++i) {
        Stage& s = stages[i];
        s.options.lower.state = state_of(scene, i, last);
        s.options.lower.convert_depth_range = i == last && !scene.state.depth_range;
        s.options.lower.draws_points = scene.topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST && i == last;
        if (!api::parse(s.context, scene.shaders[i].text, s.options))
            return tl::unexpected<std::string>(first_error(s.context.diagnostics));
        to_link.push_back({&s.context.program, &s.context.registers, &s.options.lower});
    }
    std::vector<lower::Linkage> linkages;
    std::vector<tgsi::Diagnostic> diagnostics;
    if (!lower::link(to_link, {}, {}, linkages, diagnostics))
        return tl::unexpected<std::string>(first_error(diagnostics));
    for (size_t i = 0; i < stages.size(); ++i) {
        Stage& s = stages[i];
        s.options.lower.linkage = &linkages[i];
        if (!api::lower(s.context, s.options) || !api::optimise(s.context, s.options) ||
            !api::emit(s.context, s.options))
            return tl::unexpected<std::string>(first_error(s.context.diagnostics));
        s.words = s.context.words;
        s.reflection = api::reflect(s.context, s.options);
        s.options.lower.linkage = nullptr;
    }
    return stages;
}

std::vector<uint32_t> words_of(const std::vector<float>& values) {
    std::vector<uint32_t> words(values.size());
    if (!values.empty()) std::memcpy(words.data(), values.data(), values.size() * sizeof(float));
    return words;
}

uint32_t add_texture(vulkan::Job& job, const SceneTexture& t) {
    vulkan::Image image;
    image.width = t.width;
    image.height = t.height;
    image.data.emplace_back(t.rgba.size() * sizeof(float));
    std::memcpy(image.data[0].data(), t.rgba.data(), image.data[0].size());
    vulkan::ImageView view;
    view.image = static_cast<uint32_t>(job.images.size());
    job.images.push_back(std::move(image));
    job.views.push_back(view);
    vulkan::Sampler sampler;
    sampler.min_filter = sampler.mag_filter = t.linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    const auto wrap = t.clamp ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE : VK_SAMPLER_ADDRESS_MODE_REPEAT;
    std::fill(std::begin(sampler.wrap), std::end(sampler.wrap), wrap);
    job.samplers.push_back(sampler);
    return static_cast<uint32_t>(job.views.size() - 1);
}

/// Binds what the module names; false for what a scene cannot have.
bool bind(vulkan::Job& job, const Scene& scene, const SceneShader& shader, const Stage& stage, std::string& error) {
    for (const spirv::Resource& r : stage.reflection.resources) {
        const bool flat = r.image.dim == ir::ImageDim::D2 && !r.image.array && !r.image.ms && !r.image.depth;
        vulkan::Descriptor d;
        d.set = r.binding.set;
        d.binding = r.binding.binding;
        const auto texture = [&] {
            const auto found = shader.textures.find(r.index);
            return add_texture(job, found == shader.textures.end() ? SceneTexture{} : found->second);
        };
        if (r.count != 1) {
            error = r.name + ": a scene has no arrays of resources";
            return false;
        }
        if (r.kind == ir::VariableKind::ConstantBuffer) {
            const auto found = shader.constants.find(r.index);
            std::vector<uint32_t> words = r.index == stage.options.lower.state_buffer ? scene.state_words
                                          : found == shader.constants.end()           ? std::vector<uint32_t>{}
                                                                                      : words_of(found->second);
            words.resize(std::max<size_t>(words.size(), r.bytes / sizeof(uint32_t)));
            d.type = r.storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
            d.items = {static_cast<uint32_t>(job.buffers.size())};
            job.buffers.push_back({std::move(words), false});
        } else if (r.kind == ir::VariableKind::CombinedImage && flat) {
            d.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
            d.items = d.samplers = {texture()};
        } else if (r.kind == ir::VariableKind::SampledImage && flat) {
            d.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
            d.items = {texture()};
        } else if (r.kind == ir::VariableKind::Sampler) {
            d.type = VK_DESCRIPTOR_TYPE_SAMPLER;
            d.items = {texture()};
        } else {
            error = r.name + ": a scene has constant buffers and 2D textures";
            return false;
        }
        job.descriptors.push_back(std::move(d));
    }
    return true;
}

vulkan::Shader& shader_of(vulkan::Job& job, tgsi::Stage stage) {
    switch (stage) {
        case tgsi::Stage::TessControl:
            return job.tess_control;
        case tgsi::Stage::TessEval:
            return job.tess_eval;
        case tgsi::Stage::Geometry:
            return job.geometry;
        case tgsi::Stage::Fragment:
            return job.fragment;
        default:
            return job.vertex;
    }
}

}  // namespace

tl::expected<std::vector<uint8_t>, std::string> draw_scene(vulkan::Device& device, const Scene& scene,
                                                           bool with_state) {
    const auto stages = convert(scene);
    if (!stages) return tl::unexpected<std::string>(stages.error());
    vulkan::Job job;
    std::string error;
    for (size_t i = 0; i < stages->size(); ++i) {
        vulkan::Shader& shader = shader_of(job, scene.shaders[i].stage);
        shader.words = (*stages)[i].words;
        if (with_state) shader.constants = scene.constants;
        const auto height = static_cast<float>(scene.height);
        shader.constants.push_back({lower::spec::kFramebufferHeight, std::bit_cast<uint32_t>(height)});
        if (!bind(job, scene, scene.shaders[i], (*stages)[i], error)) return tl::unexpected<std::string>(error);
    }
    for (const spirv::InterfaceVariable& v : (*stages)[0].reflection.interface) {
        if (v.is_output || v.builtin != ir::BuiltIn::None) continue;
        if (v.location >= scene.attributes.size())
            return tl::unexpected<std::string>(fmt::format("IN[{}] of VERT has no vertices", v.location));
        vulkan::Attribute a;
        a.location = v.location;
        const std::vector<float>& values = scene.attributes[v.location];
        a.data.resize(values.size() * sizeof(float));
        std::memcpy(a.data.data(), values.data(), a.data.size());
        job.attributes.push_back(std::move(a));
    }
    job.topology = scene.topology;
    job.patch_control_points = 3;
    job.vertex_count = scene.vertices();
    job.width = job.viewport_width = scene.width;
    job.height = job.viewport_height = scene.height;
    vulkan::Attachment target;
    target.format = VK_FORMAT_R8G8B8A8_UNORM;
    target.texel_bytes = 4;
    std::copy(scene.clear.begin(), scene.clear.end(), target.clear.float32);
    job.attachments = {target};
    auto out = vulkan::run(device, job);
    if (!out) return tl::unexpected<std::string>(out.error().message);
    return std::move(out->attachments[0]);
}

}  // namespace tools

// A small emulation layer: shaders become modules that know each other, state becomes specialization constants, what
// the reflection lists is bound.
#include "draw_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>

#include "api/convert.h"
#include "api/passthrough.h"
#include "lower/link.h"
#include "lower/spec_constants.h"

namespace tools {

using namespace tgsi2spv;

namespace {

tl::unexpected<std::string> refused(const std::vector<tgsi::Diagnostic>& diagnostics) {
    for (const auto& d : diagnostics)
        if (d.severity == tgsi::Severity::Error) return tl::unexpected<std::string>(d.message);
    return tl::unexpected<std::string>("refused");
}

/// State of the last stage before rasterization is no other's.
lower::State state_of(lower::State state, tgsi::Stage stage, bool last) {
    if (last || stage == tgsi::Stage::Fragment) return state;
    state.depth_range = state.flip_y = state.clip_enable = state.clamp_vertex_color = state.point_size = false;
    state.clip_planes = 0;
    return state;
}

std::vector<uint32_t> words_of(const std::vector<float>& values) {
    std::vector<uint32_t> words(values.size());
    if (!values.empty()) std::memcpy(words.data(), values.data(), values.size() * sizeof(float));
    return words;
}

uint32_t add_texture(vulkan::Job& job, const scene::Texture& t) {
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

/// Binds what the module names; an error for what a scene cannot have.
tl::expected<void, std::string> bind(vulkan::Job& job, const scene::Scene& scene, const DrawModule& module) {
    const scene::Shader& shader = module.shader;
    for (const spirv::Resource& r : module.reflection.resources) {
        const bool flat = r.image.dim == ir::ImageDim::D2 && !r.image.array && !r.image.ms && !r.image.depth;
        vulkan::Descriptor d;
        d.set = r.binding.set;
        d.binding = r.binding.binding;
        const auto texture = [&] {
            const auto found = shader.textures.find(r.index);
            return add_texture(job, found == shader.textures.end() ? scene::Texture{} : found->second);
        };
        if (r.count != 1) return tl::unexpected<std::string>(r.name + ": a scene has no arrays of resources");
        if (r.kind == ir::VariableKind::ConstantBuffer) {
            const auto found = shader.constants.find(r.index);
            std::vector<uint32_t> words = r.index == module.state_buffer    ? state_words(scene)
                                          : found == shader.constants.end() ? std::vector<uint32_t>{}
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
            return tl::unexpected<std::string>(r.name + ": a scene has constant buffers and 2D textures");
        }
        job.descriptors.push_back(std::move(d));
    }
    return {};
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

VkPrimitiveTopology topology_of(scene::Topology topology) {
    switch (topology) {
        case scene::Topology::Points:
            return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        case scene::Topology::Lines:
            return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
        case scene::Topology::LineStrip:
            return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
        case scene::Topology::TriangleStrip:
            return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
        case scene::Topology::TriangleFan:
            return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
        case scene::Topology::Patches:
            return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
        default:
            return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

VkBlendFactor factor_of(scene::Factor factor) {
    switch (factor) {
        case scene::Factor::Zero:
            return VK_BLEND_FACTOR_ZERO;
        case scene::Factor::SrcAlpha:
            return VK_BLEND_FACTOR_SRC_ALPHA;
        case scene::Factor::InvSrcAlpha:
            return VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
        case scene::Factor::Src1Color:
            return VK_BLEND_FACTOR_SRC1_COLOR;
        case scene::Factor::InvSrc1Color:
            return VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR;
        case scene::Factor::Src1Alpha:
            return VK_BLEND_FACTOR_SRC1_ALPHA;
        case scene::Factor::InvSrc1Alpha:
            return VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
        default:
            return VK_BLEND_FACTOR_ONE;
    }
}

VkFormat attribute_format(scene::NumericType type) {
    switch (type) {
        case scene::NumericType::UInt:
        case scene::NumericType::UScaled:
            return VK_FORMAT_R32G32B32A32_UINT;
        case scene::NumericType::SInt:
        case scene::NumericType::SScaled:
        case scene::NumericType::Fixed:
            return VK_FORMAT_R32G32B32A32_SINT;
        default:
            return VK_FORMAT_R32G32B32A32_SFLOAT;
    }
}

vulkan::Attachment target_of(const scene::Scene& scene) {
    vulkan::Attachment target;
    target.texel_bytes = 4;
    switch (scene.fixed.target) {
        case scene::NumericType::UInt:
            target.format = VK_FORMAT_R8G8B8A8_UINT;
            break;
        case scene::NumericType::SInt:
            target.format = VK_FORMAT_R8G8B8A8_SINT;
            break;
        default:
            target.format = VK_FORMAT_R8G8B8A8_UNORM;
            std::copy(scene.clear.begin(), scene.clear.end(), target.clear.float32);
            break;
    }
    if (target.format != VK_FORMAT_R8G8B8A8_UNORM)
        for (size_t c = 0; c < 4; c++) target.clear.uint32[c] = static_cast<uint32_t>(scene.clear[c]);
    if (scene.blend) {
        VkPipelineColorBlendAttachmentState blend{};
        blend.blendEnable = VK_TRUE;
        blend.srcColorBlendFactor = blend.srcAlphaBlendFactor = factor_of(scene.blend->source);
        blend.dstColorBlendFactor = blend.dstAlphaBlendFactor = factor_of(scene.blend->target);
        target.blend = blend;
    }
    return target;
}

/// A stage on its way.
struct Stage {
    scene::Shader shader;
    api::Context context;
    api::Options options;
};

api::PassthroughGeometry primitives_of(const scene::Scene& scene) {
    api::PassthroughGeometry what;
    // Patches: corners of triangles are those of a list.
    what.topology = scene.topology == scene::Topology::Patches ? api::Topology::Triangles
                                                               : static_cast<api::Topology>(scene.topology);
    what.polygon_mode = static_cast<api::PolygonMode>(scene.fixed.polygon_mode);
    what.provoking_last = scene.fixed.provoking_last;
    what.flat_shade = scene.fixed.flat_shade;
    what.line_stipple = scene.ready.line_stipple;
    return what;
}

bool needs_geometry(const scene::Scene& scene) {
    return scene.ready.line_stipple || scene.fixed.provoking_last ||
           scene.fixed.polygon_mode != scene::PolygonMode::Fill;
}

/// Behind the stage before FRAG.
tl::expected<void, std::string> add_geometry(const scene::Scene& scene, std::deque<Stage>& stages) {
    const Stage& before = stages[stages.size() - 2];
    if (before.shader.stage == tgsi::Stage::Geometry)
        return tl::unexpected<std::string>("line stipple, edges and the last provoking vertex are the scene's GEOM's");
    auto text = api::passthrough_geometry(before.context.program, before.context.registers,
                                          &stages.back().context.program, primitives_of(scene));
    if (!text) return tl::unexpected<std::string>(text.error().message);
    const auto geometry = stages.emplace(stages.end() - 1);
    geometry->shader.stage = tgsi::Stage::Geometry;
    geometry->shader.text = std::move(*text);
    if (!api::parse(geometry->context, geometry->shader.text, geometry->options))
        return refused(geometry->context.diagnostics);
    return {};
}

vulkan::Expected<std::vector<uint8_t>> cannot(std::string message) {
    return tl::unexpected<vulkan::Error>({vulkan::Failure::Usage, std::move(message)});
}

}  // namespace

tl::expected<std::vector<DrawModule>, std::string> convert_scene(const scene::Scene& scene) {
    std::deque<Stage> stages;
    for (const scene::Shader& shader : scene.shaders) {
        Stage& s = stages.emplace_back(Stage{shader, {}, {}});
        if (!api::parse(s.context, s.shader.text, s.options)) return refused(s.context.diagnostics);
        if (shader.stage != tgsi::Stage::TessEval || stages.size() != 2) continue;
        auto text = api::passthrough_tess_ctrl(s.context.program, s.context.registers, scene.patch_vertices);
        if (!text) return tl::unexpected<std::string>(text.error().message);
        const auto control = stages.emplace(stages.begin() + 1);
        control->shader.stage = tgsi::Stage::TessControl;
        control->shader.text = std::move(*text);
        if (!api::parse(control->context, control->shader.text, control->options))
            return refused(control->context.diagnostics);
    }
    if (stages.size() < 2 || stages.back().shader.stage != tgsi::Stage::Fragment)
        return tl::unexpected<std::string>("a scene has VERT and FRAG at least");
    const bool tessellates = std::any_of(stages.begin(), stages.end(),
                                         [](const Stage& s) { return s.shader.stage == tgsi::Stage::TessEval; });
    if (tessellates != (scene.topology == scene::Topology::Patches))
        return tl::unexpected<std::string>("patches need a TESS_EVAL, and it needs patches");
    if (needs_geometry(scene))
        if (auto added = add_geometry(scene, stages); !added) return tl::unexpected<std::string>(added.error());
    std::vector<lower::LinkStage> to_link;
    const lower::State state = made_ready(scene);
    for (size_t i = 0; i < stages.size(); ++i) {
        Stage& s = stages[i];
        const bool last = i == stages.size() - 2;
        s.options.lower.state = state_of(state, s.shader.stage, last);
        s.options.lower.convert_depth_range = last && !scene.ready.depth_range;
        s.options.lower.draws_points = scene.topology == scene::Topology::Points && last;
        s.options.lower.dual_source = scene.fixed.dual_source;
        to_link.push_back({&s.context.program, &s.context.registers, &s.options.lower});
    }
    std::vector<lower::Linkage> linkages;
    std::vector<tgsi::Diagnostic> diagnostics;
    if (!lower::link(to_link, {}, {}, linkages, diagnostics)) return refused(diagnostics);
    std::vector<DrawModule> modules;
    for (size_t i = 0; i < stages.size(); ++i) {
        Stage& s = stages[i];
        s.options.lower.linkage = &linkages[i];
        if (!api::lower(s.context, s.options) || !api::optimise(s.context, s.options) ||
            !api::emit(s.context, s.options))
            return refused(s.context.diagnostics);
        modules.push_back(
            {std::move(s.shader), s.context.words, api::reflect(s.context, s.options), s.options.lower.state_buffer});
    }
    return modules;
}

vulkan::Expected<std::vector<uint8_t>> draw_scene(vulkan::Device& device, const scene::Scene& scene,
                                                  const std::vector<DrawModule>& modules,
                                                  const std::vector<vulkan::SpecValue>& constants) {
    vulkan::Job job;
    for (size_t i = 0; i < modules.size(); ++i) {
        vulkan::Shader& shader = shader_of(job, modules[i].shader.stage);
        shader.words = modules[i].words;
        shader.constants = constants;
        const auto height = static_cast<float>(scene.height);
        shader.constants.push_back({lower::spec::kFramebufferHeight, std::bit_cast<uint32_t>(height)});
        if (auto bound = bind(job, scene, modules[i]); !bound) return cannot(bound.error());
    }
    for (const spirv::InterfaceVariable& v : modules[0].reflection.interface) {
        if (v.is_output || v.builtin != ir::BuiltIn::None) continue;
        if (v.location >= scene.attributes.size())
            return cannot(fmt::format("IN[{}] of VERT has no vertices", v.location));
        vulkan::Attribute a;
        a.location = v.location;
        a.format = attribute_format(scene.fixed.attributes[v.location]);
        const std::vector<uint32_t>& values = scene.attributes[v.location];
        a.data.resize(values.size() * sizeof(uint32_t));
        std::memcpy(a.data.data(), values.data(), a.data.size());
        job.attributes.push_back(std::move(a));
    }
    job.topology = topology_of(scene.topology);
    job.patch_control_points = scene.patch_vertices;
    job.vertex_count = scene.vertices();
    job.indices = scene.indices;
    job.primitive_restart = scene.primitive_restart;
    job.width = job.viewport_width = scene.width;
    job.height = job.viewport_height = scene.height;
    job.attachments = {target_of(scene)};
    auto out = vulkan::run(device, job);
    if (!out) return tl::unexpected<vulkan::Error>(out.error());
    return std::move(out->attachments[0]);
}

}  // namespace tools

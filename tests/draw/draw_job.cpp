// The job that a scene becomes for the harness: resources are bound by the reflection of its modules.
#include "draw/draw_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "tgsi2spv/tgsi2spv_vulkan.h"

namespace drawing {

using namespace tgsi2spv;

namespace {

std::vector<uint32_t> words_of(const std::vector<float>& values) {
    std::vector<uint32_t> words(values.size());
    if (!values.empty()) std::memcpy(words.data(), values.data(), values.size() * sizeof(float));
    return words;
}

VkSamplerAddressMode address_mode(const scene::SceneTexture& texture) {
    if (texture.wrap == scene::Wrap::Repeat) return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    const bool clamps = texture.wrap == scene::Wrap::GLClamp || texture.wrap == scene::Wrap::MirrorClamp;
    const bool reaches_border = texture.wrap == scene::Wrap::MirrorClampToBorder || (clamps && texture.linear);
    return reaches_border ? VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
}

uint32_t add_texture(harness::Job& job, const scene::SceneTexture& texture) {
    harness::Image image;
    image.width = texture.width;
    image.height = texture.height;
    image.data.emplace_back(texture.rgba.size() * sizeof(float));
    std::memcpy(image.data[0].data(), texture.rgba.data(), image.data[0].size());
    harness::ImageView view;
    view.image = static_cast<uint32_t>(job.images.size());
    job.images.push_back(std::move(image));
    job.views.push_back(view);
    harness::Sampler sampler;
    sampler.min_filter = sampler.mag_filter = texture.linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    std::fill(std::begin(sampler.wrap), std::end(sampler.wrap), address_mode(texture));
    job.samplers.push_back(sampler);
    return static_cast<uint32_t>(job.views.size() - 1);
}

/// A resource that is bound.
struct Placed {
    uint32_t set, binding;
    VkDescriptorType type;
    std::string name, shader;
};

/// Binds the resources that the module names, after those already placed. Gives an error for resources that a scene
/// cannot have, and also for two resources at one place, which would share their contents.
tl::expected<void, std::string> bind_resources(harness::Job& job, const scene::Scene& scene, const DrawModule& module,
                                               const std::vector<harness::SpecValue>& constants,
                                               std::vector<Placed>& placed) {
    const scene::Shader& shader = module.shader;
    for (uint32_t i = 0; i < module.module.info().resource_count; ++i) {
        const tgsi2spv_resource r = module.module.resource(i);
        const bool flat =
            r.image_dim == TGSI2SPV_IMAGE_2D && r.image_array == 0 && r.image_multisampled == 0 && r.image_depth == 0;
        harness::Descriptor d;
        d.set = r.set;
        d.binding = r.binding;
        d.type = tgsi2spv_vulkan_descriptor_type(&r);
        const auto texture = [&] {
            const auto found = shader.textures.find(r.index);
            return add_texture(job, found == shader.textures.end() ? scene::SceneTexture{} : found->second);
        };
        if (r.count != 1)
            return tl::unexpected<std::string>(std::string(r.name) +
                                               ": arrays of resources are not supported in a scene");
        if (r.kind == TGSI2SPV_RESOURCE_CONSTANT_BUFFER) {
            const auto found = shader.constants.find(r.index);
            std::vector<uint32_t> words = r.index == kStateBuffer           ? state_words(scene, constants)
                                          : found == shader.constants.end() ? std::vector<uint32_t>{}
                                                                            : words_of(found->second);
            words.resize(std::max<size_t>(words.size(), r.bytes / sizeof(uint32_t)));
            d.items = {static_cast<uint32_t>(job.buffers.size())};
            job.buffers.push_back({std::move(words), false});
        } else if (r.kind == TGSI2SPV_RESOURCE_COMBINED_IMAGE && flat) {
            d.items = d.samplers = {texture()};
        } else if (r.kind == TGSI2SPV_RESOURCE_SAMPLED_IMAGE && flat) {
            d.items = {texture()};
        } else if (r.kind == TGSI2SPV_RESOURCE_SAMPLER) {
            d.items = {texture()};
        } else {
            return tl::unexpected<std::string>(std::string(r.name) +
                                               ": a scene supports only constant buffers and 2D textures");
        }
        const auto same_place = [&](const Placed& p) { return p.set == r.set && p.binding == r.binding; };
        if (const auto other = std::find_if(placed.begin(), placed.end(), same_place); other != placed.end()) {
            // A register that is read in two ways gives two variables with one binding.
            if (other->name == r.name && other->shader == shader.name && other->type == d.type) continue;
            return tl::unexpected<std::string>(fmt::format("{} of {} and {} of {} are both at set {}, binding {}",
                                                           other->name, other->shader, r.name, shader.name, r.set,
                                                           r.binding));
        }
        placed.push_back({r.set, r.binding, d.type, r.name, shader.name});
        job.descriptors.push_back(std::move(d));
    }
    return {};
}

/// Fills the constant buffers that the scene wants in the push constants, which all stages share.
void push(harness::Job& job, const scene::Scene& scene, const DrawModule& module) {
    const uint32_t bytes = module.module.info().push_constant_bytes;
    job.push_constants.resize(std::max<size_t>(job.push_constants.size(), bytes / sizeof(uint32_t)));
    for (const auto& [buffer, offset] : scene.layout.push_constants) {
        const auto found = module.shader.constants.find(buffer);
        if (found == module.shader.constants.end() || offset >= bytes) continue;
        const std::vector<uint32_t> words = words_of(found->second);
        const size_t first = offset / sizeof(uint32_t);
        std::copy_n(words.begin(), std::min(words.size(), job.push_constants.size() - first),
                    job.push_constants.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

harness::Shader& shader_of(harness::Job& job, tgsi2spv_stage stage) {
    switch (stage) {
        case TGSI2SPV_STAGE_TESS_CTRL:
            return job.tess_control;
        case TGSI2SPV_STAGE_TESS_EVAL:
            return job.tess_eval;
        case TGSI2SPV_STAGE_GEOMETRY:
            return job.geometry;
        case TGSI2SPV_STAGE_FRAGMENT:
            return job.fragment;
        default:
            return job.vertex;
    }
}

/// By scene::Topology, Factor and NumericType.
constexpr VkPrimitiveTopology kTopologies[] = {
    VK_PRIMITIVE_TOPOLOGY_POINT_LIST,    VK_PRIMITIVE_TOPOLOGY_LINE_LIST,      VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
    VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
    VK_PRIMITIVE_TOPOLOGY_PATCH_LIST};
constexpr VkBlendFactor kFactors[] = {VK_BLEND_FACTOR_ZERO,       VK_BLEND_FACTOR_ONE,
                                      VK_BLEND_FACTOR_SRC_ALPHA,  VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                      VK_BLEND_FACTOR_SRC1_COLOR, VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR,
                                      VK_BLEND_FACTOR_SRC1_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA};
constexpr VkFormat kFloats = VK_FORMAT_R32G32B32A32_SFLOAT, kUInts = VK_FORMAT_R32G32B32A32_UINT,
                   kSInts = VK_FORMAT_R32G32B32A32_SINT;
constexpr VkFormat kFormats[] = {kFloats, kUInts, kSInts, kUInts, kSInts, kSInts, kUInts, kSInts, kUInts};
constexpr VkFormat kTargets[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R8G8B8A8_SINT};

template <class Kind>
size_t at(Kind kind) {
    return static_cast<size_t>(kind);
}

struct Fetched {
    uint32_t reg;
    bool second;  ///< z and w of doubles
};

/// Doubles take two locations each.
Fetched fetched_at(const scene::Scene& scene, uint32_t location) {
    uint32_t first = 0;
    for (uint32_t reg = 0; reg < scene.fixed.attributes.size(); ++reg) {
        const uint32_t taken = scene.fixed.attributes[reg] == scene::NumericType::Double ? 2 : 1;
        if (location < first + taken) return {reg, location != first};
        first += taken;
    }
    return {location, false};
}

harness::Attribute attribute_of(const scene::Scene& scene, uint32_t location, Fetched from) {
    harness::Attribute a;
    a.location = location;
    a.format = kFormats[at(scene.fixed.attributes[from.reg])];
    const auto put = [&](auto value) {
        const auto all = std::bit_cast<std::array<uint8_t, sizeof value>>(value);
        a.data.insert(a.data.end(), all.begin(), all.end());
    };
    const std::vector<uint32_t>& words = scene.attributes[from.reg];
    const bool doubles = scene.fixed.attributes[from.reg] == scene::NumericType::Double;
    for (size_t i = 0; i < words.size(); ++i)
        if (!doubles)
            put(words[i]);
        else if ((i % 4 >= 2) == from.second)
            put(double{std::bit_cast<float>(words[i])});
    return a;
}

harness::Attachment target_of(const scene::Scene& scene) {
    harness::Attachment target;
    target.texel_bytes = 4;
    target.format = kTargets[at(scene.fixed.target)];
    if (target.format == VK_FORMAT_R8G8B8A8_UNORM)
        std::copy(scene.clear.begin(), scene.clear.end(), target.clear.float32);
    else
        for (size_t c = 0; c < 4; c++) target.clear.int32[c] = static_cast<int32_t>(scene.clear[c]);
    if (scene.blend) {
        VkPipelineColorBlendAttachmentState blend{};
        blend.blendEnable = VK_TRUE;
        blend.srcColorBlendFactor = blend.srcAlphaBlendFactor = kFactors[at(scene.blend->source)];
        blend.dstColorBlendFactor = blend.dstAlphaBlendFactor = kFactors[at(scene.blend->target)];
        target.blend = blend;
    }
    return target;
}

vulkan::Expected<std::vector<uint8_t>> cannot(std::string message) {
    return tl::unexpected<vulkan::Error>({vulkan::Failure::Usage, std::move(message)});
}

}  // namespace

vulkan::Expected<std::vector<uint8_t>> draw_scene(harness::Device& device, const scene::Scene& scene,
                                                  const std::vector<DrawModule>& modules,
                                                  std::vector<harness::SpecValue> constants) {
    const auto height = static_cast<float>(scene.height);
    constants.push_back({TGSI2SPV_SPEC_FRAMEBUFFER_HEIGHT, std::bit_cast<uint32_t>(height)});
    for (uint32_t level = 0; level < 6; level++)  // the default levels of patches
        constants.push_back({TGSI2SPV_SPEC_TESS_DEFAULT_OUTER + level, std::bit_cast<uint32_t>(1.0F)});
    harness::Job job;
    std::vector<Placed> placed;
    for (const DrawModule& module : modules) {
        const std::span<const uint32_t> words = module.module.words();
        harness::Shader& shader = shader_of(job, module.module.info().stage);
        shader.words = words;
        shader.constants = constants;
        push(job, scene, module);
        if (auto bound = bind_resources(job, scene, module, constants, placed); !bound) return cannot(bound.error());
    }
    for (uint32_t i = 0; i < modules[0].module.info().input_count; ++i) {
        const tgsi2spv_variable v = modules[0].module.input(i);
        if (v.builtin != TGSI2SPV_NO_BUILTIN) continue;
        const Fetched from = fetched_at(scene, v.location);
        if (from.reg >= scene.attributes.size()) return cannot(fmt::format("IN[{}] of VERT has no vertices", from.reg));
        job.attributes.push_back(attribute_of(scene, v.location, from));
    }
    job.topology = kTopologies[at(scene.topology)];
    job.patch_control_points = scene.patch_vertices;
    job.vertex_count = scene.vertices();
    job.indices = scene.indices;
    job.primitive_restart = scene.primitive_restart;
    job.width = job.viewport_width = scene.width;
    job.height = job.viewport_height = scene.height;
    job.attachments = {target_of(scene)};
    auto out = harness::run(device, job);
    if (!out) return tl::unexpected<vulkan::Error>(out.error());
    return std::move(out->attachments[0]);
}

}  // namespace drawing

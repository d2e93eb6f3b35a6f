#include "renderer/record/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>

#include "renderer/record/dummies.h"
#include "renderer/record/fetched.h"
#include "renderer/record/host_recorder.h"
#include "renderer/state/caps.h"
#include "tgsi2spv/tgsi2spv_vulkan.h"
#include "vk/names.h"
#include "vulkan/instance.h"

namespace tgsi2spv::host {
namespace {

/// Loops of shaders end after this many iterations: a guest must not hang the device.
constexpr uint32_t kMaxIterations = 1u << 20;

/// In the order of virgl::Stage. The name is that with which texts begin.
struct StageRow {
    const char* name;
    VkShaderStageFlagBits flag;
};
constexpr StageRow kStages[] = {{"VERT", VK_SHADER_STAGE_VERTEX_BIT},
                                {"FRAG", VK_SHADER_STAGE_FRAGMENT_BIT},
                                {"GEOM", VK_SHADER_STAGE_GEOMETRY_BIT},
                                {"TESS_CTRL", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
                                {"TESS_EVAL", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
                                {"COMP", VK_SHADER_STAGE_COMPUTE_BIT}};
const StageRow& row_of(virgl::Stage stage) {
    return kStages[static_cast<size_t>(stage)];
}

/// The options of a stage's conversion. They point into the other members.
struct StageOptions {
    tgsi2spv_state state = make<tgsi2spv_state>();
    std::vector<tgsi2spv_stream_output> captured;
    tgsi2spv_stream_outputs outputs = make<tgsi2spv_stream_outputs>();
    tgsi2spv_options options = make<tgsi2spv_options>();
};

void set_common_options(StageOptions& options, const HostRecorder& host) {
    options.options.device = &host.device_caps;
    options.options.state = &options.state;
    options.options.max_iterations = kMaxIterations;
    // A guest's shader reads only data that this guest wrote, or zeros.
    options.options.flags = TGSI2SPV_OPTION_ZERO_MEMORY;
    // GLSL does not define conversions that do not fit, and indices outside of an array of variables, samplers or
    // images. Words of buffers and texels of images are zero there (GL_KHR_robustness).
    options.options.conversions = TGSI2SPV_CONVERSIONS_CLAMP;
    options.options.bounds_registers = TGSI2SPV_OUT_OF_RANGE_CLAMP;
    options.options.bounds_descriptors = TGSI2SPV_OUT_OF_RANGE_CLAMP;
    const std::string& name = host.device->report().info.name;
    const vulkan::Promises promises = vulkan::promises_of(name);
    if (promises.saturates) options.options.workarounds_on |= TGSI2SPV_WORKAROUND_DEVICE_SATURATES;
    if (promises.reduces_angles) options.options.workarounds_on |= TGSI2SPV_WORKAROUND_DEVICE_REDUCES_ANGLES;
    if (promises.logs_zero) options.options.workarounds_on |= TGSI2SPV_WORKAROUND_DEVICE_LOGS_ZERO;
    // Two screen savers took ten times as long, since each frame had new constants (docs/driver-bugs.md).
    if (vulkan::driver_of(name) == vulkan::Driver::Lavapipe)
        options.options.workarounds_on |= TGSI2SPV_WORKAROUND_BRANCHES_BY_LANE;
}

void set_resources(StageOptions& options, const ResourcesInShader& resources) {
    options.state.swizzled_views = resources.swizzled_views;
    options.state.unorm16_buffers = resources.unorm16_buffers;
    options.state.snorm16_buffers = resources.snorm16_buffers;
    std::ranges::copy(resources.clamped_coordinates, std::begin(options.state.clamped_coordinates));
    std::ranges::copy(resources.mirrored_coordinates, std::begin(options.state.mirrored_coordinates));
    options.state.mirrored_levels = resources.mirrored_levels;
    std::ranges::copy(resources.images, std::begin(options.state.images));
    std::ranges::copy(resources.image_formats, std::begin(options.state.image_formats));
    std::ranges::copy(resources.image_samples, std::begin(options.state.image_samples));
}

void set_captures(StageOptions& options, const Shader& shader, uint32_t buffers) {
    for (const tgsi2spv_stream_output& output : shader.outputs)
        if ((buffers >> output.buffer & 1) != 0) options.captured.push_back(output);
    if (options.captured.empty()) return;
    options.outputs.outputs = options.captured.data();
    options.outputs.output_count = options.captured.size();
    std::ranges::copy(shader.strides, std::begin(options.outputs.strides));
    options.options.stream_outputs = &options.outputs;
}

const ResourcesInShader& resources_of(const Shader& shader, const ModuleState& state) {
    const auto place = std::ranges::find(kGraphicsStages, shader.stage) - kGraphicsStages.begin();
    return state.resources[static_cast<size_t>(place)];
}

/// The text for what is bound: unsigned, if all of its signed views show unsigned integers.
const Program& text_of(const Shader& shader, const ResourcesInShader& resources) {
    const bool all = shader.signed_views != 0 && (shader.signed_views & ~resources.unsigned_views) == 0;
    return all && shader.unsigned_program ? shader.unsigned_program : shader.program;
}
const Program& text_of(const Shader& shader, const ModuleState& state) {
    return text_of(shader, resources_of(shader, state));
}

void set_options(StageOptions& options, const HostRecorder& host, const Shader& shader, const ModuleState& state,
                 bool last_before_frag, uint64_t data) {
    set_common_options(options, host);
    if (state.records != 0) options.options.flags |= TGSI2SPV_OPTION_RECORDS;
    const auto set = [&](bool on, tgsi2spv_state_flags flag) {
        if (on) options.state.flags |= flag;
    };
    set_resources(options, resources_of(shader, state));
    if (shader.stage == virgl::Stage::Vert) {
        std::ranges::copy(state.attributes, std::begin(options.state.attributes));
        options.state.widened_attributes = state.widened;
    }
    options.state.data[0] = static_cast<uint32_t>(data);
    options.state.data[1] = static_cast<uint32_t>(data >> 32);
    const bool device_converts = host.device->extras().clip_control.depthClipControl != 0 && !state.clamp_depth;
    options.state.depth_range = device_converts ? TGSI2SPV_DEPTH_RANGE_KEEP : TGSI2SPV_DEPTH_RANGE_CHOOSE;
    set(state.clamp_depth, TGSI2SPV_STATE_CLAMP_DEPTH);
    options.state.clip_planes = state.clip ? virgl::kMaxClipPlanes : 0;
    set(true, TGSI2SPV_STATE_CLIP_ENABLE);
    set(state.points, TGSI2SPV_STATE_POINT_SIZE);
    set(state.one_layer, TGSI2SPV_STATE_ONE_LAYER);
    if (last_before_frag) set_captures(options, shader, state.captured);
    if (shader.stage == virgl::Stage::Frag) {
        set(state.alpha_test, TGSI2SPV_STATE_ALPHA_TEST);
        set(state.two_sided, TGSI2SPV_STATE_TWO_SIDED);
        set(state.flat_shade, TGSI2SPV_STATE_FLAT_SHADE);
        set(state.stipple, TGSI2SPV_STATE_POLYGON_STIPPLE);
        set(state.dual_source, TGSI2SPV_STATE_DUAL_SOURCE);
        set(state.alpha_to_one, TGSI2SPV_STATE_ALPHA_TO_ONE);
        set(state.offset_depth, TGSI2SPV_STATE_OFFSET_DEPTH);
        set(state.sample_shading, TGSI2SPV_STATE_SAMPLE_SHADING);
        set(state.ignores_sample_mask, TGSI2SPV_STATE_SAMPLE_MASK);
        set(true, TGSI2SPV_STATE_FETCH_IMAGE);
        set(state.fetch_layer, TGSI2SPV_STATE_FETCH_LAYER);
        set(state.fetch_sample, TGSI2SPV_STATE_FETCH_SAMPLE);
        options.state.sprites = state.sprites ? TGSI2SPV_SPRITES_TEXCOORD : TGSI2SPV_SPRITES_NONE;
        std::ranges::copy(state.targets, std::begin(options.state.targets));
        options.state.alpha_targets = state.alpha_targets;
        options.state.seen_samples = state.seen_samples;
        options.state.blend = options_of(state.blend);
        options.state.logic = logic_of(state.blend);
    }
}

/// Whether the text has a view or texture with the number of a copy that FRAG fetches. Guests can bind none there.
bool takes_fetched(const tgsi2spv_resource& r) {
    return is_fetched(r.kind, r.index) && !std::string_view(r.name).starts_with("COLOR");
}

/// The status of the library's last call, which has failed.
Problem refusal_of(const HostState& host) {
    return host.translator.status() == TGSI2SPV_ERROR_OUT_OF_MEMORY ? Problem::NoMemory : Problem::Unsupported;
}

/// Unsupported: the device cannot bind the resources.
Problem read_resources(HostRecorder& host, LinkedProgram& program, const Module& module, const Shader& shader) {
    for (uint32_t i = 0; i < module.info().resource_count; i++) {
        const tgsi2spv_resource r = module.resource(i);
        if (r.set >= program.descriptors.size()) continue;
        if (takes_fetched(r)) {
            log_line(
                fmt::format("shader {} reads {}, which cannot be bound; its draws are skipped", shader.id, r.name));
            return Problem::Unsupported;
        }
        if (is_fetched(r.kind, r.index)) program.fetched |= 1u << (r.index - kFirstFetched);
        if (r.kind == TGSI2SPV_RESOURCE_INPUT_ATTACHMENT && (!program.reads_target || r.index != 0)) {
            log_line(fmt::format("shader {} fetches from the framebuffer, which is not offered; its draws are skipped",
                                 shader.id));
            return Problem::Unsupported;
        }
        program.reads_state |= r.kind == TGSI2SPV_RESOURCE_CONSTANT_BUFFER && r.index == kStateBuffer;
        auto& set = program.descriptors[r.set];
        const auto component = static_cast<uint8_t>(1u << r.image_component);
        // A register with images of several types has several rows; the first one decides the binding, except for the
        // types of storage images without a format. Formats differ only in hostile texts, and in arrays of images that
        // the device has to know the formats of: a view has one.
        if (const auto same = std::ranges::find(set, r.binding, &Descriptor::binding); same != set.end()) {
            if (same->type != tgsi2spv_vulkan_descriptor_type(&r) ||
                same->format != tgsi2spv_vulkan_storage_format(r.image_format)) {
                log_line(fmt::format("shader {} uses {} in two ways; its draws are skipped", shader.id, r.name));
                return Problem::Unsupported;
            }
            same->components |= component;
            continue;
        }
        set.push_back({.set = r.set,
                       .binding = r.binding,
                       .count = r.count,
                       .index = r.index - (r.kind == TGSI2SPV_RESOURCE_STORAGE_BUFFER ? shader.first_buffer : 0),
                       .type = tgsi2spv_vulkan_descriptor_type(&r),
                       .stage = shader.stage,
                       .kind = r.kind,
                       .dim = r.image_dim,
                       .component = r.image_component,
                       .format = tgsi2spv_vulkan_storage_format(r.image_format),
                       .array = r.image_array != 0,
                       .depth = r.image_depth != 0,
                       .multisampled = r.image_multisampled != 0,
                       .writes = (r.access & TGSI2SPV_ACCESS_WRITE) != 0 && r.kind != TGSI2SPV_RESOURCE_RECORDS,
                       .components = component,
                       .bytes_read = r.max_bytes});
        if (const Problem p = make_dummy(host, set.back())) {
            if (p == Problem::Unsupported)
                log_line(fmt::format("shader {} reads {}, of whose kind the device has no image; its draws are skipped",
                                     shader.id, r.name));
            return p;
        }
    }
    return Problem::None;
}

/// False if the device has fewer locations of attributes.
bool read_interface(const vk::Device& device, LinkedProgram& program, const Module& module, virgl::Stage stage) {
    std::vector<uint32_t>& ids = program.modules.back().spec_ids;
    for (uint32_t i = 0; i < module.info().spec_constant_count; i++) ids.push_back(module.spec_constant(i).id);
    std::ranges::sort(ids);
    const uint32_t locations = std::min(device.report().limits.maxVertexInputAttributes, virgl::kMaxVertexElements);
    if (stage == virgl::Stage::Vert)
        for (uint32_t i = 0; i < module.info().input_count; i++)
            if (const auto v = module.input(i); v.builtin == TGSI2SPV_NO_BUILTIN) {
                // Inputs of 64 bits and arrays take several locations.
                const uint32_t n = std::max(v.array_size, 1u);
                if (v.location >= locations || n > locations - v.location) return false;
                for (uint32_t k = 0; k < n; k++) program.inputs |= 1u << (v.location + k);
            }
    if (stage == virgl::Stage::Frag)
        for (uint32_t i = 0; i < module.info().output_count; i++)
            if (const auto v = module.output(i); v.builtin == TGSI2SPV_NO_BUILTIN && v.location < 8)
                program.outputs |= 1u << v.location;
    return true;
}

void log_refusal(HostState& host, const Shader& shader) {
    for (size_t i = 0; i < host.translator.diagnostic_count(); i++) {
        const tgsi2spv_diagnostic d = host.translator.diagnostic(i);
        if (d.severity == TGSI2SPV_SEVERITY_ERROR)
            log_line(fmt::format("shader {}, line {}: {} [{}]", shader.id, d.line, d.message, d.code));
    }
}

/// Ways of tessellation that a device of the portability subset may lack.
bool has_tessellation_modes(const HostState& host, std::span<const uint32_t> words) {
    constexpr uint32_t kOpExecutionMode = 16, kPointMode = 10, kIsolines = 25, kHeaderWords = 5;
    const auto& portability = host.device->extras().portability;
    for (size_t at = kHeaderWords; at + 2 < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) {
        if ((words[at] & 0xffff) != kOpExecutionMode) continue;
        if (words[at + 2] == kPointMode && portability.tessellationPointMode == 0) return false;
        if (words[at + 2] == kIsolines && portability.tessellationIsolines == 0) return false;
    }
    return true;
}

Problem add_module(HostRecorder& host, const Shader& shader, const Program& text, const tgsi2spv_options& options,
                   LinkedProgram& program) {
    const Module module = host.translator.convert(text, options);
    if (!module) {
        log_refusal(host, shader);
        return refusal_of(host);
    }
    if (shader.stage == virgl::Stage::TessEval && (options.flags & TGSI2SPV_OPTION_RECORDS) == 0 &&
        !has_tessellation_modes(host, module.words())) {
        log_line(
            fmt::format("shader {} makes points or lines, which the device lacks; its draws are skipped", shader.id));
        return Problem::Unsupported;
    }
    const bool computed = (options.flags & TGSI2SPV_OPTION_RECORDS) != 0;
    const StageModule& made = program.modules.emplace_back(
        StageModule{shader.stage, computed ? VK_SHADER_STAGE_COMPUTE_BIT : row_of(shader.stage).flag,
                    make_module(*host.device, module.words())});
    if (made.module == VK_NULL_HANDLE) return Problem::NoMemory;
    program.charge.add(host.budget, module.words().size_bytes());  // drivers keep them
    // Mesa 22.3's lavapipe: 260 KiB for 290 words, 680 for 860, 5,410 for 7,890. On a GPU, code has some bytes for
    // each.
    program.pipeline_bytes += (host.device->report().info.is_gpu ? 16 : 700) * module.words().size();
    vk::name(*host.device, VK_OBJECT_TYPE_SHADER_MODULE, made.module, "shader {}, {}", shader.id,
             row_of(shader.stage).name);
    if (!read_interface(*host.device, program, module, shader.stage)) {
        log_line(
            fmt::format("shader {} reads attributes that the device does not have; its draws are skipped", shader.id));
        return Problem::Unsupported;
    }
    return read_resources(host, program, module, shader);
}

/// Whether a stage, or all of them, have more resources than the device (Vulkan, VkPipelineLayoutCreateInfo): texts may
/// name more than guests are offered, and the library's state buffer is one more.
bool has_too_many_resources(const VkPhysicalDeviceLimits& l, const LinkedProgram& program) {
    const auto bits = [](auto... types) { return ((1U << types) | ...); };
    constexpr VkDescriptorType kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    const struct {
        uint32_t types;  ///< bits by VkDescriptorType
        uint32_t of_stage, of_all;
    } kinds[] = {
        {bits(kCombined, VK_DESCRIPTOR_TYPE_SAMPLER), l.maxPerStageDescriptorSamplers, l.maxDescriptorSetSamplers},
        {bits(kCombined, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER),
         l.maxPerStageDescriptorSampledImages, l.maxDescriptorSetSampledImages},
        {bits(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER),
         l.maxPerStageDescriptorStorageImages, l.maxDescriptorSetStorageImages},
        {bits(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER), l.maxPerStageDescriptorUniformBuffers,
         l.maxDescriptorSetUniformBuffers},
        {bits(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER), l.maxPerStageDescriptorStorageBuffers,
         l.maxDescriptorSetStorageBuffers},
        // FRAG's targets count, too.
        {~bits(VK_DESCRIPTOR_TYPE_SAMPLER), l.maxPerStageResources - virgl::kMaxColorBuffers, UINT32_MAX},
    };
    return std::ranges::any_of(kinds, [&](const auto& kind) {
        std::array<uint32_t, 6> counts{};
        for (const auto& set : program.descriptors)
            for (const Descriptor& d : set)
                if ((kind.types >> d.type & 1) != 0) counts[static_cast<size_t>(d.stage)] += d.count;
        return *std::ranges::max_element(counts) > kind.of_stage ||
               std::accumulate(counts.begin(), counts.end(), 0U) > kind.of_all;
    });
}

/// Links the stages, converts each, and makes its VkShaderModule. `data`: the values that are read from the state
/// buffer and are not specialization constants.
Problem build(HostRecorder& host, const std::vector<const Shader*>& shaders, const ModuleState& state, uint64_t data,
              LinkedProgram& program) {
    program.reads_target = state.blend.is_on();
    program.color_reads = program.reads_target ? color_reads_of(host.device->extras()) : vk::ColorReads::None;
    std::vector<StageOptions> all(shaders.size());
    std::vector<const Program*> texts;
    std::vector<const tgsi2spv_options*> options;
    for (size_t i = 0; i < shaders.size(); i++) {
        const bool last = i + 1 == shaders.size() || shaders[i + 1]->stage == virgl::Stage::Frag;
        set_options(all[i], host, *shaders[i], state, last && shaders[i]->stage != virgl::Stage::Frag, data);
        texts.push_back(&text_of(*shaders[i], state));
        options.push_back(&all[i].options);
    }
    std::vector<Linkage> linkages(shaders.size());
    if (!host.translator.link(texts, options, linkages)) {
        log_refusal(host, *shaders.front());
        return refusal_of(host);
    }
    for (size_t i = 0; i < shaders.size(); i++) {
        all[i].options.linkage = linkages[i].get();
        if (state.records != 0 && shaders[i]->stage != kGraphicsStages[state.records - 1U]) continue;
        if (const Problem p = add_module(host, *shaders[i], *texts[i], all[i].options, program)) return p;
    }
    return make_layouts(host, program);
}

uint64_t bytes_of(const Programs& programs) {
    uint64_t bytes = 0;
    const auto add = [&](const auto& entry) {
        bytes += entry.second->charge.bytes() + entry.second->pipelines.size() * entry.second->pipeline_bytes;
    };
    std::ranges::for_each(programs.by_state, add);
    return bytes;
}

/// Forgets the older half.
void forget_old_programs(Programs& p) {
    std::vector<uint64_t> uses;
    for (const auto& [key, program] : p.by_state) uses.push_back(program->last_use);
    if (uses.empty()) return;
    const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
    std::ranges::nth_element(uses, middle);
    std::erase_if(p.by_state, [&](const auto& entry) { return entry.second->last_use <= *middle; });
}

/// The state's program; `make` fills a new one. Null: memory is short, and the next draw tries again.
template <class Make>
std::shared_ptr<LinkedProgram> find(HostRecorder& host, const ModuleState& state, const Make& make) {
    Programs& p = host.programs;
    if (const auto at = p.by_state.find(state); at != p.by_state.end()) {
        at->second->last_use = ++p.uses;
        return at->second;
    }
    if (!host.budget.has_room(kProgramBytes) || bytes_of(p) > host.budget.limit() / 4) forget_old_programs(p);
    std::shared_ptr<LinkedProgram> program;
    Problem problem = Problem::None;
    // Constants take the place of the state buffer, where that is one buffer too many.
    for (const uint64_t data : {kStateData, uint64_t{0}}) {
        program = std::make_shared<LinkedProgram>(host.device->handle(), host.budget);
        problem = make(*program, data);
        if (problem != Problem::Budget) break;
    }
    if (problem == Problem::NoMemory) return nullptr;
    if (problem == Problem::Budget)
        log_line(fmt::format("{} have more resources than the device; work with them is skipped", program->name));
    program->failed = problem != Problem::None;
    program->last_use = ++p.uses;
    return p.by_state.emplace(state, std::move(program)).first->second;
}

constexpr size_t kMostPipelines = 1024;  // of a program

}  // namespace

bool make_room_for_pipeline(HostRecorder& host, LinkedProgram& program) {
    const auto has_room = [&] { return host.budget.has_room(program.pipeline_bytes); };
    if (!has_room()) forget_old_programs(host.programs);
    if (program.pipelines.size() >= kMostPipelines || !has_room()) program.pipelines.clear();
    return has_room();
}

VkShaderModule make_module(vk::Device& device, std::span<const uint32_t> words) {
    const VkShaderModuleCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.size_bytes(), .pCode = words.data()};
    VkShaderModule module = VK_NULL_HANDLE;
    device.check(vkCreateShaderModule(device.handle(), &info, nullptr, &module), "vkCreateShaderModule");
    return module;
}

Problem make_layouts(const HostState& host, LinkedProgram& program, const VkPushConstantRange& push) {
    const VkDevice device = host.device->handle();
    if (has_too_many_resources(host.device->report().limits, program)) return Problem::Budget;
    size_t used = 0;
    for (size_t set = 0; set < program.descriptors.size(); set++) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        std::ranges::sort(program.descriptors[set], {}, &Descriptor::binding);
        for (const Descriptor& d : program.descriptors[set]) {
            const auto module = std::ranges::find(program.modules, d.stage, &StageModule::stage);
            bindings.push_back({d.binding, d.type, d.count, static_cast<VkShaderStageFlags>(module->flag), nullptr});
        }
        VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                             .bindingCount = static_cast<uint32_t>(bindings.size()),
                                             .pBindings = bindings.data()};
        if (!host.device->check(vkCreateDescriptorSetLayout(device, &info, nullptr, &program.set_layouts[set]),
                                "vkCreateDescriptorSetLayout"))
            return Problem::NoMemory;
        vk::name(*host.device, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, program.set_layouts[set], "{}, set {}",
                 program.name, set);
        if (!bindings.empty()) used = set + 1;
    }
    VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                    .setLayoutCount = static_cast<uint32_t>(used),
                                    .pSetLayouts = program.set_layouts.data(),
                                    .pushConstantRangeCount = push.size != 0 ? 1U : 0U,
                                    .pPushConstantRanges = &push};
    if (!host.device->check(vkCreatePipelineLayout(device, &info, nullptr, &program.layout), "vkCreatePipelineLayout"))
        return Problem::NoMemory;
    vk::name(*host.device, VK_OBJECT_TYPE_PIPELINE_LAYOUT, program.layout, "{}", program.name);
    return Problem::None;
}

std::shared_ptr<LinkedProgram> find_compute_program(HostRecorder& host, const Shader& shader,
                                                    const ResourcesInShader& resources) {
    ModuleState state;
    state.shaders[0] = shader.id;
    state.resources[0] = resources;
    return find(host, state, [&](LinkedProgram& program, uint64_t) -> Problem {
        program.name = fmt::format("shader {}", shader.id);
        if (!shader.program) return Problem::Unsupported;  // logged when it was created
        if (const uint32_t most = host.device->report().limits.maxComputeSharedMemorySize; shader.shared_bytes > most) {
            log_line(fmt::format("shader {} shares {} bytes, the device has {}; its dispatches are skipped", shader.id,
                                 shader.shared_bytes, most));
            return Problem::Unsupported;
        }
        StageOptions o;
        set_common_options(o, host);
        set_resources(o, resources);
        o.options.shared_words = std::max(shader.shared_bytes / 4 + (shader.shared_bytes % 4 != 0), 1u);
        const Problem p = add_module(host, shader, text_of(shader, resources), o.options, program);
        return p == Problem::None ? make_layouts(host, program) : p;
    });
}

namespace {

/// Links and converts the bound stages.
Problem make_program(HostRecorder& host, const Bindings& context, const ModuleState& state, uint64_t data,
                     LinkedProgram& program) {
    std::vector<const Shader*> shaders;
    Shader control;  // Vulkan requires one with each TESS_EVAL
    for (size_t i = 0; i < kGraphicsStages.size(); i++) {
        const virgl::Stage stage = kGraphicsStages[i];
        const auto& shader = context.stage(stage).shader;
        if (shader != nullptr && state.shaders[i] != 0) {
            shaders.push_back(shader.get());
            program.name += fmt::format("{}{}", program.name.empty() ? "shaders " : ", ", shader->id);
        } else if (stage == virgl::Stage::TessCtrl && state.patch_vertices != 0) {
            const Shader& evaluation = *context.stage(virgl::Stage::TessEval).shader;
            control.stage = stage;
            control.program = host.translator.parse(
                std::string(host.translator.passthrough_tess_ctrl(evaluation.program, state.patch_vertices)));
            if (!control.program) return refusal_of(host);
            shaders.push_back(&control);
        }
    }
    const auto refused = [](const Shader* s) { return !s->program; };
    if (shaders.empty() || std::ranges::any_of(shaders, refused)) return Problem::Unsupported;
    return build(host, shaders, state, data, program);
}

}  // namespace

std::shared_ptr<LinkedProgram> find_program(HostRecorder& host, const Bindings& context, const ModuleState& state) {
    return find(host, state, [&](LinkedProgram& program, uint64_t data) {
        return make_program(host, context, state, data, program);
    });
}

}  // namespace tgsi2spv::host

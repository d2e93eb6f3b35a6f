// A small emulation layer: turns shaders into modules that are linked, using only the library's own header.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <span>

#include "draw/draw_job.h"
#include "scene/stages.h"

namespace drawing {

using namespace tgsi2spv;

namespace {

/// Six, plus one that is too many.
constexpr size_t kMaxStages = 7;

/// The library's first error of a context's last call.
std::string refusal(const Context& context) {
    for (size_t i = 0; i < context.diagnostic_count(); ++i)
        if (const tgsi2spv_diagnostic d = context.diagnostic(i); d.severity == TGSI2SPV_SEVERITY_ERROR)
            return fmt::format("{}:{}: {}", d.line, d.column, d.message);
    return tgsi2spv_status_string(context.status());
}

/// A stage that is being converted.
struct Stage {
    scene::Shader shader;
    Context context;
    Program program;
    tgsi2spv_options options = default_options;

    explicit Stage(scene::Shader from) : shader(std::move(from)), program(context.parse(shader.text)) {}
};

tl::unexpected<std::string> refused(const Stage& stage) {
    return tl::unexpected<std::string>(stage.shader.name + ": " + refusal(stage.context));
}

/// Where the caller wants the resources, the same in all stages.
struct Places {
    std::vector<tgsi2spv_binding> bindings;
    std::vector<tgsi2spv_push_constants> push_constants;

    explicit Places(const scene::Layout& layout) {
        for (const scene::Layout::Binding& p : layout.bindings)
            bindings.push_back({static_cast<uint32_t>(p.kind), p.index, p.set, p.binding});
        for (const auto& [buffer, offset] : layout.push_constants) push_constants.push_back({buffer, offset});
    }
    void ask(tgsi2spv_options& options, const scene::Layout& layout) const {
        options.bindings = bindings.data();
        options.binding_count = bindings.size();
        options.push_constants = push_constants.data();
        options.push_constant_count = push_constants.size();
        if (layout.separate_samplers) options.flags |= TGSI2SPV_OPTION_SEPARATE_SAMPLERS;
    }
};
static_assert(static_cast<int>(scene::ResourceKind::ConstantBuffer) == TGSI2SPV_RESOURCE_CONSTANT_BUFFER &&
              static_cast<int>(scene::ResourceKind::CombinedImage) == TGSI2SPV_RESOURCE_COMBINED_IMAGE &&
              static_cast<int>(scene::ResourceKind::SampledImage) == TGSI2SPV_RESOURCE_SAMPLED_IMAGE &&
              static_cast<int>(scene::ResourceKind::Sampler) == TGSI2SPV_RESOURCE_SAMPLER);

/// Inserts a stage that the application omitted, from the library's own text.
tl::expected<void, std::string> insert(std::deque<Stage>& stages, size_t at, std::string_view text) {
    scene::Shader shader;
    shader.name = "generated pass-through shader";
    shader.text = text;
    const auto s = stages.emplace(stages.begin() + static_cast<std::ptrdiff_t>(at), std::move(shader));
    return s->program ? tl::expected<void, std::string>() : refused(*s);
}

/// Parses the scene's own stages and adds those that it omits.
tl::expected<void, std::string> parse(const scene::Scene& scene, std::deque<Stage>& stages) {
    for (const scene::Shader& shader : scene.shaders) {
        Stage& s = stages.emplace_back(shader);
        if (!s.program) return refused(s);
        if (s.program.stage() != TGSI2SPV_STAGE_TESS_EVAL || stages.size() != 2) continue;
        const std::string_view text = s.context.passthrough_tess_ctrl(s.program, scene.patch_vertices);
        if (s.context.status() != TGSI2SPV_SUCCESS) return refused(s);
        if (auto added = insert(stages, 1, text); !added) return added;
    }
    if (stages.size() < 2 || stages.size() >= kMaxStages || stages.back().program.stage() != TGSI2SPV_STAGE_FRAGMENT)
        return tl::unexpected<std::string>("a scene needs at least VERT and FRAG");
    const bool tessellates = std::any_of(stages.begin(), stages.end(),
                                         [](const Stage& s) { return s.program.stage() == TGSI2SPV_STAGE_TESS_EVAL; });
    if (tessellates != (scene.topology == scene::Topology::Patches))
        return tl::unexpected<std::string>(
            "topology 'patches' needs a TESS_EVAL shader, and a TESS_EVAL shader needs topology 'patches'");
    return {};
}

}  // namespace

tl::expected<std::vector<DrawModule>, std::string> convert_scene(const scene::Scene& scene) {
    std::deque<Stage> stages;
    if (auto parsed = parse(scene, stages); !parsed) return tl::unexpected<std::string>(parsed.error());
    const size_t count = stages.size();
    std::array<const Program*, kMaxStages> programs{};
    std::array<const tgsi2spv_options*, kMaxStages> options{};
    std::array<Linkage, kMaxStages> linkages;
    const Places places(scene.layout);
    const tgsi2spv_state state = prepared_state(scene);
    // The device that will draw is not known yet. Drawing checks its features.
    const tgsi2spv_device_caps device = device_with_everything();
    for (size_t i = 0; i < count; ++i) {
        places.ask(stages[i].options, scene.layout);
        stages[i].options.state = &state;
        stages[i].options.device = &device;
        stages[i].options.target = TGSI2SPV_TARGET_VULKAN_1_2;
        if (stages[i].shader.clamps_constants) stages[i].options.bounds_constants = TGSI2SPV_OUT_OF_RANGE_CLAMP;
        programs[i] = &stages[i].program;
        options[i] = &stages[i].options;
    }
    Context& linking = stages.front().context;
    if (!linking.link(std::span(programs).first(count), std::span(options).first(count),
                      std::span(linkages).first(count)))
        return tl::unexpected<std::string>("cannot link the stages: " + refusal(linking));
    std::vector<DrawModule> modules;
    for (size_t i = 0; i < count; ++i) {
        Stage& s = stages[i];
        s.options.linkage = linkages[i].get();
        Module module = s.context.convert(s.program, s.options);
        if (!module) return refused(s);
        modules.push_back({std::move(s.shader), std::move(module)});
    }
    return modules;
}

}  // namespace drawing

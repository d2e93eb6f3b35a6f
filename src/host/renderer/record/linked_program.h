// The stages of a draw as Vulkan runs them: linked, converted by the library, with a pipeline for each of the few
// states that pipelines still fix.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "renderer/record/dummy.h"
#include "renderer/record/hash.h"
#include "renderer/record/shader_blend.h"
#include "renderer/state/state.h"
#include "vk/budget.h"

namespace tgsi2spv::host {

/// The stages of a graphics pipeline, in its order.
inline constexpr std::array<virgl::Stage, 5> kGraphicsStages = {
    virgl::Stage::Vert, virgl::Stage::TessCtrl, virgl::Stage::TessEval, virgl::Stage::Geom, virgl::Stage::Frag};

/// State that changes modules: the switches and types of tgsi2spv_state. Of a dispatch, COMP is the first shader, and
/// all else is 0; numbers of shaders are unique among stages.
struct ModuleState {
    std::array<uint64_t, 5> shaders{};     ///< ids, in the order of kGraphicsStages; 0: none
    std::array<uint8_t, 32> attributes{};  ///< tgsi2spv_numeric_type
    uint32_t widened = 0;                  ///< bit n: w of IN[n] is 1
    std::array<uint8_t, 8> targets{};      ///< tgsi2spv_numeric_type
    std::array<ResourcesInShader, 5> resources{};
    uint32_t captured = 0;       ///< bit n: outputs go to buffer n of stream output
    uint8_t alpha_targets = 0;   ///< bit n: the target has only alpha
    uint8_t patch_vertices = 0;  ///< vertices of the generated TESS_CTRL's patches
    uint8_t seen_samples = 0;    ///< number of samples that the guest sees, where the targets have more
    bool flat_shade = false, two_sided = false, alpha_test = false, stipple = false, clip = false, points = false,
         sprites = false, dual_source = false, sample_shading = false, ignores_sample_mask = false, fetch_layer = false,
         fetch_sample = false, one_layer = false, clamp_depth = false, offset_depth = false, alpha_to_one = false;
    ShaderBlend blend{};
    /// The one stage of an emulated draw that is made, as 1 + its number in kGraphicsStages; its outputs are records.
    uint8_t records = 0;
    std::array<uint8_t, 3> unused{};  ///< instead of padding: the bytes are hashed
    bool operator==(const ModuleState&) const = default;
};

/// A descriptor as a module declares it.
struct Descriptor {
    uint32_t set = 0, binding = 0, count = 1, index = 0;
    VkDescriptorType type{};
    virgl::Stage stage{};
    tgsi2spv_resource_kind kind{};
    tgsi2spv_image_dim dim{};
    tgsi2spv_component_type component{};
    VkFormat format = VK_FORMAT_UNDEFINED;  ///< format of a storage image; undefined: any
    bool array = false, depth = false, multisampled = false, writes = false;
    uint8_t components = 0;   ///< bits by tgsi2spv_component_type: images of these types have this binding
    uint32_t bytes_read = 0;  ///< the most bytes of a constant buffer that the module reads
    Dummy dummy{};
};

/// The values in it that would otherwise be specialization constants, by tgsi2spv_spec: games change them from draw to
/// draw, and each change would cost a pipeline.
inline constexpr uint64_t kStateData =
    uint64_t{0xf} << TGSI2SPV_SPEC_BLEND_COLOR | uint64_t{0x3f} << TGSI2SPV_SPEC_DEPTH_NEAR |
    1u << TGSI2SPV_SPEC_FRAMEBUFFER_HEIGHT | 0x3fu << TGSI2SPV_SPEC_TESS_DEFAULT_OUTER |
    1u << TGSI2SPV_SPEC_ALPHA_REFERENCE | 1u << TGSI2SPV_SPEC_CLIP_ENABLE | 1u << TGSI2SPV_SPEC_SPRITE_MASK |
    1u << TGSI2SPV_SPEC_SPRITE_LOWER_LEFT | 1u << TGSI2SPV_SPEC_POINT_SIZE | 1u << TGSI2SPV_SPEC_POINT_SIZE_PER_VERTEX;
using StateValues = std::array<uint32_t, 48>;

struct StageModule {
    virgl::Stage stage{};
    VkShaderStageFlagBits flag{};
    VkShaderModule module = VK_NULL_HANDLE;
    std::vector<uint32_t> spec_ids{};  ///< ascending
};

/// Roughly the memory that drivers keep for a program.
inline constexpr uint64_t kProgramBytes = 64U << 10;

struct LinkedProgram;

struct Pipeline {
    Pipeline(vk::Budget& budget, const LinkedProgram& program);
    ~Pipeline() { vkDestroyPipeline(device, handle, nullptr); }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;
    VkDevice device;
    vk::Charge charge;
    VkPipeline handle = VK_NULL_HANDLE;  ///< null: the driver refuses it
    mutable uint64_t last_batch = 0;     ///< last batch that holds it
};

/// Pipelines by their state.
using Pipelines = std::unordered_map<std::vector<uint32_t>, std::shared_ptr<const Pipeline>, HashOfKey>;

struct LinkedProgram {
    LinkedProgram(VkDevice the_device, vk::Budget& budget);
    ~LinkedProgram();
    LinkedProgram(const LinkedProgram&) = delete;
    LinkedProgram& operator=(const LinkedProgram&) = delete;

    VkDevice device;
    vk::Charge charge;
    std::string name;  ///< "shaders 7, 9"
    bool failed = false;
    std::vector<StageModule> modules;
    uint64_t pipeline_bytes = 128U << 10;  ///< roughly, of each pipeline
    std::array<VkDescriptorSetLayout, 4> set_layouts{};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::array<std::vector<Descriptor>, 4> descriptors;
    uint32_t inputs = 0;              ///< bit n: VERT reads location n
    uint32_t outputs = 0;             ///< bit n: FRAG writes COLOR[n]
    uint32_t fetched = 0;             ///< bit n: FRAG fetches COLOR[n]
    bool reads_target = false;        ///< FRAG blends target 0 itself
    vk::ColorReads color_reads{};     ///< reads in a render pass
    bool reads_state = false;         ///< it reads kStateBuffer
    Pipelines pipelines;              ///< pipelines by make_key() of pipeline.h
    uint64_t last_use = 0;            ///< number of lookups of programs at its last use
    mutable uint64_t last_batch = 0;  ///< last batch that holds it
};

/// The programs of all clients. Those that were not used for long are forgotten when they fill a quarter of the budget:
/// they live as long as a draw or a batch holds them.
struct Programs {
    std::unordered_map<ModuleState, std::shared_ptr<LinkedProgram>, HashOfKey> by_state;
    uint64_t uses = 0;
};

}  // namespace tgsi2spv::host

// The shaders of a pipeline agree on what goes from one to the next: locations by semantic name and index.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "lower/lower.h"

namespace tgsi2spv::lower {

/// A varying or PATCH data of two neighbours: components 0 .. components − 1 of the registers with that semantic stand
/// in `location` from `component` on.
struct LinkedVarying {
    tgsi::Semantic semantic = tgsi::Semantic::None;
    uint32_t index = 0;
    uint8_t location = 0;
    uint8_t component = 0;
    uint8_t components = 4;
    bool operator==(const LinkedVarying&) const = default;
};

/// What one stage is told of its neighbours (Options::linkage). An output that is not listed is dropped; an input that
/// is not listed has been written by nobody and reads (0, 0, 0, 1).
struct Linkage {
    Linkage() = default;
    /// Its lists stand in `memory`.
    explicit Linkage(std::pmr::memory_resource* memory)
        : inputs(memory), outputs(memory), patch_inputs(memory), patch_outputs(memory) {}

    std::pmr::vector<LinkedVarying> inputs, outputs;
    std::pmr::vector<LinkedVarying> patch_inputs, patch_outputs;  ///< they have locations of their own
    bool has_no_primitive = false;                                ///< FRAG: the GEOM before it does not write PRIMID
    /// What NUM_CLIPDIST_ENABLED and NUM_CULLDIST_ENABLED of the stage before say: CLIPDIST holds the ones, then the
    /// others. 0 both: it does not say.
    uint32_t num_clip = 0, num_cull = 0;
};

struct LinkStage {
    const tgsi::Program* program = nullptr;
    const tgsi::Registers* registers = nullptr;
    const Options* options = nullptr;  ///< those that it will be lowered with
};

/// Components that the device takes of each interface: VkPhysicalDeviceLimits, with what Vulkan promises.
struct LinkLimits {
    uint32_t vertex_output = 64;               ///< maxVertexOutputComponents
    uint32_t tess_control_input = 64;          ///< maxTessellationControlPerVertexInputComponents
    uint32_t tess_control_output = 64;         ///< maxTessellationControlPerVertexOutputComponents
    uint32_t tess_control_patch_output = 120;  ///< maxTessellationControlPerPatchOutputComponents
    uint32_t tess_eval_input = 64;             ///< maxTessellationEvaluationInputComponents
    uint32_t tess_eval_output = 64;            ///< maxTessellationEvaluationOutputComponents
    uint32_t geometry_input = 64;              ///< maxGeometryInputComponents
    uint32_t geometry_output = 64;             ///< maxGeometryOutputComponents
    uint32_t fragment_input = 64;              ///< maxFragmentInputComponents
};
/// Of a device that has everything.
inline constexpr LinkLimits kMostOfAll = {128, 128, 128, 128, 128, 128, 128, 128, 128};

/// Links the stages of a pipeline, in its order: VERT [TESS_CTRL TESS_EVAL] [GEOM] [FRAG]. `linkages` has one for
/// each, empty. What one writes and the next reads has a location of its own, in the order of semantic and index; where
/// the device has too few, registers of which few components are read share one. False, with a diagnostic: the stages
/// are no pipeline (`not-a-pipeline`), there are too many varyings (`too-many-varyings`), or a flow is refused.
bool link(std::span<const LinkStage> stages, const Capabilities& capabilities, const LinkLimits& limits,
          std::span<Linkage> linkages, std::vector<tgsi::Diagnostic>& diagnostics,
          std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace tgsi2spv::lower

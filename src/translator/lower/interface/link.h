// Makes the shaders of a pipeline agree on their varyings: locations by semantic name and index.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "lower/options/capabilities.h"
#include "lower/options/linkage.h"
#include "tgsi/program/registers.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::lower {

struct LinkStage {
    const tgsi::Program* program = nullptr;
    const tgsi::Registers* registers = nullptr;
    const Options* options = nullptr;  ///< the options that it will be lowered with
};

/// How many components the device takes at each interface: VkPhysicalDeviceLimits; the defaults are Vulkan's guaranteed
/// minimums.
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
    uint32_t geometry_total = 1024;            ///< maxGeometryTotalOutputComponents, of all vertices together
};

/// Links the stages of a pipeline, given in pipeline order: VERT [TESS_CTRL TESS_EVAL] [GEOM] [FRAG]. `linkages` has
/// one empty entry for each stage. Each varying that one stage writes and the next reads gets its own location, in the
/// order of semantic and index. If the device has too few locations, or too few components for all of GEOM's vertices,
/// registers with few components read share one.
/// Returns false with a diagnostic if the stages are not a pipeline (`not-a-pipeline`), if there are too many varyings
/// (`too-many-varyings`), or if a stage's control flow is refused; then `refused` is that stage's number, and the
/// diagnostic has a place in its text.
bool link(std::span<const LinkStage> stages, const Capabilities& capabilities, const LinkLimits& limits,
          std::span<Linkage> linkages, std::vector<tgsi::Diagnostic>& diagnostics,
          std::pmr::memory_resource* memory = std::pmr::get_default_resource(), size_t* refused = nullptr);

}  // namespace tgsi2spv::lower

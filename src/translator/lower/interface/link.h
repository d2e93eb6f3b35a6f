// Makes the shaders of a pipeline agree on their varyings: locations by semantic name and index.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "lower/lower.h"

namespace tgsi2spv::lower {

/// A varying or PATCH data between two neighbours. Components 0 .. components − 1 of the registers with this semantic
/// are in `location`, starting at `component`.
struct LinkedVarying {
    tgsi::Semantic semantic = tgsi::Semantic::None;
    uint32_t index = 0;
    uint8_t location = 0;
    uint8_t component = 0;
    uint8_t components = 4;
    bool operator==(const LinkedVarying&) const = default;
};

/// What a register holds.
struct RecordSlot {
    tgsi::Semantic semantic = tgsi::Semantic::None;
    uint32_t index = 0;
    bool operator==(const RecordSlot&) const = default;
};

/// Facts about a stage's neighbours (Options::linkage). An output that is not listed is dropped. An input that is not
/// listed was not written by any stage and reads (0, 0, 0, 1).
struct Linkage {
    Linkage() = default;
    /// The lists allocate from `memory`.
    explicit Linkage(std::pmr::memory_resource* memory)
        : inputs(memory),
          outputs(memory),
          patch_inputs(memory),
          patch_outputs(memory),
          record(memory),
          record_before(memory) {}

    std::pmr::vector<LinkedVarying> inputs, outputs;
    std::pmr::vector<LinkedVarying> patch_inputs, patch_outputs;  ///< these use separate locations
    /// Options::records, if the next stage has it, too: the IN registers of that stage.
    std::pmr::vector<RecordSlot> record;
    /// TESS_EVAL with Options::records, if TESS_CTRL has it, too: the OUT registers of that stage.
    std::pmr::vector<RecordSlot> record_before;
    bool before_rasterizer = true;  ///< as Options::before_rasterizer
    bool has_no_primitive = false;  ///< FRAG: the GEOM before it does not write PRIMID
    bool has_one_layer = false;     ///< FRAG: the VERT or TESS_EVAL before it has State::one_layer
    /// TESS_CTRL, TESS_EVAL, GEOM: the stage before does not write it, so that the built-in variable would have no
    /// match (Vulkan, "Interface Matching": only FRAG may have such).
    bool has_no_position = false, has_no_point_size = false;
    /// How many clip and cull distances the stage before writes: both stages must declare as many. CLIPDIST holds the
    /// clip distances first, then the cull distances.
    uint32_t num_clip = 0, num_cull = 0;
};

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

/// Whether FRAG discards what the rasterizer does not clip: the stage before passes it distances.
bool clips_fragments(const tgsi::Program& program, const Options& options);

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

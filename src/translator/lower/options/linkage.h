// Facts about the neighbours of a stage in its pipeline.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "lower/options/options.h"

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

/// The contents of a register.
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
    bool before_rasterizer = true;  ///< replaces Options::before_rasterizer
    bool has_no_primitive = false;  ///< FRAG: the GEOM before it does not write PRIMID
    bool has_one_layer = false;     ///< FRAG: the VERT or TESS_EVAL before it has State::one_layer
    /// TESS_CTRL, TESS_EVAL, GEOM: the stage before does not write it, so that the built-in variable would have no
    /// match (Vulkan, "Interface Matching": only FRAG may have such).
    bool has_no_position = false, has_no_point_size = false;
    /// How many clip and cull distances the stage before writes: both stages must declare as many. CLIPDIST holds the
    /// clip distances first, then the cull distances.
    uint32_t num_clip = 0, num_cull = 0;
};

/// Whether FRAG discards what the rasterizer does not clip: the stage before passes it distances.
bool clips_fragments(const tgsi::Program& program, const Options& options);

}  // namespace tgsi2spv::lower

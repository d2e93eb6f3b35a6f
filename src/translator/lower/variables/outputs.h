// The variables of the outputs.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "lower/variables/distances.h"

namespace tgsi2spv::lower {

/// The part of a register that transform feedback captures in its own variable: components first .. first + count − 1.
struct StreamPart {
    uint32_t reg = 0;
    uint32_t variable = 0;
    uint8_t first = 0, count = 0;
};

/// The variables of the outputs, TESS_CTRL's too; kNoIndex: none.
struct Outputs {
    explicit Outputs(std::pmr::memory_resource* memory)
        : written(memory),
          variables(memory),
          earlier(memory),
          joined(memory),
          hidden(memory),
          order(memory),
          stored(memory),
          parts(memory) {}

    /// The OUT registers that some path writes, in rising order. Each exit and each EMIT goes through these: the plan
    /// bounds exits times them, but not exits times declared registers.
    std::pmr::vector<uint32_t> written;
    std::pmr::vector<uint32_t> variables;  ///< the variable of each OUT register
    std::pmr::vector<uint32_t> earlier;    ///< an OUT register with the same variable that is declared before it
    std::pmr::vector<uint8_t> joined;      ///< 1: an OUT register that is declared after it stores its value
    std::pmr::vector<uint8_t> hidden;      ///< the components that OUT registers declared after it write
    std::pmr::vector<uint32_t> order;      ///< scratch of join_outputs()
    std::pmr::vector<uint8_t> stored;      ///< TESS_CTRL, by OUT register: the components that the text writes
    std::pmr::vector<StreamPart> parts;
    Distances distances;
    uint32_t depth = kNoIndex;  ///< State::clamp_depth: z for FRAG; in FRAG FragDepth, if the text does not write it
    uint32_t second_color = kNoIndex;  ///< State::blend: the register of COLOR[1], which has no variable
    uint32_t point_size = kNoIndex,
             sample_mask = kNoIndex;                  ///< outputs that Vulkan or the state needs and the text lacks
    std::array<uint32_t, kMaxTargets> all_targets{};  ///< FS_COLOR0_WRITES_ALL_CBUFS: copies of COLOR
    std::array<uint32_t, 4> emit_functions{};         ///< GEOM, by stream: Plan::emit_functions
};

/// Options::state: its additions to the text (state_context.h).
struct StateVariables {
    uint32_t buffer = kNoIndex;                      ///< the constant buffer Options::state_buffer
    uint32_t back_colors[2] = {kNoIndex, kNoIndex};  ///< FRAG, two_sided: BCOLOR
    // The last stage before rasterization, clip_planes.
    uint32_t target = kNoIndex;       ///< FRAG: the input attachment of State::blend
    uint32_t clip_source = kNoIndex;  ///< the OUT register that is tested against the planes
    uint32_t num_planes = 0;
};

/// The stream that takes a component of an output: GEOM may declare one.
uint8_t stream_of_component(const Declared& declared, uint32_t component);
/// Reads OUT[i]; components that it does not write come from registers with the same variable declared before it.
void read_output(Context& context, uint32_t i, Ref* refs);

/// How many vertices the invocation has emitted; Plan::counts_vertices.
ir::Value emitted_vertices(Context& context);

}  // namespace tgsi2spv::lower

// The variables of the inputs and system values, and loads from those that are Vulkan's own.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "lower/variables/distances.h"

namespace tgsi2spv::lower {

/// The variables of the inputs and system values; kNoIndex: none.
struct Inputs {
    explicit Inputs(std::pmr::memory_resource* memory) : variables(memory), system_slots(memory), fog(memory) {}

    ir::Array<uint32_t> variables;                    ///< by IN register
    std::pmr::vector<uint32_t> system_slots;          ///< by SV register: its slot of the input buffer (io=buffers)
    std::pmr::vector<uint32_t> fog;                   ///< io=buffers: the declarations of FOG, if fog_is_scalar()
    std::array<uint32_t, 64> builtins{};              ///< by ir::BuiltIn: variable + 1
    Distances distances;                              ///< FRAG; with IN[v][i], of every vertex
    uint32_t helper = kNoIndex;                       ///< HELPER_INVOCATION, for subroutines
    uint32_t depth = kNoIndex, own_depth = kNoIndex;  ///< State::clamp_depth: z, and the depth that FRAG makes of it
    std::array<uint32_t, 3> passed_flat{};            ///< FRAG: PRIMID, LAYER and VIEWPORT_INDEX as varyings
    std::array<uint32_t, 8> attachments{};            ///< FBFETCH: by colour
};

/// The builtin input's variable, made on first use. `length`: of an array; 0: it is none.
uint32_t builtin_input(Walk& walk, ir::BuiltIn builtin, ir::Type type, uint32_t length = 0);
/// Loads it; not for stages that are compute shaders (load_builtin).
ir::Value load_builtin_input(Walk& walk, ir::BuiltIn builtin, ir::Type type);
/// FRAG: the colour at this pixel, and at this sample of a multisampled target, from the input attachment with its
/// number. `variable`: kNoIndex, or that of an earlier read.
ir::Value read_attachment(Walk& walk, uint32_t color, bool multisampled, uint32_t& variable);
/// Options::io_buffers: word `word` of the parameters.
ir::Value load_io_parameter(Walk& walk, uint32_t word);

}  // namespace tgsi2spv::lower

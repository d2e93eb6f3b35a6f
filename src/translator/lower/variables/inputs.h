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

    std::pmr::vector<uint32_t> variables;             ///< the variable of each IN register
    std::pmr::vector<uint32_t> system_slots;          ///< io=buffers: the slot in the input buffer of each SV register
    std::pmr::vector<uint32_t> fog;                   ///< io=buffers: the declarations of FOG, if fog_is_scalar()
    std::array<uint32_t, 64> builtins{};              ///< the variable + 1 of each ir::BuiltIn
    Distances distances;                              ///< FRAG; with IN[v][i], of every vertex
    uint32_t helper = kNoIndex;                       ///< HELPER_INVOCATION, for subroutines
    uint32_t depth = kNoIndex, own_depth = kNoIndex;  ///< State::clamp_depth: z, and the depth that FRAG makes of it
    std::array<uint32_t, 3> passed_flat{};            ///< FRAG: PRIMID, LAYER and VIEWPORT_INDEX as varyings
    std::array<uint32_t, 8> attachments{};            ///< FBFETCH: by colour
};

/// Options::io_buffers: the buffers that replace the stage interface, and this lane's place in them (io_buffers.h).
struct IoBuffers {
    /// Inputs, outputs, parameters; with Options::records, the numbers of vertices, or TESS_EVAL's points.
    uint32_t variables[4] = {kNoIndex, kNoIndex, kNoIndex, kNoIndex};
    uint32_t levels = kNoIndex;  ///< TESS_CTRL: the outer levels that discard its patches
    uint32_t input_slots = 0;    ///< input slots of a lane
    uint32_t output_slots = 0;   ///< output slots of a record
    tgsi::FileSet uneven = 0;    ///< an index must not reach every declared register, or not in every component
    // For the open function.
    ir::Value inside = ir::kNone;       ///< bool: the lane is one of the case's; kNone: every lane is
    ir::Value lane = ir::kNone;         ///< its number
    ir::Value input_base = ir::kNone;   ///< the first word of its inputs
    ir::Value output_base = ir::kNone;  ///< the first word of its outputs: GEOM, TESS_CTRL
    // Options::records (records.h), for the open function of a compute shader.
    ir::Value vertex = ir::kNone, instance = ir::kNone;  ///< values in place of the builtins
    ir::Value primitive = ir::kNone, invocation = ir::kNone;
    ir::Value first_vertex = ir::kNone;  ///< number of the primitive's first vertex
    ir::Value first_record = ir::kNone;  ///< the first record of its instance; TESS_EVAL: the first word of its patch
    /// VERT: where its attributes are; GEOM: the first words of the records of its vertices.
    std::array<ir::Value, 32> places{};
};

/// The builtin input's variable, made on first use. `length`: of an array; 0: it is none.
uint32_t builtin_input(Context& context, ir::BuiltIn builtin, ir::Type type, uint32_t length = 0);
/// Loads it; not for stages that are compute shaders (load_builtin).
ir::Value load_builtin_input(Context& context, ir::BuiltIn builtin, ir::Type type);
/// FRAG: the colour at this pixel, and at this sample of a multisampled target, from the input attachment with its
/// number. `variable`: kNoIndex, or that of an earlier read.
ir::Value read_attachment(Context& context, uint32_t color, bool multisampled, uint32_t& variable);
/// Options::io_buffers: word `word` of the parameters.
ir::Value load_io_parameter(Context& context, uint32_t word);

}  // namespace tgsi2spv::lower

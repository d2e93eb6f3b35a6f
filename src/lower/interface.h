// What the files of the stage interface share: how a register is declared, and the variables made from that.
#pragma once

#include <array>
#include <memory_resource>
#include <string_view>

#include "lower/locations.h"
#include "lower/walk.h"

namespace tgsi2spv::lower {

/// What a register is declared as.
struct Declared {
    tgsi::Semantic semantic = tgsi::Semantic::None;
    uint32_t index = 0;
    const tgsi::Declaration* declaration = nullptr;
};

Declared declared_as(const Walk& w, tgsi::File file, int32_t index);
/// `GENERIC[9]`
ir::Name display_name(const Declared& d);
/// `CONST[2]`: the name of most variables.
ir::Name indexed(std::string_view word, uint32_t index);
uint32_t position_of(const Declared& d);
/// The stream that takes a component of an output: GEOM may declare one.
uint8_t stream_of_component(const Declared& d, uint32_t component);
/// Adds an error that names the semantic, and returns false.
[[gnu::cold]] bool refuse_semantic(Walk& w, const Declared& d, std::string_view use);

/// The varyings of one shader, and which of them took which location.
struct Locations {
    explicit Locations(std::pmr::memory_resource* memory) : linked(memory) {}

    struct Taken {  // all zeros: taken by nobody
        tgsi::Semantic semantic{};
        uint32_t index = 0;
        uint32_t behind = 0;  ///< the variable + 1
        uint32_t variable() const { return behind - 1; }
    };
    std::array<Taken, kLocations> taken{}, patch{};  ///< PATCH data has locations of its own
    std::pmr::vector<Taken> linked;                  ///< with Options::linkage: used instead
};

/// The variable of a varying or of PATCH data, made on first use. kNoIndex after a refusal, and also if linkage says
/// that the neighbour does not have it (Walk::ok tells the two apart). `vertices` is the length of the array over
/// vertices, or 0 if there is none.
uint32_t varying(Walk& w, Locations& locations, const Declared& d, ir::VariableKind kind, uint32_t vertices = 0);

/// The variable of a builtin output (or of a vertex's input, which has one more array level).
ir::Variable builtin_variable(const Walk& w, const Declared& d, ir::VariableKind kind, ir::BuiltIn builtin,
                              ir::Type type);

/// Counts the clip and cull distances in the registers with these masks: from the properties (`by_property`), otherwise
/// up to the last component in use. False after a refusal.
bool count_distances(Walk& w, tgsi::File file, std::span<const uint8_t> masks, bool by_property, uint32_t& clip,
                     uint32_t& cull);
/// The number of the distance in component 0 of a CLIPDIST or CULLDIST register; clip distances come first, then cull
/// distances (semantics: System values).
inline uint32_t first_distance(const Declared& d, uint32_t num_clip) {
    return 4 * d.index + (d.semantic == tgsi::Semantic::CullDist ? num_clip : 0);
}

/// Whether outputs with this semantic are varyings or PATCH data of this stage.
bool is_varying(const Walk& w, const Declared& d);
/// The value of an input that no earlier stage writes: (0, 0, 0, 1).
void read_unwritten(Walk& w, Ref* out);

// ---- outputs.cpp
bool prepare_outputs(Walk& w);
/// Stores OUT registers to the output variables of one stream.
void store_registers(Walk& w, uint32_t stream);

// ---- stream_output.cpp
bool prepare_stream_outputs(Walk& w);

// ---- vertices.cpp
/// Variables of IN[v][i].
bool prepare_vertex_inputs(Walk& w, Locations& locations);
/// Variables of TESS_CTRL's OUT[v][i] and OUT[i].
bool prepare_patch_outputs(Walk& w);

}  // namespace tgsi2spv::lower

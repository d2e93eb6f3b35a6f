// What the files of the stage interface share: how a register is declared, and the variables that follow from it.
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
/// The stream that takes a component of an output: of GEOM, where the declaration says so.
uint8_t stream_of_component(const Declared& d, uint32_t component);
/// Adds an error that names the semantic; false.
[[gnu::cold]] bool refuse_semantic(Walk& w, const Declared& d, std::string_view use);

/// The varyings of one shader and who took which location.
struct Locations {
    explicit Locations(std::pmr::memory_resource* memory) : linked(memory) {}

    struct Taken {  // all zeros: by nobody
        tgsi::Semantic semantic{};
        uint32_t index = 0;
        uint32_t behind = 0;  ///< the variable + 1
        uint32_t variable() const { return behind - 1; }
    };
    std::array<Taken, kLocations> taken{}, patch{};  ///< PATCH data has locations of its own
    std::pmr::vector<Taken> linked;                  ///< with Options::linkage, in their place
};

/// The variable of a varying or of PATCH data, made when first asked for; kNoIndex after a refusal, and where linkage
/// says that the neighbour does not know it (Walk::ok tells which). `vertices` is the length of an array over vertices,
/// 0 for none.
uint32_t varying(Walk& w, Locations& locations, const Declared& d, ir::VariableKind kind, uint32_t vertices = 0);

/// The variable of a builtin output (or of a vertex's input, which has an array level more).
ir::Variable builtin_variable(const Walk& w, const Declared& d, ir::VariableKind kind, ir::BuiltIn builtin,
                              ir::Type type);

/// How many clip and cull distances the registers with these masks hold: by the properties (`by_property`), else up
/// to the last component in use. False after a refusal.
bool count_distances(Walk& w, tgsi::File file, std::span<const uint8_t> masks, bool by_property, uint32_t& clip,
                     uint32_t& cull);
/// Where component 0 of a CLIPDIST or CULLDIST register stands: the number of the distance, clip then cull
/// (semantics: System values).
inline uint32_t first_distance(const Declared& d, uint32_t num_clip) {
    return 4 * d.index + (d.semantic == tgsi::Semantic::CullDist ? num_clip : 0);
}

/// Whether outputs of that meaning are varyings or PATCH data of this stage.
bool is_varying(const Walk& w, const Declared& d);
/// What an input reads that no stage before writes: (0, 0, 0, 1).
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

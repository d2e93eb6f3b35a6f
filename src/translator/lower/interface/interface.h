// The stage interface: how a register is declared, the variables made from that, and the loads and stores of a
// function.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lower/interface/locations.h"
#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// The declaration of a register.
struct Declared {
    tgsi::Semantic semantic = tgsi::Semantic::None;
    uint32_t index = 0;
    const tgsi::Declaration* declaration = nullptr;
};

Declared declared_as(const tgsi::Program& program, const tgsi::Registers& registers, tgsi::File file, int32_t index);
Declared declared_as(const Walk& walk, tgsi::File file, int32_t index);
/// Whether FRAG reads FOG as (F, 0, 0, 1), as in the older dialects; else it is an ordinary vec4 (semantics: System
/// values).
bool fog_is_scalar(const Walk& walk);
/// `GENERIC[9]`
ir::Name display_name(const Declared& declared);
uint32_t position_of(const Declared& declared);
/// Adds an error that names the semantic, and returns false.
[[gnu::cold]] bool refuse_semantic(Walk& walk, const Declared& declared, std::string_view use);

/// The varyings of one shader, and which of them took which location.
struct Locations {
    explicit Locations(std::pmr::memory_resource* memory) : linked(memory) {}

    struct Taken {  // all zeros: free
        tgsi::Semantic semantic{};
        uint32_t index = 0;
        uint32_t behind = 0;  ///< the variable + 1
        uint32_t variable() const { return behind - 1; }
    };
    std::array<Taken, kLocations> taken{}, patch{};  ///< PATCH data has locations of its own
    std::pmr::vector<Taken> linked;                  ///< with Options::linkage: used instead
    std::optional<bool> passes_clip_vertex;          ///< whether CLIPVERTEX has its location for itself
};

/// The variable of a varying or of PATCH data, made on first use. kNoIndex after a refusal, and also if linkage says
/// that the neighbour does not have it (Walk::ok tells the two apart). `vertices` is the length of the array over
/// vertices, or 0 if there is none.
uint32_t varying(Walk& walk, Locations& locations, const Declared& declared, ir::VariableKind kind,
                 uint32_t vertices = 0);

/// The variable of a builtin output (or of a vertex's input, which has one more array level).
ir::Variable builtin_variable(const Walk& walk, const Declared& declared, ir::VariableKind kind, ir::BuiltIn builtin,
                              ir::Type type);

/// Clip and cull distances, of all registers of a file together: how many, and their variables.
struct Distances {
    uint32_t num_clip = 0, num_cull = 0;
    uint32_t clip = kNoIndex, cull = kNoIndex;
    std::array<uint32_t, 2> passed{kNoIndex, kNoIndex};  ///< varyings in place of `clip`: four distances in each
};
struct DistanceCount {
    uint32_t clip = 0, cull = 0;
    Declared last;  ///< a register with distances; without a declaration if there is none. An index above 1 is an error
};
/// Counts the distances in the registers with these masks: from the properties (`by_property`), otherwise up to the
/// last component in use of each semantic.
DistanceCount count_distances(const tgsi::Program& program, const tgsi::Registers& registers, tgsi::File file,
                              std::span<const uint8_t> masks, bool by_property);
/// The same for the shader at hand; inputs are as many as the linkage says. False after a refusal.
bool count_distances(Walk& walk, tgsi::File file, std::span<const uint8_t> masks, bool by_property,
                     Distances& distances);
/// Whether the semantic is a distance that goes to or comes from a neighbour as a varying (distances.cpp).
bool are_varyings(const Walk& walk, tgsi::Semantic semantic, tgsi::File file);
/// Makes Distances::passed if the linkage has them: of the last stage before the rasterizer, and of FRAG.
void prepare_passed_distances(Walk& walk, tgsi::File file, Distances& distances);
/// FRAG reads clip and cull distances: its registers determine the length of the arrays.
ir::Value load_distance(Walk& walk, uint32_t number);
/// Stores to `clip` or `passed` of the outputs.
void store_clip_distance(Walk& walk, uint32_t number, ir::Value value);
/// At the start of FRAG, if clips_fragments().
void clip_fragment(Walk& walk);
/// The number of the distance in component 0 of a CLIPDIST or CULLDIST register; clip distances come first, then cull
/// distances (semantics: System values).
inline uint32_t first_distance(const Declared& declared, uint32_t num_clip) {
    return 4 * declared.index + (declared.semantic == tgsi::Semantic::CullDist ? num_clip : 0);
}

/// Whether outputs with this semantic are varyings or PATCH data of this stage.
bool is_varying(const Walk& walk, const Declared& declared, tgsi::File file);
/// Whether an EDGEFLAG or CLIPVERTEX that is written goes to the next stage. Among stages that are not linked, an
/// EDGEFLAG is reported (semantics: accepted, reported, no effect), and so is a CLIPVERTEX whose location a GENERIC
/// takes: most pipelines have no stage that would read it.
bool is_passed_on(Walk& walk, Locations& locations, const Declared& declared);
/// The value of an input that no earlier stage writes: (0, 0, 0, 1).
void read_unwritten(Walk& walk, Ref* out);

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

/// Makes the interface variables; false if one of them has no place.
bool prepare_interface(Walk& walk);
/// At the start of each function: loads the inputs and system values that it reads.
void load_interface(Walk& walk, const FunctionPlan& plan);
/// At an exit of main.
void store_outputs(Walk& walk);

}  // namespace tgsi2spv::lower

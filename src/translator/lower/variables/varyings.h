// Varyings and PATCH data: their locations and variables.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "lower/variables/declared.h"
#include "lower/variables/locations.h"

namespace tgsi2spv::lower {

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
    std::pmr::vector<Taken> linked;                  ///< replacement of `taken` with Options::linkage
    std::optional<bool> passes_clip_vertex;          ///< CLIPVERTEX has its location for itself
};

/// The variable of a varying or of PATCH data, made on first use. kNoIndex after a refusal, and also if linkage says
/// that the neighbour does not have it (Context::ok tells the two apart). `vertices` is the length of the array over
/// vertices, or 0 if there is none.
uint32_t varying(Context& context, Locations& locations, const Declared& declared, ir::VariableKind kind,
                 uint32_t vertices = 0);

/// The variable of a builtin output (or of a vertex's input, which has one more array level).
ir::Variable builtin_variable(const Context& context, const Declared& declared, ir::VariableKind kind,
                              ir::BuiltIn builtin, ir::Type type);

/// Whether outputs with this semantic are varyings or PATCH data of this stage.
bool is_varying(const Context& context, const Declared& declared, tgsi::File file);
/// Whether an EDGEFLAG or CLIPVERTEX that is written goes to the next stage. Among stages that are not linked, an
/// EDGEFLAG is reported (semantics: accepted, reported, no effect), and so is a CLIPVERTEX whose location a GENERIC
/// takes: most pipelines have no stage that would read it.
bool is_passed_on(Context& context, Locations& locations, const Declared& declared);
/// The value of an input that no earlier stage writes: (0, 0, 0, 1).
void read_unwritten(Context& context, Ref* out);

}  // namespace tgsi2spv::lower

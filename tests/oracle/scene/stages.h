// The stages before rasterization, executed by the reference: vertices become primitives.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "reference/case/inputs.h"
#include "reference/case/options.h"
#include "reference/case/result.h"
#include "scene/scene.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::scene {

struct Parsed {
    const Shader* shader = nullptr;  ///< its scene outlives this
    tgsi::Program program;
    tgsi::Registers registers;
    std::map<int32_t, uint8_t> written = {};  ///< once it has run: reference::Result::written
};
/// The error is rendered as tgsi2spv shows it.
tl::expected<Parsed, std::string> parse(const Shader& shader);

/// The register of a file that carries a semantic; -1 if there is none.
int32_t find(const Parsed& parsed, tgsi::File file, tgsi::Semantic semantic, uint32_t index);
/// Whether FRAG reads the input's value at the provoking vertex, the first. Semantics, Machine: "A missing
/// interpolation on a FRAG input is CONSTANT".
inline bool is_flat(const Scene& scene, const tgsi::Declaration& declaration) {
    return declaration.interpolation == tgsi::Interpolation::Constant ||
           declaration.interpolation == tgsi::Interpolation::Unwritten ||
           (declaration.interpolation == tgsi::Interpolation::Color && scene.fixed.flat_shade);
}

/// OUT registers of the last stage before rasterization.
using Vertex = std::map<int32_t, reference::Vec4>;

struct Primitive {
    std::vector<Vertex> vertices;  ///< one, two or three; the first is the provoking one
    uint32_t number = 0;           ///< PRIM_ID
};

struct Assembled {
    Parsed last;  ///< the stage that wrote the vertices
    std::vector<Primitive> primitives;
};

/// How many vertices the primitives have that reach the rasterizer: 1, 2 or 3.
uint32_t drawn_vertices(const Scene& scene);

/// Textures, samplers and constants of a stage, in the form that the reference takes.
reference::Inputs resources(const State& state, const Shader& shader, const Parsed& parsed);
/// The reference's assumptions about the device that draws.
reference::Options reference_options(const Scene& scene);

/// Executes a shader. The error has its place in the text.
tl::expected<reference::Result, std::string> execute(const Scene& scene, const Parsed& parsed,
                                                     const reference::Inputs& inputs);

tl::expected<Assembled, std::string> assemble(const Scene& scene, const State& state);

}  // namespace tgsi2spv::scene

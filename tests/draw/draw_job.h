// Converts and draws a scene, as an emulation layer does for a draw: with the library's public header alone.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "harness/job.h"
#include "scene/scene.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace drawing {

/// One stage's module.
struct DrawModule {
    tgsi2spv::scene::Shader shader;  ///< its resources: the scene's, or nothing for a shader that was added
    tgsi2spv::Module module;
};

/// CONST[31]: the buffer that tgsi2spv_state::constant_buffer describes.
inline constexpr uint32_t kStateBuffer = 31;

// ---- draw_state.cpp: gallium's state as the library's structs
tgsi2spv_state prepared_state(const tgsi2spv::scene::Scene& scene);
std::vector<tgsi2spv::harness::SpecValue> spec_values(const tgsi2spv::scene::Scene& scene,
                                                      const tgsi2spv::scene::State& state);
/// Scene::neutral, with every specialization constant at its default; depth alone has a default that changes it.
std::vector<tgsi2spv::harness::SpecValue> neutral_values(const tgsi2spv::scene::Scene& scene);
/// `constants` are the values that are data if the scene says so.
std::vector<uint32_t> state_words(const tgsi2spv::scene::Scene& scene,
                                  const std::vector<tgsi2spv::harness::SpecValue>& constants);

// ---- draw_convert.cpp
/// Converts and links the shaders, in the order of the pipeline. Adds a TESS_CTRL for a TESS_EVAL without one.
tl::expected<std::vector<DrawModule>, std::string> convert_scene(const tgsi2spv::scene::Scene& scene);

// ---- draw_job.cpp
/// Draws with `constants` chosen; none: every specialization constant keeps its default. Returns RGBA, one byte each,
/// row by row from the top.
tgsi2spv::vulkan::Expected<std::vector<uint8_t>> draw_scene(tgsi2spv::harness::Device& device,
                                                            const tgsi2spv::scene::Scene& scene,
                                                            const std::vector<DrawModule>& modules,
                                                            std::vector<tgsi2spv::harness::SpecValue> constants);

}  // namespace drawing

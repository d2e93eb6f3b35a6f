// A scene converted and drawn: what an emulation layer does with a draw (tgsi-draw).
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "lower/state.h"
#include "scene/scene.h"
#include "spirv/reflect.h"
#include "vulkan/job.h"

namespace tools {

/// One stage's module.
struct DrawModule {
    tgsi2spv::scene::Shader shader;  ///< what it was made of: the scene's, or one that an application may leave out
    std::vector<uint32_t> words;
    tgsi2spv::spirv::Reflection reflection;
    uint32_t state_buffer = 0;  ///< the constant buffer of lower::state_buffer
};

// ---- draw_state.cpp: gallium's state as the translator has it
tgsi2spv::lower::State made_ready(const tgsi2spv::scene::Scene& scene);
std::vector<tgsi2spv::vulkan::SpecValue> chosen(const tgsi2spv::scene::Scene& scene,
                                                const tgsi2spv::scene::State& state);
std::vector<uint32_t> state_words(const tgsi2spv::scene::Scene& scene);

/// Converts and links the shaders, in the order of the pipeline. TESS_EVAL without TESS_CTRL gets one, and
/// what Vulkan has no state for a GEOM.
tl::expected<std::vector<DrawModule>, std::string> convert_scene(const tgsi2spv::scene::Scene& scene);

/// Draws with `constants` chosen: none, and every specialization constant is as it comes. RGBA, a byte each, row by row
/// from the top.
tgsi2spv::vulkan::Expected<std::vector<uint8_t>> draw_scene(tgsi2spv::vulkan::Device& device,
                                                            const tgsi2spv::scene::Scene& scene,
                                                            const std::vector<DrawModule>& modules,
                                                            const std::vector<tgsi2spv::vulkan::SpecValue>& constants);

}  // namespace tools

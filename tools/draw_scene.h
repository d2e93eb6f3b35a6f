// A draw as JSON: shaders, what they read, and the state that gallium bakes into shader keys (tgsi-draw).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "lower/state.h"
#include "tgsi/types.h"
#include "vulkan/job.h"

namespace tools {

struct SceneTexture {
    uint32_t width = 1, height = 1;
    std::vector<float> rgba{1, 1, 1, 1};  ///< texels row by row, from the top
    bool linear = false, clamp = false;
};

struct SceneShader {
    tgsi2spv::tgsi::Stage stage{};
    std::string text;
    std::map<uint32_t, std::vector<float>> constants;  ///< by buffer
    std::map<uint32_t, SceneTexture> textures;         ///< by SAMP or SVIEW
};

struct Scene {
    uint32_t width = 64, height = 64;
    std::array<float, 4> clear{0, 0, 0, 1};
    VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    std::vector<SceneShader> shaders;                    ///< in the order of the pipeline
    std::vector<std::vector<float>> attributes;          ///< by IN register, four floats a vertex
    tgsi2spv::lower::State state;                        ///< what the modules are made ready for
    std::vector<tgsi2spv::vulkan::SpecValue> constants;  ///< and what is chosen
    std::vector<uint32_t> state_words;                   ///< lower::state_buffer
    uint32_t vertices() const { return attributes.empty() ? 3 : static_cast<uint32_t>(attributes[0].size() / 4); }
};

/// Reads a scene; shaders that are named stand beside it, in `folder`.
tl::expected<Scene, std::string> read_scene(const std::string& json, const std::string& folder);

/// Converts, links and draws. RGBA, a byte each, row by row from the top. `with_state` false: the same modules, with
/// every specialization constant as it comes.
tl::expected<std::vector<uint8_t>, std::string> draw_scene(tgsi2spv::vulkan::Device& device, const Scene& scene,
                                                           bool with_state);

}  // namespace tools

// Scenes as JSON (tests/draw/scenes/README.md describes the words).
#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "scene/scene.h"

namespace tgsi2spv::scene {

/// Returns the text of a shader that a scene names; an error is one sentence.
using ReadShader = std::function<tl::expected<std::string, std::string>(const std::string& name)>;

/// `without`: the scene is changed by its own patch "without" (RFC 7396), for scenes that show something that is not a
/// specialization constant.
tl::expected<Scene, std::string> read_scene(const std::string& json, const ReadShader& read_shader,
                                            bool without = false);

}  // namespace tgsi2spv::scene

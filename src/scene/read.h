// Scenes as JSON (shaders/scenes/README.md has the words).
#pragma once

#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "scene/scene.h"

namespace tgsi2spv::scene {

/// The text of a shader that a scene names; an error is one sentence.
using ReadShader = std::function<tl::expected<std::string, std::string>(const std::string& name)>;

/// `without`: changed by the patch that the scene has as "without" (RFC 7396), where what it shows is no specialization
/// constant.
tl::expected<Scene, std::string> read_scene(const std::string& json, const ReadShader& read_shader,
                                            bool without = false);

}  // namespace tgsi2spv::scene

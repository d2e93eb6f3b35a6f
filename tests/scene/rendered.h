// A scene as JSON, as the reference paints it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "scene/read.h"
#include "scene/render.h"

namespace tgsi2spv::scene {

/// Returns an empty picture, and fails the test, if there is no scene or no picture of it.
inline Picture rendered(const std::string& json) {
    const auto scene =
        read_scene(json, [](const std::string&) -> tl::expected<std::string, std::string> { return std::string(); });
    EXPECT_TRUE(scene) << scene.error();
    if (!scene) return {};
    auto picture = render(*scene, scene->state);
    EXPECT_TRUE(picture) << picture.error();
    return picture ? std::move(*picture) : Picture{};
}

}  // namespace tgsi2spv::scene

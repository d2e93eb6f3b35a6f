// Scenes that are refused, each naming the wrong field.
#include "scene/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "mistakes.h"

namespace tgsi2spv::scene {
namespace {

tl::expected<std::string, std::string> no_file(const std::string& name) {
    return tl::unexpected<std::string>("there is no " + name);
}

TEST(ReadScene, RefusesInvalidScenes) {
    auto mistakes = test::read_mistakes("tests/scene/mistakes.txt");
    EXPECT_GT(mistakes.size(), 40u);
    mistakes.emplace_back("{\"height\": " + std::string(200, '9') + "}",
                          "height: expected an integer from 1 to 4096, found 1e+200");
    mistakes.emplace_back("{\"clear\": " + std::string(100'000, '['), "arrays and objects are nested deeper than 64");
    for (const auto& [text, message] : mistakes) {
        const auto scene = read_scene(text, no_file);
        ASSERT_FALSE(scene) << text.substr(0, 80);
        EXPECT_THAT(scene.error(), testing::HasSubstr(message));
        EXPECT_THAT(scene.error(), testing::Not(testing::HasSubstr("json.exception")));
    }
}

TEST(ReadScene, NamesUnknownMembersOfWithout) {
    const std::string text = R"({"shaders": {}, "without": {"state": {"flat_shader": false}}})";
    EXPECT_TRUE(read_scene(text, no_file));
    const auto scene = read_scene(text, no_file, true);
    ASSERT_FALSE(scene);
    EXPECT_EQ(scene.error(), "state: unknown member \"flat_shader\"; did you mean \"flat_shade\"?");
}

}  // namespace
}  // namespace tgsi2spv::scene

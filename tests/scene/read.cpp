// Scenes that are refused: each with the field that is wrong.
#include "scene/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tgsi2spv::scene {
namespace {

tl::expected<std::string, std::string> no_file(const std::string& name) {
    return tl::unexpected<std::string>("there is no " + name);
}

TEST(ReadScene, RefusesWhatIsNoScene) {
    const std::string huge(200, '9');
    const std::pair<std::string, const char*> kCases[] = {
        {"{", "parse error"},
        {R"({"height": )" + huge + "}", "height: expected an integer that fits, found 1e+200"},
        {R"({"height": 64.5})", "height: expected an integer that fits, found 64.5"},
        {R"({"height": -1})", "height: expected an integer that fits, found -1"},
        {R"({"height": 4294967360})", "height: expected an integer that fits, found 4294967360"},
        {R"({"width": 5000})", "width and height are from 1 to 4096"},
        {R"({"patch_vertices": 33})", "patch_vertices: 1 to 32"},
        {R"({"state": {"sample_mask": true}})", "sample_mask: expected an integer that fits, found true"},
        {R"({"state": {"alpha_test": {"func": -4, "ref": 0}}})", "alpha_test.func: expected an integer that fits"},
        {R"({"shaders": {"VERT": "a.tgsi"}})", "there is no a.tgsi"},
        {R"({"shaders": {"VERT": "VERT\nEND\n"}, "textures": {"VERT": {"0": {"width": 4097, "height": 1}}}})",
         "a texture has 4096 texels a side at most"},
        {R"({"shaders": {}, "vertices": [[0, 0, 0, 1]], "indices": [1.5]})", "indices: expected an integer that fits"},
        {R"({"clear": )" + std::string(100'000, '['), "arrays and objects nest deeper than 64"},
    };
    for (const auto& [text, message] : kCases) {
        const auto scene = read_scene(text, no_file);
        ASSERT_FALSE(scene) << text.substr(0, 80);
        EXPECT_THAT(scene.error(), testing::HasSubstr(message));
    }
}

}  // namespace
}  // namespace tgsi2spv::scene

// Scenes that are refused, each naming the wrong field.
#include "scene/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tgsi2spv::scene {
namespace {

tl::expected<std::string, std::string> no_file(const std::string& name) {
    return tl::unexpected<std::string>("there is no " + name);
}

TEST(ReadScene, RefusesInvalidScenes) {
    const std::string huge(200, '9');
    const std::pair<std::string, const char*> kCases[] = {
        {"{", "not valid JSON: parse error at line 1, column 2"},
        {"[]", "expected an object, found an array"},
        {R"({"width": 8, "height": 8, "width": 8})", "an object has two members \"width\""},
        {R"({"height": )" + huge + "}", "height: expected an integer from 1 to 4096, found 1e+200"},
        {R"({"height": 64.5})", "height: expected an integer from 1 to 4096, found 64.5"},
        {R"({"height": -1})", "height: expected an integer from 1 to 4096, found -1"},
        {R"({"height": 18446744073709551615})", "height: expected an integer from 1 to 4096, found 184467"},
        {R"({"width": 5000})", "width: expected an integer from 1 to 4096, found 5000"},
        {R"({"clear": [0, 0, 0]})", "clear: expected four numbers"},
        {R"({"clear": [0, 0, -300, 0], "state": {"target": "sint"}})", "clear: expected 8-bit integers"},
        {R"({"patch_vertices": 33})", "patch_vertices: expected an integer from 1 to 32, found 33"},
        {R"({"topology": "quads"})", "topology: expected one of points, lines, "},
        {R"({"state": {"sample_mask": true}})",
         "state.sample_mask: expected an integer from 0 to 4294967295, found true"},
        {R"({"state": {"alpha_test": {"func": -4, "ref": 0}}})",
         "state.alpha_test.func: expected an integer from 0 to 7"},
        {R"({"state": {"alpha_test": {"func": 4}}})", "state.alpha_test: \"ref\" is missing"},
        {R"({"state": {"polygon_stipple": ["ff", "zz"]}})",
         "state.polygon_stipple[1]: expected a string of 1 to 8 hex"},
        {R"({"state": {"clip_planes": [1, 2, 3]}})",
         "state.clip_planes: expected four numbers for each of 1 to 8 planes"},
        {R"({"state": {"clip_planes": [[1, 0, 0, 0]], "clip_enable": 3}})",
         "state.clip_planes: \"clip_planes\" and \"clip_enable\" exclude each other"},
        {R"({"state": {"point_size": 0}})", "state.point_size: must be above 0"},
        {R"({"state": {"point_size_per_vertex": true}})", "state.point_size_per_vertex: needs \"point_size\""},
        {R"({"state": {"attributes": {"99": "uint"}}})",
         "state.attributes: expected a number from 0 to 31 as the name, found \"99\""},
        {R"({"state": {"attributes": {"4294967296": "uint"}}})",
         "state.attributes: expected a number from 0 to 31 as the name, found \"4294967296\""},
        {R"({"state": {"attributes": {"1x": "uint"}}})",
         "state.attributes: expected a number from 0 to 31 as the name, found \"1x\""},
        {R"({"state": {"attributes": {"x": "uint"}}})",
         "state.attributes: expected a number from 0 to 31 as the name, found \"x\""},
        {R"({"state": {"attributes": {"01": "uint"}}})",
         "state.attributes: expected a number from 0 to 31 as the name, found \"01\""},
        {R"({"state": {"swizzled_views": {"0": "xyz"}}})",
         "state.swizzled_views.0: expected a string of four of 'xyzw01'"},
        {R"({"state": {"target": "uint"}, "blend": {"source": "one", "target": "one"}})",
         "integer targets cannot be blended"},
        {R"({"state": {"flipy": true}})", "state: unknown member \"flipy\"; did you mean \"flip_y\"?"},
        {R"({"widht": 4})", "unknown member \"widht\"; did you mean \"width\"?"},
        {R"({"without": 4})", "without: expected an object, found 4"},
        {R"({"layout": {"bindings": [{"kind": "sampler", "index": 0, "set": 0, "binding": 1, "count": 2}]}})",
         "layout.bindings[0]: unknown member \"count\""},
        {R"({"layout": {"bindings": [{"kind": "constant_buffer", "index": 0, "set": 0, "binding": 5},
                                     {"kind": "combined_image", "index": 0, "set": 0, "binding": 5}]}})",
         "layout.bindings[1]: set 0, binding 5 is already used by layout.bindings[0]"},
        {R"({"layout": {"bindings": [{"kind": "constant_buffer", "index": 0, "set": 0, "binding": 5},
                                     {"kind": "constant_buffer", "index": 0, "set": 0, "binding": 6}]}})",
         "layout.bindings[1]: same resource as layout.bindings[0]"},
        {R"({"layout": {"bindings": [{"kind": "sampler", "index": 0, "set": 0, "binding": 4294967295}]}})",
         "layout.bindings[0].binding: expected an integer from 0 to 65535, found 4294967295"},
        {R"({"layout": {"push_constants": {"x": 0}}})",
         "layout.push_constants: expected a number from 0 to 127 as the name, found \"x\""},
        {R"({})", "\"shaders\" is missing"},
        {R"({"shaders": {"VERTEX": "a.tgsi"}})", "shaders: unknown member \"VERTEX\"; did you mean \"VERT\"?"},
        {R"({"shaders": {"VERT": "a.tgsi"}})", "shaders.VERT: there is no a.tgsi"},
        {R"({"shaders": {"VERT": ["VERT", 3]}})", "shaders.VERT[1]: expected a string, found 3"},
        {R"({"shaders": {"VERT": "VERT\nEND\n"}, "textures": {"VERT": {"0": {"width": 4097, "height": 1}}}})",
         "textures.VERT.0.width: expected an integer from 1 to 4096"},
        {R"({"shaders": {"VERT": "VERT\nEND\n"}, "textures": {"VERT": {"0": {"data": [1]}}}})",
         "textures.VERT.0: expected four numbers for each of 1 x 1 texels, found 1 numbers"},
        {R"({"shaders": {"VERT": "VERT\nEND\n"}, "constants": {"VERT": {"4294967296": [1]}}})",
         "constants.VERT: expected a number from 0 to 127 as the name, found \"4294967296\""},
        {R"({"shaders": {}, "vertices": [[[0, 0, 0, 1], [0, 0, true, 1]]]})",
         "vertices[0][1]: expected a number, found true"},
        {R"({"shaders": {}, "vertices": [[0, 0, 1e300, 1]]})",
         "vertices[0]: expected a number within the range of a 32-bit float"},
        {R"({"shaders": {}, "vertices": [[0, 0, 0, 1]], "indices": []})", "indices: expected at least one index"},
        {R"({"shaders": {}, "vertices": [[0, 0, 0, 1]], "indices": [1.5]})",
         "indices[0]: expected an integer from 0 to 0, found 1.5"},
        {R"({"shaders": {}, "vertices": [[0, 0, 0, 1]], "primitive_restart": true})",
         "primitive_restart: needs a topology of strips or fans"},
        {R"({"clear": )" + std::string(100'000, '['), "arrays and objects are nested deeper than 64"},
    };
    for (const auto& [text, message] : kCases) {
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

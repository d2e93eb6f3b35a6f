// Draws every scene of tests/draw/scenes on every software device, with its state and without, and compares the
// pictures with the reference's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "draw/on_devices.h"
#include "lower/state/spec_constants.h"
#include "places.h"
#include "scene/read.h"
#include "scene/render.h"

namespace tgsi2spv::test {
namespace {

const std::filesystem::path kFolder = test::source_path("tests/draw/scenes");

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

tl::expected<scene::Scene, std::string> read(const std::string& name, bool without = false) {
    const auto shader = [](const std::string& file) {
        return tl::expected<std::string, std::string>(contents(kFolder / file));
    };
    return scene::read_scene(contents(kFolder / (name + ".json")), shader, without);
}

/// Returns the names of the scenes that `takes` accepts, and of unreadable ones, whose tests then report the reason.
template <class Takes>
std::vector<std::string> names(Takes&& takes) {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
        if (entry.path().extension() != ".json") continue;
        const std::string name = entry.path().stem().string();
        const auto scene = read(name);
        if (!scene || takes(*scene)) all.push_back(name);
    }
    std::sort(all.begin(), all.end());
    return all;
}

scene::Scene scene_of(const std::string& name, bool without = false) {
    auto scene = read(name, without);
    EXPECT_TRUE(scene) << scene.error();
    return scene ? std::move(*scene) : scene::Scene{};
}

class Scenes : public testing::TestWithParam<std::string> {
  protected:
    using Modules = std::vector<drawing::DrawModule>;

    static Modules converted(const scene::Scene& scene) {
        auto modules = drawing::convert_scene(scene);
        EXPECT_TRUE(modules) << modules.error();
        return modules ? std::move(*modules) : Modules{};
    }
    /// Renders with the least precision of the available devices.
    scene::Picture painted(scene::Scene scene, const scene::State& state) const {
        if (!vulkans.devices.empty()) scene.precision = {~0u, ~0u};
        for (const auto& device : vulkans.devices) {
            const auto& limits = device->report().limits;
            scene.precision.sub_texel_bits = std::min(scene.precision.sub_texel_bits, limits.subTexelPrecisionBits);
            scene.precision.mipmap_bits = std::min(scene.precision.mipmap_bits, limits.mipmapPrecisionBits);
        }
        auto picture = scene::render(scene, state);
        EXPECT_TRUE(picture) << picture.error();
        return picture ? std::move(*picture) : scene::Picture{};
    }

    /// Compares every pixel on each device that supports the scene; expects at least one such device. The picture must
    /// also differ from `other`, that of the opposite state.
    void expect_drawn(const scene::Scene& scene, const Modules& modules,
                      const std::vector<harness::SpecValue>& constants, const scene::Picture& picture,
                      const scene::Picture& other) {
        draw_on_devices(vulkans, scene, modules, constants, [&](harness::Device&, const std::vector<uint8_t>& rgba) {
            const scene::Verdict verdict = scene::compare(picture, rgba);
            EXPECT_EQ(verdict.wrong, 0u) << verdict.first;
            EXPECT_GE(scene::compare(other, rgba).wrong, kSeen);
            // The reference may leave pixels at edges to the device, but not most of the picture.
            EXPECT_LE(verdict.loose, picture.pixels.size() / 16);
        });
    }

    static constexpr size_t kSeen = 32;  ///< the least number of pixels that a state must change
    Devices vulkans;
};

/// Draws the same modules with the scene's state and without it.
TEST_P(Scenes, AreAsTheReferencePaintsThem) {
    const scene::Scene scene = scene_of(GetParam());
    const auto constants = drawing::spec_values(scene, scene.state);
    const Modules modules = converted(scene);
    if (constants.empty()) {
        EXPECT_TRUE(scene.has_without) << "the scene shows nothing";
        return;
    }
    const scene::Picture with = painted(scene, scene.state), without = painted(scene, scene.neutral);
    EXPECT_GE(scene::surely_different(with, without), kSeen);
    expect_drawn(scene, modules, constants, with, without);
    expect_drawn(scene, modules, drawing::neutral_values(scene), without, with);
}

/// With data in place of specialization constants, one pipeline draws both pictures.
TEST_P(Scenes, TakeTheirStateFromTheBuffer) {
    scene::Scene scene = scene_of(GetParam());
    const auto constants = drawing::spec_values(scene, scene.state);
    const auto is_data = [](uint32_t id) { return id < std::size(tgsi2spv_state_buffer{}.values); };
    if (std::ranges::none_of(constants, is_data, &harness::SpecValue::id)) return;
    scene.state_is_data = true;
    const Modules modules = converted(scene);
    for (const auto& m : modules)
        for (uint32_t i = 0; i < m.module.info().spec_constant_count; i++)
            EXPECT_FALSE(is_data(m.module.spec_constant(i).id)) << m.module.spec_constant(i).name;
    const scene::Picture with = painted(scene, scene.state), without = painted(scene, scene.neutral);
    expect_drawn(scene, modules, constants, with, without);
    expect_drawn(scene, modules, drawing::neutral_values(scene), without, with);
}

/// Scenes that define their variant without the state.
class ScenesWithout : public Scenes {};

/// For state that is not a specialization constant, the scene defines its variant without the state. If the modules
/// contain the state, they must differ.
TEST_P(ScenesWithout, DrawAnotherPictureWithoutTheFeature) {
    const scene::Scene scene = scene_of(GetParam());
    ASSERT_TRUE(scene.has_without);
    const scene::Scene other = scene_of(GetParam(), true);
    const Modules modules = converted(scene), others = converted(other);
    const bool same =
        std::equal(modules.begin(), modules.end(), others.begin(), others.end(),
                   [](const auto& a, const auto& b) { return std::ranges::equal(a.module.words(), b.module.words()); });
    EXPECT_FALSE(same && scene.has_options);
    const scene::Picture with = painted(scene, scene.state), without = painted(other, other.state);
    EXPECT_GE(scene::surely_different(with, without), kSeen);
    expect_drawn(scene, modules, drawing::spec_values(scene, scene.state), with, without);
    expect_drawn(other, others, drawing::spec_values(other, other.state), without, with);
}

/// The table of scenes/README.md has each scene.
TEST_P(Scenes, StandInTheTable) {
    const std::string table = contents(kFolder / "README.md");
    EXPECT_TRUE(table.find("| " + GetParam() + " |") != table.npos || table.find(GetParam() + ",") != table.npos ||
                table.find(", " + GetParam() + " |") != table.npos);
}

/// Scenes with tessellation.
class PatchScenes : public Scenes {};

/// The permitted differences between tessellators must not change the picture, or a scene would test nothing.
TEST_P(PatchScenes, DoNotDependOnTheTessellatorsFreedom) {
    scene::Scene scene = scene_of(GetParam());
    ASSERT_EQ(scene.topology, scene::Topology::Patches);
    const scene::Picture nominal = painted(scene, scene.state);
    for (const scene::Freedom& freedom :
         {scene::Freedom{100, 1, true}, scene::Freedom{0, 3, true}, scene::Freedom{1, 0.5, false}}) {
        scene.freedom = freedom;
        const scene::Picture other = painted(scene, scene.state);
        EXPECT_EQ(scene::compare(nominal, scene::plain_bytes(other)).wrong, 0u);
        EXPECT_EQ(scene::compare(other, scene::plain_bytes(nominal)).wrong, 0u);
    }
}

/// Another spacing, the opposite vertex order, or duplicate vertices without point mode must not pass for the scene.
TEST(SceneLevels, JudgeTheTessellator) {
    const auto changed = [](const std::string& name, const std::string& from, const std::string& to) {
        scene::Scene scene = scene_of(name);
        const auto picture = scene::render(scene, scene.state);
        std::string& text = scene.shaders[2].text;
        EXPECT_NE(text.find(from), std::string::npos);
        text.replace(text.find(from), from.size(), to);
        const auto other = scene::render(scene, scene.state);
        EXPECT_TRUE(picture && other);
        return picture && other ? scene::compare(*picture, scene::plain_bytes(*other)).wrong : 0;
    };
    EXPECT_GE(changed("levels-quads", "SPACING 2", "SPACING 0"), 32u);
    EXPECT_GE(changed("levels-quads", "SPACING 2", "SPACING 1"), 32u);
    EXPECT_GE(changed("levels-quads", "ORDER_CW 0", "ORDER_CW 1"), 32u);
    EXPECT_GE(changed("levels-triangles", "SPACING 0", "SPACING 1"), 32u);
    EXPECT_GE(changed("levels-triangles", "SPACING 0", "SPACING 2"), 32u);
    EXPECT_GE(changed("levels-triangles", "ORDER_CW 1", "ORDER_CW 0"), 32u);
    EXPECT_GE(changed("levels-isolines", "SPACING 1", "SPACING 0"), 32u);
    EXPECT_GE(changed("levels-points", "SPACING 1", "SPACING 0"), 32u);
    EXPECT_GE(changed("levels-points", "SPACING 1", "SPACING 2"), 16u);  // at level 1, there is one point of 16 pixels
    EXPECT_GE(changed("levels-points", "POINT_MODE 1", "POINT_MODE 0"), 32u);
}

TEST(SceneLayout, MatchesTheModules) {
    const auto modules = drawing::convert_scene(scene_of("layout"));
    ASSERT_TRUE(modules) << modules.error();
    const Module& fragment = modules->back().module;
    EXPECT_EQ(fragment.info().push_constant_bytes, 48u);
    ASSERT_EQ(fragment.info().resource_count, 2u);
    for (uint32_t i = 0; i < 2; ++i) {
        const tgsi2spv_resource r = fragment.resource(i);
        const bool image = r.kind == TGSI2SPV_RESOURCE_SAMPLED_IMAGE;
        EXPECT_TRUE(image || r.kind == TGSI2SPV_RESOURCE_SAMPLER);
        EXPECT_EQ(r.set, image ? 2u : 1u);
        EXPECT_EQ(r.binding, image ? 5u : 3u);
    }
}

/// A driver chooses the stipple only for polygons and sprites only for points.
TEST(DrawState, BelongsToAKindOfPrimitive) {
    const auto chosen = [](scene::Topology topology, uint32_t id) -> uint32_t {
        scene::Scene scene;
        scene.topology = topology;
        scene.prepared.polygon_stipple = scene.prepared.sprites = true;
        scene.state.polygon_stipple = true;
        scene.state.sprite_mask = 6;
        for (const auto& c : drawing::spec_values(scene, scene.state))
            if (c.id == id) return c.value;
        return ~0u;
    };
    EXPECT_EQ(chosen(scene::Topology::TriangleFan, lower::spec::kPolygonStipple), 1u);
    EXPECT_EQ(chosen(scene::Topology::TriangleFan, lower::spec::kSpriteMask), 0u);
    EXPECT_EQ(chosen(scene::Topology::LineStrip, lower::spec::kPolygonStipple), 0u);
    EXPECT_EQ(chosen(scene::Topology::Points, lower::spec::kPolygonStipple), 0u);
    EXPECT_EQ(chosen(scene::Topology::Points, lower::spec::kSpriteMask), 6u);
}

/// Scenes without a state, of whose picture the reference knows every pixel.
TEST(KnownScenes, AreAsTheReferencePaintsThem) {
    Devices vulkans;
    size_t read = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder / "known")) {
        scene::Scene scene = scene_of("known/" + entry.path().stem().string());
        const auto modules = drawing::convert_scene(scene);
        ASSERT_TRUE(modules) << modules.error();
        const auto check = [&](harness::Device& device, const std::vector<uint8_t>& rgba) {
            const auto& limits = device.report().limits;
            scene.precision = {limits.subTexelPrecisionBits, limits.mipmapPrecisionBits};
            const auto picture = scene::render(scene, scene.state);
            ASSERT_TRUE(picture) << picture.error();
            const scene::Verdict verdict = scene::compare(*picture, rgba);
            EXPECT_EQ(verdict.wrong, 0u) << entry.path() << ": " << verdict.first;
            EXPECT_EQ(verdict.unknown, 0u) << entry.path();
        };
        draw_on_devices(vulkans, scene, *modules, drawing::spec_values(scene, scene.state), check);
        read++;
    }
    EXPECT_GE(read, 5u);
}

std::string test_name(const testing::TestParamInfo<std::string>& file) {
    std::string name = file.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Files, Scenes, testing::ValuesIn(names([](const auto&) { return true; })), test_name);
INSTANTIATE_TEST_SUITE_P(Files, ScenesWithout,
                         testing::ValuesIn(names([](const auto& scene) { return scene.has_without; })), test_name);
INSTANTIATE_TEST_SUITE_P(Files, PatchScenes, testing::ValuesIn(names([](const auto& scene) {
                             return scene.topology == scene::Topology::Patches;
                         })),
                         test_name);

}  // namespace
}  // namespace tgsi2spv::test

// Draws random scenes on every software device, with their state and without it, and compares the pictures with the
// reference's: tests/draw/scenes has one state each, here they are combined. TGSI2SPV_GENERATED sets how many times as
// many scenes are drawn (default: 1).
#include <gtest/gtest.h>

#include <iostream>

#include "draw/generated_scenes.h"
#include "draw/on_devices.h"
#include "generated_rounds.h"
#include "scene/read.h"
#include "scene/render.h"

namespace tgsi2spv::test {
namespace {

constexpr uint32_t kScenes = 90;

class GeneratedScenes : public testing::Test {
  protected:
    void draw_one(uint32_t seed) {
        const std::string text = generated_scene(seed);
        auto scene = scene::read_scene(text, [](const std::string&) -> tl::expected<std::string, std::string> {
            return tl::unexpected<std::string>("no files");
        });
        ASSERT_TRUE(scene) << scene.error() << "\n" << text;
        scene->state_is_data = seed % 2 != 0;
        const auto modules = drawing::convert_scene(*scene);
        ASSERT_TRUE(modules) << modules.error() << "\n" << text;
        compare(seed, text, *scene, *modules, scene->state, drawing::spec_values(*scene, scene->state));
        compare(seed, text, *scene, *modules, scene->neutral, drawing::neutral_values(*scene));
    }

    size_t drawn = 0, pixels = 0, loose = 0, unknown = 0;

  private:
    void compare(uint32_t seed, const std::string& text, scene::Scene scene,
                 const std::vector<drawing::DrawModule>& modules, const scene::State& state,
                 const std::vector<harness::SpecValue>& constants) {
        const auto check = [&](harness::Device& device, const std::vector<uint8_t>& rgba) {
            scene.precision.sub_texel_bits = device.report().limits.subTexelPrecisionBits;
            scene.precision.mipmap_bits = device.report().limits.mipmapPrecisionBits;
            const auto picture = scene::render(scene, state);
            ASSERT_TRUE(picture) << picture.error() << "\n" << text;
            const scene::Verdict verdict = scene::compare(*picture, rgba);
            EXPECT_EQ(verdict.wrong, 0u) << "seed " << seed << (scene.state_is_data ? ", state as data," : "") << ": "
                                         << verdict.first << "\n"
                                         << text;
            drawn++;
            pixels += picture->pixels.size();
            loose += verdict.loose;
            unknown += verdict.unknown;
        };
        draw_on_devices(vulkans, scene, modules, constants, check);
    }

    Devices vulkans;
};

TEST_F(GeneratedScenes, AreAsTheReferencePaintsThem) {
    const uint32_t scenes = kScenes * generated_rounds();
    for (uint32_t seed = 1; seed <= scenes; seed++) draw_one(seed);
    std::cout << drawn << " pictures, " << pixels << " pixels, " << loose << " loose, " << unknown << " unknown\n";
    EXPECT_GE(drawn, size_t{2} * scenes) << "each on one device at least, with its state and without";
    EXPECT_LE(loose, pixels / 32);
    EXPECT_LE(unknown, pixels / 200);
}

}  // namespace
}  // namespace tgsi2spv::test

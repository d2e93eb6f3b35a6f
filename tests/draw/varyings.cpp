// Values that stages pass to one another and to FRAG, drawn on every software device and compared with the reference's
// picture, and, where a device once got it wrong, with the colours that the documents give.
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "draw/on_devices.h"
#include "places.h"
#include "scene/read.h"
#include "scene/render.h"
#include "shader_files.h"

namespace tgsi2spv::test {
namespace {

constexpr uint32_t kSide = 16;

class Varyings : public testing::Test {
  protected:
    /// Expects the reference to know every pixel, and each device's picture to be one that it permits. Calls `look`
    /// with each.
    void draw(scene::Scene scene, const std::function<void(const std::vector<uint8_t>&)>& look = nullptr) {
        const auto modules = drawing::convert_scene(scene);
        ASSERT_TRUE(modules) << modules.error();
        const auto check = [&](vulkan::Device& device, const std::vector<uint8_t>& rgba) {
            const auto& limits = device.report().limits;
            scene.precision = {limits.subTexelPrecisionBits, limits.mipmapPrecisionBits};
            const auto picture = scene::render(scene, scene.state);
            ASSERT_TRUE(picture) << picture.error();
            const scene::Verdict verdict = scene::compare(*picture, rgba);
            EXPECT_EQ(verdict.wrong, 0u) << verdict.first;
            EXPECT_EQ(verdict.unknown, 0u);
            if (look) look(rgba);
        };
        draw_on_devices(vulkans, scene, *modules, drawing::spec_values(scene, scene.state), check);
    }
    Devices vulkans;
};

/// Scenes without a state, of whose picture the reference knows every pixel.
TEST_F(Varyings, AreKnownInEachScene) {
    const auto none = [](const std::string&) { return tl::expected<std::string, std::string>(); };
    size_t read = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/draw/scenes/known"))) {
        SCOPED_TRACE(entry.path());
        std::ifstream in(entry.path());
        const auto scene = scene::read_scene(std::string(std::istreambuf_iterator<char>(in), {}), none);
        ASSERT_TRUE(scene) << scene.error();
        draw(*scene);
        read++;
    }
    EXPECT_GE(read, 5u);
}

/// A strip of two triangles that fills the picture. IN[0] is the corner, IN[1] its texture coordinate.
scene::Scene square(const std::string& vertex, const std::string& fragment) {
    scene::Scene s;
    s.width = s.height = kSide;
    s.clear = {0, 0, 0, 0};
    s.topology = scene::Topology::TriangleStrip;
    s.prepared.depth_range = s.state.depth_halfz = true;  // depth 0 stays 0
    s.attributes.resize(2);
    for (const auto& [x, y] : {std::array{-1.0f, -1.0f}, {1, -1}, {-1, 1}, {1, 1}})
        for (const auto& [in, values] :
             {std::pair{0, std::array{x, y, 0.0f, 1.0f}}, {1, {(x + 1) / 2, (y + 1) / 2, 0, 1}}})
            for (const float value : values)
                s.attributes[static_cast<size_t>(in)].push_back(std::bit_cast<uint32_t>(value));
    s.shaders.resize(2);
    s.shaders[0].stage = tgsi::Stage::Vertex;
    s.shaders[0].text = vertex;
    s.shaders[1].stage = tgsi::Stage::Fragment;
    s.shaders[1].text = fragment;
    return s;
}

constexpr const char* kPasses =
    R"(VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)";
constexpr const char* kShows = R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)";
constexpr const char* kWhite = R"(FRAG
DCL OUT[0], COLOR
IMM[0] FLT32 {1, 1, 1, 1}
MOV OUT[0], IMM[0]
END
)";

/// What shaders of tests/reports once got wrong.
TEST_F(Varyings, ReportedShadersDrawTheRightColors) {
    using Color = std::array<float, 4>;
    std::map<std::string, std::string> reports;
    for (auto& [path, text] : shaders_under(source_path("tests/reports"))) reports[path] = std::move(text);
    struct Row {
        const char* name;
        std::string vertex, fragment;
        Color left, right;  ///< of two triangles, the first one covers the left upper corner
    };
    const Row rows[] = {
        {"face", kPasses, reports["face.tgsi"], {0.75f, 0.5f, 0.5f, 0.75f}, {0.75f, 0.5f, 0.5f, 0.75f}},
        {"primitive-number", kPasses, reports["primitive-number.tgsi"], {}, {1, 1, 1, 1}},
        {"point-coordinate-w", kPasses, reports["point-coordinate-w.tgsi"], {1, 1, 1, 1}, {1, 1, 1, 1}},
        {"packed-outputs", reports["packed-outputs.tgsi"], kShows, {0.25f, 0.5f, 0.75f, 1}, {0.25f, 0.5f, 0.75f, 1}},
        {"same-semantic-twice", reports["same-semantic-twice.tgsi"], kShows, {0, 1, 0, 1}, {0, 1, 0, 1}},
        {"clip-half", reports["clip-half.tgsi"], kWhite, {}, {1, 1, 1, 1}},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        draw(square(row.vertex, row.fragment), [&](const std::vector<uint8_t>& rgba) {
            for (size_t c = 0; c < 4; c++) {
                EXPECT_NEAR(rgba[(2 * kSide + 2) * 4 + c], row.left[c] * 255, 1) << "left, " << c;
                EXPECT_NEAR(rgba[((kSide - 3) * kSide + kSide - 3) * 4 + c], row.right[c] * 255, 1) << "right, " << c;
            }
        });
    }
}

}  // namespace
}  // namespace tgsi2spv::test

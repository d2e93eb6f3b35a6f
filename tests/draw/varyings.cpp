// Values that stages pass to one another and to FRAG, drawn on every software device and compared with the reference's
// picture, and, where a device once got it wrong, with the colours that the documents give.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <map>

#include "draw/draw_job.h"
#include "harness/devices.h"
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
        size_t drawn = 0;
        for (auto& device : vulkans.devices) {
            SCOPED_TRACE(device->report().info.name);
            const auto& limits = device->report().limits;
            scene.precision = {limits.subTexelPrecisionBits, limits.mipmapPrecisionBits};
            const auto picture = scene::render(scene, scene.state);
            ASSERT_TRUE(picture) << picture.error();
            const auto rgba = drawing::draw_scene(*device, scene, *modules, drawing::spec_values(scene, scene.state));
            if (!rgba && rgba.error().failure == vulkan::Failure::Missing) continue;
            ASSERT_TRUE(rgba) << rgba.error().message;
            const scene::Verdict verdict = scene::compare(*picture, *rgba);
            EXPECT_EQ(verdict.wrong, 0u) << verdict.first;
            EXPECT_EQ(verdict.unknown, 0u);
            if (look) look(*rgba);
            drawn++;
        }
        if (drawn == 0 && !named_devices().empty()) GTEST_SKIP() << "the device lacks what this draws with";
        EXPECT_GT(drawn, 0u);
    }
    Devices vulkans;
};

scene::Scene read(std::string_view json) {
    auto scene = scene::read_scene(std::string(json), [](const std::string&) -> tl::expected<std::string, std::string> {
        return tl::unexpected<std::string>("no files");
    });
    EXPECT_TRUE(scene) << scene.error();
    return scene ? std::move(*scene) : scene::Scene{};
}

/// A triangle that covers the picture; `more` has the shaders but VERT, and other members.
scene::Scene whole(std::string_view vertex, std::string_view more) {
    return read(fmt::format(
        R"({{"width": 16, "height": 16, "clear": [0, 0, 0, 1], "vertices": [[[-1, -1, 0, 1], [3, -1, 0, 1],
            [-1, 3, 0, 1]]], "shaders": {{"VERT": ["VERT", {} "END"], {}}})",
        vertex, more));
}

constexpr std::string_view kPlain = R"("DCL IN[0]", "DCL OUT[0], POSITION", "MOV OUT[0], IN[0]",)";

TEST_F(Varyings, RegistersOfOneSemanticShareItsComponents) {
    draw(whole(R"("DCL IN[0]", "DCL OUT[0], POSITION", "DCL OUT[1].xy, ARRAY(1), GENERIC[0]",
            "DCL OUT[2].zw, ARRAY(2), GENERIC[0]", "IMM[0] FLT32 {0.25, 0.5, 0.75, 1.0}", "MOV OUT[0], IN[0]",
            "MOV OUT[1].xy, IMM[0]", "MOV OUT[2].zw, IMM[0]",)",
               R"("FRAG": ["FRAG", "DCL IN[0], GENERIC[0], PERSPECTIVE", "DCL OUT[0], COLOR", "MOV OUT[0], IN[0]",
            "END"]})"));
    draw(whole(kPlain, R"("FRAG": ["FRAG", "DCL OUT[0].xy, COLOR", "DCL OUT[1].zw, COLOR",
            "IMM[0] FLT32 {0.25, 0.5, 0.75, 1.0}", "MOV OUT[0].xy, IMM[0]", "MOV OUT[1].zw, IMM[0]", "END"]})"));
}

TEST_F(Varyings, ClipDistAlsoHoldsCullDistances) {
    draw(whole(R"("PROPERTY NUM_CLIPDIST_ENABLED 2", "PROPERTY NUM_CULLDIST_ENABLED 2", "DCL IN[0]",
            "DCL OUT[0], POSITION", "DCL OUT[1], CLIPDIST", "IMM[0] FLT32 {0.25, 0.5, 0.75, 1.0}", "MOV OUT[0], IN[0]",
            "MOV OUT[1], IMM[0]",)",
               R"("FRAG": ["FRAG", "DCL IN[0], CLIPDIST, PERSPECTIVE", "DCL OUT[0], COLOR", "MOV OUT[0], IN[0]",
            "END"]})"));
}

TEST_F(Varyings, PrimIdComesFromGeom) {
    draw(whole(kPlain, R"("GEOM": ["GEOM", "PROPERTY GS_INPUT_PRIMITIVE TRIANGLES",
            "PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP", "PROPERTY GS_MAX_OUTPUT_VERTICES 3", "DCL IN[][0], POSITION",
            "DCL OUT[0], POSITION", "DCL OUT[1], PRIM_ID", "IMM[0] UINT32 {3, 0, 0, 0}",
            "MOV OUT[0], IN[0][0]", "MOV OUT[1].x, IMM[0].xxxx", "EMIT IMM[0].yyyy",
            "MOV OUT[0], IN[1][0]", "MOV OUT[1].x, IMM[0].xxxx", "EMIT IMM[0].yyyy",
            "MOV OUT[0], IN[2][0]", "MOV OUT[1].x, IMM[0].xxxx", "EMIT IMM[0].yyyy", "END"],
        "FRAG": ["FRAG", "DCL IN[0], PRIM_ID, CONSTANT", "DCL OUT[0], COLOR", "DCL TEMP[0]",
            "IMM[0] FLT32 {0.25, 1, 1, 1}", "U2F TEMP[0], IN[0].xxxx", "MUL OUT[0], TEMP[0], IMM[0].xxxx", "END"]})"));
}

TEST_F(Varyings, LevelsReachTessEval) {
    draw(whole(kPlain, R"("TESS_CTRL": ["TESS_CTRL", "PROPERTY TCS_VERTICES_OUT 3", "DCL SV[0], INVOCATIONID",
            "DCL IN[][0], POSITION", "DCL OUT[][0], POSITION", "DCL OUT[1], TESSOUTER", "DCL OUT[2], TESSINNER",
            "IMM[0] FLT32 {1, 2, 3, 0}", "MOV OUT[SV[0].x][0], IN[SV[0].x][0]", "MOV OUT[1], IMM[0]",
            "MOV OUT[2], IMM[0]", "END"],
        "TESS_EVAL": ["TESS_EVAL", "PROPERTY TES_PRIM_MODE TRIANGLES", "PROPERTY TES_SPACING 2", "DCL IN[][0], POSITION",
            "DCL SV[0], TESSCOORD", "DCL SV[1], TESSOUTER", "DCL OUT[0], POSITION", "DCL OUT[1], GENERIC[0]",
            "DCL TEMP[0]", "IMM[0] FLT32 {0.25, 1, 1, 1}", "MUL TEMP[0], IN[0][0], SV[0].xxxx",
            "MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]", "MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]",
            "MUL OUT[1], SV[1], IMM[0].xxxx", "MOV OUT[1].w, IMM[0].yyyy", "END"],
        "FRAG": ["FRAG", "DCL IN[0], GENERIC[0], PERSPECTIVE", "DCL OUT[0], COLOR", "MOV OUT[0], IN[0]", "END"]},
        "topology": "patches", "patch_vertices": 3)"));
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

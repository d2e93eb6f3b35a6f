// Outputs with a meaning of their own on a device: depth, stencil, layers, viewports, streams; and many vertices of
// GEOM.
#include <gtest/gtest.h>

#include <string>

#include "draw/linked.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::test {
namespace {

class StageOutputs : public LinkedDrawing {};

constexpr const char* kPassValue = R"(VERT
    DCL IN[0..1]
    DCL OUT[0], POSITION
    DCL OUT[1], GENERIC
    MOV OUT[0], IN[0]
    MOV OUT[1], IN[1]
    END)";

/// Depth is z of POSITION, the stencil's reference is y of STENCIL; the other components are ignored.
TEST_F(StageOutputs, FragmentsReplaceDepthAndStencil) {
    for (const bool depth : {false, true})
        for (const bool stencil : {false, true}) {
            SCOPED_TRACE(std::string(depth ? "depth " : "") + (stencil ? "stencil" : ""));
            std::string fragment = R"(FRAG
                DCL SV[0], POSITION
                DCL OUT[0], COLOR
                DCL OUT[1], POSITION
                DCL OUT[2], STENCIL
                DCL TEMP[0]
                IMM[0] FLT32 {0.0625, 0.03125, 0.75, 16.0}
                MOV OUT[0], SV[0]
                )";
            if (depth)
                fragment +=
                    "MOV OUT[1], IMM[0].zzzz\nMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n"
                    "MAD OUT[1].z, SV[0].yyyy, IMM[0].yyyy, TEMP[0].xxxx\n";
            if (stencil)
                fragment +=
                    R"(MOV OUT[2], IMM[0].zzzz
FLR TEMP[0].xy, SV[0].xyyy
MAD TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww, TEMP[0].yyyy
F2U OUT[2].y, TEMP[0].xxxx
)";
            const auto words = convert_all({kPassValue, fragment + "END\n"});
            auto job =
                job_of(words[0], words[1], {{-1, -1, 0.25f, 1}, {3, -1, 0.25f, 1}, {-1, 3, 0.25f, 1}}, Pixels(3));
            job.depth = vulkan::DepthAttachment{.stencil = uint8_t{0xee}};
            run(job, [&](const vulkan::Outputs& out) {
                ASSERT_EQ(out.attachments.size(), 3u);
                std::vector<float> depths(size_t{kSize} * kSize);
                ASSERT_EQ(out.attachments[1].size(), depths.size() * sizeof(float));
                std::memcpy(depths.data(), out.attachments[1].data(), out.attachments[1].size());
                expect(pixels(out.attachments[0]), [&](uint32_t x, uint32_t y) {
                    return Pixel{static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f, 0.25f, 1};
                });
                for (uint32_t y = 0; y < kSize; y++)
                    for (uint32_t x = 0; x < kSize; x++) {
                        const float z = (static_cast<float>(x) + 0.5f) / 16 + (static_cast<float>(y) + 0.5f) / 32;
                        EXPECT_EQ(depths[y * kSize + x], depth ? z : 0.25f) << x << ", " << y;
                        EXPECT_EQ(out.attachments[2][y * kSize + x], stencil ? 16 * x + y : 0) << x << ", " << y;
                    }
            });
        }
}

/// Each target takes it in its own way: target 1 with red and blue swapped, target 2 as words.
TEST_F(StageOutputs, ColorZeroGoesToEveryTarget) {
    api::Options options;
    options.lower.state.bgra_targets = true;
    options.lower.state.targets[2] = lower::NumericType::UInt;
    const auto words = convert_all({kPassValue, R"(FRAG
        PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
        DCL IN[0], GENERIC, CONSTANT
        DCL OUT[0], COLOR
        MOV OUT[0], IN[0].wzyx
        END)"},
                                   nullptr, {}, options);
    auto job = job_of_all(words, kWhole, {3, {1, 2, 3, 4}});
    job.fragment.constants = {{lower::spec::kBgraTargets, 1u << 1}};
    job.attachments.resize(lower::kMaxTargets);
    job.attachments[2].format = VK_FORMAT_R32G32B32A32_UINT;
    run(job, [&](const vulkan::Outputs& out) {
        for (size_t t = 0; t < out.attachments.size(); t++)
            expect(pixels(out.attachments[t]), [&](uint32_t, uint32_t) {
                return t == 1 ? Pixel{2, 3, 4, 1} : Pixel{4, 3, 2, 1};
            });
    });
}

/// Triangle 0 goes to layer 1 and viewport 0, the whole target; triangle 1 to layer 0 and viewport 1, its right half.
/// GEOM also writes a PRIMID; after other stages it is the number of the primitive.
TEST_F(StageOutputs, TheLastStageChoosesLayerAndViewport) {
    const std::string outputs = "DCL OUT[2], LAYER\nDCL OUT[3], VIEWPORT_INDEX\n";
    const std::string choosing_vertex = "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\n" + outputs +
                                        R"(MOV OUT[0], IN[0]
F2U OUT[2].x, IN[1].xxxx
F2U OUT[3].x, IN[1].yyyy
END
)";
    const std::string control = R"(TESS_CTRL
        PROPERTY TCS_VERTICES_OUT 3
        DCL IN[][0], POSITION
        DCL IN[][1], GENERIC
        DCL OUT[][0], POSITION
        DCL OUT[1], PATCH
        DCL OUT[2], TESSOUTER
        DCL OUT[3], TESSINNER
        DCL SV[0], INVOCATIONID
        DCL ADDR[0]
        IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}
        UARL ADDR[0].x, SV[0].xxxx
        MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
        MOV OUT[1], IN[0][1]
        MOV OUT[2], IMM[0].xxxx
        MOV OUT[3], IMM[0].xxxx
        END)";
    const std::string evaluation = "TESS_EVAL\n" + outputs + R"(PROPERTY TES_PRIM_MODE 4
        PROPERTY TES_SPACING 2
        PROPERTY TES_VERTEX_ORDER_CW 1
        DCL IN[][0], POSITION
        DCL IN[1], PATCH
        DCL SV[0], TESSCOORD
        DCL OUT[0], POSITION
        DCL TEMP[0]
        MUL TEMP[0], SV[0].xxxx, IN[0][0]
        MAD TEMP[0], SV[0].yyyy, IN[1][0], TEMP[0]
        MAD OUT[0], SV[0].zzzz, IN[2][0], TEMP[0]
        F2U OUT[2].x, IN[1].xxxx
        F2U OUT[3].x, IN[1].yyyy
        END)";
    std::string geometry = "GEOM\n" + outputs + R"(PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
        PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
        PROPERTY GS_MAX_OUTPUT_VERTICES 3
        DCL IN[][0], POSITION
        DCL IN[][1], GENERIC
        DCL IN[][2], PRIMID
        DCL OUT[0], POSITION
        DCL OUT[4], PRIMID
        IMM[0] UINT32 {0, 40, 0, 0}
        F2U OUT[2].x, IN[0][1].xxxx
        F2U OUT[3].x, IN[0][1].yyyy
        UADD OUT[4].x, IN[2].xxxx, IMM[0].yyyy
        )";
    for (const char* v : {"0", "1", "2"}) geometry += std::string("MOV OUT[0], IN[") + v + "][0]\nEMIT IMM[0].xxxx\n";
    const std::string fragment = R"(FRAG
        DCL IN[0], LAYER, CONSTANT
        DCL IN[1], VIEWPORT_INDEX, CONSTANT
        DCL IN[2], PRIMID, CONSTANT
        DCL OUT[0], COLOR
        IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}
        U2F OUT[0].x, IN[0].xxxx
        U2F OUT[0].y, IN[1].xxxx
        U2F OUT[0].z, IN[2].xxxx
        MOV OUT[0].w, IMM[0].xxxx
        END)";
    const std::vector<std::string> chains[] = {{choosing_vertex, fragment},
                                               {kPassValue, control, evaluation, fragment},
                                               {kPassValue, geometry + "END\n", fragment}};
    for (const auto& texts : chains) {
        SCOPED_TRACE(texts[texts.size() - 2]);
        const auto words = convert_all(texts);
        Pixels corners = kWhole, choices(3, {1, 0, 0, 0});
        corners.insert(corners.end(), kWhole.begin(), kWhole.end());
        choices.insert(choices.end(), 3, {0, 1, 0, 0});
        auto job = job_of_all(words, corners, choices);
        job.layers = 2;
        job.more_viewports = {{kSize / 2, 0, kSize / 2, kSize, 0, 1}};
        const float first = texts.size() == 3 ? 40 : 0;
        run(job, [&](const vulkan::Outputs& out) {
            const Pixels all = pixels(out.attachments[0]);
            ASSERT_EQ(all.size(), size_t{2} * kSize * kSize);
            expect(all, [&](uint32_t x, uint32_t) { return x < kSize / 2 ? Pixel{} : Pixel{0, 1, first + 1, 1}; });
            expect(Pixels(all.begin() + kSize * kSize, all.end()), [&](uint32_t, uint32_t) {
                return Pixel{1, 0, first, 1};
            });
        });
    }
}

/// With multiview, a draw runs once for each layer of the target: VERT multiplies by a power of two, FRAG writes the
/// number. The triangle is not clipped: Mesa's draws those of all views to the first layer (driver-bugs.md).
TEST_F(StageOutputs, EachViewIsALayer) {
    const auto words = convert_all({R"(VERT
        DCL IN[0..1]
        DCL SV[0], VIEW_INDEX
        DCL OUT[0], POSITION
        DCL OUT[1], GENERIC
        DCL TEMP[0]
        IMM[0] UINT32 {1, 0, 0, 0}
        SHL TEMP[0].x, IMM[0].xxxx, SV[0].xxxx
        U2F TEMP[0].x, TEMP[0].xxxx
        MOV OUT[0], IN[0]
        MUL OUT[1], IN[1], TEMP[0].xxxx
        END)",
                                    R"(FRAG
        DCL IN[0], GENERIC, CONSTANT
        DCL SV[0], VIEW_INDEX
        DCL OUT[0], COLOR
        DCL TEMP[0]
        U2F TEMP[0].x, SV[0].xxxx
        MOV OUT[0], IN[0]
        MOV OUT[0].w, TEMP[0].xxxx
        END)"});
    auto job = job_of(words[0], words[1], {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}}, {3, {1, 2, 3, 0}});
    job.viewport_width = job.viewport_height = 2 * kSize;
    job.layers = 3;
    job.multiview = true;
    run(job, [&](const vulkan::Outputs& out) {
        const Pixels all = pixels(out.attachments[0]);
        ASSERT_EQ(all.size(), size_t{3} * kSize * kSize);
        for (uint32_t view = 0; view < 3; view++) {
            const auto factor = static_cast<float>(1u << view);
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(view) * kSize * kSize;
            expect(Pixels(first, first + kSize * kSize), [&](uint32_t, uint32_t) {
                return Pixel{factor, 2 * factor, 3 * factor, static_cast<float>(view)};
            });
        }
    });
}

/// x and w of one output go to stream 0, which is drawn, y and z to stream 1; also where it shares its location.
TEST_F(StageOutputs, ComponentsOfOneOutputGoToTwoStreams) {
    lower::StreamOutputs table;
    table.strides = {2, 2, 0, 0};
    table.outputs = {{1, 0, 1, 0, 0, 0}, {1, 3, 1, 0, 1, 0}, {1, 1, 2, 1, 0, 1}};
    for (const bool packed : {false, true}) {
        SCOPED_TRACE(packed);
        lower::LinkLimits limits;
        if (packed) limits.fragment_input = 20;
        const auto words = convert_all({kPassValue,
                                        R"(GEOM
            PROPERTY GS_INPUT_PRIMITIVE POINTS
            PROPERTY GS_OUTPUT_PRIMITIVE POINTS
            PROPERTY GS_MAX_OUTPUT_VERTICES 3
            DCL IN[][0], POSITION
            DCL IN[][1], GENERIC
            DCL OUT[0], POSITION
            DCL OUT[1], GENERIC, STREAM(0, 1, 1, 0)
            DCL OUT[2], GENERIC[1]
            IMM[0] UINT32 {0, 1, 0, 0}
            MOV OUT[0], IN[0][0]
            MOV OUT[1], IN[0][1]
            ADD OUT[2], IN[0][1], IN[0][1]
            EMIT IMM[0].xxxx
            EMIT IMM[0].yyyy
            MOV OUT[1], IN[0][1].wzyx
            EMIT IMM[0].yyyy
            END)",
                                        std::string(R"(FRAG
            DCL IN[0..1], GENERIC, CONSTANT
            DCL OUT[0], COLOR
            MOV OUT[0], IN[0].)") + (packed ? "xxxx" : "wwwx") +
                                            "\nMOV OUT[0].yz, IN[1].xxxx\nEND\n"},
                                       &table, limits);
        auto job = job_of_all(words, {{-0.875f, -0.875f, 0, 1}, {0.875f, -0.875f, 0, 1}}, {{1, 2, 3, 4}, {5, 6, 7, 8}});
        job.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        for (int i = 0; i < 2; i++) job.buffers.push_back({std::vector<uint32_t>(8), true});
        job.captures = {0, 1};
        run(job, [&](const vulkan::Outputs& out) {
            std::vector<uint32_t> first, second;
            for (const float x : {1.0f, 4.0f, 5.0f, 8.0f, 0.0f, 0.0f, 0.0f, 0.0f}) first.push_back(word(x));
            for (const float x : {2.0f, 3.0f, 3.0f, 2.0f, 6.0f, 7.0f, 7.0f, 6.0f}) second.push_back(word(x));
            EXPECT_EQ(out.buffers[0], first);
            EXPECT_EQ(out.buffers[1], second);
            expect(pixels(out.attachments[0]), [&](uint32_t x, uint32_t y) {
                if (y != 0 || (x != 0 && x != kSize - 1)) return Pixel{};
                const float first_x = x == 0 ? 1 : 5;
                return Pixel{packed ? first_x : first_x + 3, 2 * first_x, 2 * first_x, first_x};
            });
        });
    }
}

/// In VERT by the vertex, whose flat varyings fill the target, and in FRAG by the column: x and z of the chosen output
/// are replaced. An index that names no output does nothing; where accesses are clamped, it names the last one.
TEST_F(StageOutputs, OutputsAreChosenByAnIndex) {
    const std::string vertex = R"(VERT
        DCL IN[0..1]
        DCL OUT[0], POSITION
        DCL OUT[1..3], ARRAY(1), GENERIC
        DCL ADDR[0]
        MOV OUT[0], IN[0]
        MOV OUT[1], IN[1]
        ADD OUT[2], IN[1], IN[1]
        ADD OUT[3], OUT[2], OUT[2]
        ARL ADDR[0].x, IN[1].xxxx
        MOV OUT[ADDR[0].x+1](1).xz, IN[1].yyyy
        END)";
    const std::string fragment = R"(FRAG
        DCL IN[0..2], GENERIC, CONSTANT
        DCL SV[0], POSITION
        DCL OUT[0..3], ARRAY(1), COLOR
        DCL ADDR[0]
        IMM[0] FLT32 {16.0, 64.0, 256.0, 1024.0}
        MOV OUT[0], IN[0]
        MOV OUT[1], IN[1]
        MOV OUT[2], IN[2]
        MOV OUT[3], IMM[0]
        ARL ADDR[0].x, SV[0].xxxx
        MOV OUT[ADDR[0].x-2](1).xz, IMM[0]
        END)";
    for (const auto out_of_range : {lower::OutOfRange::Zero, lower::OutOfRange::Clamp}) {
        const bool clamps = out_of_range == lower::OutOfRange::Clamp;
        api::Options options;
        options.lower.bounds.registers = out_of_range;
        const auto words = convert_all({vertex, fragment}, nullptr, {}, options);
        for (const float index : {-1.0f, 0.0f, 1.0f, 2.0f, 3.0f}) {
            SCOPED_TRACE(std::to_string(clamps) + ": " + std::to_string(index));
            const Pixel value{index, 5, 6, 7};
            auto job = job_of_all(words, kWhole, {3, value});
            job.attachments.resize(4);
            run(job, [&](const vulkan::Outputs& out) {
                for (size_t t = 0; t < 4; t++)
                    expect(pixels(out.attachments[t]), [&](uint32_t x, uint32_t) {
                        const auto n = static_cast<float>(t), factor = static_cast<float>(1u << t);
                        Pixel p{factor * index, factor * 5, factor * 6, factor * 7};
                        if (index == n || (clamps && t == 2 && (index < 0 || index > 2))) p[0] = p[2] = 5;
                        if (t == 3) p = {16, 64, 256, 1024};
                        if (x == t + 2 || (clamps && t == 3 && (x < 2 || x > 5))) {
                            p[0] = 16;
                            p[2] = 256;
                        }
                        return p;
                    });
            });
        }
    }
}

/// Whether a module calls functions of its own.
bool calls(std::span<const uint32_t> words) {
    constexpr uint32_t kFunctionCall = 57;
    for (size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16)
        if ((words[at] & 0xffff) == kFunctionCall) return true;
    return false;
}

/// So many EMITs and outputs that a function stores the outputs. Of 120 groups of EMITs, a point executes the one that
/// its value names; the last vertex of each group is one too many.
TEST_F(StageOutputs, AFunctionEmitsWhereTheTextHasManyVertices) {
    constexpr uint32_t kGroups = 120, kOutputs = 30;
    std::string geometry =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
        "PROPERTY GS_MAX_OUTPUT_VERTICES " +
        std::to_string(kSize - 1) +
        R"(
        DCL IN[][0], POSITION
        DCL IN[][1], GENERIC
        DCL OUT[0], POSITION
        DCL OUT[1..29], GENERIC
        DCL TEMP[0..1]
        IMM[0] UINT32 {0, 4294967295, 0, 0}
        IMM[1] FLT32 {0.25, 0.0, 0.0, 1.0}
        MOV OUT[0], IN[0][0]
        F2U TEMP[1].x, IN[0][1].xxxx
        )";
    for (uint32_t i = 1; i < kOutputs; i++) geometry += "MOV OUT[" + std::to_string(i) + "], IN[0][1]\n";
    for (uint32_t g = 0; g < kGroups; g++) {
        geometry += "USEQ TEMP[0].x, TEMP[1].xxxx, IMM[0].xxxx\nUIF TEMP[0].xxxx\n";
        for (uint32_t v = 0; v < kSize; v++) {
            geometry += "EMIT IMM[0].xxxx\nADD OUT[0].x, OUT[0].xxxx, IMM[1].xxxx\n";
            if (v % 2 != 0) geometry += "ADD OUT[29].y, OUT[29].yyyy, IMM[1].wwww\n";
        }
        geometry += "ENDIF\nUADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy\n";
    }
    const auto words = convert_all({kPassValue, geometry + "END\n", R"(FRAG
        DCL IN[0], GENERIC, CONSTANT
        DCL IN[1], GENERIC[28], CONSTANT
        DCL OUT[0], COLOR
        MOV OUT[0].xy, IN[0]
        MOV OUT[0].zw, IN[1].xxxy
        END)"});
    EXPECT_TRUE(calls(words[1]));
    const float groups[] = {0, 57, kGroups - 1, kGroups};  // of rows 0 to 3; the last does not exist
    Pixels places, values;
    for (uint32_t y = 0; y < std::size(groups); y++) {
        places.push_back({1.0f / kSize - 1, (static_cast<float>(2 * y) + 1) / kSize - 1, 0, 1});
        values.push_back({groups[y], 5, 6, 7});
    }
    auto job = job_of_all(words, places, values);
    job.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    draw(job, [&](const Pixels& all) {
        expect(all, [&](uint32_t x, uint32_t y) {
            if (y >= 3 || x == kSize - 1) return Pixel{};
            return Pixel{groups[y], 5, groups[y], 5 + static_cast<float>(x / 2)};
        });
    });
}

}  // namespace
}  // namespace tgsi2spv::test

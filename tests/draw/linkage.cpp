// Linked stages on a device: the next stage reads the outputs of each, for every combination of stages.
#include <gtest/gtest.h>

#include <string>

#include "draw/linked.h"
#include "lower/options/stream_output.h"

namespace tgsi2spv::test {
namespace {

class Linked : public LinkedDrawing {};

/// The varyings of the test. A fixed table without linkage could not place them: COLOR and FOG would lie above the 16
/// locations that GEOM's inputs may have, GENERIC[40] and GENERIC[8] in the same location.
constexpr const char* kSemantics[] = {"COLOR",       "COLOR[1]",    "FOG",        "GENERIC[8]",
                                      "GENERIC[40]", "GENERIC[31]", "TEXCOORD[7]"};
constexpr uint32_t kVaryings = std::size(kSemantics);

std::string declarations(const char* file, bool vertices) {
    std::string text;
    for (uint32_t i = 0; i < kVaryings; i++)
        text += std::string("DCL ") + file + (vertices ? "[][" : "[") + std::to_string(i + 1) + "], " + kSemantics[i] +
                "\n";
    return text;
}
std::string number(uint32_t i) {
    return std::to_string(i);
}

/// OUT[i] is attribute 1 times i.
std::string vertex_text() {
    std::string text = "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\n" + declarations("OUT", false) + "DCL TEMP[0]\n";
    text += "MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nMOV TEMP[0], IN[1]\n";
    for (uint32_t i = 2; i <= kVaryings; i++)
        text += "ADD TEMP[0], TEMP[0], IN[1]\nMOV OUT[" + number(i) + "], TEMP[0]\n";
    return text + "END\n";
}
std::string control_text() {
    std::string text = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\n" + declarations("IN", true) +
                       "DCL OUT[][0], POSITION\n" + declarations("OUT", true) +
                       R"(DCL OUT[8], TESSOUTER
DCL OUT[9], TESSINNER
DCL OUT[10], PATCH[3]
DCL SV[0], INVOCATIONID
DCL ADDR[0]
IMM[0] FLT32 {1.0, 1.0, 1.0, 0.5}
UARL ADDR[0].x, SV[0].xxxx
)";
    for (uint32_t i = 0; i <= kVaryings; i++)
        text += "MOV OUT[ADDR[0].x][" + number(i) + "], IN[ADDR[0].x][" + number(i) + "]\n";
    return text + R"(MOV OUT[8], IMM[0].xxxx
MOV OUT[9], IMM[0].xxxx
MOV OUT[10], IMM[0].wwww
END
)";
}
/// The varyings are those of vertex 1; the patch's 0.5 goes to GENERIC[5].
std::string evaluation_text() {
    std::string text =
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
PROPERTY TES_VERTEX_ORDER_CW 1
DCL IN[][0], POSITION
)" + declarations("IN", true) +
        "DCL IN[8], PATCH[3]\nDCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\n" + declarations("OUT", false) +
        "DCL OUT[8], GENERIC[5]\nDCL TEMP[0]\nMUL TEMP[0], SV[0].xxxx, IN[0][0]\n" +
        "MAD TEMP[0], SV[0].yyyy, IN[1][0], TEMP[0]\nMAD OUT[0], SV[0].zzzz, IN[2][0], TEMP[0]\nMOV OUT[8], IN[8]\n";
    for (uint32_t i = 1; i <= kVaryings; i++) text += "MOV OUT[" + number(i) + "], IN[1][" + number(i) + "]\n";
    return text + "END\n";
}
std::string geometry_text() {
    std::string text =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
)" + declarations("IN", true) +
        "DCL IN[][8], GENERIC[5]\nDCL OUT[0], POSITION\n" + declarations("OUT", false) +
        "DCL OUT[8], GENERIC[5]\nIMM[0] UINT32 {0, 0, 0, 0}\n";
    for (uint32_t v = 0; v < 3; v++) {
        text += "MOV OUT[0], IN[" + number(v) + "][0]\nMOV OUT[8], IN[" + number(v) + "][8]\n";
        for (uint32_t i = 1; i <= kVaryings; i++)
            text += "MOV OUT[" + number(i) + "], IN[" + number(v) + "][" + number(i) + "]\n";
        text += "EMIT IMM[0].xxxx\n";
    }
    return text + "END\n";
}
/// COLOR[0] combines the varyings, each times a power of 16; COLOR[1] is GENERIC[5], which only TESS_EVAL writes, and
/// NORMAL, which no stage writes.
std::string fragment_text() {
    std::string text = "FRAG\n";
    for (uint32_t i = 0; i < kVaryings; i++) text += "DCL IN[" + number(i) + "], " + kSemantics[i] + ", CONSTANT\n";
    text +=
        R"(DCL IN[7], GENERIC[5], CONSTANT
DCL IN[8], NORMAL, CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL TEMP[0]
IMM[0] FLT32 {16.0, 0, 0, 0}
MOV TEMP[0], IN[0]
)";
    for (uint32_t i = 1; i < kVaryings; i++) text += "MAD TEMP[0], TEMP[0], IMM[0].xxxx, IN[" + number(i) + "]\n";
    return text + R"(MOV OUT[0], TEMP[0]
MOV OUT[1].xy, IN[7].xwww
MOV OUT[1].zw, IN[8]
END
)";
}

TEST_F(Linked, VaryingsGoThroughEveryChainOfStages) {
    const Pixel value{1, 2, 0, -1};
    float sum = 0;
    for (uint32_t i = 1; i <= kVaryings; i++) sum = sum * 16 + static_cast<float>(i);
    for (const bool tessellated : {false, true})
        for (const bool through_geometry : {false, true}) {
            SCOPED_TRACE(std::string(tessellated ? "tessellated " : "") + (through_geometry ? "geometry" : ""));
            std::vector<std::string> texts{vertex_text()};
            if (tessellated) texts.insert(texts.end(), {control_text(), evaluation_text()});
            if (through_geometry) texts.push_back(geometry_text());
            texts.push_back(fragment_text());
            const auto words = convert_all(texts);
            auto job = job_of_all(words, kWhole, {3, value});
            job.attachments.resize(2);
            run(job, [&](const vulkan::Outputs& out) {
                const Pixels first = pixels(out.attachments[0]), second = pixels(out.attachments[1]);
                const float patch = tessellated ? 0.5f : 0;
                for (size_t i = 0; i < first.size(); i++) {
                    EXPECT_EQ(first[i], (Pixel{sum, 2 * sum, 0, -sum})) << i;
                    // A varying that no stage writes reads (0, 0, 0, 1).
                    EXPECT_EQ(second[i], (Pixel{patch, tessellated ? 0.5f : 1.0f, 0, 1})) << i;
                }
            });
        }
}

TEST_F(Linked, VaryingsShareLocationsWhereThereAreFew) {
    // 20 varyings, of which three, two or one components are read, share 12 locations.
    std::string vertex =
        R"(VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1..20], GENERIC[0]
DCL TEMP[0]
MOV OUT[0], IN[0]
MOV TEMP[0], IN[1]
)";
    std::string fragment = R"(FRAG
DCL IN[0..19], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
)";
    Pixel expected{};
    for (uint32_t i = 0; i < 20; i++) {
        vertex += "ADD TEMP[0], TEMP[0], IN[1]\nMOV OUT[" + number(i + 1) + "], TEMP[0]\n";
        const char* swizzle = i % 3 == 0 ? "xyzx" : i % 3 == 1 ? "yyxx" : "xxxx";
        fragment += "ADD TEMP[0], TEMP[0], IN[" + number(i) + "]." + swizzle + "\n";
        for (size_t c = 0; c < 4; c++)
            expected[c] += static_cast<float>(i + 2) * static_cast<float>(1 << (swizzle[c] - 'x'));
    }
    lower::LinkLimits limits;
    limits.fragment_input = 48;
    const auto words = convert_all({vertex + "END\n", fragment + "MOV OUT[0], TEMP[0]\nEND\n"}, nullptr, limits);
    draw(job_of(words[0], words[1], kWhole, {3, {1, 2, 4, 8}}), [&](const Pixels& all) {
        for (const Pixel& p : all)
            for (size_t c = 0; c < 4; c++) EXPECT_NEAR(p[c], expected[c], 1e-2);
    });
}

// ---- transform feedback

/// Marks the words that a draw of one triangle without rasterization leaves untouched.
constexpr uint32_t kUntouched = 0xdeadbeef;

TEST_F(Linked, FeedbackCapturesWrittenOutputs) {
    // Captures the whole POSITION, before the conversion to Vulkan's depth range, and two parts of a varying, one of
    // them twice, into two buffers.
    lower::StreamOutputs table;
    table.strides = {8, 3, 0, 0};
    table.outputs = {{0, 0, 4, 0, 0, 0}, {1, 1, 2, 0, 5, 0}, {1, 1, 3, 1, 0, 0}, {2, 0, 1, 0, 7, 0}};
    const Pixels corners{{0, 1, -0.5f, 1}, {1, 0, 0.25f, 2}, {1, 1, 0, 4}},
        values{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    const std::string vertex =
        R"(VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3]
DCL OUT[2], PSIZE
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2].x, IN[1].wwww
END
)";
    const std::string evaluation =
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
PROPERTY TES_VERTEX_ORDER_CW 1
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[3]
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3]
DCL OUT[2], FOG
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
MOV OUT[2], IN[0][1].wwww
END
)";
    const std::string control =
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[3]
DCL OUT[][0], POSITION
DCL OUT[][1], GENERIC[3]
DCL OUT[2], TESSOUTER
DCL OUT[3], TESSINNER
DCL SV[0], INVOCATIONID
DCL ADDR[0]
IMM[0] FLT32 {1.0, 0, 0, 0}
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
MOV OUT[ADDR[0].x][1], IN[ADDR[0].x][1]
MOV OUT[2], IMM[0].xxxx
MOV OUT[3], IMM[0].xxxx
END
)";
    const std::string geometry =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[3]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3]
DCL OUT[2], GENERIC[4]
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[2][0]
MOV OUT[1], IN[2][1]
MOV OUT[2], IN[2][1].wwww
EMIT IMM[0].xxxx
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
MOV OUT[2], IN[0][1].wwww
EMIT IMM[0].xxxx
END
)";
    struct Chain {
        std::vector<std::string> texts;
        std::vector<size_t> vertices;  ///< the captured vertices, by their input
    };
    const Chain chains[] = {
        {{vertex}, {0, 1, 2}}, {{vertex, control, evaluation}, {0, 0, 0}}, {{vertex, geometry}, {2, 0}}};
    for (const Chain& chain : chains) {
        SCOPED_TRACE(chain.texts.back());
        const auto words = convert_all(chain.texts, &table);
        vulkan::Job job;
        job.vertex.words = words[0];
        if (chain.texts.size() == 3) {
            job.tess_control.words = words[1];
            job.tess_eval.words = words[2];
            job.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
            job.patch_control_points = 3;
        }
        if (chain.texts.size() == 2) job.geometry.words = words[1];
        job.attributes = {attribute(0, corners), attribute(1, values)};
        for (const uint32_t length : {32u, 16u})
            job.buffers.push_back({std::vector<uint32_t>(length, kUntouched), true});
        job.captures = {0, 1};
        std::vector<uint32_t> first(32, kUntouched), second(16, kUntouched);
        for (size_t k = 0; k < chain.vertices.size(); k++) {
            const size_t v = chain.vertices[k];
            for (size_t c = 0; c < 4; c++) first[8 * k + c] = word(corners[v][c]);
            for (size_t c = 0; c < 2; c++) first[8 * k + 5 + c] = word(values[v][c + 1]);
            first[8 * k + 7] = word(values[v][3]);
            for (size_t c = 0; c < 3; c++) second[3 * k + c] = word(values[v][c + 1]);
        }
        run(job, [&](const vulkan::Outputs& out) {
            EXPECT_EQ(out.buffers[0], first);
            EXPECT_EQ(out.buffers[1], second);
        });
    }
}

TEST_F(Linked, StreamsGoToBuffersOfTheirOwn) {
    lower::StreamOutputs table;
    table.strides = {4, 2, 0, 0};
    table.outputs = {{1, 0, 4, 0, 0, 0}, {2, 1, 2, 1, 0, 1}};
    const auto words = convert_all({R"(VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)",
                                    R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1], STREAM(1, 1, 1, 1)
IMM[0] UINT32 {0, 1, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][1]
EMIT IMM[0].xxxx
MOV OUT[2], IN[0][1].wzyx
EMIT IMM[0].yyyy
MOV OUT[2], IN[0][1]
EMIT IMM[0].yyyy
END
)"},
                                   &table);
    vulkan::Job job;
    job.vertex.words = words[0];
    job.geometry.words = words[1];
    job.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    job.vertex_count = 2;
    job.attributes = {attribute(0, {{0, 0, 0, 1}, {0, 0, 0, 1}}), attribute(1, {{1, 2, 3, 4}, {5, 6, 7, 8}})};
    for (int i = 0; i < 2; i++) job.buffers.push_back({std::vector<uint32_t>(8, kUntouched), true});
    job.captures = {0, 1};
    run(job, [&](const vulkan::Outputs& out) {
        std::vector<uint32_t> first, second;
        for (const float x : {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f}) first.push_back(word(x));
        for (const float x : {3.0f, 2.0f, 2.0f, 3.0f, 7.0f, 6.0f, 6.0f, 7.0f}) second.push_back(word(x));
        EXPECT_EQ(out.buffers[0], first);
        EXPECT_EQ(out.buffers[1], second);
    });
}

/// A built-in variable of GEOM that the stage before does not have would have no match (Vulkan, "Interface Matching").
/// It reads as a varying that nothing writes: (0, 0, 0, 1), or a component of it.
TEST_F(Linked, BuiltInsThatNothingWritesAreNoVariables) {
    const std::string vertex = R"(VERT
DCL IN[0..1]
DCL OUT[0], GENERIC[3]
MOV OUT[0], IN[0]
END
)";
    std::string geometry =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], PSIZE
DCL IN[][2], CLIPDIST
DCL IN[][3], GENERIC[3]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
IMM[0] UINT32 {0, 0, 0, 0}
)";
    for (const char* v : {"0", "1", "2"})
        geometry += std::string("MOV OUT[0], IN[") + v + "][3]\nMOV OUT[1], IN[" + v + "][0]\nMOV OUT[2].x, IN[" + v +
                    "][1].xxxx\nMOV OUT[2].yz, IN[" + v + "][2].xxyy\nEMIT IMM[0].xxxx\n";
    const std::string fragment =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
ADD OUT[0], IN[0], IN[1].xyzz
END
)";
    const auto words = convert_all({vertex, geometry + "END\n", fragment});
    // OpMemberDecorate and OpDecorate have the built-in's number in their last word.
    for (size_t at = 5; at < words[1].size(); at += words[1][at] >> 16) {
        const uint32_t op = words[1][at] & 0xffff, length = words[1][at] >> 16;
        if (op != 71 || words[1][at + 2] != 11) continue;
        EXPECT_EQ(words[1][at + length - 1], 0u) << "only the Position that GEOM writes";
    }
    draw(job_of_all(words, kWhole, Pixels(3)), [&](const Pixels& all) {
        expect(all, [](uint32_t, uint32_t) { return Pixel{0, 0, 0, 1}; });
    });
}

}  // namespace
}  // namespace tgsi2spv::test

// Draws whose tessellation, GEOM or stream output the host emulates: the same scenes on a device that has these, and
// without.
#include <fmt/format.h>

#include <bit>
#include <limits>

#include "queries.h"
#include "renderer/emulate/assemble.h"

namespace tgsi2spv::host {
namespace {

using testing::ElementsAre;

const Names kNoGeometry{"geometryShader", "tessellationShader", "VK_EXT_transform_feedback"};

struct Mode {
    uint32_t mode;
    const char* primitive;  ///< that GEOM takes
    uint32_t corners;
};
constexpr Mode kModes[] = {{0, "POINTS", 1},
                           {1, "LINES", 2},
                           {3, "LINES", 2},
                           {4, "TRIANGLES", 3},  //
                           {5, "TRIANGLES", 3},
                           {6, "TRIANGLES", 3},
                           {10, "LINES_ADJACENCY", 4},
                           {11, "LINES_ADJACENCY", 4},  //
                           {12, "TRIANGLES_ADJACENCY", 6},
                           {13, "TRIANGLES_ADJACENCY", 6}};

/// Each invocation emits seven vertices in two primitives, from all corners.
std::string geometry(const Mode& mode, const char* output, uint32_t invocations = 1) {
    std::string text = fmt::format(
        "GEOM; PROPERTY GS_INPUT_PRIMITIVE {}; PROPERTY GS_OUTPUT_PRIMITIVE {}; PROPERTY GS_MAX_OUTPUT_VERTICES 9; "
        "PROPERTY GS_INVOCATIONS {}; DCL IN[][0], POSITION; DCL IN[][1], GENERIC[0]; DCL IN[2], PRIMID; "
        "DCL SV[0], INVOCATIONID; DCL OUT[0], POSITION; DCL OUT[1], GENERIC[0]; DCL TEMP[0..1]; "
        "IMM[0] UINT32 {{0, 0, 0, 0}}; IMM[1] FLT32 {{0.3, -0.4, 0, 0}}; IMM[2] FLT32 {{0.1, 0.05, 0.2, 0}}; "
        "U2F TEMP[0], SV[0].xxxx; U2F TEMP[1], IN[2].xxxx; MUL TEMP[1], TEMP[1], IMM[2]; ",
        mode.primitive, output, invocations);
    for (uint32_t k = 0; k < 7; k++)
        text += fmt::format(
            "MAD OUT[0], TEMP[0], IMM[1], IN[{}][0]\nADD OUT[0].xy, OUT[0], IMM[2].{}\nADD OUT[1], IN[{}][1], TEMP[1]\n"
            "EMIT IMM[0].xxxx\n{}",
            k % mode.corners, k % 2 == 0 ? "xyyy" : "zxxx", (k + 1) % mode.corners,
            k == 3 ? "ENDPRIM IMM[0].xxxx\n" : "");
    return text + "END\n";
}

/// A shader that captures OUT[0].
Buffer capturing(const std::string& text, uint32_t stream = 0) {
    return use(20, text, {1, 4, 0, 0, 0, 4 << 10, stream});
}

constexpr uint32_t kCorners = 10, kIndices = 11, kVertexCount = 14, kCapturedWords = 16'384;

class Emulated : public Queries {
  protected:
    uint32_t captured_bytes_ = 1200;  ///< less than what most draws here make
    void start() override {
        Queries::start();
        Buffer vertices;
        for (uint32_t i = 0; i < kVertexCount; i++) {
            const float x = static_cast<float>(i * 7 % 13) / 7 - 0.9F, y = static_cast<float>(i * 5 % 11) / 6 - 0.9F;
            for (const float f : {x, y, 0.F, 1.F, static_cast<float>(i % 3) / 3, x * x, y * y, 1.F})
                vertices.push_back(bits(f));
        }
        make_buffer(kCorners, kBindVertexBuffer, vertices);
        make_buffer(kIndices, kBindIndexBuffer, Buffer{3, 1, 4, 9, 5, 2, 6, ~0U, 8, 7, 13, 10, 0, 12, 11, 3});
        make_buffer(kCaptured, kBindStreamOutput, Buffer(kCapturedWords, 9));
    }
    /// What a draw leaves: pixels, what is captured, and what three queries count.
    Buffer draw(const Buffer& shaders, const Buffer& drawing) {
        run(scene() + whole_target() + command(Id::SetVertexBuffers, {32, 0, kCorners}) + shaders +
            capture_to(kTargetObject, kCaptured, 16, captured_bytes_) +
            query(QueryType::PrimitivesGenerated, 50, 0, 0) + query(QueryType::PrimitivesEmitted, 51, 0, 16) +
            query(QueryType::StreamoutOverflow, 52, 0, 32) + begin(50) + begin(51) + begin(52) + drawing + end(50) +
            end(51) + end(52) + get(50) + get(51) + get(52));
        EXPECT_FALSE(renderer_->busy(kResult, true));
        Buffer all = pixels();
        const auto captured = words_of(kCaptured, kCapturedWords);
        all.insert(all.end(), captured.begin(), captured.end());
        for (const size_t offset : {8U, 24U, 40U}) all.push_back(word(offset));
        return all;
    }
    Buffer draw_without(const Names& missing, const Buffer& shaders, const Buffer& drawing) {
        restart_without(missing);
        return draw(shaders, drawing);
    }
    Buffer emulated(const Buffer& shaders, const Buffer& drawing) {
        return draw_without(kNoGeometry, shaders, drawing);
    }
    /// Compares what the draw leaves on both devices.
    void compare(const Buffer& shaders, const Buffer& drawing, const Names& missing = kNoGeometry) {
        const auto own = draw_without({}, shaders, drawing), emulated = draw_without(missing, shaders, drawing);
        EXPECT_EQ(std::mismatch(own.begin(), own.end(), emulated.begin()).first - own.begin(),
                  static_cast<ptrdiff_t>(own.size()))
            << "the first word that differs";
        EXPECT_NE(own[own.size() - 2], 0U) << "primitives that are captured";
    }
};

Buffer draw_vertices(uint32_t mode) {
    return command(Id::DrawVbo, {1, kVertexCount - 1, mode, 0, 2, 0, 0, 0, 0, 0, ~0u, 0});
}
Buffer draw_indices(uint32_t mode) {
    return command(Id::SetIndexBuffer, {kIndices, 4, 0}) +
           command(Id::DrawVbo, {0, 16, mode, 1, 1, 0, 0, 1, ~0u, 0, ~0u, 0});
}

TEST_F(Emulated, GeometryShadersTakeAndMakeEachPrimitive) {
    for (const Mode& mode : kModes)
        for (const char* output : {"POINTS", "LINE_STRIP", "TRIANGLE_STRIP"}) {
            SCOPED_TRACE(fmt::format("mode {} to {}", mode.mode, output));
            compare(capturing(geometry(mode, output)), draw_vertices(mode.mode));
            if (HasFailure()) return;
        }
}

TEST_F(Emulated, GeometryShadersTakeIndicesWithRestarts) {
    for (const Mode& mode : kModes) {
        SCOPED_TRACE(fmt::format("mode {}", mode.mode));
        compare(capturing(geometry(mode, "TRIANGLE_STRIP")), draw_indices(mode.mode));
        if (HasFailure()) return;
    }
}

TEST_F(Emulated, VertexShadersAreCapturedAndDrawn) {
    for (const Mode& mode : kModes) {
        if (mode.mode > 6) break;
        SCOPED_TRACE(fmt::format("mode {}", mode.mode));
        compare(capturing(kVert), draw_vertices(mode.mode));
        compare(capturing(kVert), draw_indices(mode.mode));
        if (HasFailure()) return;
    }
}

/// Colours pixels by the number of their primitive.
Buffer numbering(const char* declaration) {
    return use(
        21, fmt::format("FRAG\nDCL {0}, PRIMID{1}\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {{0.05, 0.1, 0.4, 1}}\n"
                        "U2F TEMP[0].x, {0}.xxxx\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww\n"
                        "MUL OUT[0], TEMP[0].xxxx, IMM[0]\nEND\n",
                        declaration, declaration[0] == 'I' ? ", CONSTANT" : ""));
}

TEST_F(Emulated, FragmentsKnowTheirPrimitive) {
    for (const char* declaration : {"IN[0]", "SV[0]"})
        for (const Mode& mode : kModes) {
            if (mode.mode > 6) break;
            SCOPED_TRACE(fmt::format("mode {}, {}", mode.mode, declaration));
            const Buffer shaders = capturing(kVert) + numbering(declaration);
            compare(shaders, draw_vertices(mode.mode));
            compare(shaders, draw_indices(mode.mode));
            if (HasFailure()) return;
        }
}

TEST_F(Emulated, FragmentsKnowThePrimitiveThatGeometryShadersWrite) {
    std::string text = geometry(kModes[3], "TRIANGLE_STRIP");
    text.insert(text.find("DCL TEMP"), "DCL OUT[2], PRIMID\n");
    for (size_t at = text.find("EMIT"); at != std::string::npos; at = text.find("EMIT", at + 30))
        text.insert(at, "UADD OUT[2].x, IN[2], IN[2]\n");
    compare(capturing(text) + numbering("IN[0]"), draw_vertices(4));
}

/// Captures what goes to stream 1.
TEST_F(Emulated, GeometryShadersHaveStreams) {
    const std::string text =
        "GEOM; PROPERTY GS_INPUT_PRIMITIVE POINTS; PROPERTY GS_OUTPUT_PRIMITIVE POINTS; "
        "PROPERTY GS_MAX_OUTPUT_VERTICES 3; DCL IN[][0], POSITION; DCL IN[][1], GENERIC[0]; "
        "DCL OUT[0], GENERIC[5], STREAM(1, 1, 1, 1); DCL OUT[1], POSITION; DCL OUT[2], GENERIC[0]; "
        "IMM[0] UINT32 {0, 1, 0, 0}; MOV OUT[1], IN[0][0]; MOV OUT[2], IN[0][1]; EMIT IMM[0].xxxx; "
        "MOV OUT[0], IN[0][0]; EMIT IMM[0].yyyy; MOV OUT[0], IN[0][1]; EMIT IMM[0].yyyy; END";
    compare(capturing(text, 1), draw_vertices(0));
}

/// Without targets, and while feedback is paused.
TEST_F(Emulated, PrimitivesThatAreNotCapturedAreNotCounted) {
    restart_without(kNoGeometry);
    const Buffer pause = command(Id::SetStreamoutTargets, {0});
    run(scene() + capturing(geometry_of_triangles("", "MOV OUT[0], IN[@][0]; ")) +
        query(QueryType::PrimitivesEmitted, 50) + query(QueryType::StreamoutStatistics, 51, 0, 16) +
        query(QueryType::PrimitivesGenerated, 52, 0, 32) + query(QueryType::StreamoutOverflow, 53, 0, 48) + begin(50) +
        begin(51) + begin(52) + begin(53) + triangle() + capture_to(kTargetObject, kCaptured, 0, captured_bytes_) +
        triangle() + pause + triangle() + end(50) + end(51) + end(52) + end(53) + get(50) + get(51) + get(52) +
        get(53));
    EXPECT_EQ(result(), 1U);
    EXPECT_EQ(word(24), 1U) << "statistics";
    EXPECT_EQ(word(40), 3U) << "generated";
    EXPECT_EQ(word(56), 0U) << "overflow";
}

TEST_F(Emulated, GeometryShadersClip) {
    std::string text = geometry(kModes[3], "TRIANGLE_STRIP");
    text.insert(text.find("DCL IN"), "PROPERTY NUM_CLIPDIST_ENABLED 1\nPROPERTY NUM_CULLDIST_ENABLED 1\n");
    text.insert(text.find("DCL TEMP"), "DCL OUT[2], CLIPDIST\n");
    for (size_t at = text.find("EMIT"); at != std::string::npos; at = text.find("EMIT", at + 60))
        text.insert(at, "MOV OUT[2].x, OUT[0].xxxx\nMOV OUT[2].y, OUT[0].yyyy\n");
    compare(capturing(text), draw_vertices(4));
}

/// lavapipe runs each invocation for all primitives, and OpenGL all invocations of a primitive before the next one.
TEST_F(Emulated, InvocationsOfAPrimitiveAreTogether) {
    const auto all = emulated(capturing(geometry(kModes[0], "POINTS", 2)), draw_vertices(0));
    const auto vertex = [&](size_t n) { return std::bit_cast<float>(all[kSize * kSize + 4 + 4 * n]); };
    EXPECT_FLOAT_EQ(vertex(7), vertex(0) + 0.3F) << "the second invocation";
    EXPECT_NEAR(vertex(14) - vertex(0), -6 / 7.0, 1e-5) << "the second vertex";
}

/// The first and the last vertex of 2^31 are too far apart for records in between.
TEST_F(Emulated, PrimitivesWithoutRoomAreNotDrawn) {
    restart_without(kNoGeometry);
    make_buffer(kIndices + 1, kBindIndexBuffer, {0, 1, 0x7fff'ffff});
    const auto left = draw(capturing(geometry(kModes[3], "TRIANGLE_STRIP")),
                           command(Id::SetIndexBuffer, {kIndices + 1, 4, 0}) +
                               command(Id::DrawVbo, {0, 3, 4, 1, 1, 0, 0, 0, 0, 0, ~0u, 0}) +
                               command(Id::DrawVbo, {0, ~0u, 0, 0, ~0u, 0, 0, 0, 0, 0, ~0u, 0}));
    EXPECT_THAT(std::span(left).last(3), ElementsAre(0, 0, 0));
}

/// The vertices of an instance fill one piece, or two. The command has time for 2^21 more vertices, or pieces as long
/// as 4,096 each; the last one of an instance that has several is not counted.
TEST_F(Emulated, PrimitivesFarApartAreFew) {
    constexpr uint32_t kInstances = (1U << 27) - (1U << 20), kCharged = 512;
    for (const uint32_t far : {600'000U, 1U << 26}) {
        restart_without(kNoGeometry);
        make_buffer(kIndices + 1, kBindIndexBuffer, {0, far});
        const auto left = draw(capturing(geometry(kModes[0], "POINTS")),
                               command(Id::SetIndexBuffer, {kIndices + 1, 4, 0}) +
                                   command(Id::DrawVbo, {0, 2, 0, 1, kInstances, 0, 0, 0, 0, 0, ~0u, 0}));
        EXPECT_EQ(left[left.size() - 3], 7 * 2 * kCharged) << "primitives generated";
    }
}

/// Millions of empty draws of one command, and one that draws.
TEST_F(Emulated, IndirectDrawsAreReadOneByOne) {
    constexpr uint32_t kDraws = 3'000'000, kArguments = kIndices + 2;
    const Buffer shaders = capturing(geometry(kModes[3], "TRIANGLE_STRIP"));
    const auto indirect = [](uint32_t draws, uint32_t offset) {
        return command(Id::DrawVbo, {0, 0, 4, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, 3, 0, kArguments, offset, 16, draws, 0, 0});
    };
    Buffer arguments(4 * kDraws, 0);
    std::ranges::copy(std::array{3U, 1U, 2U, 0U}, arguments.end() - 4);
    const auto left = [&](uint32_t draws, uint32_t offset) {
        restart_without(kNoGeometry);
        make_buffer(kArguments, kBindCommandArgs, arguments);
        return draw(shaders, indirect(draws, offset));
    };
    EXPECT_EQ(left(kDraws, 0), left(1, 16 * (kDraws - 1)));
}

/// As far as a storage buffer may reach (lavapipe: 128 MiB).
TEST_F(Emulated, CapturesGoToLongTargets) {
    restart_without(kNoGeometry);
    constexpr uint32_t kBytes = 129U << 20, kLong = kIndices + 2;
    create({kLong, 0, 64, kBindStreamOutput, kBytes, 1, 1, 1, 0, 0});
    run(scene() + capturing(kVert) + capture_to(kTargetObject, kLong, 0, kBytes) + triangle());
    EXPECT_THAT(words_of(kLong, 8), ElementsAre(bits(-1), bits(-1), 0, bits(1), bits(3), bits(-1), 0, bits(1)));
}

/// With room for a thousand vertices of each invocation, the records fill several pieces; with room for nine, one.
TEST_F(Emulated, LargeDrawsGoInPieces) {
    const std::string text = geometry(kModes[0], "POINTS");
    std::string large = text;
    large.replace(large.find("VERTICES 9"), 10, "VERTICES 1000");
    const Buffer many = command(Id::DrawVbo, {0, 1500, 0, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
    const auto whole = emulated(capturing(text), many);
    EXPECT_EQ(emulated(capturing(large), many), whole);
    EXPECT_EQ(whole[whole.size() - 3], 1500U * 7) << "primitives generated";
}

/// Patches of three vertices from the last three of four, with levels that grow from patch to patch.
std::string control(float outer, float inner) {
    return fmt::format(
        "TESS_CTRL; PROPERTY TCS_VERTICES_OUT 3; DCL IN[][0], POSITION; DCL IN[][1], GENERIC[0]; "
        "DCL OUT[][0], GENERIC[3]; DCL OUT[][1], POSITION; DCL OUT[2], TESSOUTER; DCL OUT[3], TESSINNER; "
        "DCL OUT[4], PATCH[1]; DCL SV[0], INVOCATIONID; DCL SV[1], PRIMID; DCL SV[2], VERTICESIN; DCL TEMP[0..1]; "
        "DCL ADDR[0]; IMM[0] FLT32 {{{}, {}, {}, 0.05}}; IMM[1] FLT32 {{0.7, 1.3, 2.9, 0}}; "
        "IMM[2] UINT32 {{1, 0, 0, 0}}; UADD TEMP[1].x, SV[0].xxxx, IMM[2].xxxx; UARL ADDR[0].x, SV[0].xxxx; "
        "UARL ADDR[0].y, TEMP[1].xxxx; MOV OUT[ADDR[0].x][1], IN[ADDR[0].y][0]; "
        "MOV OUT[ADDR[0].x][0], IN[ADDR[0].y][1]; BARRIER; U2F TEMP[0].x, SV[1].xxxx; "
        "MAD OUT[2], TEMP[0].xxxx, IMM[1], IMM[0].xyxz; MAD OUT[3].xy, TEMP[0].xxxx, IMM[1].zyyy, IMM[0].zyyy; "
        "U2F TEMP[1].x, SV[2].xxxx; MAD OUT[4], OUT[1][0], IMM[0].wwww, TEMP[1].xxxx; END",
        outer, outer * 1.5F, inner);
}

std::string evaluation(const char* domain, uint32_t spacing, bool clockwise, bool points, const char* levels) {
    return fmt::format(
        "TESS_EVAL; PROPERTY TES_PRIM_MODE {}; PROPERTY TES_SPACING {}; PROPERTY TES_VERTEX_ORDER_CW {}; "
        "PROPERTY TES_POINT_MODE {}; DCL IN[][0], POSITION; DCL IN[][1], GENERIC[3]; {}; DCL SV[0], TESSCOORD; "
        "DCL SV[2], PRIMID; DCL SV[3], VERTICESIN; DCL OUT[0], POSITION; DCL OUT[1], GENERIC[0]; DCL TEMP[0..1]; "
        "IMM[0] FLT32 {{0.1, 0.3, 0, 1}}; MUL TEMP[0], IN[0][0], SV[0].xxxx; "
        "MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]; MAD TEMP[0].xyz, IN[2][0], IMM[0].yyyy, TEMP[0]; "
        "MOV TEMP[0].w, IMM[0].wwww; MOV OUT[0], TEMP[0]; U2F TEMP[1].xz, SV[2].xxxx; U2F TEMP[1].yw, SV[3].xxxx; "
        "MUL TEMP[1], TEMP[1], IMM[0].xxyy; MAD OUT[1], SV[1], IMM[0].xxxx, TEMP[1]; END",
        domain, spacing, clockwise ? 1 : 0, points ? 1 : 0, levels);
}

constexpr const char* kWithLevels = "DCL IN[2], PATCH[1]\nDCL SV[1], TESSOUTER";
constexpr const char* kWithoutControl = "DCL SV[1], TESSINNER";

Buffer draw_patches(uint32_t instances) {
    return command(Id::DrawVbo, {1, kVertexCount - 1, 14, 0, instances, 0, 0, 0, 0, 0, ~0u, 0, 4, 0});
}
Buffer draw_indexed_patches() {
    return command(Id::SetIndexBuffer, {kIndices, 4, 0}) +
           command(Id::DrawVbo, {0, 16, 14, 1, 1, 0, 0, 1, ~0u, 0, ~0u, 0, 4, 0});
}

TEST_F(Emulated, PatchesAreTessellatedInEachWay) {
    captured_bytes_ = 65'000;
    constexpr std::array kLevels = {1.F, 2.4F, 7.F};
    for (const char* domain : {"TRIANGLES", "QUADS", "LINES"})
        for (uint32_t spacing = 0; spacing < 3; spacing++)
            for (uint32_t i = 0; i < kLevels.size(); i++) {
                const float level = kLevels[i];
                const bool points = (spacing + i) % 2 == 1, clockwise = level > 2;
                SCOPED_TRACE(fmt::format("{} spacing {} points {} level {}", domain, spacing, points, level));
                compare(use(23, control(level, level)) +
                            capturing(evaluation(domain, spacing, clockwise, points, kWithLevels)),
                        draw_patches(2));
                if (HasFailure()) return;
            }
}

/// The last one counts, for the library and for the host, which sizes buffers by it.
TEST_F(Emulated, PropertiesMayBeWrittenTwice) {
    const std::string once = geometry(kModes[3], "TRIANGLE_STRIP"), patches = control(2, 3);
    std::string twice = once, nothing = once, patches_twice = patches;
    twice.insert(6, "PROPERTY GS_OUTPUT_PRIMITIVE PATCHES\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\n");
    nothing.insert(nothing.find("DCL"), "PROPERTY GS_OUTPUT_PRIMITIVE PATCHES\n");
    patches_twice.insert(11, "PROPERTY TCS_VERTICES_OUT 1\n");
    const auto drawn = [&](const std::string& geom) { return emulated(capturing(geom), draw_vertices(4)); };
    EXPECT_EQ(drawn(twice), drawn(once));
    const Buffer left = drawn(nothing);
    EXPECT_THAT(std::span(left).last(3), ElementsAre(0, 0, 0));
    const auto tessellated = [&](const std::string& text) {
        return emulated(use(23, text) + capturing(evaluation("TRIANGLES", 2, false, false, kWithLevels)),
                        draw_patches(1));
    };
    EXPECT_EQ(tessellated(patches_twice), tessellated(patches));
}

/// Without PRIMID: lavapipe counts patches anew after a restart, and OpenGL does not.
TEST_F(Emulated, PatchesTakeIndicesAndDefaultLevels) {
    std::string text = evaluation("TRIANGLES", 2, false, false, kWithoutControl);
    const std::string number = "U2F TEMP[1].xz, SV[2].xxxx";
    text.replace(text.find(number), number.size(), "MOV TEMP[1].xz, SV[0].xxxx");
    compare(command(Id::SetTessState, {bits(3), bits(2), bits(5), bits(1), bits(4), bits(1)}) + capturing(text),
            draw_indexed_patches());
}

TEST_F(Emulated, GeometryShadersFollowTessellation) {
    for (const Mode& mode : {kModes[0], kModes[1], kModes[3]}) {
        SCOPED_TRACE(mode.primitive);
        const char* const domain = mode.corners == 2 ? "LINES" : "QUADS";
        compare(use(23, control(2, 3)) + use(22, evaluation(domain, 1, false, mode.corners == 1, kWithLevels)) +
                    capturing(geometry(mode, "TRIANGLE_STRIP")),
                draw_patches(1));
    }
}

/// Each would take a submission of its own.
TEST_F(Emulated, InstancesWithoutEndAreNotTessellated) {
    const auto left = emulated(use(23, control(2, 3)) + use(22, evaluation("QUADS", 1, false, true, kWithLevels)) +
                                   capturing(geometry(kModes[0], "POINTS")),
                               draw_patches(1U << 22));
    EXPECT_THAT(std::span(left).last(3), ElementsAre(0, 0, 0));
}

TEST_F(Emulated, FragmentsKnowTheirPatch) {
    const Buffer shaders =
        use(23, control(2, 3)) + capturing(evaluation("TRIANGLES", 2, false, false, kWithLevels)) + numbering("SV[0]");
    compare(shaders, draw_patches(2));
    compare(shaders, draw_patches(2),
            {"tessellationShader"});  // with geometry shaders, in which FRAG has a number of its own
}

/// Room for a thousand vertices of each of GEOM's invocations divides the primitives of a patch.
TEST_F(Emulated, LargePatchesGoInPieces) {
    const std::string text = geometry(kModes[0], "POINTS");
    std::string large = text;
    large.replace(large.find("VERTICES 9"), 10, "VERTICES 1000");
    const Buffer tessellation = use(23, control(20, 30)) + use(22, evaluation("QUADS", 2, false, true, kWithLevels));
    const auto whole = emulated(tessellation + capturing(text), draw_patches(1));
    EXPECT_EQ(emulated(tessellation + capturing(large), draw_patches(1)), whole);
    EXPECT_GT(whole[whole.size() - 3], 7U * 3 * 600) << "primitives generated";
}

/// Only tessellation is missing.
TEST_F(Emulated, TessellationAloneIsReplaced) {
    const Buffer shaders = use(23, control(2, 3)) + capturing(evaluation("TRIANGLES", 0, true, false, kWithLevels));
    compare(shaders, draw_patches(2), {"tessellationShader"});
}

/// MoltenVK's devices tessellate, but make no lines and no points.
TEST_F(Emulated, MissingWaysOfTessellationAreReplaced) {
    for (const auto& [domain, points] : {std::pair("LINES", false), {"TRIANGLES", true}, {"QUADS", false}}) {
        SCOPED_TRACE(fmt::format("{} points {}", domain, points));
        const Buffer shaders = use(23, control(2, 3)) + capturing(evaluation(domain, 2, false, points, kWithLevels));
        compare(shaders, draw_patches(2), {"tessellationIsolines", "tessellationPointMode"});
    }
}

TEST_F(Emulated, LevelsThatAreNoNumbersDropThePatch) {
    const auto left = emulated(use(23, control(std::numeric_limits<float>::quiet_NaN(), 1)) +
                                   capturing(evaluation("QUADS", 2, false, false, kWithLevels)),
                               draw_patches(1));
    EXPECT_THAT(std::span(left).last(3), ElementsAre(0, 0, 0));
}

TEST(Assembler, KeepsTheProvokingVertexOfStrips) {
    const auto all = [](VkPrimitiveTopology topology, uint32_t count, bool last) {
        Assembler assembler(topology, {.first = 10, .count = count}, last);
        Corners corners{};
        Buffer list;
        while (assembler.next(corners))
            list.insert(list.end(), corners.begin(), corners.begin() + corners_of(topology));
        return list;
    };
    EXPECT_THAT(all(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, 4, false), ElementsAre(10, 11, 12, 11, 13, 12));
    EXPECT_THAT(all(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, 4, true), ElementsAre(10, 11, 12, 12, 11, 13));
    EXPECT_THAT(all(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, 4, false), ElementsAre(11, 12, 10, 12, 13, 10));
    EXPECT_THAT(all(VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, 1, false), ElementsAre());
    EXPECT_THAT(all(VK_PRIMITIVE_TOPOLOGY_LINE_LIST, 3, false), ElementsAre(10, 11));
    // OpenGL's table, for two triangles.
    EXPECT_THAT(all(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY, 8, false),
                ElementsAre(10, 11, 12, 16, 14, 13, 14, 10, 12, 15, 16, 17));
}

}  // namespace
}  // namespace tgsi2spv::host

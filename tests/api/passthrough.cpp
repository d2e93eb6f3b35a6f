#include "api/passthrough.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "api/convert.h"
#include "lower/interface/link.h"

namespace tgsi2spv::api {
namespace {

TEST(Passthrough, PassesOnTheInputsOfTheEvaluation) {
    Context context;
    ASSERT_TRUE(
        parse(context,
              "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], POSITION\nDCL IN[][1..2], ARRAY(1), GENERIC[9]\n"
              "DCL IN[][3], GENERIC[10]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0][0]\nEND\n",
              {}));
    const auto text = passthrough_tess_ctrl(context.program, context.registers, 5);
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, testing::HasSubstr("PROPERTY TCS_VERTICES_OUT 5\n"));
    EXPECT_THAT(*text, testing::HasSubstr("DCL OUT[][4], GENERIC[10]\n"));
    EXPECT_THAT(*text, testing::HasSubstr("MOV OUT[SV[0].x][2], IN[SV[0].x][0]\n"));
    EXPECT_THAT(*text, testing::Not(testing::HasSubstr("OUT[][5]")));  // GENERIC[10] is declared once
    ASSERT_TRUE(convert(context, *text, {})) << context.diagnostics[0].message;
    EXPECT_EQ(context.module.entry.stage, ir::Stage::TessControl);
    EXPECT_EQ(context.module.entry.output_vertices, 5u);
    EXPECT_EQ(reflect(context, {}).spec_constants.size(), 6u);  // the default tessellation levels
}

TEST(Passthrough, RefusesInputsThatItCannotPassOn) {
    const auto refusal = [](std::string_view shader, uint32_t vertices) {
        Context context;
        EXPECT_TRUE(parse(context, shader, {}));
        const auto text = passthrough_tess_ctrl(context.program, context.registers, vertices);
        return text ? std::string() : text.error().message;
    };
    constexpr std::string_view kEvaluation = "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nEND\n";
    EXPECT_EQ(refusal(kEvaluation, 32), "");
    EXPECT_THAT(refusal(kEvaluation, 0), testing::HasSubstr("1 to 32"));
    EXPECT_THAT(refusal(kEvaluation, 33), testing::HasSubstr("1 to 32"));
    EXPECT_THAT(refusal("VERT\nEND\n", 3), testing::HasSubstr("TESS_EVAL"));
    EXPECT_THAT(refusal("TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[0], PATCH\nEND\n", 3),
                testing::HasSubstr("PATCH"));
}

/// Returns the GEOM to insert between the two shaders, and checks that all three convert when they are linked. Returns
/// the error message if passthrough_geometry() refuses.
std::string geometry_after(std::string_view vertex, std::string_view fragment, const PassthroughGeometry& what) {
    Context before, after, geometry;
    EXPECT_TRUE(parse(before, vertex, {}));
    EXPECT_TRUE(parse(after, fragment, {}));
    const auto text = passthrough_geometry(before.program, before.registers, &after.program, what);
    if (!text) return text.error().message;
    Options options;
    EXPECT_TRUE(parse(geometry, *text, options)) << geometry.diagnostics[0].message << *text;
    options.lower.state.line_stipple = what.line_stipple;
    std::array<lower::Linkage, 3> linkages;
    std::vector<tgsi::Diagnostic> diagnostics;
    const lower::LinkStage stages[] = {{&before.program, &before.registers, &options.lower},
                                       {&geometry.program, &geometry.registers, &options.lower},
                                       {&after.program, &after.registers, &options.lower}};
    EXPECT_TRUE(lower::link(stages, {}, {}, linkages, diagnostics));
    Context* all[] = {&before, &geometry, &after};
    for (size_t i = 0; i < 3; ++i) {
        Options with = options;
        with.lower.linkage = &linkages[i];
        EXPECT_TRUE(lower(*all[i], with) && optimise(*all[i], with) && emit(*all[i], with))
            << all[i]->diagnostics[0].message;
    }
    return std::string(*text);
}

constexpr std::string_view kVertex =
    "VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\nDCL OUT[1], COLOR\nDCL OUT[2], EDGEFLAG\nDCL OUT[3], CLIPDIST\n"
    "DCL OUT[4], GENERIC[7]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nMOV OUT[2], IN[1]\nMOV OUT[3].xy, IN[0]\n"
    "MOV OUT[4].x, IN[1]\nEND\n";
constexpr std::string_view kFragment =
    "FRAG\nDCL IN[0], COLOR, COLOR\nDCL IN[1], GENERIC[7], CONSTANT\nDCL OUT[0], COLOR\nADD OUT[0], IN[0], "
    "IN[1]\nEND\n";

TEST(PassthroughGeometry, TakesFlatValuesFromTheProvokingVertex) {
    const auto last = [&](Topology topology, bool flat_shade = false) {
        return geometry_after(kVertex, kFragment,
                              {.topology = topology, .provoking_last = true, .flat_shade = flat_shade});
    };
    const std::string triangles = last(Topology::Triangles);
    EXPECT_THAT(triangles, testing::HasSubstr("MOV OUT[4].x, IN[2][4]\n"));
    EXPECT_THAT(triangles, testing::Not(testing::HasSubstr("MOV OUT[4].x, IN[0][4]\n")));
    EXPECT_THAT(triangles, testing::HasSubstr("MOV OUT[1], IN[0][1]\n"));
    EXPECT_THAT(last(Topology::Triangles, true), testing::Not(testing::HasSubstr("MOV OUT[1], IN[0][1]\n")));
    EXPECT_THAT(last(Topology::Lines), testing::HasSubstr("MOV OUT[4].x, IN[1][4]\n"));
    EXPECT_THAT(last(Topology::TriangleFan), testing::HasSubstr("MOV OUT[4].x, IN[1][4]\n"));
    EXPECT_THAT(last(Topology::TriangleStrip), testing::HasSubstr("UCMP OUT[4].x, TEMP[0].xxxx, IN[1][4], IN[2][4]\n"));
    EXPECT_THAT(last(Topology::Points), testing::HasSubstr("GS_OUTPUT_PRIMITIVE POINTS"));
    // The GEOM passes on as many distances as the stage before it writes.
    EXPECT_THAT(triangles, testing::HasSubstr("MOV OUT[3].xy, IN[0][3]\n"));
}

/// VERT with one more output, and FRAG with one input: the GEOM between them.
std::string geometry_of(const std::string& outputs, const std::string& writes, const std::string& fragment,
                        const PassthroughGeometry& what, const std::string& properties = {}) {
    return geometry_after("VERT\n" + properties + "DCL IN[0..1]\nDCL OUT[0], POSITION\n" + outputs +
                              "MOV OUT[0], IN[0]\n" + writes + "END\n",
                          "FRAG\n" + fragment + "END\n", what);
}

/// A word of interpolation that is absent means CONSTANT, as gallium's frontends write integers.
TEST(PassthroughGeometry, InputsWithoutAWordOfInterpolationAreFlat) {
    const auto second = [](const char* interpolation) {
        return geometry_of(
            "DCL OUT[1], GENERIC[7]\n", "MOV OUT[1], IN[1]\n",
            std::string("DCL IN[0], GENERIC[7]") + interpolation + "\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\n",
            {.topology = Topology::Triangles, .provoking_last = true});
    };
    EXPECT_THAT(second(""), testing::Not(testing::HasSubstr("MOV OUT[1], IN[0][1]\n")));
    EXPECT_THAT(second(", CONSTANT"), testing::Not(testing::HasSubstr("MOV OUT[1], IN[0][1]\n")));
    EXPECT_THAT(second(", PERSPECTIVE"), testing::HasSubstr("MOV OUT[1], IN[0][1]\n"));
    EXPECT_THAT(second(", LINEAR"), testing::HasSubstr("MOV OUT[1], IN[0][1]\n"));
}

/// The front and the back of a triangle take their colour from the same vertex.
TEST(PassthroughGeometry, ColorsOfTheBackAreAsFlatAsThoseOfTheFront) {
    const auto backs = [](bool flat_shade) {
        return geometry_of("DCL OUT[1], COLOR[1]\nDCL OUT[2], BCOLOR[1]\nDCL OUT[3], BCOLOR\n",
                           "MOV OUT[1], IN[1]\nMOV OUT[2], IN[1]\nMOV OUT[3], IN[1]\n",
                           "DCL IN[0], COLOR[1], COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\n",
                           {.topology = Topology::Triangles, .provoking_last = true, .flat_shade = flat_shade});
    };
    EXPECT_THAT(backs(true), testing::HasSubstr("MOV OUT[2], IN[2][2]\n"));
    EXPECT_THAT(backs(true), testing::Not(testing::HasSubstr("MOV OUT[2], IN[0][2]\n")));
    EXPECT_THAT(backs(true), testing::HasSubstr("MOV OUT[3], IN[0][3]\n"));  // of COLOR[0], which is not read
    EXPECT_THAT(backs(false), testing::HasSubstr("MOV OUT[2], IN[0][2]\n"));
}

TEST(PassthroughGeometry, PassesOnThePrimitivesNumber) {
    const auto text = [](const char* declaration, const char* read) {
        return geometry_of("", "", std::string(declaration) + "\nDCL OUT[0], COLOR\nU2F OUT[0], " + read + ".xxxx\n",
                           {.topology = Topology::Triangles});
    };
    const std::string passed = "DCL OUT[2], PRIM_ID\n";
    EXPECT_THAT(text("DCL IN[0], PRIMID, CONSTANT", "IN[0]"), testing::HasSubstr(passed));
    EXPECT_THAT(text("DCL SV[0], PRIMID", "SV[0]"), testing::HasSubstr(passed));
    EXPECT_THAT(text("DCL SV[0], FACE", "SV[0]"), testing::Not(testing::HasSubstr(passed)));
}

/// CLIPDIST holds the clip distances, then the cull distances, four in each register; the properties say how many.
TEST(PassthroughGeometry, PassesOnAsManyDistancesAsThePropertiesSay) {
    const auto text = [](uint32_t clip, uint32_t cull) {
        return geometry_of("DCL OUT[1..2], CLIPDIST\n", "MOV OUT[1], IN[0]\nMOV OUT[2], IN[1]\n",
                           "DCL OUT[0], COLOR\nIMM[0] FLT32 {0, 0, 0, 0}\nMOV OUT[0], IMM[0]\n",
                           {.topology = Topology::Triangles},
                           "PROPERTY NUM_CLIPDIST_ENABLED " + std::to_string(clip) +
                               "\nPROPERTY NUM_CULLDIST_ENABLED " + std::to_string(cull) + "\n");
    };
    const std::string six = text(4, 2), three = text(1, 2), eight = text(8, 0);
    EXPECT_THAT(six, testing::HasSubstr("MOV OUT[1], IN[0][1]\n"));
    EXPECT_THAT(six, testing::HasSubstr("MOV OUT[2].xy, IN[0][2]\n"));
    EXPECT_THAT(six, testing::HasSubstr("PROPERTY NUM_CLIPDIST_ENABLED 4\nPROPERTY NUM_CULLDIST_ENABLED 2\n"));
    EXPECT_THAT(three, testing::HasSubstr("MOV OUT[1].xyz, IN[0][1]\n"));
    EXPECT_THAT(three, testing::Not(testing::HasSubstr("OUT[2]")));
    EXPECT_THAT(eight, testing::HasSubstr("MOV OUT[2], IN[0][2]\n"));
}

TEST(PassthroughGeometry, DrawsEdgesAndCornersByTheirFlags) {
    const auto text = [&](Topology topology, PolygonMode mode, bool stipple = false) {
        return geometry_after(kVertex, kFragment,
                              {.topology = topology, .polygon_mode = mode, .line_stipple = stipple});
    };
    const std::string edges = text(Topology::Triangles, PolygonMode::Line);
    EXPECT_THAT(edges, testing::HasSubstr("GS_MAX_OUTPUT_VERTICES 6"));
    EXPECT_THAT(edges, testing::HasSubstr("FSNE TEMP[1].x, IN[2][2].xxxx"));
    EXPECT_THAT(edges, testing::Not(testing::HasSubstr("TEXCOORD[8]")));
    EXPECT_THAT(text(Topology::Triangles, PolygonMode::Point), testing::HasSubstr("GS_OUTPUT_PRIMITIVE POINTS"));
    // Points have a size, lines have none.
    const std::string points =
        std::string(kVertex.substr(0, kVertex.size() - 4)) + "DCL OUT[5], PSIZE\nMOV OUT[5].x, IN[1]\nEND\n";
    for (const PolygonMode mode : {PolygonMode::Line, PolygonMode::Point})
        EXPECT_EQ(geometry_after(points, kFragment, {.polygon_mode = mode}).find("PSIZE") != std::string::npos,
                  mode == PolygonMode::Point);
    // All edges of strips and fans are drawn.
    EXPECT_THAT(text(Topology::TriangleStrip, PolygonMode::Line), testing::Not(testing::HasSubstr("UIF")));
    EXPECT_THAT(text(Topology::Triangles, PolygonMode::Line, true), testing::HasSubstr("DCL OUT[5], TEXCOORD[8]"));
    EXPECT_THAT(text(Topology::LineStrip, PolygonMode::Fill, true), testing::HasSubstr("MOV OUT[5].xy, TEMP[2].xyyy"));
}

/// Each drawn vertex is emitted once, from its own input.
TEST(PassthroughGeometry, EmitsEachVertexOnce) {
    struct Row {
        Topology topology;
        PolygonMode mode;
        std::vector<int> vertices;  ///< the inputs, in order
        size_t primitives;
    };
    const Row rows[] = {
        {Topology::Points, PolygonMode::Fill, {0}, 1},
        {Topology::Lines, PolygonMode::Fill, {0, 1}, 1},
        {Topology::LineStrip, PolygonMode::Line, {0, 1}, 1},
        {Topology::Triangles, PolygonMode::Fill, {0, 1, 2}, 1},
        {Topology::TriangleFan, PolygonMode::Line, {0, 1, 1, 2, 2, 0}, 3},
        {Topology::TriangleStrip, PolygonMode::Point, {0, 1, 2}, 3},
    };
    const std::string vertex =
        "VERT\nDCL IN[0..1]\nDCL OUT[0], GENERIC\nDCL OUT[1], POSITION\nDCL OUT[2], GENERIC[1]\n"
        "MOV OUT[0], IN[1]\nMOV OUT[1], IN[0]\nMOV OUT[2], IN[1]\nEND\n";
    for (const Row& row : rows)
        for (const bool stipple : {false, true}) {
            const std::string text = geometry_after(
                vertex, "FRAG\nDCL IN[0], GENERIC, PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
                {.topology = row.topology, .polygon_mode = row.mode, .line_stipple = stipple});
            std::vector<int> vertices;
            size_t primitives = 0;
            std::istringstream lines(text);
            for (std::string line; std::getline(lines, line);) {
                if (line.starts_with("MOV OUT[1], IN[")) vertices.push_back(line[15] - '0');
                primitives += line.starts_with("ENDPRIM");
            }
            EXPECT_EQ(vertices, row.vertices) << text;
            EXPECT_EQ(primitives, row.primitives) << text;
            const auto count = [&](const std::string& part) {
                size_t n = 0;
                for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
                return n;
            };
            EXPECT_EQ(count("\nEMIT "), vertices.size());
            EXPECT_THAT(text, testing::HasSubstr("GS_MAX_OUTPUT_VERTICES " + std::to_string(vertices.size()) + "\n"));
            // The distance along a line starts at its first vertex, from positions.
            const bool stippled =
                stipple && (row.primitives == 3 ? row.mode == PolygonMode::Line : row.vertices.size() == 2);
            EXPECT_EQ(count("MOV OUT[3].xy, IMM[1].xyyy\n"), stippled ? row.primitives : 0) << text;
            EXPECT_EQ(count("RCP TEMP[1].x, IN[0][1].wwww\n"), stippled ? 1 : 0) << text;
        }
}

TEST(PassthroughGeometry, PassesOnAllRegistersOfOneSemantic) {
    const std::string text = geometry_after(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1].xy, GENERIC[7]\nDCL OUT[2].zw, GENERIC[7]\n"
        "MOV OUT[0], IN[0]\nMOV OUT[1].xy, IN[0]\nMOV OUT[2].zw, IN[0]\nEND\n",
        "FRAG\nDCL IN[0], GENERIC[7], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n", {});
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("].xy,")));
}

TEST(PassthroughGeometry, RefusesInputsThatGeomDoesNotHave) {
    EXPECT_THAT(geometry_after("VERT\nDCL OUT[0], LAYER\nIMM[0] UINT32 {1, 0, 0, 0}\nMOV OUT[0].x, IMM[0]\nEND\n",
                               kFragment, {}),
                testing::HasSubstr("LAYER"));
    for (const std::string name : {"LAYER", "VIEWPORT_INDEX", "VIEWPORT_MASK"})
        EXPECT_THAT(geometry_of("DCL OUT[1], " + name + "\n", "MOV OUT[1].x, IN[1]\n", "", {}),
                    testing::AllOf(testing::HasSubstr(name + " of the preceding stage"),
                                   testing::Not(testing::HasSubstr("GEOM\n"))));
    EXPECT_THAT(geometry_after(kFragment, kFragment, {}), testing::HasSubstr("VERT or TESS_EVAL"));
    EXPECT_THAT(geometry_after(kVertex, kVertex, {}), testing::HasSubstr("needs a FRAG shader after it"));
}

}  // namespace
}  // namespace tgsi2spv::api

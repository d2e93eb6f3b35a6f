// GEOM: arrays over vertices, EMIT and ENDPRIM, streams, per-vertex builtins, io=buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string geometry(std::string_view input, std::string_view output, uint32_t vertices, std::string_view rest) {
    return "GEOM\nPROPERTY GS_INPUT_PRIMITIVE " + std::string(input) + "\nPROPERTY GS_OUTPUT_PRIMITIVE " +
           std::string(output) + "\nPROPERTY GS_MAX_OUTPUT_VERTICES " + std::to_string(vertices) + "\n" +
           std::string(rest);
}

Lowered lowered(const std::string& text, const lower::Options& options = {},
                const lower::Capabilities& capabilities = {}) {
    Lowered l = lower_text(text, options, capabilities);
    EXPECT_TRUE(l.ok) << l.error << "\n" << text;
    return l;
}

std::vector<const ir::Variable*> variables(const ir::Module& m, ir::VariableKind kind, ir::BuiltIn builtin) {
    std::vector<const ir::Variable*> found;
    for (const ir::Variable& v : m.variables)
        if (v.kind == kind && v.builtin == builtin) found.push_back(&v);
    return found;
}

TEST(LowerGeometry, InputsAreArraysAsLongAsThePrimitive) {
    const std::pair<const char*, uint32_t> kPrimitives[] = {{"POINTS", 1},
                                                            {"LINES", 2},
                                                            {"LINE_STRIP", 2},
                                                            {"LINE_LOOP", 2},
                                                            {"TRIANGLES", 3},
                                                            {"TRIANGLE_STRIP", 3},
                                                            {"TRIANGLE_FAN", 3},
                                                            {"LINES_ADJACENCY", 4},
                                                            {"LINE_STRIP_ADJACENCY", 4},
                                                            {"TRIANGLES_ADJACENCY", 6},
                                                            {"TRIANGLE_STRIP_ADJACENCY", 6}};
    for (const auto& [primitive, vertices] : kPrimitives) {
        SCOPED_TRACE(primitive);
        const Lowered l = lowered(geometry(primitive, "POINTS", 1,
                                           R"(DCL IN[][0], GENERIC[3]
DCL OUT[0], GENERIC[3]
MOV OUT[0], IN[0][0]
EMIT
END
)"));
        const auto in = variables(l.module, ir::VariableKind::Input, ir::BuiltIn::None);
        ASSERT_EQ(in.size(), 1u);
        EXPECT_EQ(in[0]->array[0], vertices);
        EXPECT_EQ(in[0]->location, 3u);
    }
    for (const char* primitive : {"QUADS", "QUAD_STRIP", "POLYGON", "PATCHES"}) {
        const Lowered l = lower_text(geometry(primitive, "POINTS", 1, "EMIT\nEND\n"));
        EXPECT_FALSE(l.ok);
        EXPECT_THAT(l.error, HasSubstr("GS_INPUT_PRIMITIVE"));
    }
}

TEST(LowerGeometry, VerticesHaveBuiltins) {
    const Lowered l = lowered(geometry("TRIANGLES", "TRIANGLE_STRIP", 3,
                                       R"(DCL IN[][0], POSITION
DCL IN[][1], PSIZE
DCL IN[][2], CLIPDIST
DCL IN[][3], CLIPDIST[1]
DCL IN[][4], PRIM_ID
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
DCL OUT[1], LAYER
DCL OUT[2], VIEWPORT_INDEX
DCL OUT[3], PRIM_ID
DCL OUT[4], CLIPDIST
DCL OUT[5], PSIZE
MOV OUT[0], IN[2][0]
MOV OUT[0].y, IN[1][1].xxxx
MOV OUT[4].x, IN[0][3].yyyy
MOV OUT[5].x, IN[0][1].yyyy
MOV OUT[1].x, SV[0].xxxx
MOV OUT[2].x, IN[4].xxxx
MOV OUT[3].x, IN[4].xxxx
EMIT
END
)"));
    auto array = [&](ir::VariableKind kind, ir::BuiltIn builtin) {
        const auto v = variables(l.module, kind, builtin);
        EXPECT_EQ(v.size(), 1u) << static_cast<int>(builtin);
        return v.empty() ? std::array<uint32_t, 2>{99, 99} : v[0]->array;
    };
    using Array = std::array<uint32_t, 2>;
    EXPECT_EQ(array(ir::VariableKind::Input, ir::BuiltIn::Position), (Array{3, 0}));
    EXPECT_EQ(array(ir::VariableKind::Input, ir::BuiltIn::PointSize), (Array{3, 0}));
    EXPECT_EQ(array(ir::VariableKind::Input, ir::BuiltIn::ClipDistance), (Array{3, 6}));
    EXPECT_EQ(array(ir::VariableKind::Input, ir::BuiltIn::PrimitiveId), (Array{0, 0}));
    EXPECT_EQ(array(ir::VariableKind::Input, ir::BuiltIn::InvocationId), (Array{0, 0}));
    for (const ir::BuiltIn b : {ir::BuiltIn::Position, ir::BuiltIn::Layer, ir::BuiltIn::ViewportIndex,
                                ir::BuiltIn::PrimitiveId, ir::BuiltIn::PointSize})
        EXPECT_EQ(array(ir::VariableKind::Output, b), (Array{0, 0}));
    EXPECT_EQ(array(ir::VariableKind::Output, ir::BuiltIn::ClipDistance), (Array{1, 0}));
    // A geometry shader writes the layer without the capability that other stages need.
    lower::Capabilities none;
    none.shader_layer = false;
    lowered(geometry("POINTS", "LINE_STRIP", 2, R"(DCL OUT[0], LAYER
MOV OUT[0].x, OUT[0].yyyy
EMIT
END
)"),
            {}, none);
}

TEST(LowerGeometry, EveryEmitStoresTheOutputsThatKeepTheirValues) {
    const Lowered l = lowered(geometry("TRIANGLES", "TRIANGLE_STRIP", 3,
                                       R"(DCL IN[][0], POSITION
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] UINT32 {0, 1, 2, 3}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[1][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
EMIT IMM[0].xxxx
ENDPRIM IMM[0].xxxx
END
)"));
    EXPECT_EQ(count(l.module, ir::Op::EmitVertex), 2u);
    EXPECT_EQ(count(l.module, ir::Op::EndPrimitive), 1u);
    EXPECT_EQ(count(l.module, ir::Op::Store), 4u);
    EXPECT_EQ(count(l.module, ir::Op::BranchIf), 0u);  // the text cannot emit more vertices than there is room for
    EXPECT_EQ(l.module.entry.max_vertices, 3u);
    EXPECT_EQ(l.module.entry.invocations, 1u);
    // The last stage converts the depth; a stage that precedes another one does not.
    EXPECT_EQ(count(l.module, ir::Op::FAdd), 2u);
    lower::Options before_another;
    before_another.convert_depth_range = false;
    EXPECT_EQ(count(lowered(geometry("POINTS", "LINE_STRIP", 2, R"(DCL OUT[0], POSITION
MOV OUT[0].x, OUT[0]
EMIT
END
)"),
                            before_another)
                        .module,
                    ir::Op::FAdd),
              0u);
}

TEST(LowerGeometry, VerticesAreCountedWhereTheirNumberIsNotKnown) {
    const char* kBody = "DCL OUT[0], GENERIC[0]\nDCL TEMP[0]\nIMM[0] UINT32 {1, 0, 0, 0}\n";
    auto guards = [&](uint32_t most, const char* code) {
        return count(lowered(geometry("POINTS", "LINE_STRIP", most, std::string(kBody) + code)).module, ir::Op::ULt);
    };
    EXPECT_EQ(guards(2, R"(MOV OUT[0], IMM[0]
EMIT
EMIT
END
)"),
              0u);
    EXPECT_EQ(guards(2, R"(MOV OUT[0], IMM[0]
EMIT
UIF IMM[0].xxxx
EMIT
ENDIF
END
)"),
              0u);
    EXPECT_EQ(guards(1, R"(MOV OUT[0], IMM[0]
EMIT
EMIT
END
)"),
              2u);
    EXPECT_EQ(guards(9, R"(MOV OUT[0], IMM[0]
BGNLOOP
EMIT
UIF OUT[0].xxxx
BRK
ENDIF
ENDLOOP
END
)"),
              1u);
    // A loop that has ended does not multiply the EMITs after it.
    EXPECT_EQ(guards(9, "BGNLOOP\nMOV OUT[0], IMM[0]\nUIF OUT[0].xxxx\nBRK\nENDIF\nENDLOOP\nEMIT\nEND\n"), 0u);
    EXPECT_EQ(guards(9, R"(MOV OUT[0], IMM[0]
CAL :3
END
BGNSUB
EMIT
RET
ENDSUB
)"),
              1u);
}

TEST(LowerGeometry, ALimitOfZeroEmitsNothingAndWithoutOneThirtyTwo) {
    const std::string body = R"(DCL OUT[0], GENERIC[0]
IMM[0] UINT32 {1, 0, 0, 0}
MOV OUT[0], IMM[0]
EMIT
END
)";
    const Lowered none = lower_simplified(geometry("POINTS", "LINE_STRIP", 0, body));
    ASSERT_TRUE(none.ok) << none.error;
    EXPECT_EQ(count(none.module, ir::Op::EmitVertex), 0u);
    EXPECT_EQ(none.module.entry.max_vertices, 1u);
    EXPECT_TRUE(none.diagnostics.empty());
    const std::string text =
        "\n GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE LINE_STRIP\n" + body;
    const Lowered absent = lower_simplified(text);
    EXPECT_EQ(absent.module.entry.max_vertices, 32u);
    ASSERT_EQ(absent.diagnostics.size(), 1u);
    EXPECT_EQ(absent.diagnostics[0].offset, text.find("GEOM"));
}

TEST(LowerGeometry, ManyVerticesOfManyOutputsAreEmittedByAFunction) {
    // 4,000 EMITs of 20 outputs: storing the outputs at each EMIT would take 80,000 vectors for a text of 4,000
    // instructions.
    std::string text = "IMM[0] UINT32 {0, 1, 0, 0}\n";
    for (int i = 0; i < 20; ++i) text += "DCL OUT[" + std::to_string(i) + "], GENERIC[" + std::to_string(i) + "]\n";
    for (int i = 0; i < 20; ++i) text += "MOV OUT[" + std::to_string(i) + "], IMM[0]\n";
    for (int i = 0; i < 4000; ++i) text += i % 100 == 99 ? "EMIT IMM[0].yyyy\n" : "EMIT IMM[0].xxxx\n";
    text = geometry("POINTS", "POINTS", 1000, text + "END\n");
    lower::Options buffers;
    buffers.io_buffers = true;
    for (const lower::Options& options : {lower::Options{}, buffers}) {
        const Lowered l = lowered(text, options);
        EXPECT_EQ(count(l.module, ir::Op::Call), 4000u);
        EXPECT_LT(count(l.module, ir::Op::Store), 400u);
        EXPECT_EQ(l.module.functions.size(), 3u);  // main and two streams
    }
}

/// FRAG could not read a varying that is several variables, and it reads only stream 0.
TEST(LowerGeometry, RegistersOfSeveralStreamsBelongToStreamZero) {
    const Lowered l = lowered(geometry("POINTS", "POINTS", 4,
                                       R"(DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0], STREAM(2, 2, 2, 2)
DCL OUT[2], GENERIC[1], STREAM(1, 1, 0, 2)
IMM[0] UINT32 {0, 1, 2, 3}
MOV OUT[0], IMM[0]
MOV OUT[1], IMM[0]
MOV OUT[2], IMM[0]
EMIT IMM[0].xxxx
EMIT IMM[0].yyyy
ENDPRIM IMM[0].yyyy
EMIT IMM[0].zzzz
EMIT IMM[0].wwww
END
)"));
    std::vector<std::array<uint32_t, 4>> parts;  // location, component, components, stream
    for (const ir::Variable* v : variables(l.module, ir::VariableKind::Output, ir::BuiltIn::None))
        parts.push_back({v->location, v->component, v->element.components, v->stream});
    EXPECT_THAT(
        parts, testing::UnorderedElementsAre(std::array<uint32_t, 4>{0, 0, 4, 2}, std::array<uint32_t, 4>{1, 0, 4, 0}));
    // Stream 0 stores the position, the point size and a register; stream 2 a register; streams 1 and 3 nothing.
    EXPECT_EQ(count(l.module, ir::Op::Store), 3u + 1);
    EXPECT_THAT(ir::print(l.module), HasSubstr("EmitVertex"));
    const Lowered none = lower_text(geometry("POINTS", "POINTS", 4, R"(DCL OUT[0], POSITION
DCL TEMP[0]
MOV OUT[0], TEMP[0]
EMIT TEMP[0].xxxx
END
)"));
    EXPECT_FALSE(none.ok);
    EXPECT_THAT(none.error, HasSubstr("EMIT: the stream is not an immediate"));
    EXPECT_FALSE(
        lower_text(geometry("POINTS", "POINTS", 4, "IMM[0] UINT32 {4, 0, 0, 0}\nENDPRIM IMM[0].xxxx\nEND\n")).ok);
}

/// One variable holds all registers of a semantic, and a variable belongs to one stream: 0 if one of them has it.
TEST(LowerGeometry, RegistersOfOneSemanticShareAStream) {
    const auto stream_with = [](const char* second) {
        const Lowered l =
            lowered(geometry("POINTS", "POINTS", 4,
                             std::string("DCL OUT[0], POSITION\nDCL OUT[1].xy, GENERIC[1], STREAM(1, 1, 1, 1)\n"
                                         "DCL OUT[2].zw, GENERIC[1]") +
                                 second +
                                 "\nIMM[0] UINT32 {0, 1, 2, 3}\nMOV OUT[0], IMM[0]\nMOV OUT[1].xy, IMM[0]\n"
                                 "MOV OUT[2].zw, IMM[0]\nEMIT IMM[0].yyyy\nEND\n"));
        const auto varyings = variables(l.module, ir::VariableKind::Output, ir::BuiltIn::None);
        EXPECT_EQ(varyings.size(), 1u);
        return uint32_t{varyings[0]->stream};
    };
    EXPECT_EQ(stream_with(", STREAM(1, 1, 1, 1)"), 1u);
    EXPECT_EQ(stream_with(", STREAM(1, 1, 1, 2)"), 1u);
    EXPECT_EQ(stream_with(", STREAM(2, 2, 2, 2)"), 1u);
    EXPECT_EQ(stream_with(", STREAM(1, 1, 0, 1)"), 0u);
    EXPECT_EQ(stream_with(""), 0u);
}

/// In buffers, too, a vertex stores only the outputs of its stream, besides its position, stream and primitive.
TEST(LowerGeometry, VerticesInBuffersHaveTheirStreamsWords) {
    const auto stores = [](const char* emits) {
        lower::Options buffers;
        buffers.io_buffers = true;
        return count(lowered(geometry("POINTS", "POINTS", 4, std::string(R"(DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0], STREAM(2, 2, 2, 2)
DCL OUT[2], GENERIC[1], STREAM(1, 1, 0, 2)
IMM[0] UINT32 {0, 1, 2, 3}
MOV OUT[0], IMM[0]
MOV OUT[1], IMM[0]
MOV OUT[2], IMM[0]
)") + emits + "END\n"),
                             buffers)
                         .module,
                     ir::Op::Store);
    };
    const auto none = stores("");
    EXPECT_EQ(stores("EMIT IMM[0].xxxx\n") - none, 4u + 0 + 1 + 2);
    EXPECT_EQ(stores("EMIT IMM[0].yyyy\n") - none, 4u + 0 + 2 + 2);
    EXPECT_EQ(stores("EMIT IMM[0].zzzz\n") - none, 4u + 4 + 1 + 2);
    EXPECT_EQ(stores("EMIT IMM[0].wwww\n") - none, 4u + 0 + 0 + 2);
}

TEST(LowerGeometry, PointsHaveASize) {
    auto sizes = [](const Lowered& l) {
        return variables(l.module, ir::VariableKind::Output, ir::BuiltIn::PointSize).size();
    };
    const std::string text = R"(DCL OUT[0], POSITION
MOV OUT[0].x, OUT[0]
EMIT
END
)";
    EXPECT_EQ(sizes(lowered(geometry("POINTS", "POINTS", 1, text))), 1u);
    EXPECT_EQ(sizes(lowered(geometry("POINTS", "LINE_STRIP", 1, text))), 0u);
    lower::Capabilities none;
    none.stage_point_size = false;
    EXPECT_EQ(sizes(lowered(geometry("POINTS", "POINTS", 1, text), {}, none)), 0u);
    const Lowered refused = lower_text(geometry("POINTS", "POINTS", 1, R"(DCL OUT[0], PSIZE
MOV OUT[0].x, OUT[0]
EMIT
END
)"),
                                       {}, none);
    EXPECT_THAT(refused.error, HasSubstr("PSIZE"));
    lower::Options points;
    points.draws_points = true;
    const std::string vertex = R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)";
    EXPECT_EQ(sizes(lowered(vertex)), 0u);
    EXPECT_EQ(sizes(lowered(vertex, points)), 1u);
}

TEST(LowerGeometry, VerticesAndRegistersByIndex) {
    const Lowered l = lowered(geometry("TRIANGLES", "TRIANGLE_STRIP", 3,
                                       R"(DCL IN[][0], POSITION
DCL IN[][1..2], ARRAY(1), GENERIC[4]
DCL IN[][3], GENERIC[9]
DCL OUT[0], GENERIC[0]
DCL ADDR[0..1]
DCL CONST[0..1]
UARL ADDR[0].x, CONST[0].xxxx
UARL ADDR[1].x, CONST[0].yyyy
MOV OUT[0], IN[ADDR[0].x](1)[ADDR[1].x+1](1)
EMIT
END
)"));
    // Only the registers of the array can be selected, and a vertex past the third one reads 0.
    EXPECT_EQ(variables(l.module, ir::VariableKind::Input, ir::BuiltIn::None).size(), 2u);
    EXPECT_EQ(count(l.module, ir::Op::UMin), 1u);
    EXPECT_EQ(count(l.module, ir::Op::Select), 3u);
    lower::Options trusting;
    trusting.trust_indices = true;
    EXPECT_EQ(count(lowered(geometry("POINTS", "LINE_STRIP", 1,
                                     R"(DCL IN[][0], GENERIC[0]
DCL OUT[0], GENERIC[0]
DCL CONST[0]
DCL ADDR[0]
UARL ADDR[0].x, CONST[0]
MOV OUT[0], IN[ADDR[0].x][0]
EMIT
END
)"),
                            trusting)
                        .module,
                    ir::Op::Select),
              0u);
    std::string many =
        R"(DCL IN[][0..70], GENERIC[0]
DCL OUT[0], GENERIC[0]
DCL CONST[0]
MOV OUT[0], IN[0][CONST[0].x]
EMIT
END
)";
    const Lowered refused = lower_text(geometry("POINTS", "LINE_STRIP", 1, many));
    EXPECT_FALSE(refused.ok);
}

TEST(LowerGeometry, RefusesInvalidPropertiesAndSemantics) {
    const std::pair<const char*, const char*> kCases[] = {
        {"PROPERTY GS_MAX_OUTPUT_VERTICES 2000\nEND\n", "GS_MAX_OUTPUT_VERTICES"},
        {"PROPERTY GS_INVOCATIONS 1000\nEND\n", "GS_INVOCATIONS"},
        {"PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLES\nEND\n", "GS_OUTPUT_PRIMITIVE"},
        {R"(PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL SV[0], TESSCOORD
DCL OUT[0], GENERIC
MOV OUT[0], SV[0]
EMIT
END
)",
         "TESSCOORD"},
    };
    for (const auto& [text, message] : kCases) {
        const Lowered l = lower_text("GEOM\n" + std::string(text));
        EXPECT_FALSE(l.ok) << text;
        EXPECT_THAT(l.error, HasSubstr(message)) << text;
    }
}

TEST(LowerGeometry, BuffersTakeVerticesAsRecords) {
    lower::Options buffers;
    buffers.io_buffers = true;
    const Lowered l = lowered(geometry("LINES_ADJACENCY", "POINTS", 5,
                                       R"(PROPERTY GS_INVOCATIONS 2
DCL IN[][0..1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] UINT32 {3, 0, 0, 0}
MOV OUT[0], IN[3][1]
MOV OUT[1].y, IN[0][0].xxxx
EMIT IMM[0].xxxx
ENDPRIM IMM[0].xxxx
EMIT
END
)"),
                              buffers);
    EXPECT_EQ(count(l.module, ir::Op::EmitVertex), 0u);
    EXPECT_EQ(count(l.module, ir::Op::EndPrimitive), 0u);
    // Two vertices of 4 + 1 components, each with a mark and the number of its primitive.
    EXPECT_EQ(count(l.module, ir::Op::Store), 2u * (4 + 1 + 2));
    for (const ir::Variable& v : l.module.variables) {
        const bool counted = v.builtin == ir::BuiltIn::PrimitiveId || v.builtin == ir::BuiltIn::InvocationId;
        EXPECT_TRUE(v.kind != ir::VariableKind::Input || counted);
        EXPECT_NE(v.kind, ir::VariableKind::Output);
    }
    // IN[3][1] with two registers per vertex is slot 7 of 8.
    EXPECT_THAT(ir::print(l.module), HasSubstr("u32(28)"));
}

}  // namespace
}  // namespace tgsi2spv::test

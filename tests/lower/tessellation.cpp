// TESS_CTRL and TESS_EVAL: outputs that other invocations read, PATCH data, levels, barriers, io=buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "lower/lowered.h"
#include "lower/state/spec_constants.h"
#include "lower/variables/locations.h"

namespace tgsi2spv::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Lowered lowered(const std::string& text, const lower::Options& options = {}) {
    Lowered l = lower_text(text, options);
    EXPECT_TRUE(l.ok) << l.error << "\n" << text;
    return l;
}

const ir::Variable* find(const ir::Module& m, ir::VariableKind kind, ir::BuiltIn builtin) {
    for (const ir::Variable& v : m.variables)
        if (v.kind == kind && v.builtin == builtin) return &v;
    return nullptr;
}

size_t count(const ir::Module& m, ir::Op op) {
    size_t n = 0;
    for (const ir::Function& f : m.functions)
        n += static_cast<size_t>(std::ranges::count(f.instructions, op, &ir::Instruction::op));
    return n;
}

const std::string kControl =
    R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 4
DCL IN[][0], POSITION
DCL IN[][1..2], ARRAY(1), GENERIC[0]
DCL OUT[0], TESSOUTER
DCL OUT[1].xy, TESSINNER
DCL OUT[][2], POSITION
DCL OUT[][3..4], ARRAY(2), GENERIC[0]
DCL OUT[5..6], ARRAY(3), PATCH[0]
DCL SV[0], INVOCATIONID
DCL SV[1], VERTICESIN
DCL SV[2], PRIM_ID
DCL CONST[0..1]
DCL TEMP[0..1]
DCL ADDR[0..1]
IMM[0] FLT32 {1, 2, 3, 4}
)";

TEST(LowerTessellation, OutputsAreStoredAtOnceAndNeverInitialised) {
    const Lowered l =
        lowered(kControl +
                "UARL ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][2], IMM[0]\nMOV OUT[ADDR[0].x][3].y, IMM[0]\n"
                "MOV OUT[5], IMM[0]\nMOV OUT[0].w, IMM[0].xxxx\nMOV OUT[1].y, IMM[0].yyyy\nEND\n");
    // The invocation's own vertex needs no check: there are no branches, and one store per instruction.
    EXPECT_EQ(count(l.module, ir::Op::BranchIf), 0u);
    EXPECT_EQ(count(l.module, ir::Op::Store), 5u);
    EXPECT_EQ(l.module.entry.output_vertices, 4u);
    const ir::Variable* position = find(l.module, ir::VariableKind::Output, ir::BuiltIn::Position);
    const ir::Variable* outer = find(l.module, ir::VariableKind::Output, ir::BuiltIn::TessLevelOuter);
    const ir::Variable* inner = find(l.module, ir::VariableKind::Output, ir::BuiltIn::TessLevelInner);
    ASSERT_TRUE(position && outer && inner);
    EXPECT_EQ(position->array[0], 4u);
    EXPECT_EQ(outer->array[0], 4u);
    EXPECT_EQ(inner->array[0], 2u);
    EXPECT_EQ(count(l.module, ir::Op::FAdd), 0u);  // the last stage converts the depth
    for (const ir::Variable& v : l.module.variables) EXPECT_FALSE(v.zero_initialised) << v.name.view();
}

/// On request: all components that there are, before anything is written.
TEST(LowerTessellation, OutputsStartAsZerosOnRequest) {
    const std::string text = kControl + "MOV OUT[SV[0].x][2], IMM[0]\nMOV OUT[5], IMM[0]\nMOV OUT[1].y, IMM[0]\nEND\n";
    for (const bool records : {false, true}) {
        const Lowered l = lowered(text, {.zero_memory = true, .records = records});
        size_t before = 0, after = 0, barriers = 0;
        for (const ir::Instruction& i : l.module.functions[0].instructions) {
            barriers += i.op == ir::Op::ControlBarrier;
            if (i.op == ir::Op::Store) ++(barriers == 0 ? before : after);
        }
        EXPECT_EQ(barriers, 1u);
        EXPECT_EQ(after, records ? 9u : 3u);
        EXPECT_EQ(before, records ? 28u : 4u) << "POSITION, PATCH[0] and both inner levels; or 7 registers";
    }
}

TEST(LowerTessellation, OtherInvocationsOutputsAreReadAfterABarrier) {
    const Lowered l = lowered(kControl +
                              R"(MOV OUT[SV[0].x][2], IMM[0]
BARRIER
MOV TEMP[0], OUT[1][2]
MOV TEMP[1].x, OUT[0].zzzz
ADD OUT[5], TEMP[0], TEMP[1].xxxx
END
)");
    const std::string text = ir::print(l.module);
    EXPECT_EQ(count(l.module, ir::Op::ControlBarrier), 1u);
    EXPECT_LT(text.find("ControlBarrier"), text.rfind("Load"));
    lower::Options buffers;
    buffers.io_buffers = true;
    // Words in buffers also need a memory barrier. The shader's levels go to the buffer; the builtin levels make the
    // tessellator discard the patch.
    const Lowered b = lowered(kControl + R"(MOV OUT[SV[0].x][2], IMM[0]
MOV OUT[0], IMM[0]
BARRIER
MOV OUT[5], OUT[3][2]
END
)",
                              buffers);
    const ir::Variable* outer = find(b.module, ir::VariableKind::Output, ir::BuiltIn::TessLevelOuter);
    ASSERT_TRUE(outer);
    EXPECT_EQ(count(b.module, ir::Op::Store), 4u + 4 + 4 + 4);
    EXPECT_TRUE(std::ranges::any_of(b.module.functions[0].instructions,
                                    [](const auto& i) { return i.op == ir::Op::ControlBarrier && i.aux == 0x48; }));
    EXPECT_TRUE(std::ranges::any_of(b.module.variables, [](const auto& v) { return v.coherent; }));
}

TEST(LowerTessellation, IndicesOutOfRangeAreDroppedWithoutReadingBack) {
    // With an unknown vertex there is a branch, with an unknown register a switch over the array; neither loads
    // outputs.
    const Lowered vertex = lowered(kControl + "UARL ADDR[0].x, CONST[0].xxxx\nMOV OUT[ADDR[0].x][2], IMM[0]\nEND\n");
    EXPECT_EQ(count(vertex.module, ir::Op::BranchIf), 1u);
    const Lowered reg = lowered(kControl + "UARL ADDR[0].x, CONST[0].xxxx\nMOV OUT[ADDR[0].x+5](3).y, IMM[0]\nEND\n");
    EXPECT_EQ(count(reg.module, ir::Op::Switch), 1u);
    EXPECT_EQ(count(reg.module, ir::Op::Store), 2u);
    EXPECT_EQ(count(reg.module, ir::Op::Load), 1u);  // of CONST
    const Lowered both = lowered(kControl +
                                 "UARL ADDR[0].xy, CONST[0]\nMOV OUT[ADDR[0].x](2)[ADDR[0].y+3](2), "
                                 "IN[ADDR[0].y](1)[ADDR[0].x+1](1)\nEND\n");
    EXPECT_EQ(count(both.module, ir::Op::Switch), 1u);
    EXPECT_EQ(count(both.module, ir::Op::BranchIf), 1u);
    ASSERT_TRUE(find(both.module, ir::VariableKind::Input, ir::BuiltIn::PatchVertices));
    // Past the vertices that the shader declares, writes are dropped and reads return 0.
    for (const auto& [vertex_number, stores] : {std::pair("4", 0u), {"3", 1u}}) {
        const Lowered known = lowered(kControl + "MOV OUT[" + vertex_number + "][2], IMM[0]\nEND\n");
        EXPECT_EQ(count(known.module, ir::Op::Store), stores);
        EXPECT_EQ(count(known.module, ir::Op::BranchIf), 0u);
    }
}

TEST(LowerTessellation, InputsThatThePatchMayLackAreChecked) {
    const Lowered l = lowered(kControl + "MOV OUT[SV[0].x][2], IN[SV[0].x][0]\nMOV OUT[5], IN[1][0]\nEND\n");
    const ir::Variable* in = find(l.module, ir::VariableKind::Input, ir::BuiltIn::Position);
    ASSERT_TRUE(in);
    EXPECT_EQ(in->array[0], 32u);
    EXPECT_EQ(count(l.module, ir::Op::ULt), 1u);
    EXPECT_EQ(count(l.module, ir::Op::Select), 1u);
}

TEST(LowerTessellation, DefaultLevelsComeFromTheCaller) {
    const Lowered l = lowered(
        R"(TESS_CTRL
DCL SV[0], TESS_DEFAULT_OUTER_LEVEL
DCL SV[1], TESS_DEFAULT_INNER_LEVEL
DCL OUT[0], TESSOUTER
DCL OUT[1], TESSINNER
MOV OUT[0], SV[0]
MOV OUT[1], SV[1]
END
)");
    EXPECT_EQ(l.module.entry.output_vertices, 1u);  // no output has a vertex index, so no number of vertices is needed
    std::vector<int32_t> ids;
    for (const ir::Constant& c : l.module.constants)
        if (c.spec_id >= 0) {
            ids.push_back(c.spec_id);
            EXPECT_EQ(c.words[0], f(1));
        }
    using namespace lower::spec;
    EXPECT_THAT(ids, testing::UnorderedElementsAre(kTessDefaultOuter, kTessDefaultOuter + 1, kTessDefaultOuter + 2,
                                                   kTessDefaultOuter + 3, kTessDefaultInner, kTessDefaultInner + 1));
    EXPECT_EQ(count(l.module, ir::Op::Store), 6u);
}

TEST(LowerTessellation, EvaluationHasItsModesAndInputs) {
    const Lowered l = lowered(
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_SPACING 1
PROPERTY TES_VERTEX_ORDER_CW 1
PROPERTY TES_POINT_MODE 1
DCL IN[][0], POSITION
DCL IN[1], PATCH[3]
DCL IN[2], TESSINNER
DCL SV[0], TESSCOORD
DCL SV[1], TESSOUTER
DCL SV[2], PRIM_ID
DCL SV[3], VERTICESIN
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[2]
MUL OUT[0], IN[3][0], SV[0].xyzz
ADD OUT[1], IN[1], SV[1]
MOV OUT[1].x, SV[2].xxxx
MOV OUT[1].y, SV[3].xxxx
MOV OUT[1].z, IN[2].yyyy
END
)");
    EXPECT_EQ(l.module.entry.tess_domain, ir::TessDomain::Quads);
    EXPECT_EQ(l.module.entry.tess_spacing, ir::TessSpacing::FractionalEven);
    EXPECT_TRUE(l.module.entry.tess_clockwise);
    EXPECT_TRUE(l.module.entry.tess_points);
    using enum ir::BuiltIn;
    for (const ir::BuiltIn b : {Position, TessLevelInner, TessLevelOuter, TessCoord, PrimitiveId, PatchVertices})
        EXPECT_TRUE(find(l.module, ir::VariableKind::Input, b)) << static_cast<int>(b);
    EXPECT_TRUE(find(l.module, ir::VariableKind::Output, PointSize));  // point mode generates points
    const ir::Variable* patch = find(l.module, ir::VariableKind::Input, None);
    ASSERT_TRUE(patch);
    EXPECT_TRUE(patch->patch);
    EXPECT_EQ(patch->location, *lower::patch_location(3));
    EXPECT_EQ(count(l.module, ir::Op::FAdd), 1u + 1);  // the sum, and the depth conversion
}

TEST(LowerTessellation, WrongPropertiesAreWhereTheyStand) {
    const Lowered l = lower_text(R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
PROPERTY TCS_VERTICES_OUT 33
END
)");
    ASSERT_FALSE(l.ok);
    EXPECT_EQ(l.diagnostics[0].offset, 38u);  // the last one holds
}

TEST(LowerTessellation, BuffersHaveNoPoints) {
    lower::Options buffers;
    buffers.io_buffers = true;
    const Lowered l = lowered(
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_POINT_MODE 1
DCL IN[][0], POSITION
DCL OUT[0], POSITION
MOV OUT[0], IN[0][0]
END
)",
        buffers);
    EXPECT_FALSE(l.module.entry.tess_points);  // points would need a size
}

TEST(LowerTessellation, PatchDataHasTheSameLocationsInBothStages) {
    for (const char* semantic : {"PATCH", "PATCH[7]", "PATCH[29]", "PATCH[30]", "PATCH[31]"}) {
        SCOPED_TRACE(semantic);
        const Lowered out =
            lowered("TESS_CTRL\nDCL OUT[0], " + std::string(semantic) + "\nDCL CONST[0]\nMOV OUT[0], CONST[0]\nEND\n");
        const Lowered in = lowered("TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[0], " + std::string(semantic) +
                                   "\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n");
        const ir::Variable* a = find(out.module, ir::VariableKind::Output, ir::BuiltIn::None);
        const ir::Variable* b = find(in.module, ir::VariableKind::Input, ir::BuiltIn::None);
        ASSERT_TRUE(a && b);
        EXPECT_EQ(a->location, b->location);
        EXPECT_LT(a->location, lower::kLocations);
        EXPECT_TRUE(a->patch && b->patch);
    }
    EXPECT_FALSE(lower::patch_location(32));
}

TEST(LowerTessellation, ChainsAgreeOnLocations) {
    const std::string vert =
        R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[9]
DCL OUT[2], COLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
MOV OUT[2], IN[0]
END
)";
    const std::string tesc =
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], GENERIC[9]
DCL IN[][1], COLOR
DCL OUT[][0], GENERIC[9]
DCL OUT[][1], COLOR
DCL SV[0], INVOCATIONID
MOV OUT[SV[0].x][0], IN[SV[0].x][0]
MOV OUT[SV[0].x][1], IN[SV[0].x][1]
END
)";
    const std::string tese =
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], GENERIC[9]
DCL IN[][1], COLOR
DCL OUT[0], GENERIC[9]
DCL OUT[1], COLOR
MOV OUT[0], IN[1][0]
MOV OUT[1], IN[2][1]
END
)";
    const std::string geom =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], GENERIC[9]
DCL IN[][1], COLOR
DCL OUT[0], GENERIC[9]
DCL OUT[1], COLOR
MOV OUT[0], IN[1][0]
MOV OUT[1], IN[2][1]
EMIT
END
)";
    auto locations = [](const std::string& text, ir::VariableKind kind) {
        std::vector<uint32_t> found;
        for (const ir::Variable& v : lowered(text).module.variables)
            if (v.kind == kind && v.builtin == ir::BuiltIn::None) found.push_back(v.location);
        return found;
    };
    const auto out = locations(vert, ir::VariableKind::Output);
    EXPECT_EQ(out.size(), 2u);
    for (const std::string* stage : {&tesc, &tese, &geom}) {
        EXPECT_EQ(locations(*stage, ir::VariableKind::Input), out);
        EXPECT_EQ(locations(*stage, ir::VariableKind::Output), out);
    }
}

TEST(LowerTessellation, OneVertexOfAPatchStandsForItsLane) {
    lower::Options buffers;
    buffers.io_buffers = true;
    for (const auto& [mode, comparisons] : {std::pair(4, 1), std::pair(7, 2), std::pair(1, 2)}) {
        const Lowered l = lowered("TESS_EVAL\nPROPERTY TES_PRIM_MODE " + std::to_string(mode) +
                                      "\nDCL IN[][0], GENERIC[0]\nDCL IN[1], PATCH\nDCL OUT[0], POSITION\n"
                                      "ADD OUT[0], IN[31][0], IN[1]\nEND\n",
                                  buffers);
        EXPECT_EQ(count(l.module, ir::Op::FOEq), static_cast<size_t>(comparisons));
        EXPECT_EQ(count(l.module, ir::Op::Return), 2u);
        EXPECT_EQ(count(l.module, ir::Op::Store), 4u);
        // 32 vertices with two registers each.
        EXPECT_THAT(ir::print(l.module), HasSubstr("u32(256)"));
    }
}

TEST(LowerTessellation, RefusesInvalidPropertiesAndSemantics) {
    const std::pair<const char*, const char*> kCases[] = {
        {R"(TESS_CTRL
DCL OUT[][0], POSITION
MOV OUT[0][0].x, OUT[0][0]
END
)",
         "TCS_VERTICES_OUT"},
        {"TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 33\nEND\n", "TCS_VERTICES_OUT"},
        {"TESS_EVAL\nPROPERTY TES_PRIM_MODE 0\nEND\n", "TES_PRIM_MODE"},
        {R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[0], GENERIC
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)",
         "GENERIC is not supported as an input of this stage that is not per vertex"},
        {R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 1
DCL OUT[0], POSITION
MOV OUT[0].x, OUT[0]
END
)",
         "POSITION is not supported as a per-patch output"},
        {R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 1
DCL OUT[][0], PATCH
MOV OUT[0][0].x, OUT[0][0]
END
)",
         "PATCH"},
        {R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
MOV OUT[0], SV[0]
END
)",
         "INVOCATIONID"},
        {R"(VERT
DCL OUT[0], POSITION
DCL OUT[1], PATCH
MOV OUT[1], OUT[0]
END
)",
         "PATCH is not supported as an output"},
        {R"(FRAG
DCL IN[0], PATCH[1]
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)",
         "PATCH[1] is not supported as an input"},
    };
    for (const auto& [text, message] : kCases) {
        const Lowered l = lower_text(text);
        EXPECT_FALSE(l.ok) << text;
        EXPECT_THAT(l.error, HasSubstr(message)) << text;
    }
}

}  // namespace
}  // namespace tgsi2spv::test

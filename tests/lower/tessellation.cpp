// TESS_CTRL and TESS_EVAL: outputs that other invocations read, PATCH data, levels, barriers, io=buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "lower/interface/locations.h"
#include "lower/lowered.h"
#include "lower/state/spec_constants.h"

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
    "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 4\nDCL IN[][0], POSITION\nDCL IN[][1..2], ARRAY(1), GENERIC[0]\n"
    "DCL OUT[0], TESSOUTER\nDCL OUT[1].xy, TESSINNER\nDCL OUT[][2], POSITION\nDCL OUT[][3..4], ARRAY(2), GENERIC[0]\n"
    "DCL OUT[5..6], ARRAY(3), PATCH[0]\nDCL SV[0], INVOCATIONID\nDCL SV[1], VERTICESIN\nDCL SV[2], PRIM_ID\n"
    "DCL CONST[0..1]\nDCL TEMP[0..1]\nDCL ADDR[0..1]\nIMM[0] FLT32 {1, 2, 3, 4}\n";

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

TEST(LowerTessellation, OtherInvocationsOutputsAreReadAfterABarrier) {
    const Lowered l =
        lowered(kControl +
                "MOV OUT[SV[0].x][2], IMM[0]\nBARRIER\nMOV TEMP[0], OUT[1][2]\nMOV TEMP[1].x, OUT[0].zzzz\n"
                "ADD OUT[5], TEMP[0], TEMP[1].xxxx\nEND\n");
    const std::string text = ir::print(l.module);
    EXPECT_EQ(count(l.module, ir::Op::ControlBarrier), 1u);
    EXPECT_LT(text.find("ControlBarrier"), text.rfind("Load"));
    lower::Options buffers;
    buffers.io_buffers = true;
    // Words in buffers also need a memory barrier. The shader's levels go to the buffer; the builtin levels make the
    // tessellator discard the patch.
    const Lowered b = lowered(
        kControl + "MOV OUT[SV[0].x][2], IMM[0]\nMOV OUT[0], IMM[0]\nBARRIER\nMOV OUT[5], OUT[3][2]\nEND\n", buffers);
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
        "TESS_CTRL\nDCL SV[0], TESS_DEFAULT_OUTER_LEVEL\nDCL SV[1], TESS_DEFAULT_INNER_LEVEL\nDCL OUT[0], TESSOUTER\n"
        "DCL OUT[1], TESSINNER\nMOV OUT[0], SV[0]\nMOV OUT[1], SV[1]\nEND\n");
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
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 7\nPROPERTY TES_SPACING 1\nPROPERTY TES_VERTEX_ORDER_CW 1\n"
        "PROPERTY TES_POINT_MODE 1\nDCL IN[][0], POSITION\nDCL IN[1], PATCH[3]\nDCL IN[2], TESSINNER\nDCL SV[0], "
        "TESSCOORD\n"
        "DCL SV[1], TESSOUTER\nDCL SV[2], PRIM_ID\nDCL SV[3], VERTICESIN\nDCL OUT[0], POSITION\nDCL OUT[1], "
        "GENERIC[2]\n"
        "MUL OUT[0], IN[3][0], SV[0].xyzz\nADD OUT[1], IN[1], SV[1]\nMOV OUT[1].x, SV[2].xxxx\nMOV OUT[1].y, "
        "SV[3].xxxx\n"
        "MOV OUT[1].z, IN[2].yyyy\nEND\n");
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
    const Lowered l = lower_text("TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nPROPERTY TCS_VERTICES_OUT 33\nEND\n");
    ASSERT_FALSE(l.ok);
    EXPECT_EQ(l.diagnostics[0].offset, 38u);  // the last one holds
}

TEST(LowerTessellation, BuffersHaveNoPoints) {
    lower::Options buffers;
    buffers.io_buffers = true;
    const Lowered l = lowered(
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nPROPERTY TES_POINT_MODE 1\nDCL IN[][0], POSITION\n"
        "DCL OUT[0], POSITION\nMOV OUT[0], IN[0][0]\nEND\n",
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
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[9]\nDCL OUT[2], COLOR\nMOV OUT[0], IN[0]\n"
        "MOV OUT[1], IN[0]\nMOV OUT[2], IN[0]\nEND\n";
    const std::string tesc =
        "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], GENERIC[9]\nDCL IN[][1], COLOR\nDCL OUT[][0], "
        "GENERIC[9]\n"
        "DCL OUT[][1], COLOR\nDCL SV[0], INVOCATIONID\nMOV OUT[SV[0].x][0], IN[SV[0].x][0]\n"
        "MOV OUT[SV[0].x][1], IN[SV[0].x][1]\nEND\n";
    const std::string tese =
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], GENERIC[9]\nDCL IN[][1], COLOR\nDCL OUT[0], GENERIC[9]\n"
        "DCL OUT[1], COLOR\nMOV OUT[0], IN[1][0]\nMOV OUT[1], IN[2][1]\nEND\n";
    const std::string geom =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
        "PROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL IN[][0], GENERIC[9]\nDCL IN[][1], COLOR\nDCL OUT[0], GENERIC[9]\n"
        "DCL OUT[1], COLOR\nMOV OUT[0], IN[1][0]\nMOV OUT[1], IN[2][1]\nEMIT\nEND\n";
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
        {"TESS_CTRL\nDCL OUT[][0], POSITION\nMOV OUT[0][0].x, OUT[0][0]\nEND\n", "TCS_VERTICES_OUT"},
        {"TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 33\nEND\n", "TCS_VERTICES_OUT"},
        {"TESS_EVAL\nPROPERTY TES_PRIM_MODE 0\nEND\n", "TES_PRIM_MODE"},
        {"TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[0], GENERIC\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n",
         "GENERIC is not supported as an input of this stage that is not per vertex"},
        {"TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nDCL OUT[0], POSITION\nMOV OUT[0].x, OUT[0]\nEND\n",
         "POSITION is not supported as a per-patch output"},
        {"TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nDCL OUT[][0], PATCH\nMOV OUT[0][0].x, OUT[0][0]\nEND\n", "PATCH"},
        {"TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL SV[0], INVOCATIONID\nDCL OUT[0], POSITION\nMOV OUT[0], SV[0]\nEND\n",
         "INVOCATIONID"},
        {"VERT\nDCL OUT[0], POSITION\nDCL OUT[1], PATCH\nMOV OUT[1], OUT[0]\nEND\n",
         "PATCH is not supported as an output"},
        {"FRAG\nDCL IN[0], PATCH[1]\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n",
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

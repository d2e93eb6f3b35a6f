// Options::records: stages whose outputs are records.
#include "lower/interface/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "lower/interface/link.h"
#include "lower/lowered.h"
#include "tgsi/parse.h"

namespace tgsi2spv::test {
namespace {

using testing::HasSubstr;

constexpr const char* kVert =
    R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1].xy, GENERIC[4]
DCL OUT[2], GENERIC[5]
MOV OUT[0], IN[0]
MOV OUT[1].xy, IN[0]
MOV OUT[2], IN[0]
END
)";
constexpr const char* kGeom =
    R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE LINES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 3
PROPERTY GS_INVOCATIONS 2
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[4]
DCL IN[2], PRIMID
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[1][0]
MOV OUT[1].x, IN[2]
MOV OUT[1].y, SV[0]
EMIT IMM[0].xxxx
END
)";

constexpr const char* kControl =
    R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL OUT[0], TESSINNER
DCL OUT[][1], POSITION
DCL OUT[2], PATCH[4]
DCL SV[0], INVOCATIONID
DCL SV[1], PRIMID
DCL SV[2], VERTICESIN
DCL ADDR[0]
DCL TEMP[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][1], IN[ADDR[0].x][0]
BARRIER
MOV TEMP[0], OUT[1][1]
ADD TEMP[0].x, SV[1].xxxx, SV[2].xxxx
MOV OUT[2], TEMP[0]
MOV OUT[0].xy, TEMP[0]
END
)";
constexpr const char* kEvaluation =
    R"(TESS_EVAL
PROPERTY TES_PRIM_MODE TRIANGLES
PROPERTY TES_SPACING 2
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[7]
DCL IN[2], PATCH[4]
DCL SV[0], TESSCOORD
DCL SV[1], TESSINNER
DCL OUT[0], POSITION
DCL TEMP[0]
MUL TEMP[0], IN[2][0], SV[0]
ADD TEMP[0], IN[2], TEMP[0]
ADD TEMP[0], IN[0][1], TEMP[0]
ADD OUT[0].xy, SV[1], TEMP[0]
END
)";

Lowered records(const char* text, const lower::Linkage* linkage = nullptr) {
    lower::Options options;
    options.records = true;
    options.linkage = linkage;
    Lowered l = lower_text(text, options);
    EXPECT_TRUE(l.ok) << l.error;
    return l;
}

bool has(const ir::Module& module, ir::VariableKind kind, ir::BuiltIn builtin) {
    return std::ranges::any_of(module.variables,
                               [&](const ir::Variable& v) { return v.kind == kind && v.builtin == builtin; });
}

TEST(LowerRecords, AVertexShaderIsAComputeShader) {
    const ir::Module m = records(kVert).module;
    EXPECT_EQ(m.entry.stage, ir::Stage::Compute);
    EXPECT_EQ(m.entry.local_size[0], lower::kRecordGroup);
    EXPECT_FALSE(has(m, ir::VariableKind::Input, ir::BuiltIn::None)) << "attributes are records, too";
    EXPECT_FALSE(has(m, ir::VariableKind::Output, ir::BuiltIn::Position));
    EXPECT_EQ(count(m, ir::Op::Store), 4u + 2 + 4) << "what is written";
}

TEST(LowerRecords, AVertexShaderLoadsItsParametersOnce) {
    const ir::Module m = records(kVert).module;
    const std::string text = ir::print(m);
    EXPECT_LT(text.rfind("Load u32 $2["), text.find("BranchIf")) << "where all invocations run:" << text;
}

TEST(LowerRecords, AVertexShaderKnowsItsDraw) {
    const ir::Module m = records(R"(VERT
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL SV[2], BASEVERTEX
DCL SV[3], BASEINSTANCE
DCL SV[4], DRAWID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0].x, SV[0].xxxx
MOV OUT[0].y, SV[1].xxxx
MOV OUT[0].z, SV[2].xxxx
MOV OUT[0].w, SV[3].xxxx
MOV OUT[1].x, SV[4].xxxx
END
)")
                             .module;
    for (const auto builtin : {ir::BuiltIn::VertexIndex, ir::BuiltIn::InstanceIndex, ir::BuiltIn::BaseVertex,
                               ir::BuiltIn::BaseInstance, ir::BuiltIn::DrawIndex})
        EXPECT_FALSE(has(m, ir::VariableKind::Input, builtin));
    EXPECT_EQ(count(m, ir::Op::Store), 5u);
}

TEST(LowerRecords, StoresNeedNoFeatureOfTheVertexStage) {
    lower::Options options;
    options.records = true;
    constexpr const char* kStores =
        "VERT\nDCL OUT[0], POSITION\nDCL BUFFER[0]\nIMM[0] UINT32 {0, 1, 0, 0}\nSTORE BUFFER[0].x, IMM[0].xxxx, "
        "IMM[0]\n"
        "MOV OUT[0], IMM[0]\nEND\n";
    lower::Capabilities lacking;
    lacking.vertex_stores = false;
    EXPECT_TRUE(lower_text(kStores, options, lacking).ok);
    EXPECT_FALSE(lower_text(kStores, {}, lacking).ok);
}

TEST(LowerRecords, AGeometryShaderIsAComputeShader) {
    const ir::Module m = records(kGeom).module;
    EXPECT_EQ(m.entry.stage, ir::Stage::Compute);
    EXPECT_EQ(m.entry.local_size[0], lower::kRecordGroup);
    EXPECT_FALSE(has(m, ir::VariableKind::Input, ir::BuiltIn::PrimitiveId));
    EXPECT_FALSE(has(m, ir::VariableKind::Input, ir::BuiltIn::InvocationId));
    EXPECT_EQ(count(m, ir::Op::EmitVertex), 0u);
    // A vertex of 4 + 2 components with its mark and primitive, and the mark that ends the list.
    EXPECT_EQ(count(m, ir::Op::Store), 4u + 2 + 2 + 1);
}

TEST(LowerRecords, AGeometryShaderFindsEachVertexOnce) {
    std::string text = kGeom;
    text.insert(text.find("EMIT"), "MOV OUT[0].x, IN[0][0]\nMOV OUT[0].y, IN[0][1]\nMOV OUT[0].z, IN[1][1]\n");
    const std::string printed = ir::print(records(text.c_str()).module), load = "Load u32 $3[";
    size_t loads = 0;
    for (size_t at = printed.find(load); at != std::string::npos; at = printed.find(load, at + 1)) loads++;
    EXPECT_EQ(loads, 2U) << printed;
}

TEST(LowerRecords, TheRecordIsWhatTheNextStageDeclares) {
    std::vector<tgsi::Diagnostic> diagnostics;
    tgsi::Program vert, geom;
    ASSERT_TRUE(tgsi::parse(kVert, {}, vert, diagnostics) && tgsi::parse(kGeom, {}, geom, diagnostics));
    const tgsi::Registers vert_registers = tgsi::gather(vert), geom_registers = tgsi::gather(geom);
    lower::Options options;
    options.records = true;
    const lower::LinkStage stages[] = {{&vert, &vert_registers, &options}, {&geom, &geom_registers, &options}};
    lower::Linkage linkages[2];
    ASSERT_TRUE(lower::link(stages, {}, {}, linkages, diagnostics));
    ASSERT_EQ(linkages[0].record.size(), 3u);
    EXPECT_EQ(linkages[0].record[1], (lower::RecordSlot{tgsi::Semantic::Generic, 4}));
    const ir::Module m = records(kVert, &linkages[0]).module;
    // Three slots in full: GENERIC[5] is not read, and what nobody writes is (0, 0, 0, 1).
    EXPECT_EQ(count(m, ir::Op::Store), 3u * 4);
    EXPECT_THAT(ir::print(m), HasSubstr("u32(1065353216)"));
}

TEST(LowerRecords, AControlShaderIsAGroupForEachPatch) {
    const ir::Module m = records(kControl).module;
    EXPECT_EQ(m.entry.stage, ir::Stage::Compute);
    EXPECT_EQ(m.entry.local_size[0], 3u) << "vertices of the patch";
    EXPECT_EQ(count(m, ir::Op::ControlBarrier), 1u);
    for (const auto builtin : {ir::BuiltIn::PrimitiveId, ir::BuiltIn::InvocationId, ir::BuiltIn::PatchVertices})
        EXPECT_FALSE(has(m, ir::VariableKind::Input, builtin));
    EXPECT_FALSE(has(m, ir::VariableKind::Output, ir::BuiltIn::TessLevelOuter));
    EXPECT_EQ(count(m, ir::Op::Store), 4u + 4 + 2);
}

TEST(LowerRecords, AnEvaluationShaderFindsWhatTheControlShaderWrites) {
    std::vector<tgsi::Diagnostic> diagnostics;
    tgsi::Program vert, control, evaluation;
    ASSERT_TRUE(tgsi::parse(kVert, {}, vert, diagnostics) && tgsi::parse(kControl, {}, control, diagnostics) &&
                tgsi::parse(kEvaluation, {}, evaluation, diagnostics));
    const tgsi::Registers of_vert = tgsi::gather(vert), of_control = tgsi::gather(control),
                          of_evaluation = tgsi::gather(evaluation);
    lower::Options options;
    options.records = true;
    const lower::LinkStage stages[] = {
        {&vert, &of_vert, &options}, {&control, &of_control, &options}, {&evaluation, &of_evaluation, &options}};
    lower::Linkage linkages[3];
    ASSERT_TRUE(lower::link(stages, {}, {}, linkages, diagnostics));
    EXPECT_EQ(linkages[0].record, (std::pmr::vector<lower::RecordSlot>{{tgsi::Semantic::Position, 0}}));
    EXPECT_THAT(linkages[2].record_before, testing::ElementsAre(lower::RecordSlot{tgsi::Semantic::TessInner, 0},
                                                                lower::RecordSlot{tgsi::Semantic::Position, 0},
                                                                lower::RecordSlot{tgsi::Semantic::Patch, 4}));
    const ir::Module m = records(kEvaluation, &linkages[2]).module;
    EXPECT_EQ(m.entry.stage, ir::Stage::Compute);
    EXPECT_EQ(m.entry.local_size[0], lower::kRecordGroup);
    EXPECT_FALSE(has(m, ir::VariableKind::Input, ir::BuiltIn::TessCoord));
    EXPECT_FALSE(has(m, ir::VariableKind::Input, ir::BuiltIn::TessLevelInner));
    // 12 words of a vertex; nobody writes GENERIC[7], which is (0, 0, 0, 1).
    EXPECT_THAT(ir::print(m), HasSubstr("u32(12)"));
    EXPECT_THAT(ir::print(m), HasSubstr("f32x4(0, 0, 0, 1)"));
    EXPECT_EQ(count(m, ir::Op::Store), 2u);
}

TEST(LowerRecords, IndexedInputsOfAnEvaluationShaderAreFound) {
    const char* text = R"(TESS_EVAL
PROPERTY TES_PRIM_MODE QUADS
PROPERTY TES_SPACING 0
DCL IN[][0..1], GENERIC[2]
DCL SV[0], PRIMID
DCL OUT[0], POSITION
DCL ADDR[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[0], IN[0][ADDR[0].x]
END
)";
    lower::Linkage linkage;
    linkage.record_before = {{tgsi::Semantic::Generic, 3}, {tgsi::Semantic::Position, 0}};
    const std::string linked = ir::print(records(text, &linkage).module);
    EXPECT_THAT(linked, HasSubstr("Select")) << "GENERIC[3] is slot 0, and GENERIC[2] is not written";
    EXPECT_TRUE(records(text).ok);
}

TEST(LowerRecords, OtherStagesHaveNone) {
    lower::Options options;
    options.records = true;
    const Lowered l = lower_text(R"(FRAG
DCL OUT[0], COLOR
IMM[0] FLT32 {0, 0, 0, 0}
MOV OUT[0], IMM[0]
END
)",
                                 options);
    EXPECT_FALSE(l.ok);
    EXPECT_EQ(l.error, "FRAG has no records: expected VERT, TESS_CTRL, TESS_EVAL or GEOM");
}

}  // namespace
}  // namespace tgsi2spv::test

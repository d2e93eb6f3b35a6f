// Options::records: VERT and GEOM whose outputs are records.
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

TEST(LowerRecords, AVertexShaderStaysOneAndFetchesItsAttributes) {
    const ir::Module m = records(kVert).module;
    EXPECT_EQ(m.entry.stage, ir::Stage::Vertex);
    EXPECT_TRUE(has(m, ir::VariableKind::Input, ir::BuiltIn::None));
    EXPECT_TRUE(has(m, ir::VariableKind::Output, ir::BuiltIn::PointSize));
    EXPECT_FALSE(has(m, ir::VariableKind::Output, ir::BuiltIn::Position));
    EXPECT_EQ(count(m, ir::Op::Store), 1u + 4 + 2 + 4) << "the size of a point, and what is written";
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
    EXPECT_EQ(count(m, ir::Op::Store), 1u + 3 * 4);
    EXPECT_THAT(ir::print(m), HasSubstr("u32(1065353216)"));
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
    EXPECT_EQ(l.error, "FRAG has no records: expected VERT or GEOM");
}

}  // namespace
}  // namespace tgsi2spv::test

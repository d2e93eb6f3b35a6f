// The stage interface: locations, builtins, system values, properties, io=buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "ir/print.h"
#include "lower/lowered.h"
#include "lower/variables/locations.h"

namespace tgsi2spv::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const ir::Variable* find(const ir::Module& m, ir::VariableKind kind, ir::BuiltIn builtin) {
    for (const ir::Variable& v : m.variables)
        if (v.kind == kind && v.builtin == builtin) return &v;
    return nullptr;
}

Lowered lowered(std::string_view text, const lower::Options& options = {},
                const lower::Capabilities& capabilities = {}) {
    Lowered l = lower_text(text, options, capabilities);
    EXPECT_TRUE(l.ok) << l.error << "\n" << text;
    return l;
}

TEST(LowerIo, VaryingsHaveTheSameLocationInBothStages) {
    for (const char* semantic : {"GENERIC[0]", "GENERIC[9]", "GENERIC[40]", "COLOR", "COLOR[1]", "BCOLOR", "BCOLOR[1]",
                                 "FOG", "TEXCOORD", "TEXCOORD[7]", "NORMAL"}) {
        SCOPED_TRACE(semantic);
        const Lowered out =
            lowered("VERT\nDCL IN[0]\nDCL OUT[0], " + std::string(semantic) + "\nMOV OUT[0], IN[0]\nEND\n");
        const Lowered in = lowered("FRAG\nDCL IN[0], " + std::string(semantic) +
                                   ", PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n");
        const ir::Variable* a = find(out.module, ir::VariableKind::Output, ir::BuiltIn::None);
        const ir::Variable* b = find(in.module, ir::VariableKind::Input, ir::BuiltIn::None);
        ASSERT_TRUE(a && b);
        EXPECT_EQ(a->location, b->location);
        EXPECT_LT(a->location, lower::kLocations);
        EXPECT_EQ(a->semantic_index, b->semantic_index);
    }
}

TEST(LowerIo, SemanticsUsedTogetherHaveDifferentLocations) {
    using lower::varying_location;
    using tgsi::Semantic;
    std::vector<uint32_t> taken;
    auto take = [&](Semantic s, uint32_t first, uint32_t last) {
        for (uint32_t i = first; i <= last; ++i) taken.push_back(*varying_location(s, i));
    };
    auto all_differ = [&] {
        std::ranges::sort(taken);
        return std::ranges::adjacent_find(taken) == taken.end();
    };
    // The legacy colours, fog and texture coordinates beside seventeen varyings.
    for (const Semantic semantic : {Semantic::Color, Semantic::BColor}) take(semantic, 0, 1);
    take(Semantic::Fog, 0, 0);
    take(Semantic::TexCoord, 0, 7);
    take(Semantic::Generic, 0, 16);
    EXPECT_TRUE(all_differ());
    // They leave room for POSITION and PSIZE; those without back colours also for eight distances.
    EXPECT_EQ(taken.back(), 29u);
    EXPECT_EQ(varying_location(Semantic::Color, 0), 27u);
    // Producers without TEXCOORD number user varyings from 9: all 32 of them fit.
    taken.clear();
    take(Semantic::Generic, 9, 40);
    EXPECT_TRUE(all_differ());
    EXPECT_FALSE(varying_location(Semantic::Color, 2));
    EXPECT_FALSE(varying_location(Semantic::Position, 0));
}

TEST(LowerIo, SharedLocationsAreRefused) {
    const Lowered l = lower_text(
        "VERT\nDCL IN[0]\nDCL OUT[0], COLOR\nDCL OUT[1], GENERIC[27]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n");
    EXPECT_FALSE(l.ok);
    EXPECT_EQ(l.diagnostics[0].code, "link-the-stages");
    EXPECT_THAT(l.error, HasSubstr("both need location"));
    // An output that nothing writes takes no location, nor does an input that nothing reads.
    lowered("VERT\nDCL IN[0]\nDCL OUT[0], COLOR\nDCL OUT[1], GENERIC[27]\nMOV OUT[0], IN[0]\nEND\n");
    lowered(
        "FRAG\nDCL IN[0], COLOR, COLOR\nDCL IN[1], GENERIC[27], PERSPECTIVE\nDCL OUT[0], COLOR\n"
        "MOV OUT[0], IN[0]\nEND\n");
}

TEST(LowerIo, ClipVertexIsAVaryingUnlessAGenericHasItsLocation) {
    const auto vertex = [](std::string_view generic) {
        return lowered("VERT\nDCL IN[0]\nDCL OUT[0], CLIPVERTEX\nDCL OUT[1], GENERIC[" + std::string(generic) +
                       "]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n");
    };
    const Lowered passed = vertex("14"), hidden = vertex("47");
    EXPECT_THAT(ir::print(passed.module), HasSubstr("location=15"));
    EXPECT_TRUE(passed.diagnostics.empty());
    ASSERT_EQ(hidden.diagnostics.size(), 1u);
    EXPECT_EQ(hidden.diagnostics[0].code, "link-the-stages");
    EXPECT_EQ(hidden.diagnostics[0].severity, tgsi::Severity::Warning);
    for (const std::string_view stage :
         {"GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
          "PROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL OUT[0], POSITION\n",
          "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nDCL OUT[0], PATCH\n",
          "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL OUT[0], POSITION\n"}) {
        const Lowered read = lowered(std::string(stage) + "DCL IN[][0], CLIPVERTEX\nMOV OUT[0], IN[0][0]\nEND\n");
        EXPECT_THAT(ir::print(read.module), HasSubstr("location=15")) << stage;
    }
}

TEST(LowerIo, VertexAttributesStandAtTheirIndex) {
    const Lowered l = lowered("VERT\nDCL IN[0..3]\nDCL OUT[0], GENERIC[0]\nMOV OUT[0], IN[3]\nEND\n");
    const ir::Variable* v = find(l.module, ir::VariableKind::Input, ir::BuiltIn::None);
    ASSERT_TRUE(v);
    EXPECT_EQ(v->location, 3u);
    EXPECT_EQ(l.module.variables.size(), 2u);
}

TEST(LowerIo, PositionIsConvertedByOption) {
    constexpr std::string_view kText = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
    const Lowered l = lowered(kText);
    EXPECT_TRUE(find(l.module, ir::VariableKind::Output, ir::BuiltIn::Position)->invariant);
    EXPECT_EQ(operations(l.module), "FAdd FMul");  // (z + w) / 2
    lower::Options plain;
    plain.convert_depth_range = false;
    plain.invariant_position = false;
    const Lowered p = lowered(kText, plain);
    EXPECT_EQ(operations(p.module), "");
    EXPECT_FALSE(find(p.module, ir::VariableKind::Output, ir::BuiltIn::Position)->invariant);
    plain.flip_y = true;
    EXPECT_EQ(operations(lowered(kText, plain).module), "FNegate");
}

TEST(LowerIo, AnyOutputMayBeInvariant) {
    const Lowered l = lower_text(
        R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[3], INVARIANT
DCL OUT[2], GENERIC[4]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
MOV OUT[2], IN[0]
END
)");
    ASSERT_TRUE(l.ok) << l.error;
    size_t varyings = 0;
    for (const ir::Variable& v : l.module.variables) {
        if (v.kind != ir::VariableKind::Output || v.builtin != ir::BuiltIn::None) continue;
        EXPECT_EQ(v.invariant, v.semantic_index == 3) << v.semantic_index;
        ++varyings;
    }
    EXPECT_EQ(varyings, 2u);
}

TEST(LowerIo, ClipAndCullDistancesShareTheirRegisters) {
    const Lowered l = lowered(
        R"(VERT
PROPERTY NUM_CLIPDIST_ENABLED 5
PROPERTY NUM_CULLDIST_ENABLED 2
DCL IN[0]
DCL OUT[0], CLIPDIST
DCL OUT[1], CLIPDIST[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
END
)");
    EXPECT_EQ(find(l.module, ir::VariableKind::Output, ir::BuiltIn::ClipDistance)->array[0], 5u);
    EXPECT_EQ(find(l.module, ir::VariableKind::Output, ir::BuiltIn::CullDistance)->array[0], 2u);
    // Without the properties, there are as many clip distances as the shader writes.
    const Lowered w = lowered("VERT\nDCL IN[0]\nDCL OUT[0], CLIPDIST\nMOV OUT[0].xyz, IN[0]\nEND\n");
    EXPECT_EQ(find(w.module, ir::VariableKind::Output, ir::BuiltIn::ClipDistance)->array[0], 3u);
    EXPECT_FALSE(find(w.module, ir::VariableKind::Output, ir::BuiltIn::CullDistance));
    EXPECT_FALSE(lower_text("VERT\nPROPERTY NUM_CLIPDIST_ENABLED 8\nPROPERTY NUM_CULLDIST_ENABLED 1\nDCL IN[0]\n"
                            "DCL OUT[0], CLIPDIST\nMOV OUT[0], IN[0]\nEND\n")
                     .ok);
}

TEST(LowerIo, AnUnreadEdgeFlagIsReported) {
    const Lowered l = lowered("VERT\nDCL IN[0]\nDCL OUT[0], EDGEFLAG\nMOV OUT[0], IN[0]\nEND\n");
    ASSERT_EQ(l.diagnostics.size(), 1u);
    EXPECT_EQ(l.diagnostics[0].code, "no-effect");
    EXPECT_EQ(l.diagnostics[0].severity, tgsi::Severity::Warning);
    EXPECT_EQ(l.diagnostics[0].offset, 15u);
}

TEST(LowerIo, VertexBuiltins) {
    const std::string text = ir::print(lowered(
                                           R"(VERT
DCL IN[0]
DCL OUT[0], PSIZE
DCL OUT[1], LAYER
DCL OUT[2], VIEWPORT_INDEX
DCL OUT[3], EDGEFLAG
DCL OUT[4], CLIPVERTEX
MOV OUT[0].x, IN[0]
MOV OUT[1].x, IN[0]
MOV OUT[2].x, IN[0]
MOV OUT[3], IN[0]
MOV OUT[4], IN[0]
END
)")
                                           .module);
    EXPECT_THAT(text, HasSubstr("Output f32 builtin=PointSize"));
    EXPECT_THAT(text, HasSubstr("Output u32 builtin=Layer"));
    EXPECT_THAT(text, HasSubstr("Output u32 builtin=ViewportIndex"));
    lower::Capabilities none;
    none.shader_layer = false;
    const Lowered l = lower_text("VERT\nDCL IN[0]\nDCL OUT[0], LAYER\nMOV OUT[0].x, IN[0]\nEND\n", {}, none);
    EXPECT_EQ(l.diagnostics.at(0).code, "unsupported-by-device");
}

TEST(LowerIo, InterpolationAndLocation) {
    const Lowered l = lowered(
        R"(FRAG
DCL IN[0], GENERIC[0]
DCL IN[1], GENERIC[1], LINEAR, CENTROID
DCL IN[2], GENERIC[2], PERSPECTIVE, SAMPLE
DCL IN[3], COLOR, COLOR
DCL OUT[0], COLOR
ADD OUT[0], IN[0], IN[1]
ADD OUT[0], IN[2], IN[3]
END
)");
    std::map<uint32_t, const ir::Variable*> at;
    for (const ir::Variable& v : l.module.variables)
        if (v.kind == ir::VariableKind::Input) at[v.location] = &v;
    ASSERT_EQ(at.size(), 4u);
    EXPECT_EQ(at[0]->interpolation, ir::Interpolation::Flat);
    EXPECT_EQ(at[1]->interpolation, ir::Interpolation::Linear);
    EXPECT_EQ(at[1]->sample_location, ir::SampleLocation::Centroid);
    EXPECT_EQ(at[2]->interpolation, ir::Interpolation::Smooth);
    EXPECT_EQ(at[2]->sample_location, ir::SampleLocation::Sample);
    EXPECT_EQ(at[27]->interpolation, ir::Interpolation::Smooth);
}

TEST(LowerIo, FragmentPositionByProperties) {
    constexpr std::string_view kBody = "DCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    auto with = [&](std::string_view property) {
        return lowered("FRAG\n" + std::string(property) + std::string(kBody));
    };
    EXPECT_EQ(operations(with("").module), "");
    EXPECT_EQ(operations(with("PROPERTY FS_COORD_PIXEL_CENTER INTEGER\n").module), "FSub FSub");
    const Lowered lower_left = with("PROPERTY FS_COORD_ORIGIN LOWER_LEFT\n");
    EXPECT_EQ(operations(lower_left.module), "FSub");
    EXPECT_THAT(ir::print(lower_left.module), HasSubstr("spec"));
}

TEST(LowerIo, HeightComesFromTheParametersWithBuffers) {
    lower::Options io;
    io.io_buffers = true;
    const std::string text = ir::print(lowered("FRAG\nPROPERTY FS_COORD_ORIGIN LOWER_LEFT\nDCL SV[0], POSITION\n"
                                               "DCL OUT[0], COLOR\nMOV OUT[0], SV[0]\nEND\n",
                                               io)
                                           .module);
    EXPECT_THAT(text, HasSubstr("$2[u32(3)]"));
    EXPECT_THAT(text, Not(HasSubstr("spec")));
}

TEST(LowerIo, FragmentOutputs) {
    const Lowered l = lowered(
        R"(FRAG
PROPERTY FS_DEPTH_LAYOUT 2
PROPERTY FS_EARLY_DEPTH_STENCIL 1
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR[2]
DCL OUT[1], POSITION
DCL OUT[2], STENCIL
DCL OUT[3], SAMPLEMASK
MOV OUT[0], IN[0]
MOV OUT[1].z, IN[0]
MOV OUT[2].y, IN[0]
MOV OUT[3].x, IN[0]
END
)");
    EXPECT_EQ(find(l.module, ir::VariableKind::Output, ir::BuiltIn::None)->location, 2u);
    const std::string text = ir::print(l.module);
    EXPECT_THAT(text, HasSubstr("builtin=FragDepth"));
    EXPECT_THAT(text, HasSubstr("builtin=FragStencilRefEXT"));
    EXPECT_THAT(text, HasSubstr("builtin=SampleMask"));
    EXPECT_TRUE(l.module.entry.depth_replacing);
    EXPECT_TRUE(l.module.entry.stencil_export);
    EXPECT_TRUE(l.module.entry.early_fragment_tests);
    EXPECT_EQ(l.module.entry.depth_layout, ir::DepthLayout::Greater);
    lower::Capabilities none;
    none.stencil_export = false;
    EXPECT_FALSE(
        lower_text("FRAG\nDCL OUT[0], STENCIL\nIMM[0] UINT32 {1,1,1,1}\nMOV OUT[0].y, IMM[0]\nEND\n", {}, none).ok);
}

TEST(LowerIo, Color0WritesAllTargets) {
    std::set<std::string> names;  // a debugger shows them
    auto outputs = [&](std::string_view property) {
        const Lowered l = lowered("FRAG\n" + std::string(property) +
                                  "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n");
        for (const ir::Variable& v : l.module.variables)
            if (v.kind == ir::VariableKind::Output) names.emplace(v.name.view());
        return std::ranges::count(l.module.variables, ir::VariableKind::Output, &ir::Variable::kind);
    };
    EXPECT_EQ(outputs(""), 1);
    EXPECT_EQ(outputs("PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n"), 8);
    EXPECT_EQ(names.size(), 8u);
    // If output 1 is the second source of blending, there is only one target.
    const Lowered l = lower_text(
        R"(FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
END
)",
        {.dual_source = true});
    EXPECT_EQ(std::ranges::count(l.module.variables, ir::VariableKind::Output, &ir::Variable::kind), 2);
}

TEST(LowerIo, RegistersOfOneMeaningShareItByComponents) {
    const auto stored = [](std::string_view text) {
        const Lowered l = lowered(text);
        const Evaluation e = evaluate(l.module, {{0, {1, 2, 3, 4}}, {1, {5, 6, 7, 8}}});
        EXPECT_EQ(e.error, "");
        EXPECT_EQ(e.outputs.size(), 1u);
        return e.outputs.empty() ? Words{} : e.outputs.begin()->second;
    };
    const std::string head = "VERT\nDCL IN[0]\nDCL IN[1]\n";
    EXPECT_EQ(stored(head + "DCL OUT[0].xy, ARRAY(1), GENERIC[3]\nDCL OUT[1].zw, ARRAY(2), GENERIC[3]\n"
                            "MOV OUT[0].xy, IN[0]\nMOV OUT[1].zw, IN[1]\nEND\n"),
              (Words{1, 2, 7, 8}));
    // Where both registers write a component, the later one wins.
    EXPECT_EQ(
        stored(head + "DCL OUT[0], GENERIC[3]\nDCL OUT[1], GENERIC[3]\nMOV OUT[0], IN[0]\nMOV OUT[1].yz, IN[1]\nEND\n"),
        (Words{1, 6, 7, 4}));
}

TEST(LowerIo, ALocationHasOneInterpolation) {
    const auto error = [](std::string_view first, std::string_view second) {
        return lower_text("FRAG\nDCL IN[0], " + std::string(first) + "\nDCL IN[1], " + std::string(second) +
                          "\nDCL OUT[0], COLOR\nADD OUT[0], IN[0], IN[1]\nEND\n")
            .error;
    };
    EXPECT_EQ(error("GENERIC[0], PERSPECTIVE", "GENERIC[0], PERSPECTIVE"), "");
    EXPECT_THAT(error("GENERIC[0], PERSPECTIVE", "GENERIC[0], CONSTANT"), HasSubstr("two interpolations"));
    EXPECT_THAT(error("GENERIC[0], LINEAR", "GENERIC[0], LINEAR, CENTROID"), HasSubstr("two interpolations"));
}

TEST(LowerIo, OutputsThatNoPathWritesAreNotStored) {
    const Lowered l = lowered(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
IF IN[0]
MOV OUT[0].x, IN[0]
ENDIF
END
)");
    EXPECT_EQ(std::ranges::count(l.module.variables, ir::VariableKind::Output, &ir::Variable::kind), 1);
}

TEST(LowerIo, SystemValuesOfBothStages) {
    for (const auto& [stage, semantic, builtin] : {std::tuple{"VERT", "VERTEXID", "VertexIndex"},
                                                   std::tuple{"VERT", "VERTEXID_NOBASE", "BaseVertex"},
                                                   std::tuple{"VERT", "INSTANCEID", "BaseInstance"},
                                                   std::tuple{"VERT", "BASEVERTEX", "BaseVertex"},
                                                   std::tuple{"VERT", "BASEINSTANCE", "BaseInstance"},
                                                   std::tuple{"VERT", "DRAWID", "DrawIndex"},
                                                   std::tuple{"VERT", "VIEW_INDEX", "ViewIndex"},
                                                   std::tuple{"FRAG", "VIEW_INDEX", "ViewIndex"},
                                                   std::tuple{"FRAG", "POSITION", "FragCoord"},
                                                   std::tuple{"FRAG", "FACE", "FrontFacing"},
                                                   std::tuple{"FRAG", "SAMPLEID", "SampleId"},
                                                   std::tuple{"FRAG", "SAMPLEPOS", "SamplePosition"},
                                                   std::tuple{"FRAG", "SAMPLEMASK", "SampleMask"},
                                                   std::tuple{"FRAG", "PCOORD", "PointCoord"},
                                                   std::tuple{"FRAG", "HELPER_INVOCATION", "HelperInvocation"},
                                                   std::tuple{"FRAG", "PRIM_ID", "PrimitiveId"},
                                                   std::tuple{"FRAG", "LAYER", "Layer"},
                                                   std::tuple{"FRAG", "VIEWPORT_INDEX", "ViewportIndex"},
                                                   std::tuple{"FRAG", "SUBGROUP_SIZE", "SubgroupSize"},
                                                   std::tuple{"VERT", "SUBGROUP_GE_MASK", "SubgroupGeMask"}}) {
        SCOPED_TRACE(semantic);
        const std::string out = std::string(stage) == "VERT" ? "GENERIC[0]" : "COLOR";
        const std::string tail = "DCL OUT[0], " + out + "\nMOV OUT[0], SV[0]\nEND\n";
        EXPECT_THAT(ir::print(lowered(std::string(stage) + "\nDCL SV[0], " + semantic + "\n" + tail).module),
                    HasSubstr("builtin=" + std::string(builtin)));
    }
    const Lowered l = lower_text("FRAG\nDCL SV[0], VERTEXID\nDCL OUT[0], COLOR\nMOV OUT[0], SV[0]\nEND\n");
    EXPECT_EQ(l.diagnostics.at(0).code, "unsupported-semantic");
    lower::Capabilities none;
    none.draw_parameters = none.multiview = false;
    EXPECT_THAT(
        ir::print(
            lowered("VERT\nPROPERTY NUM_VIEWS 2\nDCL SV[0], VIEW_INDEX\nDCL OUT[0], GENERIC\nMOV OUT[0], SV[0]\nEND\n",
                    {}, none)
                .module),
        Not(HasSubstr("ViewIndex")));
    EXPECT_THAT(
        ir::print(
            lowered("VERT\nDCL SV[0], INSTANCEID\nDCL OUT[0], GENERIC\nMOV OUT[0], SV[0]\nEND\n", {}, none).module),
        Not(HasSubstr("BaseInstance")));
}

TEST(LowerIo, FaceIsAFloatAsInputAndBitsAsSystemValue) {
    const std::string tail = "DCL OUT[0], COLOR\nMOV OUT[0], ";
    EXPECT_THAT(ir::print(lowered("FRAG\nDCL IN[0], FACE, CONSTANT\n" + tail + "IN[0]\nEND\n").module),
                HasSubstr("f32(1), f32(-1)"));
    EXPECT_THAT(ir::print(lowered("FRAG\nDCL SV[0], FACE\n" + tail + "SV[0]\nEND\n").module), HasSubstr("u32("));
}

TEST(LowerIo, WhetherAnInvocationBeganAsAHelperIsReadInMainAlone) {
    const Lowered l = lower_text(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL SV[0], HELPER_INVOCATION
DCL OUT[0], COLOR
DCL TEMP[0]
KILL_IF IN[0]
CAL :4
MOV OUT[0], TEMP[0]
END
BGNSUB
MOV TEMP[0], SV[0]
ENDSUB
)");
    ASSERT_TRUE(l.ok) << l.error;
    const auto reads = [&l](const ir::Function& f) {
        return std::ranges::count_if(f.instructions, [&l](const ir::Instruction& i) {
            return i.op == ir::Op::Load && l.module.variables[i.aux].builtin == ir::BuiltIn::HelperInvocation;
        });
    };
    ASSERT_EQ(l.module.functions.size(), 2u);
    EXPECT_EQ(reads(l.module.functions[0]), 1);
    EXPECT_EQ(reads(l.module.functions[1]), 0);
}

TEST(LowerIo, FogByDialect) {
    constexpr std::string_view kText = "FRAG\nDCL IN[0], FOG, PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    EXPECT_THAT(ir::print(lowered(kText).module), HasSubstr("Store $1, %0\n"));
    lower::Options oldest;
    oldest.dialect = tgsi::Dialect::Oldest;
    EXPECT_THAT(ir::print(lowered(kText, oldest).module), HasSubstr("%0.x, f32(0).x, f32(0).x, f32(1).x"));
}

TEST(LowerIo, BuffersInsteadOfTheInterface) {
    lower::Options io;
    io.io_buffers = true;
    const Lowered l =
        lowered("VERT\nDCL IN[0..1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[3]\nMOV OUT[1].yw, IN[1]\nEND\n", io);
    const std::string text = ir::print(l.module);
    EXPECT_THAT(text, HasSubstr(R"(b0: merge b2
  %0 = Load u32 $3
  %1 = Load u32 $2[u32(0)]
  %2 = ISub u32 %0, %1
  %3 = Load u32 $2[u32(2)]
  %4 = ULt bool %2, %3
  %5 = Select u32 %4, %2, u32(0)
  %6 = IMul u32 %5, u32(8)
)"));
    // Each lane has 8 words; IN[1].y is word 5, OUT[1].y and .w are words 5 and 7. Components that nothing writes are
    // not stored.
    EXPECT_THAT(text, HasSubstr("IAdd u32 %6, u32(5)"));
    EXPECT_EQ(std::ranges::count(l.module.functions[0].instructions, ir::Op::Store, &ir::Instruction::op), 2);
    const Lowered f = lowered("FRAG\nDCL IN[0], GENERIC[0]\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n", io);
    // Four components, and whether the lane is alive.
    EXPECT_EQ(std::ranges::count(f.module.functions[0].instructions, ir::Op::Store, &ir::Instruction::op), 5);
}

TEST(LowerIo, BufferedSystemValuesFollowTheInputs) {
    lower::Options io;
    io.io_buffers = true;
    const auto vertex_id = static_cast<uint32_t>(tgsi::Semantic::InstanceId);
    io.buffered_system_values[vertex_id / 32] |= 1u << vertex_id % 32;
    const std::string text =
        ir::print(lowered("VERT\nDCL IN[0]\nDCL SV[0], VERTEXID\nDCL SV[1], INSTANCEID\nDCL OUT[0], GENERIC\n"
                          "ADD OUT[0], SV[1].xxxx, IN[0]\nEND\n",
                          io)
                      .module);
    EXPECT_THAT(text, HasSubstr("u32(8)"));  // two slots per lane
    EXPECT_THAT(text, HasSubstr("u32(4)"));  // slot 1, component x
    EXPECT_THAT(text, Not(HasSubstr("InstanceIndex")));
}

/// It needs nothing of the pipeline.
TEST(LowerIo, ATextThatFetchesItsTargetBlendsByItself) {
    lower::Capabilities bare;
    bare.blend_operation_advanced = false;
    const Lowered l = lower_text(R"(FRAG
PROPERTY FS_BLEND_EQUATION_ADVANCED 4098
DCL OUT[0], COLOR
DCL TEMP[0]
FBFETCH TEMP[0], OUT[0]
MOV OUT[0], TEMP[0]
END
)",
                                 {}, bare);
    EXPECT_EQ(l.error, "");
    EXPECT_EQ(l.module.entry.blend_equations, 0u);
}

TEST(LowerIo, PropertiesThatNeedAnExtension) {
    lower::Capabilities bare;
    bare.post_depth_coverage = bare.viewport_mask = bare.blend_operation_advanced = false;
    const std::tuple<const char*, const char*, const char*> kCases[] = {
        {"FRAG\nPROPERTY FS_EARLY_DEPTH_STENCIL 1\nPROPERTY FS_POST_DEPTH_COVERAGE 1\nEND\n",
         "FS_POST_DEPTH_COVERAGE: the device lacks VK_EXT_post_depth_coverage", "post_depth_coverage"},
        {"FRAG\nPROPERTY FS_BLEND_EQUATION_ADVANCED 4098\nEND\n",
         "FS_BLEND_EQUATION_ADVANCED: the device lacks VK_EXT_blend_operation_advanced", "blend_equations=4098"},
        {"VERT\nPROPERTY LAYER_VIEWPORT_RELATIVE 1\nDCL IN[0]\nDCL OUT[0], LAYER\nMOV OUT[0].x, IN[0]\nEND\n",
         "LAYER_VIEWPORT_RELATIVE: the device lacks VK_NV_viewport_array2", "builtin=Layer viewport_relative"},
        {"VERT\nDCL IN[0]\nDCL OUT[0], VIEWPORT_MASK\nMOV OUT[0].x, IN[0]\nEND\n",
         "VIEWPORT_MASK: the device lacks VK_NV_viewport_array2", "Output u32 builtin=ViewportMaskNV"},
        {"GEOM\nPROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL OUT[0], VIEWPORT_MASK\nMOV OUT[0].x, OUT[0]\nEMIT\nEND\n",
         "VIEWPORT_MASK: the device lacks VK_NV_viewport_array2", "Output u32 builtin=ViewportMaskNV"}};
    for (const auto& [text, refusal, translated] : kCases) {
        SCOPED_TRACE(text);
        EXPECT_EQ(lower_text(text, {}, bare).error, refusal);
        EXPECT_THAT(ir::print(lowered(text).module), HasSubstr(translated));
    }
    // Without early tests the property has no effect. Outputs in buffers involve neither layers nor blending.
    EXPECT_THAT(ir::print(lowered("FRAG\nPROPERTY FS_POST_DEPTH_COVERAGE 1\nEND\n").module),
                Not(HasSubstr("post_depth_coverage")));
    lower::Options io;
    io.io_buffers = true;
    for (const auto& [text, refusal, translated] : std::span(kCases).subspan(1))
        EXPECT_TRUE(lower_text(text, io, bare).ok) << text;
}

/// tests/draw shows its picture (window-space.json).
TEST(LowerIo, WindowSpacePositionsComeFromTheViewportAlone) {
    const auto text = [](std::string_view value, std::string_view constants = "") {
        return "VERT\nPROPERTY VS_WINDOW_SPACE_POSITION " + std::string(value) + "\nDCL IN[0]\n" +
               std::string(constants) + "DCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
    };
    lower::Options options;
    options.flip_y = true;
    options.state.clip_planes = 4;
    const std::string ir = ir::print(lowered(text("1"), options).module);
    EXPECT_THAT(ir, HasSubstr("array1=17 index=31 name=\"STATE\""));
    EXPECT_THAT(ir, Not(HasSubstr("ClipDistance")));
    EXPECT_THAT(ir, Not(HasSubstr("FNegate")));
    EXPECT_THAT(ir::print(lowered(text("0")).module), Not(HasSubstr("STATE")));
    EXPECT_THAT(lower_text(text("1", "DCL CONST[31][0]\n")).error, HasSubstr("CONST[31] is used by the shader"));
    EXPECT_TRUE(lower_text("VERT\nPROPERTY SEPARABLE_PROGRAM 1\nPROPERTY NEXT_SHADER FRAG\nEND\n").ok);
}

/// Two locations of words for doubles, which move the attributes after them; those that the text does not read count.
TEST(LowerIo, DoublesTakeTwoLocations) {
    const std::string text = "VERT\nDCL IN[0..3]\nDCL OUT[0], POSITION\nADD OUT[0], IN[1], IN[3]\nEND\n";
    lower::Options options;
    options.state.attributes[0] = options.state.attributes[1] = lower::NumericType::Double;
    const Lowered l = lower_text(text, options);
    ASSERT_TRUE(l.ok) << l.error;
    std::vector<std::pair<uint32_t, ir::Scalar>> inputs;
    for (const ir::Variable& v : l.module.variables)
        if (v.kind == ir::VariableKind::Input) inputs.emplace_back(v.location, v.element.scalar);
    EXPECT_EQ(inputs, (std::vector<std::pair<uint32_t, ir::Scalar>>{
                          {2, ir::Scalar::U32}, {3, ir::Scalar::U32}, {5, ir::Scalar::F32}}));
    lower::Capabilities without;
    without.float64 = false;
    // Without shaderFloat64 they become floats all the same.
    const Evaluation floats = evaluate(lower_text(text, options, without).module,
                                       {{2, {0, 0x3ff8'0000, 1, 0x4000'0000}}, {3, {0, 0, 0, 0xc008'0000}}, {5, {}}});
    EXPECT_EQ(floats.error, "");
    EXPECT_EQ(evaluate(l.module, {{2, {0, 0x3ff8'0000, 1, 0x4000'0000}}, {3, {0, 0, 0, 0xc008'0000}}, {5, {}}}).outputs,
              floats.outputs);
}

}  // namespace
}  // namespace tgsi2spv::test

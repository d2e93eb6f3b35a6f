#include "spirv/features.h"
#include "spirv/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "spirv/requirements.h"

namespace tgsi2spv::spirv {
namespace {

/// Vulkan, "Appendix A": every device offers these, or every device of the version that has them in its core.
TEST(Features, EveryCapabilityOfTheEmitterHasAFeatureOrNeedsNone) {
    const std::set<std::string_view> without = {
        "Shader", "InputAttachment", "Sampled1D", "Image1D", "SampledBuffer", "ImageBuffer", "ImageQuery",
        "DerivativeControl", "ShaderNonUniform",
        // For these, the feature depends on more than the capability; add_features() handles them.
        "SignedZeroInfNanPreserve", "AtomicFloat32AddEXT"};
    for (const CapabilityRow& row : capability_rows())
        EXPECT_NE(feature_of(row.capability).empty(), without.count(row.name) == 0) << row.name;
}

TEST(Features, MemoryThatMayBeWrittenIsAFeatureOfEveryGraphicsStage) {
    ir::Module module;
    module.variables.push_back({.kind = ir::VariableKind::StorageBuffer, .element = ir::u32()});
    const auto of = [&](ir::Stage stage, bool used, bool non_writable) {
        module.entry.stage = stage;
        module.variables[0].non_writable = non_writable;
        const uint8_t used_variables[] = {used};
        std::pmr::vector<ir::Name> features;
        add_features(module, kSpirv15, used_variables, features);
        return features;
    };
    using testing::ElementsAre, testing::IsEmpty;
    EXPECT_THAT(of(ir::Stage::Fragment, true, false), ElementsAre("fragmentStoresAndAtomics"));
    EXPECT_THAT(of(ir::Stage::Vertex, true, false), ElementsAre("vertexPipelineStoresAndAtomics"));
    EXPECT_THAT(of(ir::Stage::Geometry, true, false), ElementsAre("vertexPipelineStoresAndAtomics"));
    EXPECT_THAT(of(ir::Stage::Compute, true, false), IsEmpty());
    EXPECT_THAT(of(ir::Stage::Fragment, true, true), IsEmpty());
    EXPECT_THAT(of(ir::Stage::Fragment, false, false), IsEmpty());
}

/// VUID-RuntimeSpirv-apiVersion-07954 and -07955: before 1.3 the declaration counts, from 1.3 on the access (the
/// capability).
TEST(Features, ImagesWithoutFormatThatMayBeReadOrWrittenAreOne) {
    ir::Module module;
    module.entry.stage = ir::Stage::Compute;
    module.variables.push_back({.kind = ir::VariableKind::StorageImage});
    const auto of = [&](uint16_t format, bool non_readable, bool non_writable, uint32_t version) {
        ir::Variable& v = module.variables[0];
        v.image.format = format;
        v.non_readable = non_readable;
        v.non_writable = non_writable;
        const uint8_t used_variables[] = {1};
        std::pmr::vector<ir::Name> features;
        add_features(module, version, used_variables, features);
        return features;
    };
    using testing::ElementsAre, testing::IsEmpty;
    const char* const writes = "shaderStorageImageWriteWithoutFormat";
    const char* const reads = "shaderStorageImageReadWithoutFormat";
    EXPECT_THAT(of(0, false, false, kSpirv15), ElementsAre(writes, reads));
    EXPECT_THAT(of(0, true, false, kSpirv10), ElementsAre(writes));
    EXPECT_THAT(of(0, false, true, kSpirv15), ElementsAre(reads));
    EXPECT_THAT(of(0, true, true, kSpirv15), IsEmpty());
    EXPECT_THAT(of(1, false, false, kSpirv15), IsEmpty());
    EXPECT_THAT(of(0, false, false, kSpirv16), IsEmpty());
}

/// Properties, and abilities without a feature, in a version that needs the extension for them.
TEST(Features, ExtensionsThatALaterVersionHasAreNamed) {
    ir::Module module;
    module.entry.float_controls = true;
    const auto of = [&](uint32_t version, std::initializer_list<const char*> before) {
        std::pmr::vector<ir::Name> features(before.begin(), before.end());
        add_features(module, version, {}, features);
        return features;
    };
    using testing::Contains, testing::Not;
    EXPECT_THAT(of(kSpirv13, {}), Contains("VK_KHR_shader_float_controls"));
    EXPECT_THAT(of(kSpirv15, {}), Not(Contains("VK_KHR_shader_float_controls")));
    module.entry.float_controls = false;
    EXPECT_THAT(of(kSpirv10, {}), testing::IsEmpty());
    EXPECT_THAT(of(kSpirv10, {"shaderRoundingModeRTEFloat32"}), Contains("VK_KHR_shader_float_controls"));
    EXPECT_THAT(of(kSpirv10, {"shaderDrawParameters"}), Contains("VK_KHR_shader_draw_parameters"));
    EXPECT_THAT(of(kSpirv10, {"multiview"}), Contains("VK_KHR_multiview"));
    EXPECT_THAT(of(kSpirv13, {"shaderDrawParameters", "multiview"}), testing::SizeIs(2));
}

TEST(Features, LinesAndTrianglesOfOtherStreamsAreOne) {
    const auto of = [](ir::OutputPrimitive primitive, uint32_t stream) {
        ir::Module module;
        module.entry.stage = ir::Stage::Geometry;
        module.entry.output_primitive = primitive;
        module.functions.emplace_back();
        ir::Instruction emit{};
        emit.op = ir::Op::EmitVertex;
        emit.aux = stream;
        module.functions[0].instructions.push_back(emit);
        std::pmr::vector<ir::Name> features;
        add_features(module, kSpirv15, {}, features);
        return features;
    };
    EXPECT_THAT(of(ir::OutputPrimitive::Points, 1), testing::IsEmpty());
    EXPECT_THAT(of(ir::OutputPrimitive::TriangleStrip, 0), testing::IsEmpty());
    EXPECT_THAT(of(ir::OutputPrimitive::TriangleStrip, 1),
                testing::ElementsAre("transformFeedbackStreamsLinesTriangles"));
}

/// Vulkan, "Standalone SPIR-V Validation": features whose capability is shared, or that have none.
TEST(Features, DualSourcesFloatAtomicsAndAdvancedBlendingAreSome) {
    using testing::ElementsAre, testing::IsEmpty;
    const auto of = [](const ir::Module& module, uint8_t used = 1) {
        const std::vector<uint8_t> used_variables(module.variables.size(), used);
        std::pmr::vector<ir::Name> features;
        add_features(module, kSpirv15, used_variables, features);
        return features;
    };
    ir::Module dual;
    dual.entry.stage = ir::Stage::Fragment;
    dual.variables.push_back({.kind = ir::VariableKind::Output, .element = ir::f32(4)});
    EXPECT_THAT(of(dual), IsEmpty());
    dual.variables.push_back({.kind = ir::VariableKind::Output, .element = ir::f32(4), .dual_source = 1});
    EXPECT_THAT(of(dual), ElementsAre("dualSrcBlend"));
    EXPECT_THAT(of(dual, 0), IsEmpty());

    const auto adds = [&](ir::Op op, ir::AtomicOp operation) {
        ir::Module module;
        module.entry.stage = ir::Stage::Compute;
        module.functions.emplace_back();
        ir::Instruction atomic{};
        atomic.op = op;
        atomic.sub = static_cast<uint8_t>(operation);
        module.functions[0].instructions.push_back(atomic);
        return of(module);
    };
    EXPECT_THAT(adds(ir::Op::Atomic, ir::AtomicOp::FAdd), ElementsAre("shaderBufferFloat32AtomicAdd"));
    EXPECT_THAT(adds(ir::Op::ImageAtomic, ir::AtomicOp::FAdd), ElementsAre("shaderImageFloat32AtomicAdd"));
    EXPECT_THAT(adds(ir::Op::Atomic, ir::AtomicOp::IAdd), IsEmpty());
    EXPECT_THAT(adds(ir::Op::ImageAtomic, ir::AtomicOp::IAdd), IsEmpty());

    ir::Module blended;
    blended.entry.stage = ir::Stage::Fragment;
    blended.entry.blend_equations = 4;
    EXPECT_THAT(of(blended), ElementsAre("VK_EXT_blend_operation_advanced"));
}

}  // namespace
}  // namespace tgsi2spv::spirv

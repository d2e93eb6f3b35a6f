#include "spirv/features.h"

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
        add_features(module, used_variables, features);
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

TEST(Features, LinesAndTrianglesOfOtherStreamsAreOne) {
    const auto of = [](uint8_t primitive, uint32_t stream) {
        ir::Module module;
        module.entry.stage = ir::Stage::Geometry;
        module.entry.output_primitive = primitive;
        module.functions.emplace_back();
        ir::Instruction emit{};
        emit.op = ir::Op::EmitVertex;
        emit.aux = stream;
        module.functions[0].instructions.push_back(emit);
        std::pmr::vector<ir::Name> features;
        add_features(module, {}, features);
        return features;
    };
    EXPECT_THAT(of(0, 1), testing::IsEmpty());
    EXPECT_THAT(of(2, 0), testing::IsEmpty());
    EXPECT_THAT(of(2, 1), testing::ElementsAre("transformFeedbackStreamsLinesTriangles"));
}

}  // namespace
}  // namespace tgsi2spv::spirv

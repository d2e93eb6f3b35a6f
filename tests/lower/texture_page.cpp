// Messages that no opcode produces: residency, descriptors that differ between lanes, coarse pixels, halves, packed
// offsets, handles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::Capabilities;
using sampling::Call;
using sampling::Message;
using sampling::Offsets;
using sampling::ResultType;
using sampling::SampleOp;
using tgsi::Target;

Call sample(SampleOp op, Target target = Target::T2D) {
    Call call{.target = target};
    call.message.sample = op;
    call.message.surface = sampling::surface(target);
    place_parameters(call.message);
    return call;
}

Call gather(Target target = Target::T2D, Offsets offsets = Offsets::None) {
    Call call{.target = target};
    call.message.cls = sampling::Class::Tld4;
    call.message.immediate_component = 0;
    call.message.surface = sampling::surface(target);
    call.message.offsets = offsets;
    place_parameters(call.message, true);
    return call;
}

Lowered lowered(const Call& call, const Capabilities& capabilities = {}, int32_t pool = 1,
                tgsi::Stage stage = tgsi::Stage::Fragment) {
    return lower_messages({&call, 1}, stage, pool, capabilities);
}

TEST(LowerTexturePage, ResidencyOfEveryRead) {
    struct Row {
        Call call;
        const char* operation;
    };
    const Row rows[] = {
        {sample(SampleOp::sample), "ImageSample"},
        {sample(SampleOp::sample_b_c, Target::Shadow2D), "ImageSample dref bias"},
        {sample(SampleOp::sample_l, Target::T3D), "ImageSampleLod lod"},
        {sample(SampleOp::sample_d_c, Target::ShadowCubeArray), "ImageSampleLod dref grad"},
        {gather(Target::T2DArray), "ImageGather"},
        {gather(Target::ShadowCube), "ImageGather dref"},
    };
    Capabilities without;
    without.sparse_residency = false;
    for (Row row : rows) {
        row.call.message.sparse = true;
        const Lowered l = lowered(row.call);
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_EQ(image_operation(l.module), row.operation);
        EXPECT_TRUE(l.module.image_ops[0].sparse) << row.operation;
        EXPECT_EQ(count(l.module, ir::Op::SparseResident), 1u) << row.operation;
        const Lowered refused = lowered(row.call, without);
        EXPECT_NE(refused.error.find("the device lacks shaderResourceResidency"), std::string::npos) << refused.error;
    }
    Call lod = sample(SampleOp::LOD);  // does not read texels
    lod.message.sparse = true;
    const Lowered l = lowered(lod, without);
    EXPECT_TRUE(l.ok) << l.error;
    EXPECT_EQ(count(l.module, ir::Op::SparseResident), 0u);
}

TEST(LowerTexturePage, ResidencyOfAllDescriptorsThatStandForOne) {
    Call call = sample(SampleOp::sample);
    call.message.sparse = call.message.separate = call.message.non_uniform = true;
    call.sampler_index = {1, 0};
    const Lowered l = lowered(call, {}, 3);
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(count(l.module, ir::Op::ImageSample), 3u);
    EXPECT_EQ(count(l.module, ir::Op::SparseResident), 3u);
}

TEST(LowerTexturePage, ResidencyOfFourOffsetsNeedsThemNative) {
    Call call = gather(Target::T2D, Offsets::Ptp);
    call.message.sparse = true;
    EXPECT_NE(lowered(call).error.find("residency with four offsets needs constant offsets"), std::string::npos);
    place_parameters(call.message);
    call.message.offsets_are_immediate = true;
    const Lowered l = lowered(call);
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(image_operation(l.module), "ImageGather const_offsets");
}

TEST(LowerTexturePage, LanesThatDifferInDescriptors) {
    Call call = sample(SampleOp::sample);
    call.message.separate = call.message.non_uniform = call.message.non_uniform_surface = true;
    call.texture_index = {1, 0};
    call.sampler_index = {1, 1};
    Capabilities indexes;
    indexes.sampled_images.non_uniform = indexes.quad_divergent_implicit_lod = true;
    const Lowered native = lowered(call, indexes, 4);
    ASSERT_TRUE(native.ok) << native.error;
    EXPECT_EQ(count(native.module, ir::Op::ImageSample), 1u);
    EXPECT_TRUE(native.module.image_ops[0].non_uniform);
    const Lowered each = lowered(call, {}, 4);
    ASSERT_TRUE(each.ok) << each.error;
    EXPECT_EQ(count(each.module, ir::Op::ImageSample), 16u);
    EXPECT_FALSE(each.module.image_ops[0].non_uniform);
    EXPECT_NE(lowered(call, {}, 6).error.find("an index of this many textures"), std::string::npos);
}

TEST(LowerTexturePage, CoarsePixels) {
    for (const SampleOp op : {SampleOp::sample, SampleOp::sample_b}) {
        Call call = sample(op);
        call.message.cps_compensation = true;
        const Lowered l = lowered(call);
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_EQ(image_operation(l.module), "ImageSample bias");
        const auto& v = l.module.variables;
        EXPECT_TRUE(std::any_of(v.begin(), v.end(),
                                [](const ir::Variable& x) { return x.builtin == ir::BuiltIn::ShadingRate; }));
        Capabilities without;
        without.shading_rate = false;
        EXPECT_NE(lowered(call, without).error.find("lacks VK_KHR_fragment_shading_rate"), std::string::npos);
    }
    Call lod = sample(SampleOp::LOD);
    lod.message.cps_compensation = true;
    const Lowered l = lowered(lod);
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(image_operation(l.module), "ImageQueryLod");
    EXPECT_EQ(count(l.module, ir::Op::FExp2), 1u);
    Call cube = sample(SampleOp::LOD, Target::Cube);
    cube.message.cps_compensation = true;
    EXPECT_NE(lowered(cube).error.find("cannot have CPS LOD compensation"), std::string::npos);
    Call wrong = sample(SampleOp::sample_lz);
    wrong.message.cps_compensation = true;
    EXPECT_NE(lowered(wrong).error.find("CPS LOD compensation is allowed only for"), std::string::npos);
}

TEST(LowerTexturePage, HalvesAndWordsOf16Bits) {
    Call half = sample(SampleOp::sample_b);
    half.message.half_parameters = true;
    half.message.result = ResultType::Half;
    const Lowered l = lowered(half);
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(count(l.module, ir::Op::UnpackHalf), 3u);  // bias, u, v
    EXPECT_EQ(count(l.module, ir::Op::PackHalf), 4u);
    for (const ResultType type : {ResultType::Int16, ResultType::Uint16}) {
        Call words = sample(SampleOp::sample_lz);
        words.message.result = type;
        EXPECT_NE(lowered(words).error.find("not to 16-bit integers"), std::string::npos);
        words.returns = tgsi::ReturnType::Sint;
        EXPECT_TRUE(lowered(words).ok);
    }
    half.returns = tgsi::ReturnType::Uint;
    EXPECT_NE(lowered(half).error.find("integers cannot be converted to halves"), std::string::npos);
}

TEST(LowerTexturePage, PackedOffsetsOfGathers) {
    const Lowered one = lowered(gather(Target::T2D, Offsets::Aoffi));
    ASSERT_TRUE(one.ok) << one.error;
    EXPECT_EQ(image_operation(one.module), "ImageGather offset");
    Capabilities without;
    without.image_gather_extended = false;
    const Lowered moved = lowered(gather(Target::T2D, Offsets::Aoffi), without);
    ASSERT_TRUE(moved.ok) << moved.error;
    EXPECT_EQ(image_operation(moved.module), "ImageGather");
    const Lowered four = lowered(gather(Target::Shadow2DArray, Offsets::Ptp));
    ASSERT_TRUE(four.ok) << four.error;
    EXPECT_EQ(count(four.module, ir::Op::ImageGather), 4u);
}

TEST(LowerTexturePage, Handles) {
    Call call = gather();
    call.message.bindless = call.message.separate = true;
    place_parameters(call.message);
    Capabilities indexes;
    indexes.sampled_images.non_uniform = true;
    const Lowered native = lowered(call, indexes, 8);
    ASSERT_TRUE(native.ok) << native.error;
    EXPECT_EQ(count(native.module, ir::Op::ImageGather), 1u);
    const Lowered each = lowered(call, {}, 2);
    ASSERT_TRUE(each.ok) << each.error;
    EXPECT_EQ(count(each.module, ir::Op::ImageGather), 4u);
}

TEST(LowerTexturePage, ParametersLeftOutAreZero) {
    Call call = sample(SampleOp::sample, Target::T2DArray);
    for (const int given : {1, 0}) {
        place_parameters(call.message, false, given);
        const Lowered left_out = lowered(call);
        ASSERT_TRUE(left_out.ok) << left_out.error;
        EXPECT_THAT(ir::print(left_out.module),
                    testing::HasSubstr(given == 0 ? "ImageSample f32x4 #0 f32x3(0, 0, 0)"
                                                  : "Compose f32x3 %29.x, f32(0).x, f32(0).x\n  %31 = ImageSample"));
    }
}

}  // namespace
}  // namespace tgsi2spv::test

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
using sampling::Offsets;
using sampling::ResultType;
using sampling::SampleOp;
using tgsi::Target;

using Change = void (*)(Call&);

Call sample(SampleOp op, Target target = Target::T2D, Change change = nullptr) {
    Call call{.target = target};
    call.message.sample = op;
    call.message.surface = sampling::surface(target);
    place_parameters(call.message);
    if (change != nullptr) change(call);
    return call;
}

Call gather(Target target = Target::T2D, Offsets offsets = Offsets::None, Change change = nullptr) {
    Call call{.target = target};
    call.message.cls = sampling::Class::Tld4;
    call.message.immediate_component = 0;
    call.message.surface = sampling::surface(target);
    call.message.offsets = offsets;
    place_parameters(call.message, true);
    if (change != nullptr) change(call);
    return call;
}

void sparse(Call& c) {
    c.message.sparse = true;
}
void coarse(Call& c) {
    c.message.cps_compensation = true;
}
void own_samplers(Call& c) {
    c.message.sparse = c.message.separate = c.message.non_uniform = true;
    c.sampler_index = {1, 0};
}
void own_descriptors(Call& c) {
    c.message.separate = c.message.non_uniform = c.message.non_uniform_surface = true;
    c.texture_index = {1, 0};
    c.sampler_index = {1, 1};
}
void four_constants(Call& c) {
    sparse(c);
    place_parameters(c.message);
    c.message.offsets_are_immediate = true;
}
void handles(Call& c) {
    c.message.bindless = c.message.separate = true;
    place_parameters(c.message);
}
void halves(Call& c) {
    c.message.half_parameters = true;
    c.message.result = ResultType::Half;
}

const Capabilities kIndexes{.sampled_images = {true, true}, .quad_divergent_implicit_lod = true},
    kNoResidency{.sparse_residency = false}, kNoRate{.shading_rate = false}, kPlain{.image_gather_extended = false};

struct MessageRow {
    Call call;
    const char* error;      ///< part of it, or empty: then
    const char* operation;  ///< image_operation(), if it is not empty
    std::vector<std::pair<ir::Op, size_t>> counts{};
    Capabilities device{};
    int32_t pool = 1;
};

TEST(LowerTexturePage, MessagesBecomeTheseInstructions) {
    using enum ir::Op;
    const MessageRow rows[] = {
        // residency, also of all descriptors that stand for one; LOD reads no texels
        {sample(SampleOp::sample, Target::T2D, sparse), "", "ImageSample", {{SparseResident, 1}}},
        {sample(SampleOp::sample_b_c, Target::Shadow2D, sparse), "", "ImageSample dref bias", {{SparseResident, 1}}},
        {sample(SampleOp::sample_l, Target::T3D, sparse), "", "ImageSampleLod lod", {{SparseResident, 1}}},
        {sample(SampleOp::sample_d_c, Target::ShadowCubeArray, sparse),
         "",
         "ImageSampleLod dref grad",
         {{SparseResident, 1}}},
        {gather(Target::T2DArray, Offsets::None, sparse), "", "ImageGather", {{SparseResident, 1}}},
        {gather(Target::ShadowCube, Offsets::None, sparse), "", "ImageGather dref", {{SparseResident, 1}}},
        {sample(SampleOp::sample, Target::T2D, sparse), "lacks shaderResourceResidency", "", {}, kNoResidency},
        {gather(Target::ShadowCube, Offsets::None, sparse), "lacks shaderResourceResidency", "", {}, kNoResidency},
        {sample(SampleOp::LOD, Target::T2D, sparse), "", "", {{SparseResident, 0}}, kNoResidency},
        {sample(SampleOp::sample, Target::T2D, own_samplers), "", "", {{ImageSample, 3}, {SparseResident, 3}}, {}, 3},
        {gather(Target::T2D, Offsets::Ptp, sparse), "residency with four offsets needs constant offsets", ""},
        {gather(Target::T2D, Offsets::Ptp, four_constants), "", "ImageGather const_offsets"},
        // lanes that differ in descriptors
        {sample(SampleOp::sample, Target::T2D, own_descriptors), "", "", {{ImageSample, 1}}, kIndexes, 4},
        {sample(SampleOp::sample, Target::T2D, own_descriptors), "", "", {{ImageSample, 16}}, {}, 4},
        {sample(SampleOp::sample, Target::T2D, own_descriptors), "an index of this many textures", "", {}, {}, 6},
        {gather(Target::T2D, Offsets::None, handles), "", "", {{ImageGather, 1}}, kIndexes, 8},
        {gather(Target::T2D, Offsets::None, handles), "", "", {{ImageGather, 4}}, {}, 2},
        // coarse pixels
        {sample(SampleOp::sample, Target::T2D, coarse), "", "ImageSample bias"},
        {sample(SampleOp::sample_b, Target::T2D, coarse), "", "ImageSample bias"},
        {sample(SampleOp::sample, Target::T2D, coarse), "lacks VK_KHR_fragment_shading_rate", "", {}, kNoRate},
        {sample(SampleOp::LOD, Target::T2D, coarse), "", "ImageQueryLod", {{FExp2, 1}}},
        {sample(SampleOp::LOD, Target::Cube, coarse), "cannot have CPS LOD compensation", ""},
        {sample(SampleOp::sample_lz, Target::T2D, coarse), "CPS LOD compensation is allowed only for", ""},
        // halves: bias, u, v; 16-bit integers
        {sample(SampleOp::sample_b, Target::T2D, halves), "", "ImageSample bias", {{UnpackHalf, 3}, {PackHalf, 4}}},
        // packed offsets
        {gather(Target::T2D, Offsets::Aoffi), "", "ImageGather offset"},
        {gather(Target::T2D, Offsets::Aoffi), "", "ImageGather", {}, kPlain},
        {gather(Target::Shadow2DArray, Offsets::Ptp), "", "", {{ImageGather, 4}}},
    };
    for (const MessageRow& row : rows) {
        const std::string message = print(sampling::carry({&row.call, 1}, tgsi::Stage::Fragment, row.pool).messages[0]);
        SCOPED_TRACE(testing::Message() << "row " << &row - rows << ": " << message);
        const Lowered l = lower_messages({&row.call, 1}, tgsi::Stage::Fragment, row.pool, row.device);
        if (*row.error != '\0') {
            EXPECT_THAT(l.error, testing::HasSubstr(row.error));
            continue;
        }
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_EQ(*row.operation == '\0' ? "" : image_operation(l.module), row.operation);
        for (const auto& [op, number] : row.counts) EXPECT_EQ(count(l.module, op), number) << ir::info(op).name;
        const auto& ops = l.module.image_ops;
        EXPECT_EQ(std::ranges::any_of(ops, &ir::ImageOp::sparse),
                  row.call.message.sparse && row.call.message.sample != SampleOp::LOD);
        const bool differs = row.call.message.non_uniform || row.call.message.bindless;
        EXPECT_EQ(std::ranges::any_of(ops, &ir::ImageOp::non_uniform),
                  differs && row.device.sampled_images.non_uniform);
        EXPECT_EQ(std::ranges::count(l.module.variables, ir::BuiltIn::ShadingRate, &ir::Variable::builtin),
                  row.call.message.cps_compensation);
    }
}

TEST(LowerTexturePage, HalvesAndWordsOf16Bits) {
    const auto error = [](const Call& call) { return lower_messages({&call, 1}, tgsi::Stage::Fragment, 1, {}).error; };
    for (const ResultType type : {ResultType::Int16, ResultType::Uint16}) {
        Call words = sample(SampleOp::sample_lz);
        words.message.result = type;
        EXPECT_THAT(error(words), testing::HasSubstr("not to 16-bit integers"));
        words.returns = tgsi::ReturnType::Sint;
        EXPECT_EQ(error(words), "");
    }
    Call half = sample(SampleOp::sample_b, Target::T2D, halves);
    half.returns = tgsi::ReturnType::Uint;
    EXPECT_THAT(error(half), testing::HasSubstr("integers cannot be converted to halves"));
}

TEST(LowerTexturePage, ParametersLeftOutAreZero) {
    Call call = sample(SampleOp::sample, Target::T2DArray);
    for (const int given : {1, 0}) {
        place_parameters(call.message, false, given);
        const Lowered left_out = lower_messages({&call, 1}, tgsi::Stage::Fragment, 1, {});
        ASSERT_TRUE(left_out.ok) << left_out.error;
        EXPECT_THAT(ir::print(left_out.module),
                    testing::HasSubstr(given == 0 ? "ImageSample f32x4 #0 f32x3(0, 0, 0)"
                                                  : "Compose f32x3 %29.x, f32(0).x, f32(0).x\n  %31 = ImageSample"));
    }
}

}  // namespace
}  // namespace tgsi2spv::test

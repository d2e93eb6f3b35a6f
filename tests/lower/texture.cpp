// Texture instructions on every target: which image, which instruction and which operands they become.
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::Capabilities;

constexpr std::string_view kHead =
    R"(DCL IN[0..3], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..3]
IMM[0] INT32 {1, -2, 3, 0}
IMM[1] INT32 {0, 0, 0, 0}
IMM[2] INT32 {-8, 7, 0, 2}
IMM[3] FLT32 {2, 100, 0, 0}
)";

std::string shader(std::string_view line, std::string_view stage = "FRAG", std::string_view head = {}) {
    std::string text(stage);
    text += '\n';
    if (stage == "VERT") {
        text += "DCL IN[0..3]\nDCL OUT[0], GENERIC[0]\n";
        text += kHead.substr(kHead.find("DCL SAMP"));
    } else {
        text += kHead;
    }
    text += head;
    text += line;
    text += "\nEND\n";
    return text;
}

/// Returns the image type of the first descriptor.
std::string first_image(const ir::Module& module) {
    for (const ir::Variable& v : module.variables) {
        if (v.kind == ir::VariableKind::CombinedImage) return image_type(v.image);
        if (v.kind == ir::VariableKind::SampledImage) return "view " + image_type(v.image);
    }
    return {};
}

/// Returns the constant words of an argument of the first image instruction; empty if it is not a constant.
std::vector<int32_t> constant_argument(const ir::Module& module, int ir::ImageArguments::*which, int more = 0) {
    const ir::Function& f = module.functions[module.entry.function];
    for (const ir::Instruction& i : f.instructions) {
        if (!ir::is_image_op(i.op)) continue;
        const int at = ir::image_arguments(module, i).*which;
        if (at < 0) continue;
        const ir::Value v = f.args_of(i)[static_cast<size_t>(at + more)];
        if (!ir::is_constant(v)) return {};
        const ir::Constant& c = module.constant(v);
        std::vector<int32_t> words;
        for (size_t k = 0; k < c.type.components; k++) words.push_back(static_cast<int32_t>(c.words[k]));
        return words;
    }
    return {};
}

struct Row {
    const char* line;
    const char* image;
    const char* operation;
};

void check(const Row& row, std::string_view stage = "FRAG", std::string_view head = {}) {
    const Lowered l = lower_text(shader(row.line, stage, head));
    ASSERT_TRUE(l.ok) << row.line << ": " << l.error;
    EXPECT_EQ(first_image(l.module), row.image) << row.line;
    EXPECT_EQ(image_operation(l.module), row.operation) << row.line;
}

TEST(LowerTexture, AResourceThatIsSampledNeedsNoDeclaration) {
    const Lowered l = lower_text(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
SAMPLE OUT[0], IN[0], RES[0], SAMP[0], 2D
END
)");
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_EQ(count(l.module, ir::Op::ImageSample), 1u);
}

TEST(LowerTexture, SamplingOnEveryTarget) {
    static constexpr Row kRows[] = {
        {"TEX OUT[0], IN[0], SAMP[0], 1D", "1D", "ImageSample"},
        {"TEX OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageSample"},
        {"TEX OUT[0], IN[0], SAMP[0], 3D", "3D", "ImageSample"},
        {"TEX OUT[0], IN[0], SAMP[0], CUBE", "Cube", "ImageSample"},
        {"TEX OUT[0], IN[0], SAMP[0], RECT", "2D", "ImageSample"},
        {"TEX OUT[0], IN[0], SAMP[0], 1D_ARRAY", "1D array", "ImageSample"},
        {"TEX OUT[0], IN[0], SAMP[0], 2D_ARRAY", "2D array", "ImageSample"},
        {"TEX OUT[0], IN[0], SAMP[0], CUBEARRAY", "Cube array", "ImageSample"},
        {"TEX OUT[0], IN[0], SAMP[0], SHADOW1D", "1D depth", "ImageSample dref"},
        {"TEX OUT[0], IN[0], SAMP[0], SHADOW2D", "2D depth", "ImageSample dref"},
        {"TEX OUT[0], IN[0], SAMP[0], SHADOWRECT", "2D depth", "ImageSample dref"},
        {"TEX OUT[0], IN[0], SAMP[0], SHADOW1D_ARRAY", "1D array depth", "ImageSample dref"},
        {"TEX OUT[0], IN[0], SAMP[0], SHADOW2D_ARRAY", "2D array depth", "ImageSample dref"},
        {"TEX OUT[0], IN[0], SAMP[0], SHADOWCUBE", "Cube depth", "ImageSample dref"},
        {"TEX2 OUT[0], IN[0], IN[1], SAMP[0], SHADOWCUBEARRAY", "Cube array depth", "ImageSample dref"},
        {"TXP OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageSample"},
        {"TXP OUT[0], IN[0], SAMP[0], CUBE", "Cube", "ImageSample"},
        {"TXP OUT[0], IN[0], SAMP[0], SHADOW2D", "2D depth", "ImageSample dref"},
        {"TXP OUT[0], IN[0], SAMP[0], RECT", "2D", "ImageSample"},
        {"TXB OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageSample bias"},
        {"TXB OUT[0], IN[0], SAMP[0], SHADOW2D", "2D depth", "ImageSample dref bias"},
        {"TXB2 OUT[0], IN[0], IN[1], SAMP[0], CUBEARRAY", "Cube array", "ImageSample bias"},
        {"TXB2 OUT[0], IN[0], IN[1], SAMP[0], SHADOWCUBE", "Cube depth", "ImageSample dref bias"},
        {"TXB2 OUT[0], IN[0], IN[1], SAMP[0], SHADOWCUBEARRAY", "Cube array depth", "ImageSample dref bias"},
        {"TXL OUT[0], IN[0], SAMP[0], 3D", "3D", "ImageSampleLod lod"},
        {"TXL OUT[0], IN[0], SAMP[0], SHADOW1D_ARRAY", "1D array depth", "ImageSampleLod dref lod"},
        {"TXL2 OUT[0], IN[0], IN[1], SAMP[0], SHADOWCUBE", "Cube depth", "ImageSampleLod dref lod"},
        {"TXL2 OUT[0], IN[0], IN[1], SAMP[0], SHADOWCUBEARRAY", "Cube array depth", "ImageSampleLod dref lod"},
        {"TXL2 OUT[0], IN[0], IN[1], SAMP[0], SHADOW2D_ARRAY", "2D array depth", "ImageSampleLod dref lod"},
        {"TEX_LZ OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageSampleLod lod"},
        {"TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], 1D", "1D", "ImageSampleLod grad"},
        {"TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], CUBE", "Cube", "ImageSampleLod grad"},
        {"TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], SHADOW2D_ARRAY", "2D array depth", "ImageSampleLod dref grad"},
        {"TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], RECT", "2D", "ImageSampleLod grad"},
        {"LODQ OUT[0], IN[0], SAMP[0], CUBEARRAY", "Cube array", "ImageQueryLod"},
        {"LODQ OUT[0], IN[0], SAMP[0], SHADOW2D", "2D depth", "ImageQueryLod"},
    };
    for (const Row& row : kRows) check(row);
}

TEST(LowerTexture, FetchesOnEveryTarget) {
    static constexpr Row kRows[] = {
        {"TXF OUT[0], IN[0], SAMP[0], 1D", "1D", "ImageFetch lod"},
        {"TXF OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageFetch lod"},
        {"TXF OUT[0], IN[0], SAMP[0], 3D", "3D", "ImageFetch lod"},
        {"TXF OUT[0], IN[0], SAMP[0], RECT", "2D", "ImageFetch lod"},
        {"TXF OUT[0], IN[0], SAMP[0], 1D_ARRAY", "1D array", "ImageFetch lod"},
        {"TXF OUT[0], IN[0], SAMP[0], 2D_ARRAY", "2D array", "ImageFetch lod"},
        {"TXF OUT[0], IN[0], SAMP[0], CUBE", "view 2D array", "ImageFetch lod"},
        {"TXF OUT[0], IN[0], SAMP[0], CUBEARRAY", "view 2D array", "ImageFetch lod"},
        {"TXF OUT[0], IN[0], SAMP[0], BUFFER", "view Buffer", "ImageFetch"},
        {"TXF OUT[0], IN[0], SAMP[0], 2D_MSAA", "2D ms", "ImageFetch sample"},
        {"TXF OUT[0], IN[0], SAMP[0], 2D_ARRAY_MSAA", "2D array ms", "ImageFetch sample"},
        {"TXF_LZ OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageFetch lod"},
        {"TXF_LZ OUT[0], IN[0], SAMP[0], 2D_MSAA", "2D ms", "ImageFetch sample"},
    };
    for (const Row& row : kRows) check(row);
    const Lowered lz = lower_text(shader("TXF_LZ OUT[0], IN[0], SAMP[0], 2D"));
    EXPECT_EQ(operations(lz.module), "ImageFetch");
}

TEST(LowerTexture, LevelsAndSamplesThatDoNotExistReadOutside) {
    const Lowered level = lower_text(shader("TXF OUT[0], IN[0], SAMP[0], 2D"));
    EXPECT_EQ(operations(level.module), "ImageQueryLevels ULt Select Select ImageFetch");
    const Lowered sample = lower_text(shader("TXF OUT[0], IN[0], SAMP[0], 2D_MSAA"));
    EXPECT_EQ(operations(sample.module), "ImageQuerySamples ULt Select Select ImageFetch");
    const Lowered zero = lower_text(shader("TXF OUT[0], IMM[1], SAMP[0], 2D"));
    EXPECT_EQ(operations(zero.module), "ImageFetch");
}

TEST(LowerTexture, GathersOnEveryTarget) {
    static constexpr Row kRows[] = {
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D", "2D", "ImageGather"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], RECT", "2D", "ImageGather"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D_ARRAY", "2D array", "ImageGather"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], CUBE", "Cube", "ImageGather"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], CUBEARRAY", "Cube array", "ImageGather"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], SHADOW2D", "2D depth", "ImageGather dref"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], SHADOWRECT", "2D depth", "ImageGather dref"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], SHADOW2D_ARRAY", "2D array depth", "ImageGather dref"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], SHADOWCUBE", "Cube depth", "ImageGather dref"},
        {"TG4 OUT[0], IN[0], IN[1].xxxx, SAMP[0], SHADOWCUBEARRAY", "Cube array depth", "ImageGather dref"},
        {"TG4 OUT[0], IN[0], SAMP[0].yyyy, 2D", "2D", "ImageGather"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IMM[0].xyzz", "2D", "ImageGather const_offset"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], SHADOW2D, IMM[0].xyzz", "2D depth", "ImageGather dref const_offset"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IMM[1].xyzz", "2D", "ImageGather"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IN[2].xyzz", "2D", "ImageGather offset"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IMM[0].xyzz, IMM[0].yxzz, IMM[2].xyzz, IMM[1].xyzz", "2D",
         "ImageGather const_offsets"},
        {"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], SHADOW2D_ARRAY, IMM[0].xyz, IMM[0].yxz, IMM[2].xyz, IMM[1].xyz",
         "2D array depth", "ImageGather dref const_offsets"},
    };
    for (const Row& row : kRows) check(row);
}

TEST(LowerTexture, ModifiersOfAGathersSecondSource) {
    const auto count_of = [](const char* line, ir::Op op) {
        const Lowered l = lower_text(shader(line));
        EXPECT_TRUE(l.ok) << l.error;
        return count(l.module, op);
    };
    // The reference of SHADOWCUBEARRAY is a float, the component an integer (newest edition, TG4).
    EXPECT_EQ(count_of("TG4 OUT[0], IN[0], -IN[1], SAMP[0], SHADOWCUBEARRAY", ir::Op::FNegate), 1);
    EXPECT_EQ(count_of("TG4 OUT[0], IN[0], |IN[1]|, SAMP[0], SHADOWCUBEARRAY", ir::Op::FAbs), 1);
    EXPECT_EQ(count_of("TG4 OUT[0], IN[0], -IN[1], SAMP[0], 2D", ir::Op::INegate), 1);
}

TEST(LowerTexture, GatherComponents) {
    const auto component = [](const char* line) {
        const Lowered l = lower_text(shader(line));
        EXPECT_EQ(count(l.module, ir::Op::ImageGather), 1u) << line;
        return static_cast<int>(l.module.image_ops[0].component);
    };
    EXPECT_EQ(component("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D"), 0);
    EXPECT_EQ(component("TG4 OUT[0], IN[0], IMM[0].zzzz, SAMP[0], 2D"), 3);
    EXPECT_EQ(component("TG4 OUT[0], IN[0], SAMP[0].zzzz, 2D"), 2);
    // With a component from a register, there is one gather per component, and selections.
    const Lowered any = lower_text(shader("TG4 OUT[0], IN[0], IN[1].xxxx, SAMP[0], 2D"));
    EXPECT_EQ(operations(any.module),
              "ImageGather ImageGather IEq Select ImageGather IEq Select ImageGather IEq Select");
}

TEST(LowerTexture, GathersOfLesserDevices) {
    Capabilities less;
    less.image_gather_extended = false;
    less.min_gather_offset = -8;
    less.max_gather_offset = 7;
    const auto operations_of = [&](const char* line) {
        const Lowered l = lower_text(shader(line), {}, less);
        EXPECT_TRUE(l.ok) << l.error;
        return operations(l.module);
    };
    EXPECT_EQ(operations_of("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IMM[0].xyzz"), "ImageGather");
    EXPECT_EQ(operations_of("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IN[2].xyzz"),
              "Shl AShr SToF ImageQuerySize UToF FDiv FAdd ImageGather");
    EXPECT_EQ(operations_of("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IMM[0].xyzz, IMM[0].yxzz, IMM[2].xyzz, "
                            "IMM[1].xyzz"),
              "ImageGather ImageGather ImageGather ImageGather");
    // Four offsets from registers take four gathers, even where the device supports all operands.
    const Lowered four = lower_text(
        shader("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IN[1].xyzz, IN[1].zwzz, IN[2].xyzz, IN[2].zwzz"));
    EXPECT_EQ(count(four.module, ir::Op::ImageGather), 4u);
    EXPECT_EQ(image_operation(four.module), "ImageGather offset");
}

TEST(LowerTexture, OffsetsOfGathersHaveSixBits) {
    // An operand beyond the device's range would be undefined behaviour, and a register may hold any word.
    const Lowered any = lower_text(shader("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IN[2].xyzz"));
    EXPECT_EQ(operations(any.module), "Shl AShr ImageGather");
    const Lowered gather4 =
        lower_text(shader("GATHER4 OUT[0], IN[0], SVIEW[0], SAMP[1], IN[2].xyzz", "FRAG", "DCL SVIEW[0], 2D, FLOAT\n"));
    EXPECT_EQ(operations(gather4.module), "Shl AShr ImageGather") << gather4.error;
    const Lowered wide = lower_text(
        shader("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IMM[4].xyzz", "FRAG", "IMM[4] INT32 {-6049, 7, 0, 0}\n"));
    EXPECT_EQ(constant_argument(wide.module, &ir::ImageArguments::const_offset), (std::vector<int32_t>{31, 7}));
    // Also of each of four, after the modifiers.
    const Lowered four =
        lower_text(shader("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, -IN[1].xyzz, |IN[1].zwzz|, "
                          "IN[2].xyzz, IN[2].zwzz"));
    EXPECT_EQ(count(four.module, ir::Op::AShr), 4u);
    // The device's range is narrower: the coordinate moves.
    Capabilities less;
    less.min_gather_offset = -8;
    less.max_gather_offset = 7;
    const Lowered moved = lower_text(shader("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IN[2].xyzz"), {}, less);
    EXPECT_EQ(operations(moved.module), "Shl AShr SToF ImageQuerySize UToF FDiv FAdd ImageGather");
    EXPECT_EQ(image_operation(moved.module), "ImageGather");
}

TEST(LowerTexture, OffsetsOfSamplesAndFetches) {
    const auto offset = [](const char* line) {
        const Lowered l = lower_text(shader(line));
        EXPECT_TRUE(l.ok) << l.error;
        return constant_argument(l.module, &ir::ImageArguments::const_offset);
    };
    EXPECT_EQ(offset("TEX OUT[0], IN[0], SAMP[0], 1D, IMM[0].yyyy"), (std::vector<int32_t>{-2}));
    EXPECT_EQ(offset("TEX OUT[0], IN[0], SAMP[0], 2D, IMM[0].xyzz"), (std::vector<int32_t>{1, -2}));
    EXPECT_EQ(offset("TXL OUT[0], IN[0], SAMP[0], 3D, IMM[0].xyz"), (std::vector<int32_t>{1, -2, 3}));
    EXPECT_EQ(offset("TXB OUT[0], IN[0], SAMP[0], 2D_ARRAY, IMM[0].yxz"), (std::vector<int32_t>{-2, 1}));
    EXPECT_EQ(offset("TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], SHADOWRECT, IMM[2].xyz"),
              (std::vector<int32_t>{-8, 7}));
    EXPECT_EQ(offset("TEX OUT[0], IN[0], SAMP[0], SHADOW1D_ARRAY, IMM[0].xyz"), (std::vector<int32_t>{1}));
    // A fetch adds its offset to the coordinate, so the offset has no limits.
    const Lowered fetch = lower_text(shader("TXF_LZ OUT[0], IN[0], SAMP[0], 2D_ARRAY, IN[1].xyz"));
    EXPECT_EQ(operations(fetch.module), "IAdd ImageFetch");
}

TEST(LowerTexture, FourConstantOffsetsKeepTheirOrder) {
    const Lowered l = lower_text(
        shader("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D, IMM[0].xyzz, IMM[0].yxzz, IMM[2].xyzz, IMM[1].xyzz"));
    const std::vector<std::vector<int32_t>> expected = {{1, -2}, {-2, 1}, {-8, 7}, {0, 0}};
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(constant_argument(l.module, &ir::ImageArguments::const_offsets, i), expected[static_cast<size_t>(i)]);
    }
}

TEST(LowerTexture, OffsetsThatTheDeviceLacksMoveTheCoordinate) {
    Capabilities less;
    less.min_texel_offset = less.max_texel_offset = 0;
    const auto operations_of = [&](const char* line, std::string_view stage = "FRAG") {
        const Lowered l = lower_text(shader(line, stage), {}, less);
        EXPECT_TRUE(l.ok) << l.error;
        return operations(l.module);
    };
    EXPECT_EQ(operations_of("TEX_LZ OUT[0], IN[0], SAMP[0], 2D, IMM[0].xyzz"),
              "SToF ImageQuerySize UToF FDiv FAdd ImageSampleLod");
    EXPECT_EQ(operations_of("TEX OUT[0], IN[0], SAMP[0], RECT, IMM[0].xyzz"),
              "SToF FAdd ImageQuerySize UToF FDiv ImageSample");
    EXPECT_EQ(operations_of("TEX OUT[0], IN[0], SAMP[0], 2D, IMM[1].xyzz"), "ImageSample");
    // The level is computed from the coordinate without the offset, and passed explicitly.
    lower::Options one_level;
    one_level.offsets_read_one_level = true;
    for (const char* line :
         {"TEX OUT[0], IN[0], SAMP[0], 2D_ARRAY, IN[1].xyzz", "TXB OUT[0], IN[0], SAMP[0], 2D, IN[1].xyzz",
          "TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], 2D, IN[1].xyzz", "TXL OUT[0], IN[0], SAMP[0], 2D, IN[1].xyzz",
          "TEX OUT[0], IN[0], SAMP[0], 1D, IN[1].xxxx", "TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], 1D, IN[1].xxxx"}) {
        SCOPED_TRACE(line);
        const Lowered moved = lower_text(shader(line), one_level);
        ASSERT_TRUE(moved.ok) << moved.error;
        EXPECT_EQ(image_operation(moved.module), "ImageSampleLod lod");
        EXPECT_EQ(count(moved.module, ir::Op::DPdx), std::string_view(line).starts_with("TEX") || line[2] == 'B');
        // Blending two levels would need one offset for each.
        EXPECT_EQ(lower_text(shader(line)).error.substr(5),
                  "Vulkan has no operand for this offset, and the sampler may blend two levels (if samplers read only "
                  "one: tgsi2spv_options::one_level_offsets, --one-level-offsets)");
    }
    EXPECT_TRUE(lower_text(shader("TEX OUT[0], IN[0], SAMP[0], 2D, IN[1].xyzz", "VERT")).ok);  // level 0
}

TEST(LowerTexture, ImplicitLevelsOutsideFragmentsAreZero) {
    static constexpr Row kRows[] = {
        {"TEX OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageSampleLod lod"},
        {"TEX OUT[0], IN[0], SAMP[0], SHADOWCUBE", "Cube depth", "ImageSampleLod dref lod"},
        {"TXP OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageSampleLod lod"},
        {"TXB OUT[0], IN[0], SAMP[0], 2D", "2D", "ImageSampleLod lod"},
        {"TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], 2D", "2D", "ImageSampleLod grad"},
        {"LODQ OUT[0], IN[0], SAMP[0], 2D", "2D", ""},
    };
    for (const Row& row : kRows) check(row, "VERT");
}

TEST(LowerTexture, ProjectionDividesTheReferenceToo) {
    const Lowered plain = lower_text(shader("TXP OUT[0], IN[0], SAMP[0], 2D"));
    EXPECT_EQ(count(plain.module, ir::Op::FDiv), 1u);
    const Lowered shadow = lower_text(shader("TXP OUT[0], IN[0], SAMP[0], SHADOW2D"));
    EXPECT_EQ(count(shadow.module, ir::Op::FDiv), 2u);
}

TEST(LowerTexture, BiasIsLimited) {
    EXPECT_EQ(operations(lower_text(shader("TXB OUT[0], IN[0], SAMP[0], 2D")).module), "FClamp ImageSample");
    const Lowered small = lower_text(shader("TXB2 OUT[0], IN[0], IMM[3].xxxx, SAMP[0], CUBEARRAY"));
    EXPECT_EQ(operations(small.module), "ImageSample");
    const Lowered large = lower_text(shader("TXB2 OUT[0], IN[0], IMM[3].yyyy, SAMP[0], CUBEARRAY"));
    EXPECT_EQ(operations(large.module), "FClamp ImageSample");
}

TEST(LowerTexture, ComparisonsAreReplicatedWithOneInW) {
    const Lowered l = lower_text(shader("TEX OUT[0], IN[0], SAMP[0], SHADOW2D"));
    const ir::Function& f = l.module.functions[l.module.entry.function];
    bool found = false;
    for (const ir::Instruction& i : f.instructions) {
        if (i.op == ir::Op::ImageSample) {
            EXPECT_EQ(i.type, ir::f32());
        }
        if (i.op != ir::Op::Compose || i.type != ir::f32(4)) continue;
        const auto args = f.args_of(i);
        if (ir::is_constant(args[0]) || f.instructions[args[0]].op != ir::Op::ImageSample) continue;
        found = true;
        EXPECT_EQ(args[0], args[1]);
        EXPECT_EQ(args[0], args[2]);
        ASSERT_TRUE(ir::is_constant(args[3]));
        EXPECT_EQ(l.module.constants[args[3] & ~ir::kConstantBit].words[i.aux >> 6 & 3], 0x3f80'0000u);
    }
    EXPECT_TRUE(found);
}

TEST(LowerTexture, Queries) {
    const auto operations_of = [](const char* line) {
        const Lowered l = lower_text(shader(line));
        EXPECT_TRUE(l.ok) << l.error;
        return operations(l.module);
    };
    EXPECT_EQ(operations_of("TXQ OUT[0].xy, IMM[1], SAMP[0], 2D"), "ImageQuerySize");
    EXPECT_EQ(operations_of("TXQ OUT[0].w, IMM[1], SAMP[0], 2D"), "ImageQueryLevels");
    EXPECT_EQ(operations_of("TXQ OUT[0].xyz, IN[0], SAMP[0], CUBEARRAY"),
              "ImageQueryLevels ULt Select ImageQuerySize LShr UMax Select");
    EXPECT_EQ(operations_of("TXQ OUT[0], IMM[1], SAMP[0], BUFFER"), "ImageQuerySize");
    EXPECT_EQ(operations_of("TXQ OUT[0], IMM[1], SAMP[0], 2D_ARRAY_MSAA"), "ImageQuerySize");
    // They have level 0 alone, and no other has a size.
    EXPECT_EQ(operations_of("TXQ OUT[0], IN[0], SAMP[0], BUFFER"), "ULt ImageQuerySize Select");
    EXPECT_EQ(operations_of("TXQ OUT[0], IN[0], SAMP[0], 2D_ARRAY_MSAA"), "ULt ImageQuerySize Select");
    // A rectangle has one level, so the number of levels is not queried.
    EXPECT_EQ(operations_of("TXQ OUT[0], IN[0], SAMP[0], RECT"), "ULt ImageQuerySize Select");
    EXPECT_EQ(operations_of("TXF OUT[0], IN[0], SAMP[0], RECT"), "ULt Select ImageFetch");
    EXPECT_EQ(operations_of("TXQS OUT[0].x, SAMP[0], 2D_MSAA"), "ImageQuerySamples");
    EXPECT_EQ(operations_of("TXQS OUT[0].x, SAMP[0], 2D"), "");
    struct Size {
        const char* target;
        int components;
    };
    for (const Size& s : {Size{"1D", 1},
                          {"2D", 2},
                          {"3D", 3},
                          {"CUBE", 2},
                          {"RECT", 2},
                          {"1D_ARRAY", 2},
                          {"2D_ARRAY", 3},
                          {"CUBEARRAY", 3},
                          {"SHADOW2D_ARRAY", 3},
                          {"BUFFER", 1},
                          {"2D_MSAA", 2}}) {
        const Lowered l = lower_text(shader("TXQ OUT[0], IMM[1], SAMP[0], " + std::string(s.target)));
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_EQ(count(l.module, ir::Op::ImageQuerySize), 1u) << s.target;
        for (const ir::Instruction& i : l.module.functions[0].instructions) {
            if (i.op != ir::Op::ImageQuerySize) continue;
            EXPECT_EQ(i.type, ir::u32(s.components)) << s.target;
        }
    }
}

TEST(LowerTexture, SampledTypesComeFromTheView) {
    check({"TEX OUT[0], IN[0], SAMP[0], 2D", "2D int", "ImageSample"}, "FRAG", "DCL SVIEW[0], 2D, SINT\n");
    check({"TXF OUT[0], IN[0], SAMP[0], BUFFER", "view Buffer uint", "ImageFetch"}, "FRAG",
          "DCL SVIEW[0], BUFFER, UINT\n");
    check({"TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 2D", "2D uint", "ImageGather"}, "FRAG",
          "DCL SVIEW[0], 2D, UINT\n");
    check({"TEX OUT[0], IN[0], SAMP[0], SHADOW2D", "2D depth", "ImageSample dref"}, "FRAG",
          "DCL SVIEW[0], SHADOW2D, UINT\n");
    // In the middle edition, RES is a view itself.
    check({"SAMPLE OUT[0], IN[0], RES[0], SAMP[0]", "view 2D uint", "ImageSample"}, "FRAG", "DCL RES[0], 2D, UINT\n");
}

TEST(LowerTexture, SeparateViewsAndSamplers) {
    constexpr std::string_view kViews = "DCL SVIEW[0], 2D, FLOAT\nDCL SVIEW[1], 2D_ARRAY, FLOAT\n";
    check({"SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[1]", "view 2D", "ImageSample"}, "FRAG", kViews);
    check({"SAMPLE_C_LZ OUT[0], IN[0], SVIEW[0].xxxx, SAMP[1], IN[1].xxxx", "view 2D depth", "ImageSampleLod dref lod"},
          "FRAG", kViews);
    check({"SAMPLE_D OUT[0], IN[0], SVIEW[1], SAMP[1], IN[1], IN[2]", "view 2D array", "ImageSampleLod grad"}, "FRAG",
          kViews);
    check({"SAMPLE_I OUT[0], IN[0], SVIEW[0]", "view 2D", "ImageFetch lod"}, "FRAG", kViews);
    check({"GATHER4 OUT[0], IN[0], SVIEW[0].wzyx, SAMP[1].yyyy", "view 2D", "ImageGather"}, "FRAG", kViews);
    const Lowered gather = lower_text(shader("GATHER4 OUT[0], IN[0], SVIEW[0].wzyx, SAMP[1].yyyy", "FRAG", kViews));
    EXPECT_EQ(gather.module.image_ops[0].component, 2);  // y of the swizzled view is its z
    EXPECT_NE(gather.module.image_ops[0].sampler, ir::kNone);
}

TEST(LowerTexture, TexturesByIndex) {
    constexpr std::string_view kAddress = "DCL ADDR[0]\nDCL CONST[0..1]\nUARL ADDR[0].x, IN[1].xxxx\n";
    constexpr std::string_view kLine = "TEX OUT[0], IN[0], SAMP[ADDR[0].x+1], 2D";
    Capabilities full, less, none;
    full.sampled_images.non_uniform = full.quad_divergent_implicit_lod = true;
    none.sampled_images.dynamic = false;
    const Lowered indexed = lower_text(shader(kLine, "FRAG", kAddress), {}, full);
    ASSERT_TRUE(indexed.ok) << indexed.error;
    EXPECT_EQ(count(indexed.module, ir::Op::ImageSample), 1u);
    EXPECT_TRUE(indexed.module.image_ops[0].non_uniform);
    // Without the capability, each of the four descriptors is sampled, outside of control flow because the level is
    // implicit.
    for (const Capabilities& c : {less, none}) {
        const Lowered each = lower_text(shader(kLine, "FRAG", kAddress), {}, c);
        ASSERT_TRUE(each.ok) << each.error;
        EXPECT_EQ(count(each.module, ir::Op::ImageSample), 4u);
        EXPECT_EQ(count(each.module, ir::Op::Select), 3u);
        EXPECT_FALSE(each.module.image_ops[0].non_uniform);
    }
    // The same happens if the device leaves the implicit level undefined for quads that sample several textures, but
    // not for an explicit level.
    Capabilities undefined = full;
    undefined.quad_divergent_implicit_lod = false;
    for (const auto& [line, samples] : {std::pair{kLine, 4}, {"TXL OUT[0], IN[0], SAMP[ADDR[0].x+1], 2D", 1}}) {
        const Lowered each = lower_text(shader(line, "FRAG", kAddress), {}, undefined);
        ASSERT_TRUE(each.ok) << each.error;
        EXPECT_EQ(count(each.module, ir::Op::ImageSample) + count(each.module, ir::Op::ImageSampleLod), samples)
            << line;
        EXPECT_EQ(each.module.image_ops[0].non_uniform, samples == 1) << line;
    }
}

/// A value computed from constants alone is the same in every lane: no lane needs another descriptor.
TEST(LowerTexture, TexturesByAnIndexThatAllLanesShare) {
    const auto samples = [](std::string_view address) {
        const std::string before =
            R"(DCL ADDR[0]
DCL TEMP[0]
DCL CONST[0..1]
DCL CONST[1][0..3]
)" + std::string(address) +
            "\n";
        const Lowered l = lower_text(shader("TEX OUT[0], IN[0], SAMP[ADDR[0].x+1], 2D", "FRAG", before));
        EXPECT_TRUE(l.ok) << l.error;
        return count(l.module, ir::Op::ImageSample);
    };
    EXPECT_EQ(samples("UARL ADDR[0].x, CONST[0].xxxx"), 1u);
    EXPECT_EQ(samples("UADD TEMP[0].x, CONST[0].xxxx, CONST[1][2].yyyy\nUARL ADDR[0].x, TEMP[0].xxxx"), 1u);
    EXPECT_EQ(samples("UARL ADDR[0].x, CONST[0].xxxx\nUARL ADDR[0].x, CONST[1][ADDR[0].x].xxxx"), 1u);
    EXPECT_EQ(samples("UADD TEMP[0].x, CONST[0].xxxx, IN[1].xxxx\nUARL ADDR[0].x, TEMP[0].xxxx"), 4u);
    EXPECT_EQ(samples("UARL ADDR[0].x, IN[1].xxxx\nUARL ADDR[0].x, CONST[1][ADDR[0].x].xxxx"), 4u);
    EXPECT_EQ(samples("TXF TEMP[0], CONST[0].xxxx, SAMP[0], 2D\nUARL ADDR[0].x, TEMP[0].xxxx"), 4u);
    // A branch may give each lane another value.
    EXPECT_EQ(samples("UARL ADDR[0].x, CONST[0].xxxx\nUIF IN[1].xxxx\nUARL ADDR[0].x, CONST[0].yyyy\nENDIF"), 4u);
}

TEST(LowerTexture, WarnsIfTheViewContradictsTheOpcode) {
    const auto warned = [](std::string_view view, std::string_view body) {
        const Lowered l = lower_text(R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL TEMP[0]
)" + std::string(view) + "IMM[0] UINT32 {0, 0, 0, 0}\n" +
                                     std::string(body) + "\nEND\n");
        EXPECT_TRUE(l.ok) << l.error;
        std::string codes;
        for (const tgsi::Diagnostic& d : l.diagnostics) codes += std::string(d.code.name()) + ' ';
        return codes;
    };
    const std::string read = "TEX OUT[0], IN[0], SAMP[0], 2D", fetch = "TXF TEMP[0], IMM[0], SAMP[0], 2D\n";
    EXPECT_EQ(warned("", read), "");
    EXPECT_EQ(warned("DCL SVIEW[0], 2D, FLOAT\n", read), "");
    EXPECT_EQ(warned("DCL SVIEW[0], SHADOW2D, FLOAT\n", read), "");
    EXPECT_EQ(warned("DCL SVIEW[0], RECT, FLOAT\n", read), "");
    EXPECT_EQ(warned("DCL SVIEW[0], 3D, FLOAT\n", fetch + read), "view-shape ");  // only once
    EXPECT_EQ(warned("DCL SVIEW[0], 2D_MSAA, FLOAT\n", fetch), "view-shape ");
    EXPECT_EQ(warned("DCL SVIEW[0], 2D_ARRAY, FLOAT\n", fetch), "view-shape ");
    EXPECT_EQ(warned("DCL SVIEW[0], SHADOW2D, UINT\n", "TEX OUT[0], IN[0], SAMP[0], SHADOW2D"), "compared-integers ");
    EXPECT_EQ(warned("", "TEX TEMP[0], IN[0], SAMP[0], 3D\n" + read), "two-descriptors ");
}

TEST(LowerTexture, ComparisonsInTheShaderReadFloats) {
    lower::Options options;
    options.state.compare_in_shader = 1;
    for (const char* line : {"TEX OUT[0], IN[0], SAMP[0], SHADOW2D", "TEX_SAT OUT[0], IN[0], SAMP[0], SHADOW2D",
                             "TG4 OUT[0], IN[0], IN[0].xxxx, SAMP[0], SHADOW2D"})
        for (const char* type : {"UINT", "SINT"}) {
            const Lowered l =
                lower_text(shader(line, "FRAG", "DCL SVIEW[0], 2D, " + std::string(type) + "\n"), options);
            ASSERT_TRUE(l.ok) << line << type << l.error;
            EXPECT_EQ(first_image(l.module), "2D") << line << type;
        }
}

TEST(LowerTexture, RefusesWithTheReason) {
    const auto error = [](const char* line, const Capabilities& capabilities = {}) {
        const Lowered l = lower_text(shader(line), {}, capabilities);
        EXPECT_FALSE(l.ok) << line;
        return l.error;
    };
    EXPECT_NE(error("TXP OUT[0], IN[0], SAMP[0], CUBEARRAY").find("TXP"), std::string::npos);
    EXPECT_NE(error("TXD OUT[0], IN[0], IN[1], IN[2], SAMP[0], SHADOWCUBEARRAY").find("TXD"), std::string::npos);
    EXPECT_NE(error("TG4 OUT[0], IN[0], IMM[1].xxxx, SAMP[0], 3D").find("TG4"), std::string::npos);
    EXPECT_FALSE(lower_text(shader("TEX_SAT OUT[0], IN[0], SAMP[0], 2D", "FRAG", "DCL SVIEW[0], 2D, SINT\n")).ok);
    EXPECT_TRUE(lower_text(shader("TEX_SAT OUT[0], IN[0], SAMP[0], 2D", "FRAG", "DCL SVIEW[0], 2D, FLOAT\n")).ok);
    EXPECT_TRUE(lower_text(shader("LODQ_SAT OUT[0], IN[0], SAMP[0], 2D", "FRAG", "DCL SVIEW[0], 2D, SINT\n")).ok)
        << "levels are floats, whatever the texels are";
    Capabilities less;
    less.cube_array = false;
    EXPECT_NE(error("TEX OUT[0], IN[0], SAMP[0], CUBEARRAY", less).find("imageCubeArray"), std::string::npos);
}

}  // namespace
}  // namespace tgsi2spv::test

// The effects of lower::State on inputs, outputs and fragments at the ends of its masks, run on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>

#include "lower/lowered.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::test {
namespace {

namespace spec = lower::spec;
using lower::NumericType;

Evaluation run_text(const std::string& text, const lower::Options& options, const std::map<uint32_t, Words>& inputs,
                    const Surroundings& surroundings) {
    const Lowered l = lower_text(text, options);
    EXPECT_TRUE(l.ok) << l.error << "\n" << text;
    if (!l.ok) return {};
    Evaluation e = evaluate(l.module, inputs, surroundings);
    EXPECT_EQ(e.error, "") << text;
    EXPECT_THAT(e.undefined, testing::IsEmpty()) << text;
    return e;
}

std::map<int32_t, uint32_t> constant(uint32_t id, uint32_t word) {
    return {{static_cast<int32_t>(id), word}};
}

TEST(LowerStateRun, EveryAttributeMayBeBgra) {
    lower::Options options;
    options.state.bgra_attributes = true;
    for (const uint32_t n : {0u, 15u, 16u, 17u, 31u}) {
        const std::string text =
            "VERT\nDCL IN[0..31]\nDCL OUT[0], GENERIC[7]\nMOV OUT[0], IN[" + std::to_string(n) + "]\nEND\n";
        const auto read = [&](uint32_t mask) {
            return run_text(text, options, {{n, floats(1, 2, 3, 4)}},
                            {.specialized = constant(spec::kBgraAttributes, mask)})
                .outputs.at(7);
        };
        EXPECT_EQ(read(1u << n), floats(3, 2, 1, 4)) << n;
        EXPECT_EQ(read(~(1u << n)), floats(1, 2, 3, 4)) << n;
    }
}

TEST(LowerStateRun, EveryBitOfTheSpriteMaskIsAnInput) {
    lower::Options options;
    options.state.sprites = lower::Sprites::Generic;
    for (const uint32_t n : {0u, 15u, 16u, 30u, 31u}) {
        const std::string text = "FRAG\nDCL IN[0], GENERIC[" + std::to_string(n) +
                                 "], PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
        const auto read = [&](uint32_t mask) {
            return run_text(text, options, {{n, floats(1, 2, 3, 4)}},
                            {.builtins = {{ir::BuiltIn::PointCoord, floats(0.25f, 0.75f, 0, 0)}},
                             .specialized = constant(spec::kSpriteMask, mask)})
                .outputs.at(0);
        };
        EXPECT_EQ(read(1u << n), floats(0.25f, 0.75f, 0, 1)) << n;
        EXPECT_EQ(read(~(1u << n)), floats(1, 2, 3, 4)) << n;
    }
}

/// Blending combines both sources into target 0, so the state of target 0 counts for both.
TEST(LowerStateRun, TheSecondSourceOfBlendingIsForTargetZero) {
    lower::Options options;
    options.dual_source = true;
    options.state.bgra_targets = true;
    const std::string text =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0].wzyx
END
)";
    for (const uint32_t mask : {0u, 1u, 2u, 3u}) {
        const Evaluation e =
            run_text(text, options, {{0, floats(1, 2, 3, 4)}}, {.specialized = constant(spec::kBgraTargets, mask)});
        const bool swapped = (mask & 1) != 0;
        EXPECT_EQ(e.outputs.at(0), swapped ? floats(3, 2, 1, 4) : floats(1, 2, 3, 4)) << mask;
        EXPECT_EQ(e.outputs.at(1), swapped ? floats(2, 3, 4, 1) : floats(4, 3, 2, 1)) << mask;
    }
}

/// What Vulkan's "Blending" makes of a factor, for one component of a colour.
float factor_of(uint32_t factor, size_t c, std::array<std::array<float, 4>, 4> of) {
    const auto& [first, second, target, constant] = of;
    const bool alpha = c == 3;
    switch (factor) {
        case 0:
            return 0;
        case 1:
            return 1;
        case 14:
            return alpha ? 1 : std::min(first[3], 1 - target[3]);
        default:
            break;
    }
    const float values[] = {first[c], target[c], first[3], target[3], constant[c], constant[3]};
    if (factor < 14) return factor % 2 == 0 ? values[factor / 2 - 1] : 1 - values[factor / 2 - 1];
    const float value = factor < 17 ? second[c] : second[3];
    return factor % 2 == 1 ? value : 1 - value;
}

float blended(const lower::Blend::Equation& e, size_t c, const std::array<std::array<float, 4>, 4>& of) {
    const float first = of[0][c], target = of[2][c];
    if (e.op > 2) return e.op == 3 ? std::min(first, target) : std::max(first, target);
    const float src = first * factor_of(e.src, c, of), dst = target * factor_of(e.dst, c, of);
    return e.op == 0 ? src + dst : e.op == 1 ? src - dst : dst - src;
}

TEST(LowerStateRun, TargetsAreBlendedByEveryFactorAndOperation) {
    const std::string text =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)";
    // Sums and products of these are exact.
    const std::array<std::array<float, 4>, 4> of{
        {{0.5F, 0.25F, 1, 0.75F}, {0.25F, 0.5F, 0.75F, 0.125F}, {0.75F, 0.5F, 0.25F, 0.5F}, {1, 0.5F, 0, 0.25F}}};
    Surroundings around;
    around.image = [&](const ImageAccess& access) {
        EXPECT_EQ(access.op, ir::Op::ImageRead);
        return ImageAnswer{floats(of[2][0], of[2][1], of[2][2], of[2][3])};
    };
    for (uint32_t c = 0; c < 4; c++)
        around.specialized[static_cast<int32_t>(spec::kBlendColor + c)] = std::bit_cast<uint32_t>(of[3][c]);
    lower::Options options;
    options.dual_source = true;
    options.state.blend.enabled = true;
    for (uint32_t n = 0; n < 19 * 5; n++) {
        const auto src = static_cast<uint8_t>(n % 19), dst = static_cast<uint8_t>(n * 7 % 19);
        const lower::Blend::Equation color{src, dst, static_cast<uint8_t>(n % 5)};
        const lower::Blend::Equation alpha{dst, src, static_cast<uint8_t>((n + 2) % 5)};
        options.state.blend.color = color;
        options.state.blend.alpha = alpha;
        const Evaluation e = run_text(
            text, options,
            {{0, floats(of[0][0], of[0][1], of[0][2], of[0][3])}, {1, floats(of[1][0], of[1][1], of[1][2], of[1][3])}},
            around);
        EXPECT_EQ(e.outputs, (std::map<uint32_t, Words>{{0, floats(blended(color, 0, of), blended(color, 1, of),
                                                                   blended(color, 2, of), blended(alpha, 3, of))}}))
            << "factors " << +src << ", " << +dst;
    }
}

/// Vulkan, "Logical Operations".
TEST(LowerStateRun, LogicOperationsAreOfTheBitsOfTheTarget) {
    const std::string text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    Surroundings around;
    around.image = [](const ImageAccess&) { return ImageAnswer{floats(10 / 31.0F, 0, 1, 1)}; };
    lower::Options options;
    const auto result = [&](uint8_t op) {
        options.state.blend = {.enabled = true, .logic = op, .bits = {5, 6, 5, 0}};
        return run_text(text, options, {{0, floats(12 / 31.0F, 2, -1, 1)}}, around).outputs.at(0);
    };
    EXPECT_EQ(result(1 + 6), floats(6 / 31.0F, 1, 1, 0)) << "XOR";
    EXPECT_EQ(result(1 + 4), floats(2 / 31.0F, 0, 1, 0)) << "AND_INVERTED";
    EXPECT_EQ(result(1 + 8), floats(17 / 31.0F, 0, 0, 0)) << "NOR";
    EXPECT_EQ(result(1 + 15), floats(1, 1, 1, 0)) << "SET";
}

/// Fixed-point targets clamp sources before they are blended, and floats do not.
TEST(LowerStateRun, SourcesAreBlendedInTheRangeOfTheTarget) {
    const std::string text = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    Surroundings around;
    around.image = [](const ImageAccess&) { return ImageAnswer{floats(0.5F, 0.5F, 0.5F, 0.5F)}; };
    lower::Options options;
    options.state.blend = {.enabled = true, .color = {1, 1, 0}, .alpha = {1, 1, 0}};  // the sum
    const auto sum = [&](lower::Blend::Range range) {
        options.state.blend.range = range;
        return run_text(text, options, {{0, floats(-4, -0.25F, 0.25F, 2)}}, around).outputs.at(0);
    };
    using enum lower::Blend::Range;
    EXPECT_EQ(sum(Unbounded), floats(-3.5F, 0.25F, 0.75F, 2.5F));
    EXPECT_EQ(sum(UNorm), floats(0.5F, 0.5F, 0.75F, 1.5F));
    EXPECT_EQ(sum(SNorm), floats(-0.5F, 0.25F, 0.75F, 1.5F));
}

/// Vulkan, "Blending": fixed-point targets clamp factors, too, and not the constant before it becomes a factor.
TEST(LowerStateRun, FactorsAreInTheRangeOfTheTarget) {
    const std::string text =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)";
    Surroundings around;
    around.image = [](const ImageAccess&) { return ImageAnswer{floats(-0.5F, 0.5F, -1, 0.25F)}; };
    const float constant[] = {2, -2, 0.5F, -0.5F};
    for (uint32_t c = 0; c < 4; c++)
        around.specialized[static_cast<int32_t>(spec::kBlendColor + c)] = std::bit_cast<uint32_t>(constant[c]);
    using enum lower::Blend::Range;
    // The source times a factor. The alpha of the constant, and of the target, is the factor of all components.
    const auto product = [&](uint8_t factor, lower::Blend::Range range) {
        lower::Options options;
        options.state.blend = {.enabled = true, .range = range, .color = {factor, 0, 0}, .alpha = {factor, 0, 0}};
        return run_text(text, options, {{0, floats(0.5F, 0.5F, 0.5F, 0.5F)}}, around).outputs.at(0);
    };
    const uint8_t constant_color = 10, no_constant_color = 11, constant_alpha = 12, no_constant_alpha = 13;
    const uint8_t no_target_color = 5;
    EXPECT_EQ(product(constant_color, Unbounded), floats(1, -1, 0.25F, -0.25F));
    EXPECT_EQ(product(constant_color, UNorm), floats(0.5F, 0, 0.25F, 0));
    EXPECT_EQ(product(constant_color, SNorm), floats(0.5F, -0.5F, 0.25F, -0.25F));
    EXPECT_EQ(product(no_constant_color, Unbounded), floats(-0.5F, 1.5F, 0.25F, 0.75F));
    EXPECT_EQ(product(no_constant_color, UNorm), floats(0, 0.5F, 0.25F, 0.5F));
    EXPECT_EQ(product(no_constant_color, SNorm), floats(-0.5F, 0.5F, 0.25F, 0.5F));
    EXPECT_EQ(product(constant_alpha, UNorm), floats(0, 0, 0, 0));
    EXPECT_EQ(product(no_constant_alpha, SNorm), floats(0.5F, 0.5F, 0.5F, 0.5F));
    EXPECT_EQ(product(no_target_color, Unbounded), floats(0.75F, 0.25F, 1, 0.375F));
    EXPECT_EQ(product(no_target_color, SNorm), floats(0.5F, 0.25F, 0.5F, 0.375F));
}

/// OpenGL, "Alpha Test": it does not apply to integer colours.
TEST(LowerStateRun, IntegersAreNotTestedByTheirAlpha) {
    const std::string text =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
END
)";
    const auto killed = [&](NumericType first, NumericType second, uint32_t function) {
        lower::Options options;
        options.state.alpha_test = true;
        options.state.targets[0] = first;
        options.state.targets[1] = second;
        return run_text(text, options, {{0, all(f(1))}}, {.specialized = constant(spec::kAlphaFunc, function)}).killed;
    };
    constexpr uint32_t kNever = 0, kAlways = 7;
    for (const NumericType integer : {NumericType::UInt, NumericType::SInt}) {
        EXPECT_FALSE(killed(integer, NumericType::Float, kNever));
        EXPECT_TRUE(killed(NumericType::Float, integer, kNever));
        EXPECT_FALSE(killed(NumericType::Float, integer, kAlways));
    }
}

}  // namespace
}  // namespace tgsi2spv::test

// The effects of lower::State on inputs, outputs and fragments at the ends of its masks, run on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

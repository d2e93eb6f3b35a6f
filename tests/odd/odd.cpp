// The reference permits every answer of a device that is as odd as Vulkan permits. An answer that it does not permit is
// a fault of one of the two.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

#include "cases/compare.h"
#include "generate/generate.h"
#include "generated_rounds.h"
#include "inputs/inputs.h"
#include "meanings/inputs.h"
#include "odd/device.h"
#include "shader_files.h"

namespace tgsi2spv::odd {
namespace {

uint64_t rounds() {
    return (is_full() ? 10 : 1) * generated_rounds();
}

struct Odd : testing::Test {
    api::Context context;
    uint64_t runs = 0, words = 0, unknown = 0;
    std::map<std::string, uint64_t> lacking;

    /// Runs the parsed shader, and returns the device's answers.
    reference::Result hold(const reference::Inputs& inputs, const Modes& modes, uint64_t seed,
                           const std::string& name) {
        auto ran = run(context, inputs, modes, seed);
        if (!ran) {
            lacking[ran.error().substr(0, ran.error().find('%'))]++;
            return {};
        }
        reference::Options options = judging(modes);
        options.max_steps = options.most_useful = 100'000;
        const auto permitted = reference::run(context.program, context.registers, inputs, options);
        if (!permitted.error.empty() || permitted.instructions >= options.max_steps) {
            lacking["a judge"]++;
            return {};
        }
        const auto compared = difftest::compare(permitted, *ran, inputs.lanes);
        runs++;
        words += compared.words;
        unknown += compared.unknown;
        std::string wrong;
        for (const auto& m : compared.mismatches) wrong += "\n" + difftest::describe(m);
        EXPECT_EQ(wrong, "") << name << ", seed " << seed << (modes.exact ? ", exact" : "")
                             << (modes.float_controls ? ", float controls" : "")
                             << (modes.doubles_as_single ? ", doubles as single" : "");
        return std::move(*ran);
    }
    void report() {
        std::string text = fmt::format("{} runs, {} words, {} unknown\n", runs, words, unknown);
        for (const auto& [what, count] : lacking) text += fmt::format("  {} not run: {}\n", count, what);
        std::cout << text;
    }
};

/// The answers of a shader for OUT[0].x of lane 0 over many seeds.
struct Answers : Odd {
    std::set<float> answers(const char* text, const std::vector<reference::Vec4>& lanes, bool exact) {
        EXPECT_TRUE(api::parse(context, text, {})) << text;
        reference::Inputs inputs;
        inputs.lanes = static_cast<uint32_t>(lanes.size());
        inputs.inputs[{0, 0}] = lanes;
        std::set<float> all;
        for (uint64_t seed = 0; seed < 64; seed++) {  // with float controls, which make bounds tight
            const reference::Result r = hold(inputs, {.exact = exact}, seed, text);
            all.insert(std::bit_cast<float>(r.outputs.at(0)[0][0].value));
        }
        return all;
    }
};

TEST_F(Answers, DerivativesAreOfEitherRowOrColumn) {
    const auto lane = [](float x) { return reference::Vec4{std::bit_cast<uint32_t>(x)}; };
    const std::vector<reference::Vec4> quad{lane(0), lane(1), lane(10), lane(31)};
    const char* kHead = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n";
    const auto all = [&](const char* code) { return answers((kHead + std::string(code)).c_str(), quad, true); };
    EXPECT_EQ(all("DDX OUT[0], IN[0]\nEND\n"), (std::set<float>{1, 21}));
    EXPECT_EQ(all("DDY OUT[0], IN[0]\nEND\n"), (std::set<float>{10, 30}));
    EXPECT_EQ(all("DDX_FINE OUT[0], IN[0]\nEND\n"), (std::set<float>{1}));
    EXPECT_EQ(all("DDY_FINE OUT[0], IN[0]\nEND\n"), (std::set<float>{10}));
}

/// 0.1 * 0.7 - 0.07: what is left is the product's rounding error.
TEST_F(Answers, SumIsContractedWithAnEarlierProduct) {
    const std::vector<reference::Vec4> factors{
        {std::bit_cast<uint32_t>(0.1f), std::bit_cast<uint32_t>(0.7f), std::bit_cast<uint32_t>(-(0.1f * 0.7f))}};
    const char* kText =
        "VERT\n"
        "DCL IN[0]\n"
        "DCL OUT[0], GENERIC[0]\n"
        "DCL TEMP[0]\n"
        "MUL TEMP[0], IN[0].xxxx, IN[0].yyyy\n"
        "ADD OUT[0], TEMP[0], IN[0].zzzz\n"
        "END\n";
    EXPECT_EQ(answers(kText, factors, true).size(), 1u);
    EXPECT_GT(answers(kText, factors, false).size(), 1u);
}

/// The two products nearly cancel, so that a fused one shows.
TEST_F(Answers, LrpIsFusedWhereResultsNeedNotBeExact) {
    std::vector<reference::Vec4> factors;
    for (int n = 1; n < 16; n++) {
        const float a = static_cast<float>(n) / 17, b = 1 + 0.1f * a, d = -b * a / (1 - a);
        factors.push_back({std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b), std::bit_cast<uint32_t>(d)});
    }
    const char* kText =
        "VERT\n"
        "DCL IN[0]\n"
        "DCL OUT[0], GENERIC[0]\n"
        "LRP OUT[0], IN[0].xxxx, IN[0].yyyy, IN[0].zzzz\n"
        "END\n";
    EXPECT_EQ(answers(kText, factors, true).size(), 1u);
    EXPECT_GT(answers(kText, factors, false).size(), 1u);
}

TEST_F(Odd, MeaningsArePermitted) {
    for (const meanings::Rule& rule : meanings::all_rules()) {
        const size_t at_once = rule.is_compute() ? 1 : rule.rows.size();
        ASSERT_TRUE(api::parse(context, rule.text, {})) << rule.text;
        for (size_t first = 0; first < rule.rows.size(); first += at_once)
            for (uint64_t seed = 0; seed < 4 * rounds(); seed++) {
                const auto rows = std::span(rule.rows).subspan(first, at_once);
                Modes modes = modes_of(seed);
                modes.dialect = rule.dialect;
                modes.max_iterations = rule.max_iterations;
                hold(meanings::inputs_of(rule, rows), modes, seed, rule.id.path + ": " + rule.name);
            }
    }
    report();
}

TEST_F(Odd, GeneratedProgramsArePermitted) {
    const uint64_t programs = 300 * rounds();
    for (uint64_t program = 0; program < programs; program++) {
        const std::string text = difftest::generate_program(program);
        SCOPED_TRACE(text);
        ASSERT_TRUE(api::parse(context, text, {})) << program;
        for (uint64_t seed = 2 * program; seed < 2 * program + 2; seed++) {
            difftest::InputOptions drawing = difftest::options_for_set(static_cast<uint32_t>(seed));
            drawing.seed = seed;
            const auto inputs = difftest::generate_inputs(context.program, context.registers, drawing);
            hold(inputs, modes_of(seed), seed, fmt::format("program {}", program));
        }
    }
    report();
}

/// Half of the shaders read textures, which the device lacks.
TEST_F(Odd, ShadersArePermitted) {
    const auto files = test::all_shaders();
    const size_t step = is_full() ? 1 : files.size() / 300 + 1;
    for (size_t n = 0; n < files.size(); n += step) {
        if (!api::parse(context, files[n].text, {})) continue;
        difftest::InputOptions drawing = difftest::options_for_set(static_cast<uint32_t>(n));
        drawing.seed = n;
        hold(difftest::generate_inputs(context.program, context.registers, drawing), modes_of(n), n, files[n].path);
    }
    report();
}

}  // namespace
}  // namespace tgsi2spv::odd

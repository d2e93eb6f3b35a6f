#include "inputs/inputs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "api/convert.h"
#include "cases/sampling/case.h"
#include "generate/generate.h"
#include "inputs/case.h"
#include "inputs/random.h"
#include "places.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::difftest {
namespace {

/// FNV-1a over everything that a case is given.
struct Hash {
    uint64_t value = 0xcbf29ce484222325;
    void add(const reference::Inputs& in, const tgsi::Program& program) {
        for (const char c : write_inputs(in, tgsi::has_vertices(program.stage, tgsi::File::Input)))
            value = (value ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    }
};

/// Draws of the generator that follow one after another must be sequenced, and exact: then every compiler and library
/// gives the same inputs. After an intended change, rewrite the file with TGSI2SPV_UPDATE=1 in the environment.
TEST(GeneratedInputs, AreTheSameWithEveryCompiler) {
    const std::string kGolden = test::source_path("tests/inputs/inputs.txt");
    std::string made =
        "# The FNV-1a hash of the inputs, as JSON, of forty-five generated programs by set, and of forms "
        "(inputs.cpp)\n";
    api::Context context;
    Hash sets[8];
    for (uint64_t seed = 0; seed < 270; seed += 6) {
        ASSERT_TRUE(api::parse(context, generate_program(seed), {})) << seed;
        for (uint32_t set = 0; set < 8; set++) {
            InputOptions options = options_for_set(set);
            options.seed = seed;
            sets[set].add(generate_inputs(context.program, context.registers, options), context.program);
        }
    }
    for (uint32_t set = 0; set < 8; set++) made += fmt::format("set {} {:016x}\n", set, sets[set].value);
    Hash hash;
    const auto forms = sampling_forms();
    for (size_t i = 0; i < forms.size(); i += 29) {
        if (!forms[i].impossible.empty()) continue;
        const auto states = states_of(forms[i]);
        SamplingCase c{.form = forms[i], .states = std::span(states).first(1)};
        ASSERT_EQ(prepare(c, context, i), "");
        hash.add(c.inputs, context.program);
    }
    made += fmt::format("forms {:016x}\n", hash.value);
    if (std::getenv("TGSI2SPV_UPDATE")) std::ofstream(kGolden, std::ios::binary) << made;
    std::ifstream file(kGolden, std::ios::binary);
    const std::string golden{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(golden, made)
        << "other inputs are drawn: TGSI2SPV_UPDATE=1 ctest -R AreTheSameWithEveryCompiler, if by intent";
}

TEST(Random, MagnitudesSpreadOverThePowersOfTwo) {
    Random random(1);
    uint32_t seen[4] = {};
    for (int i = 0; i < 400; i++) {
        const double x = random.magnitude(-2, 2);
        ASSERT_GE(x, 0.25);
        ASSERT_LT(x, 4);
        seen[x < 0.5 ? 0 : x < 1 ? 1 : x < 2 ? 2 : 3]++;
    }
    for (const uint32_t count : seen) EXPECT_GT(count, 60u);
}

}  // namespace
}  // namespace tgsi2spv::difftest

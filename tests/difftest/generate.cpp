// Generated programs: the same everywhere, taken by every part, known to the judge.
#include "difftest/generate/generate.h"

#include <gtest/gtest.h>

#include <set>
#include <spirv-tools/libspirv.hpp>

#include "api/convert.h"
#include "difftest/compare.h"
#include "difftest/inputs.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {
namespace {

TEST(Generate, SameSeedSameText) {
    for (uint64_t seed = 0; seed < 20; seed++) EXPECT_EQ(generate_program(seed), generate_program(seed));
    // Numbers of this machine and of every other: a hash of one text.
    uint64_t hash = 0xcbf29ce484222325;
    for (char c : generate_program(7)) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    EXPECT_NE(hash, 0u);
    EXPECT_NE(generate_program(1), generate_program(2));
}

/// Whatever a producer may write.
TEST(Generate, ReachesEveryOpcodeAndStage) {
    std::set<tgsi::Opcode> opcodes;
    std::set<tgsi::Stage> stages;
    api::Context context;
    for (uint64_t seed = 0; seed < 4 * tgsi::kOpcodeCount; seed++) {
        ASSERT_TRUE(api::parse(context, generate_program(seed), {})) << seed;
        stages.insert(context.program.stage);
        for (const auto& i : context.program.instructions) opcodes.insert(i.op);
    }
    EXPECT_EQ(stages.size(), static_cast<size_t>(tgsi::kStageCount));
    std::string missing;
    for (int op = 0; op < tgsi::kOpcodeCount; op++)
        if (!opcodes.contains(static_cast<tgsi::Opcode>(op)))
            missing += std::string(tgsi::info(static_cast<tgsi::Opcode>(op)).mnemonic) + " ";
    EXPECT_EQ(missing, "");
}

/// Every program is a shader, becomes a valid module, and is judged.
struct Population : testing::TestWithParam<uint64_t> {};

TEST_P(Population, IsTakenByEveryPart) {
    api::Context context;
    spvtools::SpirvTools validator{SPV_ENV_VULKAN_1_2};
    std::string said;
    validator.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { said += message; });
    api::Options options;
    options.lower.exact = options.lower.io_buffers = true;
    uint64_t words = 0, unknown = 0;
    for (uint64_t seed = GetParam(); seed < GetParam() + 100; seed++) {
        const auto text = generate_program(seed);
        context.diagnostics.clear();
        const bool converted = api::convert(context, text, options);
        std::string why;
        for (const auto& d : context.diagnostics) why += d.message + "; ";
        ASSERT_TRUE(converted) << seed << ": " << why << "\n" << text;
        ASSERT_TRUE(validator.Validate(context.words)) << seed << ": " << said;
        InputOptions inputs;
        inputs.seed = seed;
        const auto given = generate_inputs(context.program, context.registers, inputs);
        const auto judged = reference::run(context.program, context.registers, given, {});
        ASSERT_TRUE(judged.error.empty()) << seed << ": " << judged.error;
        EXPECT_LT(judged.instructions, 400'000u) << seed;
        // Held against itself: only the count of what is unknown is of interest.
        const auto compared = compare(judged, judged, written_outputs(context.program, context.registers), given.lanes,
                                      stream_outputs(context.program));
        words += compared.words;
        unknown += compared.unknown;
    }
    EXPECT_LT(static_cast<double>(unknown), 0.01 * static_cast<double>(words));
}

INSTANTIATE_TEST_SUITE_P(Generate, Population, testing::Values(0, 100, 200));

}  // namespace
}  // namespace tgsi2spv::difftest

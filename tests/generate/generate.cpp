// Generated programs: they are the same on every machine, every part accepts them, and the judge knows their results.
#include "generate/generate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <spirv-tools/libspirv.hpp>
#include <sstream>
#include <string>

#include "api/convert.h"
#include "cases/compare.h"
#include "inputs/inputs.h"
#include "inputs/random.h"
#include "places.h"
#include "reference/observe.h"
#include "reference/run.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {
namespace {

/// Checks published numbers of SplitMix64 and values derived from them by hand: in state s, the first 64 bits are mix(s
/// + 0x9e3779b97f4a7c15).
TEST(Random, NumbersAreTheSameEverywhere) {
    Random published(1234567);
    for (const uint64_t number : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u, 16408922859458223821u})
        EXPECT_EQ(published.next(), number);
    EXPECT_EQ(Random(1234567).below(1000), 350u);      // 0.35007908 of 2^64
    EXPECT_EQ(Random(1234567).between(-32, 32), -10);  // 65 numbers from -32, of which 22 are below it
    EXPECT_EQ(Random(1234567).unit(), 0x1.667b405fec23ep-2);
}

/// A seed names the same case on every machine, with every compiler and library. After an intended change to the
/// generator, rewrite the file with TGSI2SPV_UPDATE=1 in the environment.
TEST(Generate, SameSeedSameText) {
    const std::string kGolden = test::source_path("tests/generate/generated.txt");
    std::string made =
        "# Thirty seeds from this one on, every third, and the FNV-1a hash of their texts (generate.cpp)\n";
    for (const uint64_t first : {0u, 90u, 180u}) {  // spans about as many seeds as there are opcodes, used in turn
        uint64_t hash = 0xcbf29ce484222325;
        for (uint64_t seed = first; seed < first + 90; seed += 3)
            for (const char c : generate_program(seed)) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
        made += fmt::format("{} {:016x}\n", first, hash);
    }
    if (std::getenv("TGSI2SPV_UPDATE")) std::ofstream(kGolden, std::ios::binary) << made;
    std::ifstream file(kGolden, std::ios::binary);
    const std::string golden{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(golden, made) << "other texts are generated: TGSI2SPV_UPDATE=1 ctest -R SameSeedSameText, if by intent";
}

template <class T>
std::string missing(const std::set<T>& seen, int count, std::string_view (*name)(T)) {
    std::string list;
    for (int i = 0; i < count; i++)
        if (!seen.contains(static_cast<T>(i))) list += std::string(name(static_cast<T>(i))) + " ";
    return list;
}

/// The features that have occurred in the programs.
struct Seen {
    std::set<tgsi::Opcode> opcodes{};
    std::set<tgsi::Stage> stages{};
    std::set<tgsi::File> files{}, files_behind_indices{};
    std::set<std::string> views{}, images{};
    std::set<std::array<uint32_t, 3>> groups{};
    uint32_t legacy = 0;

    void operand(const tgsi::Operand& o) {
        files.insert(o.file);
        if (o.index_is_relative || o.dim_is_relative) files_behind_indices.insert(o.file);
    }
    void program(const tgsi::Program& p) {
        stages.insert(p.stage);
        for (const auto& i : p.instructions) {
            opcodes.insert(i.op);
            for (const auto& o : p.dsts(i)) operand(o);
            for (const auto& o : p.srcs(i)) operand(o);
        }
        for (const auto& d : p.declarations) {
            if (d.file == tgsi::File::SamplerView)
                views.insert(std::string(tgsi::name(d.target)) + " " + std::string(tgsi::name(d.returns[0])));
            if (d.file == tgsi::File::Image) images.insert(std::string(tgsi::name(d.target)));
        }
        if (p.stage == tgsi::Stage::Compute)
            groups.insert({p.property(tgsi::Property::CsFixedBlockWidth),
                           p.property(tgsi::Property::CsFixedBlockHeight),
                           p.property(tgsi::Property::CsFixedBlockDepth)});
        legacy += p.property(tgsi::Property::LegacyMathRules);
    }
    /// The first feature of TGSI that no program has: an opcode (those of flow included), a stage, a register file.
    std::string lacks() const {
        const auto mnemonic = [](tgsi::Opcode op) { return tgsi::info(op).mnemonic; };
        std::string list = missing<tgsi::Opcode>(opcodes, tgsi::kOpcodeCount, mnemonic) +
                           missing<tgsi::Stage>(stages, tgsi::kStageCount, tgsi::name) +
                           missing<tgsi::File>(files, tgsi::kFileCount, tgsi::name);
        for (const auto file : {tgsi::File::Const, tgsi::File::Input, tgsi::File::Output, tgsi::File::Temp,
                                tgsi::File::Sampler, tgsi::File::ImmediateArray, tgsi::File::TempArray})
            if (!files_behind_indices.contains(file)) list += fmt::format("{}[index] ", tgsi::name(file));
        if (views.size() <= 30) list += fmt::format("targets and types of views ({}) ", views.size());
        if (images.size() < 8) list += fmt::format("targets of images ({}) ", images.size());
        if (groups.size() <= 4) list += fmt::format("shapes of work groups ({}) ", groups.size());
        if (legacy <= 20) list += fmt::format("LEGACY_MATH_RULES ({}) ", legacy);
        return list;
    }
};

TEST(Generate, ReachesEverythingInEightTurns) {
    Seen seen;
    api::Context context;
    GenerateOptions options;
    options.statements = 2;
    constexpr uint64_t kTurn = tgsi::kOpcodeCount;  // seeds use the opcodes in turn
    for (uint64_t seed = 0; seed < 8 * kTurn && (seed % kTurn != 0 || !seen.lacks().empty()); seed++) {
        ASSERT_TRUE(api::parse(context, generate_program(seed, options), {})) << seed;
        seen.program(context.program);
    }
    EXPECT_EQ(seen.lacks(), "");
}

/// Every program parses, converts to a valid module, and can be judged.
struct Population : testing::TestWithParam<uint64_t> {};

TEST_P(Population, IsTakenByEveryPart) {
    api::Context context;
    spvtools::SpirvTools validator{SPV_ENV_VULKAN_1_2};
    std::string said;
    validator.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { said += message; });
    api::Options options;
    options.lower.exact = options.lower.io_buffers = true;
    constexpr uint64_t kPrograms = 100;
    double unknown = 0;  // of the words of each program: a patch of 32 vertices has as many as twenty other programs
    for (uint64_t seed = GetParam(); seed < GetParam() + kPrograms; seed++) {
        const auto text = generate_program(seed);
        context.diagnostics.clear();
        const bool converted = api::convert(context, text, options);
        std::string why;
        for (const auto& d : context.diagnostics) why += d.message + "; ";
        ASSERT_TRUE(converted) << seed << ": " << why << "\n" << text;
        ASSERT_TRUE(validator.Validate(context.words.data(), context.words.size())) << seed << ": " << said;
        InputOptions inputs;
        inputs.seed = seed;
        const auto given = generate_inputs(context.program, context.registers, inputs);
        const auto judged = reference::run(context.program, context.registers, given, {});
        ASSERT_TRUE(judged.error.empty()) << seed << ": " << judged.error;
        EXPECT_LT(judged.instructions, 400'000u) << seed;
        // Comparing the result with itself counts the unknown words.
        const auto compared = compare(judged, judged, given.lanes, stream_outputs(context.program));
        if (compared.words != 0) unknown += static_cast<double>(compared.unknown) / static_cast<double>(compared.words);
    }
    // Over 1,300 programs the mean is 0.6 %, and the means of hundreds of them have a standard deviation of 0.3 %.
    EXPECT_LT(unknown, 0.015 * kPrograms);
}

INSTANTIATE_TEST_SUITE_P(Generate, Population, testing::Values(0, 100, 200));

/// An instruction that no lane executes tests nothing.
TEST(Generate, LanesComeNearlyEverywhere) {
    uint64_t instructions = 0, reached = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        api::Context context;
        ASSERT_TRUE(api::parse(context, generate_program(seed), {}));
        std::vector<bool> seen(context.program.instructions.size());
        for (const uint32_t set : {0u, 1u, 2u}) {
            InputOptions generation = options_for_set(set);
            generation.seed = 1000 * seed + set;
            generation.lanes = 64;
            const auto in = generate_inputs(context.program, context.registers, generation);
            reference::observe(context.program, context.registers, in, {}, [&](const reference::Seen& s) {
                if (!s.lanes.empty()) seen[s.instruction] = true;
            });
        }
        bool after_exit = false;  // text that no lane may reach tests that lowering skips it
        for (size_t i = 0; i < seen.size(); i++) {
            const auto& instruction = context.program.instructions[i];
            const auto op = instruction.op;
            const bool leaves = op == tgsi::Opcode::BRK || op == tgsi::Opcode::CONT || op == tgsi::Opcode::RET;
            after_exit = (leaves && !instruction.has_predicate) ||
                         (after_exit && (tgsi::info(op).family != tgsi::Family::flow || op == tgsi::Opcode::UIF));
            if (after_exit) continue;
            const auto to = context.program.dsts(instruction);
            if (to.empty() || to.front().write_mask == 0 || instruction.op == tgsi::Opcode::STORE) continue;
            instructions++;
            reached += seen[i] ? 1 : 0;
        }
    }
    EXPECT_GT(instructions, 2000u);
    EXPECT_GT(static_cast<double>(reached), 0.97 * static_cast<double>(instructions)) << reached;
}

/// A program whose lanes are all killed tests nothing.
TEST(Generate, LanesLeaveUnderPredicates) {
    std::set<std::string> missing{"BRK", "!BRK", "RET", "KILL"};
    for (uint64_t seed = 0; seed < 1000 && !missing.empty(); seed++) {
        std::istringstream text(generate_program(seed));
        for (std::string line; std::getline(text, line);) {
            const size_t predicate = line.find("PRED[0]."), end = line.find(") ");
            if (predicate == std::string::npos || predicate == 0 || end == std::string::npos) continue;
            missing.erase((line[predicate - 1] == '!' ? "!" : "") + line.substr(end + 2));
        }
    }
    EXPECT_THAT(missing, testing::IsEmpty());
}

TEST(Generate, LeavesSomeLanesAlive) {
    GenerateOptions options;
    options.stage = tgsi::Stage::Fragment;
    uint32_t killing = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        options.opcode = seed % 2 == 0 ? tgsi::Opcode::KILL : tgsi::Opcode::KILL_IF;
        const auto text = generate_program(seed, options);
        api::Context context;
        ASSERT_TRUE(api::parse(context, text, {})) << text;
        InputOptions generation;
        generation.seed = seed;
        generation.lanes = 64;
        const auto in = generate_inputs(context.program, context.registers, generation);
        const auto result = reference::run(context.program, context.registers, in, {});
        ASSERT_EQ(result.error, "");
        uint32_t killed = 0;
        for (const bool k : result.killed) killed += k ? 1 : 0;
        EXPECT_LT(killed, 64u) << text;
        killing += killed > 0 ? 1 : 0;
    }
    EXPECT_GT(killing, 5u);
}

}  // namespace
}  // namespace tgsi2spv::difftest

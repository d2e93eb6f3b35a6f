// Which mutants count as detected.
#include "mutate/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "vulkan/pretend.h"

namespace tgsi2spv::difftest {
namespace {

using What = MutationLine::What;

/// Runs a few mutants of a shader on a device that `break_device` changes once the module itself has run.
std::vector<MutationLine> run_with(void (*break_device)(test::Pretend&)) {
    const auto path =
        std::filesystem::temp_directory_path() / ("tgsi2spv-mutants-" + std::to_string(getpid()) + ".tgsi");
    // Memory for an image is allocated for each run.
    std::ofstream(path)
        << "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
           "TEX OUT[0], IN[0], SAMP[0], 2D\nEND\n";
    MutationRun run;
    run.spec.kind = CaseKind::File;
    run.spec.path = path.string();
    run.inputs = 1;
    run.searched = 0;
    run.limit = 4;
    std::vector<MutationLine> lines;
    std::optional<test::Pretend> pretend;
    run_mutants(run, [&](const MutationLine& line) {
        if (line.what == What::Begin && !pretend) break_device(pretend.emplace());
        if (line.what != What::Begin && line.what != What::NotScored) lines.push_back(line);
    });
    std::filesystem::remove(path);
    return lines;
}

/// Memory that another program uses says nothing about a mutant; a lost device may be its doing.
TEST(RunMutants, WantOfMemoryCatchesNoMutant) {
    const auto lines = run_with([](auto& p) { p.allocate = [] { return VK_ERROR_OUT_OF_DEVICE_MEMORY; }; });
    ASSERT_GE(lines.size(), 2u);
    EXPECT_EQ(lines.back().what, What::Done);
    std::set<What> kinds;
    for (const auto& line : lines) kinds.insert(line.what);
    EXPECT_TRUE(kinds.contains(What::NotRun));
    EXPECT_FALSE(kinds.contains(What::Caught));
    for (const auto& line : lines)
        if (line.what == What::NotRun) {
            EXPECT_THAT(line.text, testing::HasSubstr("VK_ERROR_OUT_OF_DEVICE_MEMORY"));
        }
}

TEST(RunMutants, ALostDeviceCatchesAMutant) {
    const auto lines = run_with([](auto& p) { p.wait = [] { return VK_ERROR_DEVICE_LOST; }; });
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines.front().what, What::Caught) << lines.front().text;
}

}  // namespace
}  // namespace tgsi2spv::difftest

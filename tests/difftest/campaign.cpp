#include "difftest/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "api/convert.h"
#include "difftest/case.h"
#include "difftest/inputs.h"
#include "difftest/uses.h"

namespace tgsi2spv::difftest {
namespace {

namespace fs = std::filesystem;

/// A folder with shaders, removed at the end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("tgsi2spv-campaign-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path / "sub"); }
    ~Folder() { fs::remove_all(path); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
};

TEST(Sources, FoldersAreSearchedAndSortedFilesAreTaken) {
    const Folder folder;
    folder.write("b.tgsi", "");
    folder.write("sub/a.tgsi", "");
    folder.write("c.txt", "");
    const std::vector<std::string> paths{folder.path.string(), (folder.path / "c.txt").string()};
    const auto found = find_sources(paths);
    ASSERT_TRUE(found);
    std::vector<std::string> shown;
    for (const auto& s : *found) shown.push_back(s.shown);
    EXPECT_THAT(shown, testing::ElementsAre("b.tgsi", "sub/a.tgsi", (folder.path / "c.txt").string()));
    EXPECT_FALSE(find_sources(std::vector<std::string>{"/no/such/place"}));
}

TEST(Campaign, PassesAndSkipsAreCountedWithReasons) {
    const Folder folder;
    folder.write("pass.tgsi", "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n");
    folder.write("geom.tgsi",
                 "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
                 "DCL OUT[0], POSITION\nMOV OUT[0].x, OUT[0]\nEMIT\nEND\n");
    folder.write("broken.tgsi", "VERT\nMOVE OUT[0], IN[0]\nEND\n");
    const auto sources = find_sources(std::vector<std::string>{folder.path.string()});
    ASSERT_TRUE(sources);
    std::vector<std::string> lines;
    CampaignOptions options;
    options.inputs = 2;
    const auto summary = run_campaign(*sources, options, {[&](const std::string& line) { lines.push_back(line); }, {}});
    ASSERT_TRUE(summary) << summary.error();
    EXPECT_EQ(summary->passed, 1u);
    EXPECT_EQ(summary->failed, 0u);
    EXPECT_EQ(summary->skipped, 2u);
    EXPECT_EQ(summary->share.words, 2u * 16 * 4);
    EXPECT_THAT(lines, testing::Contains("pass pass.tgsi"));
    EXPECT_THAT(lines, testing::Contains(testing::StartsWith("skip geom.tgsi: not judged: GS_MAX_OUTPUT_VERTICES")));
    EXPECT_THAT(lines, testing::Contains(testing::StartsWith("skip broken.tgsi: no valid shader: unknown opcode")));
    EXPECT_EQ(report_lines(*summary).back(), "1 passed, 0 failed, 2 skipped");
    options.devices = {"no such device"};
    EXPECT_FALSE(run_campaign(*sources, options, {[](const std::string&) {}, {}}));
}

constexpr const char* kShader =
    "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SAMP[1]\nDCL CONST[0][0..3]\n"
    "DCL TEMP[0..1]\nDCL ADDR[0]\n"
    "MOV TEMP[0].xy, IN[0].xyxx\nTEX TEMP[0], TEMP[0], SAMP[0], 2D\nMOV TEMP[1].w, CONST[0][0].yyyy\n"
    "UARL ADDR[0].x, CONST[0][2].xxxx\nADD TEMP[0], TEMP[0], CONST[ADDR[0].x]\n"
    "TXF TEMP[1], CONST[0][1].xyzw, SAMP[1], 2D_ARRAY\nADD OUT[0], TEMP[0], TEMP[1]\nEND\n";

TEST(Uses, ComponentsAreTracedToWhatTheyServe) {
    api::Context context;
    ASSERT_TRUE(
        api::parse(context,
                   "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL CONST[0..3]\n"
                   "DCL TEMP[0..1]\nDCL ADDR[0]\nMOV TEMP[0].xy, IN[0].xyxx\nTEX TEMP[0], TEMP[0], SAMP[0], 2D\n"
                   "UARL ADDR[0].x, CONST[2].xxxx\nMOV TEMP[1], CONST[ADDR[0].x]\n"
                   "UADD TEMP[1].x, TEMP[1].xxxx, CONST[1].wwww\nADD OUT[0], TEMP[0], TEMP[1]\nEND\n",
                   {}));
    const auto uses = find_uses(context.program);
    EXPECT_EQ(uses.of(tgsi::File::Input, 0, 0, 0), Use::Coordinate);
    EXPECT_EQ(uses.of(tgsi::File::Input, 0, 0, 1), Use::Coordinate);
    EXPECT_EQ(uses.of(tgsi::File::Input, 0, 0, 3), Use::None);
    EXPECT_EQ(uses.of(tgsi::File::Const, 0, 2, 0), Use::Index);
    EXPECT_GE(uses.of(tgsi::File::Const, 0, 1, 3), Use::Float);
    EXPECT_EQ(uses.textures.at(0), tgsi::Target::T2D);
    EXPECT_TRUE(uses.implicit_level.at(0));
}

TEST(GeneratedInputs, AreTheSameForASeedAndReadBack) {
    api::Context context;
    ASSERT_TRUE(api::parse(context, kShader, {})) << context.diagnostics.at(0).message;
    const auto make = [&](uint64_t seed) {
        return write_inputs(generate_inputs(context.program, context.registers, {.seed = seed, .lanes = 16}));
    };
    EXPECT_EQ(make(1), make(1));
    EXPECT_NE(make(1), make(2));
    EXPECT_NE(case_seed("a", 1, 0), case_seed("b", 1, 0));
    EXPECT_NE(case_seed("a", 1, 0), case_seed("a", 1, 1));
    const auto back = read_inputs(make(3));
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(write_inputs(*back), make(3));
    EXPECT_EQ(back->textures.size(), 2u);
    EXPECT_EQ(back->constants.at(0).size(), 16u);
    EXPECT_LT(back->constants.at(0).at(8), 4u);  // an index
}

}  // namespace
}  // namespace tgsi2spv::difftest

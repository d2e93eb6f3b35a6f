#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "api/convert.h"
#include "campaign/baseline.h"
#include "cases/case_file.h"
#include "cases/cases.h"
#include "cases/judge.h"
#include "cases/pattern.h"
#include "cases/sources.h"
#include "cases/variants.h"
#include "inputs/case.h"
#include "inputs/inputs.h"
#include "inputs/uses.h"

namespace tgsi2spv::difftest {
namespace {

namespace fs = std::filesystem;

/// A folder with shaders, removed by the destructor.
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
    const auto names = [](const std::vector<Source>& sources) {
        std::vector<std::string> all;
        for (const auto& s : sources) all.push_back(s.name);
        return all;
    };
    EXPECT_THAT(names(*found), testing::ElementsAre("b.tgsi", "sub/a.tgsi", "c.txt"));
    // A name does not depend on how the file is reached, if the root is the same.
    const std::vector<std::string> file{(folder.path / "sub/../sub/a.tgsi").string()};
    EXPECT_THAT(names(*find_sources(file)), testing::ElementsAre("a.tgsi"));
    EXPECT_THAT(names(*find_sources(file, folder.path.string() + "/")), testing::ElementsAre("sub/a.tgsi"));
    EXPECT_FALSE(find_sources(paths, (folder.path / "sub").string()));
    EXPECT_TRUE(are_below(file, folder.path.string()));
    EXPECT_FALSE(are_below(paths, (folder.path / "su").string()));
    EXPECT_FALSE(find_sources(std::vector<std::string>{"/no/such/place"}));
}

/// docs/judge.md, "How much it notices": in generated programs, more than two sets notice little more.
TEST(ListCases, EightInputSetsForAShaderAndTwoForAProgramOrAVariant) {
    const Folder folder;
    folder.write("a.tgsi", "");
    const auto count = [](const CaseSources& sources) { return list_cases(sources, {})->size(); };
    CaseSources sources;
    sources.paths = {folder.path.string()};
    EXPECT_EQ(count(sources), 8u);
    sources.variants = true;
    EXPECT_EQ(count(sources), 8u + 2u * kVariantKinds);
    sources.generated = 10;
    EXPECT_EQ(count(sources), 8u + 2u * kVariantKinds + 20u);
    sources.inputs = 3;
    EXPECT_EQ(count(sources), 3u + 3u * kVariantKinds + 30u);
}

TEST(ListCases, NamesShardsAndFilters) {
    const Folder folder;
    for (const char* name : {"b.tgsi", "sub/a.tgsi", "c.tgsi"}) folder.write(name, "");
    CaseSources sources;
    sources.paths = {folder.path.string()};
    sources.inputs = 2;
    const auto ids = [&](const CaseChoice& choice) {
        std::vector<std::string> all;
        const auto cases = list_cases(sources, choice);
        EXPECT_TRUE(cases);
        for (const auto& spec : *cases) all.push_back(id_of(spec));
        return all;
    };
    EXPECT_THAT(ids({}),
                testing::ElementsAre("b.tgsi", "b.tgsi#1", "c.tgsi", "c.tgsi#1", "sub/a.tgsi", "sub/a.tgsi#1"));
    EXPECT_THAT(ids({"", 1, 4}), testing::ElementsAre("b.tgsi#1", "sub/a.tgsi#1"));
    EXPECT_THAT(ids({"^[bc].*#1", 0, 1}), testing::ElementsAre("b.tgsi#1", "c.tgsi#1"));
    EXPECT_FALSE(list_cases(sources, {"(", 0, 1}));
    // A billion programs are too many to list.
    CaseSources many;
    many.generated = 1'000'000'000;
    EXPECT_FALSE(list_cases(many, {}));
    EXPECT_FALSE(list_cases(many, {"", 1, 2}));
    many.generated = 10'000;
    EXPECT_EQ(list_cases(many, {"", 1, 200})->size(), 100u);
    sources.paths = {(folder.path / "sub").string(), folder.path.string() + "/sub/../sub"};
    sources.inputs = 1;
    EXPECT_EQ(ids({}).size(), 1u) << "one folder, named twice";
    // An id is listed once, however often its file is named, and files of several folders have different ids.
    const std::string c = (folder.path / "c.tgsi").string();
    sources.paths = {c, c};
    EXPECT_THAT(ids({}), testing::ElementsAre("c.tgsi"));
    folder.write("sub/c.tgsi", "");
    const auto before = fs::current_path();
    fs::current_path(folder.path);
    fs::create_directories("other/sub");
    folder.write("other/sub/c.tgsi", "");
    sources.paths = {"other", "sub/c.tgsi", "sub", "other", "other/sub"};
    EXPECT_THAT(ids({}), testing::ElementsAre("other/sub/c.tgsi", "sub/c.tgsi", "sub/a.tgsi"));
    sources.paths = {"sub"};
    sources.root = ".";
    EXPECT_THAT(ids({}), testing::ElementsAre("sub/a.tgsi", "sub/c.tgsi"));
    sources.root.clear();
    fs::current_path(before);
    sources.paths.clear();
    sources.sampling = true;
    const auto forms = ids({"sampling/sample_d 2D", 0, 1});
    EXPECT_THAT(forms, testing::Contains("sampling/sample_d 2D"));
    EXPECT_THAT(forms, testing::Contains("sampling/sample_d 2D#1"));
    EXPECT_EQ(read_shard("1/3")->shard, 1u);
    for (const char* wrong : {"3/3", "1", "/", "a/b", "1/3x", "-1/3"}) EXPECT_FALSE(read_shard(wrong)) << wrong;
}

std::string baseline_of(const CaseResult& result) {
    Summary summary;
    add(summary, result);
    return write_baseline(summary);
}

TEST(Baseline, LinesNameStatusIdAndReason) {
    Baseline b;
    ASSERT_TRUE(
        read_baseline("# all of it\nflake a#1  # comes and goes\ndevice LLVM\nfail a.*  # wrong\n"
                      "crash b  # dies\n\ndevice Swift\nskip a  # hangs\n",
                      "list", b));
    struct Row {
        const char *id, *device;
        Status status;
        bool expected;
    };
    static constexpr Row kRows[] = {
        {"a", "llvmpipe", Status::Fail, true},    {"a", "llvmpipe", Status::Pass, false},
        {"a", "llvmpipe", Status::Crash, false},  {"a", "llvmpipe", Status::Skip, false},
        {"xa", "llvmpipe", Status::Fail, false},  {"a#1", "llvmpipe", Status::Flake, true},
        {"a#1", "llvmpipe", Status::Pass, true},  {"a#1", "llvmpipe", Status::Fail, true},
        {"b", "llvmpipe", Status::Crash, true},   {"b", "SwiftShader", Status::Crash, false},
        {"a", "SwiftShader", Status::Skip, true}, {"a#1", "llvmpipe", Status::Skip, true},
        {"c", "llvmpipe", Status::Skip, true},    {"a", "SwiftShader", Status::Pass, true},
        {"c", "SwiftShader", Status::Pass, true}, {"c", "SwiftShader", Status::Flake, false},
    };
    for (const Row& row : kRows) {
        CaseResult r;
        r.id = row.id;
        r.device = row.device;
        r.status = row.status;
        apply_baseline(b, r);
        EXPECT_EQ(r.expected, row.expected) << row.id << " " << row.device << " " << name(row.status);
    }
    for (const char* wrong : {"fail a", "fail a  #", "fail (  # x", "pass a  # x", "fails a  # x", "fail  # x",
                              "fail (a)\\1  # x", "fail a{1,10000}  # x", "fail a{10000}  # x"}) {
        Baseline other;
        const auto read = read_baseline(std::string("# first\n") + wrong + "\n", "list", other);
        ASSERT_FALSE(read) << wrong;
        EXPECT_THAT(read.error(), testing::StartsWith("list:2: "));
    }
    // For any characters in an id, the baseline that is written for it matches it.
    CaseResult r;
    r.id = "sampling/sample_d.cps 2D (x)+#3";
    r.device = "llvmpipe (LLVM 15.0.6, 256 bits)";
    r.status = Status::Fail;
    r.message = "OUT[0] # lane\n1";
    Baseline written;
    ASSERT_TRUE(read_baseline(baseline_of(r), "list", written));
    apply_baseline(written, r);
    EXPECT_TRUE(r.expected);
    ASSERT_EQ(written.lines.size(), 1u);
}

TEST(Baseline, LinesMayNameVersionsOfADriver) {
    Baseline b;
    ASSERT_TRUE(read_baseline(
        "device llvmpipe, driver >= 26\nfail a  # new\ndevice llvmpipe, driver < 22.3.7\nfail b  # old\n", "list", b));
    struct Row {
        const char* driver;
        bool a, b;
    };
    for (const Row& row :
         {Row{"llvmpipe Mesa 26.2.6-1 (LLVM 22.1.8)", true, false}, Row{"llvmpipe Mesa 26", true, false},
          Row{"llvmpipe Mesa 25.9", false, false}, Row{"llvmpipe Mesa 22.3.6 (LLVM 15.0.6)", false, true},
          Row{"llvmpipe Mesa 22.3.10", false, false}, Row{"llvmpipe", false, false}, Row{"", false, false}}) {
        EXPECT_EQ(b.find("a", "llvmpipe", row.driver) != nullptr, row.a) << row.driver;
        EXPECT_EQ(b.find("b", "llvmpipe", row.driver) != nullptr, row.b) << row.driver;
        EXPECT_EQ(b.find("a", "SwiftShader", row.driver), nullptr);
    }
    for (const char* wrong :
         {"x, driver 26", "x, driver >= ", "x, driver >= 26a", "x, driver < 26.", "x, driver = 26"}) {
        Baseline other;
        EXPECT_FALSE(read_baseline(std::string("device ") + wrong + "\n", "list", other)) << wrong;
    }
}

/// Of two devices with one name, the second has a number; other names have the same beginning, too.
TEST(Baseline, WrittenLinesBelongToOneDevice) {
    CaseResult r;
    r.id = "a";
    r.device = "GPU 6800";
    r.status = Status::Fail;
    r.message = "wrong";
    Baseline written;
    ASSERT_TRUE(read_baseline(baseline_of(r), "list", written));
    EXPECT_NE(written.find("a", "GPU 6800", ""), nullptr);
    EXPECT_EQ(written.find("a", "GPU 6800 #2", ""), nullptr);
    EXPECT_EQ(written.find("a", "GPU 6800 XT", ""), nullptr);
    Baseline part;
    ASSERT_TRUE(read_baseline("device gpu 6800\nfail a  # wrong\n", "list", part));
    EXPECT_NE(part.find("a", "GPU 6800 #2", ""), nullptr);
}

/// Every setting on which a failure may depend is in the file; without it, settings are as usual.
TEST(KeepCase, SettingsAreKept) {
    RunSettings judging;
    judging.seed = 7;
    judging.dialect = tgsi::Dialect::Oldest;
    judging.entry = 2;
    judging.max_steps = 5000;
    judging.options_seed = 9;
    judging.strict = judging.loops_in_memory = judging.one_level_offsets = judging.zeros_alike =
        judging.plain_immediates = true;
    CaseResult r;
    r.id = "a";
    r.evidence.shader = "FRAG\nEND\n";
    r.evidence.inputs = "{}\n";
    const auto kept = case_file_of(r, judging);
    const auto read = read_case_file(write_case_file(kept));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, kept);
    EXPECT_EQ(judging_of(*read, {}), judging);
    const auto old = read_case_file("tgsi-difftest case 1\ncase: a\nmessage: \n");
    ASSERT_TRUE(old);
    // Without a shader nothing else shows that the file was cut off.
    EXPECT_EQ(read_case_file("tgsi-difftest case 1\ncase: a\nseed: 7\n").error(),
              "missing field 'message', the last one");
    EXPECT_EQ(judging_of(*old, judging).max_steps, RunSettings{}.max_steps);
    EXPECT_FALSE(judging_of(*old, judging).strict);
    EXPECT_EQ(read_case_file("tgsi-difftest case 1\ncase: a\nstrict: 1\n").error(),
              "line 3: strict: expected 'yes', found '1'");
}

/// The name of a case file has the characters of id and device that a file system accepts, which is not unique.
TEST(KeepCase, CasesDoNotOverwriteEachOther) {
    const Folder folder;
    const auto kept = [&](const std::string& id, const std::string& device, const std::string& reduced) {
        CaseResult r;
        r.id = id;
        r.device = device;
        r.evidence.shader = "FRAG\nEND\n";
        r.evidence.reduced = reduced;
        EXPECT_EQ(keep_case(folder.path.string(), r, {}), "");
    };
    const std::string endless(300, 'a');
    for (int round = 0; round < 2; round++) {  // the same cases once more have the same files
        kept("a/b", "one (1)", "");
        kept("a_b", "one (1)", "smaller");
        kept("a/b", "one (2)", "");
        kept(endless + "1", "one", "");
        kept(endless + "2", "one", "");
    }
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path))
        if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    const std::string cut = endless.substr(0, 180);
    EXPECT_THAT(names, testing::UnorderedElementsAre("a_b@one.case", "a_b@one-2.case", "a_b@one-2.reduced.case",
                                                     "a_b@one-3.case", cut + ".case", cut + "-2.case"));
    const auto id_in = [&](const std::string& name) {
        std::ifstream file(folder.path / name);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const auto read = read_case_file(text);
        return read ? read->id + " on " + read->device : read.error();
    };
    EXPECT_EQ(id_in("a_b@one.case"), "a/b on one (1)");
    EXPECT_EQ(id_in("a_b@one-2.case"), "a_b on one (1)");
    EXPECT_EQ(id_in("a_b@one-3.case"), "a/b on one (2)");
}

/// As on a full disk: the limit makes a write stop after some of its bytes. (A process of its own, if run by ctest.)
TEST(KeepCase, AFileThatCannotBeWrittenWholeIsNotLeft) {
    const Folder folder;
    CaseResult r;
    r.id = "a";
    r.device = "one";
    r.evidence.shader = std::string(10000, '#') + "\n";
    ASSERT_EQ(keep_case(folder.path.string(), r, {}), "");
    const auto whole = fs::file_size(folder.path / "a@one.case");
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 5000;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    std::vector<std::string> errors;
    for (const char* id : {"a", "b"}) {  // one that is there already, and a new one
        r.id = id;
        r.message = "again";
        errors.push_back(keep_case(folder.path.string(), r, {}));
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    for (const auto& error : errors) EXPECT_THAT(error, testing::ContainsRegex("@one.case: cannot write: "));
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder.path)) files += entry.is_regular_file();
    EXPECT_EQ(files, 1u);
    EXPECT_EQ(fs::file_size(folder.path / "a@one.case"), whole);
}

constexpr const char* kShader =
    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SAMP[1]
DCL CONST[0][0..3]
DCL TEMP[0..1]
DCL ADDR[0]
MOV TEMP[0].xy, IN[0].xyxx
TEX TEMP[0], TEMP[0], SAMP[0], 2D
MOV TEMP[1].w, CONST[0][0].yyyy
UARL ADDR[0].x, CONST[0][2].xxxx
ADD TEMP[0], TEMP[0], CONST[ADDR[0].x]
TXF TEMP[1], CONST[0][1].xyzw, SAMP[1], 2D_ARRAY
ADD OUT[0], TEMP[0], TEMP[1]
END
)";

/// An engine that goes back would take 2^40 steps and more.
TEST(Pattern, MatchesInLinearTime) {
    const std::string id(40, 'a');
    for (const char* text : {"(a+)+b", "(a|aa)+b", "(a*)*b", "(a?){40}a{41}", "(.*a){20}b"}) {
        const auto pattern = compile_pattern(text);
        ASSERT_TRUE(pattern) << pattern.error();
        EXPECT_FALSE(is_all_of(*pattern, id)) << text;
        EXPECT_FALSE(occurs(*pattern, id)) << text;
    }
    EXPECT_TRUE(is_all_of(*compile_pattern("(a+)+"), id));
    // Features that no linear engine has.
    for (const char* text : {R"((a)\1)", "a(?=b)", "a{1001}", "("}) EXPECT_FALSE(compile_pattern(text)) << text;
}

TEST(Pattern, OfUnusualLengthIsRefused) {
    EXPECT_TRUE(compile_pattern(std::string(2000, '^')));
    const auto refused = compile_pattern(std::string(2001, '^'));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), testing::HasSubstr("2001 characters"));
}

TEST(Uses, ComponentsAreTracedToTheirUses) {
    api::Context context;
    ASSERT_TRUE(api::parse(context,
                           R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL CONST[0..3]
DCL TEMP[0..1]
DCL ADDR[0]
MOV TEMP[0].xy, IN[0].xyxx
TEX TEMP[0], TEMP[0], SAMP[0], 2D
UARL ADDR[0].x, CONST[2].xxxx
MOV TEMP[1], CONST[ADDR[0].x]
UADD TEMP[1].x, TEMP[1].xxxx, CONST[1].wwww
ADD OUT[0], TEMP[0], TEMP[1]
END
)",
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
    EXPECT_EQ(case_seed("FRAG\n# a\nEND\n", 1, 0), case_seed("FRAG\n# longer\n# and more\nEND\n", 1, 0));
    EXPECT_NE(case_seed("FRAG\n", 1, 0), case_seed("FRAG\nEND\n", 1, 0));
    const auto back = read_inputs(make(3));
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(write_inputs(*back), make(3));
    EXPECT_EQ(back->textures.size(), 2u);

    // A view that is not declared, only used.
    ASSERT_TRUE(api::parse(context,
                           R"(FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL RES[0], 2D, UINT
DCL SAMP[0]
SAMPLE OUT[0], IN[0], RES[1], SAMP[0]
END
)",
                           {}));
    make(1);
    EXPECT_EQ(back->constants.at(0).size(), 16u);
    EXPECT_LT(back->constants.at(0).at(8), 4u);  // an index
}

/// The first vertex and instance are not 0, so that VERTEXID never equals the lane by chance; the samplers' max_lod is
/// the last level where the device does not limit levels itself.
TEST(GeneratedInputs, StartAfterTheFirstVertexAndCoverTheLastLevel) {
    api::Context context;
    ASSERT_TRUE(api::parse(context, R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL SAMP[0]
TXL OUT[0], IN[0], SAMP[0], 2D
END
)",
                           {}));
    for (const bool limited : {false, true}) {
        const auto in = generate_inputs(context.program, context.registers, {.limited = limited});
        EXPECT_EQ(in.base_vertex, 5u);
        EXPECT_EQ(in.base_instance, 3u);
        const auto levels = static_cast<float>(in.textures.at(0).levels);
        EXPECT_EQ(in.samplers.at(0).max_lod == levels - 1, limited);
    }
    EXPECT_TRUE(options_for_set(0).limited);
    EXPECT_FALSE(options_for_set(1).limited);
}

}  // namespace
}  // namespace tgsi2spv::difftest

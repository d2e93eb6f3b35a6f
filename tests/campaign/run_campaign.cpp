// Campaigns whose workers are scripts: the handling of results, for any answers of the devices.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>

#include "campaign/campaign.h"
#include "campaign/case_hash.h"
#include "campaign/reduce.h"
#include "campaign/scripted_workers.h"
#include "cases/case_file.h"

namespace tgsi2spv::difftest {
namespace {

using testing::HasSubstr;

class ScriptedCampaign : public test::ScriptedWorkers {
  protected:
    CampaignOptions campaign(const std::string& start, const std::string& job) const {
        CampaignOptions o;
        o.sources.generated = 1;
        o.sources.inputs = 1;
        o.pool = options(start, job);
        return o;
    }
    tl::expected<CampaignEnd, std::string> run(const CampaignOptions& o) {
        results_.clear();
        CampaignHooks hooks;
        hooks.result = [&](const CaseResult& r) { results_.push_back(r); };
        return run_campaign(o, hooks);
    }
    /// The same, which has to succeed.
    CampaignEnd finish(const CampaignOptions& o) {
        auto end = run(o);
        EXPECT_TRUE(end) << end.error();
        return end ? std::move(*end) : CampaignEnd{};
    }
    /// A results file as an earlier run of the same settings left it.
    std::string file_of(const std::vector<CaseResult>& results) {
        auto o = campaign("ready", "begin; result pass");
        o.results = (folder_ / "results").string();
        std::filesystem::remove(o.results);
        EXPECT_TRUE(run(o));
        std::string header;
        std::getline(std::ifstream(o.results), header);
        std::ofstream file(o.results);
        file << header << "\n";
        for (const CaseResult& r : results) file << write_result_line(r) << "\n";
        return o.results;
    }
    /// The hash that a run with these settings records for its only case, on a driver without name and version.
    std::string hash() const {
        const auto o = campaign("ready", "begin; result pass");
        return hash_on(CaseHasher(o.pool.settings).of(list_cases(o.sources, {})->front()), "");
    }
    CaseResult earlier(Status status, const std::string& message, Reason reason = Reason::None) const {
        CaseResult r;
        r.reason = reason;
        r.hash = hash();
        r.id = "generated/1/0";
        r.device = "pipe";
        r.status = status;
        r.expected = !is_failure(status);
        r.message = message;
        return r;
    }
    static size_t lines_of(const std::string& path) {
        std::ifstream file(path);
        return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
    }
    std::vector<CaseResult> results_;
};

/// A repetition may find no memory, which says nothing about the failure.
TEST_F(ScriptedCampaign, AFailureWhoseRepetitionIsSkippedRemainsAFailure) {
    auto o = campaign("ready", "begin; [ $attempt = 0 ] && { result fail; continue; }; result skip");
    o.flake_retries = 2;
    CampaignEnd end = finish(o);
    ASSERT_EQ(results_.size(), 1u);
    EXPECT_EQ(results_[0].status, Status::Fail);
    EXPECT_FALSE(results_[0].expected);
    EXPECT_EQ(end.summary.all.failed(), 1u);
    EXPECT_THAT(results_[0].attempts, testing::ElementsAre(Attempt{Status::Fail, ""}, Attempt{Status::Skip, ""}));

    o = campaign("ready", "begin; [ $attempt = 0 ] && { result fail; continue; }; result pass");
    o.flake_retries = 2;
    finish(o);
    ASSERT_EQ(results_.size(), 1u);
    EXPECT_EQ(results_[0].status, Status::Flake);
}

/// A flake has the result of each attempt, and the failed attempt is kept.
TEST_F(ScriptedCampaign, AFlakeKeepsItsEvidence) {
    const std::string evidence = R"(, \"message\": \"wrong '$attempt'\", \"evidence\": {\"shader\": \"FRAG\"})";
    auto o =
        campaign("ready", "begin; [ $attempt -lt 2 ] && { result fail '" + evidence + "'; continue; }; result pass");
    o.flake_retries = 2;
    o.keep = (folder_ / "kept").string();
    finish(o);
    ASSERT_EQ(results_.size(), 1u);
    const CaseResult& r = results_[0];
    EXPECT_EQ(r.status, Status::Flake);
    EXPECT_EQ(r.message, "passed on attempt 3, after: wrong 1");
    EXPECT_THAT(r.attempts, testing::ElementsAre(Attempt{Status::Fail, "wrong 0"}, Attempt{Status::Fail, "wrong 1"},
                                                 Attempt{Status::Pass, ""}));
    EXPECT_EQ(r.evidence.shader, "FRAG");
    const auto back = read_result_line(write_result_line(r));
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->attempts, r.attempts);
    ASSERT_FALSE(std::filesystem::is_empty(o.keep));
    std::ifstream file(std::filesystem::directory_iterator(o.keep)->path());
    const auto kept = read_case_file(std::string(std::istreambuf_iterator<char>(file), {}));
    ASSERT_TRUE(kept) << kept.error();
    EXPECT_EQ(kept->status, Status::Fail);
    EXPECT_EQ(kept->message, "wrong 1");
}

/// Each worker reports it again.
TEST_F(ScriptedCampaign, NotesAboutADeviceAreReportedOnce) {
    auto o = campaign("ready", R"(printf '%s\n' '{"note": "odd", "device": 0}'; begin; result pass; exit 0)");
    o.sources.generated = 3;
    const CampaignEnd end = finish(o);
    EXPECT_EQ(end.summary.all.passed(), 3u);
    EXPECT_EQ(started(), 3u);
    EXPECT_THAT(end.notes, testing::ElementsAre("pipe: odd"));
}

/// The second of two devices with one name is called "pipe #2", but only the number or UUID that the user gave finds
/// it.
TEST_F(ScriptedCampaign, FailuresOfTheSecondDeviceOfANameAreReducedOnThatDevice) {
    const std::string evidence = R"(, \"evidence\": {\"shader\": \"FRAG\"})";
    auto o = campaign(R"(ready '"pipe", "pipe"')",
                      "device=0; begin; result pass; device=1; begin; result fail '" + evidence + "'");
    o.pool.settings.devices = {"4", "7"};
    o.reduce = 1;
    finish(o);
    ASSERT_EQ(results_.size(), 2u);
    EXPECT_EQ(results_[0].device, "pipe");
    EXPECT_EQ(results_[1].device, "pipe #2");
    EXPECT_EQ(results_[1].status, Status::Fail);
    EXPECT_THAT(settings(1), HasSubstr(R"("devices":["4","7"])"));
    EXPECT_THAT(settings(2), HasSubstr(R"("devices":["7"])"));
}

/// The reduced case is in a second line. A resumed run neither reduces the case again nor loses the reduced case.
TEST_F(ScriptedCampaign, AReducedCaseIsTakenOver) {
    CaseResult r = earlier(Status::Fail, "wrong");
    r.evidence.shader = "FRAG\nEND\n";
    CaseResult reduced = r;
    reduced.evidence.reduced = "smaller";
    auto o = campaign("ready", "begin; result fail");
    o.results = file_of({r, reduced});
    o.resume = true;
    o.reduce = 1;
    const auto started_before = started();
    const CampaignEnd end = finish(o);
    ASSERT_EQ(end.summary.failures.size(), 1u);
    EXPECT_EQ(end.summary.failures[0].evidence.reduced, "smaller");
    EXPECT_EQ(started(), started_before + 1);
    EXPECT_EQ(lines_of(o.results), 2u);
}

/// Memory may suffice now, and the baseline may no longer name a case; other reasons are the case's or the device's.
TEST_F(ScriptedCampaign, SkipsThatSayNothingAboutTheDriverAreRunAgain) {
    struct Row {
        Reason reason;
        bool again;
    };
    static constexpr Row kRows[] = {
        {Reason::Memory, true}, {Reason::CompilerMemory, true}, {Reason::Baseline, true}, {Reason::None, false}};
    for (const Row& row : kRows) {
        auto o = campaign("ready", "begin; result pass");
        o.results = file_of({earlier(Status::Skip, "why", row.reason)});
        o.resume = true;
        const CampaignEnd end = finish(o);
        EXPECT_EQ(end.summary.all.of(Status::Pass), row.again ? 1u : 0u) << static_cast<int>(row.reason);
        EXPECT_EQ(end.summary.all.all(), 1u);
    }
    // If the baseline already names the case, no other line is written.
    auto o = campaign("ready", "begin; result pass");
    o.results = file_of({earlier(Status::Skip, "baseline: slow", Reason::Baseline)});
    ASSERT_TRUE(read_baseline("skip .*  # slow\n", "list", o.baseline));
    o.resume = true;
    const CampaignEnd end = finish(o);
    EXPECT_EQ(end.summary.all.skipped(), 1u);
    EXPECT_EQ(lines_of(o.results), 2u);
}

/// A name identifies neither the case's contents nor the driver's version. A line without a hash is of an older
/// version.
TEST_F(ScriptedCampaign, OutdatedResultsAreRunAgain) {
    struct Row {
        const char* hash;  ///< of the line, if not that of the case
        const char* driver;
        bool again;
    };
    static constexpr Row kRows[] = {{nullptr, "", false},
                                    {nullptr, "pipe 2", true},
                                    {"0123456789abcdef0123456789abcdef", "", true},
                                    {"", "", true}};
    for (const Row& row : kRows) {
        const std::string hello =
            R"(printf '%s\n' '{"ready": ["pipe"], "drivers": [")" + std::string(row.driver) + R"("]}')";
        auto o = campaign(hello, "begin; result pass");
        auto failed = earlier(Status::Fail, "wrong");
        auto of_another = failed;
        of_another.id = "other.tgsi";
        if (row.hash != nullptr) failed.hash = row.hash;
        o.results = file_of({failed, of_another});
        o.pool = options(hello, "begin; result pass");
        o.resume = true;
        const CampaignEnd end = finish(o);
        EXPECT_EQ(end.outdated, row.again ? 1u : 0u) << row.driver;
        EXPECT_EQ(end.summary.all.passed(), row.again ? 1u : 0u) << row.driver;
        std::vector<std::string> lines;
        const auto header = read_results(
            o.results, [&](const CaseResult& r) { lines.push_back(r.id + " " + std::string(name(r.status))); });
        ASSERT_TRUE(header) << header.error();
        EXPECT_EQ(header->results, 2u) << "the other case's result stays";
        EXPECT_EQ(header->runs.size(), 2u);
        if (row.again)
            EXPECT_THAT(lines, testing::ElementsAre("other.tgsi fail", "generated/1/0 pass"));
        else
            EXPECT_THAT(lines, testing::ElementsAre("generated/1/0 fail", "other.tgsi fail"));
    }
}

/// No worker finds the device again, perhaps because of the candidates. The last candidate that failed is the answer.
TEST_F(ScriptedCampaign, AReductionKeepsWhatItFound) {
    CaseFile file;
    file.id = "case";
    file.shader =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
MUL TEMP[0], IN[0], IN[0]
ADD TEMP[0], TEMP[0], IN[0]
MOV OUT[0], TEMP[0]
END
)";
    file.inputs = R"({"lanes": 16})";
    for (const bool any : {true, false}) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        ReduceOptions o;
        // Candidates that fail; then one that crashes, and no device is found again.
        o.pool = options(
            "[ $n -gt 1 ] && error 'device gone'; ready; run=0",
            "begin; run=$((run + 1)); [ $run -gt " + std::string(any ? "3" : "1") + " ] && exit 3; result fail");
        o.pool.settings.devices = {"pipe"};
        const auto reduced = reduce_case(file, o);
        ASSERT_EQ(reduced.has_value(), any);
        EXPECT_THAT(any ? reduced->ended_by : reduced.error().why, HasSubstr("device gone"));
        EXPECT_TRUE(!any || reduced->file.inputs.find("16") == std::string::npos);
    }
}

/// A failure that is to be repeated is one, even if it cannot be.
TEST_F(ScriptedCampaign, AFailureThatCannotBeRepeatedCounts) {
    auto o = campaign("[ $n -gt 1 ] && error 'device gone'; ready", "begin; [ $attempt = 0 ] || exit 3; result fail");
    o.sources.generated = 2;
    o.flake_retries = 2;
    const CampaignEnd end = finish(o);
    EXPECT_THAT(end.interrupted, HasSubstr("device gone"));
    ASSERT_EQ(results_.size(), 2u);
    for (const auto& r : results_) EXPECT_TRUE(is_failure(r.status));
}

TEST(CaseHash, DiffersWithEverythingThatMakesACase) {
    const auto path = std::filesystem::temp_directory_path() / ("tgsi2spv-hash-" + std::to_string(getpid()));
    std::ofstream(path) << "FRAG\nEND\n";
    CaseSpec file;
    file.kind = CaseKind::File;
    file.name = "a";
    file.path = path.string();
    CaseSpec generated;
    generated.kind = CaseKind::Generated;
    const auto hash = [](const CaseSpec& spec, const WorkerSettings& settings = {}) {
        return CaseHasher(settings).of(spec);
    };
    std::vector<std::string> all{hash(file), hash(generated)};
    CaseHasher one({});
    EXPECT_EQ(one.of(file), all[0]);
    for (const CaseSpec& of : {file, generated}) {
        CaseSpec spec = of;
        spec.input = 1;
        all.push_back(one.of(spec));
        spec.number = 1;  // the variant, or the program
        all.push_back(one.of(spec));
    }
    for (const char* form : {"sampling/a", "sampling/b"}) {
        CaseSpec spec;
        spec.kind = CaseKind::Sampling;
        spec.name = form;
        all.push_back(one.of(spec));
    }
    WorkerSettings other;
    other.judging.seed = 2;
    all.push_back(hash(file, other));
    other.judging.strict = true;
    all.push_back(hash(file, other));
    other.compile_only = true;
    all.push_back(hash(file, other));
    std::ofstream(path) << "FRAG\nDCL OUT[0], COLOR\nEND\n";
    all.push_back(hash(file));
    all.push_back(hash_on(all[0], "driver 1"));
    all.push_back(hash_on(all[0], "driver 2"));
    std::filesystem::remove(path);
    all.push_back(hash(file));
    for (size_t i = 0; i < all.size(); i++)
        for (size_t k = 0; k < i; k++) EXPECT_NE(all[i], all[k]) << i << " " << k;

    // These change no result.
    std::ofstream(path) << "FRAG\nEND\n";
    WorkerSettings same;
    same.devices = {"llvmpipe"};
    same.judging.timeout_ns = 1;
    file.name = "b";
    EXPECT_EQ(hash(file, same), all[0]);
    std::filesystem::remove(path);
}

TEST_F(ScriptedCampaign, ResultsOfOtherSettingsAreNotContinued) {
    auto o = campaign("ready", "begin; result pass");
    o.results = (folder_ / "results").string();
    o.resume = true;
    ASSERT_TRUE(run(o));
    ASSERT_TRUE(run(o)) << "the same settings";
    EXPECT_TRUE(results_.empty());
    using Change = void (*)(RunSettings&);
    constexpr Change kChanges[] = {[](RunSettings& j) { j.loops_in_memory = true; },
                                   [](RunSettings& j) { j.options_seed = 3; },
                                   [](RunSettings& j) { j.plain_immediates = true; },
                                   [](RunSettings& j) { j.zeros_alike = true; },
                                   [](RunSettings& j) { j.max_steps = 7; },
                                   [](RunSettings& j) { j.one_level_offsets = true; },
                                   [](RunSettings& j) { j.strict = true; },
                                   [](RunSettings& j) { j.entry = 1; },
                                   [](RunSettings& j) { j.seed = 2; }};
    for (const Change change : kChanges) {
        auto other = o;
        change(other.pool.settings.judging);
        const auto end = run(other);
        ASSERT_FALSE(end) << &change - kChanges;
        EXPECT_THAT(end.error(), HasSubstr("results was made with"));
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest

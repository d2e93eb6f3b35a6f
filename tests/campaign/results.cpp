// Results in transit: lines, truncated files, sums that do not depend on the order, reports.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "campaign/baseline.h"
#include "campaign/process.h"
#include "campaign/report.h"
#include "campaign/results_file.h"
#include "campaign/summary.h"
#include "cases/sources.h"

namespace tgsi2spv::difftest {
namespace {

CaseResult result(std::string id, std::string device, Status status, std::string message = {}) {
    CaseResult r;
    r.id = std::move(id);
    r.device = std::move(device);
    r.status = status;
    r.expected = !is_failure(status);
    r.message = std::move(message);
    r.stage = "FRAG";
    r.opcodes = {"END", "MUL"};
    r.words = 10;
    r.unknown = 1;
    r.wide = 2;
    r.unknown_by = {{"DDX", 1}};
    r.times.judge_ms = 0.125;
    r.times.driver_ms = 2;
    r.times.maker_ms = 1.875;
    return r;
}

std::vector<CaseResult> some() {
    return {result("b", "one", Status::Fail, "OUT[0] <lane> 1 & \"2\""), result("a", "two", Status::Pass),
            result("b", "two", Status::Pass), result("a", "one", Status::Skip, "the device lacks it"),
            result("c", "one", Status::Crash, std::string("SIGSEGV\x01\xff"))};
}

TEST(Results, ALineIsReadBack) {
    for (CaseResult r : some()) {
        r.details = {"OUT[0]", "OUT[1]"};
        if (r.status == Status::Crash) continue;  // bytes that are not valid text become U+FFFD
        const auto back = read_result_line(write_result_line(r));
        ASSERT_TRUE(back) << back.error();
        EXPECT_EQ(*back, r);
    }
    for (const Reason reason : {Reason::Memory, Reason::CompilerMemory, Reason::Baseline, Reason::OnlyCompiled}) {
        CaseResult r = result("a", "one", Status::Skip);
        r.reason = reason;
        const auto back = read_result_line(write_result_line(r));
        ASSERT_TRUE(back) << back.error();
        EXPECT_EQ(back->reason, reason);
    }
    for (const char* wrong : {"", "{", "[]", "{}", R"({"case": "a"})", R"({"case": "a", "status": "passed"})",
                              R"({"case": 1, "status": "pass"})", R"({"campaign": {}})"})
        EXPECT_FALSE(read_result_line(wrong)) << wrong;
}

TEST(Results, AMemberOfAnotherKindIsNoZero) {
    const std::pair<std::string, const char*> kWrong[] = {
        {R"("words": -1)", "words: expected a number of words"},
        {R"("words": "x")", "words: expected a number of words"},
        {R"("unknown": 1.5)", "unknown: expected a number of words"},
        {R"("wrong": 1e300)", "wrong: expected a number of words"},
        {R"("reason": "hunger")", "reason: expected a known reason"},
        {R"("unexpected": 1)", "unexpected: expected a boolean"},
        {R"("message": 1)", "message: expected a string"},
        {R"("details": [1])", "details: expected a list of strings"},
        {R"("opcodes": {})", "opcodes: expected a list of strings"},
        {R"("judge_ms": -1)", "judge_ms: expected a time"},
        {R"("unknown_by": {"MUL": true})", "MUL: expected a number of words"},
        {R"("evidence": {"shader": 1})", "shader: expected a string"},
        {R"("evidence": {"pictures": [1]})", "pictures: expected a list of pictures"}};
    for (const auto& [member, message] : kWrong) {
        const auto r = read_result_line(R"({"case": "a", "status": "pass", )" + member + "}");
        ASSERT_FALSE(r) << member;
        EXPECT_EQ(r.error(), message);
    }
}

TEST(Results, AFileThatHoldsNoneOrCannotBeReadIsAnError) {
    const auto path = std::filesystem::temp_directory_path() / ("tgsi2spv-none-" + std::to_string(getpid()));
    const auto error_of = [](const std::string& file) {
        const auto header = read_results(file, [](const CaseResult&) {});
        return header ? std::string() : header.error();
    };
    std::ofstream(path).close();
    EXPECT_EQ(error_of(path.string()), path.string() + ":1: not a results file of tgsi-difftest");
    std::ofstream(path) << R"({"campaign": {"seed": 1, "dialect": "0", "validation": "yes"}})"
                        << "\n";
    EXPECT_EQ(error_of(path.string()), path.string() + ":1: not a results file of tgsi-difftest");
    EXPECT_EQ(error_of("/proc/self/mem"), "/proc/self/mem: cannot read: Input/output error");
    EXPECT_EQ(error_of("/dev/zero"), "/dev/zero:1: not a results file of tgsi-difftest");
    {
        ResultsWriter writer;
        EXPECT_EQ(writer.open(path.string()), "");
        EXPECT_EQ(writer.start_with({7, "auto"}, {}), "");
    }
    std::filesystem::resize_file(path, (size_t{1} << 28) + 65536);  // a line of zeros that takes no room on the disk
    EXPECT_EQ(error_of(path.string()), path.string() + ":2: line is longer than 268435456 bytes");
    std::filesystem::remove(path);
    EXPECT_EQ(error_of("/"), "/: cannot read: Is a directory");
}

TEST(Results, OfTwoRunsAreTheSameInAnyOrder) {
    std::vector<CaseResult> all;
    for (const Status status : {Status::Pass, Status::Fail, Status::Skip, Status::Crash, Status::Flake})
        for (const bool expected : {false, true}) {
            all.push_back(result("a", "one", status, "first"));
            all.back().expected = expected;
            all.push_back(all.back());
            all.back().message = "second";
            all.push_back(all.back());
            all.back().evidence.reduced = "reduced";
        }
    for (const CaseResult& a : all)
        for (const CaseResult& b : all) {
            const CaseResult both = together(a, b);
            EXPECT_EQ(both, together(b, a));
            const bool fails = is_failure(a.status), passes = a.status == Status::Pass || a.status == Status::Flake;
            EXPECT_TRUE(!fails || b.status != Status::Pass || both.status == Status::Flake);
            EXPECT_TRUE(!fails || !is_failure(b.status) || is_failure(both.status));
            EXPECT_TRUE(!passes || b.status != Status::Skip || both == a);
            EXPECT_TRUE(a.status != b.status || both.expected == (a.expected && b.expected));
        }
}

TEST(Sources, AreReadAsFarAsAShaderMayGo) {
    const auto endless = read_source("/dev/zero");
    ASSERT_TRUE(endless);
    EXPECT_EQ(endless->size(), (size_t{16} << 20) + 1);
    for (const char* path : {"/", "/no/such", "/proc/self/mem"}) {
        const auto text = read_source(path);
        ASSERT_FALSE(text) << path;
        EXPECT_THAT(text.error(), testing::StartsWith(std::string(path) + ": cannot read: ")) << path;
    }
}

TEST(Results, ATruncatedFileContinuesAfterItsLastWholeLine) {
    const auto path = std::filesystem::temp_directory_path() / ("tgsi2spv-results-" + std::to_string(getpid()));
    RunHeader header{7, "auto"};
    header.runs.push_back(this_environment("tgsi-difftest 'a b'", 7));
    add_device(header.runs[0], "one", "pipe 2", "1.3.5");
    std::vector<CaseResult> all;
    const auto read = [&] {
        all.clear();
        return read_results(path.string(), [&](CaseResult r) { all.push_back(std::move(r)); });
    };
    const auto ids = [&] {
        std::vector<std::string> names;
        for (const CaseResult& r : all) names.push_back(r.id);
        return names;
    };
    {
        ResultsWriter writer;
        ASSERT_EQ(writer.open(path.string()), "");
        ASSERT_EQ(writer.start(header), "");
        for (const CaseResult& r : some()) ASSERT_EQ(writer.write(r), "");
    }
    std::ofstream(path, std::ios::app) << R"({"case": "d", "sta)";
    auto found = read();
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(*found, header);
    EXPECT_THAT(ids(), testing::ElementsAre("b", "a", "b", "a", "c"));
    {
        ResultsWriter writer;
        ASSERT_EQ(writer.open(path.string()), "");
        ASSERT_EQ(writer.start_with(header, all), "");
        ASSERT_EQ(writer.write(result("e", "one", Status::Pass)), "");
    }
    ASSERT_TRUE(read());
    EXPECT_THAT(ids(), testing::ElementsAre("b", "a", "b", "a", "c", "e"));
    std::ofstream(path, std::ios::app) << "no line of ours\n";
    found = read();
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error(), testing::EndsWith(":8: not a JSON object"));
    std::ofstream(path) << "{}\n";
    EXPECT_FALSE(read());
    std::filesystem::remove(path);
    EXPECT_FALSE(read());
    ResultsWriter nowhere;
    EXPECT_NE(nowhere.open("/dev/null/r"), "");
}

TEST(Results, AFileHasOneWriterAlsoAfterItWasReplaced) {
    const auto path = std::filesystem::temp_directory_path() / ("tgsi2spv-writers-" + std::to_string(getpid()));
    const auto refused = [&] {
        ResultsWriter other;
        return other.open(path.string()) == path.string() + ": another process is writing it";
    };
    const auto ids = [&] {
        std::vector<std::string> all;
        EXPECT_TRUE(read_results(path.string(), [&](const CaseResult& r) { all.push_back(r.id); }));
        return all;
    };
    {
        ResultsWriter writer;
        ASSERT_EQ(writer.open(path.string()), "");
        EXPECT_TRUE(refused());
        EXPECT_EQ(std::filesystem::file_size(path), 0u) << "opening changes nothing";
        ASSERT_EQ(writer.start({7, "auto"}), "");
        ASSERT_EQ(writer.write(result("a", "one", Status::Pass)), "");
        ASSERT_EQ(writer.start_with({7, "auto"}, {result("b", "one", Status::Pass)}), "");
        EXPECT_TRUE(refused());
        EXPECT_THAT(ids(), testing::ElementsAre("b"));
        ASSERT_EQ(writer.write(result("c", "one", Status::Pass)), "");
    }
    EXPECT_FALSE(refused());
    EXPECT_THAT(ids(), testing::ElementsAre("b", "c"));
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".new"));
    std::filesystem::remove(path);
}

TEST(Summary, IsTheSameInAnyOrder) {
    Summary forward, backward;
    auto all = some();
    for (const auto& r : all) add(forward, r);
    std::reverse(all.begin(), all.end());
    for (const auto& r : all) add(backward, r);
    sort(forward);
    sort(backward);
    EXPECT_EQ(report_lines(forward, 0), report_lines(backward, 0));
    const auto lines = report_lines(forward, 0);
    EXPECT_EQ(lines.back(), "2 passed, 2 failed, 1 skipped");
    for (const char* line :
         {"unknown 10.00 % of 50 output words; 20.00 % have wide bounds", "unknown     5 words due to DDX",
          "of the failures: 1 crash",
          "3.1 % of the time in the judge, 50.0 % in the driver, 0.0 % in the translator, 46.9 % for making cases",
          "one: 0 passed, 2 failed, 1 skipped", "1 cases pass on one device and fail on another"})
        EXPECT_THAT(lines, testing::Contains(line));
    EXPECT_THAT(differing(forward), testing::ElementsAre("b"));
    EXPECT_EQ(forward.records.front().id, "a");
    EXPECT_EQ(junit_report(forward).size(), junit_report(backward).size());
}

/// More failures than evidence is kept for: lists and baselines have all of them, and those that the baseline does not
/// explain have evidence before those that it does.
TEST(Summary, KeepsEvidenceOfTheUnexpectedFirst) {
    Summary summary;
    for (int i = 0; i < 260; i++) {
        CaseResult r = result(fmt::format("c{:03}", i), "one", i < 250 ? Status::Fail : Status::Pass, "wrong");
        r.expected = i < 225;
        r.expecting = i < 225 ? "known" : "";
        add(summary, std::move(r));
    }
    CaseResult skip = result("c260", "one", Status::Skip, "baseline: slow");
    skip.reason = Reason::Baseline;
    skip.expecting = "slow";
    add(summary, std::move(skip));
    sort(summary);
    ASSERT_EQ(summary.failures.size(), kFailuresKept);
    EXPECT_EQ(std::ranges::count(summary.failures, false, &CaseResult::expected), 35);
    EXPECT_EQ(summary.failures.front().id, "c000");
    Baseline written;
    ASSERT_TRUE(read_baseline(write_baseline(summary), "list", written));
    EXPECT_EQ(written.lines.size(), 251u);
    ASSERT_NE(written.find("c200", "one", ""), nullptr);
    EXPECT_EQ(written.find("c200", "one", "")->reason, "known");
    ASSERT_NE(written.find("c260", "one", ""), nullptr);
    EXPECT_EQ(written.find("c260", "one", "")->reason, "slow");
    const auto page = html_report(summary);
    const auto others = page.substr(page.find("class=\"others\""));
    EXPECT_EQ(std::ranges::count(others.substr(0, others.find("</pre>")), '\n'), 60);
    EXPECT_THAT(others, testing::HasSubstr("fail c170 on one"));
    EXPECT_THAT(others, testing::Not(testing::HasSubstr("c164")));
}

TEST(Summary, ReportsThatNothingWasCompared) {
    const auto nothing = [](const std::vector<CaseResult>& results) {
        Summary s;
        for (const CaseResult& r : results) add(s, r);
        return compared_nothing(s);
    };
    const CaseResult skip = result("a", "one", Status::Skip, "invalid shader"), pass = result("b", "one", Status::Pass);
    EXPECT_FALSE(nothing({}));
    EXPECT_TRUE(nothing({skip, result("b", "one", Status::Skip, "the device lacks it")}));
    EXPECT_FALSE(nothing({skip, pass}));
    EXPECT_FALSE(nothing({skip, result("b", "one", Status::Fail)}));
    CaseResult unknown = pass, compiled = pass, meant = skip;
    meant.reason = Reason::Baseline;
    EXPECT_FALSE(nothing({skip, meant}));
    unknown.unknown = unknown.words;
    EXPECT_TRUE(nothing({unknown}));
    compiled.words = compiled.unknown = 0;
    EXPECT_FALSE(nothing({compiled}));
}

TEST(Summary, CountsThePassedCasesThatComparedNothing) {
    CaseResult unknown = result("a", "one", Status::Pass), empty = result("b", "one", Status::Pass), compiled = empty;
    unknown.unknown = unknown.words;
    empty.words = empty.unknown = compiled.words = compiled.unknown = 0;
    compiled.reason = Reason::OnlyCompiled;
    CaseResult failed = unknown;
    failed.status = Status::Fail;
    Summary s;
    for (const CaseResult& r : {unknown, empty, compiled, failed, result("c", "one", Status::Pass)}) add(s, r);
    EXPECT_THAT(report_lines(s, 0), testing::Contains("2 passed but compared nothing"));
    Summary all;
    add(all, result("c", "one", Status::Pass));
    EXPECT_THAT(report_lines(all, 0), testing::Not(testing::Contains(testing::HasSubstr("compared nothing"))));
}

TEST(Results, AnOlderFileHasTheNumberOfTheDialect) {
    const std::string path = testing::TempDir() + "/older-" + std::to_string(getpid());
    std::ofstream(path) << R"({"campaign": {"seed": 1, "dialect": "3 from 6, strict"}})"
                        << "\n";
    const auto header = read_results(path, [](const CaseResult&) {});
    ASSERT_TRUE(header) << header.error();
    EXPECT_EQ(header->dialect, "newest from 6, strict");
    std::filesystem::remove(path);
}

TEST(Report, EscapesTextForBrowsersAndParsers) {
    EXPECT_EQ(escaped("a<b>&\"\x01\xc3\xa9\xff\n"), "a&lt;b&gt;&amp;&quot;\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\n");
    EXPECT_EQ(escaped("\xed\xa0\x80\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    Summary summary;
    for (const auto& r : some()) add(summary, r);
    sort(summary);
    const auto xml = junit_report(summary);
    EXPECT_THAT(xml,
                testing::HasSubstr("<testsuite name=\"one\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"1\""));
    EXPECT_THAT(xml, testing::HasSubstr("OUT[0] &lt;lane&gt; 1 &amp; &quot;2&quot;"));
    auto skipped = result("s", "two", Status::Skip, "no memory");
    skipped.expected = false;
    add(summary, skipped);
    EXPECT_THAT(
        junit_report(summary),
        testing::HasSubstr("<failure type=\"unexpected-skip\" message=\"skipped, which contradicts the baseline: "
                           "no memory\">no memory</failure>"));
    auto wrong = result("w", "two", Status::Fail, "OUT[0] lane 1");
    wrong.details = {"OUT[0] lane 2 & more"};
    wrong.expected = false;
    wrong.evidence.shader = "FRAG\nEND\n";
    add(summary, wrong);
    EXPECT_THAT(junit_report(summary),
                testing::HasSubstr("<failure type=\"fail\" message=\"OUT[0] lane 1\">OUT[0] lane 1\n"
                                   "OUT[0] lane 2 &amp; more\n\nFRAG\nEND\n</failure>"));
    const auto page = html_report(summary);
    EXPECT_THAT(page, testing::HasSubstr("fail: b"));
    EXPECT_THAT(page, testing::Not(testing::HasSubstr("<lane>")));
}

TEST(Child, WritesItsErrorsIntoTheUsersFolder) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("tgsi2spv-errors-" + std::to_string(getpid()));
    fs::create_directories(folder);
    const char* const before = std::getenv("TMPDIR");
    const std::string temporary = before == nullptr ? "" : before;
    setenv("TMPDIR", folder.c_str(), 1);
    auto child = Child::start({"/bin/sh", "-c", "readlink /proc/$$/fd/2"});
    before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", temporary.c_str(), 1);
    ASSERT_TRUE(child) << child.error();
    std::vector<std::string> lines;
    for (bool ended = false; !ended; usleep(1000))
        for (auto& line : child->lines(ended)) lines.push_back(line);
    EXPECT_THAT(lines, testing::ElementsAre(testing::StartsWith(folder.string())));
    fs::remove_all(folder);
}

TEST(Child, ReportsItsExitStatus) {
    struct Row {
        const char *script, *ending, *words;
    };
    static constexpr Row kRows[] = {
        {"exit 3", "exit status 3", ""},
        {"echo because >&2; kill -SEGV $$", "SIGSEGV (Segmentation fault)", "because"},
        {"while read line; do echo \"got $line\"; done", "exit status 0", ""},
    };
    std::signal(SIGPIPE, SIG_IGN);  // as in a pool: some children exit before the test writes to them
    for (const Row& row : kRows) {
        auto child = Child::start({"/bin/sh", "-c", row.script});
        ASSERT_TRUE(child) << child.error();
        child->send("a line");
        child->close_input();
        std::vector<std::string> lines;
        for (bool ended = false; !ended; usleep(1000))
            for (auto& line : child->lines(ended)) lines.push_back(line);
        EXPECT_EQ(describe(child->reap()), row.ending);
        EXPECT_EQ(child->last_words(100), row.words);
        EXPECT_EQ(lines.size(), std::string(row.script).starts_with("while") ? 1u : 0u);
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest

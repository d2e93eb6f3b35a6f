// Campaigns whose workers are scripts: what becomes of results, whatever the devices answer.
#include <gmock/gmock.h>

#include "difftest/campaign/campaign.h"
#include "difftest/scripted_workers.h"

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
    std::vector<CaseResult> results_;
};

/// A repetition may find no memory, which says nothing about the failure.
TEST_F(ScriptedCampaign, AFailureWhoseRepetitionIsSkippedRemainsAFailure) {
    auto o = campaign("ready", "begin; [ $attempt = 0 ] && { result fail; continue; }; result skip");
    o.flake_retries = 2;
    auto end = run(o);
    ASSERT_TRUE(end) << end.error();
    ASSERT_EQ(results_.size(), 1u);
    EXPECT_EQ(results_[0].status, Status::Fail);
    EXPECT_FALSE(results_[0].expected);
    EXPECT_EQ(end->summary.all.failed(), 1u);

    o = campaign("ready", "begin; [ $attempt = 0 ] && { result fail; continue; }; result pass");
    o.flake_retries = 2;
    end = run(o);
    ASSERT_TRUE(end) << end.error();
    ASSERT_EQ(results_.size(), 1u);
    EXPECT_EQ(results_[0].status, Status::Flake);
}

/// The second of two devices with one name is called "pipe #2", but only the number or UUID that the user gave finds
/// it.
TEST_F(ScriptedCampaign, FailuresOfTheSecondDeviceOfANameAreReducedOnThatDevice) {
    const std::string evidence = R"(, \"evidence\": {\"shader\": \"FRAG\"})";
    auto o = campaign(R"(ready '"pipe", "pipe"')",
                      "device=0; begin; result pass; device=1; begin; result fail '" + evidence + "'");
    o.pool.settings.devices = {"4", "7"};
    o.reduce = 1;
    const auto end = run(o);
    ASSERT_TRUE(end) << end.error();
    ASSERT_EQ(results_.size(), 2u);
    EXPECT_EQ(results_[0].device, "pipe");
    EXPECT_EQ(results_[1].device, "pipe #2");
    EXPECT_EQ(results_[1].status, Status::Fail);
    EXPECT_THAT(settings(1), HasSubstr(R"("devices":["4","7"])"));
    EXPECT_THAT(settings(2), HasSubstr(R"("devices":["7"])"));
}

TEST_F(ScriptedCampaign, ResultsOfOtherSettingsAreNotContinued) {
    auto o = campaign("ready", "begin; result pass");
    o.results = (folder_ / "results").string();
    o.resume = true;
    ASSERT_TRUE(run(o));
    ASSERT_TRUE(run(o)) << "the same settings";
    EXPECT_TRUE(results_.empty());
    using Change = void (*)(JudgeOptions&);
    constexpr Change kChanges[] = {[](JudgeOptions& j) { j.loops_in_memory = true; },
                                   [](JudgeOptions& j) { j.zeros_alike = true; },
                                   [](JudgeOptions& j) { j.max_steps = 7; },
                                   [](JudgeOptions& j) { j.one_level_offsets = true; },
                                   [](JudgeOptions& j) { j.strict = true; },
                                   [](JudgeOptions& j) { j.entry = 1; },
                                   [](JudgeOptions& j) { j.seed = 2; }};
    for (const Change change : kChanges) {
        auto other = o;
        change(other.pool.settings.judging);
        const auto end = run(other);
        ASSERT_FALSE(end) << &change - kChanges;
        EXPECT_THAT(end.error(), HasSubstr(std::string(kAnotherRun)));
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest

#include "campaign/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tgsi2spv::difftest {

namespace {

void count(Totals& totals, const CaseResult& result) {
    totals.by_status[static_cast<size_t>(result.status)]++;
    totals.unexpected += !result.expected;
    totals.share.words += result.words;
    totals.share.unknown += result.unknown;
    totals.share.wide += result.wide;
    totals.vacuous +=
        result.status == Status::Pass && result.unknown == result.words && result.reason != Reason::OnlyCompiled;
    totals.times += result.times;
}

std::string counts(const Totals& totals) {
    return fmt::format("{} passed, {} failed, {} skipped", totals.passed(), totals.failed(), totals.skipped());
}

/// Keeps a result with its evidence, if there is room. Unexpected ones take the places of expected ones.
void keep(std::vector<CaseResult>& failures, CaseResult result) {
    if (failures.size() < kFailuresKept) return failures.push_back(std::move(result));
    if (result.expected) return;
    const auto last = std::find_if(failures.rbegin(), failures.rend(), [](const CaseResult& f) { return f.expected; });
    if (last != failures.rend()) *last = std::move(result);
}

/// Returns the kinds of failures other than wrong answers: `2 crash, 1 timeout`.
std::string kinds(const Totals& totals) {
    std::string all;
    for (const Status s : {Status::Crash, Status::Timeout, Status::DeviceLost, Status::Flake})
        if (totals.of(s) > 0) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", totals.of(s), name(s));
    return all;
}

constexpr size_t kMaxReasons = 40, kMaxOpcodes = 20;

std::string shares_of(const WorkTimes& times) {
    const auto share = [&](double ms) { return 100 * ms / times.all_ms(); };
    return fmt::format(
        "{:.1f} % of the time in the judge, {:.1f} % in the driver, {:.1f} % in the translator, {:.1f} % for making cases",
        share(times.judge_ms), share(times.driver_ms), share(times.translator_ms), share(times.maker_ms));
}

std::vector<std::pair<uint64_t, std::string>> most_first(const std::map<std::string, uint64_t>& counts) {
    std::vector<std::pair<uint64_t, std::string>> sorted;
    for (const auto& [name, n] : counts) sorted.emplace_back(n, name);
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    return sorted;
}

}  // namespace

uint64_t Totals::all() const {
    return std::accumulate(by_status.begin(), by_status.end(), uint64_t{0});
}

bool is_notable(Status status, bool expected) {
    return is_failure(status) || status == Status::Flake || !expected;
}

void add(Summary& summary, CaseResult result) {
    const auto known = std::find(summary.devices.begin(), summary.devices.end(), result.device);
    const auto device = static_cast<uint32_t>(known - summary.devices.begin());
    if (known == summary.devices.end()) summary.devices.push_back(result.device);
    count(summary.all, result);
    count(summary.by_device[result.device], result);
    if (!result.stage.empty()) count(summary.by_stage[result.stage], result);
    for (const auto& op : result.opcodes) count(summary.by_opcode[op], result);
    for (const auto& [op, words] : result.unknown_by) summary.unknown_by[op] += words;
    if (result.status == Status::Skip) summary.skip_reasons[result.message]++;
    summary.skipped_by_baseline |= result.reason == Reason::Baseline;
    summary.translated += result.translated;
    summary.records.push_back({result.id, device, result.status, result.reason, result.expected,
                               static_cast<float>(result.times.all_ms()), result.message, result.expecting});
    if (is_notable(result.status, result.expected)) keep(summary.failures, std::move(result));
}

bool compared_nothing(const Summary& summary) {
    if (summary.all.all() == 0 || summary.all.failed() != 0 || summary.skipped_by_baseline) return false;
    // A case that was only compiled passes without words.
    return summary.all.passed() == 0 ||
           (summary.all.share.words != 0 && summary.all.share.unknown == summary.all.share.words);
}

void sort(Summary& summary) {
    const auto before = [&](const Record& a, const Record& b) {
        return std::tie(a.id, summary.devices[a.device]) < std::tie(b.id, summary.devices[b.device]);
    };
    std::sort(summary.records.begin(), summary.records.end(), before);
    std::sort(summary.failures.begin(), summary.failures.end(), [](const CaseResult& a, const CaseResult& b) {
        return std::tie(a.id, a.device) < std::tie(b.id, b.device);
    });
}

std::vector<std::string> differing(const Summary& summary) {
    struct Seen {
        bool passed = false, failed = false;
    };
    std::map<std::string_view, Seen> cases;
    for (const Record& r : summary.records) {
        Seen& seen = cases[r.id];
        seen.passed |= r.status == Status::Pass;
        seen.failed |= is_failure(r.status);
    }
    std::vector<std::string> ids;
    for (const auto& [id, seen] : cases)
        if (seen.passed && seen.failed) ids.emplace_back(id);
    return ids;
}

std::vector<std::string> report_lines(const Summary& summary, double seconds) {
    std::vector<std::string> lines;
    const auto reasons = most_first(summary.skip_reasons);
    for (size_t i = 0; i < std::min(reasons.size(), kMaxReasons); i++)
        lines.push_back(fmt::format("skipped {:5}  {}", reasons[i].first, reasons[i].second));
    if (reasons.size() > kMaxReasons) lines.push_back(fmt::format("and {} more reasons", reasons.size() - kMaxReasons));
    if (summary.translated > 0)
        lines.push_back(
            fmt::format("{} of the skipped cases were still translated, validated and judged", summary.translated));
    const auto opcodes = most_first(summary.unknown_by);
    for (size_t i = 0; i < std::min(opcodes.size(), kMaxOpcodes); i++)
        lines.push_back(fmt::format("unknown {:5} words due to {}", opcodes[i].first, opcodes[i].second));
    if (summary.all.share.words > 0)
        lines.push_back(fmt::format("unknown {:.2f} % of {} output words; {:.2f} % have wide bounds",
                                    100 * summary.all.share.ratio(), summary.all.share.words,
                                    100 * summary.all.share.wide_ratio()));
    if (summary.all.vacuous > 0) lines.push_back(fmt::format("{} passed but compared nothing", summary.all.vacuous));
    if (summary.all.times.all_ms() > 0) {
        std::string rate;
        if (seconds > 0)
            rate = fmt::format("{:.1f} cases per second: ", static_cast<double>(summary.all.all()) / seconds);
        lines.push_back(rate + shares_of(summary.all.times));
    }
    if (summary.devices.size() > 1) {
        for (const auto& [device, totals] : summary.by_device) {
            if (totals.times.all_ms() > 0)
                lines.push_back(fmt::format("{}: {:.1f} cases per second and worker; {}", device,
                                            1000 * static_cast<double>(totals.all()) / totals.times.all_ms(),
                                            shares_of(totals.times)));
        }
        for (const auto& [device, totals] : summary.by_device)
            lines.push_back(fmt::format("{}: {}", device, counts(totals)));
        if (const auto ids = differing(summary); !ids.empty())
            lines.push_back(fmt::format("{} cases pass on one device and fail on another", ids.size()));
    }
    if (const auto other = kinds(summary.all); !other.empty()) lines.push_back("of the failures: " + other);
    const auto as_expected = std::ranges::count_if(summary.records, [](const Record& r) {
        return r.expected && r.status != Status::Pass && r.status != Status::Skip;
    });
    if (as_expected > 0) lines.push_back(fmt::format("{} failed as expected", as_expected));
    if (as_expected > 0 || summary.all.unexpected != summary.all.failed())
        lines.push_back(fmt::format("{} unexpected", summary.all.unexpected));
    lines.push_back(counts(summary.all));
    return lines;
}

}  // namespace tgsi2spv::difftest

#include "campaign/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tgsi2spv::difftest {

namespace {

void count(Totals& totals, const CaseResult& r) {
    totals.by_status[static_cast<size_t>(r.status)]++;
    totals.unexpected += !r.expected;
    totals.share.words += r.words;
    totals.share.unknown += r.unknown;
    totals.share.wide += r.wide;
    totals.vacuous += r.status == Status::Pass && r.unknown == r.words && r.reason != Reason::OnlyCompiled;
    totals.times += r.times;
}

std::string counts(const Totals& t) {
    return fmt::format("{} passed, {} failed, {} skipped", t.passed(), t.failed(), t.skipped());
}

/// Keeps a result with its evidence, if there is room. Unexpected ones take the places of expected ones.
void keep(std::vector<CaseResult>& failures, CaseResult r) {
    if (failures.size() < kFailuresKept) return failures.push_back(std::move(r));
    if (r.expected) return;
    const auto last = std::find_if(failures.rbegin(), failures.rend(), [](const CaseResult& f) { return f.expected; });
    if (last != failures.rend()) *last = std::move(r);
}

/// Returns the kinds of failures other than wrong answers: `2 crash, 1 timeout`.
std::string kinds(const Totals& t) {
    std::string all;
    for (const Status s : {Status::Crash, Status::Timeout, Status::DeviceLost, Status::Flake})
        if (t.of(s) > 0) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", t.of(s), name(s));
    return all;
}

constexpr size_t kMaxReasons = 40, kMaxOpcodes = 20;

std::string shares_of(const WorkTimes& t) {
    const auto share = [&](double ms) { return 100 * ms / t.all_ms(); };
    return fmt::format(
        "{:.1f} % of the time in the judge, {:.1f} % in the driver, {:.1f} % in the translator, {:.1f} % for making "
        "cases",
        share(t.judge_ms), share(t.driver_ms), share(t.translator_ms), share(t.maker_ms));
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

void add(Summary& s, CaseResult r) {
    const auto known = std::find(s.devices.begin(), s.devices.end(), r.device);
    const auto device = static_cast<uint32_t>(known - s.devices.begin());
    if (known == s.devices.end()) s.devices.push_back(r.device);
    count(s.all, r);
    count(s.by_device[r.device], r);
    if (!r.stage.empty()) count(s.by_stage[r.stage], r);
    for (const auto& op : r.opcodes) count(s.by_opcode[op], r);
    for (const auto& [op, words] : r.unknown_by) s.unknown_by[op] += words;
    if (r.status == Status::Skip) s.skip_reasons[r.message]++;
    s.skipped_by_baseline |= r.reason == Reason::Baseline;
    s.translated += r.translated;
    s.records.push_back(
        {r.id, device, r.status, r.reason, r.expected, static_cast<float>(r.times.all_ms()), r.message, r.expecting});
    if (is_notable(r.status, r.expected)) keep(s.failures, std::move(r));
}

bool compared_nothing(const Summary& s) {
    if (s.all.all() == 0 || s.all.failed() != 0 || s.skipped_by_baseline) return false;
    // A case that was only compiled passes without words.
    return s.all.passed() == 0 || (s.all.share.words != 0 && s.all.share.unknown == s.all.share.words);
}

void sort(Summary& s) {
    const auto before = [&](const Record& a, const Record& b) {
        return std::tie(a.id, s.devices[a.device]) < std::tie(b.id, s.devices[b.device]);
    };
    std::sort(s.records.begin(), s.records.end(), before);
    std::sort(s.failures.begin(), s.failures.end(), [](const CaseResult& a, const CaseResult& b) {
        return std::tie(a.id, a.device) < std::tie(b.id, b.device);
    });
}

std::vector<std::string> differing(const Summary& s) {
    struct Seen {
        bool passed = false, failed = false;
    };
    std::map<std::string_view, Seen> cases;
    for (const Record& r : s.records) {
        Seen& seen = cases[r.id];
        seen.passed |= r.status == Status::Pass;
        seen.failed |= is_failure(r.status);
    }
    std::vector<std::string> ids;
    for (const auto& [id, seen] : cases)
        if (seen.passed && seen.failed) ids.emplace_back(id);
    return ids;
}

std::vector<std::string> report_lines(const Summary& s, double seconds) {
    std::vector<std::string> lines;
    const auto reasons = most_first(s.skip_reasons);
    for (size_t i = 0; i < std::min(reasons.size(), kMaxReasons); i++)
        lines.push_back(fmt::format("skipped {:5}  {}", reasons[i].first, reasons[i].second));
    if (reasons.size() > kMaxReasons) lines.push_back(fmt::format("and {} more reasons", reasons.size() - kMaxReasons));
    if (s.translated > 0)
        lines.push_back(
            fmt::format("{} of the skipped cases were still translated, validated and judged", s.translated));
    const auto opcodes = most_first(s.unknown_by);
    for (size_t i = 0; i < std::min(opcodes.size(), kMaxOpcodes); i++)
        lines.push_back(fmt::format("unknown {:5} words due to {}", opcodes[i].first, opcodes[i].second));
    if (s.all.share.words > 0)
        lines.push_back(fmt::format("unknown {:.2f} % of {} output words; {:.2f} % have wide bounds",
                                    100 * s.all.share.ratio(), s.all.share.words, 100 * s.all.share.wide_ratio()));
    if (s.all.vacuous > 0) lines.push_back(fmt::format("{} passed but compared nothing", s.all.vacuous));
    if (s.all.times.all_ms() > 0) {
        std::string rate;
        if (seconds > 0) rate = fmt::format("{:.1f} cases per second: ", static_cast<double>(s.all.all()) / seconds);
        lines.push_back(rate + shares_of(s.all.times));
    }
    if (s.devices.size() > 1) {
        for (const auto& [device, totals] : s.by_device) {
            if (totals.times.all_ms() > 0)
                lines.push_back(fmt::format("{}: {:.1f} cases per second and worker; {}", device,
                                            1000 * static_cast<double>(totals.all()) / totals.times.all_ms(),
                                            shares_of(totals.times)));
        }
        for (const auto& [device, totals] : s.by_device) lines.push_back(fmt::format("{}: {}", device, counts(totals)));
        if (const auto ids = differing(s); !ids.empty())
            lines.push_back(fmt::format("{} cases pass on one device and fail on another", ids.size()));
    }
    if (const auto other = kinds(s.all); !other.empty()) lines.push_back("of the failures: " + other);
    const auto as_expected = std::ranges::count_if(
        s.records, [](const Record& r) { return r.expected && r.status != Status::Pass && r.status != Status::Skip; });
    if (as_expected > 0) lines.push_back(fmt::format("{} failed as expected", as_expected));
    if (as_expected > 0 || s.all.unexpected != s.all.failed())
        lines.push_back(fmt::format("{} unexpected", s.all.unexpected));
    lines.push_back(counts(s.all));
    return lines;
}

}  // namespace tgsi2spv::difftest

// The sums of a campaign, gathered result by result: the same whoever ran the cases, and in whatever order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "difftest/result.h"

namespace tgsi2spv::difftest {

/// Compared words and unknown ones among them.
struct Share {
    uint64_t words = 0, unknown = 0;
    double ratio() const { return words == 0 ? 0 : static_cast<double>(unknown) / static_cast<double>(words); }
};

/// Of a device, a stage, an opcode, or all. A case on a device is one result.
struct Totals {
    std::array<uint64_t, kStatuses> by_status{};
    uint64_t unexpected = 0;
    Share share;
    double judge_ms = 0, driver_ms = 0, translator_ms = 0;

    uint64_t of(Status s) const { return by_status[static_cast<size_t>(s)]; }
    uint64_t passed() const { return of(Status::Pass); }
    uint64_t skipped() const { return of(Status::Skip); }
    /// Crashes, timeouts, lost devices and flakes too.
    uint64_t failed() const { return all() - passed() - skipped(); }
    uint64_t all() const;
};

/// What is kept of every result.
struct Record {
    std::string id;
    uint32_t device = 0;  ///< in Summary::devices
    Status status{};
    bool expected = true;
    float ms = 0;
    std::string message;
};

struct Summary {
    Totals all;
    std::vector<std::string> devices;  ///< as they came
    std::map<std::string, Totals> by_device, by_stage, by_opcode;
    std::map<std::string, uint64_t> skip_reasons;
    std::map<std::string, uint64_t> unknown_by;  ///< words by the opcode that could not tell them
    uint64_t apart = 0;                          ///< of the skipped: translated, validated and judged
    std::vector<Record> records;
    std::vector<CaseResult> failures;  ///< the first ones, whole, with their evidence
};
inline constexpr size_t kFailuresKept = 200;

void add(Summary& summary, CaseResult result);

/// Puts records and failures into the order of ids, then devices.
void sort(Summary& summary);

/// Cases that passed on one device and failed on another: ids, sorted.
std::vector<std::string> differing(const Summary& summary);

/// Skip reasons, the unknown share, by opcode where it matters, time by part, a line a device, and last
/// `N passed, N failed, N skipped`. `seconds`: of wall time, 0 where nobody measured.
std::vector<std::string> report_lines(const Summary& summary, double seconds);

}  // namespace tgsi2spv::difftest

// The totals of a campaign, added up result by result. They do not depend on who ran the cases, nor on the order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "campaign/environment.h"
#include "cases/result.h"

namespace tgsi2spv::difftest {

/// The number of compared words, of the unknown ones among them, and of those whose bounds say little.
struct Share {
    uint64_t words = 0, unknown = 0, wide = 0;
    double ratio() const { return of_words(unknown); }
    double wide_ratio() const { return of_words(wide); }

  private:
    double of_words(uint64_t n) const { return words == 0 ? 0 : static_cast<double>(n) / static_cast<double>(words); }
};

/// Totals of a device, a stage, an opcode, or everything. A case on one device is one result.
struct Totals {
    std::array<uint64_t, kStatuses> by_status{};
    uint64_t unexpected = 0;
    uint64_t vacuous = 0;  ///< passed, but no word was compared with a bound
    Share share;
    WorkTimes times;

    uint64_t of(Status s) const { return by_status[static_cast<size_t>(s)]; }
    uint64_t passed() const { return of(Status::Pass); }
    uint64_t skipped() const { return of(Status::Skip); }
    /// Includes crashes, timeouts, lost devices and flakes.
    uint64_t failed() const { return all() - passed() - skipped(); }
    uint64_t all() const;
};

/// The part of every result that is kept.
struct Record {
    std::string id;
    uint32_t device = 0;  ///< index in Summary::devices
    Status status{};
    Reason reason{};
    bool expected = true;
    float ms = 0;
    std::string message;
    std::string expecting;  ///< the reason in the baseline
};

struct Summary {
    Totals all;
    std::vector<std::string> devices;  ///< devices in the order of their first results
    std::map<std::string, Totals> by_device, by_stage, by_opcode;
    std::map<std::string, uint64_t> skip_reasons;
    std::map<std::string, uint64_t> unknown_by;  ///< unknown words by the opcode that could not determine them
    bool skipped_by_baseline = false;            ///< some result was
    uint64_t translated = 0;                     ///< skipped results that were translated, validated and judged
    std::vector<Record> records;
    /// Some of the failures, flakes and unexpected passes or skips, complete with evidence: the first ones that are
    /// unexpected, then the first others.
    std::vector<CaseResult> failures;
    std::vector<Environment> runs;  ///< the runs of the results
};
inline constexpr size_t kFailuresKept = 200;
/// Whether a result belongs in the list of failures: a failure, a flake, or an unexpected pass or skip.
bool is_notable(Status status, bool expected);

void add(Summary& summary, CaseResult result);

/// Whether there are results, but none of a word that was compared: every case was skipped, or the reference knows none
/// of the words. Cases that a baseline skips are meant to be skipped.
bool compared_nothing(const Summary& summary);

/// Sorts records and failures by id, then by device.
void sort(Summary& summary);

/// Returns the sorted ids of cases that passed on one device and failed on another.
std::vector<std::string> differing(const Summary& summary);

/// Returns skip reasons, the shares of unknown and of wide words (with the opcodes that caused most unknown ones), how
/// many cases passed although they compared nothing, the time by component, a line per device, and last `N passed, N
/// failed, N skipped`. `seconds`: wall time; 0 if not measured.
std::vector<std::string> report_lines(const Summary& summary, double seconds);

}  // namespace tgsi2spv::difftest

// Results on disk: a line of JSON for each, written as they arrive. The first line of a file describes the run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include <tl/expected.hpp>

#include "campaign/environment.h"
#include "cases/result.h"

namespace tgsi2spv::difftest {

/// The run: the settings on which the meaning of results depends, and the part that the file is to hold.
struct RunHeader {
    uint64_t seed = 1;
    std::string dialect;
    bool compile_only = false, validation = false;
    uint32_t shard = 0, shards = 1;
    uint64_t results = 0;             ///< number of all cases on all devices; 0: not known (older files do not say)
    std::string list{};               ///< hash of the names of these results (case_hash.h); empty: not known
    std::vector<Environment> runs{};  ///< the runs of the results, in order; empty in older files
    bool operator==(const RunHeader&) const = default;
};
/// Why a file cannot be resumed with, or merged with results of, these settings, which `others` have; empty if it can.
/// The part and the runs do not matter.
std::string difference_of(const RunHeader& file, const RunHeader& settings, std::string_view others);

/// Results in the order of their first lines, each case and device once.
struct ResultSet {
    std::vector<CaseResult> results;
    std::map<std::pair<std::string, std::string>, size_t> places;  ///< index of the result of an id on a device
};
/// Adds a result. If there is one of the same case and device, the later line counts: it may have a reduced case, or
/// the answer that an earlier run had no memory for.
void put(ResultSet& set, CaseResult result);
/// The joined result of two runs of one case, in either order: a case that failed in one and passed in the other is a
/// flake; a skip says less than any other result; otherwise the worse one counts, of equals the unexpected or the
/// reduced one.
CaseResult together(CaseResult a, CaseResult b);

/// Appends to a file. Every line is complete and passed to the system before the call returns, so that a killed process
/// loses no finished results. Functions return the error, or an empty string.
class ResultsWriter {
  public:
    ResultsWriter() = default;
    ResultsWriter(const ResultsWriter&) = delete;
    ResultsWriter& operator=(const ResultsWriter&) = delete;
    ~ResultsWriter();
    /// Opens the file, or creates an empty one, and keeps other writers out of it. Read earlier results after this:
    /// the file is locked.
    std::string open(const std::string& path);
    bool is_open() const { return file_ >= 0; }
    // Then one of these:
    /// Empties the file and writes the header.
    std::string start(const RunHeader& header);
    /// Replaces the file, at once or not at all, by one with this header and these results.
    std::string start_with(const RunHeader& header, const std::vector<CaseResult>& results);
    std::string write(const CaseResult& result);

  private:
    int file_ = -1;
    bool is_regular_ = false;  ///< /dev/null takes the output of many writers, and has no size
    std::string path_;
    std::string append(std::string_view text);
    std::string cut(off_t size);
};

/// Reads every complete line and ignores an incomplete last one. The error names the file and the line.
tl::expected<RunHeader, std::string> read_results(const std::string& path, const std::function<void(CaseResult)>& each);

}  // namespace tgsi2spv::difftest

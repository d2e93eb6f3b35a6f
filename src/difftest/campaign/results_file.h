// Results on disk: a line of JSON each, as they come. The first line of a file says what was run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "difftest/result.h"

namespace tgsi2spv::difftest {

/// What a result means depends on this; a campaign that is resumed or merged has one of it.
struct RunHeader {
    uint64_t seed = 1;
    std::string dialect;
    bool compile_only = false, validation = false;
    bool operator==(const RunHeader&) const = default;
};
/// Said of a file whose header is another one.
inline constexpr std::string_view kAnotherRun =
    " was made with another --seed, --dialect, --entry, --one-level-offsets, --strict, --compile-only or --validation";

/// Appends to a file; every line is whole and handed to the system before the next call, so that a killed process
/// loses nothing that was done.
class ResultsWriter {
  public:
    ResultsWriter() = default;
    ResultsWriter(const ResultsWriter&) = delete;
    ResultsWriter& operator=(const ResultsWriter&) = delete;
    ~ResultsWriter();
    /// `fresh`: empties the file and writes the header; else what an interrupted write left behind the last whole
    /// line is cut off. The reason, or an empty string.
    std::string open(const std::string& path, bool fresh, const RunHeader& header);
    bool is_open() const { return file_ >= 0; }
    std::string write(const CaseResult& result);

  private:
    int file_ = -1;
    std::string path_;
    std::string append(std::string_view text);
};

/// Reads every whole line. The error names file and line; a last line that is cut off is none.
tl::expected<RunHeader, std::string> read_results(const std::string& path, const std::function<void(CaseResult)>& each);

}  // namespace tgsi2spv::difftest

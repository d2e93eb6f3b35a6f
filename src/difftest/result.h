// What became of one case on one device, as plain data and as a line of JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

enum class Status : uint8_t {
    Pass,
    Fail,        ///< an answer outside what Vulkan permits, or a message of the validation layer
    Skip,        ///< not run, with the reason
    Crash,       ///< the driver (or we) took the process down
    Timeout,     ///< no answer in time; the process was killed
    DeviceLost,  ///< VK_ERROR_DEVICE_LOST, or another failed call
    Flake,       ///< failed, and passed when it was repeated
};
inline constexpr int kStatuses = 7;
/// "pass", "fail", "skip", "crash", "timeout", "device-lost", "flake"
std::string_view name(Status status);
/// Fail, Crash, Timeout, DeviceLost
bool is_failure(Status status);

/// A picture as it stands in a page: a PNG in base64.
struct EvidencePicture {
    std::string name;  ///< "OUT[0] expected"
    std::string png;
    bool operator==(const EvidencePicture&) const = default;
};

/// What a failure is shown and repeated with. Empty where the case did not fail.
struct Evidence {
    std::string shader;    ///< TGSI; empty for texture messages that no opcode makes
    std::string inputs;    ///< tgsi-run's JSON
    std::string spirv;     ///< disassembled
    std::string expected;  ///< tgsi-run's JSON with bounds
    std::string got;       ///< tgsi-run's JSON
    std::string reduced;   ///< a self-contained case file, smaller
    std::vector<EvidencePicture> pictures;
    bool operator==(const Evidence&) const = default;
};

struct CaseResult {
    std::string id;      ///< cases.h
    std::string device;  ///< as the driver names it
    Status status = Status::Skip;
    std::string message;               ///< one line: the skip's reason, the first wrong word, the signal
    std::vector<std::string> details;  ///< more wrong words, what the process said last
    std::string stage;                 ///< "FRAG"; empty where nothing was parsed
    std::vector<std::string> opcodes;  ///< sorted, each once
    uint64_t words = 0;                ///< held against bounds, unknown ones included
    uint64_t unknown = 0;              ///< of these, permitted to be anything
    uint64_t wrong = 0;
    std::vector<std::pair<std::string, uint64_t>> unknown_by;  ///< unknown words by the opcode that could not tell
    double judge_ms = 0, driver_ms = 0, translator_ms = 0;
    bool apart = false;     ///< of a skip: translated, validated and judged all the same
    bool expected = true;   ///< the baseline says so, or it passed, or it was skipped
    std::string expecting;  ///< the baseline's reason, where a line of it named the case
    Evidence evidence;
    bool operator==(const CaseResult&) const = default;
};

/// One line without its end; every string is valid UTF-8 there.
std::string write_result_line(const CaseResult& result);
/// The error is one sentence. Lines of other kinds (the header of a campaign) are errors as well.
tl::expected<CaseResult, std::string> read_result_line(std::string_view line);

}  // namespace tgsi2spv::difftest

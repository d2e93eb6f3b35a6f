// The result of one case on one device, as plain data and as a line of JSON.
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
    Fail,        ///< an answer that Vulkan does not permit, or a message of the validation layer
    Skip,        ///< the case did not run; the message has the reason
    Crash,       ///< the driver (or our own code) ended the process
    Timeout,     ///< no answer in time; the process was killed
    DeviceLost,  ///< VK_ERROR_DEVICE_LOST, or waiting for the device failed
    Flake,       ///< failed, but passed when repeated
};
inline constexpr int kStatuses = 7;
/// Returns "pass", "fail", "skip", "crash", "timeout", "device-lost" or "flake".
std::string_view name(Status status);
/// Whether the status is Fail, Crash, Timeout or DeviceLost.
bool is_failure(Status status);

/// Why a case was not run or compared, where the campaign's next step depends on it. The message is for people.
enum class Reason : uint8_t {
    None,            ///< any other, or none
    Memory,          ///< Skip: the device or the host ran out of memory
    CompilerMemory,  ///< Skip: the driver's compiler ran out of memory, or reports another failure so
    Baseline,        ///< Skip: the baseline says so
    OnlyCompiled,    ///< Pass: nothing was to be compared
};

/// A picture as an HTML page embeds it: a PNG in base64.
struct EvidencePicture {
    std::string name;  ///< "OUT[0] expected"
    std::string png;
    bool operator==(const EvidencePicture&) const = default;
};

/// The data needed to show and repeat a failure. Empty if the case did not fail.
struct Evidence {
    std::string shader;    ///< TGSI; empty for texture messages that no opcode expresses
    std::string inputs;    ///< tgsi-run's JSON
    std::string spirv;     ///< disassembled
    std::string expected;  ///< tgsi-run's JSON with bounds
    std::string got;       ///< tgsi-run's JSON
    std::string reduced;   ///< a smaller, self-contained case file
    std::vector<EvidencePicture> pictures;
    bool operator==(const Evidence&) const = default;
};

/// A worker's time by component, in milliseconds. Starting it, and its drivers, is not in it.
struct WorkTimes {
    double judge_ms = 0, driver_ms = 0, translator_ms = 0;
    double maker_ms = 0;  ///< making the text and the inputs; once per case: 0 in the results of further devices

    double all_ms() const { return judge_ms + driver_ms + translator_ms + maker_ms; }
    WorkTimes& operator+=(const WorkTimes& other) {
        judge_ms += other.judge_ms;
        driver_ms += other.driver_ms;
        translator_ms += other.translator_ms;
        maker_ms += other.maker_ms;
        return *this;
    }
    bool operator==(const WorkTimes&) const = default;
};

/// One of several tries of a case.
struct Attempt {
    Status status{};
    std::string message;
    bool operator==(const Attempt&) const = default;
};

struct CaseResult {
    std::string id;      ///< cases.h
    std::string device;  ///< the driver's name for it
    std::string driver;  ///< its name and version; empty in older files
    std::string hash;    ///< hash of the case and the driver (campaign/case_hash.h); empty in older files
    Status status = Status::Skip;
    Reason reason{};
    std::string message;               ///< one line: the reason for a skip, the first wrong word, the signal
    std::vector<std::string> details;  ///< more wrong words, the last output of the process
    std::string stage;                 ///< "FRAG"; empty if nothing was parsed
    std::vector<std::string> opcodes;  ///< sorted, without duplicates
    uint64_t words = 0;                ///< compared with bounds, including unknown ones
    uint64_t unknown = 0;              ///< words that may be anything; among `words`
    uint64_t wide = 0;                 ///< words that are known, but is_wide() (compare.h)
    uint64_t wrong = 0;
    std::vector<std::pair<std::string, uint64_t>> unknown_by;  ///< unknown words by the opcode that could not determine
                                                               ///< them
    /// RunSettings::statistics: of the shader's machine code, by the driver's names, and "creation_ms" of its pipeline.
    std::vector<std::pair<std::string, double>> statistics;
    WorkTimes times;
    bool translated = false;        ///< a skip that was nevertheless translated, validated and judged
    bool expected = true;           ///< the baseline lists the status, or the case passed or was skipped
    std::string expecting;          ///< the reason in the baseline, if a line of it matches the case
    std::vector<Attempt> attempts;  ///< each attempt in order, if the case was tried more than once
    Evidence evidence;
    bool operator==(const CaseResult&) const = default;
};

/// Adds the result of one more try, which replaces the earlier one, to the attempts.
void add_attempts(CaseResult& result, const CaseResult& earlier);
/// For a flake: the last attempt that failed, as a result; otherwise the result itself.
CaseResult failed_attempt(CaseResult result);

/// Whether it is a skip because memory was short.
bool lacks_memory(const CaseResult& result);

/// Returns one line without its newline, with all strings as valid UTF-8.
std::string write_result_line(const CaseResult& result);
/// Reads a result. The error is one sentence. Lines of other kinds (the header of a campaign) are errors too.
tl::expected<CaseResult, std::string> read_result_line(std::string_view line);

}  // namespace tgsi2spv::difftest

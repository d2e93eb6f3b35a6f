// What the campaign and its workers say to each other: a line of JSON each way. Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "difftest/cases.h"
#include "difftest/judge.h"
#include "difftest/result.h"

namespace tgsi2spv::difftest {

/// First line to a worker.
struct WorkerSettings {
    std::vector<std::string> devices;
    bool validation = false;
    bool compile_only = false;  ///< devices without hardware: pipelines are made, nothing runs
    JudgeOptions judging;
};

/// One case for a worker.
struct WorkerJob {
    uint64_t key = 0;  ///< the campaign's own number
    CaseSpec spec;
    uint64_t devices = ~uint64_t{0};  ///< bit i: judge it on device i
    uint32_t attempt = 0;
    bool describe = false;  ///< make the case, say what it is, and run nothing
    bool evidence = true;   ///< of a case that never comes back: ask what it was (the pool's own, not sent)
};

/// What a worker says.
struct WorkerMessage {
    enum class Kind : uint8_t {
        Ready,   ///< first line: `names` of the devices
        Error,   ///< instead: `text` says why there are none
        Begin,   ///< `key` on `device` starts now
        Result,  ///< of what began last, or of a description
    } kind{};
    uint64_t key = 0;
    uint32_t device = 0;
    std::vector<std::string> names;
    std::string text;
    CaseResult result;
};

std::string write(const WorkerSettings& settings);
std::string write(const WorkerJob& job);
std::string write(const WorkerMessage& message);
/// Nothing where the line is none of ours.
std::optional<WorkerSettings> read_settings(std::string_view line);
std::optional<WorkerJob> read_job(std::string_view line);
std::optional<WorkerMessage> read_message(std::string_view line);

}  // namespace tgsi2spv::difftest

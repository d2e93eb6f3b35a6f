// The protocol between the campaign and its workers: lines of JSON in each direction. Internal to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cases/cases.h"
#include "cases/judge.h"
#include "cases/result.h"

namespace tgsi2spv::difftest {

/// The first line to a worker.
struct WorkerSettings {
    std::vector<std::string> devices;
    bool validation = false;
    bool compile_only = false;  ///< devices without hardware: pipelines are created, but nothing runs
    RunSettings judging;
};

/// One case for a worker.
struct WorkerJob {
    uint64_t key = 0;  ///< the campaign's number of the case
    CaseSpec spec;
    uint64_t devices = ~uint64_t{0};  ///< bit i: run it on device i
    uint32_t attempt = 0;
    bool describe = false;  ///< make the case and describe it, but run nothing
    uint64_t again = 0;     ///< bit i: this is the second try of device i (used by the pool, not sent)
    bool evidence = true;   ///< ask for a description of the case if it never returns (used by the pool, not sent)
};

/// A message from a worker.
struct WorkerMessage {
    enum class Kind : uint8_t {
        Ready,   ///< first line: `names` has the devices, `drivers` their drivers, `vulkan` their versions of Vulkan
        Error,   ///< sent instead of Ready: `text` says why there are none; or before an end, of a line that is not a
                 ///< job
        Begin,   ///< `key` on `device` starts now
        Turn,    ///< the driver works on the case that began last from here on, or no longer, as `driver` says
        Note,    ///< `text` is to be reported about `device`; nothing else depends on it
        Result,  ///< the result of the case that began last, or a description
    } kind{};
    uint64_t key = 0;
    uint32_t device = 0;
    bool driver = false;
    bool validates = true;  ///< Ready: if the settings ask for validation, the layer is there
    std::vector<std::string> names;
    std::vector<std::string> drivers;  ///< Ready: name and version of each device's driver
    std::vector<std::string> vulkan;   ///< Ready: "1.3.255"
    std::string text;
    CaseResult result;
};

std::string write(const WorkerSettings& settings);
std::string write(const WorkerJob& job);
std::string write(const WorkerMessage& message);
/// These return nothing if the line is not of their kind.
std::optional<WorkerSettings> read_settings(std::string_view line);
std::optional<WorkerJob> read_job(std::string_view line);
std::optional<WorkerMessage> read_message(std::string_view line);

}  // namespace tgsi2spv::difftest

// Workers that are shell scripts. They do not use Vulkan.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "campaign/pool.h"

namespace tgsi2spv::difftest::test {

inline constexpr const char* kHead = R"(
n=1; until mkdir start-$n 2>/dev/null; do n=$((n + 1)); done
device=0
ready() { printf '%s\n' "{\"ready\": [${1:-\"pipe\"}]}"; }
error() { printf '%s\n' "{\"error\": \"$1\"}"; exit 2; }
begin() { # the driver works on the case
    printf '%s\n' "{\"begin\": $key, \"device\": $device}" "{\"turn\": $key, \"device\": $device, \"driver\": true}"
}
result() {
    inner='{\"case\": \"x\", \"device\": \"pipe\", \"status\": \"'$1'\"'$2'}'
    printf '%s\n' "{\"key\": $key, \"device\": $device, \"result\": \"$inner\"}"
}
read -r settings
printf '%s\n' "$settings" > start-$n/settings
)";
inline constexpr const char* kKey = R"(
key=${line#*'"key":'}; key=${key%%[!0-9]*}
attempt=${line#*'"attempt":'}; attempt=${attempt%%[!0-9]*}
)";

/// Uses shell scripts as workers: their actions at start and for each job depends on `$n`, the number of workers
/// started so far.
class ScriptedWorkers : public testing::Test {
  protected:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("tgsi2spv-pool-" + std::to_string(getpid()));
    ScriptedWorkers() { std::filesystem::create_directories(folder_); }
    ~ScriptedWorkers() override { std::filesystem::remove_all(folder_); }

    /// `start` runs at the beginning, `job` for each line, with the job's number in `$key` and the device in `$device`.
    PoolOptions options(const std::string& start, const std::string& job) const {
        const auto script = folder_ / "worker";
        std::ofstream(script) << "cd " << folder_.string() << kHead << start << "\nwhile read -r line; do" << kKey
                              << job << "\ndone\n";
        PoolOptions o;
        o.command = {"/bin/sh", script.string()};
        o.retry_s = 0.01;
        return o;
    }
    size_t started() const {
        size_t count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) count += entry.is_directory();
        return count;
    }
    /// Returns the settings that a worker was given, as JSON.
    std::string settings(size_t start) const {
        std::ifstream file(folder_ / ("start-" + std::to_string(start)) / "settings");
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

}  // namespace tgsi2spv::difftest::test

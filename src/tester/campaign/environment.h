// Place, time, tool and devices of a run, so that its results can be attributed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/json.h"

namespace tgsi2spv::difftest {

struct Environment {
    using Facts = std::vector<std::pair<std::string, std::string>>;
    Facts run;                   ///< tool, build, host, date, command, seed
    std::vector<Facts> devices;  ///< facts of each: device (its name), driver, vulkan (the version)
    bool operator==(const Environment&) const = default;
};

/// The environment of this process, which was started with this command line, without devices.
Environment this_environment(std::string_view command, uint64_t seed);
void add_device(Environment& environment, std::string_view name, std::string_view driver, std::string_view vulkan);

Json to_json(const Environment& environment);
/// Reads the output of to_json(). Members that are not text are left out.
Environment read_environment(const Json& json);

}  // namespace tgsi2spv::difftest

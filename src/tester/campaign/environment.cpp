#include "campaign/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "tgsi2spv/tgsi2spv.h"
#include "tgsi2spv_source_id.h"

namespace tgsi2spv::difftest {

namespace {

std::string host_name() {
    char name[HOST_NAME_MAX + 1] = {};
    return gethostname(name, HOST_NAME_MAX) == 0 ? name : "";
}

std::string now() {
    const std::time_t time = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[sizeof "2026-01-01T00:00:00Z"] = {};
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

Environment::Facts facts_of(const Json& json) {
    Environment::Facts facts;
    for (const auto& [name, value] : json.items())
        if (value.is_string()) facts.emplace_back(name, value.get<std::string>());
    return facts;
}

Json json_of(const Environment::Facts& facts) {
    Json json = Json::object();
    for (const auto& [name, value] : facts) json[name] = value;
    return json;
}

}  // namespace

Environment this_environment(std::string_view command, uint64_t seed) {
    const std::string_view version = tgsi2spv_version_string();  // NUMBER+SOURCES
    const size_t plus = version.find('+');
    return {{{"tool", fmt::format("tgsi-difftest {}", version.substr(0, plus))},
             {"build", fmt::format("translator {}, judge {}", version.substr(plus + 1), TGSI2SPV_SOURCE_ID)},
             {"host", host_name()},
             {"date", now()},
             {"command", std::string(command)},
             {"seed", std::to_string(seed)}},
            {}};
}

void add_device(Environment& environment, std::string_view name, std::string_view driver, std::string_view vulkan) {
    environment.devices.push_back(
        {{"device", std::string(name)}, {"driver", std::string(driver)}, {"vulkan", std::string(vulkan)}});
}

Json to_json(const Environment& environment) {
    Json json = json_of(environment.run);
    json["devices"] = Json::array();
    for (const auto& device : environment.devices) json["devices"].push_back(json_of(device));
    return json;
}

Environment read_environment(const Json& json) {
    if (!json.is_object()) return {};
    Environment environment{facts_of(json), {}};
    if (json.contains("devices") && json["devices"].is_array())
        for (const Json& device : json["devices"])
            if (device.is_object() && device.contains("device")) environment.devices.push_back(facts_of(device));
    return environment;
}

}  // namespace tgsi2spv::difftest

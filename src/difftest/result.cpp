#include "difftest/result.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tgsi2spv::difftest {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kNames[kStatuses] = {"pass", "fail", "skip", "crash", "timeout", "device-lost", "flake"};

struct Text {
    const char* key;
    std::string Evidence::*field;
};
constexpr Text kTexts[] = {
    {"shader", &Evidence::shader},     {"inputs", &Evidence::inputs}, {"spirv", &Evidence::spirv},
    {"expected", &Evidence::expected}, {"got", &Evidence::got},       {"reduced", &Evidence::reduced},
};

double rounded(double ms) {
    return std::round(ms * 1000) / 1000;
}

Json write_evidence(const Evidence& e) {
    Json j = Json::object();
    for (const Text& t : kTexts)
        if (!(e.*t.field).empty()) j[t.key] = e.*t.field;
    for (const auto& p : e.pictures) j["pictures"].push_back({{"name", p.name}, {"png", p.png}});
    return j;
}

std::string text(const Json& j, const char* key) {
    const auto at = j.find(key);
    return at != j.end() && at->is_string() ? at->get<std::string>() : std::string();
}
std::vector<std::string> texts(const Json& j, const char* key) {
    std::vector<std::string> all;
    const auto at = j.find(key);
    if (at == j.end() || !at->is_array()) return all;
    for (const auto& item : *at)
        if (item.is_string()) all.push_back(item.get<std::string>());
    return all;
}
uint64_t number(const Json& j, const char* key) {
    const auto at = j.find(key);
    return at != j.end() && at->is_number_unsigned() ? at->get<uint64_t>() : 0;
}
double milliseconds(const Json& j, const char* key) {
    const auto at = j.find(key);
    return at != j.end() && at->is_number() ? at->get<double>() : 0;
}
bool flag(const Json& j, const char* key, bool otherwise) {
    const auto at = j.find(key);
    return at != j.end() && at->is_boolean() ? at->get<bool>() : otherwise;
}

Evidence read_evidence(const Json& j) {
    Evidence e;
    if (!j.is_object()) return e;
    for (const Text& t : kTexts) e.*t.field = text(j, t.key);
    if (const auto pictures = j.find("pictures"); pictures != j.end() && pictures->is_array())
        for (const auto& p : *pictures)
            if (p.is_object()) e.pictures.push_back({text(p, "name"), text(p, "png")});
    return e;
}

}  // namespace

std::string_view name(Status status) {
    return kNames[static_cast<size_t>(status)];
}

bool is_failure(Status status) {
    return status == Status::Fail || status == Status::Crash || status == Status::Timeout ||
           status == Status::DeviceLost;
}

std::string write_result_line(const CaseResult& r) {
    Json j;
    j["case"] = r.id;
    j["device"] = r.device;
    j["status"] = name(r.status);
    if (!r.expected) j["unexpected"] = true;
    if (!r.message.empty()) j["message"] = r.message;
    if (!r.details.empty()) j["details"] = r.details;
    if (!r.expecting.empty()) j["baseline"] = r.expecting;
    if (!r.stage.empty()) j["stage"] = r.stage;
    if (!r.opcodes.empty()) j["opcodes"] = r.opcodes;
    if (r.words > 0) j["words"] = r.words;
    if (r.unknown > 0) j["unknown"] = r.unknown;
    for (const auto& [opcode, words] : r.unknown_by) j["unknown_by"][opcode] = words;
    if (r.wrong > 0) j["wrong"] = r.wrong;
    if (r.apart) j["translated"] = true;
    j["judge_ms"] = rounded(r.judge_ms);
    j["driver_ms"] = rounded(r.driver_ms);
    j["translator_ms"] = rounded(r.translator_ms);
    if (!(r.evidence == Evidence{})) j["evidence"] = write_evidence(r.evidence);
    return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

tl::expected<CaseResult, std::string> read_result_line(std::string_view line) {
    const Json j = Json::parse(line, nullptr, false);
    if (j.is_discarded() || !j.is_object()) return tl::unexpected<std::string>("no JSON object");
    CaseResult r;
    r.id = text(j, "case");
    r.device = text(j, "device");
    const std::string status = text(j, "status");
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), status);
    if (r.id.empty() || found == std::end(kNames)) return tl::unexpected<std::string>("no result of a case");
    r.status = static_cast<Status>(found - std::begin(kNames));
    r.expected = !flag(j, "unexpected", false);
    r.message = text(j, "message");
    r.details = texts(j, "details");
    r.expecting = text(j, "baseline");
    r.stage = text(j, "stage");
    r.opcodes = texts(j, "opcodes");
    r.words = number(j, "words");
    r.unknown = number(j, "unknown");
    r.wrong = number(j, "wrong");
    if (const auto by = j.find("unknown_by"); by != j.end() && by->is_object())
        for (const auto& [opcode, words] : by->items())
            if (words.is_number_unsigned()) r.unknown_by.emplace_back(opcode, words.get<uint64_t>());
    r.apart = flag(j, "translated", false);
    r.judge_ms = milliseconds(j, "judge_ms");
    r.driver_ms = milliseconds(j, "driver_ms");
    r.translator_ms = milliseconds(j, "translator_ms");
    if (const auto e = j.find("evidence"); e != j.end()) r.evidence = read_evidence(*e);
    return r;
}

}  // namespace tgsi2spv::difftest

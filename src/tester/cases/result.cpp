#include "cases/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "inputs/json.h"

namespace tgsi2spv::difftest {

namespace {

constexpr std::string_view kNames[kStatuses] = {"pass", "fail", "skip", "crash", "timeout", "device-lost", "flake"};
constexpr std::string_view kReasonNames[] = {"", "memory", "compiler-memory", "baseline", "only-compiled"};

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

Json write_evidence(const Evidence& evidence) {
    Json j = Json::object();
    for (const Text& t : kTexts)
        if (!(evidence.*t.field).empty()) j[t.key] = evidence.*t.field;
    for (const auto& p : evidence.pictures) j["pictures"].push_back({{"name", p.name}, {"png", p.png}});
    return j;
}

bool read_status(std::string_view text, Status& status) {
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), text);
    if (found == std::end(kNames)) return false;
    status = static_cast<Status>(found - std::begin(kNames));
    return true;
}

/// Reads members of a line's object. A member must have its type, since invalid numbers would otherwise count as 0.
/// Absent members leave their fields unchanged.
struct Members {
    std::string wrong;  ///< the error of the first invalid member

    void expect(bool right, std::string_view key, std::string_view kind) {
        if (!right && wrong.empty()) wrong = fmt::format("{}: expected a {}", key, kind);
    }
    template <class Take>
    void take(const Json& j, const char* key, bool (Json::*is_kind)() const noexcept, std::string_view kind,
              const Take& take_it) {
        const auto at = j.find(key);
        if (at == j.end()) return;
        const bool right = ((*at).*is_kind)();
        expect(right, key, kind);
        if (right) take_it(*at);
    }
    void text(const Json& j, const char* key, std::string& out) {
        take(j, key, &Json::is_string, "string", [&](const Json& v) { out = v.get<std::string>(); });
    }
    void texts(const Json& j, const char* key, std::vector<std::string>& out) {
        take(j, key, &Json::is_array, "list of strings", [&](const Json& v) {
            for (const auto& item : v) {
                expect(item.is_string(), key, "list of strings");
                if (item.is_string()) out.push_back(item.get<std::string>());
            }
        });
    }
    void number(const Json& j, const char* key, uint64_t& out) {
        take(j, key, &Json::is_number_unsigned, "number of words", [&](const Json& v) { out = v.get<uint64_t>(); });
    }
    void milliseconds(const Json& j, const char* key, double& out) {
        take(j, key, &Json::is_number, "time", [&](const Json& v) { out = v.get<double>(); });
        expect(out >= 0, key, "time");
    }
    void flag(const Json& j, const char* key, bool& out) {
        take(j, key, &Json::is_boolean, "boolean", [&](const Json& v) { out = v.get<bool>(); });
    }
    void attempt(const Json& j, std::vector<Attempt>& all) {
        std::string status;
        Attempt& one = all.emplace_back();
        if (j.is_object()) {
            text(j, "status", status);
            text(j, "message", one.message);
        }
        expect(read_status(status, one.status), "attempts", "list of attempts");
    }
    void evidence(const Json& j, Evidence& e) {
        for (const Text& t : kTexts) text(j, t.key, e.*t.field);
        take(j, "pictures", &Json::is_array, "list of pictures", [&](const Json& pictures) {
            for (const auto& p : pictures) {
                expect(p.is_object(), "pictures", "list of pictures");
                if (!p.is_object()) continue;
                EvidencePicture& picture = e.pictures.emplace_back();
                text(p, "name", picture.name);
                text(p, "png", picture.png);
            }
        });
    }
};

}  // namespace

std::string_view name(Status status) {
    return kNames[static_cast<size_t>(status)];
}

bool is_failure(Status status) {
    return status == Status::Fail || status == Status::Crash || status == Status::Timeout ||
           status == Status::DeviceLost;
}

void add_attempts(CaseResult& result, const CaseResult& earlier) {
    const auto of = [](const CaseResult& r) {
        return r.attempts.empty() ? std::vector<Attempt>{{r.status, r.message}} : r.attempts;
    };
    auto all = of(earlier);
    for (Attempt& last : of(result)) all.push_back(std::move(last));
    result.attempts = std::move(all);
}

CaseResult failed_attempt(CaseResult result) {
    const auto failed = std::find_if(result.attempts.rbegin(), result.attempts.rend(),
                                     [](const Attempt& a) { return is_failure(a.status); });
    if (result.status != Status::Flake || failed == result.attempts.rend()) return result;
    result.status = failed->status;
    result.message = failed->message;
    return result;
}

bool lacks_memory(const CaseResult& result) {
    return result.status == Status::Skip &&
           (result.reason == Reason::Memory || result.reason == Reason::CompilerMemory);
}

std::string write_result_line(const CaseResult& result) {
    Json j;
    j["case"] = result.id;
    j["device"] = result.device;
    if (!result.driver.empty()) j["driver"] = result.driver;
    j["status"] = name(result.status);
    if (!result.hash.empty()) j["hash"] = result.hash;
    if (!result.expected) j["unexpected"] = true;
    if (result.reason != Reason::None) j["reason"] = kReasonNames[static_cast<size_t>(result.reason)];
    if (!result.message.empty()) j["message"] = result.message;
    if (!result.details.empty()) j["details"] = result.details;
    if (!result.expecting.empty()) j["baseline"] = result.expecting;
    for (const Attempt& a : result.attempts)
        j["attempts"].push_back({{"status", name(a.status)}, {"message", a.message}});
    if (!result.stage.empty()) j["stage"] = result.stage;
    if (!result.opcodes.empty()) j["opcodes"] = result.opcodes;
    if (result.words > 0) j["words"] = result.words;
    if (result.unknown > 0) j["unknown"] = result.unknown;
    for (const auto& [opcode, words] : result.unknown_by) j["unknown_by"][opcode] = words;
    if (result.wide > 0) j["wide"] = result.wide;
    if (result.wrong > 0) j["wrong"] = result.wrong;
    for (const auto& [name, value] : result.statistics) j["statistics"][name] = value;
    if (result.translated) j["translated"] = true;
    j["judge_ms"] = rounded(result.times.judge_ms);
    j["driver_ms"] = rounded(result.times.driver_ms);
    j["translator_ms"] = rounded(result.times.translator_ms);
    if (result.times.maker_ms > 0) j["maker_ms"] = rounded(result.times.maker_ms);
    if (!(result.evidence == Evidence{})) j["evidence"] = write_evidence(result.evidence);
    return json_line(j);
}

tl::expected<CaseResult, std::string> read_result_line(std::string_view line) {
    const auto json = read_object(line);
    if (!json) return tl::unexpected<std::string>("not a JSON object");
    const Json& j = *json;
    CaseResult r;
    Members m;
    std::string status, reason;
    m.text(j, "case", r.id);
    m.text(j, "device", r.device);
    m.text(j, "driver", r.driver);
    m.text(j, "status", status);
    if (r.id.empty() || !read_status(status, r.status)) return tl::unexpected<std::string>("not a result of a case");
    m.text(j, "reason", reason);
    const auto* const why = std::find(std::begin(kReasonNames), std::end(kReasonNames), reason);
    m.expect(why != std::end(kReasonNames), "reason", "known reason");
    if (why != std::end(kReasonNames)) r.reason = static_cast<Reason>(why - std::begin(kReasonNames));
    bool unexpected = false;
    m.flag(j, "unexpected", unexpected);
    r.expected = !unexpected;
    m.text(j, "hash", r.hash);
    m.text(j, "message", r.message);
    m.texts(j, "details", r.details);
    m.text(j, "baseline", r.expecting);
    m.text(j, "stage", r.stage);
    m.texts(j, "opcodes", r.opcodes);
    m.number(j, "words", r.words);
    m.number(j, "unknown", r.unknown);
    m.number(j, "wide", r.wide);
    m.number(j, "wrong", r.wrong);
    m.take(j, "unknown_by", &Json::is_object, "table of words by opcode", [&](const Json& by) {
        for (const auto& [opcode, words] : by.items()) {
            m.expect(words.is_number_unsigned(), opcode, "number of words");
            if (words.is_number_unsigned()) r.unknown_by.emplace_back(opcode, words.get<uint64_t>());
        }
    });
    m.take(j, "attempts", &Json::is_array, "list of attempts", [&](const Json& all) {
        for (const Json& one : all) m.attempt(one, r.attempts);
    });
    m.take(j, "statistics", &Json::is_object, "table of numbers", [&](const Json& all) {
        for (const auto& [name, value] : all.items()) {
            m.expect(value.is_number(), name, "number");
            if (value.is_number()) r.statistics.emplace_back(name, value.get<double>());
        }
    });
    m.flag(j, "translated", r.translated);
    m.milliseconds(j, "judge_ms", r.times.judge_ms);
    m.milliseconds(j, "driver_ms", r.times.driver_ms);
    m.milliseconds(j, "translator_ms", r.times.translator_ms);
    m.milliseconds(j, "maker_ms", r.times.maker_ms);
    m.take(j, "evidence", &Json::is_object, "evidence", [&](const Json& e) { m.evidence(e, r.evidence); });
    if (!m.wrong.empty()) return tl::unexpected<std::string>(m.wrong);
    return r;
}

}  // namespace tgsi2spv::difftest

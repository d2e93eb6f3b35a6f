#include "campaign/protocol.h"

#include "inputs/json.h"

namespace tgsi2spv::difftest {

namespace {

/// Reads an object; nothing if a member has another type than `read` expects.
template <typename Read>
auto read_line(std::string_view line, const Read& read) -> decltype(read(Json())) {
    const auto json = read_object(line);
    if (!json) return std::nullopt;
    try {
        return read(*json);
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::string write(const WorkerSettings& settings) {
    Json j = {
        {"devices", settings.devices}, {"validation", settings.validation}, {"compile_only", settings.compile_only}};
    for (const Setting& setting : kSettings) j[std::string(setting.name)] = text_of(settings.judging, setting);
    return json_line(j);
}

std::optional<WorkerSettings> read_settings(std::string_view line) {
    return read_line(line, [](const Json& j) -> std::optional<WorkerSettings> {
        WorkerSettings s;
        s.devices = j.value("devices", s.devices);
        s.validation = j.value("validation", false);
        s.compile_only = j.value("compile_only", false);
        for (const Setting& setting : kSettings) {
            const std::string key(setting.name);
            if (j.contains(key) && !set_from_text(s.judging, setting, j.value(key, ""))) return std::nullopt;
        }
        return s;
    });
}

std::string write(const WorkerJob& job) {
    Json j = {{"key", job.key},         {"kind", static_cast<int>(job.spec.kind)},
              {"name", job.spec.name},  {"input", job.spec.input},
              {"devices", job.devices}, {"attempt", job.attempt}};
    if (job.describe) j["describe"] = true;
    if (job.spec.number != 0) j["number"] = job.spec.number;
    if (!job.spec.path.empty()) j["path"] = job.spec.path;
    if (!job.spec.text.empty()) j["text"] = job.spec.text;
    if (!job.spec.inputs.empty()) j["inputs"] = job.spec.inputs;
    return json_line(j);
}

std::optional<WorkerJob> read_job(std::string_view line) {
    return read_line(line, [](const Json& j) -> std::optional<WorkerJob> {
        WorkerJob job;
        job.key = j.value("key", job.key);
        job.spec.kind = static_cast<CaseKind>(j.value("kind", 0));
        job.spec.name = j.value("name", "");
        job.spec.input = j.value("input", 0u);
        job.spec.number = j.value("number", uint64_t{0});
        job.spec.path = j.value("path", "");
        job.spec.text = j.value("text", "");
        job.spec.inputs = j.value("inputs", "");
        job.devices = j.value("devices", job.devices);
        job.attempt = j.value("attempt", 0u);
        job.describe = j.value("describe", false);
        return job;
    });
}

std::string write(const WorkerMessage& message) {
    switch (message.kind) {
        case WorkerMessage::Kind::Ready:
            return json_line({{"ready", message.names},
                              {"drivers", message.drivers},
                              {"vulkan", message.vulkan},
                              {"validates", message.validates}});
        case WorkerMessage::Kind::Error:
            return json_line({{"error", message.text}});
        case WorkerMessage::Kind::Begin:
            return json_line({{"begin", message.key}, {"device", message.device}});
        case WorkerMessage::Kind::Turn:
            return json_line({{"turn", message.key}, {"device", message.device}, {"driver", message.driver}});
        case WorkerMessage::Kind::Note:
            return json_line({{"note", message.text}, {"device", message.device}});
        case WorkerMessage::Kind::Result:
            break;
    }
    return json_line({{"key", message.key}, {"device", message.device}, {"result", write_result_line(message.result)}});
}

std::optional<WorkerMessage> read_message(std::string_view line) {
    return read_line(line, [](const Json& j) -> std::optional<WorkerMessage> {
        WorkerMessage m;
        m.device = j.value("device", 0u);
        if (j.contains("ready")) {
            m.kind = WorkerMessage::Kind::Ready;
            m.names = j.value("ready", m.names);
            m.drivers = j.value("drivers", m.drivers);
            m.drivers.resize(m.names.size());
            m.vulkan = j.value("vulkan", m.vulkan);
            m.vulkan.resize(m.names.size());
            m.validates = j.value("validates", true);
            if (m.names.empty()) return std::nullopt;
        } else if (j.contains("error")) {
            m.kind = WorkerMessage::Kind::Error;
            m.text = j.value("error", "");
        } else if (j.contains("turn")) {
            m.kind = WorkerMessage::Kind::Turn;
            m.key = j.value("turn", m.key);
            m.driver = j.value("driver", false);
        } else if (j.contains("note")) {
            m.kind = WorkerMessage::Kind::Note;
            m.text = j.value("note", "");
        } else if (j.contains("begin")) {
            m.kind = WorkerMessage::Kind::Begin;
            m.key = j.value("begin", m.key);
        } else {
            auto result = read_result_line(j.value("result", ""));
            if (!result) return std::nullopt;
            m.kind = WorkerMessage::Kind::Result;
            m.key = j.value("key", m.key);
            m.result = std::move(*result);
        }
        return m;
    });
}

}  // namespace tgsi2spv::difftest

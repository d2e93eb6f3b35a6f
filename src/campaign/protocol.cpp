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

std::string write(const WorkerSettings& s) {
    return json_line({{"devices", s.devices},
                      {"validation", s.validation},
                      {"compile_only", s.compile_only},
                      {"seed", s.judging.seed},
                      {"dialect", static_cast<int>(s.judging.dialect)},
                      {"entry", s.judging.entry},
                      {"max_steps", s.judging.max_steps},
                      {"timeout_ns", s.judging.timeout_ns},
                      {"loops_in_memory", s.judging.loops_in_memory},
                      {"options_seed", s.judging.options_seed},
                      {"plain_immediates", s.judging.plain_immediates},
                      {"one_level_offsets", s.judging.one_level_offsets},
                      {"zeros_alike", s.judging.zeros_alike},
                      {"strict", s.judging.strict},
                      {"evidence", s.judging.evidence}});
}

std::optional<WorkerSettings> read_settings(std::string_view line) {
    return read_line(line, [](const Json& j) -> std::optional<WorkerSettings> {
        WorkerSettings s;
        s.devices = j.value("devices", s.devices);
        s.validation = j.value("validation", false);
        s.compile_only = j.value("compile_only", false);
        s.judging.seed = j.value("seed", s.judging.seed);
        s.judging.dialect = static_cast<tgsi::Dialect>(j.value("dialect", 0));
        s.judging.entry = j.value("entry", 0u);
        s.judging.max_steps = j.value("max_steps", s.judging.max_steps);
        s.judging.timeout_ns = j.value("timeout_ns", s.judging.timeout_ns);
        s.judging.loops_in_memory = j.value("loops_in_memory", false);
        s.judging.options_seed = j.value("options_seed", uint64_t{0});
        s.judging.plain_immediates = j.value("plain_immediates", false);
        s.judging.one_level_offsets = j.value("one_level_offsets", false);
        s.judging.zeros_alike = j.value("zeros_alike", false);
        s.judging.strict = j.value("strict", false);
        s.judging.evidence = j.value("evidence", true);
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

std::string write(const WorkerMessage& m) {
    switch (m.kind) {
        case WorkerMessage::Kind::Ready:
            return json_line({{"ready", m.names}, {"drivers", m.drivers}});
        case WorkerMessage::Kind::Error:
            return json_line({{"error", m.text}});
        case WorkerMessage::Kind::Begin:
            return json_line({{"begin", m.key}, {"device", m.device}});
        case WorkerMessage::Kind::Turn:
            return json_line({{"turn", m.key}, {"device", m.device}, {"driver", m.driver}});
        case WorkerMessage::Kind::Note:
            return json_line({{"note", m.text}, {"device", m.device}});
        case WorkerMessage::Kind::Result:
            break;
    }
    return json_line({{"key", m.key}, {"device", m.device}, {"result", write_result_line(m.result)}});
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

#include <fmt/format.h>

#include <map>

#include "campaign/report.h"
#include "tgsi/text/utf8.h"

namespace tgsi2spv::difftest {

namespace {

/// The text of a failure, which GitLab shows; `kept` may be null.
std::string body_of(const CaseResult* kept) {
    if (kept == nullptr) return {};
    const Evidence& e = kept->evidence;
    const std::string& shader = e.reduced.empty() ? e.shader : e.reduced;
    return escaped(words_of(*kept) + (shader.empty() ? "" : "\n\n" + shader));
}

std::string test_case(const Record& record, const std::string& device, const CaseResult* kept) {
    std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", escaped(device),
                                   escaped(record.id), static_cast<double>(record.ms) / 1000);
    const std::string message = escaped(record.message);
    const std::string_view kind = name(record.status);
    if (record.status == Status::Pass && record.expected) return text + "/>\n";
    std::string inside;
    if (record.status == Status::Pass)
        inside = fmt::format(
            "<failure type=\"unexpected-pass\" message=\"passed, which contradicts the baseline\">{}</failure>",
            escaped(record.expecting));
    else if (record.status == Status::Skip && !record.expected)
        inside = fmt::format(
            "<failure type=\"unexpected-skip\" message=\"skipped, which contradicts the baseline: {0}\">{0}</failure>",
            message);
    else if (record.status == Status::Skip)
        inside = fmt::format("<skipped message=\"{}\"/>", message);
    else if (record.expected)
        inside = fmt::format("<skipped message=\"expected {}: {}\"/>", kind, message);
    else if (record.status == Status::Fail || record.status == Status::Flake)
        inside = fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>", kind, message, body_of(kept));
    else
        inside = fmt::format("<error type=\"{}\" message=\"{}\">{}</error>", kind, message, body_of(kept));
    return text + ">" + inside + "</testcase>\n";
}

/// The data of the runs on a device. Of several runs, each name begins with the run's number.
std::string properties(const Summary& summary, const std::string& device) {
    std::string text;
    for (size_t i = 0; i < summary.runs.size(); i++) {
        const std::string prefix = summary.runs.size() > 1 ? fmt::format("run{}.", i + 1) : "";
        const auto add = [&](const Environment::Facts& facts) {
            for (const auto& [name, value] : facts)
                text += fmt::format("      <property name=\"{}{}\" value=\"{}\"/>\n", prefix, escaped(name),
                                    escaped(value));
        };
        for (const auto& facts : summary.runs[i].devices) {
            if (facts.front().second != device) continue;
            add(summary.runs[i].run);
            add(facts);
        }
    }
    return text.empty() ? text : "    <properties>\n" + text + "    </properties>\n";
}

}  // namespace

std::string words_of(const CaseResult& result) {
    std::string words = result.message;
    for (size_t i = 0; i < result.attempts.size(); i++) {
        const auto& [status, message] = result.attempts[i];
        words += fmt::format("\nattempt {}: {}{}{}", i + 1, name(status), message.empty() ? "" : ": ", message);
    }
    for (const auto& d : result.details) words += "\n" + d;
    return words;
}

std::string escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const size_t length = tgsi::utf8_sequence(text);
        const char c = text[0];
        if (length == 0 || (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'))
            out += "\xef\xbf\xbd";  // U+FFFD
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '&')
            out += "&amp;";
        else if (c == '"')
            out += "&quot;";
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::string junit_report(const Summary& summary) {
    struct Suite {
        std::string cases;
        uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
        double seconds = 0;
    };
    std::vector<Suite> suites(summary.devices.size());
    std::map<std::pair<std::string_view, std::string_view>, const CaseResult*> kept;  // by id and device
    for (const CaseResult& r : summary.failures) kept[{r.id, r.device}] = &r;
    for (const Record& r : summary.records) {
        Suite& suite = suites[r.device];
        const auto found = kept.find({r.id, summary.devices[r.device]});
        suite.cases += test_case(r, summary.devices[r.device], found == kept.end() ? nullptr : found->second);
        suite.tests++;
        suite.seconds += static_cast<double>(r.ms) / 1000;
        const bool wrong = r.status == Status::Fail || r.status == Status::Flake || !is_failure(r.status);
        if (!r.expected)
            (wrong ? suite.failures : suite.errors)++;
        else if (r.status != Status::Pass)
            suite.skipped++;
    }
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tgsi-difftest\">\n";
    for (size_t i = 0; i < suites.size(); i++) {
        const Suite& suite = suites[i];
        text += fmt::format(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
            escaped(summary.devices[i]), suite.tests, suite.failures, suite.errors, suite.skipped, suite.seconds);
        text += properties(summary, summary.devices[i]) + suite.cases + "  </testsuite>\n";
    }
    return text + "</testsuites>\n";
}

}  // namespace tgsi2spv::difftest

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "campaign/report.h"

namespace tgsi2spv::difftest {

namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>tgsi-difftest</title>
<meta name="viewport" content="width=device-width">
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #1a1a1a; background: #fff }
h1 { font-size: 1.5em } h2 { font-size: 1.2em; margin-top: 2em }
table { border-collapse: collapse } td, th { padding: .15em .8em; text-align: right; border-bottom: 1px solid #ddd }
.run { margin-bottom: 1em } .run td { text-align: left; overflow-wrap: anywhere } th { font-weight: 600 } td:first-child, th:first-child { text-align: left }
pre { background: #f5f5f5; padding: .6em; overflow: auto; max-height: 30em; font-size: 13px }
.failure { border: 1px solid #ccc; border-left: 5px solid #b00; padding: .4em 1em; margin: 1em 0 }
.failure.expected { border-left-color: #888 }
.failure h3 { font-size: 1.05em; margin: .3em 0; overflow-wrap: anywhere }
.bad { color: #b00; font-weight: 600 }
figure { display: inline-block; margin: .5em 1.5em .5em 0 } figcaption { font-size: 13px }
img { image-rendering: pixelated; height: 5em; border: 1px solid #999; background: repeating-conic-gradient(#ccc 0 25%, #fff 0 50%) 0 0/1em 1em }
summary { cursor: pointer }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } pre { background: #262626 } td, th { border-color: #444 }
  .bad { color: #ff7b72 } .failure { border-color: #444; border-left-color: #ff7b72 } }
</style></head><body>
)";

std::string row(std::string_view name, const Totals& totals) {
    return fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td{}>{}</td><td>{}</td><td>{:.2f} %</td></tr>\n",
        escaped(name), totals.all(), totals.passed(), totals.failed(), totals.unexpected > 0 ? " class=\"bad\"" : "",
        totals.unexpected, totals.skipped(), 100 * totals.share.ratio());
}

std::string table(std::string_view title, std::string_view first, const std::map<std::string, Totals>& rows) {
    if (rows.empty()) return {};
    std::string text = fmt::format(
        "<h2>{}</h2>\n<table><tr><th>{}</th><th>results</th><th>passed</th><th>failed</th><th>unexpected</th>"
        "<th>skipped</th><th>unknown words</th></tr>\n",
        title, first);
    for (const auto& [name, totals] : rows) text += row(name, totals);
    return text + "</table>\n";
}

std::string folded(std::string_view title, std::string_view body, bool open = false) {
    if (body.empty()) return {};
    return fmt::format("<details{}><summary>{}</summary><pre>{}</pre></details>\n", open ? " open" : "", title,
                       escaped(body));
}

std::string failure(const CaseResult& result, size_t number) {
    const Evidence& e = result.evidence;
    std::string text = fmt::format(
        "<div class=\"failure{}\" id=\"f{}\"><h3>{}{}: {}</h3>\n<p>{}{}</p>\n", result.expected ? " expected" : "",
        number, is_failure(result.status) || result.expected ? "" : "unexpected ", name(result.status),
        escaped(result.id), escaped(result.device),
        result.expected && !result.expecting.empty() ? " (expected: " + escaped(result.expecting) + ")" : "");
    if (result.status == Status::Pass)
        text += fmt::format("<p>passed, but the baseline says: {}</p>\n", escaped(result.expecting));
    if (const std::string words = words_of(result); !words.empty())
        text += fmt::format("<pre class=\"words\">{}</pre>\n", escaped(words));
    for (const auto& p : e.pictures)
        text += fmt::format(
            "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption></figure>\n",
            escaped(p.name), p.png);
    text += folded("reduced case", e.reduced, true);
    text += folded("shader", e.shader, e.reduced.empty());
    text += folded("SPIR-V", e.spirv);
    text += folded("inputs", e.inputs);
    text += folded("permitted by Vulkan", e.expected);
    text += folded("answer of the device", e.got);
    return text + "</div>\n";
}

std::string list_of(const Environment::Facts& facts) {
    std::string text;
    for (const auto& [name, value] : facts)
        text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(name), escaped(value));
    return text;
}

std::string environments(const Summary& summary) {
    std::string text;
    for (const Environment& run : summary.runs) {
        text += "<table class=\"run\">\n" + list_of(run.run);
        for (const auto& device : run.devices) text += list_of(device);
        text += "</table>\n";
    }
    return text.empty() ? text : "<h2>Runs</h2>\n" + text;
}

/// Returns a line for each failure whose evidence was not kept.
std::string other_failures(const Summary& summary) {
    std::set<std::pair<std::string_view, std::string_view>> shown;
    for (const CaseResult& r : summary.failures) shown.insert({r.id, r.device});
    std::string text;
    for (const Record& r : summary.records) {
        const std::string& device = summary.devices[r.device];
        if (!is_notable(r.status, r.expected) || shown.contains({r.id, device})) continue;
        const char* const why = r.status == Status::Pass || r.status == Status::Skip ? " (unexpected)" : "";
        text += fmt::format("{} {} on {}{}\n", name(r.status), escaped(r.id), escaped(device), why);
    }
    return text;
}

}  // namespace

std::string html_report(const Summary& summary) {
    std::string text(kHead);
    text +=
        fmt::format("<h1>tgsi-difftest: {} passed, <span{}>{} failed</span>, {} skipped</h1>\n", summary.all.passed(),
                    summary.all.unexpected > 0 ? " class=\"bad\"" : "", summary.all.failed(), summary.all.skipped());
    text += fmt::format("<p>Unexpected results: {}. {} output words were compared, {:.2f} % of them unknown.</p>\n",
                        summary.all.unexpected, summary.all.share.words, 100 * summary.all.share.ratio());
    text += table("By device", "device", summary.by_device);
    text += table("By stage", "stage", summary.by_stage);
    if (!summary.failures.empty()) text += "<h2>Failures</h2>\n";
    for (size_t i = 0; i < summary.failures.size(); i++) text += failure(summary.failures[i], i);
    if (const auto others = other_failures(summary); !others.empty())
        text += fmt::format("<p>Only {} of them are shown; the others:</p>\n<pre class=\"others\">{}</pre>\n",
                            summary.failures.size(), others);
    if (const auto ids = differing(summary); !ids.empty()) {
        text +=
            "<h2>Differences between devices</h2>\n<p>These cases pass on one device and fail on another:</p>\n<pre>";
        for (const auto& id : ids) text += escaped(id) + "\n";
        text += "</pre>\n";
    }
    text += table("By opcode", "opcode", summary.by_opcode);
    if (!summary.unknown_by.empty()) {
        text += "<h2>Unknown words by causing opcode</h2>\n<table><tr><th>opcode</th><th>words</th></tr>\n";
        for (const auto& [op, words] : summary.unknown_by)
            text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(op), words);
        text += "</table>\n";
    }
    if (!summary.skip_reasons.empty()) {
        text += "<h2>Skipped</h2>\n<table><tr><th>reason</th><th>results</th></tr>\n";
        for (const auto& [reason, count] : summary.skip_reasons)
            text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(reason), count);
        text += "</table>\n";
    }
    return text + environments(summary) + "</body></html>\n";
}

}  // namespace tgsi2spv::difftest

// tgsi-difftest merge: combines the results of many machines as if from one run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "campaign/results_file.h"
#include "campaign/summary.h"
#include "shared/options.h"
#include "shared/paths.h"
#include "tgsi-difftest/commands.h"
#include "tgsi-difftest/options.h"

namespace tools {

namespace {

using namespace tgsi2spv;

/// Files that are to hold the same results: an interrupted shard, and the same shard run again.
struct Run {
    std::vector<std::string> paths;
    uint64_t expected = 0;
    std::set<std::pair<std::string, std::string>> found;  ///< id and device of each result
};

struct Merged {
    std::optional<difftest::RunHeader> header;
    difftest::ResultSet set;
    std::vector<std::string> paths;                 ///< the file of each result
    std::map<std::string, Run> runs;                ///< runs by the expected contents of their files
    std::map<uint32_t, std::set<uint32_t>> shards;  ///< those that there are, by their number
};

/// Adds a file's results. Returns the reason on failure, otherwise an empty string.
std::string add_results(const std::string& path, std::vector<difftest::CaseResult> results, Merged& merged) {
    for (auto& r : results) {
        const auto place = merged.set.places.find({r.id, r.device});
        if (place == merged.set.places.end()) {
            merged.paths.push_back(path);
        } else {
            const size_t i = place->second;
            const std::string& other = merged.set.results[i].hash;
            // A file of an older version has no hashes of its cases.
            if (!other.empty() && !r.hash.empty() && other != r.hash)
                return fmt::format(
                    "{} and {} have different cases under the name {} on {}: another shader, inputs or driver; run the older again",
                    merged.paths[i], path, r.id, r.device);
            r = together(merged.set.results[i], std::move(r));
            merged.paths[i] = path;
        }
        put(merged.set, std::move(r));
    }
    return {};
}

/// Returns the reason on failure, otherwise an empty string.
std::string read(const std::string& path, Merged& merged) {
    difftest::ResultSet own;
    auto header = difftest::read_results(path, [&](difftest::CaseResult r) { put(own, std::move(r)); });
    if (!header) return header.error();
    if (merged.header)
        if (auto why = difference_of(*header, *merged.header, "others"); !why.empty()) return path + why;
    if (merged.header)
        header->runs.insert(header->runs.begin(), merged.header->runs.begin(), merged.header->runs.end());
    merged.header = *header;
    // Files whose header does not say which results it means can only be complete each on their own.
    Run& run = merged.runs[header->list.empty() ? path
                                                : fmt::format("{} {} {} {}", header->list, header->shard,
                                                              header->shards, header->results)];
    run.paths.push_back(path);
    run.expected = header->results;
    for (const auto& r : own.results) run.found.emplace(r.id, r.device);
    // An empty shard has no results, but a list; files of older versions have neither.
    if (header->results != 0 || !header->list.empty()) merged.shards[header->shards].insert(header->shard);
    return add_results(path, std::move(own.results), merged);
}

/// Returns how many results the files should have but do not.
uint64_t missing_results(const Merged& merged) {
    uint64_t all = 0;
    for (const auto& [name, run] : merged.runs) {
        if (run.expected <= run.found.size()) continue;
        const uint64_t missing = run.expected - run.found.size();
        complain(
            fmt::format("{}: {} of {} cases have no result", fmt::join(run.paths, " and "), missing, run.expected));
        all += missing;
    }
    return all;
}

/// Returns how many shards have no file.
size_t missing_shards(const Merged& merged) {
    size_t missing = 0;
    for (const auto& [shards, there] : merged.shards) {
        std::vector<uint32_t> absent;
        for (uint32_t shard = 0; shard < shards; ++shard)
            if (!there.contains(shard)) absent.push_back(shard);
        if (!absent.empty())
            complain(fmt::format("{} of {} shards have no file: --shard {}/{}{}", absent.size(), shards, absent[0],
                                 shards, absent.size() == 1 ? "" : ", ..."));
        missing += absent.size();
    }
    return missing;
}

int merge(const std::vector<std::string>& files, const std::vector<std::string>& baselines, const std::string& results,
          const ReportPaths& reports) {
    if (results == "-") return complain("--results needs a file: standard output has the totals");
    std::vector<std::string> inputs = files;
    inputs.insert(inputs.end(), baselines.begin(), baselines.end());
    if (auto why = conflict(inputs, {results, reports.junit, reports.html}); !why.empty()) return complain(why);
    Merged merged;
    for (const auto& path : files)
        if (auto why = read(path, merged); !why.empty()) return complain(why);
    difftest::Baseline baseline;
    for (const auto& path : baselines)
        if (auto why = load_baseline(path, baseline); !why.empty()) return complain(why);
    const uint64_t missing = missing_results(merged);
    const bool has_all_shards = missing_shards(merged) == 0;
    difftest::ResultsWriter writer;
    difftest::RunHeader header = *merged.header;
    header.shard = 0;
    header.shards = 1;
    header.results = merged.set.results.size() + missing;
    header.list.clear();  // of several lists
    // The contents of shards without a file are unknown, so a file of all results could not list the missing ones.
    if (!results.empty() && !has_all_shards) {
        complain(results + ": not written");
    } else if (!results.empty()) {
        std::string why = writer.open(results);
        if (why.empty()) why = writer.start(header);
        if (!why.empty()) return complain(why);
    }
    difftest::Summary summary;
    summary.runs = header.runs;
    for (auto& r : merged.set.results) {
        if (!baselines.empty()) apply_baseline(baseline, r);
        if (writer.is_open())
            if (auto why = writer.write(r); !why.empty()) return complain(why);
        add(summary, std::move(r));
    }
    sort(summary);
    if (auto why = write_reports(summary, reports); !why.empty()) return complain(why);
    std::FILE* const out = uses_standard_output(reports) ? stderr : stdout;
    for (const auto& line : report_lines(summary, 0)) fmt::print(out, "{}\n", line);
    const bool nothing = compared_nothing(summary);
    if (nothing) complain(kNothingCompared);
    return summary.all.unexpected == 0 && has_all_shards && missing == 0 && !nothing ? kExpected : kUnexpected;
}

}  // namespace

int merge_command(int argc, char** argv) {
    std::vector<std::string> files, baselines;
    std::string results;
    ReportPaths reports;
    App app{
        "Join the results of several runs or machines, and print totals as for a single run. Results that are "
        "missing,\n"
        "because a run was interrupted or a shard has no file, are a failure. A case that failed in one run and passed "
        "in\n"
        "another is a flake.\n\n"
        "  tgsi-difftest merge 0.jsonl 1.jsonl --results all.jsonl --junit all.xml --html all.html",
        "tgsi-difftest merge"};
    app.add_option("FILE", files, "Files that --results wrote").required().existing_file();
    app.add_option("--results", results, "Write all results to this file, unless a shard has no file")
        .type_name("FILE");
    app.add_option("--baseline", baselines, "File of expected results, used instead of those of the runs; repeatable")
        .type_name("FILE")
        .repeatable();
    add_report_options(app, reports);
    app.footer(
        "Exit status: 0 all results as expected; 1 unexpected or missing results, or nothing compared; 2 usage or I/O "
        "error.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return merge(files, baselines, results, reports);
}

}  // namespace tools

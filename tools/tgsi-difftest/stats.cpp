// tgsi-difftest stats: the changes between two runs with --stats.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "campaign/results_file.h"
#include "shared/options.h"
#include "tgsi-difftest/commands.h"
#include "tgsi-difftest/options.h"
#include "tgsi/text/diagnostic.h"

namespace tools {

namespace {

using namespace tgsi2spv;

/// One statistic of one shader, in both files.
struct Pair {
    std::string shader;
    double before = 0, after = 0;

    double ratio() const { return after / before; }
    bool has_ratio() const { return before > 0 && after > 0; }
};

using Group = std::tuple<std::string, std::string>;           ///< device, stage
using Statistics = std::map<std::string, std::vector<Pair>>;  ///< pairs by the statistic's name
using Results = std::map<std::tuple<std::string, std::string>, difftest::CaseResult>;  ///< results by device and shader

std::string read(const std::string& path, Results& results) {
    const auto header = difftest::read_results(path, [&](difftest::CaseResult r) {
        if (!r.statistics.empty()) results.insert_or_assign({r.device, r.id}, std::move(r));
    });
    if (!header) return header.error();
    return results.empty() ? path + ": has no statistics; --stats writes them" : std::string();
}

double geometric_mean(const std::vector<Pair>& pairs) {
    double sum = 0;
    size_t count = 0;
    for (const Pair& p : pairs)
        if (p.has_ratio()) {
            sum += std::log(p.ratio());
            ++count;
        }
    return count == 0 ? 1 : std::exp(sum / static_cast<double>(count));
}

/// The device of all results; empty if there are several.
std::string only_device(const Results& results) {
    const std::string& first = results.begin()->second.device;
    return results.rbegin()->second.device == first ? first : std::string();  // they are in the order of devices
}

std::map<Group, Statistics> compare(const Results& before, const Results& after) {
    std::map<Group, Statistics> groups;
    // The name of a device may have the driver's version in it.
    const std::string device = only_device(before).empty() ? std::string() : only_device(after);
    for (const auto& [key, b] : before) {
        const auto at = after.find({device.empty() ? b.device : device, b.id});
        if (at == after.end()) continue;
        const difftest::CaseResult& a = at->second;
        for (const auto& [name, value] : b.statistics)
            for (const auto& [other, now] : a.statistics)
                if (name == other) groups[{a.device, b.stage}][name].push_back({b.id, value, now});
    }
    return groups;
}

constexpr size_t kMost = 5;  ///< shaders listed at each end

/// `by`: the statistic whose changes are listed.
void print(const Group& group, const Statistics& statistics, const std::string& by) {
    const auto& [device, stage] = group;
    fmt::print("{}, {}: {} shaders\n", tgsi::printable(device), stage, statistics.begin()->second.size());
    fmt::print("  {:<32}{:>10}{:>14}{:>14}{:>9}{:>8}\n", "", "mean ratio", "sum before", "after", "smaller", "larger");
    for (const auto& [name, pairs] : statistics) {
        double before = 0, after = 0;
        for (const Pair& p : pairs) {
            before += p.before;
            after += p.after;
        }
        const auto smaller = std::ranges::count_if(pairs, [](const Pair& p) { return p.after < p.before; });
        const auto larger = std::ranges::count_if(pairs, [](const Pair& p) { return p.after > p.before; });
        fmt::print("  {:<32}{:>10.4f}{:>14.0f}{:>14.0f}{:>9}{:>8}\n", tgsi::printable(name), geometric_mean(pairs),
                   before, after, smaller, larger);
    }
    const auto at = statistics.find(by);
    if (at == statistics.end()) return;
    std::vector<Pair> pairs = at->second;
    std::erase_if(pairs, [](const Pair& p) { return !p.has_ratio() || p.before == p.after; });
    std::ranges::stable_sort(pairs, {}, &Pair::ratio);
    const auto list = [&](const Pair& p) {
        fmt::print("  {:>7.3f}  {:.0f} -> {:.0f}  {}\n", p.ratio(), p.before, p.after, tgsi::printable(p.shader));
    };
    const auto most = static_cast<std::ptrdiff_t>(std::min(kMost, pairs.size()));
    std::for_each(pairs.begin(), pairs.begin() + most, list);
    const auto rest = std::max(pairs.begin() + most, pairs.end() - most);
    std::for_each(rest, pairs.end(), list);
}

int run(const std::vector<std::string>& files, const std::string& by, double tolerance) {
    Results before, after;
    for (const auto& [path, results] : {std::pair(files[0], &before), std::pair(files[1], &after)})
        if (auto why = read(path, *results); !why.empty()) return complain(why);
    const auto groups = compare(before, after);
    if (groups.empty()) return complain("no shader is in both files, on a device of the same name");
    int status = kExpected;
    for (const auto& [group, statistics] : groups) {
        print(group, statistics, by);
        const auto at = statistics.find(by);
        if (tolerance <= 0 || at == statistics.end()) continue;
        const double percent = (geometric_mean(at->second) - 1) * 100;
        if (std::abs(percent) <= tolerance) continue;
        complain(fmt::format("{}, {}: {} changed by {:+.2f} %", std::get<0>(group), std::get<1>(group), by, percent));
        status = kUnexpected;
    }
    return status;
}

}  // namespace

int stats_command(int argc, char** argv) {
    std::vector<std::string> files;
    std::string by = "Instructions";
    double tolerance = 0;
    App app{
        "Compare the machine code that a driver made in two runs with --stats. Prints for each device, stage and "
        "statistic\nthe geometric mean of after / before, the sums, and how many shaders got smaller and larger; then "
        "the "
        "shaders that\nchanged most.\n\n"
        "  tgsi-difftest shaders/ --device RADV --stats before.jsonl\n"
        "  tgsi-difftest stats before.jsonl after.jsonl",
        "tgsi-difftest stats"};
    app.add_option("FILE", files, "Two files that --stats wrote: before, after").required().existing_file();
    app.add_option("--by", by, "The statistic by which shaders are listed, and --tolerance judges")
        .type_name("NAME")
        .capture_default_str();
    app.add_option("--tolerance", tolerance, "The status is 1 if a mean of --by changed by more than this")
        .type_name("PERCENT");
    app.footer("Exit status: 0 compared; 1 beyond --tolerance; 2 usage or I/O error.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    if (files.size() != 2) return complain("expected two files");
    return run(files, by, tolerance);
}

}  // namespace tools

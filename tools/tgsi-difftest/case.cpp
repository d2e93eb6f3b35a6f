// tgsi-difftest run and reduce: one case in a file.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "campaign/reduce.h"
#include "campaign/summary.h"
#include "files/files.h"
#include "shared/options.h"
#include "shared/paths.h"
#include "tgsi-difftest/commands.h"
#include "tgsi-difftest/options.h"

namespace tools {

namespace {

using namespace tgsi2spv;

/// Uses the device of the case if no other is asked for: its name up to the part that differs by version, and without
/// the number that campaigns give to the second device of a name.
void choose_device(const difftest::CaseFile& file, difftest::PoolOptions& pool) {
    if (pool.settings.devices.empty() && !file.device.empty())
        pool.settings.devices = {file.device.substr(0, std::min(file.device.find(" ("), file.device.find(" #")))};
}

/// Judges the case as it was judged when it was kept, except for the options of the command line.
void choose_judging(const difftest::CaseFile& file, const std::vector<GivenOption>& given,
                    difftest::PoolOptions& pool) {
    const difftest::RunSettings said = pool.settings.judging;
    auto& judging = pool.settings.judging;
    judging = judging_of(file, said);
    for (const auto& option : given)
        for (const difftest::Setting& s : difftest::kSettings)
            if (s.option == option.name) set_from_text(judging, s, text_of(said, s));
    judging.timeout_ns = static_cast<uint64_t>(pool.timeout_s * 1e9);
}

int run(const std::string& path, const std::vector<GivenOption>& given, difftest::PoolOptions options,
        const std::string& keep) {
    const auto file = load_case(path);
    if (!file) return complain(file.error());
    auto spec = spec_of(*file);
    if (!spec) return complain(path + ": " + spec.error());
    const bool on_its_own = options.settings.devices.empty();
    choose_device(*file, options);
    choose_judging(*file, given, options);
    auto pool = difftest::Pool::start(options);
    if (!pool) {
        complain(pool.error() + (on_its_own ? " (--device runs the case on another than its own)" : ""));
        return kUndecided;
    }
    difftest::WorkerJob job;
    job.spec = std::move(*spec);
    pool->submit(std::move(job));
    difftest::Summary summary;
    while (!pool->is_idle() && pool->broken().empty())
        for (auto& finished : pool->next(1000)) {
            auto& r = finished.result;
            r.expected = !is_failure(r.status);
            print_result(r, {false, true, stdout});
            if (!keep.empty() && is_failure(r.status))
                if (auto why = keep_case(keep, r, options.settings.judging); !why.empty()) complain(why);
            add(summary, std::move(r));
        }
    for (const auto& note : pool->notes()) complain(note);
    if (!pool->broken().empty()) complain(pool->broken());
    if (summary.all.all() < pool->devices().size()) return kUndecided;
    fmt::print("{} passed, {} failed, {} skipped\n", summary.all.passed(), summary.all.failed(), summary.all.skipped());
    if (summary.all.unexpected != 0) return kUnexpected;
    return summary.all.passed() == 0 ? kUndecided : kExpected;
}

int reduce(const std::string& path, const std::vector<GivenOption>& given, difftest::ReduceOptions options,
           const std::string& out) {
    const auto file = load_case(path);
    if (!file) return complain(file.error());
    if (auto why = conflict({path}, {out}); !why.empty()) return complain(why);
    choose_device(*file, options.pool);
    choose_judging(*file, given, options.pool);
    const bool terminal = isatty(STDERR_FILENO) != 0;
    options.progress = [&](uint32_t tried, size_t instructions) {
        if (terminal) fmt::print(stderr, "\r\033[K{} candidates tried, {} instructions left", tried, instructions);
    };
    const auto reduced = difftest::reduce_case(*file, options);
    if (terminal) fmt::print(stderr, "\r\033[K");
    if (!reduced) {
        complain(path + ": " + reduced.error().why);
        return reduced.error().ran ? kUnexpected : kUsage;
    }
    if (!reduced->ended_by.empty()) complain("not as small as it could be: " + reduced->ended_by);
    if (auto why = write_file(out, write_case_file(reduced->file)); !why.empty())
        return complain(cannot_write(out, why));
    fmt::print(out == "-" ? stderr : stdout, "reduced to {} of {} instructions, {} candidates tried: {} {}\n",
               reduced->instructions, reduced->instructions_before, reduced->tried, name(reduced->file.status),
               reduced->file.message);
    return kExpected;
}

}  // namespace

int run_command(int argc, char** argv) {
    std::string path, keep;
    difftest::PoolOptions pool;
    App app{
        "Repeat a case that --keep or reduce wrote, on its own device or on others.\n\n"
        "  tgsi-difftest run a.case\n"
        "  tgsi-difftest run a.case --device radv --device llvmpipe",
        "tgsi-difftest run"};
    app.add_option("CASE", path, "Case file").required();
    add_device_options(app, pool);
    app.add_option("--keep", keep, "Write the case to this folder if it still fails").type_name("DIR");
    app.footer(
        "Exit status: 0 passed; 1 failed; 125 it cannot be run on any device (the reason is printed; git\n"
        "bisect run then skips the commit); 2 usage or I/O error.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return run(path, app.given(), pool, keep);
}

int reduce_command(int argc, char** argv) {
    std::string path, out;
    difftest::ReduceOptions options;
    options.pool.timeout_s = 10;
    App app{
        "Find the smallest shader and inputs that still fail in the same way: wrong words, a crash with the same\n"
        "signal, a timeout, or a lost device.\n\n"
        "  tgsi-difftest reduce keep/a.case -o a.case\n"
        "  tgsi-difftest reduce keep/a.case --passes llvmpipe -o a.case",
        "tgsi-difftest reduce"};
    app.add_option("CASE", path, "Case file").required();
    app.add_option("-o,--output", out, "File for the reduced case; - is standard output").type_name("FILE").required();
    app.add_option("--passes", options.passing, "Device on which the reduced case must pass; repeatable")
        .type_name("DEVICE")
        .repeatable();
    app.add_option("--most", options.most_candidates, "Maximum number of candidates to try").capture_default_str();
    add_device_options(app, options.pool);
    add_jobs_option(app, options.pool);
    app.footer("Exit status: 0 reduced; 1 the case does not fail here; 2 usage or I/O error.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    return reduce(path, app.given(), options, out);
}

}  // namespace tools

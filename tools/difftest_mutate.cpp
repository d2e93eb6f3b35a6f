// tgsi-difftest mutate: how many planted mistakes the comparison finds.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "campaign/process.h"
#include "cases/case_file.h"
#include "cases/cases.h"
#include "difftest_commands.h"
#include "difftest_options.h"
#include "mutate/run.h"
#include "options.h"

namespace tools {

namespace {

using namespace tgsi2spv;
using difftest::MutationLine;
using What = MutationLine::What;

constexpr int kPatienceMs = 60'000;            // for one mutant on all inputs
constexpr int kOftenMs = 200;                  // between looks at what it writes to its standard error
constexpr int kEndMs = 1'000;                  // for the end of a process that has closed its pipe
constexpr int kPatienceForInputsMs = 600'000;  // for the search, the judge and the module itself

struct Counts {
    uint32_t caught = 0, survived = 0;
};

struct Options {
    difftest::CaseSources sources;
    std::string device;
    difftest::RunSettings judging;
    uint32_t inputs = 12, searched = 200, limit = 0;
    std::string modules;
    std::multiset<std::string> stems;  ///< of all shaders' files
    double min_score = 0.95;
    bool quiet = false;
};

struct Score {
    std::array<Counts, difftest::kMutationKinds> by_kind{};
    std::map<std::string, uint64_t> not_scored;
    uint32_t used = 0, skipped = 0, equal = 0, not_run = 0;
};

/// Returns the path of a shader's module in the folder, without the extension: the shader's file name, or its whole
/// name if several shaders of the run have that file name.
std::string module_path(const Options& options, const difftest::CaseSpec& spec) {
    namespace fs = std::filesystem;
    std::string name = spec.name;
    if (spec.kind == difftest::CaseKind::File) {
        const std::string stem = fs::path(spec.path).stem().string();
        name = options.stems.count(stem) == 1 ? stem : fs::path(spec.name).replace_extension().string();
    }
    std::replace(name.begin(), name.end(), '/', '-');
    return (fs::path(options.modules) / name).string();
}

std::vector<std::string> child_command(const Options& options, const difftest::CaseSpec& spec, uint32_t from) {
    auto command = worker_command();
    command.pop_back();
    const auto add = [&](const char* flag, const std::string& value) {
        command.emplace_back(flag);
        command.push_back(value);
    };
    command.emplace_back(kMutantsFlag);
    if (!options.device.empty()) add("--device", options.device);
    add("--seed", std::to_string(options.judging.seed));
    for (const difftest::Setting& s : difftest::kSettings) {
        if (s.option.empty() || is_default(options.judging, s)) continue;
        command.emplace_back(s.option);
        if (!std::holds_alternative<bool difftest::RunSettings::*>(s.member))
            command.push_back(text_of(options.judging, s));
    }
    add("--inputs", std::to_string(options.inputs));
    add("--searched", std::to_string(options.searched));
    add("--name", spec.name);
    if (!options.modules.empty()) add("--modules", module_path(options, spec));
    add("--limit", std::to_string(options.limit));
    add("--from", std::to_string(from));
    if (spec.kind == difftest::CaseKind::Generated)
        add("--number", std::to_string(spec.number));
    else
        add("--path", spec.path);
    return command;
}

/// Follows a shader's mutants, process after process.
class Shader {
  public:
    Shader(const Options& options, const difftest::CaseSpec& spec, Score& score)
        : options_(options), spec_(spec), score_(score) {}

    /// Returns why a child cannot be started or cannot write what was asked for; otherwise an empty string.
    std::string run() {
        while (!done_) {
            const uint32_t from = next_;
            auto child = difftest::Child::start(child_command(options_, spec_, from));
            if (!child) return child.error();
            const bool in_time = listen(*child);
            const auto own = in_time ? end_of(*child) : std::nullopt;
            child->kill();
            if (!error_.empty()) return error_;
            const auto ending = own ? *own : child->reap();
            const bool killed = own && own->signaled && own->value == SIGKILL;
            if (!done_ && killed && repeated_ != next_) {  // by a user, or for want of memory
                repeated_ = next_;
                begun_.reset();
                continue;
            }
            if (begun_ && killed)
                count({What::NotRun, begun_->number, begun_->kind, begun_->text + ": the process was killed twice"});
            else if (begun_)  // it crashed its process, or took too long
                count({What::Caught, begun_->number, begun_->kind, begun_->text});
            else if (!done_ && next_ == from)  // otherwise the last mutant lost the device: another process goes on
                skip("the process ended: " + difftest::describe(ending));
        }
        return {};
    }

  private:
    const Options& options_;
    const difftest::CaseSpec& spec_;
    Score& score_;
    uint32_t next_ = 0;
    std::optional<MutationLine> begun_;
    std::optional<uint32_t> repeated_;  ///< the mutant that was begun again, since something killed the process
    bool done_ = false;
    std::string error_;

    void skip(const std::string& why) {
        if (!options_.quiet) fmt::print("skip {}: {}\n", spec_.name, why);
        score_.skipped++;
        done_ = true;
    }
    void count(const MutationLine& line) {
        next_ = line.number + 1;
        begun_.reset();
        if (line.what == What::Invalid) return;
        if (line.what == What::NotRun) {
            score_.not_run++;
            fmt::print("not run {}: {}: {}\n", spec_.name, difftest::name(line.kind), line.text);
            return;
        }
        if (line.what == What::Equal) {
            score_.equal++;
            return;
        }
        auto& counts = score_.by_kind[static_cast<size_t>(line.kind)];
        if (line.what == What::Caught) {
            counts.caught++;
            return;
        }
        counts.survived++;
        fmt::print("survived {}: {}: {}\n", spec_.name, difftest::name(line.kind), line.text);
    }
    void hear(const MutationLine& line) {
        switch (line.what) {
            case What::Skip:
                skip(line.text);
                break;
            case What::NotScored:
                if (next_ == 0) score_.not_scored[line.text] += line.number;
                break;
            case What::Begin:
                begun_ = line;
                break;
            case What::Error:
                error_ = line.text;
                done_ = true;
                break;
            case What::Done:
                done_ = true;
                score_.used++;
                break;
            default:
                count(line);
                break;
        }
    }
    /// Returns how a process ended that has closed its pipe, or nothing if a driver holds it.
    static std::optional<difftest::Ending> end_of(difftest::Child& child) {
        for (int i = 0; i < kEndMs; i++) {
            if (auto ending = child.try_reap()) return ending;
            poll(nullptr, 0, 1);
        }
        return std::nullopt;
    }
    /// Returns false if it took too long.
    bool listen(difftest::Child& child) {
        for (bool ended = false; !ended && !done_;) {
            pollfd wait{child.output(), POLLIN, 0};
            int left = begun_ ? kPatienceMs : kPatienceForInputsMs;
            for (; left > 0 && poll(&wait, 1, kOftenMs) == 0; left -= kOftenMs) child.limit_errors();
            if (left <= 0) return false;
            for (const auto& text : child.lines(ended)) {
                MutationLine line;
                if (difftest::read(text, line)) hear(line);
            }
        }
        return true;
    }
};

int report(const Options& options, const Score& score) {
    uint64_t caught = 0, survived = 0;
    for (int k = 0; k < difftest::kMutationKinds; k++) {
        const auto& c = score.by_kind[static_cast<size_t>(k)];
        caught += c.caught;
        survived += c.survived;
        if (c.caught + c.survived > 0)
            fmt::print("{:14} {:6} caught, {:4} survived\n", difftest::name(static_cast<difftest::MutationKind>(k)),
                       c.caught, c.survived);
    }
    for (const auto& [what, count] : score.not_scored) fmt::print("not scored: {} {}\n", count, what);
    fmt::print("not scored: {} mutants that SPIRV-Tools' optimiser turns into the module\n", score.equal);
    if (score.not_run > 0) fmt::print("not scored: {} mutants that could not be run\n", score.not_run);
    fmt::print("{} shaders, {} skipped\n", score.used, score.skipped);
    const uint64_t all = caught + survived;
    const double part = all == 0 ? 0 : static_cast<double>(caught) / static_cast<double>(all);
    fmt::print("{} caught, {} survived of {} (score {:.4f})\n", caught, survived, all, part);
    return part >= options.min_score ? kExpected : kUnexpected;
}

}  // namespace

int mutants_child(int argc, char** argv) {
    difftest::MutationRun run;
    uint64_t number = 0;
    App app;
    app.add_option("--device", run.device);
    app.add_option("--seed", run.judging.seed);
    add_judging_options(app, run.judging);
    app.add_option("--inputs", run.inputs);
    app.add_option("--searched", run.searched);
    app.add_option("--modules", run.modules);
    app.add_option("--limit", run.limit);
    app.add_option("--from", run.from);
    app.add_option("--path", run.spec.path);
    app.add_option("--name", run.spec.name);
    const auto generated = app.add_option("--number", number);
    if (const auto ended = app.parse(argc, argv)) return *ended;
    run.spec.kind = generated.count() > 0 ? difftest::CaseKind::Generated : difftest::CaseKind::File;
    run.spec.number = number;
    const int out = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // drivers print whatever they like
    difftest::run_mutants(run, [&](const MutationLine& line) {
        const std::string text = difftest::write(line) + "\n";
        if (write(out, text.data(), text.size()) < 0) _exit(0);
    });
    _exit(0);  // a driver's thread may never end
}

int mutate_command(int argc, char** argv) {
    Options o;
    App app{
        "Mutate the SPIR-V of translated shaders, one operation, operand, constant, edge or binding at a time, run\n"
        "each mutant, and count those that the answers reveal. Lists the survivors, and prints 'N caught, N survived\n"
        "of N (score S)' as the last line.",
        "tgsi-difftest mutate"};
    app.add_option("PATH", o.sources.paths, "Shaders, and folders of *.tgsi files");
    app.add_option("--generate", o.sources.generated, "Also use N generated programs")
        .check(NumberRange{0, 1000000000});
    app.add_option("--seed", o.judging.seed, "Seed of the generated programs and inputs").capture_default_str();
    app.add_option("--inputs", o.inputs, "Input sets per shader").check(NumberRange{1, 1000}).capture_default_str();
    app.add_option("--searched", o.searched, "Maximum number of input sets per shader that a search adds")
        .capture_default_str();
    app.add_option("--modules", o.modules,
                   "Folder for each shader's module as text, to look up survivors, and for inputs on which the module "
                   "itself fails")
        .type_name("DIR");
    app.add_option("--sample", o.sources.sample, "Use only every Nth shader").check(NumberRange{1, 1000000});
    app.add_option("--limit", o.limit, "Maximum number of mutants per shader, chosen evenly (0: all)");
    app.add_option("--min-score", o.min_score, "Exit with status 1 if the score is lower")
        .check(NumberRange{0.0, 1.0})
        .capture_default_str()
        .type_name("X");
    app.add_flag("--quiet", o.quiet, "Print no lines for shaders that cannot be used");
    app.add_option("--device", o.device, "Vulkan device: its number, UUID or a part of its name").type_name("DEVICE");
    add_judging_options(app, o.judging);
    app.footer(
        "Exit status: 0 all done, and the score is not below --min-score; 1 a lower score, or nothing scored; 2 usage "
        "or\n"
        "I/O error, or no such device.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    o.sources.seed = o.judging.seed;
    o.sources.inputs = 1;  // each shader once: a mutant's input sets are chosen when it runs
    const auto cases = difftest::list_cases(o.sources, {});
    if (!cases || cases->empty())
        return complain(cases ? "nothing to mutate: expected shaders or --generate (see --help)" : cases.error());
    for (const auto& spec : *cases)
        if (spec.kind == difftest::CaseKind::File) o.stems.insert(std::filesystem::path(spec.path).stem().string());
    if (!o.modules.empty())
        if (auto why = open_folder("--modules", o.modules); !why.empty()) return complain(why);
    // Each shader has processes of its own: here, so that a wrong name is not a reason for each of them.
    difftest::PoolOptions pool;
    pool.command = worker_command();
    if (!o.device.empty()) pool.settings.devices = {o.device};
    if (const auto started = difftest::Pool::start(pool); !started) return complain(started.error());
    Score score;
    for (const auto& spec : *cases) {
        if (auto why = Shader(o, spec, score).run(); !why.empty()) return complain(why);
        std::fflush(stdout);
    }
    return report(o, score);
}

}  // namespace tools

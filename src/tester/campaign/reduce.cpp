#include "campaign/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <unordered_set>

#include "api/convert.h"
#include "campaign/simplify.h"
#include "inputs/case.h"
#include "tgsi/print.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::difftest {

namespace {

using Error = tl::unexpected<NotReduced>;

Error error(std::string why) {
    return Error({.why = std::move(why)});
}

/// The kind of a failure, without its place and size: "OUT", "BUFFER", "lane was killed", a signal, a failed call.
std::string failure_kind(const CaseResult& result) {
    if (result.status != Status::Fail) return result.status == Status::Crash ? result.message : std::string();
    const std::string_view message = result.message;
    if (message.starts_with("lane ")) return std::string(message.substr(message.find(' ', 5)));
    return std::string(message.substr(0, message.find_first_of("[0123456789")));
}

class Reducer {
  public:
    Reducer(const CaseFile& file, const ReduceOptions& options, Pool pool)
        : options_(options), pool_(std::move(pool)), file_(file) {}
    /// Judges the case as it is; an error unless it fails here.
    tl::expected<void, NotReduced> begin();
    tl::expected<Reduction, NotReduced> run();

  private:
    const ReduceOptions& options_;
    Pool pool_;
    CaseFile file_;
    api::Context context_;
    Candidate best_;
    CaseResult wanted_, best_result_;
    std::string elsewhere_;  ///< how the first spec does not pass where it should, by the last judge()
    Reduction reduction_;
    bool reduced_ = false;  ///< the best candidate is not the case itself
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::unordered_set<size_t> tried_;  ///< hashes

    bool parse(std::string_view text);
    CaseSpec spec(const Candidate& candidate) const;
    bool is_valid(Candidate& candidate);
    bool fails_the_same_way(const CaseResult& result) const;
    /// Runs on the first device, in the order of the specs; a case that does not pass where it should is a skip.
    std::vector<CaseResult> judge(const std::vector<CaseSpec>& specs);
    bool sweep(const Simplification& simplification, size_t granularity);
    bool simplify(const Simplification& simplification);
    bool is_spent() const {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
        return reduction_.tried >= options_.most_candidates || !pool_.broken().empty() ||
               (options_.most_seconds > 0 && spent.count() > options_.most_seconds) ||
               (options_.stopped && options_.stopped());
    }
};

bool Reducer::parse(std::string_view text) {
    api::Options parsing;
    const auto& judging = options_.pool.settings.judging;
    parsing.lower.dialect = judging.dialect;
    parsing.entry = judging.entry;
    context_.diagnostics.clear();
    return api::parse(context_, text, parsing);
}

CaseSpec Reducer::spec(const Candidate& candidate) const {
    CaseSpec s;
    s.kind = CaseKind::Given;
    s.name = file_.id;
    s.text = tgsi::print(candidate.program);
    s.inputs = write_inputs(candidate.inputs, tgsi::has_vertices(candidate.program.stage, tgsi::File::Input));
    return s;
}

/// Whether the candidate's text is a valid shader; sets the program to the parsed text.
bool Reducer::is_valid(Candidate& candidate) {
    if (!parse(tgsi::print(candidate.program))) return false;
    candidate.program = context_.program;
    return true;
}

bool Reducer::fails_the_same_way(const CaseResult& result) const {
    return result.status == wanted_.status && failure_kind(result) == failure_kind(wanted_);
}

std::vector<CaseResult> Reducer::judge(const std::vector<CaseSpec>& specs) {
    std::vector<CaseResult> results(specs.size());
    std::vector<std::string> elsewhere(specs.size());
    for (size_t i = 0; i < specs.size(); i++) {
        WorkerJob job;
        job.key = i;
        job.spec = specs[i];
        job.evidence = false;
        pool_.submit(std::move(job));
    }
    reduction_.tried += static_cast<uint32_t>(specs.size());
    while (!pool_.is_idle() && pool_.broken().empty())
        for (Finished& f : pool_.next(1000)) {
            if (f.device == 0)
                results[f.key] = std::move(f.result);
            else if (f.result.status != Status::Pass)
                elsewhere[f.key] = fmt::format("does not pass on {}: {}", f.result.device, name(f.result.status));
        }
    for (size_t i = 0; i < specs.size(); i++) {
        if (elsewhere[i].empty()) continue;
        results[i].status = Status::Skip;
        results[i].message = elsewhere[i];
    }
    elsewhere_ = elsewhere.empty() ? std::string() : elsewhere.front();
    return results;
}

/// Tries every edit once, as many at a time as there are workers; keeps each edit that still fails at once.
bool Reducer::sweep(const Simplification& simplification, size_t granularity) {
    bool changed = false;
    for (size_t next = 0; next < simplification.count(best_, granularity) && !is_spent();) {
        std::vector<Candidate> candidates;
        std::vector<CaseSpec> specs;
        std::vector<size_t> numbers;
        for (; next < simplification.count(best_, granularity) && specs.size() < options_.pool.jobs; next++) {
            auto c = simplification.edit(best_, granularity, next);
            if (!c || !is_valid(*c)) continue;
            // A candidate that did not fail the same way before will not do so now.
            CaseSpec s = spec(*c);
            if (!tried_.insert(std::hash<std::string>()(s.text + s.inputs)).second) continue;
            specs.push_back(std::move(s));
            candidates.push_back(std::move(*c));
            numbers.push_back(next);
        }
        const auto results = judge(specs);
        const auto found =
            std::find_if(results.begin(), results.end(), [&](const auto& r) { return fails_the_same_way(r); });
        if (found == results.end()) continue;
        const auto k = static_cast<size_t>(found - results.begin());
        // The edits after it were not tried on the new candidate.
        for (size_t later = k + 1; later < specs.size(); later++)
            tried_.erase(std::hash<std::string>()(specs[later].text + specs[later].inputs));
        best_ = std::move(candidates[k]);
        best_result_ = *found;
        next = numbers[k];  // another edit has this number now
        changed = reduced_ = true;
        if (options_.progress) options_.progress(reduction_.tried, best_.program.instructions.size());
    }
    return changed;
}

bool Reducer::simplify(const Simplification& simplification) {
    bool changed = false;
    if (simplification.pieces == nullptr) return sweep(simplification, 1);
    for (size_t granularity = std::max<size_t>(1, simplification.pieces(best_));; granularity /= 2) {
        changed |= sweep(simplification, granularity);
        if (granularity <= 1) return changed;
    }
}

tl::expected<void, NotReduced> Reducer::begin() {
    if (file_.shader.empty()) return error("the case is a texture message without a shader: nothing to reduce");
    if (!parse(file_.shader)) return error("the shader of the case is invalid");
    best_.program = context_.program;
    auto inputs = read_inputs(file_.inputs.empty() ? "{}" : file_.inputs);
    if (!inputs) return error(inputs.error());
    best_.inputs = std::move(*inputs);
    reduction_.instructions_before = best_.program.instructions.size();
    wanted_ = judge({spec(best_)}).front();
    if (!is_failure(wanted_.status) && !pool_.broken().empty()) return error(pool_.broken());
    if (!is_failure(wanted_.status))
        return Error(
            {"the case " + (elsewhere_.empty() ? fmt::format("does not fail here: {}{}{}", name(wanted_.status),
                                                             wanted_.message.empty() ? "" : ", ", wanted_.message)
                                               : elsewhere_),
             true});
    best_result_ = wanted_;
    return {};
}

tl::expected<Reduction, NotReduced> Reducer::run() {
    for (bool changed = true; changed && !is_spent();) {
        changed = false;
        for (const auto& s : input_simplifications()) changed |= simplify(s);
        // The start of a piece is counted in instructions, which stay as they are.
        if (options_.pool.settings.judging.entry != 0) continue;
        for (const auto& s : program_simplifications()) changed |= simplify(s);
    }
    // The best candidate so far still fails, which may be why no worker finds a device any more.
    reduction_.ended_by = pool_.broken();
    if (!reduced_ && !reduction_.ended_by.empty()) return error(reduction_.ended_by);
    reduction_.file = case_file_of(best_result_, options_.pool.settings.judging);
    reduction_.file.shader = tgsi::print(best_.program);
    reduction_.file.inputs = write_inputs(best_.inputs, tgsi::has_vertices(best_.program.stage, tgsi::File::Input));
    reduction_.instructions = best_.program.instructions.size();
    return std::move(reduction_);
}

tl::expected<Reducer, NotReduced> begin(const CaseFile& file, ReduceOptions& options, bool zeros_alike) {
    options.pool.settings.judging.zeros_alike = zeros_alike;
    auto pool = Pool::start(options.pool);
    if (!pool) return error(pool.error());
    Reducer reducer(file, options, std::move(*pool));
    if (auto fails = reducer.begin(); !fails) return Error(fails.error());
    return reducer;
}

}  // namespace

tl::expected<Reduction, NotReduced> reduce_case(const CaseFile& file, const ReduceOptions& options) {
    ReduceOptions own = options;
    auto& devices = own.pool.settings.devices;
    devices.resize(std::min<size_t>(devices.size(), 1));
    devices.insert(devices.end(), options.passing.begin(), options.passing.end());
    if (devices.size() == options.passing.size() && !devices.empty())
        return error("expected the device on which the case fails (--device)");
    auto lenient = begin(file, own, true);
    if (lenient) return lenient->run();
    auto strict = begin(file, own, options.pool.settings.judging.zeros_alike);
    return strict ? strict->run() : Error(strict.error());
}

}  // namespace tgsi2spv::difftest

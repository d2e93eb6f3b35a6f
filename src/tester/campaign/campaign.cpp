#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "campaign/case_hash.h"
#include "campaign/reduce.h"
#include "cases/case_file.h"

namespace tgsi2spv::difftest {

namespace {

using Error = tl::unexpected<std::string>;
using Clock = std::chrono::steady_clock;

/// Number of cases submitted ahead of the workers; the rest waits as plain specs.
constexpr size_t kSubmittedAhead = 256;
constexpr int kProgressMilliseconds = 200;
/// Limits for each failure that --reduce reduces.
constexpr double kReduceTimeout = 10, kReduceSeconds = 120;
constexpr uint32_t kReduceCandidates = 1500;

/// The state of a case.
struct Line {
    std::vector<CaseResult> results;    ///< results of the devices; cleared when printed
    std::string hash;                   ///< hash of the case, without a driver
    uint64_t settled = 0, resumed = 0;  ///< bit masks by device: has a result; had it before this run (and is not
                                        ///< printed)
};

/// A case that failed and is repeated.
struct Repetition {
    uint32_t attempts = 0;
    CaseResult failure;  ///< the last attempt that failed, with the earlier ones
};

class Campaign {
  public:
    Campaign(const CampaignOptions& options, const CampaignHooks& hooks) : options_(options), hooks_(hooks) {}
    tl::expected<CampaignEnd, std::string> run();

  private:
    CampaignOptions options_;
    const CampaignHooks& hooks_;
    std::vector<CaseSpec> cases_;
    std::vector<Line> lines_;
    std::unordered_map<std::string, size_t> by_id_;  ///< places in cases_, if there are earlier results
    std::optional<CaseHasher> hasher_;
    std::vector<std::string> devices_, drivers_;
    size_t printed_ = 0;
    ResultsWriter writer_;
    std::string write_error_;
    std::optional<RunHeader> earlier_;  ///< header of the file that this run continues
    Environment this_run_;
    CampaignEnd end_;
    Progress progress_;
    Clock::time_point start_ = Clock::now(), told_{};
    std::unordered_map<uint64_t, Repetition> repetitions_;  ///< cases that failed, by case * 64 + device

    tl::expected<std::vector<CaseResult>, std::string> earlier_results();
    std::string open_results(const std::vector<CaseResult>& earlier);
    std::optional<std::pair<size_t, size_t>> place_of(const CaseResult& result) const;
    const std::string& hash_of(size_t index);
    std::vector<CaseResult> without_outdated(std::vector<CaseResult> earlier);
    /// The index of a device; the number of devices if this run does not have it.
    size_t index_of(const std::string& device) const {
        return static_cast<size_t>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin());
    }
    bool says_nothing(const CaseResult& earlier) const;
    void take_earlier(std::vector<CaseResult> earlier);
    void skip_by_baseline();
    void submit(Pool& pool, size_t index);
    void take(Pool& pool, Finished finished);
    void settle(size_t index, uint32_t device, CaseResult result);
    void print_ready();
    void print(Line& line);
    void tell(bool now);
    void reduce_failures();
    void keep(const CaseResult& result);
    std::string go_on_from(std::vector<CaseResult> earlier);
    void settle_repetitions();
    void run_cases(Pool& pool);
    void sum_up();
    void find_unmatched();
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    bool is_stopped() const { return hooks_.stopped && hooks_.stopped(); }
};

RunHeader header_of(const CampaignOptions& options) {
    // Other settings make another campaign.
    RunSettings judging = options.pool.settings.judging;
    const uint64_t seed = std::exchange(judging.seed, RunSettings{}.seed);  // it has a field of its own
    const auto& settings = options.pool.settings;
    return {seed,
            summary_of(judging),
            settings.compile_only,
            settings.validation,
            options.choice.shard,
            options.choice.shards};
}

tl::expected<std::vector<CaseResult>, std::string> Campaign::earlier_results() {
    ResultSet earlier;
    std::error_code error;
    if (!options_.resume) return std::move(earlier.results);
    if (auto reason = writer_.open(options_.results); !reason.empty()) return Error(reason);
    if (std::filesystem::file_size(options_.results, error) > 0 && !error) {
        const auto header = read_results(options_.results, [&](CaseResult r) { put(earlier, std::move(r)); });
        if (!header) return Error(header.error());
        if (const auto why = difference_of(*header, header_of(options_), "this run"); !why.empty())
            return Error(options_.results + why + ": its results cannot be used for this run");
        earlier_ = *header;
    }
    return std::move(earlier.results);
}

/// Returns the case and the device of an earlier result, or nothing if this run does not have them.
std::optional<std::pair<size_t, size_t>> Campaign::place_of(const CaseResult& result) const {
    const auto found = by_id_.find(result.id);
    const size_t device = index_of(result.device);
    if (found == by_id_.end() || device == devices_.size()) return std::nullopt;
    return std::pair(found->second, device);
}

const std::string& Campaign::hash_of(size_t index) {
    std::string& hash = lines_[index].hash;
    if (hash.empty()) hash = hasher_->of(cases_[index]);
    return hash;
}

/// Removes results of cases that this run has, but with another text, input set or setting, or on another driver. A
/// result of an older version of this program, which did not record what it ran, is removed too.
std::vector<CaseResult> Campaign::without_outdated(std::vector<CaseResult> earlier) {
    if (earlier.empty()) return earlier;
    for (size_t i = 0; i < cases_.size(); i++) by_id_.emplace(id_of(cases_[i]), i);
    const size_t before = earlier.size();
    std::erase_if(earlier, [&](const CaseResult& r) {
        const auto place = place_of(r);
        return place && r.hash != hash_on(hash_of(place->first), drivers_[place->second]);
    });
    end_.outdated = before - earlier.size();
    return earlier;
}

/// Opens the file of results. The header says how many it is to hold, so that merging notices those that are missing.
/// A file that is continued is rewritten without outdated results, and with this run in its header.
std::string Campaign::open_results(const std::vector<CaseResult>& earlier) {
    if (options_.results.empty()) return {};
    if (!writer_.is_open())
        if (auto reason = writer_.open(options_.results); !reason.empty()) return reason;
    RunHeader header = header_of(options_);
    header.results = progress_.total;
    header.list = hash_of_list(cases_, devices_);
    header.runs = end_.summary.runs;
    if (!earlier_) return writer_.start(header);
    // Results of cases that this run does not have stay, as does the expected number of results if this run is a part.
    for (const auto& r : earlier) header.results += !place_of(r).has_value();
    header.results = std::max(header.results, earlier_->results);
    return writer_.start_with(header, earlier);
}

/// Whether an earlier result says nothing about the driver, and another run may: memory may suffice now, and the
/// baseline may no longer name the case.
bool Campaign::says_nothing(const CaseResult& result) const {
    if (lacks_memory(result)) return true;
    if (result.reason != Reason::Baseline) return false;
    const Expectation* e = options_.baseline.find(result.id, result.device, result.driver);
    return e == nullptr || e->status != Status::Skip;
}

/// Takes over results of an earlier run. Ignores those of cases or devices that this run does not have.
void Campaign::take_earlier(std::vector<CaseResult> earlier) {
    for (CaseResult& r : earlier) {
        const auto place = place_of(r);
        if (!place) continue;
        const auto device = place->second;
        Line& line = lines_[place->first];
        if ((line.settled >> device & 1) != 0 || says_nothing(r)) continue;
        apply_baseline(options_.baseline, r);
        line.resumed |= uint64_t{1} << device;
        line.settled |= uint64_t{1} << device;
        progress_.resumed++;
        progress_.done++;
        progress_.unexpected += !r.expected;
        add(end_.summary, std::move(r));
    }
}

void Campaign::skip_by_baseline() {
    if (options_.baseline.lines.empty()) return;
    for (size_t i = 0; i < cases_.size(); i++)
        for (uint32_t d = 0; d < devices_.size(); d++) {
            if ((lines_[i].settled >> d & 1) != 0) continue;
            const std::string id = id_of(cases_[i]);
            const Expectation* e = options_.baseline.find(id, devices_[d], drivers_[d]);
            if (e == nullptr || e->status != Status::Skip) continue;
            CaseResult r;
            r.id = id;
            r.device = devices_[d];
            r.driver = drivers_[d];
            r.status = Status::Skip;
            r.reason = Reason::Baseline;
            r.message = "baseline: " + e->reason;
            r.expecting = e->reason;
            settle(i, d, std::move(r));
        }
}

void Campaign::submit(Pool& pool, size_t index) {
    hash_of(index);  // now: a file that changes while it waits or runs is not the one of this hash
    WorkerJob job;
    job.key = index;
    job.spec = cases_[index];
    job.devices = 0;
    for (size_t d = 0; d < devices_.size(); d++)
        if ((lines_[index].settled >> d & 1) == 0) job.devices |= uint64_t{1} << d;
    if (job.devices != 0) pool.submit(std::move(job));
}

/// Repeats an unexpected failure if the options ask for it, and completes all other results.
void Campaign::take(Pool& pool, Finished finished) {
    apply_baseline(options_.baseline, finished.result);
    const auto before = repetitions_.find(finished.key * 64 + finished.device);
    if (before != repetitions_.end()) add_attempts(finished.result, before->second.failure);
    const uint32_t repeated = before == repetitions_.end() ? 0 : before->second.attempts;
    const bool failed = is_failure(finished.result.status) && !finished.result.expected;
    if (failed && repeated < options_.flake_retries && pool.broken().empty()) {
        WorkerJob job;
        job.key = finished.key;
        job.spec = cases_[finished.key];
        job.devices = uint64_t{1} << finished.device;
        job.attempt = repeated + 1;
        repetitions_[finished.key * 64 + finished.device] = {job.attempt, std::move(finished.result)};
        return pool.submit(std::move(job));
    }
    if (before != repetitions_.end()) {
        CaseResult& failure = before->second.failure;
        if (finished.result.status == Status::Pass) {
            finished.result.status = Status::Flake;
            finished.result.message = fmt::format("passed on attempt {}, after: {}", repeated + 1, failure.message);
            finished.result.evidence = std::move(failure.evidence);
            apply_baseline(options_.baseline, finished.result);
        } else if (finished.result.status == Status::Skip) {
            // A repetition that could not run, because memory was short, says nothing about the failure.
            failure.attempts = std::move(finished.result.attempts);
            finished.result = std::move(failure);
        }
        repetitions_.erase(before);
    }
    settle(finished.key, finished.device, std::move(finished.result));
}

void Campaign::settle(size_t index, uint32_t device, CaseResult result) {
    result.hash = hash_on(hash_of(index), drivers_[device]);
    progress_.done++;
    progress_.unexpected += !result.expected;
    if (write_error_.empty() && writer_.is_open()) write_error_ = writer_.write(result);
    keep(result);
    Line& line = lines_[index];
    line.results.resize(devices_.size());
    line.results[device] = result;
    line.settled |= uint64_t{1} << device;
    add(end_.summary, std::move(result));
    print_ready();
}

/// Cases that cannot be kept do not stop the run: they are in the results, too.
void Campaign::keep(const CaseResult& result) {
    if (options_.keep.empty() || !is_notable(result.status, true) || !end_.not_kept.empty()) return;
    const CaseResult failed = failed_attempt(result);
    end_.not_kept = keep_case(options_.keep, failed, options_.pool.settings.judging);
}

void Campaign::print_ready() {
    const uint64_t all = (uint64_t{1} << devices_.size()) - 1;
    for (; printed_ < lines_.size() && lines_[printed_].settled == all; printed_++) print(lines_[printed_]);
}

void Campaign::print(Line& line) {
    for (size_t d = 0; d < line.results.size(); d++)
        if ((line.settled & ~line.resumed) >> d & 1) hooks_.result(line.results[d]);
    line.results = {};
    line.hash = {};
}

void Campaign::tell(bool now) {
    const auto time = Clock::now();
    if (!hooks_.progress || (!now && time - told_ < std::chrono::milliseconds(kProgressMilliseconds))) return;
    told_ = time;
    progress_.seconds = seconds();
    hooks_.progress(progress_);
}

/// Reduces the first failures. The results file gets a second line for each, with the reduced case.
void Campaign::reduce_failures() {
    const auto& asked = options_.pool.settings.devices;
    uint32_t left = options_.reduce;
    for (CaseResult& r : end_.summary.failures) {
        if (left == 0 || is_stopped()) return;
        if (r.expected || !is_failure(r.status) || r.evidence.shader.empty() || !r.evidence.reduced.empty()) continue;
        left--;
        ReduceOptions reducing;
        reducing.pool = options_.pool;
        // Names of devices in results are not unique among the devices of a machine, and may have a number (Pool).
        if (const size_t device = index_of(r.device); device < asked.size())
            reducing.pool.settings.devices = {asked[device]};
        reducing.pool.timeout_s = std::min(options_.pool.timeout_s, kReduceTimeout);
        reducing.most_candidates = kReduceCandidates;
        reducing.most_seconds = kReduceSeconds;
        reducing.stopped = hooks_.stopped;
        if (hooks_.reducing)
            reducing.progress = [&](uint32_t tried, size_t instructions) { hooks_.reducing(r, tried, instructions); };
        const auto reduced = reduce_case(case_file_of(r, options_.pool.settings.judging), reducing);
        if (!reduced) continue;  // it failed once, but not again on its own
        r.evidence.reduced = write_case_file(reduced->file);
        if (writer_.is_open() && write_error_.empty()) write_error_ = writer_.write(r);
        keep(r);
    }
}

/// Takes over usable earlier results and opens the file for the others. Returns the reason on failure, otherwise an
/// empty string.
std::string Campaign::go_on_from(std::vector<CaseResult> earlier) {
    earlier = without_outdated(std::move(earlier));
    if (earlier_) end_.summary.runs = earlier_->runs;
    end_.summary.runs.push_back(this_run_);
    if (auto reason = open_results(earlier); !reason.empty()) return reason;
    take_earlier(std::move(earlier));
    skip_by_baseline();
    print_ready();
    return {};
}

/// Failures that cannot be repeated any more are failures.
void Campaign::settle_repetitions() {
    for (auto& [key, repetition] : repetitions_)
        settle(key / 64, static_cast<uint32_t>(key % 64), std::move(repetition.failure));
    repetitions_.clear();
}

/// Runs the cases that have no result yet, until there is a reason to stop.
void Campaign::run_cases(Pool& pool) {
    const auto stop = [&] { return !write_error_.empty() || is_stopped(); };
    for (size_t next = 0; !stop() && (next < cases_.size() || !pool.is_idle());) {
        for (; next < cases_.size() && pool.waiting() < kSubmittedAhead; next++) submit(pool, next);
        for (Finished& f : pool.next(kProgressMilliseconds)) take(pool, std::move(f));
        if (!pool.broken().empty()) {
            end_.interrupted = pool.broken();
            settle_repetitions();
            break;
        }
        tell(false);
    }
}

/// Finds lines of a baseline that have become useless: the case has another name, or is gone.
void Campaign::find_unmatched() {
    const CaseChoice& choice = options_.choice;
    if (!end_.interrupted.empty() || !choice.filter.empty() || choice.shards != 1) return;
    std::vector<const Expectation*> unmatched;
    for (const Expectation& e : options_.baseline.lines) {
        bool concerns = false;
        for (size_t d = 0; d < devices_.size(); d++) concerns |= e.device.matches(devices_[d], drivers_[d]);
        if (concerns) unmatched.push_back(&e);
    }
    for (const CaseSpec& spec : cases_) {
        if (unmatched.empty()) return;
        std::erase_if(unmatched, [id = id_of(spec)](const Expectation* e) { return is_all_of(e->pattern, id); });
    }
    for (const Expectation* e : unmatched) end_.unmatched.push_back(e->place);
}

/// Completes the summary, and reports the remaining results.
void Campaign::sum_up() {
    tell(true);
    if (end_.interrupted.empty() && progress_.done < progress_.total)
        end_.interrupted = !write_error_.empty() ? "the results cannot be written" : "stopped";
    for (; printed_ < lines_.size(); printed_++) print(lines_[printed_]);
    sort(end_.summary);
    find_unmatched();
    end_.seconds = seconds();
}

tl::expected<CampaignEnd, std::string> Campaign::run() {
    auto listed = list_cases(options_.sources, options_.choice);
    if (!listed) return Error(listed.error());
    cases_ = std::move(*listed);
    auto pool = Pool::start(options_.pool);
    if (!pool) return Error(pool.error());
    // Results record the actual settings, not the requested ones.
    options_.pool.settings.validation &= pool->validates();
    hasher_.emplace(options_.pool.settings);
    auto earlier = earlier_results();
    if (!earlier) return Error(earlier.error());
    devices_ = pool->devices();
    drivers_ = pool->drivers();
    lines_.resize(cases_.size());
    progress_.total = cases_.size() * devices_.size();
    this_run_ = this_environment(options_.command, options_.pool.settings.judging.seed);
    pool->describe_devices(this_run_);
    const size_t told = pool->notes().size();
    if (hooks_.started) hooks_.started(this_run_, pool->notes());
    if (auto reason = go_on_from(std::move(*earlier)); !reason.empty()) return Error(reason);
    run_cases(*pool);
    end_.notes.assign(pool->notes().begin() + static_cast<ptrdiff_t>(told), pool->notes().end());
    sum_up();
    if (options_.reduce > 0 && hooks_.before_reducing) hooks_.before_reducing(end_);
    if (write_error_.empty()) reduce_failures();
    end_.not_written = write_error_;
    end_.seconds = seconds();
    return std::move(end_);
}

}  // namespace

tl::expected<CampaignEnd, std::string> run_campaign(const CampaignOptions& options, const CampaignHooks& hooks) {
    return Campaign(options, hooks).run();
}

}  // namespace tgsi2spv::difftest

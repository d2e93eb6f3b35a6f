#include "mutate/run.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <spirv-tools/libspirv.hpp>

#include "cases/case_file.h"
#include "cases/compare.h"
#include "cases/judge_parts.h"
#include "cases/run/bind.h"
#include "cases/run/run_vulkan.h"
#include "files/files.h"
#include "inputs/case.h"
#include "inputs/inputs.h"
#include "mutate/equal.h"
#include "mutate/fingerprint.h"
#include "mutate/hostile.h"
#include "search/search.h"
#include "tgsi/stage.h"

namespace tgsi2spv::difftest {

namespace {

constexpr uint32_t kLanes = 64;
/// Several rows of quads: the arithmetic that numbers pixels is also under test.
constexpr uint32_t kWidth = 8;
constexpr uint32_t kMaxKept = 8;  ///< input sets on which the module fails, written beside the module
constexpr uint64_t kMutantTimeout = 10'000'000'000;

/// One input set with what the judge permits.
struct Judged {
    reference::Inputs inputs;
    reference::Result permitted;
    reference::Result unbroken{};  ///< the answer of the module itself
};

/// A set that has not been judged: the device shows whether judging is worth the time.
struct Unjudged {
    reference::Inputs inputs;
    std::optional<uint64_t> answers{};  ///< the module's own, as one number
    bool spoiled = false;               ///< the module fails on it, or does not end
};

class Runner {
  public:
    Runner(const MutationRun& run, Workplace& workplace) : run_(run), workplace_(workplace) {}

    /// Why the shader cannot be used, or nothing.
    std::string prepare();
    const std::vector<uint32_t>& words() const { return words_; }
    enum class Fate : uint8_t { Caught, Permitted, Same, NotRun };
    /// Permitted: the answers differ, but nowhere beyond what Vulkan permits. Same: every word equals the module's.
    /// NotRun: no set caught it, and not all of them ran; `why` gets the reason.
    Fate fate_of(const Mutation& mutation, std::string& why);
    /// Whether one of the sets that have not been judged shows it: runs module and mutant on the device and judges if
    /// their answers differ.
    bool is_hunted_down(const Mutation& mutation);
    uint32_t left_out = 0;  ///< input sets that fail without a mutation
    std::string first_left_out;
    std::vector<CaseFile> left_out_cases;  ///< as many as are kept
    uint64_t known_words = 0;              ///< in all sets
    std::optional<ZeroWord> zero;

  private:
    const MutationRun& run_;
    Workplace& workplace_;
    BindingSet buffers_, images_;
    std::vector<uint32_t> plain_, hostile_;  ///< a module, and its rewritten form
    std::vector<Judged> judged_;
    std::vector<Unjudged> unjudged_;
    reference::Options judging_;
    std::vector<uint32_t> words_;
    StreamMasks streams_;

    /// Takes the set, or says why not.
    std::string judge(reference::Inputs inputs, const std::string& text, const reference::Options& judging);
    void keep(const Judged& judged, const std::string& text, const std::string& message);
    tl::expected<reference::Result, VulkanTrouble> execute(const Judged& judged, const ModuleHook& hook);
    bool passes(const Judged& judged, const reference::Result& ran) const {
        return compare(judged.permitted, ran, judged.inputs.lanes, streams_).passed();
    }
};

/// Whether a trouble comes from the mutation. The others are the machine's: they would come with the module too.
bool catches(Trouble kind) {
    return kind == Trouble::Invalid || kind == Trouble::Device || kind == Trouble::Timeout;
}

tl::expected<reference::Result, VulkanTrouble> Runner::execute(const Judged& judged, const ModuleHook& hook) {
    VulkanOptions running;
    running.settings = run_.judging;
    running.unwritten = kUnwritten;
    running.settings.timeout_ns = kMutantTimeout;
    running.marks_behind = true;
    running.hook = [&](api::Context& c, const api::Options& conversion) {
        hook(c, conversion);
        running.images_in_larger = images_;
        if (!std::ranges::equal(c.words, plain_)) {
            plain_.assign(c.words.begin(), c.words.end());
            hostile_ = as_on_hostile_device(plain_, buffers_, kMarks, images_,
                                            workplace_.devices[0]->report().subgroup.subgroupSize);
        }
        c.words.assign(hostile_.begin(), hostile_.end());
    };
    auto ran = run_vulkan(*workplace_.devices[0], workplace_.context, judged.inputs, running);
    // It wrote beyond its memory.
    if (ran && !ran->error.empty()) return tl::unexpected<VulkanTrouble>({Trouble::Invalid, ran->error});
    return ran;
}

std::string Runner::prepare() {
    auto making = run_.judging;
    making.search_runs = 0;  // this has its own
    const auto made = make_case(run_.spec, making, workplace_);
    if (made.decided) return made.decided->message;
    auto& context = workplace_.context;
    streams_ = stream_outputs(context.program);
    auto judging = reference_options(workplace_.devices[0]->report(), run_.judging.dialect);
    judging.max_steps = run_.judging.max_steps;
    if (run_.judging.strict) be_strict(workplace_.devices[0]->report(), judging);
    judging.subgroup_size = workplace_.devices[0]->report().subgroup.subgroupSize;  // judge() checks whether it holds
    std::vector<reference::Inputs> sets;
    for (uint32_t i = 0; i < run_.inputs; i++) {
        InputOptions generation = options_for_set(i);
        generation.one_level_offsets = run_.judging.one_level_offsets;
        generation.seed = case_seed(made.text, run_.judging.seed, i);
        generation.lanes = kLanes;
        generation.framebuffer_width = kWidth;
        sets.push_back(generate_inputs(context.program, context.registers, generation));
    }
    if (run_.searched > 0 && !sets.empty()) {
        SearchOptions searching;
        searching.seed = case_seed(made.text, run_.judging.seed, run_.inputs);
        searching.most_sets = run_.searched;
        searching.judging = judging;
        std::vector<reference::Inputs> others;
        searching.others = &others;
        for (auto& found : search_inputs(context.program, context.registers, sets, searching))
            sets.push_back(std::move(found));
        for (auto& other : others) unjudged_.push_back({std::move(other)});
    }
    judging.most_useful = judging.max_steps;  // the search, which is over, uses every answer
    judging_ = judging;
    std::string trouble = "no input sets";
    for (auto& inputs : sets)
        if (auto why = judge(std::move(inputs), made.text, judging); !why.empty()) trouble = std::move(why);
    if (!judged_.empty() && known_words == 0) return "nothing to compare: no output is known in any input set";
    return judged_.empty() ? trouble : std::string();
}

void Runner::keep(const Judged& judged, const std::string& text, const std::string& message) {
    CaseFile& file = left_out_cases.emplace_back();
    file.id = fmt::format("{}#left-out-{}", run_.spec.name, left_out_cases.size());
    file.device = workplace_.devices[0]->report().info.name;
    file.message = message;
    file.settings = run_.judging;
    file.shader = text;
    file.inputs = write_inputs(judged.inputs, tgsi::has_vertices(workplace_.context.program.stage, tgsi::File::Input));
}

std::string Runner::judge(reference::Inputs inputs, const std::string& text, const reference::Options& judging) {
    auto& context = workplace_.context;
    Judged j;
    j.inputs = std::move(inputs);
    j.permitted = reference::run(context.program, context.registers, j.inputs, judging);
    if (!j.permitted.error.empty()) return "not judged: " + j.permitted.error;
    if (j.permitted.instructions >= judging.max_steps) return "the reference executed too many instructions";
    // What a format says about an image may differ between inputs: the module of the first set counts.
    bool same = true;
    const auto ran = execute(j, [&](api::Context& c, const api::Options& conversion) {
        if (words_.empty()) {
            words_.assign(c.words.begin(), c.words.end());
            images_ = images_by_texel(words_);
            for (const auto& r : api::reflect(c, conversion).resources)
                if (r.kind == ir::VariableKind::StorageBuffer) buffers_.emplace(r.binding.set, r.binding.binding);
            // COMP has only this one of these buffers; in other stages it is the third.
            const auto reflection = api::reflect(c, conversion);
            for (const auto& r : reflection.resources)
                if (r.kind == ir::VariableKind::IoBuffer && (r.index == 2 || reflection.io_input_slots == 0))
                    zero = ZeroWord{r.binding.set, r.binding.binding};
        }
        same = std::ranges::equal(words_, c.words);
    });
    if (!ran) return ran.error().message;
    if (!same) return "the inputs change the module";
    const auto compared = compare(j.permitted, *ran, j.inputs.lanes, streams_);
    if (!compared.passed() && judging.subgroup_size != 0) {
        auto freely = judging;
        freely.subgroup_size = 0;
        return judge(std::move(j.inputs), text, freely);
    }
    if (!compared.passed()) {
        const auto message = describe(compared.mismatches.front());
        if (left_out++ == 0) first_left_out = message;
        if (left_out <= kMaxKept && !run_.modules.empty()) keep(j, text, message);
        return "fails without a mutation: " + message;
    }
    known_words += compared.words - compared.unknown;
    j.unbroken = *ran;
    judged_.push_back(std::move(j));
    return {};
}

Runner::Fate Runner::fate_of(const Mutation& mutation, std::string& why) {
    const auto broken = mutated(words_, mutation);
    Fate fate = Fate::Same;
    for (const auto& j : judged_) {
        const auto ran =
            execute(j, [&](api::Context& c, const api::Options&) { c.words.assign(broken.begin(), broken.end()); });
        if (!ran && !catches(ran.error().kind)) {
            why = ran.error().message;
            continue;
        }
        if (!ran || !passes(j, *ran)) return Fate::Caught;
        if (!compare(j.unbroken, *ran, j.inputs.lanes, streams_).passed()) fate = Fate::Permitted;
    }
    return why.empty() ? fate : Fate::NotRun;
}

bool Runner::is_hunted_down(const Mutation& mutation) {
    // Whoever waits for this process is far more patient (difftest_mutate.cpp).
    constexpr auto kLongest = std::chrono::seconds(20);
    constexpr uint32_t kMaxJudged = 24;
    const auto begin = std::chrono::steady_clock::now();
    const auto broken = mutated(words_, mutation);
    uint32_t judged = 0;
    for (auto& u : unjudged_) {
        if (std::chrono::steady_clock::now() - begin > kLongest || judged >= kMaxJudged) return false;
        if (u.spoiled) continue;
        Judged j;
        j.inputs = u.inputs;
        if (!u.answers) {
            bool same = true;
            const auto ran =
                execute(j, [&](api::Context& c, const api::Options&) { same = std::ranges::equal(words_, c.words); });
            u.spoiled = !ran || !same;
            if (u.spoiled) continue;
            u.answers = fingerprint(*ran);
        }
        const auto ran =
            execute(j, [&](api::Context& c, const api::Options&) { c.words.assign(broken.begin(), broken.end()); });
        if (!ran && !catches(ran.error().kind)) continue;
        if (!ran) return true;
        if (fingerprint(*ran) == *u.answers) continue;
        judged++;
        j.permitted = reference::run(workplace_.context.program, workplace_.context.registers, j.inputs, judging_);
        u.spoiled = !j.permitted.error.empty() || j.permitted.instructions >= judging_.max_steps;
        if (u.spoiled || passes(j, *ran)) continue;
        auto unbroken = execute(j, [](api::Context&, const api::Options&) {});
        u.spoiled = !unbroken || !passes(j, *unbroken);
        if (u.spoiled) continue;
        j.unbroken = std::move(*unbroken);
        judged_.push_back(std::move(j));
        u.spoiled = true;  // it is one of the judged sets now
        return true;
    }
    return false;
}

/// Every nth, so that all of the module is covered.
std::vector<Mutation> chosen(std::vector<Mutation> all, uint32_t limit) {
    if (limit == 0 || all.size() <= limit) return all;
    std::vector<Mutation> some;
    for (uint64_t i = 0; i < limit; i++) some.push_back(std::move(all[i * all.size() / limit]));
    return some;
}

using What = MutationLine::What;

/// Writes the module as text, and the input sets on which it fails. Returns the reason on failure, otherwise an empty
/// string.
std::string write_modules(const MutationRun& run, const Runner& runner) {
    std::string name = run.modules + ".spvasm";
    // Which shader it is the module of: shaders in different folders may have the same name.
    std::string why = write_file(name, fmt::format("; {}\n", id_of(run.spec)) + disassemble(runner.words()));
    for (size_t k = 0; why.empty() && k < runner.left_out_cases.size(); k++) {
        name = fmt::format("{}-{}.case", run.modules, k + 1);
        why = write_file(name, write_case_file(runner.left_out_cases[k]));
    }
    return why.empty() ? why : cannot_write(name, why);
}

/// Reports what is counted beside the mutants.
void say_what_is_not_scored(const MutationRun& run, const Runner& runner,
                            const std::function<void(const MutationLine&)>& say) {
    for (const auto& [decoration, count] : permissions_of(runner.words()))
        say({What::NotScored, count, {}, fmt::format("{} decorations, without effect on this device", decoration)});
    if (runner.left_out > 0)
        say({What::NotScored,
             runner.left_out,
             {},
             fmt::format("input sets of {} omitted because the unmutated module fails on them: {}", run.spec.name,
                         runner.first_left_out)});
}

/// Runs a mutant. Says what is being done with it, in case the process ends, and at last what became of it.
void run_mutant(Runner& runner, const Mutation& mutant, const spvtools::SpirvTools& validator,
                const std::function<void(What, const std::string& more)>& say) {
    using Fate = Runner::Fate;
    say(What::Begin, "");
    const auto broken = mutated(runner.words(), mutant);
    if (!validator.Validate(broken)) return say(What::Invalid, "");
    std::string why;
    const auto fate = runner.fate_of(mutant, why);
    if (fate == Fate::NotRun) return say(What::NotRun, ": " + why);
    if (fate == Fate::Caught) return say(What::Caught, "");
    if (same_when_optimised(runner.words(), broken, runner.zero)) return say(What::Equal, "");
    if (runner.is_hunted_down(mutant)) return say(What::Caught, "");
    say(What::Survived, fate == Fate::Permitted ? " (answers differ, but all are permitted)"
                        : fate == Fate::Same    ? " (all answers are equal)"
                                                : "");
}

}  // namespace

std::string write(const MutationLine& line) {
    return fmt::format("{} {} {} {}", static_cast<int>(line.what), line.number, static_cast<int>(line.kind), line.text);
}

bool read(const std::string& text, MutationLine& line) {
    const char* at = text.data();
    const char* const end = at + text.size();
    uint32_t numbers[3] = {};
    for (auto& n : numbers) {
        const auto [next, error] = std::from_chars(at, end, n);
        if (error != std::errc() || next == end || *next != ' ') return false;
        at = next + 1;
    }
    if (numbers[0] > static_cast<uint32_t>(MutationLine::What::Done) || numbers[2] >= kMutationKinds) return false;
    line.what = static_cast<MutationLine::What>(numbers[0]);
    line.number = numbers[1];
    line.kind = static_cast<MutationKind>(numbers[2]);
    line.text.assign(at, end);
    return true;
}

void run_mutants(const MutationRun& run, const std::function<void(const MutationLine&)>& say) {
    const auto skip = [&](const std::string& why) { say({What::Skip, 0, {}, why}); };
    std::vector<std::string> devices;
    if (!run.device.empty()) devices.push_back(run.device);
    auto workplace = open_workplace(devices, false);
    if (!workplace) return skip(workplace.error());
    Runner runner(run, *workplace);
    if (const auto why = runner.prepare(); !why.empty()) return skip(why);
    if (!run.modules.empty() && run.from == 0)
        if (const auto why = write_modules(run, runner); !why.empty()) return say({What::Error, 0, {}, why});
    if (run.permissions) say_what_is_not_scored(run, runner, say);
    spvtools::SpirvTools validator(SPV_ENV_VULKAN_1_2);
    validator.SetMessageConsumer([](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
    const auto mutants = chosen(mutations_of(runner.words()), run.limit);
    for (uint32_t i = run.from; i < mutants.size(); i++) {
        const auto& mutant = mutants[i];
        run_mutant(runner, mutant, validator, [&](What what, const std::string& more) {
            say({what, i, mutant.kind, mutant.what + more});
        });
        if (workplace->devices[0]->lost) return;  // the parent starts another process after this one
    }
    say({What::Done, 0, {}, ""});
}

}  // namespace tgsi2spv::difftest

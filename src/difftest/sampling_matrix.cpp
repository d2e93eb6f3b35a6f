#include "difftest/sampling_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <spirv-tools/libspirv.hpp>

#include "difftest/case.h"
#include "difftest/compare.h"
#include "difftest/quirks.h"
#include "difftest/run_vulkan.h"
#include "difftest/sampling_case.h"
#include "vulkan/device.h"
#include "vulkan/instance.h"

namespace tgsi2spv::difftest {

namespace {

constexpr size_t kLinesPerFailure = 4;

/// What became of one form.
struct FormTally {
    uint32_t cases_run = 0;
    std::vector<std::string> failures;
    std::set<std::string> skips;
    Share share;
    size_t wrong = 0;
    void fail(std::string line) {
        ++wrong;
        if (failures.size() < kLinesPerFailure) failures.push_back(std::move(line));
    }
};

class Matrix {
  public:
    Matrix(const MatrixOptions& options, const CampaignHooks& hooks) : options_(options), hooks_(hooks) {}
    std::string open();
    void form(const Form& form, uint32_t number);
    MatrixSummary take() { return std::move(summary_); }

  private:
    const MatrixOptions& options_;
    const CampaignHooks& hooks_;
    std::unique_ptr<vulkan::Instance> instance_;
    std::vector<std::unique_ptr<vulkan::Device>> devices_;
    api::Context context_;
    MatrixSummary summary_;

    void run_case(const Form& form, std::span<const SamplingState> states, uint64_t seed, FormTally& tally);
    void on_device(size_t device, const SamplingCase& c, FormTally& tally);
    void keep(const SamplingCase& c) const;
    bool translate_apart(const SamplingCase& c, FormTally& tally);
    void count(const Form& form, const FormTally& tally, bool translated);
};

std::string Matrix::open() {
    auto instance = vulkan::Instance::create({options_.validation});
    if (!instance) return instance.error().message;
    instance_ = std::move(*instance);
    std::vector<std::string> names = options_.devices;
    if (names.empty()) {
        const auto info = instance_->default_device();
        if (!info) return info.error().message;
        names.push_back(info->name);
    }
    for (const std::string& name : names) {
        const auto info = instance_->find(name);
        if (!info) return info.error().message;
        auto device = vulkan::Device::create(*instance_, *info);
        if (!device) return device.error().message;
        devices_.push_back(std::move(*device));
    }
    return {};
}

std::string first_error(const api::Context& context) {
    for (const auto& d : context.diagnostics)
        if (d.severity == tgsi::Severity::Error) return d.message;
    return "refused";
}

/// A device that has everything.
api::Options every_feature() {
    api::Options o;
    o.lower.exact = o.lower.io_buffers = true;
    o.capabilities.non_uniform_indexing = true;
    return o;
}

std::string complaint(const std::vector<uint32_t>& words) {
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    std::string said;
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { said += message; });
    return tools.Validate(words) ? std::string() : "spirv-val: " + said;
}

/// What no device here may be able to run: translated with every feature, validated, judged.
bool Matrix::translate_apart(const SamplingCase& c, FormTally& tally) {
    const api::Options options = every_feature();
    context_.diagnostics.clear();
    if (!api::lower(context_, options) || !api::optimise(context_, options) || !api::emit(context_, options)) {
        tally.skips.insert(first_error(context_));
        return false;
    }
    if (const std::string said = complaint(context_.words); !said.empty()) {
        tally.fail(said);
        return false;
    }
    std::string error;
    reference::Options judging;
    const auto permitted = judge(c, context_, judging, error);
    if (!error.empty()) tally.fail("not judged: " + error);
    return error.empty() && !permitted.empty();
}

/// By state: what a known mistake of the driver spoils.
std::vector<bool> states_spoilt(const SamplingCase& c, const std::string& device, FormTally& tally) {
    const Quirks quirks = quirks_of(device);
    std::vector<bool> spoilt(c.states.size());
    for (uint32_t k = 0; k < spoilt.size(); ++k) {
        auto why = unusable(quirks, c.form.message, c.inputs.textures.at(k), c.inputs.samplers.at(k));
        // Lanes that choose may take any sampler with any texture.
        for (uint32_t s = 0; lanes_choose(c.form) && !why && s < spoilt.size(); ++s)
            why = unusable(quirks, c.form.message, c.inputs.textures.at(k), c.inputs.samplers.at(s));
        if (!why) continue;
        spoilt[k] = true;
        tally.skips.insert(fmt::format("{}: {}", device, *why));
        if (lanes_choose(c.form)) std::fill(spoilt.begin(), spoilt.end(), true);
    }
    return spoilt;
}

void Matrix::on_device(size_t index, const SamplingCase& c, FormTally& tally) {
    auto& device = *devices_[index];
    const std::string& name = device.report().info.name;
    if (hooks_.before) hooks_.before(c.form.name, name);
    const std::vector<bool> spoilt = states_spoilt(c, name, tally);
    if (std::find(spoilt.begin(), spoilt.end(), false) == spoilt.end()) return;
    VulkanOptions running;
    running.unwritten = 0xdeadbeef;
    running.in_spite_of_quirks = true;
    const auto ran = run_vulkan(device, context_, c.inputs, running);
    for (const auto& message : instance_->take_messages()) tally.fail(fmt::format("{}: validation: {}", name, message));
    if (!ran) {
        const auto& t = ran.error();
        if (t.kind == Trouble::Refused || t.kind == Trouble::Missing)
            tally.skips.insert(fmt::format("{}: {}", name, t.message));
        else
            tally.fail(fmt::format("{}: {}", name, t.message));
        return;
    }
    std::string error;
    const auto permitted = judge(c, context_, reference_options(device.report(), tgsi::Dialect::Auto), error);
    if (!error.empty()) return tally.fail("not judged: " + error);
    ++tally.cases_run;
    const size_t failures = tally.wrong;
    for (const PermittedWord& p : permitted) {
        if (spoilt[p.state]) continue;
        ++tally.share.words;
        tally.share.unknown += p.value.kind == reference::Kind::Unknown;
        const auto& lanes = ran->outputs.at(p.reg);
        const uint32_t got = lanes[p.lane][p.component].value;
        if (permits(p, got)) continue;
        Mismatch m;
        m.index = p.reg;
        m.lane = p.lane;
        m.component = p.component;
        m.expected = p.value;
        m.got = got;
        tally.fail(fmt::format("{}: {}: {}", name, describe(c.states[p.state]), describe(m)));
    }
    if (tally.wrong > failures) keep(c);
}

void Matrix::keep(const SamplingCase& c) const {
    if (options_.keep.empty() || c.text.empty()) return;
    std::string base = c.form.name;
    std::replace_if(
        base.begin(), base.end(), [](char x) { return x == ' ' || x == ',' || x == '/'; }, '_');
    std::error_code error;
    std::filesystem::create_directories(options_.keep, error);
    // The first state tells the cases of a form apart.
    const auto path = fmt::format("{}/{}-{}", options_.keep, base, describe(c.states[0]));
    std::ofstream(path + ".tgsi", std::ios::binary) << c.text;
    std::ofstream(path + ".in.json", std::ios::binary) << write_inputs(c.inputs);
}

void Matrix::run_case(const Form& form, std::span<const SamplingState> states, uint64_t seed, FormTally& tally) {
    SamplingCase c{.form = form, .states = states};
    if (std::string error = prepare(c, context_, seed); !error.empty()) return tally.fail(std::move(error));
    for (size_t device = 0; device < devices_.size(); ++device) on_device(device, c, tally);
}

void Matrix::form(const Form& form, uint32_t number) {
    FormTally tally;
    bool translated = false;
    if (!form.impossible.empty()) {
        tally.skips.insert(form.impossible);
        return count(form, tally, false);
    }
    const auto states = states_of(form);
    const std::span<const SamplingState> all = states;
    const uint32_t most = states_a_case(form);
    uint32_t cases = 0;
    for (size_t first = 0; first < all.size();) {
        size_t n = 1;  // lanes that choose a descriptor choose among those of one type
        const bool one_kind = lanes_choose(form);
        while (n < most && first + n < all.size() && (!one_kind || all[first + n].kind == all[first].kind)) ++n;
        const uint64_t seed = options_.seed * 0x1'0000'0000 + number * 1000 + cases;
        // Where few states fit a pipeline, the form runs on every third group; which, differs from form to form.
        if (!one_kind || (cases + number) % 3 == 0) run_case(form, all.subspan(first, n), seed, tally);
        first += n;
        ++cases;
    }
    if (tally.cases_run == 0 && tally.failures.empty()) {
        SamplingCase c{.form = form, .states = all.first(1)};
        if (std::string error = prepare(c, context_, options_.seed + number); !error.empty())
            tally.fail(std::move(error));
        else
            translated = translate_apart(c, tally);
    }
    count(form, tally, translated);
}

void Matrix::count(const Form& form, const FormTally& tally, bool translated) {
    summary_.by_text += !form.line.empty();
    summary_.share.words += tally.share.words;
    summary_.share.unknown += tally.share.unknown;
    for (const auto& reason : tally.skips) summary_.skip_reasons[reason]++;
    std::string notes;
    if (!tally.failures.empty()) {
        summary_.failed++;
        hooks_.print("fail " + form.name);
        for (const auto& f : tally.failures) hooks_.print("     " + f);
    } else if (tally.cases_run > 0) {
        summary_.passed++;
        for (const auto& s : tally.skips) notes += fmt::format(" (not: {})", s);
        if (!options_.quiet) hooks_.print(fmt::format("pass {}{}", form.name, notes));
    } else {
        summary_.skipped++;
        summary_.translated += translated;
        for (const auto& s : tally.skips) notes += (notes.empty() ? "" : "; ") + s;
        if (translated) notes += " (translated, validated, judged)";
        if (!options_.quiet) hooks_.print(fmt::format("skip {}: {}", form.name, notes));
    }
}

}  // namespace

tl::expected<MatrixSummary, std::string> run_sampling_matrix(const MatrixOptions& options, const CampaignHooks& hooks) {
    Matrix matrix(options, hooks);
    if (auto error = matrix.open(); !error.empty()) return tl::unexpected<std::string>(std::move(error));
    const std::vector<Form> forms = sampling_forms();
    uint32_t taken = 0;
    for (uint32_t number = 0; number < forms.size(); ++number) {
        if (forms[number].name.find(options.filter) == std::string::npos) continue;
        if (taken++ % std::max(1u, options.sample) == 0) matrix.form(forms[number], number);
    }
    return matrix.take();
}

std::vector<std::string> report_lines(const MatrixSummary& s) {
    std::vector<std::string> lines;
    for (const auto& [reason, count] : s.skip_reasons) lines.push_back(fmt::format("skipped {:5}  {}", count, reason));
    lines.push_back(fmt::format("unknown {:.2f} % of {} output words", 100 * s.share.ratio(), s.share.words));
    lines.push_back(
        fmt::format("{} forms through a TGSI opcode, {} by the message itself; {} of the skipped were "
                    "translated, validated and judged",
                    s.by_text, s.passed + s.failed + s.skipped - s.by_text, s.translated));
    lines.push_back(fmt::format("{} passed, {} failed, {} skipped", s.passed, s.failed, s.skipped));
    return lines;
}

}  // namespace tgsi2spv::difftest

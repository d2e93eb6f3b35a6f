#include "difftest/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>

#include "api/convert.h"
#include "api/stage.h"
#include "difftest/case.h"
#include "difftest/compare.h"
#include "difftest/inputs.h"
#include "difftest/run_vulkan.h"
#include "vulkan/device.h"
#include "vulkan/instance.h"

namespace tgsi2spv::difftest {

namespace {

constexpr size_t kLinesPerFailure = 3;

/// What became of one shader.
struct Tally {
    uint32_t passed = 0;
    std::vector<std::string> failures;
    std::set<std::string> skips;
    Share share;
};

class Campaign {
  public:
    Campaign(const CampaignOptions& options, const CampaignHooks& hooks) : options_(options), hooks_(hooks) {}

    std::optional<std::string> open();
    void shader(const Source& source);
    Summary take() { return std::move(summary_); }

  private:
    const CampaignOptions& options_;
    const CampaignHooks& hooks_;
    std::unique_ptr<vulkan::Instance> instance_;
    std::vector<std::unique_ptr<vulkan::Device>> devices_;
    std::vector<std::unique_ptr<vulkan::Device>> lost_;
    api::Context context_;
    Summary summary_;

    void one_case(const Source& source, const std::string& text, uint32_t number, Tally& tally);
    void on_device(size_t device, const Source& source, const std::string& text, uint32_t number,
                   const reference::Inputs& inputs, Tally& tally);
    void replace_lost(size_t device);
    void keep(const Source& source, const std::string& text, uint32_t number, const reference::Inputs& inputs) const;
    void count(const Source& source, const Tally& tally, bool parsed);
    void print(const std::string& line) const { hooks_.print(line); }
};

std::optional<std::string> Campaign::open() {
    auto instance = vulkan::Instance::create({options_.validation});
    if (!instance) return instance.error().message;
    instance_ = std::move(*instance);
    std::vector<vulkan::DeviceInfo> infos;
    for (const auto& name : options_.devices) {
        const auto info = instance_->find(name);
        if (!info) return info.error().message;
        infos.push_back(*info);
    }
    if (options_.devices.empty()) {
        const auto info = instance_->default_device();
        if (!info) return info.error().message;
        infos.push_back(*info);
    }
    for (const auto& info : infos) {
        auto device = vulkan::Device::create(*instance_, info);
        if (!device) return device.error().message;
        devices_.push_back(std::move(*device));
    }
    return std::nullopt;
}

std::string first_error(const api::Context& context) {
    for (const auto& d : context.diagnostics)
        if (d.severity == tgsi::Severity::Error) return d.message;
    return "refused";
}

void Campaign::shader(const Source& source) {
    Tally tally;
    const auto text = read_source(source.path);
    api::Options parsing;
    parsing.lower.dialect = options_.dialect;
    context_.diagnostics.clear();
    bool parsed = false;
    if (!text) {
        tally.failures.push_back(text.error());
    } else if (!api::parse(context_, *text, parsing)) {
        tally.skips.insert("no valid shader: " + first_error(context_));
    } else {
        parsed = true;
        for (uint32_t i = 0; i < options_.inputs; i++) one_case(source, *text, i, tally);
    }
    count(source, tally, parsed);
}

void Campaign::one_case(const Source& source, const std::string& text, uint32_t number, Tally& tally) {
    InputOptions generation;
    generation.seed = case_seed(text, options_.seed, number);
    const auto inputs = generate_inputs(context_.program, context_.registers, generation);
    for (size_t device = 0; device < devices_.size(); device++) on_device(device, source, text, number, inputs, tally);
}

void Campaign::on_device(size_t index, const Source& source, const std::string& text, uint32_t number,
                         const reference::Inputs& inputs, Tally& tally) {
    auto& device = *devices_[index];
    const auto& name = device.report().info.name;
    if (hooks_.before) hooks_.before(source.path, name);

    // The reference goes first: what does not end there is not given to a driver that cannot be stopped.
    auto judging = reference_options(device.report(), options_.dialect);
    judging.max_steps = options_.max_steps;
    const auto judged = reference::run(context_.program, context_.registers, inputs, judging);
    if (!judged.error.empty()) {
        tally.skips.insert("not judged: " + judged.error);
        return;
    }
    if (judged.instructions >= options_.max_steps) {
        tally.skips.insert(fmt::format("more than {} instructions", options_.max_steps));
        return;
    }

    VulkanOptions running;
    running.dialect = options_.dialect;
    running.unwritten = 0xdeadbeef;
    running.timeout_ns = options_.timeout_ns;
    const auto ran = run_vulkan(device, context_, inputs, running);
    if (device.lost) replace_lost(index);
    for (const auto& message : instance_->take_messages()) {
        summary_.validation_messages++;
        tally.failures.push_back(fmt::format("{}: validation: {}", name, message));
    }
    if (!ran) {
        const auto& trouble = ran.error();
        switch (trouble.kind) {
            case Trouble::Refused:
                tally.skips.insert("not translated: " + trouble.message);
                break;
            case Trouble::Missing:
            case Trouble::Case:
                tally.skips.insert(fmt::format("{}: {}", name, trouble.message));
                break;
            default:
                tally.failures.push_back(fmt::format("{}: {}", name, trouble.message));
                break;
        }
        if (trouble.kind == Trouble::Timeout || trouble.kind == Trouble::Device) keep(source, text, number, inputs);
        return;
    }
    const auto compared = compare(judged, *ran, written_outputs(context_.program, context_.registers), inputs.lanes,
                                  stream_outputs(context_.program));
    tally.share.words += compared.words;
    tally.share.unknown += compared.unknown;
    if (compared.passed()) {
        tally.passed++;
        return;
    }
    for (size_t i = 0; i < std::min(compared.mismatches.size(), kLinesPerFailure); i++)
        tally.failures.push_back(fmt::format("{}: input {}: {}", name, number, describe(compared.mismatches[i])));
    if (compared.wrong > kLinesPerFailure)
        tally.failures.push_back(
            fmt::format("{}: input {}: {} more words are wrong", name, number, compared.wrong - kLinesPerFailure));
    keep(source, text, number, inputs);
}

void Campaign::replace_lost(size_t index) {
    summary_.device_lost = true;
    const auto info = devices_[index]->report().info;
    auto fresh = vulkan::Device::create(*instance_, info);
    if (!fresh) return;  // every later case fails with the reason
    lost_.push_back(std::move(devices_[index]));
    devices_[index] = std::move(*fresh);
}

void Campaign::keep(const Source& source, const std::string& text, uint32_t number,
                    const reference::Inputs& inputs) const {
    if (options_.keep.empty()) return;
    std::string base = source.shown;
    std::replace(base.begin(), base.end(), '/', '_');
    if (base.ends_with(".tgsi")) base.resize(base.size() - 5);
    std::error_code error;
    std::filesystem::create_directories(options_.keep, error);
    const auto path = fmt::format("{}/{}-{}", options_.keep, base, number);
    std::ofstream(path + ".tgsi", std::ios::binary) << text;
    std::ofstream(path + ".in.json", std::ios::binary)
        << write_inputs(inputs, lower::has_vertices(context_.program.stage, tgsi::File::Input));
}

void Campaign::count(const Source& source, const Tally& tally, bool parsed) {
    for (const auto& reason : tally.skips) summary_.skip_reasons[reason]++;
    summary_.share.words += tally.share.words;
    summary_.share.unknown += tally.share.unknown;
    if (parsed && tally.share.words > 0) {
        std::set<tgsi::Opcode> used;
        for (const auto& i : context_.program.instructions) used.insert(i.op);
        for (auto op : used) {
            summary_.by_opcode[op].words += tally.share.words;
            summary_.by_opcode[op].unknown += tally.share.unknown;
        }
    }
    if (!tally.failures.empty()) {
        summary_.failed++;
        print("fail " + source.shown);
        for (const auto& f : tally.failures) print("     " + f);
    } else if (tally.passed > 0) {
        summary_.passed++;
        summary_.partly_skipped += tally.skips.empty() ? 0 : 1;
        std::string notes;
        for (const auto& s : tally.skips) notes += fmt::format(" (not: {})", s);
        if (tally.share.unknown > 0) notes += fmt::format(" ({:.1f} % unknown)", 100 * tally.share.ratio());
        if (!options_.quiet) print("pass " + source.shown + notes);
    } else {
        summary_.skipped++;
        if (!options_.quiet)
            print(fmt::format("skip {}: {}", source.shown, tally.skips.empty() ? "" : *tally.skips.begin()));
    }
}

}  // namespace

tl::expected<Summary, std::string> run_campaign(const std::vector<Source>& sources, const CampaignOptions& options,
                                                const CampaignHooks& hooks) {
    Campaign campaign(options, hooks);
    if (auto error = campaign.open()) return tl::unexpected<std::string>(std::move(*error));
    for (size_t i = 0; i < sources.size(); i += std::max(1u, options.sample)) campaign.shader(sources[i]);
    return campaign.take();
}

std::vector<std::string> report_lines(const Summary& summary) {
    std::vector<std::string> lines;
    std::vector<std::pair<uint32_t, std::string>> reasons;
    for (const auto& [reason, count] : summary.skip_reasons) reasons.emplace_back(count, reason);
    std::sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto& [count, reason] : reasons) lines.push_back(fmt::format("skipped {:5}  {}", count, reason));
    std::vector<std::pair<tgsi::Opcode, Share>> opcodes;
    for (const auto& [op, share] : summary.by_opcode)
        if (share.unknown > 0) opcodes.emplace_back(op, share);
    std::sort(opcodes.begin(), opcodes.end(),
              [](const auto& a, const auto& b) { return a.second.ratio() > b.second.ratio(); });
    for (const auto& [op, share] : opcodes)
        lines.push_back(fmt::format("unknown {:5.1f} %  {} ({} of {} words of the shaders with it)",
                                    100 * share.ratio(), tgsi::info(op).mnemonic, share.unknown, share.words));
    lines.push_back(
        fmt::format("unknown {:.2f} % of {} output words", 100 * summary.share.ratio(), summary.share.words));
    if (summary.partly_skipped > 0)
        lines.push_back(fmt::format("{} of the passed did not run on every device", summary.partly_skipped));
    lines.push_back(fmt::format("{} passed, {} failed, {} skipped", summary.passed, summary.failed, summary.skipped));
    return lines;
}

}  // namespace tgsi2spv::difftest

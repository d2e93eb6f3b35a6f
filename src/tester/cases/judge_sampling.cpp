#include "cases/judge_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <spirv-tools/libspirv.hpp>

#include "cases/compare.h"
#include "cases/judge_parts.h"
#include "cases/run/quirks.h"
#include "cases/run/run_parts.h"
#include "cases/sampling/groups.h"

namespace tgsi2spv::difftest {

namespace {

/// Returns options for a device with every feature.
api::Options every_feature() {
    api::Options o;
    o.lower.exact = o.lower.io_buffers = true;
    o.capabilities.sampled_images.non_uniform = o.capabilities.texel_buffers.non_uniform = true;
    o.capabilities.quad_divergent_implicit_lod = true;
    return o;
}

std::string complaint(std::span<const uint32_t> words) {
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    std::string said;
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { said += message; });
    return tools.Validate(words.data(), words.size()) ? std::string() : "spirv-val: " + said;
}

/// Translates a form that the device cannot run with every feature, validates and judges it.
void judge_without_device(const SamplingCase& c, CaseResult& result, api::Context& context) {
    const api::Options options = every_feature();
    context.diagnostics.clear();
    // If no device can run it, the original reason stays.
    if (!api::lower(context, options) || !api::optimise(context, options) || !api::emit(context, options)) return;
    if (const std::string said = complaint(context.words); !said.empty()) {
        result.status = Status::Fail;
        result.reason = Reason::None;
        result.message = said;
        return;
    }
    const auto permitted = judge(c, context, {});
    if (!permitted) {
        result.status = Status::Fail;
        result.reason = Reason::None;
        result.message = "not judged: " + permitted.error();
    }
    result.translated = permitted && !permitted->empty();
}

/// Returns the states that a known driver bug affects. `reason` gets the last reason.
std::vector<bool> states_spoilt(const SamplingCase& c, const std::string& device, std::string& reason) {
    const Quirks quirks = quirks_of(device);
    std::vector<bool> spoilt(c.states.size());
    for (uint32_t k = 0; k < spoilt.size(); ++k) {
        auto why = unusable(quirks, c.form.message, c.inputs.textures.at(k), c.inputs.samplers.at(k));
        // Lanes that choose may combine any sampler with any texture.
        for (uint32_t s = 0; lanes_choose(c.form) && !why && s < spoilt.size(); ++s)
            why = unusable(quirks, c.form.message, c.inputs.textures.at(k), c.inputs.samplers.at(s));
        if (!why) continue;
        spoilt[k] = true;
        reason = *why;
        if (lanes_choose(c.form)) std::fill(spoilt.begin(), spoilt.end(), true);
    }
    return spoilt;
}

/// Compares the device's words with the permitted ones.
void judge_sample(const SamplingCase& c, const std::vector<PermittedWord>& permitted, const std::vector<bool>& spoilt,
                  const reference::Result& ran, CaseResult& result) {
    for (const PermittedWord& p : permitted) {
        if (spoilt[p.state]) continue;
        ++result.words;
        result.unknown += p.value.kind == reference::Kind::Unknown;
        result.wide += is_wide(p.value);
        const uint32_t got = ran.outputs.at(p.reg)[p.lane][p.component].value;
        if (permits(p, got)) continue;
        if (++result.wrong > kMismatchesKept) continue;
        Mismatch m;
        m.index = p.reg;
        m.lane = p.lane;
        m.component = p.component;
        m.expected = p.value;
        // Shown in the form of the permitted values: a float.
        m.got = p.half && got <= 0xffff ? std::bit_cast<uint32_t>(float_of_half(static_cast<uint16_t>(got))) : got;
        result.details.push_back(fmt::format("{}: {}", describe(c.states[p.state]), describe(m)));
    }
    if (result.wrong > kMismatchesKept) result.details.push_back(fmt::format("{} words are wrong", result.wrong));
}

}  // namespace

void make_sampling_case(MadeCase& made, const RunSettings& options, Workplace& workplace) {
    if (workplace.forms.empty()) workplace.forms = sampling_forms();
    const auto decide = [&](Status status, std::string message) {
        CaseResult r;
        r.id = id_of(made.spec);
        r.status = status;
        r.message = std::move(message);
        made.decided = std::move(r);
    };
    const auto number = static_cast<uint32_t>(made.spec.number);
    if (number >= workplace.forms.size()) return decide(Status::Fail, "the sampling matrix has no such form");
    const Form& form = workplace.forms[number];
    if (!form.impossible.empty()) return decide(Status::Skip, form.impossible);
    const auto groups = groups_of(form, number);
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.number == made.spec.input; });
    if (group == groups.end()) return decide(Status::Fail, "the form has no such states");
    const auto states = states_of(form);
    made.states.assign(states.begin() + group->first, states.begin() + group->first + group->count);
    made.sampling.emplace(SamplingCase{.form = form, .states = made.states});
    const uint64_t seed = options.seed * 0x1'0000'0000 + number * 1000 + group->number;
    if (auto error = prepare(*made.sampling, workplace.context, seed); !error.empty())
        decide(Status::Fail, std::move(error));
}

CaseResult judge_sampling_case(const MadeCase& made, size_t index, const RunSettings& options, Workplace& workplace,
                               const ModuleHook& hook) {
    auto& device = *workplace.devices[index];
    const SamplingCase& c = *made.sampling;
    CaseResult result = begin_result(made, device.report().info.name, workplace.context);
    const auto spoilt = states_spoilt(c, result.device, result.message);
    if (std::find(spoilt.begin(), spoilt.end(), false) == spoilt.end()) return result;
    result.message.clear();
    Stopwatch watch;
    VulkanOptions running;
    running.unwritten = kUnwritten;
    running.in_spite_of_quirks = true;
    running.settings = options;
    // A form means the same in all editions; the samplers are those of the matrix; carriers have no loops.
    running.settings.dialect = tgsi::Dialect::Auto;
    running.settings.one_level_offsets = running.settings.loops_in_memory = false;
    running.hook = hook;
    running.translator_ms = &result.times.translator_ms;
    const auto ran = take_turn(workplace, index, workplace.context, c.inputs, running);
    result.times.driver_ms = watch.lap() - result.times.translator_ms;
    for (const auto& message : workplace.instance->take_messages()) result.details.push_back("validation: " + message);
    if (!ran) {
        take_trouble(result, ran.error());
        if (ran.error().kind == Trouble::Case) result.status = Status::Fail;  // the matrix made these states itself
        fail_by_messages(result);
        if (device.lost && result.status == Status::Fail) result.status = Status::DeviceLost;
        if (result.status == Status::Skip) judge_without_device(c, result, workplace.context);
        result.times.judge_ms = watch.lap();
    } else {
        const auto permitted = judge(c, workplace.context, reference_options(device.report(), tgsi::Dialect::Auto));
        if (permitted)
            judge_sample(c, *permitted, spoilt, *ran, result);
        else
            result.details.push_back("not judged: " + permitted.error());
        result.times.judge_ms = watch.lap();
        result.status = result.details.empty() ? Status::Pass : Status::Fail;
        if (result.status == Status::Fail) {
            result.message = result.details.front();
            result.details.erase(result.details.begin());
        }
    }
    if ((is_failure(result.status) || result.reason == Reason::CompilerMemory) && options.evidence) {
        result.evidence = evidence_of(made, workplace);
        result.evidence.spirv = disassemble(workplace.context.words);
    }
    return result;
}

}  // namespace tgsi2spv::difftest

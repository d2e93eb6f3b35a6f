#include "cases/sampling/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "reference/run.h"
#include "reference/textures/message.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using reference::MessageLane;
using sampling::Message;
using sampling::ResultType;

constexpr uint32_t kQuads = 4;

tgsi::ReturnType returns_of(TexelKind kind) {
    return kind == TexelKind::Sint   ? tgsi::ReturnType::Sint
           : kind == TexelKind::Uint ? tgsi::ReturnType::Uint
                                     : tgsi::ReturnType::Float;
}

std::string immediate(const Message& message, int i) {
    const auto& o = message.immediate_offsets[i];
    return fmt::format("IMM[{}] INT32 {{{}, {}, {}, 0}}\n", i, o[0], o[1], o[2]);
}

std::string mask_of(uint8_t mask) {
    std::string s;
    for (int c = 0; c < 4; ++c)
        if (mask >> c & 1) s += "xyzw"[c];
    return s.size() == 4 ? std::string() : "." + s;
}

std::string text_of(const SamplingCase& c) {
    const auto n = static_cast<int32_t>(c.states.size());
    std::string text = fmt::format("FRAG\nDCL IN[0..2], GENERIC[0], CONSTANT\nDCL SAMP[0..{}]\n", n - 1);
    for (int32_t k = 0; k < n; ++k) text += fmt::format("DCL OUT[{0}], COLOR[{0}]\n", k);
    static constexpr const char* kReturns[] = {"FLOAT", "FLOAT", "FLOAT", "SINT", "UINT"};
    for (int32_t k = 0; k < n; ++k)
        text += fmt::format("DCL SVIEW[{}], {}, {}\n", k, tgsi::name(c.form.target),
                            kReturns[static_cast<size_t>(c.states[static_cast<size_t>(k)].kind)]);
    for (int i = 0; i < 4; ++i) text += immediate(c.form.message, i);
    text += "IMM[4] INT32 {0, 0, 0, 0}\n";
    text += fmt::format("IMM[5] INT32 {{{}, 0, 0, 0}}\n", std::max<int>(0, c.form.message.immediate_component));
    for (int32_t k = 0; k < n; ++k) {
        const std::string destination = fmt::format("OUT[{}]{}", k, mask_of(c.form.message.channel_mask));
        text += fmt::format(fmt::runtime(c.form.line), destination, k) + "\n";
    }
    return text + "END\n";
}

/// Draws the descriptors that each lane selects, if the form lets lanes differ.
void choose_descriptors(SamplingCase& c, sampling::Call& call, Random& random) {
    const auto pool = static_cast<uint32_t>(c.states.size());
    const auto draw = [&](sampling::Param& index, uint8_t component, uint32_t MessageLane::*which) {
        index = {static_cast<uint8_t>(parameter_sources(c.form.message)), component};
        auto& words = c.inputs.inputs[{0, index.source}];
        words.resize(c.lanes.size());
        for (size_t i = 0; i < c.lanes.size(); ++i) words[i][component] = c.lanes[i].*which = random.below(pool);
    };
    if (c.form.texture_by_lane) draw(call.texture_index, 0, &MessageLane::texture);
    if (c.form.sampler_by_lane) draw(call.sampler_index, 1, &MessageLane::sampler);
    if (!c.form.message.bindless) return;
    // Some handles refer to descriptors that do not exist.
    for (size_t i = 0; i < c.lanes.size(); ++i) {
        c.lanes[i].texture = random.below(pool + 1), c.lanes[i].sampler = random.below(pool + 1);
        c.beyond[0][i] = c.lanes[i].texture >= pool || c.lanes[i].sampler >= pool;
    }
}

std::string prepare_text(SamplingCase& c, api::Context& context) {
    c.text = text_of(c);
    if (!api::parse(context, c.text, {}))
        return context.diagnostics.empty() ? "refused" : context.diagnostics[0].message;
    sampling::Refusal refusal;
    const auto made = sampling::message_of(context.program, context.program.instructions[0], refusal);
    if (!made) return refusal.reason;
    place_inputs(*made, c.lanes, c.inputs);
    return {};
}

void prepare_carrier(SamplingCase& c, api::Context& context, Random& random) {
    const auto pool = static_cast<int32_t>(c.states.size());
    sampling::Call call{.message = c.form.message, .target = c.form.target, .returns = returns_of(c.states[0].kind)};
    std::vector<sampling::Call> calls;
    choose_descriptors(c, call, random);
    place_inputs(c.form.message, c.lanes, c.inputs);
    // If lanes choose the texture (and sampler), one instruction uses all states.
    const bool one = c.form.texture_by_lane || c.form.message.bindless;
    for (int32_t k = 0; k < (one ? 1 : pool); ++k) {
        if (!one) {
            call.texture = k;
            call.sampler = c.form.sampler_by_lane ? 0 : k;
            call.returns = returns_of(c.states[static_cast<size_t>(k)].kind);
        }
        calls.push_back(call);
    }
    api::carry(context, calls, tgsi::Stage::Fragment, pool);
}

/// Returns a result word of 32 bits as a 16-bit result holds it.
uint32_t narrowed(uint32_t word, ResultType type) {
    if (type == ResultType::Uint16) return word & 0xffff;
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(word & 0xffff)));
}

void narrow(PermittedWord& word, ResultType type) {
    if (type == ResultType::Word) return;
    if (type == ResultType::Half) {
        word.half = true;
        return;
    }
    if (word.value.kind != reference::Kind::Words) {
        word.value = reference::unknown();
        return;
    }
    word.value.value = narrowed(word.value.value, type);
    for (uint32_t& w : word.value.words) w = narrowed(w, type);
}

/// Returns the residency word for the judge's residency, which is 1, 0 or unknown.
reference::Component residency(const Message& message, const reference::Component& resident) {
    if (!reference::is_exact(resident)) return reference::unknown();
    const uint32_t all = sampling::all_resident(message);
    return reference::exact(resident.words[0] != 0 ? all : ~all);
}

/// 3D_SAMPLE: absent trailing parameters are 0.
void clear_absent(const Message& message, MessageLane& lane) {
    const auto clear = [](const sampling::Param& p, uint32_t& word) {
        if (!p.present()) word = 0;
    };
    for (size_t c = 0; c < 3; ++c) {
        clear(message.coord[c], lane.coord[c]);
        clear(message.ddx[c], lane.ddx[c]);
        clear(message.ddy[c], lane.ddy[c]);
    }
    clear(message.layer, lane.layer);
    clear(message.reference, lane.reference);
    clear(message.bias, lane.bias);
    clear(message.lod, lane.lod);
}

void judge_call(const SamplingCase& c, const Message& message, size_t call, const reference::Options& options,
                std::vector<PermittedWord>& permitted) {
    std::vector<MessageLane> lanes = c.lanes;
    const bool one = c.form.texture_by_lane || message.bindless;
    for (size_t i = 0; i < lanes.size(); ++i) {
        if (!one) lanes[i].texture = static_cast<uint32_t>(call);
        if (!one && !c.form.sampler_by_lane) lanes[i].sampler = static_cast<uint32_t>(call);
        clear_absent(message, lanes[i]);
        if (c.beyond[0][i]) lanes[i].texture = lanes[i].sampler = 0;  // arbitrary, since the answer is known
    }
    const auto state = static_cast<uint32_t>(call);
    const auto result = reference::run_message(message, lanes, c.inputs, {}, options);
    for (uint32_t i = 0; i < lanes.size(); ++i) {
        const bool beyond = c.beyond[0][i] != 0;
        size_t channel = 0;
        for (uint8_t component = 0; component < 4; ++component) {
            if ((message.channel_mask >> component & 1) == 0) continue;
            PermittedWord p{static_cast<int32_t>(2 * call), state, i, component, false, result.channels[i][channel++]};
            if (beyond) p.value = reference::exact(0u);
            narrow(p, message.result);
            permitted.push_back(p);
        }
        if (!message.sparse) continue;
        PermittedWord p{static_cast<int32_t>(2 * call + 1), state, i, 0, false, residency(message, result.resident[i])};
        if (beyond) p.value = reference::exact(sampling::all_resident(message));
        permitted.push_back(p);
    }
}

}  // namespace

uint32_t states_a_case(const Form& form) {
    if (form.message.bindless) return 4;
    if (form.sampler_by_lane || form.texture_by_lane) return 2;
    return form.line.empty() ? 12 : 8;  // FRAG has 8 colour outputs
}

std::string prepare(SamplingCase& c, api::Context& context, uint64_t seed) {
    Random random(seed);
    for (uint32_t k = 0; k < c.states.size(); ++k) {
        c.inputs.textures[k] = make_texture(c.form, c.states[k], random);
        auto& sampler = c.inputs.samplers[k] = make_sampler(c.states[k], random);
        // Some devices do not clamp queried levels to the texture's last one (quirks.h). With one level there is
        // nothing to limit, and lavapipe ignores a maxLod that equals minLod (driver-bugs.md).
        const bool asks =
            c.form.message.cls == sampling::Class::Sample3D && c.form.message.sample == sampling::SampleOp::LOD;
        const uint32_t levels = c.inputs.textures[k].levels;
        if (asks && levels > 1 && k % 2 == 0) sampler.max_lod = static_cast<float>(levels - 1);
    }
    c.lanes = make_lanes(c.form, kQuads, random);
    c.beyond.assign(1, std::vector<uint8_t>(c.lanes.size()));
    if (!c.form.line.empty()) return prepare_text(c, context);
    prepare_carrier(c, context, random);
    return {};
}

tl::expected<std::vector<PermittedWord>, std::string> judge(const SamplingCase& c, const api::Context& context,
                                                            const reference::Options& options) {
    std::vector<PermittedWord> permitted;
    if (c.form.line.empty()) {
        for (size_t k = 0; k < context.messages.size(); ++k) judge_call(c, context.messages[k], k, options, permitted);
        return permitted;
    }
    const auto result = reference::run(context.program, context.registers, c.inputs, options);
    if (!result.error.empty()) return tl::unexpected(result.error);
    for (int32_t k = 0; k < static_cast<int32_t>(c.states.size()); ++k)
        for (uint32_t i = 0; i < c.lanes.size(); ++i)
            for (uint8_t component = 0; component < 4; ++component)
                if (c.form.message.channel_mask >> component & 1)
                    permitted.push_back(
                        {k, static_cast<uint32_t>(k), i, component, false, result.outputs.at(k)[i][component]});
    return permitted;
}

namespace {

/// Returns the next half above or below, as a float. Halves have the same order as floats.
float neighbour(uint16_t half, int by) {
    int order = (half & 0x8000) != 0 ? -(half & 0x7fff) : half;
    order += by;
    return float_of_half(static_cast<uint16_t>(order < 0 ? 0x8000 | -order : order));
}

}  // namespace

bool permits(const PermittedWord& word, uint32_t got) {
    if (!word.half || word.value.kind == reference::Kind::Unknown) return reference::permits(word.value, got);
    if (got > 0xffff) return false;
    const auto half = static_cast<uint16_t>(got);
    // The half must be a neighbour of a permitted float. Zero also matches floats below the smallest normal half.
    const auto between = [&](float low, float high) {
        if ((half & 0x7fff) == 0) return low < 0x1p-14f && high > -0x1p-14f;
        return low < neighbour(half, 1) && high > neighbour(half, -1);
    };
    if (word.value.kind == reference::Kind::Interval) {
        for (size_t i = 0; i <= word.value.gaps; ++i) {
            const reference::Part part = reference::part_of(word.value, i);
            if (between(std::bit_cast<float>(part.lo), std::bit_cast<float>(part.hi))) return true;
        }
        return false;
    }
    for (uint8_t i = 0; i < word.value.count; ++i) {
        const float x = std::bit_cast<float>(word.value.words[i]);
        if (between(x, x)) return true;
    }
    return false;
}

}  // namespace tgsi2spv::difftest

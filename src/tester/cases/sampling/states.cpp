#include "cases/sampling/states.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "inputs/case.h"
#include "inputs/texels.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

using reference::MessageLane;
using reference::Wrap;
using sampling::Class;
using sampling::Message;
using sampling::Param;
using sampling::ResultType;
using sampling::SampleOp;

constexpr const char* kKindNames[] = {"float", "unorm8", "depth", "sint", "uint"};
constexpr const char* kFormats[] = {"R32G32B32A32_FLOAT", "R8G8B8A8_UNORM", "Z32_FLOAT", "R32G32B32A32_SINT",
                                    "R32G32B32A32_UINT"};
/// Vulkan's five wrap modes; TGSI's CLAMP and two of its mirrored modes have no equivalent.
constexpr Wrap kWrapModes[] = {Wrap::Repeat, Wrap::MirrorRepeat, Wrap::ClampToEdge, Wrap::ClampToBorder,
                               Wrap::MirrorClampToEdge};

bool is_integer(TexelKind kind) {
    return kind == TexelKind::Sint || kind == TexelKind::Uint;
}

std::vector<TexelKind> kinds_of(const Form& form) {
    const Message& m = form.message;
    if (m.surface.shadow) return {TexelKind::Depth};
    if (m.cls == Class::Sample3D && m.sample == SampleOp::LOD) return {TexelKind::Float};
    if (m.result == ResultType::Int16) return {TexelKind::Sint};
    if (m.result == ResultType::Uint16) return {TexelKind::Uint};
    std::vector<TexelKind> kinds{TexelKind::Float, TexelKind::Unorm8, TexelKind::Depth};
    if (m.result == ResultType::Half) return kinds;
    // There are no 3D depth images.
    if (m.surface.dim == sampling::Dim::D3) kinds.pop_back();
    kinds.push_back(TexelKind::Sint);
    kinds.push_back(TexelKind::Uint);
    return kinds;
}

float between(Random& random, double low, double high) {
    return static_cast<float>(low + (high - low) * random.unit());
}

uint32_t bits(float x) {
    return std::bit_cast<uint32_t>(x);
}

/// Returns a float as a parameter of the form holds it.
uint32_t parameter(const Form& form, float x) {
    return bits(form.message.half_parameters ? float_of_half(half_of(x)) : x);
}

}  // namespace

uint16_t half_of(float x) {
    static const uint16_t format = *tgsi::format_from_name("R16_FLOAT");
    const uint32_t word = bits(x);
    const std::vector<uint8_t> bytes = encode_texels(format, {&word, 1});
    return static_cast<uint16_t>(bytes[0] | bytes[1] << 8);
}

float float_of_half(uint16_t half) {
    static const uint16_t format = *tgsi::format_from_name("R16_FLOAT");
    const uint8_t bytes[] = {static_cast<uint8_t>(half), static_cast<uint8_t>(half >> 8)};
    return std::bit_cast<float>(decode_texels(format, bytes)[0]);
}

std::string describe(const SamplingState& state) {
    static constexpr const char* kMips[] = {"one level", "nearest level", "two levels"};
    std::string text =
        fmt::format("{} {} {} {}", state.filter == reference::Filter::Linear ? "linear" : "nearest", name(state.wrap),
                    kKindNames[static_cast<size_t>(state.kind)], kMips[static_cast<size_t>(state.mip)]);
    if (state.compare != reference::Compare::None) text += fmt::format(" {}", name(state.compare));
    return text;
}

std::vector<SamplingState> states_of(const Form& form) {
    std::vector<SamplingState> states;
    uint32_t number = 0;
    for (const TexelKind kind : kinds_of(form))
        for (const auto filter : {reference::Filter::Nearest, reference::Filter::Linear}) {
            // Vulkan does not filter integers, and depth only for comparisons (VUID-vkCmdDraw-magFilter-04553).
            const bool filtered = !is_integer(kind) && (kind != TexelKind::Depth || form.message.surface.shadow);
            if (!filtered && filter == reference::Filter::Linear) continue;
            for (const Wrap wrap : kWrapModes) {
                SamplingState s{kind, filter, wrap, static_cast<reference::MipFilter>(number % 3),
                                reference::Compare::None};
                if (!filtered && s.mip == reference::MipFilter::Linear) s.mip = reference::MipFilter::Nearest;
                if (form.message.surface.shadow) s.compare = static_cast<reference::Compare>(number % 8);
                states.push_back(s);
                ++number;
            }
        }
    return states;
}

reference::Texture make_texture(const Form& form, const SamplingState& state, Random& random) {
    const tgsi::TargetShape shape = tgsi::shape(form.target);
    reference::Texture t;
    t.target = form.target;
    t.format = *tgsi::format_from_name(kFormats[static_cast<size_t>(state.kind)]);
    t.width = 8;
    t.height = shape.cube ? 8 : shape.coords > 1 ? 5 : 1;
    t.depth = shape.coords > 2 && !shape.cube ? 3 : 1;
    t.layers = (shape.cube ? 6 : 1) * (shape.array ? 3 : 1);
    t.levels = state.mip == reference::MipFilter::None ? 1 : 3;
    const auto components =
        static_cast<uint32_t>(state.kind == TexelKind::Depth ? 1 : tgsi::format_info(t.format).components);
    // Alternate levels are entirely below and above the references; otherwise most levels compare equally.
    const bool apart = state.compare != reference::Compare::None && t.levels > 1 && random.below(2) == 0;
    for (uint32_t l = 0; l < t.levels; ++l) {
        const float lowest = apart && (l & 1) != 0 ? 0.9f : 0, highest = apart && (l & 1) == 0 ? 0.1f : 1;
        std::vector<uint32_t> words((t.width >> l) * std::max(1u, t.height >> l) * std::max(1u, t.depth >> l) *
                                    t.layers * components);
        for (uint32_t& w : words)
            w = is_integer(state.kind) ? static_cast<uint32_t>(random.next()) : bits(between(random, lowest, highest));
        t.data.push_back(decode_texels(t.format, encode_texels(t.format, words)));
    }
    return t;
}

reference::SamplerState make_sampler(const SamplingState& state, Random& random) {
    reference::SamplerState s;
    std::fill(std::begin(s.wrap), std::end(s.wrap), state.wrap);
    s.min_filter = s.mag_filter = state.filter;
    s.mip_filter = state.mip;
    s.compare = state.compare;
    if (random.below(3) == 0) s.lod_bias = 0.5f;
    if (random.below(2) == 0) s.border_color = {1, 1, 1, 1};
    return s;
}

std::vector<MessageLane> make_lanes(const Form& form, uint32_t quads, Random& random) {
    const tgsi::TargetShape shape = tgsi::shape(form.target);
    std::vector<MessageLane> lanes(4 * quads);
    for (uint32_t q = 0; q < quads; ++q) {
        // Within a quad, coordinates move by up to about two texels. In the last quad only one of them moves, along one
        // axis, by four texels or more in x, so that a level after the first one is certainly selected. All lanes of a
        // quad have the same layer.
        std::array<float, 3> base{}, dx{}, dy{};
        for (int c = 0; c < shape.coords; ++c) {
            base[c] = shape.cube ? between(random, -0.8, 0.8) : between(random, -1.2, 2.2);
            const double step = random.magnitude(-6, -2);
            dx[c] = between(random, -step, step), dy[c] = between(random, -step, step);
        }
        const auto major = static_cast<int>(random.below(3));
        if (shape.cube) base[static_cast<size_t>(major)] = random.below(2) == 0 ? 1.2f : -1.2f;
        if (q + 1 == quads && quads > 1) {
            const auto far = static_cast<size_t>(shape.cube ? (major + 1) % 3 : 0);
            dx = dy = {};
            // A cube's face is two wide, and the quad stays on it.
            const float step = between(random, 0.5, 1) * (shape.cube ? 1.6f : 1);
            if (shape.cube) base[far] = -0.5f * step;
            (random.below(2) == 0 ? dx : dy)[far] = step;
        }
        const float layer = random.below(3) == 0 ? between(random, -1, 3) : static_cast<float>(random.between(0, 3));
        for (uint32_t i = 0; i < 4; ++i) {
            MessageLane& lane = lanes[4 * q + i];
            for (int c = 0; c < shape.coords; ++c) {
                const auto at = static_cast<size_t>(c);
                lane.coord[at] = parameter(form, base[at] + (i & 1 ? dx[at] : 0) + (i & 2 ? dy[at] : 0));
                lane.ddx[at] = parameter(form, dx[at]);
                lane.ddy[at] = parameter(form, dy[at]);
            }
            lane.layer = parameter(form, layer);
            lane.reference = parameter(form, random.below(4) == 0 ? 0.5f : between(random, 0, 1));
            lane.bias = parameter(form, between(random, -1, 3));
            lane.lod = parameter(form, between(random, -1, 3));
            for (auto& offset : lane.offsets)
                for (int32_t& axis : offset) axis = random.between(-32, 31);
        }
    }
    return lanes;
}

namespace {

uint32_t packed(const std::array<int32_t, 3>& first, const std::array<int32_t, 3>* second) {
    const auto field = [](int32_t x, int shift) { return (static_cast<uint32_t>(x) & 0x3f) << shift; };
    uint32_t word = field(first[0], 0) | field(first[1], 8);
    return word | (second != nullptr ? field((*second)[0], 16) | field((*second)[1], 24) : field(first[2], 16));
}

}  // namespace

void place_inputs(const Message& message, std::span<const MessageLane> lanes, reference::Inputs& inputs) {
    inputs.lanes = static_cast<uint32_t>(lanes.size());
    const auto put = [&](const Param& p, bool is_float, auto&& word) {
        if (!p.present()) return;
        auto& values = inputs.inputs[{0, p.source}];
        values.resize(lanes.size());
        for (size_t i = 0; i < lanes.size(); ++i) {
            const uint32_t w = word(lanes[i]);
            values[i][p.component] = is_float && message.half_parameters ? half_of(std::bit_cast<float>(w)) : w;
        }
    };
    for (size_t c = 0; c < 3; ++c) {
        put(message.coord[c], true, [&](const MessageLane& l) { return l.coord[c]; });
        put(message.ddx[c], true, [&](const MessageLane& l) { return l.ddx[c]; });
        put(message.ddy[c], true, [&](const MessageLane& l) { return l.ddy[c]; });
    }
    put(message.layer, true, [](const MessageLane& l) { return l.layer; });
    put(message.reference, true, [](const MessageLane& l) { return l.reference; });
    put(message.bias, true, [](const MessageLane& l) { return l.bias; });
    put(message.lod, true, [](const MessageLane& l) { return l.lod; });
    const bool four = message.offsets == sampling::Offsets::Ptp;
    put(message.packed_offsets[0], false,
        [&](const MessageLane& l) { return packed(l.offsets[0], four ? &l.offsets[1] : nullptr); });
    put(message.packed_offsets[1], false, [](const MessageLane& l) { return packed(l.offsets[2], &l.offsets[3]); });
    put(message.handle, false, [](const MessageLane& l) { return l.sampler << 20 | l.texture; });
}

}  // namespace tgsi2spv::difftest

#include "reference/textures/message.h"

#include <algorithm>

#include "reference/numbers/float_math.h"
#include "reference/textures/sample.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::reference {
namespace {

using sampling::Class;
using sampling::Message;
using sampling::SampleOp;

Value word(uint32_t w) {
    return exact(w);
}

/// Words as Values, for any type that the message reads.
TextureLane lane_of(const Message& message, const MessageLane& given, const Inputs& resources) {
    TextureLane lane;
    lane.wants = lane.takes_part = given.active;
    bind(resources, message, given.texture, given.sampler, lane.binding);
    for (size_t c = 0; c < 3; ++c) {
        lane.coord[c] = word(given.coord[c]);
        lane.ddx[c] = word(given.ddx[c]);
        lane.ddy[c] = word(given.ddy[c]);
    }
    lane.layer = word(given.layer);
    lane.reference = word(given.reference);
    lane.divisor = word(given.divisor);
    lane.lod = word(given.lod);
    lane.bias = word(given.bias);
    lane.sample_index = word(given.sample_index);
    lane.component = word(given.component);
    for (size_t i = 0; i < 4; ++i)
        for (size_t axis = 0; axis < 3; ++axis)
            lane.offsets[i][axis] = word(static_cast<uint32_t>(given.offsets[i][axis]));
    return lane;
}

/// The message without its comparison; it reads the same texels.
Message without_comparison(Message message) {
    message.surface.shadow = false;
    message.reference = {};
    switch (message.sample) {
        case SampleOp::sample_c:
            message.sample = SampleOp::sample;
            break;
        case SampleOp::sample_b_c:
            message.sample = SampleOp::sample_b;
            break;
        case SampleOp::sample_l_c:
            message.sample = SampleOp::sample_l;
            break;
        case SampleOp::sample_d_c:
            message.sample = SampleOp::sample_d;
            break;
        case SampleOp::sample_c_lz:
            message.sample = SampleOp::sample_lz;
            break;
        default:
            break;
    }
    message.result_swizzle = 0xe4;
    message.swizzle_before_component = false;
    message.immediate_component = 0;
    return message;
}

tgsi::Target without_comparison(tgsi::Target target) {
    using tgsi::Target;
    switch (target) {
        case Target::Shadow1D:
            return Target::T1D;
        case Target::Shadow2D:
            return Target::T2D;
        case Target::ShadowRect:
            return Target::Rect;
        case Target::Shadow1DArray:
            return Target::T1DArray;
        case Target::Shadow2DArray:
            return Target::T2DArray;
        case Target::ShadowCube:
            return Target::Cube;
        case Target::ShadowCubeArray:
            return Target::CubeArray;
        default:
            return target;
    }
}

/// A texture of the same sizes that holds 1 where the page is null and 0 elsewhere: the result of a message is 0 only
/// if it touched no null page.
Texture page_map(const Texture& texture, uint32_t key, const std::vector<NullPage>& pages) {
    Texture map = texture;
    map.target = without_comparison(texture.target);
    map.format = tgsi::format_from_name("R32_FLOAT").value_or(0);
    map.data.assign(texture.levels, {});
    for (uint32_t level = 0; level < texture.levels; ++level) {
        const auto least = [level](uint32_t size) { return std::max(1u, level < 32 ? size >> level : 0u); };
        const uint32_t width = least(texture.width), height = least(texture.height);
        const uint32_t slices = std::max(least(texture.depth), texture.layers), samples = std::max(texture.samples, 1u);
        const bool deep = texture.depth > 1;
        auto& words = map.data[level];
        words.assign(size_t{width} * height * slices * samples, 0);
        for (const NullPage& p : pages) {
            if (p.texture != key || p.level != level) continue;
            const uint32_t first = deep ? p.first[2] : p.first_layer, last = deep ? p.last[2] : p.last_layer;
            for (uint32_t z = first; z <= last && z < slices; ++z)
                for (uint32_t y = p.first[1]; y <= p.last[1] && y < height; ++y)
                    for (uint32_t x = p.first[0]; x <= p.last[0] && x < width; ++x)
                        std::fill_n(words.begin() +
                                        static_cast<std::ptrdiff_t>(((size_t{z} * height + y) * width + x) * samples),
                                    samples, kOne);
        }
    }
    return map;
}

/// Whether everything that a message read from page maps is zero.
Value resident_of(const std::array<Value, 4>& read, uint8_t channels) {
    bool may = true, must_not = false;
    for (size_t c = 0; c < 4; ++c) {
        if (!(channels >> c & 1)) continue;
        const Truth null = not_zero(read[c]);
        if (!null.may_be_false) must_not = true;
        if (null.may_be_true) may = false;
    }
    if (must_not) return exact(0u);
    if (may) return exact(1u);
    bool nominal = true;
    for (size_t c = 0; c < 4; ++c)
        if (channels >> c & 1) nominal &= is_zero(read[c].value);
    Hull h;
    h.add_word(nominal ? 1 : 0);
    h.add_word(nominal ? 0 : 1);
    return h.finish(nominal ? 1 : 0);
}

/// Whether each lane touches a null page.
std::vector<Component> residency(const Message& message, std::vector<TextureLane> lanes, const Inputs& resources,
                                 const MessageState& state, const Options& options) {
    std::vector<Component> out(lanes.size(), exact(1u));
    // Queries read no texel: their mask is 1 (semantics: the two texture pages).
    const bool reads = message.cls != Class::Query && message.sample != SampleOp::LOD;
    if (!reads || state.null_pages.empty()) return out;
    std::map<uint32_t, Texture> maps;
    std::map<const SamplerState*, SamplerState> samplers;
    for (const auto& [key, texture] : resources.textures) maps[key] = page_map(texture, key, state.null_pages);
    for (TextureLane& lane : lanes) {
        for (const auto& [key, texture] : resources.textures)
            if (&texture == lane.binding.texture) {
                lane.binding.texture = &maps[key];
                break;
            }
        lane.binding.swizzle = {0, 1, 2, 3};
        if (!lane.binding.sampler) continue;
        SamplerState& s = samplers[lane.binding.sampler];
        s = *lane.binding.sampler;
        s.compare = Compare::None;
        s.border_color = {};
        lane.binding.sampler = &s;
    }
    std::vector<std::array<Value, 4>> read(lanes.size());
    execute(without_comparison(message), lanes, options, read);
    // A texel of the map is (x, 0, 0, 1); a gather has one in each channel.
    const uint8_t channels = message.cls == Class::Tld4 ? 0xf : 1;
    for (size_t i = 0; i < lanes.size(); ++i)
        if (lanes[i].wants) out[i] = resident_of(read[i], channels);
    return out;
}

}  // namespace

MessageResult run_message(const Message& message, std::span<const MessageLane> given, const Inputs& resources,
                          const MessageState& state, const Options& options) {
    Message m = message;
    std::vector<TextureLane> lanes;
    lanes.reserve(given.size());
    for (const MessageLane& lane : given) lanes.push_back(lane_of(m, lane, resources));
    const bool implicit = m.cls == Class::Sample3D && !m.lod_is_zero && !m.lod.present();
    if (m.cps_compensation && implicit) {
        Context c;
        c.preserve = options.preserves_nan_inf_zero;
        for (TextureLane& lane : lanes)
            lane.bias = m.bias.present() ? add(c, lane.bias, exact(state.coarse_bias)) : exact(state.coarse_bias);
        m.bias = {0, 0};
    }
    std::vector<std::array<Value, 4>> texels(lanes.size());
    execute(m, lanes, options, texels);

    MessageResult result;
    if (m.sparse) result.resident = residency(m, lanes, resources, state, options);
    result.channels.assign(lanes.size(), {});
    for (int c = 0; c < 4; ++c) {
        if (!(m.channel_mask >> c & 1)) continue;
        for (size_t i = 0; i < lanes.size(); ++i) {
            if (!lanes[i].wants) continue;
            Value v = texels[i][static_cast<size_t>(c)];
            const bool whole = !m.sparse || (is_exact(result.resident[i]) && result.resident[i].value == 1);
            result.channels[i][result.channel_count] = whole ? v : unknown(v.value);
        }
        ++result.channel_count;
    }
    return result;
}

}  // namespace tgsi2spv::reference

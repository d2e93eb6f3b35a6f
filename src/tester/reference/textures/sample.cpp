#include "reference/textures/sample.h"

#include <algorithm>
#include <cmath>

#include "reference/textures/answers.h"
#include "reference/textures/cube.h"
#include "reference/textures/fetch.h"
#include "reference/textures/filter.h"
#include "reference/textures/lod.h"

namespace tgsi2spv::reference {
namespace {

using sampling::Class;
using sampling::Message;
using sampling::Offsets;
using sampling::SampleOp;

Texel permute(const Texel& t, uint8_t swizzle) {
    return {t[swizzle & 3], t[swizzle >> 2 & 3], t[swizzle >> 4 & 3], t[swizzle >> 6 & 3]};
}

bool is_comparison(const Message& message) {
    return message.surface.shadow && (message.cls == Class::Tld4 || message.sample != SampleOp::LOD);
}

/// A word in TLD4's field of six bits.
uint32_t in_six_bits(uint32_t word) {
    const uint32_t low = word & 63;
    return low < 32 ? low : low - 64;
}

/// Offset k of the message as whole numbers; false if it is not known.
bool offset_of(const Message& message, const TextureLane& lane, int k, TexturePosition& place) {
    for (Real& o : place.offset) o = {};
    if (message.offsets == Offsets::None) return true;
    for (int axis = 0; axis < message.surface.offsets; ++axis) {
        Real& o = place.offset[axis];
        if (message.offsets_are_immediate) {
            o.lo = o.hi = o.nominal = message.immediate_offsets[k][axis];
            continue;
        }
        WordList list;
        const Value& v = lane.offsets[k][axis];
        if (!enumerate(v, list, 16)) return false;
        const auto encoded = [&](uint32_t word) {
            return static_cast<int32_t>(message.cls == Class::Tld4 ? in_six_bits(word) : word);
        };
        o.nominal = encoded(v.value);
        o.lo = INFINITY, o.hi = -INFINITY;
        for (int i = 0; i < list.count; ++i) {
            const double w = encoded(list.words[static_cast<size_t>(i)]);
            o.lo = std::min(o.lo, w);
            o.hi = std::max(o.hi, w);
        }
    }
    return true;
}

/// The layers that a float may select: rounded to nearest even, or floor(x + 0.5) (Vulkan, "Image Array Layer
/// Selection"). As with texels (filter.cpp), integers have no width there, and beyond 32 bits a device's
/// conversion may do anything.
struct Layers {
    int first = 0, last = 0, nominal = 0;
};
bool layers_of(const Value& v, int count, bool nominal_only, Layers& layers) {
    constexpr double kFar = 0x1p31;
    Real r;
    if (!real_of(v, r)) return false;
    if (!nominal_only && (r.lo < -kFar || r.hi >= kFar)) return false;
    auto limited = [&](double x) { return static_cast<int>(std::clamp(x, 0.0, static_cast<double>(count - 1))); };
    layers.first = limited(std::min(std::nearbyint(r.lo), std::floor(r.lo + 0.5)));
    layers.last = limited(std::max(std::nearbyint(r.hi), std::floor(r.hi + 0.5)));
    layers.nominal = limited(std::nearbyint(r.nominal));
    return layers.last - layers.first < 16;
}

/// Dref of a lane: divided like the coordinates, and limited to [0,1] for normalised depths.
bool reference_of(const Message& message, const TextureLane& lane, const Image& image, Value& reference) {
    Real r;
    if (message.divisor.present()) {
        Message one = message;  // the same division as for a coordinate
        one.surface.coords = 1;
        TextureLane as_coordinate = lane;
        as_coordinate.coord[0] = lane.reference;
        Real c[3];
        if (!coordinates_of(one, as_coordinate, c)) return false;
        r = c[0];
    } else if (!real_of(lane.reference, r)) {
        return false;
    }
    if (image.depth_unorm()) {
        auto limited = [](double x) { return std::clamp(x, 0.0, 1.0); };
        r = {limited(r.lo), limited(r.hi), limited(r.nominal)};
    }
    Hull h;
    h.add_real(r.lo, r.hi);
    reference = h.finish(as_word(static_cast<float>(r.nominal)));
    return true;
}

constexpr std::array<uint8_t, 4> kIdentity{0, 1, 2, 3};

/// Vulkan, "Instruction/Sampler/Image View Validation": borders of floats have no meaning for integers. Opaque black
/// and custom borders have none through a swizzle, unless borderColorSwizzleFromImage is enabled. Transparent black and
/// opaque white are not named there.
bool border_is_undefined(const TextureBinding& binding, const Image& image, const SamplerState& sampler,
                         const Options& options) {
    if (image.integer() && binding.border_is_of_floats) return true;
    if (options.border_swizzle_from_image || binding.swizzle == kIdentity) return false;
    return is_custom_border(sampler) || sampler.border_color[0] != sampler.border_color[3];
}

/// Everything about a lane's lookup except which of its possible layers and faces is read.
struct Lookup {
    const Message* m = nullptr;
    const TextureLane* lane = nullptr;
    SampledLayer access;
    TexturePosition place;
    Layers layers;
    FaceHits faces;
    Lod lod;
};

/// A swizzle's zero or one, where the texel is `t`: an undefined border is undefined in every channel.
Value constant_beside(const SampledLayer& layer, const Texel& t, const Value& constant) {
    const bool known = !layer.border_is_undefined || !is_unknown(t[0]);
    return known ? constant : unknown(constant.value);
}

/// A texel after the view's swizzle.
Texel viewed(const Lookup& lookup, const Texel& t) {
    const std::array<uint8_t, 4>& swizzle = lookup.lane->binding.swizzle;
    Texel v = through_view(t, swizzle, *lookup.access.image);
    for (size_t c = 0; c < 4; ++c)
        if (swizzle[c] >= 4) v[c] = constant_beside(lookup.access, t, v[c]);
    return v;
}

/// Calls each(access, place) for every layer and face that may be hit, the nominal one first.
template <class F>
void for_each_choice(Lookup& lookup, F&& each) {
    const bool cube = lookup.access.cube;
    auto faces = [&](int layer) {
        lookup.access.layer = cube ? layer * 6 : layer;
        if (!cube) {
            each(lookup.access, lookup.place);
            return;
        }
        for (int i = 0; i < lookup.faces.count; ++i) {
            lookup.access.face = lookup.faces.hit[i].face;
            lookup.place.coord[0] = lookup.faces.hit[i].s;
            lookup.place.coord[1] = lookup.faces.hit[i].t;
            each(lookup.access, lookup.place);
        }
    };
    faces(lookup.layers.nominal);
    if (lookup.access.nominal_only) return;
    for (int layer = lookup.layers.first; layer <= lookup.layers.last; ++layer)
        if (layer != lookup.layers.nominal) faces(layer);
}

Texel sample_3d(Lookup& lookup) {
    Answers answers;
    for_each_choice(lookup, [&](const SampledLayer& a, const TexturePosition& p) {
        answers.add(sample_filtered(a, p, lookup.lod));
    });
    return answers.finish();
}

/// The channel that a gather returns; -1: it varies or is not known; 4, 5: a constant of the view's swizzle.
int gather_channel(const Message& message, const TextureLane& lane) {
    if (message.surface.shadow) return lane.binding.swizzle[0] == 0 ? 0 : -1;
    int c = message.immediate_component;
    if (c < 0) {
        if (!is_exact(lane.component) || lane.component.words[0] > 3) return -1;
        c = static_cast<int>(lane.component.words[0]);
    }
    if (message.swizzle_before_component) c = message.result_swizzle >> (2 * c) & 3;
    return lane.binding.swizzle[static_cast<size_t>(c)];
}

/// Channel `c` of the format's texels.
Texel gathered_channel(Lookup& lookup, int c) {
    Answers answers;
    if (lookup.m->offsets != Offsets::Ptp) {
        for_each_choice(lookup, [&](const SampledLayer& a, const TexturePosition& p) { answers.add(gather(a, p, c)); });
        return answers.finish();
    }
    Texel t;
    for (int k = 0; k < 4; ++k) {
        if (!offset_of(*lookup.m, *lookup.lane, k, lookup.place)) return all_unknown();
        Answers one;
        for_each_choice(lookup, [&](const SampledLayer& a, const TexturePosition& p) {
            const Value v = gather_one(a, p, c);
            one.add({v, v, v, v});
        });
        t[static_cast<size_t>(k)] = one.finish()[0];
    }
    return t;
}

Texel tld4(Lookup& lookup, const Image& image) {
    const int c = gather_channel(*lookup.m, *lookup.lane);
    if (c < 0) return all_unknown();
    if (c >= 4) {
        const Value v = c == 4 ? exact(0u) : image.one();
        if (!lookup.access.border_is_undefined) return {v, v, v, v};
        Texel t = gathered_channel(lookup, 0);
        for (Value& x : t) x = constant_beside(lookup.access, {x, x, x, x}, v);
        return t;
    }
    return gathered_channel(lookup, c);
}

/// LODQ, LOD: x is the level that would be read, y is the computed level (before the sampler's limits).
Texel level_query(const Message& message, const Lod& lod, const Image& image, const SamplerState& sampler) {
    const Value rest = message.separate ? exact(0u) : unknown();
    Texel t{unknown(), unknown(), rest, rest};
    // Outside FRAG a device has no query: the level is 0, unless the sampler changes or limits it.
    if (!lod.known) return t;
    if (message.lod_is_zero && (sampler.lod_bias != 0 || sampler.min_lod > 0)) return t;
    if (std::isfinite(lod.computed.lo) && std::isfinite(lod.computed.hi)) {
        Hull h;
        h.add_real(lod.computed.lo, lod.computed.hi);
        t[1] = h.finish(as_word(static_cast<float>(lod.computed.nominal)));
    }
    Hull h;
    double nominal = clamp_level(lod.limited.nominal, image.levels());
    const double lo = clamp_level(lod.limited.lo, image.levels()), hi = clamp_level(lod.limited.hi, image.levels());
    if (sampler.mip_filter == MipFilter::None) {
        nominal = 0;
        h.add_word(0);
        if (sampler.min_lod > 0) h.add_unknown();  // Vulkan always has levels: the limit and the one level disagree
    } else if (sampler.mip_filter == MipFilter::Nearest) {
        nominal = nearest_level(nominal, false);
        for (int l = nearest_level(lo, false); l <= nearest_level(hi, true); ++l)
            h.add_word(as_word(static_cast<float>(l)));
    } else {
        h.add_real(lo, hi);
    }
    t[0] = h.finish(as_word(static_cast<float>(nominal)));
    return t;
}

Texel execute_one(const Message& message, std::span<const TextureLane> lanes, size_t at, const Options& options,
                  bool nominal_only) {
    const TextureLane& lane = lanes[at];
    const TextureBinding& binding = lane.binding;
    if (message.render_target) return permute(query(message, lane, nullptr, options), message.result_swizzle);
    if (!binding.known || !binding.texture) return all_unknown();
    const Image image(*binding.texture);
    static const SamplerState kDefault;
    const SamplerState& sampler = binding.sampler ? *binding.sampler : kDefault;

    if (message.cls == Class::Query) {
        const Texel t = query(message, lane, &image, options);
        return permute(t, message.result_swizzle);
    }
    if (!image.valid()) return all_unknown();
    if (message.cls == Class::Fetch) return permute(fetch(message, lane, image, nominal_only), message.result_swizzle);

    const bool query_lod = message.cls == Class::Sample3D && message.sample == SampleOp::LOD;
    Lookup l;
    l.m = &message;
    l.lane = &lane;
    SampledLayer& a = l.access;
    a.image = &image;
    a.sampler = &sampler;
    a.cube = message.surface.dim == sampling::Dim::Cube;
    a.dims = a.cube ? 2 : message.surface.coords;
    a.in_texels = message.surface.rect || sampler.unnormalized;
    a.compare = is_comparison(message);
    a.sub_texel_bits = options.sub_texel_bits;
    a.rounding_filters = options.rounding_filters;
    a.border_is_undefined = border_is_undefined(binding, image, sampler, options);
    a.nominal_only = nominal_only;
    if (message.cls == Class::Sample3D) l.lod = lod_of(message, lanes, at, image, sampler, options);
    if (query_lod) return permute(level_query(message, l.lod, image, sampler), message.result_swizzle);

    // The descriptor of a view fixes its shape and whether it compares: Vulkan does not define a mismatch.
    const bool cube_image = image.shape().cube;
    if (a.cube != cube_image || (!a.cube && image.shape().coords != message.surface.coords)) return all_unknown();
    if (!a.compare && message.separate && sampler.compare != Compare::None) return all_unknown();
    if (a.compare && (sampler.compare == Compare::None || !reference_of(message, lane, image, a.reference)))
        return all_unknown();
    Real c[3];
    if (!coordinates_of(message, lane, c)) return all_unknown();
    if (a.cube) {
        l.faces = face_hits(c, nominal_only);
        if (l.faces.count == 0) return all_unknown();
    } else {
        std::copy(std::begin(c), std::end(c), std::begin(l.place.coord));
    }
    if (message.layer.present() &&
        !layers_of(lane.layer, a.cube ? image.layers() / 6 : image.layers(), nominal_only, l.layers))
        return all_unknown();
    if (message.offsets != Offsets::Ptp && !offset_of(message, lane, 0, l.place)) return all_unknown();

    if (message.cls == Class::Tld4) return tld4(l, image);
    const Texel t = sample_3d(l);
    if (!a.compare) return permute(viewed(l, t), message.result_swizzle);
    // A comparison has one result, which goes to xyz with w = 1; a view's swizzle may or may not act on it first.
    if (binding.swizzle == kIdentity) return permute(t, message.result_swizzle);
    const Texel v = viewed(l, t);
    if (options.swizzled_comparisons) return permute(v, message.result_swizzle);
    // In Vulkan a comparison returns the first channel of the swizzled (result, 0, 0, 1).
    const uint8_t s = binding.swizzle[0];
    const Value first = s == 0 ? t[0] : exact(s == 3 || s == 5 ? kOne : 0);
    Texel either;
    for (size_t k = 0; k < 4; ++k) either[k] = join(join(v[k], t[k]), k < 3 ? first : exact(kOne));
    return permute(either, message.result_swizzle);
}

}  // namespace

void execute(const Message& message, std::span<const TextureLane> lanes, const Options& options,
             std::span<std::array<Value, 4>> results) {
    for (size_t i = 0; i < lanes.size(); ++i) {
        if (!lanes[i].wants) continue;
        if (!options.fast_values) {
            results[i] = execute_one(message, lanes, i, options, false);
            continue;
        }
        const Texel t = execute_one(message, lanes, i, options, true);
        for (size_t c = 0; c < 4; ++c) results[i][c] = exact(t[c].value);
    }
}

}  // namespace tgsi2spv::reference

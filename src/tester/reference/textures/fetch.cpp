#include "reference/textures/fetch.h"

#include "reference/textures/answers.h"

namespace tgsi2spv::reference {
namespace {

using sampling::Message;
using sampling::QueryOp;

constexpr int kMaxFetches = 64;

/// The integer parameters of a fetch, each with all the values it may have.
struct Index {
    WordList words;
    uint32_t nominal = 0;
};

struct Indices {
    enum { X, Y, Z, Layer, Level, Sample, Count };
    Index at[Count];
    int64_t combinations = 1;

    bool read(int which, const Value& v, bool nominal_only) {
        Index& i = at[which];
        i.nominal = v.value;
        if (nominal_only) {
            i.words.count = 1;
            i.words.words[0] = v.value;
        } else if (!enumerate(v, i.words, 16)) {
            return false;
        }
        combinations *= i.words.count;
        return true;
    }
};

int64_t as_signed(uint32_t w) {
    return static_cast<int32_t>(w);
}

Texel texel(const Message& message, const Image& image, const std::array<uint8_t, 4>& view,
            const uint32_t (&w)[Indices::Count]) {
    const int64_t level = as_signed(w[Indices::Level]);
    const int64_t layer = as_signed(w[Indices::Layer]), sample = as_signed(w[Indices::Sample]);
    bool inside = level >= 0 && level < image.levels() && layer >= 0 && layer < image.layers();
    int64_t i[3] = {0, 0, 0};
    for (int c = 0; c < message.surface.coords; ++c) {
        i[c] = as_signed(w[c]);
        inside = inside && i[c] >= 0 && i[c] < image.size(c, static_cast<int>(level));
    }
    // semantics, SAMPLE_I: "anything out of range"; TXF: outside are zeros.
    if (message.surface.ms) inside = inside && sample >= 0 && sample < image.samples();
    if (inside)
        return through_view(image.texel(static_cast<int>(level), static_cast<int>(layer), i[0], i[1], i[2],
                                        message.surface.ms ? static_cast<int>(sample) : 0),
                            view, image);
    // semantics, SAMPLE_I: 0 in all four components, for any swizzle of the view.
    if (message.zero_outside) return {exact(0u), exact(0u), exact(0u), exact(0u)};
    // Vulkan, robustImageAccess: the alpha of a texel out of bounds is 0 or 1.
    Texel t = image.zero();
    Hull h;
    h.add(t[3]);
    h.add(image.one());
    h.add_word(0);
    t[3] = h.finish(t[3].value);
    return through_view(t, view, image);
}

/// VkPhysicalDeviceLimits::standardSampleLocations, in sixteenths; TGSI defines no others.
Value standard_position(uint32_t samples, uint32_t sample, int axis) {
    static constexpr uint8_t k2[][2] = {{12, 12}, {4, 4}};
    static constexpr uint8_t k4[][2] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
    static constexpr uint8_t k8[][2] = {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}};
    static constexpr uint8_t k16[][2] = {{9, 9},  {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
                                         {6, 14}, {8, 1}, {4, 2},  {2, 12}, {0, 8}, {15, 4},  {14, 15}, {1, 0}};
    const uint8_t(*table)[2] = samples == 2    ? k2
                               : samples == 4  ? k4
                               : samples == 8  ? k8
                               : samples == 16 ? k16
                                               : nullptr;
    if (samples == 1) return exact(0.5f);
    if (!table || sample >= samples) return unknown();
    return exact(static_cast<float>(table[sample][axis]) / 16);
}

/// Width, height or layers, depth or layers of a level; components that a target lacks are `missing`.
Texel sizes(const Message& message, const Image& image, int level, const Value& missing) {
    Texel t{missing, missing, missing, exact(static_cast<uint32_t>(image.levels()))};
    auto size = [&](int axis) { return exact(static_cast<uint32_t>(image.size(axis, level))); };
    const bool cube = message.surface.dim == sampling::Dim::Cube;
    const int axes = cube ? 2 : message.surface.coords;
    for (int c = 0; c < axes; ++c) t[c] = size(c);
    if (message.surface.array) t[axes] = exact(static_cast<uint32_t>(cube ? image.layers() / 6 : image.layers()));
    if (message.surface.dim == sampling::Dim::Buffer) t[3] = missing;
    return t;
}

Texel size_query(const Message& message, const TextureLane& lane, const Image& image, bool nominal_only) {
    // semantics, TXQ: a component that is not a size is undefined; SVIEWINFO: z of a 1D array is 0.
    const bool view_info = message.query == QueryOp::ViewInfo;
    const Value missing = view_info && message.surface.array && message.surface.coords == 1 ? exact(0u) : unknown();
    Indices indices;
    if (!indices.read(Indices::Level, lane.lod, nominal_only)) return all_unknown();
    auto at = [&](uint32_t level) {
        if (level < static_cast<uint32_t>(image.levels()))
            return sizes(message, image, static_cast<int>(level), missing);
        return Texel{exact(0u), exact(0u), exact(0u), sizes(message, image, 0, missing)[3]};
    };
    const Index& level = indices.at[Indices::Level];
    Answers answers;
    answers.add(at(level.nominal));
    for (int i = 0; i < level.words.count; ++i) answers.add(at(level.words.words[static_cast<size_t>(i)]));
    return answers.finish();
}

}  // namespace

Texel fetch(const Message& message, const TextureLane& lane, const Image& image, bool nominal_only) {
    Indices indices;
    bool known = true;
    const bool offset = message.offsets != sampling::Offsets::None;
    for (int c = 0; c < 3; ++c) {
        if (c >= message.surface.coords) {
            indices.read(c, exact(0u), nominal_only);
            continue;
        }
        known = known && indices.read(c, lane.coord[c], nominal_only);
        if (!known || !offset || c >= message.surface.offsets) continue;
        Index by;
        if (message.offsets_are_immediate) {
            by.nominal = static_cast<uint32_t>(message.immediate_offsets[0][c]);
        } else {
            WordList list;
            by.nominal = lane.offsets[0][c].value;
            if (!nominal_only && (!enumerate(lane.offsets[0][c], list, 1))) return all_unknown();
        }
        Index& i = indices.at[c];
        i.nominal += by.nominal;
        for (int k = 0; k < i.words.count; ++k) i.words.words[static_cast<size_t>(k)] += by.nominal;
    }
    const Value none = exact(0u);
    known = known && indices.read(Indices::Layer, message.layer.present() ? lane.layer : none, nominal_only) &&
            indices.read(Indices::Level, message.lod.present() ? lane.lod : none, nominal_only) &&
            indices.read(Indices::Sample, message.sample_index.present() ? lane.sample_index : none, nominal_only);
    if (!known || indices.combinations > kMaxFetches) return all_unknown();
    uint32_t w[Indices::Count];
    for (int k = 0; k < Indices::Count; ++k) w[k] = indices.at[k].nominal;
    Answers answers;
    answers.add(texel(message, image, lane.binding.swizzle, w));
    if (nominal_only || indices.combinations == 1) return answers.finish();
    for (int64_t n = 0; n < indices.combinations; ++n) {
        int64_t rest = n;
        for (int k = 0; k < Indices::Count; ++k) {
            const WordList& list = indices.at[k].words;
            w[k] = list.words[static_cast<size_t>(rest % list.count)];
            rest /= list.count;
        }
        answers.add(texel(message, image, lane.binding.swizzle, w));
    }
    return answers.finish();
}

Texel query(const Message& message, const TextureLane& lane, const Image* image, const Options& options) {
    // A target without samples has one, for any bound image.
    const uint32_t samples = image && message.surface.ms ? static_cast<uint32_t>(image->samples()) : 1;
    switch (message.query) {
        case QueryOp::Size:
        case QueryOp::ViewInfo:
            return image ? size_query(message, lane, *image, options.fast_values) : all_unknown();
        case QueryOp::Samples:
            return {exact(samples), unknown(), unknown(), unknown()};
        case QueryOp::SampleInfo:
            // semantics: 1 if nothing is multisampled; in the middle edition 0, except for a render target.
            if (image && samples == 1 && options.dialect == tgsi::Dialect::Middle)
                return {exact(0u), exact(0u), exact(0u), exact(0u)};
            return {exact(samples), exact(0u), exact(0u), exact(0u)};
        case QueryOp::SamplePosition: {
            // semantics: (0.5, 0.5) if nothing is multisampled, 0 in the middle edition.
            if (samples == 1) {
                const bool none = image && options.dialect == tgsi::Dialect::Middle;
                const Value p = none ? exact(0u) : exact(0.5f), rest = none ? exact(0u) : unknown();
                return {p, p, rest, rest};
            }
            WordList list;
            if (!options.fast_values && !enumerate(lane.sample_index, list, 16)) return all_unknown();
            Answers answers;
            // The middle edition gives (x, y, 0, 0); the others do not say.
            const Value rest = options.dialect == tgsi::Dialect::Middle ? exact(0u) : unknown();
            auto add = [&](uint32_t s) {
                answers.add({standard_position(samples, s, 0), standard_position(samples, s, 1), rest, rest});
            };
            add(lane.sample_index.value);
            for (int i = 0; i < list.count; ++i) add(list.words[static_cast<size_t>(i)]);
            return answers.finish();
        }
    }
    return all_unknown();
}

}  // namespace tgsi2spv::reference

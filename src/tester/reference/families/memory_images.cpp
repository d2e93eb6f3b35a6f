// Images that shaders load from and store to: the texels at coordinates, and the conversion to formats.
#include <algorithm>
#include <cmath>

#include "reference/families/memory.h"
#include "reference/textures/texel.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Numeric;

/// Sizes of level 0 of an image.
struct Extent {
    int64_t width, height, depth, layers, samples;
};

Extent extent_of(const Texture& texture) {
    const Image image(texture);
    return {image.size(0, 0), image.size(1, 0), image.size(2, 0), image.layers(), image.samples()};
}

/// Whether a target may address an image of that shape: views consist of layers, so cubes and arrays are
/// interchangeable.
bool fits(const tgsi::TargetShape& target, const tgsi::TargetShape& image) {
    const auto plane = [](const tgsi::TargetShape& s) { return s.cube ? 2 : s.coords; };
    return plane(target) == plane(image) && target.buffer == image.buffer && target.ms == image.ms &&
           (target.array || target.cube) == (image.array || image.cube);
}

/// Returns the texel, or the words in the row, at one set of coordinates; none if it is out of range.
WordRun place(const Extent& extent, const tgsi::TargetShape& shape, uint32_t components, bool raw,
              const std::array<uint32_t, 4>& at) {
    const int plane = shape.cube ? 2 : shape.coords;
    const auto inside = [](uint32_t i, int64_t n) { return static_cast<int64_t>(i) < n; };
    const int64_t x = raw ? at[0] >> 2 : at[0], y = plane > 1 ? at[1] : 0, z = plane > 2 ? at[2] : 0;
    const int64_t layer = shape.array || shape.cube ? at[static_cast<size_t>(plane)] : 0, sample = shape.ms ? at[3] : 0;
    const int64_t row = raw ? extent.width * components : extent.width;
    if (!inside(static_cast<uint32_t>(x), row) || !inside(static_cast<uint32_t>(y), extent.height) ||
        !inside(static_cast<uint32_t>(z), extent.depth) || layer >= extent.layers || sample >= extent.samples)
        return {};
    const int64_t line = ((layer * extent.depth + z) * extent.height + y);
    if (raw)
        return {static_cast<uint64_t>((line * row + x) * extent.samples + sample),
                static_cast<uint32_t>(std::min<int64_t>(4, row - x)), static_cast<uint64_t>(extent.samples)};
    return {static_cast<uint64_t>(((line * extent.width + x) * extent.samples + sample) * components), components};
}

bool is_integer(const tgsi::FormatInfo& format) {
    return format.numeric == Numeric::Uint || format.numeric == Numeric::Sint;
}

/// Returns a word after it was stored to a component of a format. Vulkan converts to either of the two nearest values
/// of a normalised format; integers that do not fit are undefined.
Value converted_word(const tgsi::FormatInfo& format, int c, uint32_t w) {
    const bool is_signed = format.numeric == Numeric::Snorm;
    if (format.numeric != Numeric::Unorm && !is_signed) return stored(format, c, w);
    const double x = static_cast<double>(as_number(w));
    const double most = std::ldexp(1.0, format.bits[c] - (is_signed ? 1 : 0)) - 1;
    if (std::isnan(x) || most <= 0) return unknown();
    const double t = std::clamp(x * most, is_signed ? -most : 0, most), slack = std::fabs(t) * 0x1p-22;
    // -0 has no code: values that round to it from below give the code 0.
    const auto code = [&](double whole) {
        return stored(format, c, as_word(static_cast<float>((whole + 0.0) / most)));
    };
    const Value nominal = code(std::nearbyint(t));
    if (t == std::nearbyint(t)) return nominal;
    Hull h;
    h.add(code(std::floor(t - slack)));
    h.add(code(std::min(std::ceil(t + slack), most)));
    h.add(nominal);
    return h.finish(nominal.value);
}

}  // namespace

PossibleRuns image_locations(const Region& region, tgsi::Target target, bool raw,
                             const std::array<const Value*, 4>& address, uint32_t lane) {
    const Texture& t = *region.texture;
    const tgsi::TargetShape shape = tgsi::shape(target), own = tgsi::shape(t.target);
    const Extent e = extent_of(t);
    PossibleRuns all;
    // Raw words are those of memory; the reference keeps one for each component.
    const auto is_word = [](auto bits) { return bits == 32; };
    const bool words = !raw || (std::ranges::all_of(std::span(region.format->bits).first(region.components), is_word) &&
                                (e.samples == 1 || region.components == 1));
    if (!fits(shape, own) || !words) {
        all.known = false;
        return all;
    }
    std::array<WordList, 4> lists;
    std::array<uint32_t, 4> at{};
    const int used = shape.ms ? 4 : (shape.cube ? 2 : shape.coords) + (shape.array || shape.cube ? 1 : 0);
    for (size_t i = 0; i < 4; ++i) {
        lists[i].count = 1;
        lists[i].words[0] = 0;
        if (static_cast<int>(i) >= used) continue;
        const Value& v = address[i][lane];
        at[i] = v.value;
        all.known = all.known && enumerate(v, lists[i]);
    }
    all.nominal = place(e, shape, region.components, raw, at);
    if (!all.known) return all;
    for (int i = 0; i < lists[0].count; ++i)
        for (int j = 0; j < lists[1].count; ++j)
            for (int k = 0; k < lists[2].count; ++k)
                for (int l = 0; l < lists[3].count; ++l)
                    all.add(place(e, shape, region.components, raw,
                                  {lists[0].words[static_cast<size_t>(i)], lists[1].words[static_cast<size_t>(j)],
                                   lists[2].words[static_cast<size_t>(k)], lists[3].words[static_cast<size_t>(l)]}));
    return all;
}

Value missing_component(const Region& region, const WordRun& at, uint32_t c) {
    const uint32_t one = is_integer(*region.format) ? 1 : kOne;
    const bool is_pair = region.format->name.starts_with("R64_");  // semantics: Memory
    if (c < 3 || is_pair) return exact(0u);
    if (at.components != 0) return exact(one);
    // Out of range: alpha may be that of a missing component (robustImageAccess).
    Value v = join(exact(0u), exact(one));
    v.value = region.components > 3 ? 0 : one;
    return v;
}

Value converted(const Context& context, const Region& region, int component, const Value& v) {
    const tgsi::FormatInfo& f = *region.format;
    const Value nominal = converted_word(f, component, v.value);
    if (is_exact(v) || context.nominal) {
        Value to = is_exact(v) && v.words[0] != v.value ? converted_word(f, component, v.words[0]) : nominal;
        to.value = nominal.value;
        return to;
    }
    if (is_integer(f) && f.bits[component] == 32) return v;
    if (is_unknown(v) || v.maybe_nan) return unknown(nominal.value);
    Hull h;
    if (v.kind == Kind::Words) {
        for (size_t i = 0; i < v.count; ++i) h.add(converted_word(f, component, v.words[i]));
        return h.finish(nominal.value);
    }
    if (is_integer(f)) return unknown(nominal.value);
    // Conversion is monotone: a value between the ends may become any value between theirs.
    h.add(converted_word(f, component, v.lo));
    h.add(converted_word(f, component, v.hi));
    if (h.is_unknown()) return unknown(nominal.value);
    FloatRange range;
    if (!float_range(h.finish(0), range) || range.nan || range.empty) return unknown(nominal.value);
    h.add_interval(as_word(range.lo), as_word(range.hi));
    h.flush();
    return h.finish(nominal.value);
}

std::array<uint32_t, 4> image_size(const Texture& texture, tgsi::Target target) {
    const Extent e = extent_of(texture);
    const tgsi::TargetShape s = tgsi::shape(target);
    std::array<uint32_t, 4> size{};
    const size_t plane = s.cube ? 2 : s.coords;
    const int64_t axes[3] = {e.width, e.height, e.depth};
    for (size_t i = 0; i < plane; ++i) size[i] = static_cast<uint32_t>(axes[i]);
    if (s.array) size[plane] = static_cast<uint32_t>(s.cube ? e.layers / 6 : e.layers);
    size[3] = static_cast<uint32_t>(e.samples);
    return size;
}

}  // namespace tgsi2spv::reference

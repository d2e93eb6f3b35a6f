#include "scene/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "scene/fragments.h"

namespace tgsi2spv::scene {

namespace {

constexpr size_t kMaxColors = 6;
constexpr double kSteps = 255;

ChannelRange clamped(ChannelRange range) {
    return {std::clamp(range.lo, 0.0, 1.0), std::clamp(range.hi, 0.0, 1.0)};
}

/// Vulkan, "Blending": blending computes with at least the precision of the target's components. So each of its steps
/// is correct to half a step of the target's format.
ChannelRange near(ChannelRange range) {
    return clamped({range.lo - 0.5 / kSteps, range.hi + 0.5 / kSteps});
}

/// The range that blending reads from a target that stored one of the bytes next to each value.
ChannelRange read_back(ChannelRange range) {
    constexpr double kRounding = 1e-9;
    return {std::floor(range.lo * kSteps + kRounding) / kSteps, std::ceil(range.hi * kSteps - kRounding) / kSteps};
}

bool is_constant(Factor f) {
    return f == Factor::Zero || f == Factor::One;
}

/// A blend factor for channel c. Every factor rises or falls with one value in [0, 1].
ChannelRange factor(Factor f, const Outcome& outcome, size_t c) {
    const auto inverse = [](ChannelRange r) { return ChannelRange{1 - r.hi, 1 - r.lo}; };
    switch (f) {
        case Factor::Zero:
            return {0, 0};
        case Factor::One:
            return {1, 1};
        case Factor::SrcAlpha:
            return outcome.color[3];
        case Factor::InvSrcAlpha:
            return inverse(outcome.color[3]);
        case Factor::Src1Color:
            return outcome.second[c];
        case Factor::InvSrc1Color:
            return inverse(outcome.second[c]);
        case Factor::Src1Alpha:
            return outcome.second[3];
        case Factor::InvSrc1Alpha:
            return inverse(outcome.second[3]);
    }
    return {0, 1};
}

/// A colour times its factor. 0 · x and 1 · x are exact (Vulkan, "Floating-Point Computation").
ChannelRange term(Factor f, ChannelRange color, const Outcome& outcome, size_t c) {
    const ChannelRange by = is_constant(f) ? factor(f, outcome, c) : near(factor(f, outcome, c));
    const ChannelRange product = {color.lo * by.lo, color.hi * by.hi};
    return is_constant(f) ? product : near(product);
}

/// The stored colour: the sum of pipe_blend_state if the scene blends. Colours of normalised targets are clamped before
/// and after.
Color blended(const Scene& scene, const State& state, Outcome outcome, const Color& before) {
    // B8G8R8A8 has blue first; the picture, like blending's input, is memory, byte by byte.
    if ((state.bgra_targets & 1) != 0) {
        std::swap(outcome.color[0], outcome.color[2]);
        std::swap(outcome.second[0], outcome.second[2]);
    }
    if (scene.fixed.alpha_target) outcome.color[0] = outcome.color[3];
    if (scene.fixed.target != NumericType::Float) return outcome.color;
    for (ChannelRange& r : outcome.color) r = clamped(r);
    for (ChannelRange& r : outcome.second) r = clamped(r);
    Color out = outcome.color;
    if (scene.blend)
        for (size_t c = 0; c < 4; c++) {
            const ChannelRange s = term(scene.blend->source, near(outcome.color[c]), outcome, c);
            const ChannelRange t = term(scene.blend->target, read_back(before[c]), outcome, c);
            const ChannelRange sum = {s.lo + t.lo, s.hi + t.hi};
            const bool of_one = scene.blend->source == Factor::Zero || scene.blend->target == Factor::Zero;
            out[c] = of_one ? clamped(sum) : near(sum);
        }
    return out;
}

void draw_over(const Scene& scene, const State& state, const Outcome& outcome, Pixel& pixel) {
    if (!outcome.happens) return;
    if (outcome.unknown) {
        pixel.free = true;
        return;
    }
    std::vector<Color> after;
    const auto add = [&](const Color& c) {
        if (std::find(after.begin(), after.end(), c) == after.end()) after.push_back(c);
    };
    if (!outcome.surely) {
        for (const Color& c : pixel.colors) add(c);
    } else if (!scene.blend) {
        pixel.free = false;
    }
    for (const Color& c : pixel.colors) add(blended(scene, state, outcome, c));
    pixel.colors = std::move(after);
    if (pixel.colors.size() <= kMaxColors) return;
    // The plain colour alone goes on: the number of colours would double with each fragment.
    pixel.free = true;
    pixel.colors.erase(pixel.colors.begin(), pixel.colors.end() - 1);
}

bool permits(const Picture& picture, const Color& color, const uint8_t* rgba) {
    for (size_t c = 0; c < 4; c++) {
        const double byte = rgba[c];
        if (picture.integers ? byte < color[c].lo || byte > color[c].hi
                             : byte <= color[c].lo * kSteps - 1 || byte >= color[c].hi * kSteps + 1)
            return false;
    }
    return true;
}

/// True if the colours are not neighbours: no byte is permitted by both.
bool apart(const Picture& p, const Color& a, const Picture& q, const Color& b) {
    const double of_a = p.integers ? 1 : kSteps, of_b = q.integers ? 1 : kSteps;
    const double step = (p.integers ? 0.0 : 1.0) + (q.integers ? 0.0 : 1.0);
    for (size_t c = 0; c < 4; c++)
        if (a[c].lo * of_a > b[c].hi * of_b + step || b[c].lo * of_b > a[c].hi * of_a + step) return true;
    return false;
}

}  // namespace

tl::expected<Picture, std::string> render(const Scene& scene, const State& state) {
    const auto assembled = assemble(scene, state);
    if (!assembled) return tl::unexpected<std::string>(assembled.error());
    Picture picture{scene.width, scene.height, scene.fixed.target != NumericType::Float, {}};
    Color clear{};
    for (size_t c = 0; c < 4; c++) {
        const double value = scene.clear[c];
        clear[c] = picture.integers ? ChannelRange{std::floor(value), std::floor(value)} : clamped({value, value});
    }
    picture.pixels.assign(size_t{scene.width} * scene.height, {{clear}, false});
    const auto fragment = parse(scene.shaders.back());
    if (!fragment) return tl::unexpected<std::string>(fragment.error());
    for (const Primitive& primitive : assembled->primitives) {
        const auto rastered = rasterize(scene, state, assembled->last, primitive);
        if (!rastered) return tl::unexpected<std::string>(rastered.error());
        if (rastered->fragments.empty()) continue;
        const auto outcomes = shade(scene, state, assembled->last, *fragment, primitive, *rastered);
        if (!outcomes) return tl::unexpected<std::string>(outcomes.error());
        for (size_t i = 0; i < outcomes->size(); i++) {
            const Fragment& f = rastered->fragments[i];
            if (f.covered) draw_over(scene, state, (*outcomes)[i], picture.pixels[size_t{f.y} * scene.width + f.x]);
        }
    }
    return picture;
}

std::vector<uint8_t> plain_bytes(const Picture& picture) {
    std::vector<uint8_t> rgba;
    for (const Pixel& p : picture.pixels)
        for (const ChannelRange& r : p.colors.back()) {
            const double middle = (r.lo + r.hi) / 2 * (picture.integers ? 1 : kSteps);
            rgba.push_back(static_cast<uint8_t>(std::lrint(std::clamp(middle, 0.0, kSteps))));
        }
    return rgba;
}

bool is_loose(const Picture& picture, const Pixel& pixel) {
    if (pixel.free || pixel.colors.size() != 1) return true;
    for (const ChannelRange& r : pixel.colors[0])
        if (r.hi - r.lo > (picture.integers ? 0 : 1.0 / 16)) return true;
    return false;
}

Verdict compare(const Picture& picture, const std::vector<uint8_t>& rgba) {
    Verdict v;
    if (rgba.size() != picture.pixels.size() * 4) {
        v.wrong = picture.pixels.size();
        v.first = fmt::format("{} bytes", rgba.size());
        return v;
    }
    for (size_t i = 0; i < picture.pixels.size(); i++) {
        const Pixel& p = picture.pixels[i];
        v.loose += is_loose(picture, p);
        v.unknown += p.free;
        if (p.free || std::any_of(p.colors.begin(), p.colors.end(),
                                  [&](const Color& c) { return permits(picture, c, &rgba[4 * i]); }))
            continue;
        if (v.wrong++ > 0) continue;
        v.first = fmt::format("({}, {}): {} {} {} {}, not", i % picture.width, i / picture.width, rgba[4 * i],
                              rgba[4 * i + 1], rgba[4 * i + 2], rgba[4 * i + 3]);
        const double scale = picture.integers ? 1 : kSteps;
        for (const Color& c : p.colors) {
            v.first += &c == p.colors.data() ? "" : ", nor";
            for (const ChannelRange& r : c) v.first += fmt::format(" {:.2f}..{:.2f}", r.lo * scale, r.hi * scale);
        }
    }
    return v;
}

size_t surely_different(const Picture& a, const Picture& b) {
    size_t different = 0;
    for (size_t i = 0; i < a.pixels.size() && i < b.pixels.size(); i++) {
        const Pixel &p = a.pixels[i], &q = b.pixels[i];
        different += !p.free && !q.free && std::all_of(p.colors.begin(), p.colors.end(), [&](const Color& x) {
            return std::all_of(q.colors.begin(), q.colors.end(), [&](const Color& y) { return apart(a, x, b, y); });
        });
    }
    return different;
}

}  // namespace tgsi2spv::scene

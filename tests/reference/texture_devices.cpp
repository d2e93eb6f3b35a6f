// The answers of realistic devices must be permitted: a device that computes in float32, and ones that round or
// truncate coordinates, weights and levels to fixed point, at many positions. They share no code with the reference.
#include <gtest/gtest.h>

#include <random>

#include "reference/texture_bench.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;

enum class Arithmetic { Float, Truncated, Rounded };

/// A 2D sampler for the levels of an R32_FLOAT texture, as a device might implement it.
struct Device {
    Arithmetic arithmetic;
    const Bench& bench;

    float texel(int level, int64_t x, int64_t y) const {
        const int64_t w = std::max(1u, bench.texture.width >> level), h = std::max(1u, bench.texture.height >> level);
        auto wrap = [](Wrap mode, int64_t i, int64_t n) -> int64_t {
            switch (mode) {
                case Wrap::Repeat:
                    return ((i % n) + n) % n;
                case Wrap::MirrorRepeat: {
                    const int64_t m = ((i % (2 * n)) + 2 * n) % (2 * n);
                    return m < n ? m : 2 * n - 1 - m;
                }
                case Wrap::ClampToBorder:
                    return i < 0 || i >= n ? -1 : i;
                default:
                    return i < 0 ? 0 : i >= n ? n - 1 : i;
            }
        };
        x = wrap(bench.sampler.wrap[0], x, w);
        y = wrap(bench.sampler.wrap[1], y, h);
        if (x < 0 || y < 0) return bench.sampler.border_color[0];
        return as_number(bench.texture.data[static_cast<size_t>(level)][static_cast<size_t>(y * w + x)]);
    }
    /// Returns the integer and the fractional part of a coordinate in texels.
    std::pair<int64_t, float> split(float x) const {
        if (arithmetic == Arithmetic::Float) return {static_cast<int64_t>(std::floor(x)), x - std::floor(x)};
        const float fixed = arithmetic == Arithmetic::Truncated ? std::floor(x * 256) : std::nearbyint(x * 256);
        return {static_cast<int64_t>(std::floor(fixed / 256)), fixed / 256 - std::floor(fixed / 256)};
    }
    float sample(int level, float s, float t) const {
        const float w = static_cast<float>(std::max(1u, bench.texture.width >> level));
        const float h = static_cast<float>(std::max(1u, bench.texture.height >> level));
        if (bench.sampler.min_filter == Filter::Nearest) return texel(level, split(s * w).first, split(t * h).first);
        const auto [x, a] = split(s * w - 0.5f);
        const auto [y, b] = split(t * h - 0.5f);
        const float top = texel(level, x, y) + a * (texel(level, x + 1, y) - texel(level, x, y));
        const float bottom = texel(level, x, y + 1) + a * (texel(level, x + 1, y + 1) - texel(level, x, y + 1));
        return top + b * (bottom - top);
    }
    float sample_level(float s, float t, float lod) const {
        float d = std::clamp(lod, 0.0f, static_cast<float>(bench.texture.levels - 1));
        if (arithmetic != Arithmetic::Float)
            d = (arithmetic == Arithmetic::Truncated ? std::floor(d * 16) : std::nearbyint(d * 16)) / 16;
        if (bench.sampler.mip_filter == MipFilter::Nearest) return sample(static_cast<int>(std::nearbyint(d)), s, t);
        const int upper = static_cast<int>(std::floor(d));
        const float f = d - std::floor(d);
        if (f == 0) return sample(upper, s, t);
        return (1 - f) * sample(upper, s, t) + f * sample(upper + 1, s, t);
    }
};

TEST(TextureDevices, AnswersOfRealisticDevicesAreInside) {
    std::mt19937 random(7);
    auto uniform = [&](float lo, float hi) { return lo + (hi - lo) * static_cast<float>(random() % 65536) / 65536; };
    int checked = 0;
    double width = 0;  ///< of all values together
    int values = 0;
    for (Wrap wrap : {Wrap::Repeat, Wrap::ClampToEdge, Wrap::ClampToBorder, Wrap::MirrorRepeat})
        for (Filter filter : {Filter::Nearest, Filter::Linear})
            for (MipFilter mip : {MipFilter::Nearest, MipFilter::Linear}) {
                Bench b;
                b.texture = numbered(Target::T2D, 13, 7, 1, 1, 3, "R32_FLOAT");
                for (auto& level : b.texture.data)
                    for (uint32_t& w : level) w = as_word(uniform(-1, 1));
                b.sampler.wrap[0] = b.sampler.wrap[1] = wrap;
                b.sampler.min_filter = b.sampler.mag_filter = filter;
                b.sampler.mip_filter = mip;
                b.sampler.border_color = {0.5f, 0, 0, 0};
                for (int i = 0; i < 300; ++i) {
                    // Every third s is within 1/256 texel of an edge or centre of the base level, every fifth t exactly
                    // on one, and every seventh LOD a multiple of a half.
                    float s = uniform(-2, 3), t = uniform(-2, 3), lod = uniform(-1, 3);
                    if (i % 3 == 0) s = (std::nearbyint(s * 26) + uniform(-1, 1) / 128) / 26;
                    if (i % 5 == 0) t = std::nearbyint(t * 14) / 14;
                    if (i % 7 == 0) lod = std::nearbyint(lod * 2) / 2;
                    const Value v = b.run(Opcode::TXL, Target::T2D, {floats(s, t, 0, lod), {}})[0];
                    ASSERT_FALSE(is_unknown(v));
                    FloatRange range;
                    ASSERT_TRUE(float_range(v, range) && !range.empty) << show(v);
                    width += range.hi - range.lo;
                    ++values;
                    for (Arithmetic a : {Arithmetic::Float, Arithmetic::Truncated, Arithmetic::Rounded}) {
                        const float answer = Device{a, b}.sample_level(s, t, lod);
                        ++checked;
                        EXPECT_TRUE(permits(v, as_word(answer)))
                            << answer << " not in " << show(v) << " at " << s << ' ' << t << ' ' << lod
                            << " arithmetic " << static_cast<int>(a);
                    }
                }
            }
    EXPECT_EQ(checked, 4 * 2 * 2 * 300 * 3);
    // The bounds must also be narrow: for values within a range of 2, 0.05 wide on average.
    EXPECT_LT(width / values, 0.05);
}

}  // namespace
}  // namespace tgsi2spv::reference

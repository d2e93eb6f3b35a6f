// Filters that round, as a real GPU's do: the weights and colours below are a model of an NVIDIA H200's observed
// results (each weight read back through a texture whose texels are unit vectors).
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "reference/texture_bench.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;

/// Shares 256 parts among texels: coordinates are rounded to 1/256 of a texel, the level is rounded down; each split
/// rounds its part to a whole number, first between the levels, then along z, x and y.
class Device {
  public:
    Device(const Texture& texture, const double (&coord)[3], double lod)
        : texture_(texture), coord_{coord[0], coord[1], coord[2]} {
        const int whole = std::min(static_cast<int>(lod), static_cast<int>(texture.levels) - 1);
        const bool last = whole + 1 == static_cast<int>(texture.levels);
        const int upper = last ? 0 : static_cast<int>(std::floor((lod - whole) * 256));
        split(whole, 256 - upper);
        if (upper > 0) split(whole + 1, upper);
    }
    float channel(int c) const { return static_cast<float>(sum_[c] / 256); }

  private:
    uint32_t size(int axis, int level) const {
        const uint32_t sizes[] = {texture_.width, texture_.height, texture_.depth};
        return std::max(1u, sizes[axis] >> level);
    }
    /// The upper one of two texels has `upper` of 256 parts.
    void place(int axis, int level, int& first, int& upper) const {
        const double x = std::floor((coord_[axis] * size(axis, level) - 0.5) * 256 + 0.5);
        first = static_cast<int>(std::floor(x / 256));
        upper = static_cast<int>(x) - first * 256;
    }
    void split(int level, int parts) {
        static constexpr int kOrder[] = {2, 0, 1};
        int at[3] = {0, 0, 0};
        along(level, parts, kOrder, 3, at);
    }
    void along(int level, int parts, const int* axes, int left, int (&at)[3]) {
        if (parts == 0) return;
        if (left == 0) return take(level, parts, at);
        if (size(*axes, 0) == 1) return along(level, parts, axes + 1, left - 1, at);
        int first = 0, upper = 0;
        place(*axes, level, first, upper);
        const int above = (parts * upper + 128) / 256;
        at[*axes] = first;
        along(level, parts - above, axes + 1, left - 1, at);
        at[*axes] = first + 1;
        along(level, above, axes + 1, left - 1, at);
    }
    void take(int level, int parts, const int (&at)[3]) {
        size_t i = 0;
        for (int axis = 2; axis >= 0; --axis) {
            const auto n = static_cast<int>(size(axis, level));
            i = i * static_cast<size_t>(n) + static_cast<size_t>(std::clamp(at[axis], 0, n - 1));
        }
        for (size_t c = 0; c < 4; ++c)
            sum_[c] += parts * double{as_number(texture_.data[static_cast<size_t>(level)][i * 4 + c])};
    }

    const Texture& texture_;
    double coord_[3];
    double sum_[4] = {};
};

struct Shape {
    Target target;
    uint32_t width, height, depth, levels;
};

/// Returns how many of the model's colours the reference does not permit.
int refused(const Shape& shape, bool rounding) {
    std::mt19937 random(shape.levels * 16 + shape.depth);
    const auto number = [&] { return static_cast<float>(random() % 65536) / 65536; };
    Bench b;
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    b.sampler.mip_filter = shape.levels > 1 ? MipFilter::Linear : MipFilter::None;
    std::ranges::fill(b.sampler.wrap, Wrap::ClampToEdge);
    b.options.mipmap_bits = 8;
    b.options.rounding_filters = rounding;
    int count = 0;
    for (int i = 0; i < 400; ++i) {
        // Corners of the unit cube are further from each other than any other colours in it.
        b.texture = numbered(shape.target, shape.width, shape.height, shape.depth, 1, shape.levels);
        for (auto& level : b.texture.data)
            for (uint32_t& w : level) w = as_word(i % 2 == 0 ? number() : std::round(number()));
        const float u = number(), v = number(), w = number(), lod = shape.levels > 1 ? number() : 0;
        const Device device(b.texture, {u, v, w}, lod);
        const auto permitted =
            b.run(Opcode::TXL, shape.target, {floats(u, shape.height > 1 ? v : 0, shape.depth > 1 ? w : 0, lod), {}});
        for (int c = 0; c < 4; ++c) count += !permits(permitted[static_cast<size_t>(c)], as_word(device.channel(c)));
    }
    return count;
}

TEST(TextureRounding, WeightsMayBeRounded) {
    for (const Shape& shape :
         {Shape{Target::T2D, 4, 4, 1, 1}, Shape{Target::T3D, 4, 4, 4, 1}, Shape{Target::T1D, 4, 1, 1, 2},
          Shape{Target::T2D, 4, 4, 1, 2}, Shape{Target::T3D, 4, 4, 4, 2}}) {
        SCOPED_TRACE(testing::Message() << shape.width << " x " << shape.height << " x " << shape.depth << ", "
                                        << shape.levels << " levels");
        EXPECT_EQ(refused(shape, true), 0);
        EXPECT_GT(refused(shape, false), 0) << "the model shows nothing here";
    }
    EXPECT_EQ(refused({Target::T1D, 4, 1, 1, 1}, false), 0) << "one axis has no product of weights";
}

TEST(TextureRounding, EqualTexelsNeedNoWeights) {
    Bench b;
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    b.options.rounding_filters = true;
    b.texture = numbered(Target::T2D, 4, 4);
    for (uint32_t& w : b.texture.data[0]) w = as_word(0.75f);
    const Value v = b.run(Opcode::TEX, Target::T2D, {floats(0.4f, 0.3f), {}})[0];
    EXPECT_NEAR(as_number(v.lo), 0.75, 2e-4);
    EXPECT_NEAR(as_number(v.hi), 0.75, 2e-4);
}

/// Seen on an H100: halfway between the codes 40 and 255, half of (16 + 1024) / 1024, although 40 alone is 21.75 /
/// 1024. A neighbour of 250 or so does the same; with equal texels, nothing is lost.
TEST(TextureRounding, ColoursOfSrgbMayMeetAtTheLargest) {
    Bench b;
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    b.options.sub_texel_bits = 20;
    const auto permits_code = [&](int code, int other, double seen, bool rounding) {
        b.options.rounding_filters = rounding;
        b.texture = numbered(Target::T1D, 2, 1, 1, 1, 1, "R8G8B8A8_SRGB");
        for (size_t i = 0; i < 8; ++i) b.texture.data[0][i] = as_word(static_cast<float>(i < 4 ? code : other) / 255);
        const Value v = b.run(Opcode::TEX, Target::T1D, {floats(0.5f), {}})[0];
        return permits(v, as_word(static_cast<float>(seen)));
    };
    EXPECT_TRUE(permits_code(40, 255, 1040 / 2048.0, true));
    EXPECT_TRUE(permits_code(13, 249, (0 + 968) / 2048.0, true));
    EXPECT_FALSE(permits_code(40, 255, 1040 / 2048.0, false));
    EXPECT_FALSE(permits_code(40, 255, 1020 / 2048.0, true)) << "one step at most";
    EXPECT_FALSE(permits_code(40, 255, 1050 / 2048.0, true)) << "nothing is gained";
    EXPECT_FALSE(permits_code(255, 255, 1016 / 1024.0, true));
}

/// Seen: 0x3f0a0000, a half, where exact weights give at least 0.53911.
TEST(TextureRounding, ColoursOfHalvesMayBeHalves) {
    Bench b;
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    const auto permits_a_half_less = [&](const char* format, bool rounding) {
        b.options.rounding_filters = rounding;
        b.options.sub_texel_bits = 20;
        b.texture = numbered(Target::T1D, 2, 1, 1, 1, 1, format);
        std::ranges::fill(b.texture.data[0], as_word(0.75f));
        const Value v = b.run(Opcode::TEX, Target::T1D, {floats(0.4f), {}})[0];
        return permits(v, as_word(0.75f - 0x1p-11f));
    };
    EXPECT_TRUE(permits_a_half_less("R16G16B16A16_FLOAT", true));
    EXPECT_TRUE(permits_a_half_less("R11G11B10_FLOAT", true));
    EXPECT_FALSE(permits_a_half_less("R16G16B16A16_FLOAT", false));
    EXPECT_FALSE(permits_a_half_less("R32G32B32A32_FLOAT", true));
}

/// A gather reads through the filter, whose 16 bits lack some numbers of these formats: seen 0x3e8d191a for 35/127.
TEST(TextureRounding, GathersMayGiveTheNearestOfSixteenBits) {
    const auto gathered = [](const char* format, float texel, float got) {
        Bench b;
        b.texture = numbered(Target::T2D, 2, 2, 1, 1, 1, format);
        const tgsi::FormatInfo& f = tgsi::format_info(b.texture.format);
        b.texture.data[0].assign(size_t{4} * f.components, as_word(texel));
        const Value v = b.run(Opcode::TG4, Target::T2D, {floats(0.5f, 0.5f), words(0)})[0];
        EXPECT_TRUE(permits(v, as_word(texel))) << format;
        return permits(v, as_word(got));
    };
    EXPECT_TRUE(gathered("R8_SNORM", 35 / 127.0f, 0.27558213f));
    EXPECT_TRUE(gathered("R10G10B10A2_UNORM", 152 / 1023.0f, 0.1485771f));
    EXPECT_FALSE(gathered("R8_UNORM", 35 / 255.0f, 35 / 255.0f + 0x1p-16f)) << "16 bits have all of these";
    EXPECT_FALSE(gathered("R16_SNORM", 1000 / 32767.0f, 1000 / 32767.0f + 0x1p-15f));
    EXPECT_FALSE(gathered("R32_FLOAT", 0.25f, 0.25f + 0x1p-16f));
}

}  // namespace
}  // namespace tgsi2spv::reference

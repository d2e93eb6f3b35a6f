// Runs texture messages in one lane, on a texture whose texels identify their position, with sources given as numbers.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reference/textures/sample.h"
#include "sampling/build.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::reference {

using Source = std::array<Value, 4>;

inline Source floats(float x, float y = 0, float z = 0, float w = 0) {
    return {exact(x), exact(y), exact(z), exact(w)};
}
inline Source words(int32_t x, int32_t y = 0, int32_t z = 0, int32_t w = 0) {
    auto word = [](int32_t v) { return exact(static_cast<uint32_t>(v)); };
    return {word(x), word(y), word(z), word(w)};
}

/// The first component of texel (x, y, z) of layer l and level m is x + 10 y + 100 z + 100 l + 1000 m; the others add
/// 0.25, 0.5 and 0.75.
inline Texture numbered(tgsi::Target target, uint32_t width, uint32_t height = 1, uint32_t depth = 1,
                        uint32_t layers = 1, uint32_t levels = 1, std::string_view format = "R32G32B32A32_FLOAT") {
    Texture t;
    t.target = target;
    t.format = *tgsi::format_from_name(format);
    t.width = width, t.height = height, t.depth = depth, t.layers = layers, t.levels = levels;
    const tgsi::FormatInfo& f = tgsi::format_info(t.format);
    for (uint32_t m = 0; m < levels; ++m) {
        std::vector<uint32_t> data;
        for (uint32_t l = 0; l < layers; ++l)
            for (uint32_t z = 0; z < std::max(1u, depth >> m); ++z)
                for (uint32_t y = 0; y < std::max(1u, height >> m); ++y)
                    for (uint32_t x = 0; x < std::max(1u, width >> m); ++x)
                        for (int c = 0; c < std::max<int>(1, f.components); ++c) {
                            const float v = static_cast<float>(x + 10 * y + 100 * z + 100 * l + 1000 * m) +
                                            0.25f * static_cast<float>(c);
                            data.push_back(f.numeric == tgsi::Numeric::Uint ? static_cast<uint32_t>(v) : as_word(v));
                        }
        t.data.push_back(data);
    }
    return t;
}

struct Bench {
    Texture texture;
    SamplerState sampler;
    std::array<uint8_t, 4> swizzle{0, 1, 2, 3};
    Options options = with_eight_bits();  ///< a device with more than the minimum precision

    static Options with_eight_bits() {
        Options o;
        o.sub_texel_bits = 8;
        return o;
    }
    static TextureLane lane(const sampling::Message& m, const std::vector<Source>& sources,
                            const std::vector<std::array<int32_t, 3>>& offsets = {}) {
        TextureLane l;
        l.wants = l.takes_part = true;
        read_parameters(
            m, l, [&](int s, int c) { return sources.at(static_cast<size_t>(s))[static_cast<size_t>(c)]; },
            [&](int i, int axis) {
                return exact(static_cast<uint32_t>(offsets.at(static_cast<size_t>(i))[static_cast<size_t>(axis)]));
            });
        return l;
    }
    std::vector<std::array<Value, 4>> run(const sampling::Message& m, std::vector<TextureLane> lanes) const {
        for (TextureLane& l : lanes) l.binding = {&texture, swizzle, &sampler, true};
        std::vector<std::array<Value, 4>> results(lanes.size());
        execute(m, lanes, options, results);
        return results;
    }
    /// Runs one lane outside FRAG, where implicit levels are 0.
    std::array<Value, 4> run(tgsi::Opcode op, tgsi::Target target, const std::vector<Source>& sources) const {
        sampling::Made made = sampling::make(op, target, tgsi::Stage::Vertex);
        const std::optional<sampling::Message> m = made.message();
        EXPECT_TRUE(m) << made.refusal.reason;
        if (!m) return {};
        return run(*m, {lane(*m, sources)})[0];
    }
};

/// Returns the permitted words as floats in ascending order; empty if the value is not a set of words.
inline std::vector<float> set_of(const Value& v) {
    std::vector<float> s;
    if (v.kind != Kind::Words) return s;
    for (int i = 0; i < v.count; ++i) s.push_back(as_number(v.words[static_cast<size_t>(i)]));
    std::sort(s.begin(), s.end());
    return s;
}
inline std::string show(const Value& v) {
    if (v.kind == Kind::Unknown) return "unknown";
    if (v.kind == Kind::Interval) return fmt::format("[{}, {}]", as_number(v.lo), as_number(v.hi));
    std::string words;
    for (const float word : set_of(v)) words += fmt::format("{}{}", words.empty() ? "" : ", ", word);
    return "{" + words + "}";
}
inline void PrintTo(const Value& v, std::ostream* out) {
    *out << show(v);
}

/// Matches that number alone, or exactly two permitted numbers.
inline auto exactly(double number) {
    return testing::ResultOf("the permitted floats", set_of, testing::ElementsAre(static_cast<float>(number)));
}
inline auto either(double a, double b) {
    return testing::ResultOf("the permitted floats", set_of,
                             testing::ElementsAre(static_cast<float>(a), static_cast<float>(b)));
}
/// Expects an interval that contains the number, is at most `width` wide, and has the number as its nominal answer.
inline void expect_about(const Value& v, float number, float width) {
    ASSERT_EQ(v.kind, Kind::Interval) << show(v);
    EXPECT_LE(as_number(v.lo), number) << show(v);
    EXPECT_GE(as_number(v.hi), number) << show(v);
    EXPECT_LE(as_number(v.hi) - as_number(v.lo), width) << show(v);
    EXPECT_NEAR(as_number(v.value), number, 1e-5 * (1 + std::abs(number)));
}

}  // namespace tgsi2spv::reference

// Texels by integer coordinate, sizes, samples.
#include "reference/texture_bench.h"
#include "reference/texture_texel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;

TEST(TextureFetch, EveryTarget) {
    const struct {
        Opcode op;
        Target target;
        Texture texture;
        Source address;
        float expected;
    } rows[] = {
        {Opcode::TXF, Target::Buffer, numbered(Target::Buffer, 9), words(7, 99, 99, 99), 7},
        {Opcode::TXF, Target::T1D, numbered(Target::T1D, 8, 1, 1, 1, 4), words(1, 99, 99, 2), 2001},
        {Opcode::TXF, Target::T2D, numbered(Target::T2D, 8, 8, 1, 1, 4), words(1, 3, 99, 1), 1031},
        {Opcode::TXF, Target::T3D, numbered(Target::T3D, 4, 4, 4), words(1, 3, 2, 0), 231},
        {Opcode::TXF, Target::T1DArray, numbered(Target::T1DArray, 4, 1, 1, 4), words(1, 3, 99, 0), 301},
        {Opcode::TXF, Target::T2DArray, numbered(Target::T2DArray, 4, 4, 1, 4), words(1, 3, 2, 0), 231},
        {Opcode::TXF, Target::Cube, numbered(Target::Cube, 4, 4, 1, 6), words(1, 3, 5, 0), 531},
        {Opcode::TXF, Target::CubeArray, numbered(Target::CubeArray, 4, 4, 1, 12), words(1, 3, 8, 0), 831},
        {Opcode::TXF, Target::Rect, numbered(Target::Rect, 4, 4), words(1, 3, 99, 0), 31},
        {Opcode::TXF_LZ, Target::T2D, numbered(Target::T2D, 8, 8, 1, 1, 4), words(1, 3, 99, 1), 31},
        {Opcode::SAMPLE_I, Target::T2DArray, numbered(Target::T2DArray, 4, 4, 1, 4), words(1, 3, 2, 0), 231},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(tgsi::name(row.target));
        Bench b;
        b.texture = row.texture;
        b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;  // has no effect
        const auto r = b.run(row.op, row.target, {row.address, {}});
        EXPECT_THAT(r[0], exactly(row.expected));
        EXPECT_THAT(r[3], exactly(row.expected + 0.75f));
    }
}

TEST(TextureFetch, OutsideIsZero) {
    Bench b;
    b.texture = numbered(Target::T2D, 4, 4, 1, 1, 2);
    for (Source out :
         {words(-1, 0), words(4, 0), words(0, 4), words(0, 0, 0, 2), words(0, 0, 0, -1), words(3, 0, 0, 1)}) {
        const auto r = b.run(Opcode::TXF, Target::T2D, {out, {}});
        EXPECT_THAT(r[0], exactly(0));
        EXPECT_THAT(r[3], either(0, 1)) << "robustImageAccess leaves alpha open";
        EXPECT_THAT(b.run(Opcode::SAMPLE_I, Target::T2D, {out, {}})[3], exactly(0));
    }
    EXPECT_THAT(b.run(Opcode::SAMPLE_I, Target::T2D, {words(-1, 0), {}})[0], exactly(0)) << "unsigned: far outside";
    b.swizzle = {3, 0, 0, 0};
    EXPECT_THAT(b.run(Opcode::SAMPLE_I, Target::T2D, {words(9, 0), {}})[0], exactly(0));
    b.swizzle = {0, 5, 1, 5};  // 5 selects one
    for (int c = 0; c < 4; ++c)
        EXPECT_THAT(b.run(Opcode::SAMPLE_I, Target::T2D, {words(9, 0), {}})[c], exactly(0)) << "0 in all four";
    EXPECT_THAT(b.run(Opcode::SAMPLE_I, Target::T2D, {words(1, 0), {}})[1], exactly(1.0f));
    b.swizzle = {0, 1, 2, 3};
    b.texture = numbered(Target::T1DArray, 4, 1, 1, 3);
    EXPECT_THAT(b.run(Opcode::TXF, Target::T1DArray, {words(0, 3), {}})[0], exactly(0)) << "layers are not clamped";
}

TEST(TextureFetch, OffsetsAndUncertainIndices) {
    sampling::Made made = sampling::make(Opcode::TXF, Target::T2D);
    made.immediate(1, static_cast<uint32_t>(-2));
    made.offset(tgsi::File::Immediate, 0);
    sampling::Message m = *made.message();
    Bench b;
    b.texture = numbered(Target::T2D, 4, 4);
    EXPECT_THAT(b.run(m, {Bench::lane(m, {words(2, 3), {}})})[0][0], exactly(13));
    EXPECT_THAT(b.run(m, {Bench::lane(m, {words(3, 3), {}})})[0][0], exactly(0)) << "no wrapping";
    m.offsets = sampling::Offsets::None;
    TextureLane lane = Bench::lane(m, {words(0, 1), {}});
    lane.coord[0] = join(exact(1u), exact(3u));
    EXPECT_THAT(b.run(m, {lane})[0][0], either(11, 13));
    lane.coord[0] = unknown();
    EXPECT_TRUE(is_unknown(b.run(m, {lane})[0][0]));
}

TEST(TextureFetch, Samples) {
    Bench b;
    b.texture = numbered(Target::T2DMS, 2, 2, 1, 1, 1, "R32_FLOAT");
    b.texture.samples = 4;
    b.texture.data[0].clear();
    for (int i = 0; i < 16; ++i) b.texture.data[0].push_back(as_word(static_cast<float>(i)));
    // The samples of a texel are adjacent.
    EXPECT_THAT(b.run(Opcode::TXF, Target::T2DMS, {words(1, 0, 0, 2), {}})[0], exactly(6));
    EXPECT_THAT(b.run(Opcode::TXF_LZ, Target::T2DMS, {words(1, 1, 0, 3), {}})[0], exactly(15));
    EXPECT_THAT(b.run(Opcode::SAMPLE_I_MS, Target::T2DMS, {words(0, 1), {}, words(1)})[0], exactly(9));
    // A sample that does not exist is outside: zeros (semantics: TXF; SAMPLE_I, "anything out of range").
    const auto outside = b.run(Opcode::TXF, Target::T2DMS, {words(1, 0, 0, 4), {}});
    EXPECT_THAT(outside[0], exactly(0));
    EXPECT_THAT(outside[3], either(0, 1));
    EXPECT_THAT(b.run(Opcode::SAMPLE_I_MS, Target::T2DMS, {words(0, 1), {}, words(4)})[3], exactly(0));
    EXPECT_EQ(b.run(Opcode::TXQS, Target::T2DMS, {{}})[0].words[0], 4u);
    EXPECT_EQ(b.run(Opcode::SAMPLE_INFO, Target::T2DMS, {{}, {}})[0].words[0], 4u);
    const auto p = b.run(Opcode::SAMPLE_POS, Target::T2DMS, {{}, words(1)});
    EXPECT_THAT(p[0], exactly(0.875));
    EXPECT_THAT(p[1], exactly(0.375));
    b.texture = numbered(Target::T2D, 2, 2);
    EXPECT_EQ(b.run(Opcode::TXQS, Target::T2D, {{}})[0].words[0], 1u);
    EXPECT_THAT(b.run(Opcode::SAMPLE_POS, Target::T2D, {{}, words(1)})[0], exactly(0.5));
    b.options.dialect = tgsi::Dialect::Middle;
    EXPECT_THAT(b.run(Opcode::SAMPLE_POS, Target::T2D, {{}, words(1)})[0], exactly(0));
    // tgsi-middle: (x, y, 0, 0); the newest edition does not define z and w.
    b.texture.target = Target::T2DMS;
    b.texture.samples = 4;
    const auto middle = b.run(Opcode::SAMPLE_POS, Target::T2DMS, {{}, words(1)});
    EXPECT_THAT(middle[0], exactly(0.875));
    EXPECT_THAT(middle[2], exactly(0));
    EXPECT_THAT(middle[3], exactly(0));
    EXPECT_TRUE(is_unknown(p[2]) && is_unknown(p[3]));
}

/// From tgsi-newest, "Texture Sampling and Texture Formats".
TEST(TextureFetch, FormatsHaveTheirOwnChannels) {
    const struct {
        const char* format;
        std::vector<uint32_t> texel;
        std::array<uint32_t, 4> read;
    } rows[] = {
        {"A32_FLOAT", {as_word(0.25f)}, {0, 0, 0, as_word(0.25f)}},
        {"L32_FLOAT", {as_word(0.25f)}, {as_word(0.25f), as_word(0.25f), as_word(0.25f), kOne}},
        {"L32A32_FLOAT",
         {as_word(0.25f), as_word(0.5f)},
         {as_word(0.25f), as_word(0.25f), as_word(0.25f), as_word(0.5f)}},
        {"I32_FLOAT", {as_word(0.25f)}, {as_word(0.25f), as_word(0.25f), as_word(0.25f), as_word(0.25f)}},
        {"S8_UINT", {7}, {7, 7, 7, 7}},
        {"X24S8_UINT", {7}, {7, 7, 7, 7}},
        {"A8_UINT", {7}, {0, 0, 0, 7}},
        {"L8_SINT", {7}, {7, 7, 7, 1}},
        {"I8_UNORM", {kOne}, {kOne, kOne, kOne, kOne}},
        {"R32G32_FLOAT", {as_word(0.25f), as_word(0.5f)}, {as_word(0.25f), as_word(0.5f), 0, kOne}},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.format);
        Bench b;
        b.texture.target = Target::T2D;
        b.texture.format = *tgsi::format_from_name(row.format);
        b.texture.data = {row.texel};
        const auto read = b.run(Opcode::TXF, Target::T2D, {words(0), {}});
        for (size_t c = 0; c < 4; ++c) EXPECT_TRUE(is_exact(read[c]) && read[c].value == row.read[c]) << c;
        const auto sampled = b.run(Opcode::TEX, Target::T2D, {floats(0.5f, 0.5f), {}});
        for (size_t c = 0; c < 4; ++c) EXPECT_TRUE(permits(sampled[c], row.read[c])) << c;
        b.swizzle = {3, 0, 5, 4};  // a view selects among the four components, not among the format's own
        const auto viewed = b.run(Opcode::TXF, Target::T2D, {words(0), {}});
        EXPECT_EQ(viewed[0].value, row.read[3]);
        EXPECT_EQ(viewed[1].value, row.read[0]);
        EXPECT_EQ(viewed[3].value, 0u);
    }
    // The alpha of LA is the only component that is not encoded.
    const tgsi::FormatInfo& la = tgsi::format_info(*tgsi::format_from_name("L8A8_SRGB"));
    EXPECT_TRUE(permits(stored(la, 0, as_word(188 / 255.0f)), as_word(0.5029f)));
    EXPECT_FALSE(permits(stored(la, 1, as_word(188 / 255.0f)), as_word(0.5029f)));
}

TEST(TextureFetch, Sizes) {
    const struct {
        Target target;
        Texture texture;
        std::array<int, 4> size;  ///< -1: undefined
    } rows[] = {
        {Target::Buffer, numbered(Target::Buffer, 9), {9, -1, -1, -1}},
        {Target::T2DMS, numbered(Target::T2DMS, 8, 6, 1, 1, 1, "R32_FLOAT"), {8, 6, -1, 1}},
        {Target::T1D, numbered(Target::T1D, 8, 1, 1, 1, 4), {4, -1, -1, 4}},
        {Target::T2D, numbered(Target::T2D, 8, 6, 1, 1, 3), {4, 3, -1, 3}},
        {Target::T3D, numbered(Target::T3D, 8, 4, 2, 1, 3), {4, 2, 1, 3}},
        {Target::T1DArray, numbered(Target::T1DArray, 8, 1, 1, 5, 2), {4, 5, -1, 2}},
        {Target::T2DArray, numbered(Target::T2DArray, 8, 4, 1, 5, 2), {4, 2, 5, 2}},
        {Target::Cube, numbered(Target::Cube, 8, 8, 1, 6, 2), {4, 4, -1, 2}},
        {Target::ShadowCubeArray, numbered(Target::ShadowCubeArray, 8, 8, 1, 18, 2, "Z32_FLOAT"), {4, 4, 3, 2}},
    };
    auto expect = [](const Value& v, int expected) {
        if (expected < 0)
            EXPECT_TRUE(is_unknown(v)) << show(v);
        else
            EXPECT_TRUE(is_exact(v) && v.words[0] == static_cast<uint32_t>(expected)) << show(v) << ' ' << expected;
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(tgsi::name(row.target));
        Bench b;
        b.texture = row.texture;
        const bool one_level = row.target == Target::Buffer || row.target == Target::T2DMS;
        const auto size = b.run(Opcode::TXQ, row.target, {words(one_level ? 0 : 1), {}});
        const auto info = b.run(Opcode::SVIEWINFO, row.target, {words(one_level ? 0 : 1), {}});
        for (size_t c = 0; c < 4; ++c) {
            expect(size[c], row.size[c]);
            // semantics, SVIEWINFO: z of a 1D array is 0.
            expect(info[c], row.target == Target::T1DArray && c == 2 ? 0 : row.size[c]);
        }
        // TXQ, SVIEWINFO: of a level that does not exist only the number of levels is known.
        for (const Opcode op : {Opcode::TXQ, Opcode::SVIEWINFO}) {
            const auto beyond = b.run(op, row.target, {words(17), {}});
            for (size_t c = 0; c < 3; ++c) expect(beyond[c], 0);
            expect(beyond[3], row.size[3]);
        }
    }
}

TEST(TextureFetch, NominalValuesOnly) {
    Bench b;
    b.options.fast_values = true;
    b.texture = numbered(Target::T2D, 4, 4, 1, 1, 1, "R8_UNORM");
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    for (const Value& v : b.run(Opcode::TEX, Target::T2D, {floats(0.5f, 0.3f), {}})) EXPECT_TRUE(is_exact(v));
    EXPECT_TRUE(is_exact(b.run(Opcode::TXF, Target::T2D, {words(-1), {}})[3]));
}

}  // namespace
}  // namespace tgsi2spv::reference

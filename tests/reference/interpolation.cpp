// FRAG: interpolation at other places, framebuffer fetch, helpers, handles, sample queries.
#include <fmt/format.h>

#include "reference/bench.h"
#include "tgsi/formats.h"

namespace tgsi2spv::reference {
namespace {

#define EXPECT_WORD(v, w) EXPECT_TRUE(is_exact(v) && (v).value == (w)) << text_of(v)

/// IN[0] is perspective, IN[1] constant, IN[2] has no declared interpolation, IN[3..4] are of two kinds.
std::string frag(std::string_view body) {
    return fmt::format(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], CONSTANT
DCL IN[2], GENERIC[2]
DCL IN[3], GENERIC[3], LINEAR
DCL IN[4], GENERIC[4], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL TEMP[0..3]
DCL ADDR[0]
IMM[0] FLT32 {{0.25, -0.25, 0.0, -0.0}}
IMM[1] UINT32 {{0, 1, 2, 3}}
{})",
        body);
}

Inputs quad() {
    Inputs in;
    in.lanes = 4;
    for (int32_t i = 0; i < 5; ++i)
        for (uint32_t lane = 0; lane < 4; ++lane) {
            const auto w = static_cast<uint32_t>(i) * 100 + lane * 10;
            in.inputs[{0, i}].push_back({w + 1, w + 2, w + 3, w + 4});
        }
    return in;
}

TEST(Interpolation, TheCentroidAndTheOneSampleAreTheCentre) {
    const Result r = run(
        frag("0: INTERP_CENTROID OUT[0], IN[0].wzyx\n1: INTERP_SAMPLE OUT[1], -IN[0], IMM[1].xxxx\n2: END\n"), quad());
    EXPECT_WORD(out(r, 1, 0), 14u);
    EXPECT_WORD(out(r, 1, 3), 11u);
    EXPECT_EQ(out(r, 2, 1, 1).value, 22u | kSign);
}

TEST(Interpolation, OtherPlacesAreKnownOfConstantInputsOnly) {
    struct Row {
        std::string_view code;
        bool known;
        uint32_t value;
    };
    const Row rows[] = {
        {"INTERP_SAMPLE OUT[0], IN[0], IMM[1].yyyy", false, 11},
        {"INTERP_SAMPLE OUT[0], IN[1], IMM[1].yyyy", true, 111},
        {"INTERP_SAMPLE OUT[0], IN[2], IMM[1].yyyy", true, 211},
        {"INTERP_OFFSET OUT[0], IN[0], IMM[0].xyyy", false, 11},
        {"INTERP_OFFSET OUT[0], IN[0], IMM[0].zwww", true, 11},
        {"INTERP_OFFSET OUT[0], IN[1], IMM[0].xyyy", true, 111},
        {"INTERP_OFFSET OUT[0], IN[3], IMM[0].zyyy", false, 311},
        {"INTERP_OFFSET OUT[0], IN[ADDR[0].x+1], IMM[0].xyyy", false, 111},
        {"INTERP_CENTROID OUT[0], IN[ADDR[0].x+1]", true, 111},
    };
    for (const Row& row : rows) {
        const Result r = run(frag(fmt::format("0: {}\n1: END\n", row.code)), quad());
        EXPECT_EQ(is_exact(out(r, 1)), row.known) << row.code;
        EXPECT_EQ(out(r, 1).value, row.value) << row.code;
    }
}

/// Word 0 of IN[0] is 2 at each lane; it grows by 1 to the right and 4 downwards, over 1 + x / 2.
TEST(Interpolation, AnOffsetIsKnownWhereTheInputsSayHowTheyChange) {
    Inputs in = quad();
    in.inputs[{0, 0}].assign(4, {0x40000000, 0, 0, 0});
    Slope slope;
    slope.along_x[0] = 1;
    slope.along_y[0] = 4;
    slope.weight_x = 0.5;
    in.slopes[0].assign(4, slope);
    const auto at = [&](std::string_view operand, std::string_view x, std::string_view y) {
        const Result r = run(fmt::format(R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
IMM[0] FLT32 {{{}, {}, 0, 0}}
0: INTERP_OFFSET OUT[0], {}, IMM[0]
1: END
)",
                                         x, y, operand),
                             in);
        FloatRange range;
        EXPECT_TRUE(is_unknown(out(r, 1)) || float_range(out(r, 1), range));
        return is_unknown(out(r, 1)) ? std::pair(0.0f, 0.0f) : std::pair(range.lo, range.hi);
    };
    const auto holds = [](std::pair<float, float> range, double least, double most) {
        return range.first <= least && range.first > least - 1e-5 && range.second >= most && range.second < most + 1e-5;
    };
    EXPECT_TRUE(holds(at("IN[0]", "0.25", "-0.5"), 0.25 / 1.125, 0.25 / 1.125));
    EXPECT_TRUE(holds(at("-|IN[0]|", "-0.5", "-0.5"), -0.5 / 0.75, 0.5 / -0.75));
    // 0.25 + 1/32 may be rounded to either neighbour.
    EXPECT_TRUE(holds(at("IN[0]", "0.0", "0.28125"), 3, 3.25));
    EXPECT_TRUE(holds(at("-IN[0].xxxx", "0.0", "0.28125"), -3.25, -3));
    for (const auto& [x, y] : {std::pair{"0.5", "0.0"}, {"0.0", "-0.53125"}, {"0.0", "0.46875"}})
        EXPECT_EQ(at("IN[0]", x, y), std::pair(0.0f, 0.0f)) << "no device has to know " << x << ", " << y;
}

TEST(Framebuffer, IsReadAtTheLanesPixel) {
    Inputs in = quad();
    in.lanes = 8;
    for (auto& [key, lanes] : in.inputs) lanes.resize(8);
    in.framebuffer_width = 4;
    in.framebuffer_height = 2;
    for (uint32_t i = 0; i < 4 * 2 * 4; ++i) in.framebuffer_colors[1].push_back(i);
    const Result r = run(frag(R"(0: FBFETCH OUT[0], OUT[1]
1: FBFETCH TEMP[0], OUT[0]
2: MOV OUT[1], TEMP[0]
3: END
)"),
                         in);
    // Quads (0,0) and (2,0): lane 3 is pixel (1,1), lane 5 pixel (3,0).
    EXPECT_WORD(out(r, 0, 2), 2u);
    EXPECT_WORD(out(r, 3, 0), 20u);
    EXPECT_WORD(out(r, 5, 1), 13u);
    EXPECT_WORD(out(r, 5, 1, 1), 0u);  // the inputs give no contents
}

TEST(Helpers, AreThoseThatWereKilled) {
    Inputs in = quad();
    in.inputs[{0, 0}] = {{0, 0, 0, 0}, {0xbf800000, 0, 0, 0}, {0x80000001, 0, 0, 0}, {0, 0, 0, 0}};
    const Result r = run(frag(R"(0: READ_HELPER OUT[0].x
1: KILL_IF IN[0]
2: READ_HELPER OUT[0].yz
3: END
)"),
                         in);
    EXPECT_WORD(out(r, 0, 0), 0u);
    EXPECT_WORD(out(r, 1, 0), 0u);
    EXPECT_WORD(out(r, 0, 1), 0u);
    EXPECT_WORD(out(r, 1, 1), ~0u);
    EXPECT_WORD(out(r, 1, 2), ~0u);
    // A negative denormal may or may not kill.
    EXPECT_TRUE(permits(out(r, 2, 1), 0) && permits(out(r, 2, 1), ~0u) && !permits(out(r, 2, 1), 1));
}

Texture one_texel(float value, tgsi::Target target = tgsi::Target::T2D, uint32_t samples = 1) {
    Texture t;
    t.target = target;
    t.format = *tgsi::format_from_name("R32_FLOAT");
    t.samples = samples;
    t.data = {std::vector<uint32_t>(samples, as_word(value))};
    return t;
}

TEST(Handles, LowWordsAreIndices) {
    Inputs in = quad();
    in.textures[2] = one_texel(7);
    in.textures[3] = one_texel(8);
    const std::string head =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL SAMP[0..3]
DCL TEMP[0..1]
DCL ADDR[0]
DCL CONST[0..1]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] FLT32 {0.5, 0.5, 0.0, 0.0}
)";
    const Result made = run(head +
                                R"(0: SAMP2HND TEMP[0].xy, SAMP[2], 2D
1: TEX_LZ OUT[0].x, IMM[1], TEMP[0].xyxy, 2D
2: MOV OUT[0].y, TEMP[0].xxxx
3: MOV OUT[0].z, TEMP[0].yyyy
4: END
)",
                            in);
    EXPECT_WORD(out(made, 0, 0), as_word(7));
    EXPECT_WORD(out(made, 0, 1), 2u);
    EXPECT_TRUE(is_unknown(out(made, 0, 2)));
    // The handle differs by lane and comes from an input; the swizzle selects its words.
    for (uint32_t lane = 0; lane < 4; ++lane) in.inputs[{0, 0}][lane] = {9, 9, 2 + (lane & 1), 0};
    const Result read = run(head + "0: TEX_LZ OUT[0].x, IMM[1], IN[0].zwzw, 2D\n1: END\n", in);
    EXPECT_WORD(out(read, 0, 0), as_word(7));
    EXPECT_WORD(out(read, 1, 0), as_word(8));
    // A handle from a constant, and one that names nothing.
    in.constants[0] = {3, 0, 77, 0};
    const Result constant = run(head +
                                    "0: TEX_LZ OUT[0].x, IMM[1], CONST[0].xyxy, 2D\n"
                                    "1: TEX_LZ OUT[0].y, IMM[1], CONST[0].zwzw, 2D\n2: END\n",
                                in);
    EXPECT_WORD(out(constant, 0, 0), as_word(8));
    EXPECT_TRUE(is_unknown(out(constant, 0, 1)));
    // The instruction reads floats, so an integer format gives unknown results.
    in.textures[3].format = *tgsi::format_from_name("R32_UINT");
    EXPECT_TRUE(is_unknown(out(run(head + "0: TEX_LZ OUT[0].x, IMM[1], CONST[0].xyxy, 2D\n1: END\n", in), 0, 0)));
    const Result image = run(R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL IMAGE[0..4], 2D, PIPE_FORMAT_R32_UINT, WR
DCL ADDR[0]
0: UARL ADDR[0].x, IN[0].zzzz
1: IMG2HND OUT[0].xy, IMAGE[ADDR[0].x+1], 2D
2: END
)",
                             in);
    EXPECT_WORD(out(image, 1, 0), 4u);
}

TEST(Handles, AnIndexBeyondTheDeclaredOnesIsUnknown) {
    Inputs in = quad();
    for (uint32_t i : {0u, 1u, 2u, 3u, 4u}) in.textures[i] = one_texel(static_cast<float>(i));
    for (uint32_t lane = 0; lane < 4; ++lane) in.inputs[{0, 0}][lane] = {lane, lane, lane, lane};
    const std::string head =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL SAMP[0..2]
DCL SVIEW[1..2], 2D, FLOAT
DCL ADDR[0]
IMM[0] FLT32 {0.5, 0.5, 0.0, 0.0}
0: UARL ADDR[0].x, IN[0].xxxx
)";
    const Result old = run(head + "1: TEX_LZ OUT[0].x, IMM[0], SAMP[ADDR[0].x+1], 2D\n2: END\n", in);
    const Result sampler =
        run(head + "1: SAMPLE_L OUT[0].x, IMM[0], SVIEW[1], SAMP[ADDR[0].x], IMM[0].wwww\n2: END\n", in);
    for (uint32_t lane : {0u, 1u}) EXPECT_WORD(out(old, lane, 0), as_word(static_cast<float>(lane + 1)));
    for (uint32_t lane : {2u, 3u}) EXPECT_TRUE(is_unknown(out(old, lane, 0)));
    for (uint32_t lane : {0u, 1u, 2u}) EXPECT_WORD(out(sampler, lane, 0), as_word(1));
    EXPECT_TRUE(is_unknown(out(sampler, 3, 0)));
    // A resource that is not declared, although the inputs have a texture there.
    const Result view = run(R"(VERT
DCL OUT[0], POSITION
DCL RES[0], 2D, FLOAT
DCL TEMP[0]
0: SAMPLE_POS OUT[0].x, RES[1], TEMP[0].xxxx
1: END
)",
                            in);
    EXPECT_TRUE(is_unknown(out(view, 0, 0)));
}

TEST(SampleQueries, OfSingleSampledTextures) {
    using tgsi::Dialect;
    Inputs in = quad();
    in.textures[0] = one_texel(1);
    in.textures[1] = one_texel(1, tgsi::Target::T2DMS, 4);
    const std::string text =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL SVIEW[0], 2D, FLOAT
DCL SVIEW[1], 2D_MSAA, FLOAT
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 2, 3}
0: SAMPLE_POS OUT[0].xy, SVIEW[0], IMM[0].xxxx
1: SAMPLE_INFO OUT[0].zw, SVIEW[0].xxxy
2: SAMPLE_POS OUT[1].xy, TEMP[0], IMM[0].xxxx
3: SAMPLE_INFO OUT[1].zw, SVIEW[1].xxxy
4: END
)";
    for (const Dialect d : {Dialect::Middle, Dialect::Newest, Dialect::Auto}) {
        Options o;
        o.dialect = d;
        const Shader s = shader(text);
        ASSERT_EQ(s.error, "");
        const Result r = run(s.program, s.registers, in, o);
        ASSERT_EQ(r.error, "");
        const bool middle = d == Dialect::Middle;
        EXPECT_WORD(out(r, 0, 0), middle ? 0u : as_word(0.5f));
        EXPECT_WORD(out(r, 0, 2), middle ? 0u : 1u);
        EXPECT_WORD(out(r, 0, 3), 0u);
        EXPECT_WORD(out(r, 0, 0, 1), as_word(0.5f));  // the render target
        EXPECT_WORD(out(r, 0, 2, 1), 4u);
    }
}

TEST(PixelCoordinates, InAllFourConventions) {
    // Lane 2 is pixel (0, 1) of 64 × 8.
    struct Row {
        std::string_view origin, centre;
        float x, y;
    };
    const Row rows[] = {{"UPPER_LEFT", "HALF_INTEGER", 0.5f, 1.5f},
                        {"UPPER_LEFT", "INTEGER", 0, 1},
                        {"LOWER_LEFT", "HALF_INTEGER", 0.5f, 6.5f},
                        {"LOWER_LEFT", "INTEGER", 0, 6}};
    for (const Row& row : rows) {
        Inputs in = quad();
        in.framebuffer_height = 8;
        const Result r = run(fmt::format(R"(FRAG
PROPERTY FS_COORD_ORIGIN {}
PROPERTY FS_COORD_PIXEL_CENTER {}
DCL SV[0], POSITION
DCL OUT[0], COLOR
0: MOV OUT[0], SV[0]
1: END
)",
                                         row.origin, row.centre),
                             in);
        EXPECT_WORD(out(r, 2, 0), as_word(row.x));
        EXPECT_WORD(out(r, 2, 1), as_word(row.y));
    }
}

}  // namespace
}  // namespace tgsi2spv::reference

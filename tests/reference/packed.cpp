// Words packed from fields; the reference tracks each field on its own.
#include "reference/numbers/packed.h"

#include <gtest/gtest.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

Value result_of(const std::string& opcode, const Vec4& source) {
    Inputs in;
    in.inputs[{0, 0}] = {source};
    return out(run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
)" + opcode + "END\n",
                   in),
               0);
}
Value packed(const std::string& opcode, float x, float y, float z = 0, float w = 0) {
    return result_of(opcode + " OUT[0], IN[0]\n", {as_word(x), as_word(y), as_word(z), as_word(w)});
}

WordList list(std::initializer_list<uint32_t> codes) {
    WordList l;
    for (const uint32_t c : codes) l.words[static_cast<size_t>(l.count++)] = c;
    return l;
}

TEST(Packed, EveryFieldOfATieIsEitherCode) {
    const Value v = packed("PK4UB", 0.5f, 0.5f, 0.5f, 0.5f);
    EXPECT_FALSE(is_free(v));
    for (const uint32_t w : {0x7f7f7f7fu, 0x80808080u, 0x7f80807fu, 0x80807f80u}) EXPECT_TRUE(permits(v, w)) << w;
    for (const uint32_t w : {0x12345678u, 0u, kNan, 0x7f7f7f7eu, 0x817f7f7fu, 0x7f807e7fu})
        EXPECT_FALSE(permits(v, w)) << w;
    const Value s = packed("PK4B", 0.5f, -0.5f, 0.5f, -1);
    EXPECT_TRUE(permits(s, 0x8140c03f) && permits(s, 0x813fc140) && permits(s, s.value));
    EXPECT_FALSE(permits(s, 0x8140bf3f) || permits(s, 0x8040c03f) || permits(s, 0x813fc041));
}

TEST(Packed, TheLowHalfIsHeldBesideTheHighOne) {
    // 2.18 times the smallest half: a denormal half, which may be flushed to a zero of either sign.
    const Value v = packed("PK2H", 1.3e-7f, 0.1f), swapped = packed("PK2H", 0.1f, 1.3e-7f);
    for (const uint32_t denormal : {0u, 0x8000u, 2u, 3u})
        for (const uint32_t tenth : {0x2e66u, 0x2e67u}) {
            EXPECT_TRUE(permits(v, tenth << 16 | denormal)) << denormal;
            EXPECT_TRUE(permits(swapped, denormal << 16 | tenth)) << denormal;
        }
    for (const uint32_t w : {0x2e661234u, 0x2e660001u, 0x2e668002u, 0x2e680002u, 0x2e650002u})
        EXPECT_FALSE(permits(v, w) || permits(swapped, w << 16 | w >> 16)) << w;
}

TEST(Packed, NanMakesItsOwnFieldUnknown) {
    const Value v = packed("PK4UB", as_float(kNan), 1, 0, 0.2f);
    EXPECT_TRUE(permits(v, 0x3300ff00) && permits(v, 0x3300ffab));
    EXPECT_FALSE(permits(v, 0x3301ff00) || permits(v, 0x3200ff00) || permits(v, 0x3300fe00));
    const Value us = packed("PK2US", 1, as_float(kNan)), halves = packed("PK2H", as_float(kNan), 1);
    EXPECT_TRUE(permits(us, 0x1234ffff) && !permits(us, 0x1234fffe));
    EXPECT_TRUE(permits(halves, 0x3c001234) && !permits(halves, 0x3c011234));
    EXPECT_TRUE(is_free(packed("PK2H", as_float(kNan), as_float(kNan))));
}

TEST(Packed, ANanStaysOneWhenItIsUnpacked) {
    // Where functions keep NaN (SPIR-V, SignedZeroInfNanPreserve); devices are not held to it.
    const Vec4 source = {0x7e01'3c00, 0, 0, 0};
    const Value v = result_of("UP2H OUT[0], IN[0].xxxx\nMOV OUT[0].x, OUT[0].yyyy\n", source);
    EXPECT_TRUE(permits(v, kNan) && permits(v, 0xffc0'2000) && !permits(v, kInf) && !permits(v, kOne)) << text_of(v);
    Inputs in;
    in.inputs[{0, 0}] = {source};
    Options device;
    device.functions_keep_nan = false;
    const Result r = run(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
UP2H OUT[0], IN[0]
END
)",
                         in, device);
    EXPECT_TRUE(is_unknown(out(r, 0, 1)) && is_exact(out(r, 0, 0)));
}

TEST(Packed, OfRangesTheFieldsAreRanges) {
    // SIN has an error of 2^-11: 30 or more codes of 16 bits, one or two of 8 bits.
    const std::string sine = "SIN TEMP[0], IN[0].xxxx\n";
    const Vec4 x{as_word(0.5f), 0, 0, 0};
    const double exactly = std::sin(0.5);
    const auto code = [&](double scale, double off) { return static_cast<uint32_t>((exactly + off) * scale); };
    const Value us = result_of(sine + "PK2US OUT[0], TEMP[0]\n", x);
    for (const double off : {-0x1p-11, 0.0, 0x1p-11})
        EXPECT_TRUE(permits(us, code(65535, off) << 16 | code(65535, -off))) << off << text_of(us);
    EXPECT_FALSE(permits(us, code(65535, 0x1p-10) << 16 | code(65535, 0)));
    EXPECT_FALSE(permits(us, code(65535, 0) << 16 | code(65535, 0x1p-10)));
    // Around 0, the codes of a signed field wrap through 0.
    const Value b = result_of("SIN TEMP[0], IN[0].yyyy\nMUL TEMP[0], TEMP[0], IN[0].xxxx\nPK4B OUT[0], TEMP[0]\n",
                              {as_word(100.0f), 0, 0, 0});
    EXPECT_TRUE(permits(b, 0xfafd0005) && !permits(b, 0x000000c0) && !permits(b, 0x40000000)) << text_of(b);
}

TEST(Packed, UnpackingAPackedWordIsKnown) {
    const Vec4 x{as_word(0.5f), as_word(0.5f), as_word(0.5f), as_word(1.0f)};
    const Value v = result_of("PK4UB TEMP[0], IN[0]\nUP4UB OUT[0], TEMP[0]\n", x);
    EXPECT_TRUE(permits(v, as_word(127.0f / 255)) && permits(v, as_word(128.0f / 255))) << text_of(v);
    EXPECT_FALSE(permits(v, as_word(129.0f / 255)) || permits(v, as_word(126.0f / 255))) << text_of(v);
    // Fields of another width are unrelated: they may be anything that a field can be.
    const Value other = result_of("PK4UB TEMP[0], IN[0]\nUP2US OUT[0], TEMP[0]\n", x);
    EXPECT_TRUE(permits(other, 0) && permits(other, kOne) && permits(other, as_word(0.1f))) << text_of(other);
    EXPECT_FALSE(permits(other, as_word(1.5f)) || permits(other, as_word(-0.5f))) << text_of(other);
}

TEST(Packed, OthersTakeItForAnyWord) {
    const Vec4 x{as_word(0.5f), as_word(0.5f), as_word(0.5f), as_word(0.5f)};
    EXPECT_TRUE(is_free(result_of("PK4UB TEMP[0], IN[0]\nUADD OUT[0], TEMP[0], IN[0]\n", x)));
    EXPECT_FALSE(is_free(result_of("PK4UB TEMP[0], IN[0]\nMOV OUT[0], TEMP[0]\n", x)));
    const Value v = packed("PK4UB", 0.5f, 0.5f, 0.5f, 0.5f), other = packed("PK4UB", 0.5f, 0.5f, 0.5f, 1);
    EXPECT_FALSE(is_free(join(v, v)));
    EXPECT_TRUE(is_free(join(v, other)) || permits(join(v, other), other.value));
    EXPECT_TRUE(is_free(join(exact(1u), v)) && is_free(join(v, exact(1u))));
    Value lost = v;
    make_unknown(lost);
    EXPECT_TRUE(is_free(lost) && permits(lost, 0x12345678));
}

TEST(Packed, SetsContainTheirListedCodes) {
    constexpr int kBits = 8;
    struct Case {
        WordList codes;
        std::initializer_list<uint32_t> not_held;
    };
    const Case cases[] = {{list({5}), {4, 6, 0}},
                          {list({255, 0, 1}), {2, 254}},
                          {list({7, 9, 8, 0, 128}), {1, 6, 10, 127, 129}},
                          {list({250, 255, 2, 5}), {6, 249, 100}},  // the shortest range may wrap around
                          {list({0, 0, 0}), {1, 255}}};
    for (const Case& c : cases) {
        const FieldSet set = set_around(c.codes, kBits);
        for (int i = 0; i < c.codes.count; ++i) EXPECT_TRUE(holds(set, kBits, c.codes.words[static_cast<size_t>(i)]));
        for (const uint32_t code : c.not_held) EXPECT_FALSE(holds(set, kBits, code)) << code;
    }
    WordList all;
    EXPECT_FALSE(enumerate(any_code(kBits), kBits, all));
    EXPECT_TRUE(enumerate(set_around(list({255, 0, 1, 77}), kBits), kBits, all) && all.count == 4);
}

}  // namespace
}  // namespace tgsi2spv::reference

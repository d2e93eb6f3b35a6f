// Results of integer opcodes and UP* for unknown words: the range that a known operand, or the opcode itself, leaves.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>
#include <string>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

using Function = std::function<uint32_t(uint32_t)>;

/// Executes `instruction`, which writes OUT[0] from TEMP[0], a word of which nothing is known, and IMM[0].
Value result_of(const std::string& instruction, const std::string& immediate) {
    // RSQ of a number below zero is undefined.
    const Shader s = shader(R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
)" + immediate + "RSQ TEMP[0], IN[0].xxxx\n" +
                            instruction + "\nEND\n");
    EXPECT_EQ(s.error, "");
    return out(run(s.program, s.registers, lanes_of({as_word(-1.0f)}), {}), 0);
}

/// Whether the result permits the results of `f` for any word, and nothing of `never`. `operands` are numbers of
/// IMM[0].
void hold(const std::string& instruction, const std::array<uint32_t, 3>& operands, const Function& f,
          const std::vector<uint32_t>& never) {
    std::string immediate = "IMM[0] UINT32 {";
    for (const uint32_t w : operands) immediate += std::to_string(w) + ", ";
    std::mt19937 random(1);
    const Value v = result_of(instruction, immediate + "0}\n");
    const std::string text = instruction + text_of(v);
    for (int i = 0; i < 2000; ++i) {
        const auto drawn = static_cast<uint32_t>(random()) >> random() % 32, w = i % 2 == 0 ? drawn : ~drawn;
        ASSERT_TRUE(permits(v, f(w))) << text << ": " << std::hex << w << " gives " << f(w);
    }
    for (const uint32_t w : {0u, 1u, ~0u, 0x8000'0000u, 0x7fff'ffffu, 0x7f80'0000u, 0xff80'0000u})
        ASSERT_TRUE(permits(v, f(w))) << text << ": " << std::hex << w << " gives " << f(w);
    for (const uint32_t w : never) EXPECT_FALSE(permits(v, w)) << text << " permits " << std::hex << w;
}

bool permits_only(const Value& v, uint32_t w) {
    return is_exact(v) && permits(v, w);
}

int32_t s(uint32_t w) {
    return static_cast<int32_t>(w);
}
uint32_t u(int64_t i) {
    return static_cast<uint32_t>(i);
}
uint32_t highest(uint32_t w) {
    return w == 0 ? ~0u : static_cast<uint32_t>(std::bit_width(w)) - 1;
}

TEST(Integers, CountsAndNumbersOfBitsAreSmall) {
    hold("POPC OUT[0], TEMP[0]", {}, [](uint32_t w) { return u(std::popcount(w)); }, {33, 0x7f80'0000, ~0u});
    hold("LSB OUT[0], TEMP[0]", {}, [](uint32_t w) { return w == 0 ? ~0u : u(std::countr_zero(w)); },
         {32, 1000, kSign});
    hold("UMSB OUT[0], TEMP[0]", {}, highest, {32, 1000, kSign});
    hold("IMSB OUT[0], TEMP[0]", {}, [](uint32_t w) { return highest(s(w) < 0 ? ~w : w); }, {31, 1000, kSign});
}

TEST(Integers, AKnownOperandLimitsTheResult) {
    for (const uint32_t mask : {3u, 0xffu, 0x00ff'ff00u, 0x7fff'fff0u}) {
        const uint32_t beyond = mask < kInf ? mask + 1 : kInf | kSign;
        hold("AND OUT[0], TEMP[0], IMM[0].xxxx", {mask}, [=](uint32_t w) { return w & mask; }, {kSign, beyond});
        hold("AND OUT[0], IMM[0].xxxx, TEMP[0]", {mask}, [=](uint32_t w) { return w & mask; }, {kSign, beyond});
    }
    hold("UMIN OUT[0], TEMP[0], IMM[0].xxxx", {100}, [](uint32_t w) { return std::min(w, 100u); }, {101, ~0u});
    for (const uint32_t n : {1u, 8u, 24u, 31u, 33u})
        hold(
            "USHR OUT[0], TEMP[0], IMM[0].xxxx", {n}, [=](uint32_t w) { return w >> (n & 31); },
            n % 32 == 1 ? std::vector<uint32_t>{kSign, kInf | kSign} : std::vector<uint32_t>{(~0u >> n) + 1, ~0u});
    for (const uint32_t n : {0u, 8u})
        hold("ISHR OUT[0], TEMP[0], IMM[0].xxxx", {n}, [=](uint32_t w) { return u(s(w) >> n); }, {});
    for (const uint32_t n : {9u, 24u, 30u, 31u})
        hold("ISHR OUT[0], TEMP[0], IMM[0].xxxx", {n}, [=](uint32_t w) { return u(s(w) >> n); },
             {(0x7fff'ffffu >> n) + 1, kInf, kSign});
}

TEST(Integers, AKnownDivisorLimitsTheResult) {
    for (const uint32_t d : {1u, 2u, 10u, 1000u, 0x8000'0000u, 0u}) {
        const std::vector<uint32_t> beyond =
            d == 0x8000'0000u ? std::vector{kSign, kInf | kSign} : std::vector{d + 1, kSign};
        hold(
            "UMOD OUT[0], TEMP[0], IMM[0].xxxx", {d}, [=](uint32_t w) { return d == 0 ? ~0u : w % d; }, beyond);
    }
    for (const uint32_t d : {2u, 3u, 1000u, 0u})
        hold("UDIV OUT[0], TEMP[0], IMM[0].xxxx", {d}, [=](uint32_t w) { return d == 0 ? ~0u : w / d; },
             {kSign, kInf | kSign});
    for (const uint32_t d : {1u, 10u, u(-10), u(-1), 0x7f'ffffu, 0u})
        hold("MOD OUT[0], TEMP[0], IMM[0].xxxx", {d},
             [=](uint32_t w) { return d == 0 ? ~0u : u(int64_t{s(w)} % s(d)); }, {0x7f'ffff, kInf, kSign});
    for (const uint32_t d : {0x0080'0001u, 0x8000'0000u})
        hold("MOD OUT[0], TEMP[0], IMM[0].xxxx", {d}, [=](uint32_t w) { return u(int64_t{s(w)} % s(d)); }, {});
    // The sign of a remainder is the dividend's.
    hold("AND TEMP[0], TEMP[0], IMM[0].yyyy\nMOD OUT[0], TEMP[0], IMM[0].xxxx", {u(-10), 0xffff},
         [](uint32_t w) { return (w & 0xffff) % 10; }, {10, ~0u});
}

// semantics, Integer: exact on words, so the consequences of a word's range hold for every word.
TEST(Integers, ARangeLimitsTheResult) {
    const std::string small = "AND TEMP[0], TEMP[0], IMM[0].xxxx\n";
    hold(small + "UMUL OUT[0], TEMP[0], IMM[0].yyyy", {0xff, 12}, [](uint32_t w) { return (w & 0xff) * 12; },
         {255 * 12 + 1, ~0u});
    hold(small + "UMUL OUT[0], TEMP[0], IMM[0].yyyy", {0xffff, 0x1'0000}, [](uint32_t w) { return w << 16; }, {});
    hold("UMUL OUT[0], TEMP[0], IMM[0].xxxx", {0}, [](uint32_t) { return 0u; }, {1, kSign, ~0u});
    hold(small + "UMAD OUT[0], TEMP[0], IMM[0].yyyy, IMM[0].zzzz", {0xff, 12, 7},
         [](uint32_t w) { return (w & 0xff) * 12 + 7; }, {255 * 12 + 8, ~0u});
    hold(small + "SHL OUT[0], TEMP[0], IMM[0].yyyy", {0xff, 4}, [](uint32_t w) { return (w & 0xff) << 4; },
         {0xff1, ~0u});
    hold(small + "SHL OUT[0], TEMP[0], IMM[0].yyyy", {0xff, 28}, [](uint32_t w) { return w << 28; }, {});
    hold("ISSG OUT[0], TEMP[0]", {}, [](uint32_t w) { return w == 0 ? 0 : s(w) < 0 ? ~0u : 1; }, {2, ~1u, kSign});
    hold(small + "ISSG OUT[0], TEMP[0]", {0xff}, [](uint32_t w) { return (w & 0xff) != 0 ? 1u : 0u; }, {2, ~0u});
}

TEST(Integers, ARangeMayDecideAComparison) {
    struct Case {
        const char* op;
        uint32_t than;
        bool may_be_true, may_be_false;
    };
    // The word is from 0 to 0xff, and if it is negated, from -0xff to 0.
    for (const Case& c :
         {Case{"USLT", 0x100, true, false}, Case{"USLT", 0xff, true, true}, Case{"USLT", 0, false, true},
          Case{"USGE", 0x100, false, true}, Case{"USGE", 0xff, true, true}, Case{"USGE", 0, true, false},
          Case{"ISLT", 0x100, true, false}, Case{"ISLT", 0xff, true, true}, Case{"ISLT", u(-1), false, true},
          Case{"ISGE", u(-5), true, false}, Case{"ISGE", 0x100, false, true}}) {
        const Value v =
            result_of(fmt::format("AND TEMP[0], TEMP[0], IMM[0].xxxx\n{} OUT[0], TEMP[0], IMM[0].yyyy", c.op),
                      fmt::format("IMM[0] UINT32 {{255, {}, 0, 0}}\n", c.than));
        EXPECT_EQ(permits(v, ~0u), c.may_be_true) << c.op << " " << c.than << text_of(v);
        EXPECT_EQ(permits(v, 0), c.may_be_false) << c.op << " " << c.than << text_of(v);
    }
    // Intervals of floats below zero, and around it: as integers without a sign they are the greatest.
    const auto between = [](float least, float most, const char* op, uint32_t than) {
        return result_of(fmt::format("MIN TEMP[0], TEMP[0], IMM[0].xxxx\nMAX TEMP[0], TEMP[0], IMM[0].yyyy\n"
                                     "{} OUT[0], TEMP[0], IMM[0].zzzz",
                                     op),
                         fmt::format("IMM[0] UINT32 {{{}, {}, {}, 0}}\n", as_word(most), as_word(least), than));
    };
    EXPECT_TRUE(permits_only(between(-2.0f, -1.0f, "USLT", as_word(-1.0f)), 0));
    EXPECT_TRUE(permits_only(between(-2.0f, -1.0f, "USGE", as_word(-2.0f) + 1), 0));
    EXPECT_TRUE(permits_only(between(-2.0f, -1.0f, "ISLT", 0), ~0u));
    EXPECT_TRUE(permits_only(between(-2.0f, 1.0f, "ISGE", kOne + 1), 0));
    const Value either = between(-2.0f, 1.0f, "USLT", kOne);
    EXPECT_TRUE(permits(either, 0) && permits(either, ~0u));
}

TEST(Integers, AKnownFieldLimitsTheResult) {
    for (const uint32_t bits : {0u, 1u, 2u, 5u, 16u, 23u, 24u})
        for (const uint32_t first : {0u, 3u, 8u}) {
            const uint32_t mask = (1u << bits) - 1;
            hold("UBFE OUT[0], TEMP[0], IMM[0].xxxx, IMM[0].yyyy", {first, bits},
                 [=](uint32_t w) { return w >> first & mask; }, {mask + 1, kInf, ~0u});
            hold(
                "IBFE OUT[0], TEMP[0], IMM[0].xxxx, IMM[0].yyyy", {first, bits},
                [=](uint32_t w) { return bits == 0 ? 0 : u(s(w << (32 - first - bits)) >> (32 - bits)); },
                bits < 24 ? std::vector<uint32_t>{mask / 2 + 1, kInf, kSign} : std::vector<uint32_t>{});
        }
    // A field that is out of range is undefined.
    EXPECT_TRUE(
        is_unknown(result_of("UBFE OUT[0], TEMP[0], IMM[0].xxxx, IMM[0].yyyy", "IMM[0] UINT32 {30, 3, 0, 0}\n")));
    // An offset of a known word.
    hold("AND TEMP[0], TEMP[0], IMM[0].zzzz\nUBFE OUT[0], TEMP[0], IMM[0].xxxx, IMM[0].yyyy", {4, 8, 0xff},
         [](uint32_t w) { return (w & 0xff) >> 4; }, {16, ~0u});
}

TEST(Integers, UnpackedFieldsAreWithinTheirRange) {
    for (const std::string op : {"UP2US", "UP4UB", "UP4B"}) {
        const Value v = result_of(op + " OUT[0], TEMP[0].xxxx", "");
        const bool is_signed = op == "UP4B";
        EXPECT_TRUE(permits(v, 0) && permits(v, kOne) && permits(v, as_word(0.5f))) << op << text_of(v);
        EXPECT_EQ(permits(v, as_word(-1.0f)), is_signed) << op << text_of(v);
        EXPECT_FALSE(permits(v, as_word(1.0001f)) || permits(v, as_word(-1.0001f)) || permits(v, kNan))
            << op << text_of(v);
    }
    EXPECT_TRUE(is_unknown(result_of("UP2H OUT[0], TEMP[0].xxxx", "")));
}

}  // namespace
}  // namespace tgsi2spv::reference

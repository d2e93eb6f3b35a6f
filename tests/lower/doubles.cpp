// Doubles in words, without shaderFloat64: every result is that of the processor's own doubles, bit by bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "lower/doubles/number.h"
#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

// C++ leaves their order open, so the code of a function could differ between compilers.
template <class W>
concept AddsTwoSums = requires(W x) {
    (x + x) + (x + x);
};
template <class W>
concept ChoosesOfTwoSums = requires(W x) {
    choose(x, x + x, x + x);
};
template <class W>
concept RoundsTwoSums = requires(W x) {
    rounded(x + x, x + x, lower::doubles::Wide<2>{});
};
template <class W>
concept AddsOneSum = requires(W x) {
    choose(x, x + (x + x), x);
};
using lower::doubles::Word;
static_assert(AddsOneSum<Word> && !AddsTwoSums<Word> && !ChoosesOfTwoSums<Word> && !RoundsTwoSums<Word>);

constexpr double kDoubleInfinity = std::numeric_limits<double>::infinity();
constexpr double kDoubleNan = std::numeric_limits<double>::quiet_NaN();
const lower::Capabilities kWithout{.float64 = false};

uint64_t bits(double x) {
    return std::bit_cast<uint64_t>(x);
}
double as_double(uint64_t x) {
    return std::bit_cast<double>(x);
}

/// Runs one instruction on xy and zw, whose operands are different.
class Runner {
  public:
    explicit Runner(std::string_view instruction)
        : text_(fmt::format("VERT\nDCL IN[0]\nDCL IN[1]\nDCL IN[2]\nDCL OUT[0], GENERIC[7]\nDCL OUT[1], "
                            "GENERIC[8]\nDCL TEMP[0..1]\n{}\nEND\n",
                            instruction)),
          as_written_(lower_text(text_, {}, kWithout)),
          simplified_(lower_simplified(text_, kWithout)) {}

    /// The words of OUT[output].
    Words operator()(const std::vector<Words>& in, uint32_t output = 0) const {
        const Words words = result_of(as_written_, in, output);
        EXPECT_EQ(result_of(simplified_, in, output), words) << text_;
        return words;
    }

  private:
    Words result_of(const Lowered& lowered, const std::vector<Words>& in, uint32_t output) const {
        std::map<uint32_t, Words> inputs;
        for (uint32_t i = 0; i < 3; ++i) inputs[i] = i < in.size() ? in[i] : Words{};
        const Evaluation run = evaluate(lowered.module, inputs);
        EXPECT_EQ(run.error + lowered.error, "") << text_;
        EXPECT_TRUE(run.undefined.empty()) << text_ << run.undefined[0];
        const auto found = run.outputs.find(7 + output);
        return found == run.outputs.end() ? Words{} : found->second;
    }

    std::string text_;
    Lowered as_written_, simplified_;
};

Words pairs(uint64_t xy, uint64_t zw) {
    return {static_cast<uint32_t>(xy), static_cast<uint32_t>(xy >> 32), static_cast<uint32_t>(zw),
            static_cast<uint32_t>(zw >> 32)};
}
uint64_t pair_of(const Words& words, int k) {
    return words[static_cast<size_t>(2 * k)] | uint64_t{words[static_cast<size_t>(2 * k + 1)]} << 32;
}

/// Edges, and numbers near each other, near a tie, near the ends of the range.
std::vector<uint64_t> operands() {
    std::vector<uint64_t> all;
    for (const double x : {0.0,
                           1.0,
                           1.5,
                           2.0,
                           0.5,
                           3.0,
                           0x1p-1074,
                           0x1p-1073,
                           0x1.8p-1030,
                           0x0.fffffffffffffp-1022,
                           0x1p-1022,
                           0x1.fffffffffffffp1023,
                           0x1p1023,
                           0x1p52,
                           0x1.8p51,
                           0x1p53,
                           0x1p-53,
                           0x1p-54,
                           0x1.0000000000001p0,
                           0x1.fffffffffffffp-1,
                           0x1.fffffep127,
                           0x1.ffffffp127,
                           0x1p-149,
                           0x1p-150,
                           0x1.000002p-150,
                           0x1p-126,
                           2147483647.5,
                           2147483648.0,
                           4294967295.5,
                           4294967296.0,
                           0x1p63,
                           0x1.fffffffffffffp62,
                           0x1p64,
                           0x1.fffffffffffffp63,
                           2.5,
                           3.5,
                           0x1p31 + 0.5,
                           kDoubleInfinity,
                           kDoubleNan})
        for (const double y : {x, -x}) all.push_back(bits(y));
    return all;
}

/// A number with any exponent, or with one near that of `near`; many have few bits.
uint64_t drawn(std::mt19937_64& random, uint64_t near) {
    uint64_t x = random();
    if (random() % 3 == 0) x &= ~uint64_t{0} << (random() % 52);
    if (random() % 3 == 0) x |= (uint64_t{1} << (random() % 52)) - 1;
    if (random() % 2 == 0) {
        const uint64_t exponent = (near >> 52 & 0x7ff) + random() % 9 - 4;
        x = (x & 0x800f'ffff'ffff'ffff) | (exponent & 0x7ff) << 52;
    }
    return x;
}

bool is_same(double got, double want) {
    return std::isnan(want) ? std::isnan(got) : bits(got) == bits(want);
}

/// Compares an instruction of up to three doubles with `want` on edges and on drawn numbers.
void expect(const char* op, int count, const std::function<double(double, double, double)>& want, int rounds = 1000) {
    std::string sources;
    for (int i = 0; i < count; ++i) sources += fmt::format(", IN[{}]", i);
    const Runner run(fmt::format("{} OUT[0]{}", op, sources));
    const std::vector<uint64_t> edges = operands();
    std::mt19937_64 random(7);
    int failures = 0;
    const auto check = [&](const std::array<uint64_t, 3>& xy, const std::array<uint64_t, 3>& zw) {
        const Words out = run({pairs(xy[0], zw[0]), pairs(xy[1], zw[1]), pairs(xy[2], zw[2])});
        for (const auto& [in, k] : {std::pair(xy, 0), std::pair(zw, 1)}) {
            const double x = as_double(in[0]), y = as_double(in[1]), z = as_double(in[2]), w = want(x, y, z);
            if (is_same(as_double(pair_of(out, k)), w) || ++failures > 5) continue;
            ADD_FAILURE() << fmt::format("{} {:a} {:a} {:a}: {:a}, not {:a}", op, x, y, z, as_double(pair_of(out, k)),
                                         w);
        }
    };
    std::array<uint64_t, 3> before{};
    const auto next = [&](const std::array<uint64_t, 3>& in) {
        check(in, before);
        before = in;
    };
    for (const uint64_t x : edges) {
        next({x, 0, 0});
        for (int i = 0; i < rounds / 80 && count > 1; ++i)
            next({x, edges[random() % edges.size()], edges[random() % edges.size()]});
    }
    for (int i = 0; i < rounds; ++i) {
        const uint64_t x = drawn(random, random()), y = drawn(random, x);
        uint64_t z = drawn(random, y);
        // Near a product, so that the sum cancels.
        if (count > 2 && random() % 2 == 0) z = drawn(random, bits(as_double(x) * as_double(y)));
        next({x, y, z});
    }
}

TEST(LowerDoubles, Arithmetic) {
    expect("DADD", 2, [](double x, double y, double) { return x + y; });
    expect("DMUL", 2, [](double x, double y, double) { return x * y; });
    expect(
        "DFMA", 3, [](double x, double y, double z) { return std::fma(x, y, z); }, 3000);
    expect(
        "DMAD", 3,
        [](double x, double y, double z) {
            const volatile double product = x * y;
            return product + z;
        },
        1000);
    expect(
        "DABS", 1, [](double x, double, double) { return std::fabs(x); }, 10);
    expect(
        "DNEG", 1, [](double x, double, double) { return -x; }, 10);
}

TEST(LowerDoubles, QuotientsAndRoots) {
    expect(
        "DDIV", 2, [](double x, double y, double) { return x / y; }, 250);
    expect(
        "DRCP", 1, [](double x, double, double) { return 1 / x; }, 50);
    expect(
        "DSQRT", 1, [](double x, double, double) { return std::sqrt(x); }, 300);
    expect(
        "DRSQ", 1, [](double x, double, double) { return x == 0 ? kDoubleInfinity : 1 / std::sqrt(x); }, 50);
}

TEST(LowerDoubles, Roundings) {
    expect("DFLR", 1, [](double x, double, double) { return std::floor(x); });
    expect("DCEIL", 1, [](double x, double, double) { return std::ceil(x); });
    expect("DTRUNC", 1, [](double x, double, double) { return std::trunc(x); });
    expect("DROUND", 1, [](double x, double, double) { return std::nearbyint(x); });
    expect("DFRAC", 1, [](double x, double, double) { return x - std::floor(x); });
}

/// The words that one operand of each pair gives, on edges and drawn numbers; NaN is 0x7fc00000 as a float.
void expect_words(const std::string& instruction, int apart, const std::function<uint32_t(double)>& want) {
    const Runner run(instruction);
    std::mt19937_64 random(8);
    std::vector<uint64_t> all = operands();
    for (int i = 0; i < 1000; ++i) all.push_back(drawn(random, bits(std::ldexp(1.0, static_cast<int>(random() % 70)))));
    for (int i = 0; i < 500; ++i)
        all.push_back(drawn(random, bits(std::ldexp(1.0, static_cast<int>(random() % 300) - 160))));
    for (size_t i = 0; i + 1 < all.size(); i += 2) {
        const Words out = run({pairs(all[i], all[i + 1])});
        for (size_t k = 0; k < 2; ++k) {
            const double x = as_double(all[i + k]);
            EXPECT_EQ(out[k * static_cast<size_t>(apart)], want(x)) << fmt::format("{} {:a}", instruction, x);
        }
    }
}

template <class Integer>
Integer saturated(double x) {
    constexpr auto kLeast = std::numeric_limits<Integer>::min(), kMost = std::numeric_limits<Integer>::max();
    if (std::isnan(x)) return 0;
    if (x <= static_cast<double>(kLeast)) return kLeast;
    return x >= std::ldexp(1.0, std::numeric_limits<Integer>::digits) ? kMost : static_cast<Integer>(x);
}

TEST(LowerDoubles, NarrowConversions) {
    expect_words("D2F OUT[0].xy, IN[0]", 1,
                 [](double x) { return std::isnan(x) ? 0x7fc0'0000 : std::bit_cast<uint32_t>(static_cast<float>(x)); });
    expect_words("D2I OUT[0].xy, IN[0]", 1, [](double x) { return static_cast<uint32_t>(saturated<int32_t>(x)); });
    expect_words("D2U OUT[0].xy, IN[0]", 1, [](double x) { return saturated<uint32_t>(x); });
}

TEST(LowerDoubles, Signs) {
    const auto sign = [](double x) { return static_cast<uint32_t>(bits(x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0) >> 32); };
    expect_words("DSSG TEMP[0], IN[0]\nMOV OUT[0].xy, TEMP[0].ywyw", 1, sign);
}

TEST(LowerDoubles, WideningConversions) {
    const Runner from_float("F2D OUT[0], IN[0]"), from_int("I2D OUT[0], IN[0]"), from_uint("U2D OUT[0], IN[0]");
    std::mt19937_64 random(9);
    std::vector<uint32_t> words = {0,           1,           2,           3,           0x7f'ffff,   0x80'0000,
                                   0x7f7f'ffff, 0x7f80'0000, 0x7fc0'0000, 0x7fff'ffff, 0x8000'0000, 0x8000'0001,
                                   0xffff'ffff, 0x3f80'0000, 0xff80'0000, 0xffff'fffe};
    for (int i = 0; i < 1000; ++i) words.push_back(static_cast<uint32_t>(random()) >> random() % 32);
    for (size_t i = 0; i < words.size(); i += 2) {
        const Words in = {words[i], words[i + 1], 0, 0}, floats = from_float({in}), ints = from_int({in}),
                    uints = from_uint({in});
        for (int k = 0; k < 2; ++k) {
            const uint32_t word = in[static_cast<size_t>(k)];
            EXPECT_TRUE(is_same(as_double(pair_of(floats, k)), std::bit_cast<float>(word))) << word;
            EXPECT_EQ(as_double(pair_of(ints, k)), static_cast<int32_t>(word));
            EXPECT_EQ(as_double(pair_of(uints, k)), word);
        }
    }
}

TEST(LowerDoubles, IntegersOf64Bits) {
    const Runner from_int("I642D OUT[0], IN[0]"), from_uint("U642D OUT[0], IN[0]"), to_int("D2I64 OUT[0], IN[0]"),
        to_uint("D2U64 OUT[0], IN[0]");
    std::mt19937_64 random(10);
    std::vector<uint64_t> words = operands();  // of any type
    for (int i = 0; i < 500; ++i) {
        words.push_back(random() >> random() % 64);
        words.push_back(drawn(random, bits(std::ldexp(1.0, static_cast<int>(random() % 70)))));
    }
    for (size_t i = 0; i + 1 < words.size(); i += 2) {
        const Words in = pairs(words[i], words[i + 1]);
        const Words signeds = from_int({in}), unsigneds = from_uint({in}), ints = to_int({in}), uints = to_uint({in});
        for (int k = 0; k < 2; ++k) {
            const uint64_t word = pair_of(in, k);
            EXPECT_EQ(as_double(pair_of(signeds, k)), static_cast<double>(static_cast<int64_t>(word))) << word;
            EXPECT_EQ(as_double(pair_of(unsigneds, k)), static_cast<double>(word)) << word;
            EXPECT_EQ(static_cast<int64_t>(pair_of(ints, k)), saturated<int64_t>(as_double(word))) << word;
            EXPECT_EQ(pair_of(uints, k), saturated<uint64_t>(as_double(word))) << word;
        }
    }
}

TEST(LowerDoubles, Comparisons) {
    using Holds = bool (*)(double, double);
    const std::pair<const char*, Holds> rows[] = {{"DSEQ", [](double x, double y) { return x == y; }},
                                                  {"DSNE", [](double x, double y) { return x != y; }},
                                                  {"DSLT", [](double x, double y) { return x < y; }},
                                                  {"DSGE", [](double x, double y) { return x >= y; }}};
    const std::vector<uint64_t> edges = operands();
    for (const auto& [op, holds] : rows) {
        const Runner run(fmt::format("{} OUT[0], IN[0], IN[1]", op));
        for (const uint64_t x : edges)
            for (const uint64_t y : edges) {
                const Words out = run({pairs(x, y), pairs(y, x)});
                const bool first = holds(as_double(x), as_double(y)), second = holds(as_double(y), as_double(x));
                EXPECT_EQ(out, (Words{first ? ~0u : 0, 0, second ? ~0u : 0, 0}))
                    << fmt::format("{} {:a} {:a}", op, as_double(x), as_double(y));
            }
    }
}

TEST(LowerDoubles, LeastAndGreatest) {
    // Equal zeros may give either. A NaN that signals is one like others.
    const auto by = [](double x, double y, double of_numbers) {
        if (x == 0 && y == 0) return of_numbers;
        return std::isnan(x) ? y : std::isnan(y) ? x : of_numbers;
    };
    expect(
        "DMIN", 2, [&](double x, double y, double) { return by(x, y, x < y ? x : y); }, 300);
    expect(
        "DMAX", 2, [&](double x, double y, double) { return by(x, y, x < y ? y : x); }, 300);
}

TEST(LowerDoubles, Exponents) {
    const Runner scaled("DLDEXP OUT[0], IN[0], IN[1]"),
        split("DFRACEXP TEMP[0], TEMP[1].xy, IN[0]\nMOV OUT[0], TEMP[0]\nMOV OUT[1], TEMP[1]");
    const std::vector<uint64_t> edges = operands();
    std::mt19937_64 random(11);
    for (int round = 0; round < 20; ++round)
        for (const uint64_t x : edges) {
            const uint64_t other = drawn(random, x);
            const int e = static_cast<int>(random() % 4300) - 2150, f = static_cast<int>(random());
            const Words in = pairs(x, other);
            const Words out = scaled({in, {static_cast<uint32_t>(e), 9, static_cast<uint32_t>(f), 9}});
            const Words fractions = split({in}), exponents = split({in}, 1);
            const double parts[] = {std::ldexp(as_double(x), e), std::ldexp(as_double(other), f)};
            for (int k = 0; k < 2; ++k) {
                const double operand = as_double(pair_of(in, k));
                EXPECT_TRUE(is_same(as_double(pair_of(out, k)), parts[k])) << fmt::format("{:a} {} {}", operand, e, f);
                int exponent = 0;
                const double fraction = std::isfinite(operand) ? std::frexp(operand, &exponent) : operand;
                EXPECT_TRUE(is_same(as_double(pair_of(fractions, k)), fraction)) << fmt::format("{:a}", operand);
                EXPECT_EQ(static_cast<int>(exponents[static_cast<size_t>(k)]), exponent)
                    << fmt::format("{:a}", operand);
            }
        }
}

TEST(LowerDoubles, SaturationAndModifiers) {
    const auto limited = [](double x) { return x > 0 ? std::fmin(x, 1.0) : 0.0; };
    expect(
        "DADD_SAT", 2, [&](double x, double y, double) { return limited(x + y); }, 300);
    const Runner run("DADD OUT[0], -|IN[0]|, IN[1].zwxy");
    EXPECT_EQ(run({pairs(bits(-3), bits(4)), pairs(bits(1), bits(2))}), pairs(bits(-1), bits(-3)));
}

TEST(LowerDoubles, AModuleHasTheFunctionsThatItCalls) {
    const std::string text =
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0]\nDADD TEMP[0], IN[0], IN[0]\n"
        "DADD OUT[0], TEMP[0], IN[0]\nEND\n";
    const Lowered lowered = lower_text(text, {}, kWithout);
    ASSERT_EQ(lowered.module.functions.size(), 2u);
    EXPECT_EQ(lowered.module.functions[1].name.view(), "double_add");
    EXPECT_EQ(operations(lowered.module), "Call Call Call Call");
}

}  // namespace
}  // namespace tgsi2spv::test

// Every point on which the editions contradict each other (semantics), in each edition; `auto` follows one of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using tgsi::Dialect;

constexpr Words pairs(double xy, double zw) {
    const auto a = std::bit_cast<uint64_t>(xy), b = std::bit_cast<uint64_t>(zw);
    return {static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), static_cast<uint32_t>(b),
            static_cast<uint32_t>(b >> 32)};
}

struct Row {
    const char* text;
    std::vector<Words> in;
    Words oldest, middle, newest, automatic;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all_rows = {
        // SHL, SHR: one count, or one per component.
        {"SHL OUT[0], IN[0], IN[1]", {all(1), {4, 3, 2, 1}}, all(16), all(16), {16, 8, 4, 2}, {16, 8, 4, 2}},
        {"SHR OUT[0], IN[0], IN[1]",
         {all(0x8000'0010), {4, 3, 2, 1}},
         all(0xf800'0001),
         all(0xf800'0001),
         {0xf800'0001, 0xf000'0002, 0xe000'0004, 0xc000'0008},
         {0xf800'0001, 0xf000'0002, 0xe000'0004, 0xc000'0008}},
        // ISHR and USHR, which only the newest edition has, mean the same in all.
        {"USHR OUT[0], IN[0], IN[1]", {all(16), {4, 3, 2, 1}}, {1, 2, 4, 8}, {1, 2, 4, 8}, {1, 2, 4, 8}, {1, 2, 4, 8}},
        // DSEQ, DSLT: doubles, or masks in x and z.
        {"DSEQ OUT[0], IN[0], IN[1]",
         {pairs(1, 2), pairs(1, 3)},
         pairs(1, 0),
         pairs(1, 0),
         {kAllOnes, 0, 0, 0},
         {kAllOnes, 0, 0, 0}},
        {"DSLT OUT[0], IN[0], IN[1]",
         {pairs(1, 2), pairs(1, 3)},
         pairs(0, 1),
         pairs(0, 1),
         {0, 0, kAllOnes, 0},
         {0, 0, kAllOnes, 0}},
        // DLDEXP: the exponents are in x and y, or in x and z.
        {"DLDEXP OUT[0], IN[0], IN[1]",
         {pairs(1, 1), {1, 2, 3, 4}},
         pairs(2, 4),
         pairs(2, 4),
         pairs(2, 8),
         pairs(2, 8)},
        // DFRACEXP: the order of the destinations. The fraction of 3 is 0.75, its exponent 2.
        {"DFRACEXP OUT[0].xy, OUT[0].zw, IN[0]",
         {pairs(3, 3)},
         {2, 2, pairs(0, 0.75)[2], pairs(0, 0.75)[3]},
         {2, 2, pairs(0, 0.75)[2], pairs(0, 0.75)[3]},
         {pairs(0.75, 0)[0], pairs(0.75, 0)[1], 2, 2},
         {pairs(0.75, 0)[0], pairs(0.75, 0)[1], 2, 2}},
    };
    return all_rows;
}

TEST(LowerDialects, EachEditionHasItsMeaning) {
    for (const Row& r : rows()) {
        EXPECT_EQ(run(r.text, r.in, {.dialect = Dialect::Oldest}), r.oldest) << r.text;
        EXPECT_EQ(run(r.text, r.in, {.dialect = Dialect::Middle}), r.middle) << r.text;
        EXPECT_EQ(run(r.text, r.in, {.dialect = Dialect::Newest}), r.newest) << r.text;
        EXPECT_EQ(run(r.text, r.in), r.automatic) << r.text;
    }
}

TEST(LowerDialects, TheRootOfANegativeNumber) {
    for (const Dialect d : {Dialect::Oldest, Dialect::Middle}) {
        EXPECT_EQ(run("RSQ OUT[0], IN[0]", {all(f(-4))}, {.dialect = d}), all(f(0.5f)));
        EXPECT_EQ(run("DRSQ OUT[0], IN[0]", {pairs(-4, 4)}, {.dialect = d}), pairs(0.5, 0.5));
    }
    for (const Dialect d : {Dialect::Newest, Dialect::Auto}) {  // undefined there: the device's own result
        EXPECT_TRUE(is_nan(run("RSQ OUT[0], IN[0]", {all(f(-4))}, {.dialect = d})[0]));
        EXPECT_EQ(run("RSQ OUT[0], IN[0]", {all(0)}, {.dialect = d}), all(kInf));
    }
}

TEST(LowerDialects, FogInFrag) {
    const auto constants = [](Dialect d, bool io_buffers, const char* stage) {
        const std::string text =
            fmt::format("{}\nDCL IN[0], FOG{}\nDCL OUT[0], {}\nMOV OUT[0], IN[0]\nEND\n", stage,
                        stage[0] == 'F' ? ", PERSPECTIVE" : "", stage[0] == 'F' ? "COLOR" : "GENERIC[0]");
        const Lowered lowered = lower_text(text, {.dialect = d, .io_buffers = io_buffers});
        EXPECT_TRUE(lowered.ok) << lowered.error;
        for (const ir::Constant& c : lowered.module.constants)
            if (c.words[0] == f(1)) return true;
        return false;
    };
    for (const bool io_buffers : {false, true}) {
        EXPECT_TRUE(constants(Dialect::Oldest, io_buffers, "FRAG"));
        EXPECT_TRUE(constants(Dialect::Middle, io_buffers, "FRAG"));
        EXPECT_FALSE(constants(Dialect::Newest, io_buffers, "FRAG"));
        EXPECT_FALSE(constants(Dialect::Auto, io_buffers, "FRAG"));
        EXPECT_FALSE(constants(Dialect::Oldest, true, "VERT"));
    }
}

/// The newest edition as printed has old ≤ src ? …; `auto` wraps where old is 0 or above src, like every API.
TEST(LowerDialects, DecrementsThatWrap) {
    const std::string text =
        R"(FRAG
DCL BUFFER[0]
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
ATOMDEC_WRAP TEMP[0].x, BUFFER[0], IN[0], IN[0]
MOV OUT[0], TEMP[0]
END
)";
    const auto made = [&](Dialect d) { return operations(lower_text(text, {.dialect = d}).module); };
    EXPECT_NE(made(Dialect::Newest), made(Dialect::Auto));
    EXPECT_EQ(made(Dialect::Oldest), made(Dialect::Auto));
    EXPECT_EQ(made(Dialect::Middle), made(Dialect::Auto));
}

}  // namespace
}  // namespace tgsi2spv::test

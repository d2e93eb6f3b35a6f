// 32-bit integers: the edge cases of division, shifts and bit fields, none of which may reach SPIR-V's undefined
// behaviour.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::Options;

uint32_t run2(std::string_view op, uint32_t a, uint32_t b) {
    return run(std::string(op) + " OUT[0], IN[0], IN[1]", {all(a), all(b)})[0];
}
constexpr uint32_t n(int32_t x) {
    return static_cast<uint32_t>(x);
}

TEST(LowerInteger, UnsignedDivision) {
    EXPECT_EQ(run("UDIV OUT[0], IN[0], IN[1]", {{7, kAllOnes, 5, 0}, {2, 3, 0, 0}}),
              (Words{3, 0x5555'5555, kAllOnes, kAllOnes}));
    EXPECT_EQ(run("UMOD OUT[0], IN[0], IN[1]", {{7, kAllOnes, 5, 0}, {2, 16, 0, 0}}),
              (Words{1, 15, kAllOnes, kAllOnes}));
}

TEST(LowerInteger, SignedDivision) {
    EXPECT_EQ(run2("IDIV", n(-7), 2), n(-3));
    EXPECT_EQ(run2("IDIV", 7, n(-2)), n(-3));
    EXPECT_EQ(run2("IDIV", 7, 0), 0u);
    EXPECT_EQ(run2("IDIV", kIntMin, n(-1)), kIntMin);
    EXPECT_EQ(run2("MOD", n(-7), 3), n(-1));
    EXPECT_EQ(run2("MOD", 7, n(-3)), 1u);
    EXPECT_EQ(run2("MOD", n(-7), n(-3)), n(-1));
    EXPECT_EQ(run2("MOD", 7, 0), kAllOnes);
    EXPECT_EQ(run2("MOD", kIntMin, n(-1)), 0u);
    EXPECT_EQ(run2("MOD", kIntMin, kIntMin), 0u);
}

TEST(LowerInteger, DivisionByAConstantNeedsNoGuard) {
    const auto text = [](const char* op, const char* divisor) {
        return "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nIMM[0] INT32 {" + std::string(divisor) + "}\n" + op +
               " OUT[0], IN[0], IMM[0]\nEND\n";
    };
    EXPECT_EQ(operations(lower_text(text("UDIV", "1, 2, 3, 4")).module), "UDiv");
    EXPECT_EQ(operations(lower_text(text("IDIV", "1, 2, 3, 4")).module), "SDiv");
    EXPECT_EQ(operations(lower_text(text("MOD", "1, 2, 3, 4")).module), "SDiv IMul ISub");
    EXPECT_EQ(operations(lower_text(text("IDIV", "4, 2, 8, 1073741824")).module), "AShr LShr IAdd AShr");
    EXPECT_EQ(operations(lower_text(text("MOD", "4, 2, 8, 4")).module), "AShr LShr IAdd AShr Shl ISub");
    EXPECT_EQ(operations(lower_text(text("IDIV", "4, 2, 8, -2147483648")).module), "SDiv");
    EXPECT_EQ(operations(lower_text(text("UDIV", "1, 2, 0, 4")).module), "UMax UDiv IEq Select");
    EXPECT_NE(operations(lower_text(text("IDIV", "1, 2, -1, 4")).module), "SDiv");
}

/// The quotient is rounded to zero and the remainder has the dividend's sign, by shifts as by OpSDiv.
TEST(LowerInteger, DivisionByAPowerOfTwoShifts) {
    const std::string head = "IMM[0] INT32 {2, 8, 1073741824, 4}\n";
    for (const uint32_t a : {0u, 1u, 7u, 8u, n(-1), n(-7), n(-8), n(-9), kIntMin, kIntMin + 1, 0x7fff'ffffu}) {
        const auto x = static_cast<int32_t>(a);
        EXPECT_EQ(run("IDIV OUT[0], IN[0], IMM[0]", {all(a)}, {}, head),
                  (Words{n(x / 2), n(x / 8), n(x / 1073741824), n(x / 4)}));
        EXPECT_EQ(run("MOD OUT[0], IN[0], IMM[0]", {all(a)}, {}, head),
                  (Words{n(x % 2), n(x % 8), n(x % 1073741824), n(x % 4)}));
    }
}

/// (c ? ~0 : 0) & (d ? ~0 : 0) is c && d ? ~0 : 0, and so for the others, component by component.
TEST(LowerInteger, MasksAreCombinedAsConditions) {
    const auto made = [](std::string_view combine) {
        return operations(
            lower_simplified("FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0..2]\n"
                             "IMM[0] FLT32 {1, 2, 3, 4}\nFSLT TEMP[0], IN[0], IMM[0]\n"
                             "USEQ TEMP[1].x, IN[0], IMM[0]\n" +
                             std::string(combine) + "\nUCMP OUT[0].x, TEMP[2].xxxx, IN[0], IMM[0]\nEND\n")
                .module);
    };
    EXPECT_THAT(made("AND TEMP[2].x, TEMP[0].yyyy, TEMP[1].xxxx"), testing::EndsWith("LAnd Select Select"));
    EXPECT_THAT(made("XOR TEMP[2].x, TEMP[0].yyyy, TEMP[0].xxxx"), testing::EndsWith("LNe Select Select"));
    EXPECT_THAT(made("OR TEMP[2].xy, TEMP[0].yxxx, TEMP[0].zwww\nOR TEMP[2].x, TEMP[2].xxxx, TEMP[2].yyyy"),
                testing::EndsWith("LOr Select LOr Select Select"));
    EXPECT_THAT(made("AND TEMP[2].x, TEMP[0].yyyy, IN[0].xxxx"), testing::HasSubstr(" And"));
    const std::string head = "DCL TEMP[0..1]\nFSLT TEMP[0], IN[0], IN[1]\nFSGE TEMP[1], IN[1], IN[0]\n";
    const std::vector<Words> edges = {{kNan, kMinusZero, kInf, 1}, {f(1), 0, kInf, 0x8000'0001}};
    const auto run_on = [&](std::string_view op) {
        return run(std::string(op) + " OUT[0], TEMP[0].xyzw, TEMP[1].xyzw", edges, {}, head);
    };
    EXPECT_EQ(run_on("AND"), (Words{0, 0, 0, 0}));
    EXPECT_EQ(run_on("OR"), (Words{0, kAllOnes, kAllOnes, 0}));
    EXPECT_EQ(run_on("XOR"), (Words{0, kAllOnes, kAllOnes, 0}));
}

TEST(LowerInteger, ProductsAndSums) {
    EXPECT_EQ(run2("UADD", kAllOnes, 2), 1u);
    EXPECT_EQ(run2("UMUL", 0x1'0001, 0x1'0001), 0x2'0001u);
    EXPECT_EQ(run2("UMUL_HI", kAllOnes, kAllOnes), 0xffff'fffeu);
    EXPECT_EQ(run2("IMUL_HI", kAllOnes, kAllOnes), 0u);
    EXPECT_EQ(run2("IMUL_HI", kIntMin, 2), kAllOnes);
    EXPECT_EQ(run("UMAD OUT[0], IN[0], IN[1], IN[2]", {all(3), all(5), all(7)}), all(22));
}

TEST(LowerInteger, SignsAndExtremes) {
    EXPECT_EQ(run("IABS OUT[0], IN[0]", {{5, n(-5), kIntMin, 0}}), (Words{5, 5, kIntMin, 0}));
    EXPECT_EQ(run("INEG OUT[0], IN[0]", {{5, n(-5), kIntMin, 0}}), (Words{n(-5), 5, kIntMin, 0}));
    EXPECT_EQ(run("ISSG OUT[0], IN[0]", {{5, n(-5), kIntMin, 0}}), (Words{1, kAllOnes, kAllOnes, 0}));
    EXPECT_EQ(run2("IMAX", n(-1), 1), 1u);
    EXPECT_EQ(run2("IMIN", n(-1), 1), n(-1));
    EXPECT_EQ(run2("UMAX", n(-1), 1), n(-1));
    EXPECT_EQ(run2("UMIN", n(-1), 1), 1u);
}

TEST(LowerInteger, BitwiseOperations) {
    EXPECT_EQ(run2("AND", 0xff00'ff00, 0x0ff0'0ff0), 0x0f00'0f00u);
    EXPECT_EQ(run2("OR", 0xff00'ff00, 0x0ff0'0ff0), 0xfff0'fff0u);
    EXPECT_EQ(run2("XOR", 0xff00'ff00, 0x0ff0'0ff0), 0xf0f0'f0f0u);
    EXPECT_EQ(run("NOT OUT[0], IN[0]", {all(0xff00'ff00)}), all(0x00ff'00ff));
    EXPECT_EQ(run("BREV OUT[0], IN[0]", {{1, 2, kIntMin, 0}}), (Words{kIntMin, 0x4000'0000, 1, 0}));
    EXPECT_EQ(run("POPC OUT[0], IN[0]", {{0, kAllOnes, 0x1010'1010, 1}}), (Words{0, 32, 4, 1}));
    EXPECT_EQ(run("LSB OUT[0], IN[0]", {{0, kAllOnes, 0x1010'1010, kIntMin}}), (Words{kAllOnes, 0, 4, 31}));
    EXPECT_EQ(run("UMSB OUT[0], IN[0]", {{0, kAllOnes, 0x1010'1010, 1}}), (Words{kAllOnes, 31, 28, 0}));
    EXPECT_EQ(run("IMSB OUT[0], IN[0]", {{0, kAllOnes, 0x1010'1010, n(-2)}}), (Words{kAllOnes, kAllOnes, 28, 0}));
    EXPECT_EQ(run("UARL OUT[0], IN[0]", {{7, 8, 9, kNan}}), (Words{7, 8, 9, kNan}));
}

TEST(LowerInteger, ShiftCountsAreMasked) {
    const std::vector<Words> values = {all(0x8000'0001), {0, 1, 32, kAllOnes}};
    EXPECT_EQ(run("SHL OUT[0], IN[0], IN[1]", values), (Words{0x8000'0001, 2, 0x8000'0001, kIntMin}));
    EXPECT_EQ(run("USHR OUT[0], IN[0], IN[1]", values), (Words{0x8000'0001, 0x4000'0000, 0x8000'0001, 1}));
    EXPECT_EQ(run("ISHR OUT[0], IN[0], IN[1]", values), (Words{0x8000'0001, 0xc000'0000, 0x8000'0001, kAllOnes}));
}

TEST(LowerInteger, EarlierEditionsShiftEveryComponentByX) {
    const std::vector<Words> values = {all(0x8000'0010), {4, 1, 2, 3}};
    const Options middle{.dialect = tgsi::Dialect::Middle};
    EXPECT_EQ(run("SHL OUT[0], IN[0], IN[1]", values, middle), all(0x100));
    EXPECT_EQ(run("SHR OUT[0], IN[0], IN[1]", values, middle), all(0xf800'0001));
    EXPECT_EQ(run("SHR OUT[0], IN[0], IN[1]", values)[1], 0xc000'0008u);
    EXPECT_EQ(run("USHR OUT[0], IN[0], IN[1]", values, middle)[1], 0x4000'0008u);
}

/// The document's pseudocode, for the operands for which it is defined.
uint32_t ubfe(uint32_t value, uint32_t offset, uint32_t bits) {
    return bits == 0 ? 0 : (value << (32 - offset - bits)) >> (32 - bits);
}
uint32_t ibfe(uint32_t value, uint32_t offset, uint32_t bits) {
    return bits == 0 ? 0 : n(static_cast<int32_t>(value << (32 - offset - bits)) >> (32 - bits));
}
uint32_t bfi(uint32_t base, uint32_t insert, uint32_t offset, uint32_t bits) {
    const uint32_t mask = bits == 32 ? kAllOnes : ((1u << bits) - 1) << (offset & 31);
    return ((insert << (offset & 31)) & mask) | (base & ~mask);
}

TEST(LowerInteger, BitFieldsAsTheDocumentComputesThem) {
    const uint32_t value = 0x89ab'cdef, insert = 0x7654'3210;
    for (const auto& [offset, bits] :
         {std::pair(0u, 32u), {0u, 0u}, {32u, 0u}, {31u, 1u}, {31u, 0u}, {4u, 8u}, {0u, 1u}, {1u, 31u}, {16u, 16u}}) {
        const Words offsets = all(offset), counts = all(bits);
        EXPECT_EQ(run("UBFE OUT[0], IN[0], IN[1], IN[2]", {all(value), offsets, counts}),
                  all(ubfe(value, offset, bits)));
        EXPECT_EQ(run("IBFE OUT[0], IN[0], IN[1], IN[2]", {all(value), offsets, counts}),
                  all(ibfe(value, offset, bits)));
        EXPECT_EQ(run("BFI OUT[0], IN[0], IN[1], IN[2], IN[3]", {all(value), all(insert), offsets, counts}),
                  all(bfi(value, insert, offset, bits)))
            << offset << " " << bits;
    }
}

TEST(LowerInteger, BitFieldsThatDoNotFitAreSafe) {
    for (const uint32_t offset : {0u, 1u, 31u, 32u, 33u, kAllOnes, kIntMin}) {
        for (const uint32_t bits : {1u, 31u, 32u, 33u, kAllOnes}) {
            run("UBFE OUT[0], IN[0], IN[1].xxxx, IN[2].xxxx", {all(1), all(offset), all(bits)});
            run("BFI OUT[0], IN[0], IN[1], IN[2], IN[3]", {all(1), all(2), all(offset), all(bits)});
        }
    }
}

TEST(LowerInteger, BitFieldsOfOneShapeAreOneInstruction) {
    const auto text = [](const char* fields) {
        return R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], GENERIC[0]
IMM[0] UINT32 {4, 8, 32, 40}
UBFE OUT[0], IN[0], )" +
               std::string(fields) + "\nEND\n";
    };
    EXPECT_EQ(operations(lower_text(text("IMM[0].xxxx, IMM[0].yyyy")).module), "UBitExtract");
    EXPECT_EQ(operations(lower_text(text("IN[1].xxxx, IN[1].yyyy")).module), "And ISub UMin UBitExtract");
    EXPECT_EQ(run("UBFE OUT[0], IN[0], IN[1], IN[2]", {all(0xabcd), {0, 4, 8, 12}, {4, 4, 8, 0}}),
              (Words{0xd, 0xc, 0xab, 0}));
    EXPECT_EQ(run("UBFE OUT[0].zw, IN[0], IN[1], IN[2]", {all(0xabcd), {0, 4, 8, 12}, {4, 4, 8, 4}})[3], 0xau);
}

}  // namespace
}  // namespace tgsi2spv::test

// What the analysis proves of mutants that compute with floats.
#include "difftest/mutate/pairs.h"

namespace tgsi2spv::difftest {
namespace {

/// Ranges of floats: NaN is in no range, and a zero has two signs.
TEST(MutateEqual, KnowsRangesOfFloats) {
    const std::string number = "%45 = OpConvertUToF %5 %40\n%46 = OpExtInst %5 %99 FAbs %42\n";
    const auto chosen = [&](const std::string& condition) {
        return same(number + condition + "%50 = OpSelect %4 %48 %41 @\n" + kStore, "%20", "%21");
    };
    EXPECT_TRUE(chosen("%48 = OpFOrdGreaterThanEqual %14 %45 %26\n"));
    EXPECT_FALSE(chosen("%48 = OpFOrdGreaterThan %14 %45 %26\n"));
    EXPECT_FALSE(chosen("%48 = OpFOrdGreaterThanEqual %14 %46 %26\n")) << "|NaN|";
    EXPECT_FALSE(chosen("%48 = OpFOrdEqual %14 %42 %42\n")) << "NaN";
    // |x| + 1 is never 0, even if x is NaN.
    EXPECT_TRUE(same(number +
                         "%47 = OpFAdd %5 %46 %27\n%48 = OpFOrdEqual %14 %47 %26\n"
                         "%50 = OpSelect %4 %48 @ %41\n" +
                         kStore,
                     "%20", "%21"));
    EXPECT_FALSE(same("%45 = OpFAdd %5 %42 @\n%50 = OpBitcast %4 %45\n" + kStore, "%26", "%27"));
    // 0 · x is a zero or NaN: after a clamp and without its sign it is 0, before that it is not.
    const std::string product = "%45 = OpFMul %5 %42 %26\n%46 = OpExtInst %5 %99 NClamp %45 %26 %27\n";
    EXPECT_TRUE(same(product + "%47 = OpExtInst %5 %99 FAbs %46\n%50 = OpBitcast %4 @\n" + kStore, "%47", "%26"));
    EXPECT_FALSE(same(product + "%50 = OpBitcast %4 @\n" + kStore, "%46", "%26"));
    EXPECT_FALSE(same(product + "%50 = OpBitcast %4 @\n" + kStore, "%45", "%26"));
}

/// An operation on floats may treat x * 1 as x, but the product itself may be a different word.
TEST(MutateEqual, ProductsWithOne) {
    const std::string product = "%45 = OpFMul %5 %42 %27\n";
    EXPECT_TRUE(permitted(product + "%46 = OpFAdd %5 @ %27\n%50 = OpBitcast %4 %46\n" + kStore, "%42", "%45"));
    EXPECT_FALSE(same(product + "%50 = OpBitcast %4 @\n" + kStore, "%42", "%45"));
    // A number that no device flushes keeps its word.
    const std::string number = "%44 = OpConvertUToF %5 %41\n%45 = OpFMul %5 %44 %27\n";
    EXPECT_TRUE(same(number + "%46 = OpFAdd %5 @ %27\n%50 = OpBitcast %4 %46\n" + kStore, "%44", "%45"));
    EXPECT_FALSE(
        same("%45 = OpFMul %5 %42 %26\n%46 = OpFAdd %5 @ %27\n%50 = OpBitcast %4 %46\n" + kStore, "%42", "%45"));
}

/// Adding a zero changes no number except -0 and numbers that may be flushed.
TEST(MutateEqual, SumsWithZero) {
    const std::string zero = "%44 = OpConvertUToF %5 %41\n%45 = OpFMul %5 %44 %26\n";
    EXPECT_TRUE(same(zero + "%46 = @ %5 %44 %45\n%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
    EXPECT_FALSE(same(zero + "%46 = @ %5 %42 %45\n%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
    EXPECT_FALSE(same(zero + "%46 = @ %5 %45 %44\n%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
}

/// A number plus a zero or NaN is the number or NaN, and so is their difference.
TEST(MutateEqual, DifferencesWithNothing) {
    const std::string nothing = "%45 = OpFSub %5 %42 %42\n%46 = @ %5 %27 %45\n";
    EXPECT_TRUE(same(nothing + "%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
    EXPECT_FALSE(same("%46 = @ %5 %27 %42\n%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
}

/// 0 times a number that is at least 0 is +0, unless the number may be NaN or an infinity.
TEST(MutateEqual, ProductsOfNothing) {
    const std::string numbers = "%44 = OpConvertUToF %5 %41\n%45 = OpConvertSToF %5 %41\n%46 = OpFMul %5 %26 ";
    const std::string end = "\n%50 = OpBitcast %4 @\n" + kStore;
    EXPECT_TRUE(same(numbers + "%44" + end, "%46", "%26"));
    EXPECT_FALSE(same(numbers + "%45" + end, "%46", "%26")) << "-0";
    EXPECT_FALSE(same(numbers + "%42" + end, "%46", "%26"));
}

/// x is never above x + 16, so the upper limit of a clamp may equally be one that x never reaches.
TEST(MutateEqual, LimitsThatGrowWithTheNumber) {
    const auto text = [](const char* added) {
        return std::string("%44 = OpConvertUToF %5 %40\n%29 = OpConvertUToF %5 %23\n%45 = OpFAdd %5 %44 ") + added +
               "\n%46 = OpExtInst %5 %99 NClamp %44 %26 @\n%50 = OpBitcast %4 %46\n" + kStore;
    };
    EXPECT_TRUE(same(text("%27"), "%45", "%29"));
    EXPECT_FALSE(same(text("%27"), "%45", "%27"));
    EXPECT_FALSE(
        same("%45 = OpFAdd %5 %42 %27\n%29 = OpConvertUToF %5 %23\n%46 = OpExtInst %5 %99 NClamp %42 %26 @\n"
             "%50 = OpBitcast %4 %46\n" +
                 kStore,
             "%45", "%29"))
        << "NaN";
}

/// Truncation leaves 0, and an inverse square root of a number is never 0.
TEST(MutateEqual, NumbersThatAreCutOff) {
    // The lane's number times an eighth, or times a half.
    const auto text = [](const char* exponent) {
        return std::string("%51 = OpIAdd %4 %24 %23\n%52 = OpShiftLeftLogical %4 ") + exponent +
               " %51\n%53 = OpBitcast %4 %27\n%54 = OpISub %4 %53 %52\n%29 = OpBitcast %5 %54\n" +
               "%44 = OpConvertUToF %5 %40\n%45 = OpFMul %5 %44 %29\n%46 = OpConvertFToU %4 %45\n" +
               "%50 = OpIAdd %4 @ %40\n" + kStore;
    };
    EXPECT_TRUE(same(text("%90"), "%46", "%20"));
    EXPECT_FALSE(same(text("%21"), "%46", "%20")) << "7 / 2";
    const std::string root =
        "%44 = OpConvertUToF %5 %41\n%45 = OpFAdd %5 %44 %27\n"
        "%46 = OpExtInst %5 %99 InverseSqrt %45\n%48 = OpFOrdEqual %14 %46 %26\n"
        "%50 = OpSelect %4 %48 @ %41\n";
    EXPECT_TRUE(same(root + kStore, "%20", "%21"));
    EXPECT_FALSE(
        same("%46 = OpExtInst %5 %99 InverseSqrt %42\n%48 = OpFOrdEqual %14 %46 %26\n"
             "%50 = OpSelect %4 %48 @ %41\n" +
                 kStore,
             "%20", "%21"))
        << "infinity";
}

/// An angle below half a turn loses no whole turns, however the count of turns is rounded.
TEST(MutateEqual, KnowsThatNoTurnsAreTakenOff) {
    const auto text = [](const char* most) {
        return std::string("%29 = OpFNegate %5 %27\n%45 = OpExtInst %5 %99 NMax %42 %29\n") +
               "%46 = OpExtInst %5 %99 NMin %45 " + most + "\n%47 = OpFMul %5 @ %49\n" +
               "%48 = OpExtInst %5 %99 RoundEven %47\n%51 = OpFMul %5 %48 %27\n%52 = OpFSub %5 %46 %51\n" +
               "%53 = OpExtInst %5 %99 Sin %52\n%50 = OpBitcast %4 %53\n" + kStore;
    };
    // Zero times the angle rounds to 0; fifteen times the angle contains turns.
    const std::string make = "%49 = OpConvertUToF %5 %20\n";
    EXPECT_TRUE(permitted(make + text("%27"), "%46", "%49"));
    const std::string large = "%49 = OpConvertUToF %5 %24\n";
    EXPECT_FALSE(same(large + text("%27"), "%46", "%49"));
}

/// The sine of an angle of many turns is not specified: there it may be that of any angle. Below that it is specified.
TEST(MutateEqual, KnowsAnglesWhoseSineIsOpen) {
    const auto text = [](const char* most, const char* function) {
        return std::string("%29 = OpConvertUToF %5 ") + most +
               "\n%45 = OpExtInst %5 %99 FAbs %42\n%44 = OpFOrdLessThanEqual %14 @ %29\n" +
               "%46 = OpExtInst %5 %99 Fract %42\n%47 = OpSelect %5 %44 %46 %42\n%48 = OpExtInst %5 %99 " + function +
               " %47\n%50 = OpBitcast %4 %48\n" + kStore;
    };
    const std::string large = "%60 = OpIMul %4 %25 %25\n%61 = OpIMul %4 %60 %25\n%62 = OpIMul %4 %61 %25\n";
    EXPECT_TRUE(permitted(large + text("%62", "Sin"), "%45", "%29"));
    EXPECT_EQ(sameness_of(large + text("%25", "Sin"), "%45", "%29"), Sameness::Unproven);
    EXPECT_EQ(sameness_of(large + text("%62", "Floor"), "%45", "%29"), Sameness::Unproven);
}

/// After rounding and a clamp to [0, 1], sign and absolute value are equal; not for -1 or for a half.
TEST(MutateEqual, KnowsWholeNumbers) {
    const auto of = [](const char* round, const char* least) {
        return std::string("%45 = OpExtInst %5 %99 ") + round + " %42\n%46 = OpExtInst %5 %99 NClamp %45 " + least +
               " %27\n%48 = OpExtInst %5 %99 @ %46\n%50 = OpBitcast %4 %48\n" + kStore;
    };
    EXPECT_TRUE(same(of("Floor", "%26"), "FAbs", "FSign"));
    EXPECT_FALSE(same(of("Fract", "%26"), "FAbs", "FSign"));
    const auto wide = [](const char* round) {
        return std::string("%44 = OpFConvert %15 %42\n%45 = OpExtInst %15 %99 ") + round +
               " %44\n%46 = OpExtInst %15 %99 NClamp %45 %16 %17\n%48 = OpExtInst %15 %99 @ %46\n" +
               "%49 = OpFConvert %5 %48\n%50 = OpBitcast %4 %49\n" + kStore;
    };
    EXPECT_TRUE(same(wide("Floor"), "FAbs", "FSign"));
    EXPECT_FALSE(same(wide("Fract"), "FAbs", "FSign"));
    EXPECT_FALSE(same("%49 = OpFNegate %5 %27\n" + of("Floor", "%49"), "FAbs", "FSign"));
}

/// Where a number is known to be below 1, a clamp to 1 or more has no effect; a clamp to 0 has one.
TEST(MutateEqual, KnowsLimitsThatNothingReaches) {
    const auto text = [](const char* limit) {
        return std::string("%29 = OpConvertUToF %5 ") + limit +
               "\n%44 = OpFOrdGreaterThanEqual %14 %42 %27\n%46 = OpExtInst %5 %99 NClamp %42 %26 @\n" +
               "%47 = OpConvertFToU %4 %46\n%50 = OpSelect %4 %44 %20 %47\n" + kStore;
    };
    EXPECT_TRUE(same(text("%22"), "%27", "%29"));
    EXPECT_FALSE(same(text("%20"), "%27", "%29"));
}

/// `x = 0 ? 0 : x * 7` equals x * 7 where the sign of a zero is not visible, but not for a factor that may be an
/// infinity.
TEST(MutateEqual, ProductsThatAreZeroOfZero) {
    const auto text = [](const char* by, const char* behind) {
        return std::string("%29 = OpConvertUToF %5 %22\n%45 = OpFMul %5 %42 ") + by +
               "\n%44 = OpFOrdEqual %14 %42 %26\n%46 = OpSelect %5 %44 %26 %45\n%47 = " + behind +
               "\n%50 = OpBitcast %4 %47\n" + kStore;
    };
    EXPECT_TRUE(permitted(text("%29", "OpExtInst %5 %99 FAbs @"), "%45", "%46"));
    EXPECT_TRUE(permitted(text("%29", "OpFAdd %5 @ %27"), "%45", "%46"));
    EXPECT_FALSE(same(text("%29", "OpFNegate %5 @"), "%45", "%46"));
    // The condition is one of two in a disjunction.
    const std::string two =
        "%29 = OpConvertUToF %5 %22\n%43 = OpExtInst %5 %99 FAbs %42\n%45 = OpFMul %5 %43 %29\n"
        "%44 = OpULessThan %14 %41 %22\n%46 = OpFOrdEqual %14 %43 %26\n%47 = OpLogicalOr %14 %44 %46\n"
        "%48 = OpSelect %5 %44 %26 %45\n%49 = OpSelect %5 %47 %26 %48\n%50 = OpBitcast %4 @\n";
    EXPECT_TRUE(permitted(two + kStore, "%48", "%49"));
    EXPECT_FALSE(same(two + kStore, "%45", "%49"));
    EXPECT_FALSE(same("%49 = OpConvertUToF %5 %41\n" + text("%49", "OpExtInst %5 %99 FAbs @"), "%45", "%46"));
}

/// The inverse square root of a number of at least 1 is at most 1, and a quotient of 1 by it is at least 1.
TEST(MutateEqual, KnowsRangesOfRootsAndQuotients) {
    const auto text = [](const char* added) {
        return std::string("%45 = OpFMul %5 %42 %42\n%46 = OpFAdd %5 %45 ") + added +
               "\n%47 = OpExtInst %5 %99 InverseSqrt %46\n%48 = OpFDiv %5 %27 %47\n" +
               "%44 = OpFOrdEqual %14 %48 @\n%50 = OpSelect %4 %44 %20 %41\n" + kStore;
    };
    EXPECT_TRUE(same("%29 = OpFNegate %5 %27\n" + text("%27"), "%26", "%29"));
    EXPECT_FALSE(same("%29 = OpFNegate %5 %27\n" + text("%26"), "%26", "%29"));
}

/// A float counter: below its limit in the loop, it is at most the limit minus one, so an index from it needs no clamp.
TEST(MutateEqual, KnowsRangesOfFloatCounters) {
    const auto text = [](const char* step, const char* limit) {
        return std::string("%29 = OpConvertUToF %5 %23\n%59 = OpConvertUToF %5 %24\n") +
               "OpBranch %60\n%60 = OpLabel\n%45 = OpPhi %5 %26 %30 %46 %62\n" +
               "OpLoopMerge %63 %62 None\nOpBranch %61\n%61 = OpLabel\n" + "%47 = OpFOrdGreaterThanEqual %14 %45 " +
               limit + "\nOpBranchConditional %47 %63 %64\n%64 = OpLabel\n" +
               "%48 = OpExtInst %5 %99 Floor %45\n%49 = OpExtInst %5 %99 NClamp %48 %26 %59\n" +
               "%51 = OpConvertFToS %4 %49\n%56 = OpExtInst %4 %99 UMin %51 @\n%57 = OpIAdd %4 %56 %41\n" +
               "OpStore %38 %57\nOpBranch %62\n%62 = OpLabel\n%46 = OpFAdd %5 %45 " + step +
               "\nOpBranch %60\n%63 = OpLabel\n";
    };
    EXPECT_TRUE(same(text("%27", "%29"), "%22", "%24"));
    EXPECT_FALSE(same(text("%27", "%29"), "%21", "%24")) << "it is more than that in the last turn";
    EXPECT_FALSE(same(text("%27", "%59"), "%22", "%24")) << "and here too";
    EXPECT_FALSE(same(text("%42", "%29"), "%22", "%24")) << "whatever is added";
    EXPECT_FALSE(same(text("%27", "%42"), "%22", "%24")) << "however long";
}

/// A branch on a float bounds what is computed from it there.
TEST(MutateEqual, KnowsRangesOfFloatsFromConditions) {
    const auto text = [](const char* asked) {
        return std::string("%29 = OpFNegate %5 %27\n%45 = OpExtInst %5 %99 FAbs %42\n%44 = ") + asked +
               "\n%46 = OpFMul %5 %45 %29\n%47 = OpFAdd %5 %27 %46\n%48 = OpExtInst %5 %99 NClamp %47 %26 %27\n" +
               "%49 = OpSelect %5 %44 @ %26\n%50 = OpBitcast %4 %49\n" + kStore;
    };
    EXPECT_TRUE(permitted(text("OpFOrdLessThan %14 %45 %27"), "%47", "%48"));
    EXPECT_TRUE(permitted(text("OpFOrdGreaterThanEqual %14 %27 %45"), "%47", "%48"));
    EXPECT_FALSE(same(text("OpFUnordLessThan %14 %45 %27"), "%47", "%48")) << "NaN is among them";
    EXPECT_FALSE(same(text("OpFOrdGreaterThan %14 %45 %27"), "%47", "%48"));
    EXPECT_FALSE(same(text("OpFOrdLessThan %14 %42 %27"), "%47", "%48")) << "of the other sign";
}

}  // namespace
}  // namespace tgsi2spv::difftest

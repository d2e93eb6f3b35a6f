// What is proven of mutants that compute with floats.
#include "difftest/mutate/pairs.h"

namespace tgsi2spv::difftest {
namespace {

/// As floats, too; but NaN is in no range, and a zero has two signs.
TEST(MutateEqual, KnowsRangesOfFloats) {
    const std::string number = "%45 = OpConvertUToF %5 %40\n%46 = OpExtInst %5 %99 FAbs %42\n";
    const auto chosen = [&](const std::string& condition) {
        return same(number + condition + "%50 = OpSelect %4 %48 %41 @\n" + kStore, "%20", "%21");
    };
    EXPECT_TRUE(chosen("%48 = OpFOrdGreaterThanEqual %14 %45 %26\n"));
    EXPECT_FALSE(chosen("%48 = OpFOrdGreaterThan %14 %45 %26\n"));
    EXPECT_FALSE(chosen("%48 = OpFOrdGreaterThanEqual %14 %46 %26\n")) << "|NaN|";
    EXPECT_FALSE(chosen("%48 = OpFOrdEqual %14 %42 %42\n")) << "NaN";
    // |x| + 1 is never 0, be it NaN.
    EXPECT_TRUE(same(number +
                         "%47 = OpFAdd %5 %46 %27\n%48 = OpFOrdEqual %14 %47 %26\n"
                         "%50 = OpSelect %4 %48 @ %41\n" +
                         kStore,
                     "%20", "%21"));
    EXPECT_FALSE(same("%45 = OpFAdd %5 %42 @\n%50 = OpBitcast %4 %45\n" + kStore, "%26", "%27"));
    // 0 · x is a zero or NaN: clamped and without its sign it is 0; before that it is not.
    const std::string product = "%45 = OpFMul %5 %42 %26\n%46 = OpExtInst %5 %99 NClamp %45 %26 %27\n";
    EXPECT_TRUE(same(product + "%47 = OpExtInst %5 %99 FAbs %46\n%50 = OpBitcast %4 @\n" + kStore, "%47", "%26"));
    EXPECT_FALSE(same(product + "%50 = OpBitcast %4 @\n" + kStore, "%46", "%26"));
    EXPECT_FALSE(same(product + "%50 = OpBitcast %4 @\n" + kStore, "%45", "%26"));
}

/// What an operation on floats makes of x * 1 it may make of x: but the product itself may be another word.
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

/// A zero that is added changes no number but -0 and what may be flushed.
TEST(MutateEqual, SumsWithZero) {
    const std::string zero = "%44 = OpConvertUToF %5 %41\n%45 = OpFMul %5 %44 %26\n";
    EXPECT_TRUE(same(zero + "%46 = @ %5 %44 %45\n%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
    EXPECT_FALSE(same(zero + "%46 = @ %5 %42 %45\n%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
    EXPECT_FALSE(same(zero + "%46 = @ %5 %45 %44\n%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
}

/// A number to which a zero or NaN is added is itself or NaN, and so is what is left of it.
TEST(MutateEqual, DifferencesWithNothing) {
    const std::string nothing = "%45 = OpFSub %5 %42 %42\n%46 = @ %5 %27 %45\n";
    EXPECT_TRUE(same(nothing + "%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
    EXPECT_FALSE(same("%46 = @ %5 %27 %42\n%50 = OpBitcast %4 %46\n" + kStore, "OpFAdd", "OpFSub"));
}

/// 0 times a number that is not below 0 is +0, and not where that may be NaN or an infinity.
TEST(MutateEqual, ProductsOfNothing) {
    const std::string numbers = "%44 = OpConvertUToF %5 %41\n%45 = OpConvertSToF %5 %41\n%46 = OpFMul %5 %26 ";
    const std::string end = "\n%50 = OpBitcast %4 @\n" + kStore;
    EXPECT_TRUE(same(numbers + "%44" + end, "%46", "%26"));
    EXPECT_FALSE(same(numbers + "%45" + end, "%46", "%26")) << "-0";
    EXPECT_FALSE(same(numbers + "%42" + end, "%46", "%26"));
}

/// x is never above x + 16: the upper limit may as well be one that nothing reaches.
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

/// What is cut off leaves 0, and no root of a number is 0.
TEST(MutateEqual, NumbersThatAreCutOff) {
    // A lane's number times an eighth, or a half.
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

/// Of an angle below half a turn no turns are taken off, whatever is rounded to find that out.
TEST(MutateEqual, KnowsThatNoTurnsAreTakenOff) {
    const auto text = [](const char* most) {
        return std::string("%29 = OpFNegate %5 %27\n%45 = OpExtInst %5 %99 NMax %42 %29\n") +
               "%46 = OpExtInst %5 %99 NMin %45 " + most + "\n%47 = OpFMul %5 @ %49\n" +
               "%48 = OpExtInst %5 %99 RoundEven %47\n%51 = OpFMul %5 %48 %27\n%52 = OpFSub %5 %46 %51\n" +
               "%53 = OpExtInst %5 %99 Sin %52\n%50 = OpBitcast %4 %53\n" + kStore;
    };
    // Of nothing nothing is rounded; of fifteen times the angle there are turns.
    const std::string make = "%49 = OpConvertUToF %5 %20\n";
    EXPECT_TRUE(permitted(make + text("%27"), "%46", "%49"));
    const std::string large = "%49 = OpConvertUToF %5 %24\n";
    EXPECT_FALSE(same(large + text("%27"), "%46", "%49"));
}

/// Of an angle of many turns the sine is open: there it may be any angle's. Below it is not.
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

/// Of what is rounded and cut to 0 and 1 sign and size are the same; not of -1, nor of a half.
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

/// Of what is below a number a clamp to the number before it leaves what is there; a clamp to less does not.
TEST(MutateEqual, KnowsLimitsThatNothingReaches) {
    const auto text = [](const char* limit) {
        return std::string("%29 = OpConvertUToF %5 ") + limit +
               "\n%44 = OpFOrdGreaterThanEqual %14 %42 %27\n%46 = OpExtInst %5 %99 NClamp %42 %26 @\n" +
               "%47 = OpConvertFToU %4 %46\n%50 = OpSelect %4 %44 %20 %47\n" + kStore;
    };
    EXPECT_TRUE(same(text("%22"), "%27", "%29"));
    EXPECT_FALSE(same(text("%20"), "%27", "%29"));
}

/// `x = 0 ? 0 : x * 7` is x * 7 where the sign of a zero is not seen; what 0 is multiplied by may be an infinity,
/// though.
TEST(MutateEqual, ProductsThatAreZeroOfZero) {
    const auto text = [](const char* by, const char* behind) {
        return std::string("%29 = OpConvertUToF %5 %22\n%45 = OpFMul %5 %42 ") + by +
               "\n%44 = OpFOrdEqual %14 %42 %26\n%46 = OpSelect %5 %44 %26 %45\n%47 = " + behind +
               "\n%50 = OpBitcast %4 %47\n" + kStore;
    };
    EXPECT_TRUE(permitted(text("%29", "OpExtInst %5 %99 FAbs @"), "%45", "%46"));
    EXPECT_TRUE(permitted(text("%29", "OpFAdd %5 @ %27"), "%45", "%46"));
    EXPECT_FALSE(same(text("%29", "OpFNegate %5 @"), "%45", "%46"));
    // One of two reasons for it.
    const std::string two =
        "%29 = OpConvertUToF %5 %22\n%43 = OpExtInst %5 %99 FAbs %42\n%45 = OpFMul %5 %43 %29\n"
        "%44 = OpULessThan %14 %41 %22\n%46 = OpFOrdEqual %14 %43 %26\n%47 = OpLogicalOr %14 %44 %46\n"
        "%48 = OpSelect %5 %44 %26 %45\n%49 = OpSelect %5 %47 %26 %48\n%50 = OpBitcast %4 @\n";
    EXPECT_TRUE(permitted(two + kStore, "%48", "%49"));
    EXPECT_FALSE(same(two + kStore, "%45", "%49"));
    EXPECT_FALSE(same("%49 = OpConvertUToF %5 %41\n" + text("%49", "OpExtInst %5 %99 FAbs @"), "%45", "%46"));
}

/// A root of what is at least 1 is no more than 1, and what is divided by it no less.
TEST(MutateEqual, KnowsRangesOfRootsAndQuotients) {
    const auto text = [](const char* added) {
        return std::string("%45 = OpFMul %5 %42 %42\n%46 = OpFAdd %5 %45 ") + added +
               "\n%47 = OpExtInst %5 %99 InverseSqrt %46\n%48 = OpFDiv %5 %27 %47\n" +
               "%44 = OpFOrdEqual %14 %48 @\n%50 = OpSelect %4 %44 %20 %41\n" + kStore;
    };
    EXPECT_TRUE(same("%29 = OpFNegate %5 %27\n" + text("%27"), "%26", "%29"));
    EXPECT_FALSE(same("%29 = OpFNegate %5 %27\n" + text("%26"), "%26", "%29"));
}

/// A counter that is a float: below its limit in the loop it is at most one less, an index that needs no clamp.
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

/// What a branch asks of a float is known of what is computed of it there.
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

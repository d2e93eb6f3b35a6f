// What the analysis proves of mutants whose registers live in memory.
#include "difftest/mutate/pairs.h"

namespace tgsi2spv::difftest {
namespace {

/// A load returns what was stored, until something else may be stored there.
TEST(MutateEqual, FollowsRegistersInMemory) {
    const auto loaded = [](const std::string& between) {
        return kRegisters + "OpStore %77 %41\n" + between +
               "%45 = OpLoad %70 %80\n%46 = OpCompositeExtract %4 %45 0\n%50 = OpIAdd %4 @ %40\n" + kStore;
    };
    EXPECT_TRUE(same(loaded(""), "%46", "%41"));
    EXPECT_TRUE(same(loaded("OpStore %78 %20\n"), "%46", "%41"));
    EXPECT_FALSE(same(loaded("OpStore %77 %20\n"), "%46", "%41"));
    EXPECT_FALSE(same(loaded("OpStore %79 %20\n"), "%46", "%41"));
    // Registers start as zeros, and stay so where nothing else is stored.
    const std::string initial = kRegisters + "@\n%45 = OpLoad %4 %78\n%50 = OpIAdd %4 %45 %40\n" + kStore;
    EXPECT_TRUE(same(initial, "OpStore %78 %20", "OpStore %77 %20"));
    EXPECT_FALSE(same(initial, "OpStore %78 %21", "OpStore %77 %21"));
}

/// A store that no load sees makes no difference; a store that an indexed load may see does.
TEST(MutateEqual, StoresThatNobodySees) {
    const std::string store = kRegisters + "OpStore %77 @\n";
    EXPECT_TRUE(same(store + "%50 = OpLoad %4 %78\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(same(store + "%50 = OpLoad %4 %79\n" + kStore, "%20", "%21"));
}

/// Sixteen times a number plus one, clamped to at most seven, is odd.
TEST(MutateEqual, KnowsWhichElementsAnIndexMeets) {
    const auto text = [](const char* factor, const char* most, const char* element) {
        return std::string("%44 = OpIMul %4 %41 ") + factor +
               "\n%45 = OpIAdd %4 %44 %21\n%46 = OpExtInst %4 %99 UMin %45 " + most + "\n%77 = OpAccessChain %75 %74 " +
               element + " %20\n%78 = OpAccessChain %75 %74 %46 %20\n" + "OpStore %77 @\n%50 = OpLoad %4 %78\n" +
               kStore;
    };
    EXPECT_TRUE(same(text("%25", "%22", "%20"), "%20", "%21"));
    EXPECT_FALSE(same(text("%25", "%22", "%21"), "%20", "%21"));
    EXPECT_FALSE(same(text("%24", "%22", "%20"), "%20", "%21")) << "fifteen times";
    EXPECT_FALSE(same(text("%25", "%25", "%20"), "%20", "%21")) << "behind the array stands any element";
}

/// A store to one of two registers leaves the others unchanged, and a selection says which of the two holds the value.
TEST(MutateEqual, StoresToOneOfAFew) {
    const auto text = [](const char* loaded) {
        return kRegisters + "%44 = OpBitwiseAnd %4 %40 %21\n%81 = OpAccessChain %75 %74 %44 %20\n" +
               "%82 = OpAccessChain %75 %74 %90 %20\n%83 = OpAccessChain %75 %74 %20 %20\n" +
               "%84 = OpAccessChain %75 %74 %44 %21\nOpStore %81 %41\n%45 = OpLoad %4 " + loaded +
               "\n%46 = OpIEqual %14 %44 %20\n%47 = OpSelect %4 %46 %41 %20\n%50 = OpIAdd %4 @ %40\n" + kStore;
    };
    EXPECT_TRUE(same(text("%82"), "%45", "%20")) << "the fourth";
    EXPECT_FALSE(same(text("%77"), "%45", "%20"));
    EXPECT_TRUE(same(text("%83"), "%45", "%47")) << "the first";
    EXPECT_FALSE(same(text("%77"), "%45", "%47"));
    EXPECT_TRUE(same(text("%81"), "%45", "%41")) << "loaded from where it was stored";
    EXPECT_TRUE(same(text("%84"), "%45", "%20")) << "another component";
}

/// A store that no load sees may go to any of them.
TEST(MutateEqual, StoresToOneOfAFewThatNobodySees) {
    const std::string text =
        kRegisters + "%44 = OpBitwiseAnd %4 %40 %21\n%81 = OpAccessChain %75 %74 %44 %20\nOpStore %81 @\n";
    EXPECT_TRUE(same(text + "%50 = OpLoad %4 %78\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(same(text + "%50 = OpLoad %4 %77\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(same(text + "%50 = OpLoad %4 %79\n" + kStore, "%20", "%21"));
}

/// Two loads of an unknown value are equal as long as nothing is stored between them.
TEST(MutateEqual, LoadsTwice) {
    const auto text = [](const std::string& between) {
        return kRegisters + "%81 = OpAccessChain %75 %74 %41 %20\nOpStore %81 %40\n%45 = OpLoad %4 %77\n" + between +
               "%46 = OpLoad %4 %77\n%50 = OpIAdd %4 @ %40\n" + kStore;
    };
    EXPECT_TRUE(same(text(""), "%45", "%46"));
    EXPECT_TRUE(same(text("OpStore %78 %40\n"), "%45", "%46"));
    EXPECT_FALSE(same(text("OpStore %77 %40\n"), "%45", "%46"));
    EXPECT_FALSE(same(text("OpStore %81 %21\n"), "%45", "%46"));
}

/// After a selection, a register's value is selected by the condition, like a phi.
TEST(MutateEqual, StoresOnBothSides) {
    const auto text = [](const std::string& yes, const std::string& no) {
        return kRegisters + "%48 = OpULessThan %14 %41 %22\nOpSelectionMerge %62 None\n" +
               "OpBranchConditional %48 %60 %61\n%60 = OpLabel\n" + yes + "OpBranch %62\n%61 = OpLabel\n" + no +
               "OpBranch %62\n%62 = OpLabel\n%45 = OpLoad %4 %77\n%46 = OpSelect %4 %48 %40 %23\n" +
               "%47 = OpSelect %4 %48 %40 %20\n%50 = OpIAdd %4 @ %40\n" + kStore;
    };
    const std::string lane = "OpStore %77 %40\n", eight = "OpStore %77 %23\n";
    EXPECT_TRUE(same(text(lane, eight), "%45", "%46"));
    EXPECT_FALSE(same(text(eight, lane), "%45", "%46"));
    EXPECT_TRUE(same(text(lane, ""), "%45", "%47"));
    EXPECT_FALSE(same(text(lane, ""), "%45", "%46"));
}

}  // namespace
}  // namespace tgsi2spv::difftest

// Lines of the two pages, and the messages that they become.
#include "sampling/read_notation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tgsi2spv::sampling {
namespace {

using tgsi::Target;

std::string tld4(std::string_view line) {
    std::string reason;
    const auto call = parse_tld4(line, reason);
    return call ? print(call->message) : "refused: " + reason;
}

std::string sample(std::string_view line, Target target = Target::T2D) {
    std::string reason;
    const auto call = parse_sample_3d(line, target, reason);
    return call ? print(call->message) : "refused: " + reason;
}

TEST(Notation, LinesOfTheGatherPage) {
    EXPECT_EQ(tld4("TLD4.R R8,R0,5,2D,0xf;"), "TLD4.R 2D, s=src0.x, t=src0.y, 0xf");  // the page's own example
    EXPECT_EQ(tld4("TLD4.R R8, R0, 5, 2D {&req_6} {&rd1}"), "TLD4.R 2D, s=src0.x, t=src0.y, 0xf");
    EXPECT_EQ(tld4("@!P1 TLD4.B.B.AOFFI.DC.NDV.NODEP.T P0, R8, R0, R4, #5, ARRAY_2D, 0x6 &req_6 &rd1 &wr2 ?sched;"),
              "Ps, TLD4.B.B.AOFFI.DC ARRAY_2D, a=src0.x, s=src0.y, t=src0.z, handle=src1.x, toff1=src1.y, ref=src1.z, "
              "0x6");
    EXPECT_EQ(tld4("TLD4.A.PTP R8, R0, R4, 3, 2, 2D"),
              "TLD4.A.PTP 2D, s=src0.x, t=src0.y, toff1=src1.x, toff2=src1.y, 0xf");
    std::string reason;
    const auto separate = parse_tld4("TLD4.G R8, R0, 3, 2, CUBE;", reason);
    ASSERT_TRUE(separate);
    EXPECT_TRUE(separate->message.separate);
    EXPECT_EQ(separate->texture, 3);
    EXPECT_EQ(separate->sampler, 2);
    EXPECT_EQ(separate->target, Target::Cube);
}

TEST(Notation, ComparisonsHaveTheirOwnTargets) {
    constexpr std::string_view kLine = "sample_c.RGBA (16|M0) 0x0 S4 T4 V5 V6 V7 V8";
    std::string reason;
    const auto rect = parse_sample_3d(kLine, Target::Rect, reason);
    ASSERT_TRUE(rect) << reason;
    EXPECT_EQ(rect->target, Target::ShadowRect);
    for (const Target target : {Target::T3D, Target::None, Target::Unknown})
        EXPECT_FALSE(parse_sample_3d(kLine, target, reason)) << static_cast<int>(target);
    EXPECT_EQ(reason, "Vulkan has no comparison on UNKNOWN");
}

TEST(Notation, OpcodesWithoutAGatherPageFormAreRefused) {
    for (const auto& [line, why] : {std::pair("TLD4 R8, R0, 5, 2D", "expected the component"),
                                    {"TLD4.R.LZ R8, R0, 5, 2D", "has no '.lz'"},
                                    {"TLD4.R R8, R0, 5, 3D", "as #paramA"},
                                    {"TLD4.R R8, R0, 5, 1D", "as #paramA"},
                                    {"TLD4.R.DC R8, R0, 5, 2D", "expected Rb"},
                                    {"TLD4.R R8, R0, R4, 5, 2D", "unexpected Rb"},
                                    {"TLD4.R.AOFFI R8, R0, R4, 5, CUBE", "cubes take no offset"},
                                    {"TLD4.R R8, R0, 5, 2D, 0x1f", "four bits"},
                                    {"TLD4.R R8, R0, 5, 2D, 0x0", "at least one channel"},
                                    {"TLD4.R R8, R0, 5, 2D, 0xf more", "unexpected 'more'"},
                                    {"TLD4.R R8, R0, 300, 4, 2D", "#tid has eight bits"},
                                    {"TLD4.R R8, R0, 3, 40, 2D", "#smp five"},
                                    {"TLD4.R R8, R0, 9000, 2D", "13 bits"},
                                    {"TLD4.R.AOFFI.PTP R8, R0, R4, 5, 2D", "one .toff"},
                                    {"TLD4.R R8", "expected Ra"},
                                    {"", "expected TLD4"}})
        EXPECT_THAT(tld4(line), testing::HasSubstr(why)) << line;
}

TEST(Notation, LinesOfTheSamplePage) {
    EXPECT_EQ(sample("SAMPLE_3d.RGBA (16) 0x0 S1 T1 V10 V20 V21"), "sample.RGBA 2D, u=src0.x, v=src0.y");
    EXPECT_EQ(
        sample("(P1) SAMPLE_B_C.pixel_null_mask.cps.divS.RG (M1_NM, 16) 0x12f:uw S0 T3 V10:hf V40:hf V41:hf V42:hf "
               "V43:hf"),
        "sample_b_c.pixel_null_mask.cps.divS.RG 2D, ref=src0.x, bias=src0.y, u=src0.z, v=src0.w, "
        "aoffimmi=(1, 2), parameters=HF, dst=HF");
    EXPECT_EQ(sample("SAMPLE_D.R (8) 0 S0 T0 V1 V2 V3 V4 V5 V6 V7 V8 V9 V10", Target::T3D),
              "sample_d.R 3D, u=src0.x, dudx=src0.y, dudy=src0.z, v=src0.w, dvdx=src1.x, dvdy=src1.y, r=src1.z, "
              "drdx=src1.w, drdy=src2.x");
    EXPECT_EQ(sample("SAMPLE_3d.divS.divS.A (M5, 8) 0 S0 T0 V1 V2", Target::CubeArray),
              "sample.divS.divT.A CUBE_ARRAY, u=src0.x");
    EXPECT_EQ(sample("SAMPLE_LZ.GA (8) 0x8f1 S0 T0 V1:uw V2 V3 V4", Target::T3D),
              "sample_lz.GA 3D, u=src0.x, v=src0.y, r=src0.z, aoffimmi=(-8, -1, 1), dst=UW");
    EXPECT_EQ(sample("LOD.RG (8) 0 S0 T0 V1 V2 V3", Target::Cube), "LOD.RG CUBE, u=src0.x, v=src0.y");
}

TEST(Notation, OpcodesWithoutASamplePageFormAreRefused) {
    for (const auto& [line, why] :
         {std::pair("SAMPLE_X.R (8) 0 S0 T0 V1 V2", "has no operation 'sample_x'"),
          {"SAMPLE_L.cps.R (8) 0 S0 T0 V1 V2 V3", "CPS LOD compensation is allowed only for"},
          {"SAMPLE_3d (8) 0 S0 T0 V1 V2", "at least one channel"},
          {"SAMPLE_3d.GR (8) 0 S0 T0 V1 V2", "has no '.gr'"},
          {"SAMPLE_3d.R.cps (8) 0 S0 T0 V1 V2", "has no '.r'"},
          {"SAMPLE_3d.R 0 S0 T0 V1 V2", "execution size"},
          {"SAMPLE_3d.R (8 0 S0 T0 V1 V2", "expected ')' after"},
          {"SAMPLE_3d.R (8) 0x1000 S0 T0 V1 V2", "bits 15 to 12"},
          {"SAMPLE_3d.R (8) 0 T0 S0 V1 V2", "a sampler S and a surface T"},
          {"SAMPLE_3d.R (8) 0 S0 T0 V1:q V2", "a destination of"},
          {"SAMPLE_3d.R (8) 0 S0 T0 V1", "1 to 4 parameters"},
          {"SAMPLE_3d.R (8) 0 S0 T0 V1 V2 V3 V4 V5 V6", "1 to 4 parameters"},
          {"SAMPLE_B.R (8) 0 S0 T0 V1 V2 V3 V4 V5 V6 V7", "1 to 5 parameters"},
          {"SAMPLE_L_C.R (8) 0 S0 T0 V1 V2 V3 V4 V5 V6 V7 V8", "1 to 6 parameters"},
          {"SAMPLE_D.R (8) 0 S0 T0 V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12", "1 to 10 param"},
          {"SAMPLE_D_C.R (8) 0 S0 T0 V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13", "1 to 11 parameters"},
          {"SAMPLE_3d.R (8) 0 S0 T0 V1 V2:hf V3", "the same type"},
          {"SAMPLE_3d.R (8) 0 S0 T0 V1 V2:w V3:w", "of type HF or F, not w"},
          {"LOD.R (8) 0x100 S0 T0 V1 V2", "takes no offset"}})
        EXPECT_THAT(sample(line), testing::HasSubstr(why)) << line;
    EXPECT_THAT(sample("SAMPLE_C.R (8) 0 S0 T0 V1 V2 V3 V4 V5", Target::T3D),
                testing::HasSubstr("Vulkan has no comparison on 3D"));
}

}  // namespace
}  // namespace tgsi2spv::sampling

// Messages without an instruction: the positions of the parameters on each page, the pages' refusals, and the program
// that carries the messages.
#include "sampling/carrier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tgsi/tables/names.h"

namespace tgsi2spv::sampling {
namespace {

using tgsi::Target;

Message sample(SampleOp op, Target target) {
    Message m;
    m.sample = op;
    m.surface = surface(target);
    place_parameters(m);
    return m;
}

Message gather(Target target, Offsets offsets, bool packed = true) {
    Message m;
    m.cls = Class::Tld4;
    m.immediate_component = 1;
    m.surface = surface(target);
    m.offsets = offsets;
    place_parameters(m, packed);
    return m;
}

TEST(Carrier, ParametersStandInTheOrderOfTheSamplePage) {
    struct Row {
        SampleOp op;
        Target target;
        const char* text;
    };
    static constexpr Row kRows[] = {
        {SampleOp::sample, Target::T1DArray, "sample.RGBA 1D_ARRAY, u=src0.x, v=src0.y"},
        {SampleOp::sample_b, Target::T2DArray, "sample_b.RGBA 2D_ARRAY, bias=src0.x, u=src0.y, v=src0.z, r=src0.w"},
        {SampleOp::sample_l_c, Target::ShadowCubeArray,
         "sample_l_c.RGBA CUBE_ARRAY, ref=src0.x, lod=src0.y, u=src0.z, v=src0.w, r=src1.x, ai=src1.y"},
        {SampleOp::sample_d, Target::T1DArray, "sample_d.RGBA 1D_ARRAY, u=src0.x, dudx=src0.y, dudy=src0.z, v=src0.w"},
        {SampleOp::sample_d_c, Target::ShadowCubeArray,
         "sample_d_c.RGBA CUBE_ARRAY, ref=src0.x, u=src0.y, dudx=src0.z, dudy=src0.w, v=src1.x, dvdx=src1.y, "
         "dvdy=src1.z, r=src1.w, drdx=src2.x, drdy=src2.y, ai=src2.z"},
        {SampleOp::LOD, Target::T3D, "LOD.RGBA 3D, u=src0.x, v=src0.y, r=src0.z"},
    };
    for (const Row& row : kRows) {
        const Message m = sample(row.op, row.target);
        EXPECT_EQ(print(m), row.text);
        EXPECT_EQ(why_illegal(m), "");
    }
}

TEST(Carrier, ParametersStandInTheRegistersOfTheGatherPage) {
    EXPECT_EQ(print(gather(Target::T2D, Offsets::None)), "TLD4.G 2D, s=src0.x, t=src0.y, 0xf");
    EXPECT_EQ(print(gather(Target::Shadow2DArray, Offsets::Ptp)),
              "TLD4.G.PTP.DC ARRAY_2D, a=src0.x, s=src0.y, t=src0.z, toff1=src1.x, toff2=src1.y, ref=src1.z, 0xf");
    Message all = gather(Target::ShadowCubeArray, Offsets::None);
    all.bindless = all.sparse = true;
    place_parameters(all);
    EXPECT_EQ(print(all),
              "Ps, TLD4.G.B.DC ARRAY_CUBE, a=src0.x, s=src0.y, t=src0.z, r=src0.w, handle=src1.x, ref=src1.y, 0xf");
    EXPECT_EQ(why_illegal(all), "");
    EXPECT_EQ(all_resident(all), 0u);
    EXPECT_EQ(all_resident(sample(SampleOp::sample, Target::T2D)), 0xffff'ffffu);
}

TEST(Carrier, TrailingParametersMayBeLeftOut) {
    Message m = sample(SampleOp::sample, Target::T2DArray);
    place_parameters(m, false, 1);
    EXPECT_EQ(print(m), "sample.RGBA 2D_ARRAY, u=src0.x");
    EXPECT_EQ(parameter_sources(m), 1);
    EXPECT_EQ(parameter_sources(sample(SampleOp::sample_d_c, Target::ShadowCube)), 3);
}

/// They are 0. That is a level, not a level from derivatives: with a bias of 0.5 the two differ.
TEST(Carrier, AnAbsentLevelIsLevel0) {
    for (const SampleOp op : {SampleOp::sample_l, SampleOp::sample_l_c}) {
        Message m = sample(op, op == SampleOp::sample_l ? Target::T2D : Target::Shadow2D);
        EXPECT_FALSE(m.lod_is_zero);
        place_parameters(m, false, 0);
        EXPECT_FALSE(m.lod.present());
        EXPECT_TRUE(m.lod_is_zero);
    }
    Message implicit = sample(SampleOp::sample, Target::T2D);
    place_parameters(implicit, false, 1);
    EXPECT_FALSE(implicit.lod_is_zero);
}

TEST(Carrier, FormsOutsideThePagesAreRefused) {
    const auto refused = [](Message m, auto change) {
        change(m);
        return !why_illegal(m).empty();
    };
    const Message s = sample(SampleOp::sample, Target::T2D), g = gather(Target::T2D, Offsets::Aoffi);
    const auto nothing = [](Message&) {};
    EXPECT_FALSE(refused(s, nothing));
    EXPECT_FALSE(refused(g, nothing));
    EXPECT_FALSE(refused(s, [](Message& m) { m.half_parameters = true, m.result = ResultType::Uint16; }));
    EXPECT_TRUE(refused(g, [](Message& m) { m.half_parameters = true; }));
    EXPECT_TRUE(refused(g, [](Message& m) { m.result = ResultType::Half; }));
    EXPECT_TRUE(refused(g, [](Message& m) { m.non_uniform = true; }));
    EXPECT_TRUE(refused(g, [](Message& m) { m.offsets = Offsets::None; }));  // packed offsets without their form
    EXPECT_TRUE(refused(g, [](Message& m) { m.handle = {1, 3}; }));
    EXPECT_TRUE(refused(s, [](Message& m) { m.surface.shadow = true; }));
    EXPECT_TRUE(refused(s, [](Message& m) { m.sample = SampleOp::sample_c; }));
    EXPECT_TRUE(refused(s, [](Message& m) { m.sample = SampleOp::LOD, m.result = ResultType::Int16; }));
    EXPECT_TRUE(
        refused(sample(SampleOp::sample_c, Target::Shadow2D), [](Message& m) { m.result = ResultType::Uint16; }));
    EXPECT_TRUE(refused(s, [](Message& m) { m.cls = Class::Query, m.sparse = true; }));
    EXPECT_TRUE(refused(s, [](Message& m) { m.cls = Class::Fetch, m.half_parameters = true; }));
}

/// Modifiers, channels, offsets and types, as the pages write them.
TEST(Carrier, MessagesPrintAsTheirPagesWriteThem) {
    const auto offset = [](Message& m, std::array<int32_t, 3> to) {
        m.offsets = Offsets::Aoffi;
        m.offsets_are_immediate = true;
        std::ranges::copy(to, m.immediate_offsets[0]);
    };
    Message all = gather(Target::Shadow2DArray, Offsets::Aoffi);
    all.immediate_component = 2, all.channel_mask = 6;
    all.sparse = all.bindless = true;
    place_parameters(all, true);
    EXPECT_EQ(print(all),
              "Ps, TLD4.B.B.AOFFI.DC ARRAY_2D, a=src0.x, s=src0.y, t=src0.z, handle=src1.x, toff1=src1.y, ref=src1.z, "
              "0x6");
    Message biased = sample(SampleOp::sample_b_c, Target::Shadow2D);
    biased.channel_mask = 3, biased.result = ResultType::Half;
    biased.sparse = biased.cps_compensation = biased.non_uniform = biased.half_parameters = true;
    offset(biased, {1, 2, 0});
    EXPECT_EQ(print(biased),
              "sample_b_c.pixel_null_mask.cps.divS.RG 2D, ref=src0.x, bias=src0.y, u=src0.z, v=src0.w, "
              "aoffimmi=(1, 2), parameters=HF, dst=HF");
    EXPECT_EQ(print(sample(SampleOp::sample_d, Target::T3D)),
              "sample_d.RGBA 3D, u=src0.x, dudx=src0.y, dudy=src0.z, v=src0.w, dvdx=src1.x, dvdy=src1.y, r=src1.z, "
              "drdx=src1.w, drdy=src2.x");
    Message divergent = sample(SampleOp::sample, Target::CubeArray);
    divergent.channel_mask = 8;
    divergent.non_uniform = divergent.non_uniform_surface = true;
    place_parameters(divergent, false, 1);
    EXPECT_EQ(print(divergent), "sample.divS.divT.A CUBE_ARRAY, u=src0.x");
    Message moved = sample(SampleOp::sample_lz, Target::T3D);
    moved.channel_mask = 10, moved.result = ResultType::Uint16;
    offset(moved, {-8, -1, 1});
    EXPECT_EQ(print(moved), "sample_lz.GA 3D, u=src0.x, v=src0.y, r=src0.z, aoffimmi=(-8, -1, 1), dst=UW");
    Message query = sample(SampleOp::LOD, Target::Cube);
    for (const Message* m : {&all, &biased, &divergent, &moved, &query}) EXPECT_EQ(why_illegal(*m), "") << print(*m);
    query.offsets = Offsets::Aoffi;
    EXPECT_EQ(why_illegal(query), "cubes take no offset");
    query = sample(SampleOp::LOD, Target::T2D);
    query.offsets = Offsets::Aoffi;
    EXPECT_EQ(why_illegal(query), "a query takes no offset");
}

TEST(Carrier, EachMessageIsOneInstruction) {
    Call plain{.message = sample(SampleOp::sample, Target::T2D)};
    plain.message.sparse = true;
    plain.message.channel_mask = 5;
    Call divergent{.message = sample(SampleOp::sample, Target::T2D), .texture = 1};
    divergent.message.separate = divergent.message.non_uniform = true;
    divergent.sampler_index = {2, 1};
    const Carrier c = carry(std::vector{plain, divergent}, tgsi::Stage::Fragment, 3);
    ASSERT_EQ(c.program.instructions.size(), 3u);
    ASSERT_EQ(c.messages.size(), 2u);
    const auto dsts = c.program.dsts(c.program.instructions[0]);
    ASSERT_EQ(dsts.size(), 2u);
    EXPECT_EQ(dsts[0].write_mask, 5);
    EXPECT_EQ(dsts[1].index, 1);
    const auto srcs = c.program.srcs(c.program.instructions[1]);
    ASSERT_EQ(srcs.size(), 3u);
    EXPECT_EQ(c.messages[1].texture_source, 1);
    EXPECT_EQ(srcs[1].file, tgsi::File::SamplerView);
    EXPECT_EQ(srcs[1].index, 1);
    ASSERT_NE(c.program.index_relative(srcs[2]), nullptr);
    EXPECT_EQ(c.program.index_relative(srcs[2])->index, 2);
    EXPECT_EQ(c.program.declarations[0].last, 2);  // IN is declared up to the register that selects the sampler
}

}  // namespace
}  // namespace tgsi2spv::sampling

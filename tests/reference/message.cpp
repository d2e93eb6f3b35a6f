// Messages without a shader: packed channels, residency, and modifiers that no opcode can set.
#include "reference/textures/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/texture_bench.h"

namespace tgsi2spv::reference {
namespace {

using sampling::Class;
using sampling::Dim;
using sampling::Message;
using sampling::Offsets;
using sampling::SampleOp;
using tgsi::Opcode;
using tgsi::Target;

Message message(Opcode op, Target target, tgsi::Stage stage = tgsi::Stage::Fragment) {
    const std::optional<Message> m = sampling::make(op, target, stage).message();
    EXPECT_TRUE(m);
    return m.value_or(Message{});
}

Inputs one_texture(Texture texture, const SamplerState& sampler = {}) {
    Inputs in;
    in.textures[0] = std::move(texture);
    in.samplers[0] = sampler;
    return in;
}

MessageLane at(float s, float t, float r = 0) {
    MessageLane lane;
    lane.coord = {as_word(s), as_word(t), as_word(r)};
    return lane;
}

/// Returns the coordinate of the texel's centre in a texture of `size` texels.
float centre(int texel, int size) {
    return (static_cast<float>(texel) + 0.5f) / static_cast<float>(size);
}

TEST(Message, ChannelsThatAreOffAreSkipped) {
    const Inputs in = one_texture(numbered(Target::T2D, 4, 4));
    Message m = message(Opcode::TEX_LZ, Target::T2D);
    m.channel_mask = 0b1010;
    const std::vector<MessageLane> lanes{at(centre(2, 4), centre(1, 4))};
    const MessageResult r = run_message(m, lanes, in, {}, {});
    ASSERT_EQ(r.channel_count, 2u);
    EXPECT_THAT(r.channels[0][0], exactly(12.25));
    EXPECT_THAT(r.channels[0][1], exactly(12.75));
    EXPECT_TRUE(r.resident.empty());

    Message g = message(Opcode::TG4, Target::T2D);
    g.channel_mask = 0b1100;
    g.immediate_component = 2;
    const std::vector<MessageLane> corner{at(0.5f, 0.5f)};
    const MessageResult four = run_message(g, corner, in, {}, {});
    ASSERT_EQ(four.channel_count, 2u);
    EXPECT_THAT(four.channels[0][0], exactly(12.5)) << "(+,-)";
    EXPECT_THAT(four.channels[0][1], exactly(11.5)) << "(-,-)";
}

TEST(Message, ATexelOfANullPageClearsTheMask) {
    const Inputs in = one_texture(numbered(Target::T2D, 4, 4));
    Message m = message(Opcode::TEX_LZ, Target::T2D);
    m.sparse = true;
    MessageState state;
    state.null_pages.push_back({0, 0, {2, 0, 0}, {3, 3, 0}, 0, 0});
    const std::vector<MessageLane> lanes{at(centre(1, 4), centre(1, 4)), at(centre(2, 4), centre(1, 4)),
                                         at(0.5f, centre(1, 4))};
    const MessageResult r = run_message(m, lanes, in, state, {});
    EXPECT_EQ(r.resident[0].value, 1u);
    EXPECT_TRUE(is_exact(r.resident[0]));
    EXPECT_THAT(r.channels[0][0], exactly(11));
    EXPECT_EQ(r.resident[1].value, 0u);
    EXPECT_TRUE(is_exact(r.resident[1]));
    EXPECT_TRUE(is_unknown(r.channels[1][0]));
    // On the edge between two texels, a device may read either.
    EXPECT_TRUE(permits(r.resident[2], 0) && permits(r.resident[2], 1));

    const MessageResult whole = run_message(m, lanes, in, {}, {});
    for (const Value& v : whole.resident) EXPECT_EQ(v.value, 1u);
}

TEST(Message, EveryTexelOfAFootprintCounts) {
    SamplerState linear;
    linear.min_filter = linear.mag_filter = Filter::Linear;
    const Inputs in = one_texture(numbered(Target::T2D, 4, 4), linear);
    MessageState state;
    state.null_pages.push_back({0, 0, {3, 0, 0}, {3, 3, 0}, 0, 0});
    Message m = message(Opcode::TEX_LZ, Target::T2D);
    m.sparse = true;
    // A quarter of the way from texel 2 to texel 3, and from texel 1 to texel 2.
    const std::vector<MessageLane> lanes{at(2.75f / 4, centre(1, 4)), at(1.75f / 4, centre(1, 4))};
    const MessageResult r = run_message(m, lanes, in, state, {});
    EXPECT_FALSE(permits(r.resident[0], 1));
    EXPECT_FALSE(permits(r.resident[1], 0));

    Message g = message(Opcode::TG4, Target::T2D);
    g.immediate_component = 3;
    g.sparse = true;
    const MessageResult four = run_message(g, lanes, in, state, {});
    EXPECT_FALSE(permits(four.resident[0], 1));
    EXPECT_FALSE(permits(four.resident[1], 0));
}

TEST(Message, ComparisonsTouchTheSamePages) {
    SamplerState s;
    s.compare = Compare::Less;
    const Inputs in = one_texture(numbered(Target::Shadow2DArray, 4, 4, 1, 2, 1, "Z32_FLOAT"), s);
    Message m = message(Opcode::TEX, Target::Shadow2DArray, tgsi::Stage::Vertex);
    m.sparse = true;
    MessageState state;
    state.null_pages.push_back({0, 0, {0, 0, 0}, {3, 3, 0}, 1, 1});
    std::vector<MessageLane> lanes(2, at(centre(1, 4), centre(1, 4)));
    lanes[1].layer = kOne;
    for (MessageLane& lane : lanes) lane.reference = as_word(5.0f);
    const MessageResult r = run_message(m, lanes, in, state, {});
    EXPECT_EQ(r.resident[0].value, 1u);
    EXPECT_THAT(r.channels[0][0], exactly(1)) << "5 < 11";
    EXPECT_EQ(r.resident[1].value, 0u);
}

TEST(Message, QueriesTouchNoPage) {
    const Inputs in = one_texture(numbered(Target::T2D, 4, 4));
    Message m = message(Opcode::LODQ, Target::T2D);
    m.sparse = true;
    MessageState state;
    state.null_pages.push_back({0, 0, {0, 0, 0}, {3, 3, 0}, 0, 0});
    const std::vector<MessageLane> quad{at(0, 0), at(0.25f, 0), at(0, 0.25f), at(0.25f, 0.25f)};
    const MessageResult r = run_message(m, quad, in, state, {});
    for (const Value& v : r.resident) EXPECT_EQ(v.value, 1u);
}

TEST(Message, CoarseShadingIsCompensatedByABias) {
    Texture pyramid = numbered(Target::T2D, 16, 16, 1, 1, 5);
    SamplerState s;
    s.mip_filter = MipFilter::Nearest;
    const Inputs in = one_texture(std::move(pyramid), s);
    // Four texels between pixels: level 2 by the longest axis, up to 3.5 by the largest permitted scale factor.
    const std::vector<MessageLane> quad{at(0.01f, 0.01f), at(0.26f, 0.01f), at(0.01f, 0.01f), at(0.26f, 0.01f)};
    Message m = message(Opcode::TEX, Target::T2D);
    MessageState state;
    state.coarse_bias = -2;
    const Value plain = run_message(m, quad, in, state, {}).channels[0][0];
    EXPECT_EQ(plain.value, as_word(2000.0f));
    m.cps_compensation = true;
    EXPECT_EQ(sampling::why_illegal(m), "");
    const Value compensated = run_message(m, quad, in, state, {}).channels[0][0];
    EXPECT_EQ(compensated.value, as_word(0.0f));
    EXPECT_FALSE(permits(compensated, as_word(2000.0f)));
    // The message's bias is added to the compensation.
    Message b = message(Opcode::TXB, Target::T2D);
    b.cps_compensation = true;
    std::vector<MessageLane> biased = quad;
    for (MessageLane& lane : biased) lane.bias = as_word(3.0f);
    EXPECT_EQ(run_message(b, biased, in, state, {}).channels[0][0].value, as_word(3000.0f));
}

TEST(Message, FourOffsetsReadFourFootprints) {
    const Inputs in = one_texture(numbered(Target::T2D, 8, 8));
    Message m = message(Opcode::TG4, Target::T2D);
    m.immediate_component = 0;
    m.offsets = Offsets::Ptp;
    MessageLane lane = at(0.5f, 0.5f);
    lane.offsets = {{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {-3, -1, 0}}};
    const std::vector<MessageLane> lanes{lane};
    const MessageResult r = run_message(m, lanes, in, {}, {});
    EXPECT_THAT(r.channels[0][0], exactly(33));
    EXPECT_THAT(r.channels[0][1], exactly(34));
    EXPECT_THAT(r.channels[0][2], exactly(53));
    EXPECT_THAT(r.channels[0][3], exactly(20));
    // An offset has six bits: 2^6 + 1 is 1, and 35 is −29, which is 3 in a texture that repeats every 8 texels.
    for (auto& offset : lane.offsets) offset[0] ^= 64, offset[1] ^= 0x4000'0000;
    lane.offsets[0][0] = 35;
    const MessageResult six = run_message(m, std::vector<MessageLane>{lane}, in, {}, {});
    EXPECT_THAT(six.channels[0][0], exactly(36));
    EXPECT_THAT(six.channels[0][1], exactly(34));
    EXPECT_THAT(six.channels[0][2], exactly(53));
    EXPECT_THAT(six.channels[0][3], exactly(20));
}

/// Checks which level each op of the 3D_SAMPLE page reads from a 2D texture, with or without comparison.
TEST(Message, EveryOpFindsItsLevel) {
    SamplerState s;
    s.mip_filter = MipFilter::Nearest;
    SamplerState comparing = s;
    comparing.compare = Compare::Equal;
    struct Row {
        SampleOp op;
        float level;
    };
    const Row rows[] = {{SampleOp::sample, 0},     {SampleOp::sample_b, 1},   {SampleOp::sample_l, 2},
                        {SampleOp::sample_d, 3},   {SampleOp::sample_lz, 0},  {SampleOp::sample_c, 0},
                        {SampleOp::sample_b_c, 1}, {SampleOp::sample_l_c, 2}, {SampleOp::sample_d_c, 3},
                        {SampleOp::sample_c_lz, 0}};
    for (const Row& row : rows) {
        const bool compare = row.op == SampleOp::sample_c || row.op == SampleOp::sample_b_c ||
                             row.op == SampleOp::sample_l_c || row.op == SampleOp::sample_d_c ||
                             row.op == SampleOp::sample_c_lz;
        Message m;
        m.sample = row.op;
        m.surface = sampling::surface(compare ? Target::Shadow2D : Target::T2D);
        m.coord[0] = {0, 0}, m.coord[1] = {0, 1};
        if (compare) m.reference = {0, 2};
        const bool bias = row.op == SampleOp::sample_b || row.op == SampleOp::sample_b_c;
        const bool level = row.op == SampleOp::sample_l || row.op == SampleOp::sample_l_c;
        const bool gradient = row.op == SampleOp::sample_d || row.op == SampleOp::sample_d_c;
        if (bias) m.bias = {1, 0};
        if (level) m.lod = {1, 0};
        if (gradient)
            for (uint8_t c = 0; c < 2; ++c) m.ddx[c] = {1, c}, m.ddy[c] = {2, c};
        m.lod_is_zero = row.op == SampleOp::sample_lz || row.op == SampleOp::sample_c_lz;
        ASSERT_EQ(sampling::why_illegal(m), "");
        // Derivatives of 0.224 texels: level -2.2 to -1.6 by the scale factors that Vulkan permits.
        std::vector<MessageLane> quad{at(0.01f, 0.01f), at(0.024f, 0.01f), at(0.01f, 0.024f), at(0.024f, 0.024f)};
        for (MessageLane& lane : quad) {
            lane.bias = as_word(row.level + 2);
            lane.lod = as_word(row.level);
            lane.ddx[0] = as_word(0.3f);  // 4.8 texels: level 2.3 to 2.8
            lane.reference = as_word(1000 * row.level);
        }
        const Inputs in = one_texture(numbered(compare ? Target::Shadow2D : Target::T2D, 16, 16, 1, 1, 5,
                                               compare ? "Z32_FLOAT" : "R32G32B32A32_FLOAT"),
                                      compare ? comparing : s);
        Options options;  // a device with eight bits of sub-texel precision and a sufficient bias limit
        options.sub_texel_bits = 8;
        options.max_sampler_lod_bias = 16;
        const MessageResult r = run_message(m, quad, in, {}, options);
        const Value v = r.channels[0][0];
        const float expected = compare ? 1 : 1000 * row.level;
        EXPECT_TRUE(permits(v, as_word(expected))) << sampling::print(m) << " " << show(v);
        EXPECT_FALSE(is_unknown(v)) << sampling::print(m);
        if (!gradient) {
            EXPECT_TRUE(is_exact(v)) << sampling::print(m) << " " << show(v);
        }
    }
}

TEST(Message, LanesThatAreOffTakeNoPart) {
    const Inputs in = one_texture(numbered(Target::T2D, 4, 4));
    const Message m = message(Opcode::TEX, Target::T2D);
    std::vector<MessageLane> quad{at(0, 0), at(0.25f, 0), at(0, 0.25f), at(0.25f, 0.25f)};
    EXPECT_FALSE(is_unknown(run_message(m, quad, in, {}, {}).channels[0][0]));
    Inputs levels = in;
    levels.textures[0] = numbered(Target::T2D, 4, 4, 1, 1, 3);
    levels.samplers[0].mip_filter = MipFilter::Nearest;
    EXPECT_FALSE(is_unknown(run_message(m, quad, levels, {}, {}).channels[0][0]));
    quad[3].active = false;
    EXPECT_TRUE(is_unknown(run_message(m, quad, levels, {}, {}).channels[0][0]));
}

}  // namespace
}  // namespace tgsi2spv::reference

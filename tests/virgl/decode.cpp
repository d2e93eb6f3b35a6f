// Each command from its words: the fields where the protocol has them, and nothing accepted that is shorter, longer or
// out of range.
#include "virgl/decode.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "../fuzz/commands/grammar.h"
#include "encode.h"

namespace tgsi2spv::virgl {
namespace {

using test::bits;
using test::Buffer;
using test::command;
using test::counting;
using test::create;
using test::operator+;
using testing::ElementsAre;
using testing::HasSubstr;

/// Decodes a buffer of one command.
tl::expected<Command, DecodeError> decode(const Buffer& buffer) {
    size_t position = 0;
    auto result = decode_command(buffer, position);
    EXPECT_EQ(position, result ? buffer.size() : 0u) << "a failed command is not skipped";
    return result;
}

/// The command may point into its buffer, which is kept for that.
template <class C>
C decode_as(const Buffer& buffer) {
    static std::deque<Buffer> kept;
    const auto result = decode(kept.emplace_back(buffer));
    if (!result) {
        ADD_FAILURE() << describe(result.error());
        return C{};
    }
    EXPECT_TRUE(std::holds_alternative<C>(*result));
    return std::holds_alternative<C>(*result) ? std::get<C>(*result) : C{};
}

void expect_refused(const Buffer& buffer, DecodeProblem problem, size_t word = 0) {
    const auto result = decode(buffer);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().problem, problem) << describe(result.error());
    EXPECT_EQ(result.error().word, word) << describe(result.error());
}

/// A command of each kind with its exact (or least) length, all words valid.
struct Sample {
    const char* name;
    Buffer buffer;
    bool may_be_longer = false;  ///< it has a variable part
};

std::vector<Sample> samples() {
    using Id = CommandId;
    using O = ObjectType;
    const Buffer ones(32, 1);
    const auto n = [&](size_t count) { return Buffer(count, 1); };
    return {
        {"blend", create(O::Blend, {7, 0, 3, 0x78000000, 0, 0, 0, 0, 0, 0, 0})},
        {"describe buffer", command(Id::PipeResourceCreate, n(11))},
        {"rasterizer", create(O::Rasterizer, n(9))},
        {"depth-stencil-alpha", create(O::DepthStencilAlpha, n(5))},
        {"vertex elements", create(O::VertexElements, {7, 0, 0, 0, 28, 16, 0, 1, 31})},
        {"sampler view", create(O::SamplerView, {7, 1, 1 | 2 << 24, 0, 0, 0})},
        {"sampler state", create(O::SamplerState, n(9))},
        {"surface", create(O::Surface, n(5))},
        {"MSAA surface", create(O::MsaaSurface, n(6))},
        {"query", create(O::Query, n(4))},
        {"shader", create(O::Shader, {7, 0, 1, 1, 0}), true},
        {"stream-out target", create(O::StreamoutTarget, n(4))},
        {"bind", command(Id::BindObject, {7}, 1)},
        {"destroy", command(Id::DestroyObject, {7}, 6)},
        {"viewports", command(Id::SetViewportState, Buffer{0} + n(12))},
        {"framebuffer", command(Id::SetFramebufferState, {2, 0, 5, 6})},
        {"framebuffer without attachments", command(Id::SetFramebufferStateNoAttach, n(2))},
        {"vertex buffers", command(Id::SetVertexBuffers, n(6))},
        {"clear", command(Id::Clear, n(8))},
        {"draw", command(Id::DrawVbo, n(12))},
        {"inline write", command(Id::ResourceInlineWrite, n(11)), true},
        {"sampler views", command(Id::SetSamplerViews, {1, 0}), true},
        {"index buffer", command(Id::SetIndexBuffer, {1, 2, 0})},
        {"constant buffer", command(Id::SetConstantBuffer, {0, 0}), true},
        {"stencil reference", command(Id::SetStencilRef, n(1))},
        {"blend colour", command(Id::SetBlendColor, n(4))},
        {"scissors", command(Id::SetScissorState, Buffer{0} + n(4))},
        {"blit", command(Id::Blit, n(21))},
        {"copy region", command(Id::ResourceCopyRegion, n(13))},
        {"sampler states", command(Id::BindSamplerStates, {1, 0}), true},
        {"begin query", command(Id::BeginQuery, n(1))},
        {"end query", command(Id::EndQuery, n(1))},
        {"query result", command(Id::GetQueryResult, n(2))},
        {"polygon stipple", command(Id::SetPolygonStipple, ones)},
        {"clip state", command(Id::SetClipState, ones)},
        {"sample mask", command(Id::SetSampleMask, n(1))},
        {"stream-out targets", command(Id::SetStreamoutTargets, {0}), true},
        {"render condition", command(Id::SetRenderCondition, n(3))},
        {"uniform buffer", command(Id::SetUniformBuffer, n(5))},
        {"set sub-context", command(Id::SetSubCtx, n(1))},
        {"create sub-context", command(Id::CreateSubCtx, n(1))},
        {"destroy sub-context", command(Id::DestroySubCtx, n(1))},
        {"bind shader", command(Id::BindShader, n(2))},
        {"tessellation levels", command(Id::SetTessState, n(6))},
        {"minimum of samples", command(Id::SetMinSamples, n(1))},
        {"shader buffers", command(Id::SetShaderBuffers, n(5))},
        {"shader images", command(Id::SetShaderImages, n(7))},
        {"memory barrier", command(Id::MemoryBarrier, n(1))},
        {"launch grid", command(Id::LaunchGrid, n(8))},
        {"texture barrier", command(Id::TextureBarrier, n(1))},
        {"query result to buffer", command(Id::GetQueryResultQbo, n(6))},
        {"transfer", command(Id::Transfer3d, n(13))},
        {"copy transfer", command(Id::CopyTransfer3d, n(14))},
        {"tweaks", command(Id::SetTweaks, n(2))},
        {"clear texture", command(Id::ClearTexture, n(12))},
        {"string marker", command(Id::SendStringMarker, {0}), true},
        {"link shader", command(Id::LinkShader, n(6))},
        {"clear surface", command(Id::ClearSurface, n(10))},
    };
}

TEST(Decode, EveryCommandHasASampleAndARowOfFuzzCommands) {
    for (uint32_t op = 0; op < 12U << 8; op++) {
        const bool creates = (op & 0xff) == static_cast<uint32_t>(CommandId::CreateObject);
        if (op > 0xff && !creates) continue;
        const auto result = decode({op});
        if (result ? std::holds_alternative<Ignored>(*result)
                   : result.error().problem == DecodeProblem::Unknown ||
                         result.error().problem == DecodeProblem::NotOffered)
            continue;
        const auto is_it = [&](uint32_t header) { return (header & (creates ? 0x1ffff : 0x100ff)) == op; };
        EXPECT_TRUE(std::ranges::any_of(samples(), [&](const Sample& s) { return is_it(s.buffer[0] & 0xffff); })) << op;
        EXPECT_TRUE(std::ranges::any_of(fuzz::rows(), is_it, &fuzz::Row::op)) << op;
    }
}

Buffer resized(Buffer buffer, size_t words) {
    buffer.resize(1 + words, 1);
    buffer[0] = (buffer[0] & 0xffff) | static_cast<uint32_t>(words) << 16;
    return buffer;
}

TEST(Decode, EveryCommandHasItsExactLength) {
    for (const Sample& s : samples()) {
        SCOPED_TRACE(s.name);
        const size_t words = s.buffer.size() - 1;
        EXPECT_TRUE(decode(s.buffer));
        EXPECT_FALSE(decode(resized(s.buffer, words - 1)));
        EXPECT_EQ(decode(resized(s.buffer, words + 1)).has_value(), s.may_be_longer);
    }
}

TEST(Decode, ACommandThatEndsAfterTheBufferIsTruncated) {
    for (const Sample& s : samples()) {
        Buffer cut = s.buffer;
        cut.pop_back();
        expect_refused(cut, DecodeProblem::Truncated);
    }
}

std::string error_of(const Buffer& buffer) {
    const auto result = decode(buffer);
    return result ? "none" : describe(result.error());
}

TEST(Decode, ErrorsNameTheValueAndTheLimit) {
    EXPECT_THAT(error_of(command(CommandId::BindObject, {7, 8}, 1)), HasSubstr("has a length of 2, where 1 is needed"));
    EXPECT_THAT(error_of(create(ObjectType::Surface, {7, 1, 0x200, 0, 0})),
                HasSubstr("has the value 512, where the last is 511 (word 3 of the command)"));
    EXPECT_THAT(error_of(command(CommandId::SetViewportState, Buffer(1 + 6 * (kMaxViewports + 1), 0))),
                HasSubstr(fmt::format("of {}, where {} is the limit", kMaxViewports + 1, kMaxViewports)));
    Buffer cut = command(CommandId::BindObject, {7}, 1);
    cut.pop_back();
    EXPECT_THAT(error_of(cut), HasSubstr("has 1 words, but 0 are left in the buffer"));
    EXPECT_THAT(error_of(create(ObjectType::Surface, {0, 1, 1, 0, 0})), HasSubstr("has handle 0"));
    EXPECT_THAT(error_of({63}), HasSubstr("needs a capability that is not offered"));
    EXPECT_THAT(error_of({255}), HasSubstr("does not exist"));
}

TEST(Decode, CommandsFollowOneAnother) {
    Buffer buffer;
    for (const Sample& s : samples()) buffer = buffer + s.buffer;
    size_t position = 0, count = 0;
    while (position < buffer.size()) {
        ASSERT_TRUE(decode_command(buffer, position));
        count++;
    }
    EXPECT_EQ(count, samples().size());
}

TEST(Decode, UnknownCommandsAndObjectsAreRefused) {
    for (uint32_t id = 64; id < 256; id++) expect_refused({id}, DecodeProblem::Unknown);
    for (uint32_t id = 53; id <= 61; id++) expect_refused({id}, DecodeProblem::NotOffered);
    for (const uint32_t id : {40, 49, 50, 63}) expect_refused({id}, DecodeProblem::NotOffered);
    for (const uint32_t type : {0, 12, 255}) {
        expect_refused(command(CommandId::CreateObject, {1}, type), DecodeProblem::Unknown);
        expect_refused(command(CommandId::DestroyObject, {1}, type), DecodeProblem::Unknown);
    }
    for (const uint32_t type : {4, 6, 7, 8, 9, 10})
        expect_refused(command(CommandId::BindObject, {1}, type), DecodeProblem::Unknown);
}

TEST(Decode, AnObjectNeedsAHandle) {
    expect_refused(create(ObjectType::Surface, {0, 1, 1, 0, 0}), DecodeProblem::Handle, 1);
    expect_refused(create(ObjectType::Shader, {0, 0, 4, 1, 0, 0}), DecodeProblem::Handle, 1);
}

TEST(Decode, BlendHasEachTargetsFactors) {
    // Enable, subtract, src alpha, 1 - src alpha; max, one, zero; RGA.
    const uint32_t target = 1 | 1 << 1 | 0x03 << 4 | 0x13 << 9 | 4 << 14 | 0x01 << 17 | 0x11 << 22 | 0xbu << 27;
    const auto c = decode_as<CreateBlend>(create(ObjectType::Blend, {7, 0b01001, 12, 0, target, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(c.handle, 7u);
    EXPECT_TRUE(c.independent);
    EXPECT_FALSE(c.logic_op_enable);
    EXPECT_TRUE(c.alpha_to_coverage);
    EXPECT_EQ(c.logic_op, LogicOp::Copy);
    EXPECT_FALSE(c.targets[0].enable);
    const BlendTarget& t = c.targets[1];
    EXPECT_TRUE(t.enable);
    EXPECT_EQ(t.color_op, BlendOp::Subtract);
    EXPECT_EQ(t.color_src, BlendFactor::SrcAlpha);
    EXPECT_EQ(t.color_dst, BlendFactor::InvSrcAlpha);
    EXPECT_EQ(t.alpha_op, BlendOp::Max);
    EXPECT_EQ(t.alpha_src, BlendFactor::One);
    EXPECT_EQ(t.alpha_dst, BlendFactor::Zero);
    EXPECT_EQ(t.write_mask, 0xb);
}

TEST(Decode, BlendFactorsThatDoNotExistAreRefused) {
    const std::vector<uint32_t> existing{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 18, 19, 20, 21, 23, 24, 25, 26};
    for (uint32_t factor = 0; factor < 32; factor++) {
        SCOPED_TRACE(factor);
        const uint32_t target = 1 | factor << 4 | 1 << 9 | 1 << 17 | 1 << 22;
        const Buffer buffer = create(ObjectType::Blend, {7, 0, 0, target, 0, 0, 0, 0, 0, 0, 0});
        if (std::ranges::count(existing, factor))
            EXPECT_TRUE(decode(buffer));
        else
            expect_refused(buffer, DecodeProblem::Enumerant, 4);
    }
}

TEST(Decode, RasterizerHasABitForEachFlag) {
    const auto with = [](uint32_t flags) {
        return decode_as<CreateRasterizer>(
            create(ObjectType::Rasterizer, {7, flags, bits(2.5f), 5, 0x12345678, bits(3), bits(4), bits(5), bits(6)}));
    };
    const auto c = with(1u << 3 | 2u << 8 | 1u << 10 | 2u << 12 | 1u << 15 | 1u << 31);
    EXPECT_TRUE(c.discard && c.front_ccw && c.force_persample);
    EXPECT_FALSE(c.flatshade || c.scissor || c.two_sided || c.line_stipple);
    EXPECT_EQ(c.cull, 2);
    EXPECT_EQ(c.fill_front, FillMode::Line);
    EXPECT_EQ(c.fill_back, FillMode::Point);
    EXPECT_EQ(c.point_size, 2.5f);
    EXPECT_EQ(c.sprite_mask, 5u);
    EXPECT_EQ(c.stipple_pattern, 0x5678);
    EXPECT_EQ(c.stipple_factor, 0x34 + 1) << "the stream has the factor minus one";
    EXPECT_EQ(c.clip_planes, 0x12);
    EXPECT_EQ(c.line_width, 3);
    EXPECT_EQ(c.offset_units, 4);
    EXPECT_EQ(c.offset_scale, 5);
    EXPECT_EQ(c.offset_clamp, 6);
    expect_refused(create(ObjectType::Rasterizer, {7, 3u << 10, 0, 0, 0, 0, 0, 0, 0}), DecodeProblem::Enumerant, 2);
}

TEST(Decode, StencilFacesHaveTheirFields) {
    const uint32_t back = 1 | 3 << 1 | 7 << 4 | 2 << 7 | 5 << 10 | 0xabu << 13 | 0xcdu << 21;
    const auto c = decode_as<CreateDepthStencilAlpha>(
        create(ObjectType::DepthStencilAlpha, {7, 0b11 | 4 << 2 | 1 << 8 | 6 << 9, 0, back, bits(0.5f)}));
    EXPECT_TRUE(c.depth_enable && c.depth_write && c.alpha_enable);
    EXPECT_EQ(c.depth_func, CompareOp::Greater);
    EXPECT_EQ(c.alpha_func, CompareOp::GreaterEqual);
    EXPECT_FALSE(c.front.enable);
    EXPECT_EQ(c.back.func, CompareOp::LessEqual);
    EXPECT_EQ(c.back.fail, StencilOp::Invert);
    EXPECT_EQ(c.back.depth_pass, StencilOp::Replace);
    EXPECT_EQ(c.back.depth_fail, StencilOp::IncrementWrap);
    EXPECT_EQ(c.back.value_mask, 0xab);
    EXPECT_EQ(c.back.write_mask, 0xcd);
    EXPECT_EQ(c.alpha_ref, 0.5f);
}

TEST(Decode, SamplerViewsNameFormatTargetAndSwizzle) {
    const auto c = decode_as<CreateSamplerView>(
        create(ObjectType::SamplerView, {7, 9, 67 | 4u << 24, 0x00050000, 0x0300, 0 | 4 << 3 | 5 << 6 | 2 << 9}));
    EXPECT_EQ(c.resource, 9u);
    EXPECT_EQ(c.format, 67);
    EXPECT_EQ(c.target, Target::Cube);
    EXPECT_EQ(c.first_or_layers, 0x50000u);
    EXPECT_EQ(c.last_or_levels, 0x300u);
    EXPECT_THAT(c.swizzle, ElementsAre(Swizzle::X, Swizzle::Zero, Swizzle::One, Swizzle::Z));
    expect_refused(create(ObjectType::SamplerView, {7, 9, 67 | 9u << 24, 0, 0, 0}), DecodeProblem::Enumerant, 3);
    expect_refused(create(ObjectType::SamplerView, {7, 9, 0x200, 0, 0, 0}), DecodeProblem::Enumerant, 3);
    expect_refused(create(ObjectType::SamplerView, {7, 9, 67, 0, 0, 6}), DecodeProblem::Enumerant, 6);
}

TEST(Decode, VertexElementsAreLimited) {
    Buffer words{7};
    for (int i = 0; i < 32; i++) words = words + Buffer{0, 0, 31, 28};
    EXPECT_EQ(decode_as<CreateVertexElements>(create(ObjectType::VertexElements, words)).count, 32u);
    expect_refused(create(ObjectType::VertexElements, words + Buffer{0, 0, 0, 28}), DecodeProblem::Slot);
    expect_refused(create(ObjectType::VertexElements, {7, 0, 0, 32, 28}), DecodeProblem::Slot, 4);
    EXPECT_EQ(decode_as<CreateVertexElements>(create(ObjectType::VertexElements, {7})).count, 0u);
}

TEST(Decode, SlotsStayWithinTheirLimits) {
    expect_refused(command(CommandId::SetViewportState, Buffer{16} + Buffer(6, 0)), DecodeProblem::Slot, 1);
    EXPECT_TRUE(decode(command(CommandId::SetViewportState, Buffer{15} + Buffer(6, 0))));
    expect_refused(command(CommandId::SetViewportState, Buffer{0xffffffff} + Buffer(6, 0)), DecodeProblem::Slot, 1);
    expect_refused(command(CommandId::SetSamplerViews, {1, 127, 1, 2}), DecodeProblem::Slot, 2);
    expect_refused(command(CommandId::BindSamplerStates, {1, 32, 1}), DecodeProblem::Slot, 2);
    expect_refused(command(CommandId::SetUniformBuffer, {0, 32, 0, 0, 1}), DecodeProblem::Slot, 2);
    expect_refused(command(CommandId::SetShaderBuffers, {0, 32, 0, 0, 1}), DecodeProblem::Slot, 2);
    expect_refused(command(CommandId::SetFramebufferState, Buffer{9, 0} + Buffer(9, 1)), DecodeProblem::Slot);
    expect_refused(command(CommandId::SetFramebufferState, {1, 0}), DecodeProblem::Length, 1);
    expect_refused(command(CommandId::SetStreamoutTargets, Buffer(18, 0)), DecodeProblem::Slot);
    expect_refused(command(CommandId::SetConstantBuffer, {6, 0}), DecodeProblem::Enumerant, 1);
    expect_refused(command(CommandId::SetConstantBuffer, {0, kMaxConstantBuffers}), DecodeProblem::Slot, 2);
}

TEST(Decode, ValuesOutOfRangeAreRefused) {
    using Id = CommandId;
    using O = ObjectType;
    const auto states = [](uint32_t word) { return create(O::SamplerState, Buffer{7, word} + Buffer(7, 0)); };
    const auto blends = [](uint32_t word) {
        return create(O::Blend, Buffer{7, 0, 0, word | 1 | 1 << 4 | 1 << 9 | 1 << 17 | 1 << 22} + Buffer(7, 0));
    };
    const struct {
        Buffer buffer;
        DecodeProblem problem;
        size_t word;
    } rows[] = {
        {command(Id::SetScissorState, {16, 0, 0}), DecodeProblem::Slot, 1},
        {command(Id::SetVertexBuffers, Buffer(size_t{3} * 33, 0)), DecodeProblem::Slot, 0},
        {command(Id::SetShaderImages, {0, 32, 0, 0, 0, 0, 0}), DecodeProblem::Slot, 2},
        {create(O::Shader, {7, 0, 5, 300, 1, 4, 0, 0, 0, 1 << 10 | 4 << 13, 0}), DecodeProblem::Enumerant, 10},
        {create(O::Shader, {7, 0, 5, 300, 1, 4, 0, 0, 0, 0, 0}), DecodeProblem::Enumerant, 10},
        {create(O::Shader, {7, 0, 5, 300}), DecodeProblem::Length, 0},
        {blends(5 << 1), DecodeProblem::Enumerant, 4},
        {blends(5 << 14), DecodeProblem::Enumerant, 4},
        {create(O::Rasterizer, {7, 3u << 12, 0, 0, 0, 0, 0, 0, 0}), DecodeProblem::Enumerant, 2},
        {states(2 << 9), DecodeProblem::Enumerant, 2},
        {states(3 << 11), DecodeProblem::Enumerant, 2},
        {states(2 << 13), DecodeProblem::Enumerant, 2},
        {create(O::Query, {7, 13, 0, 0}), DecodeProblem::Enumerant, 2},
        {command(Id::Blit, Buffer{1 | 2 << 8} + Buffer(20, 0)), DecodeProblem::Enumerant, 1},
        {command(Id::GetQueryResultQbo, {7, 1, 0, 4, 0, 0}), DecodeProblem::Enumerant, 4},
    };
    for (const auto& row : rows) expect_refused(row.buffer, row.problem, row.word);
}

TEST(Decode, AnIndexBufferIsGivenOrNone) {
    EXPECT_EQ(decode_as<SetIndexBuffer>(command(CommandId::SetIndexBuffer, {0})).resource, 0u);
    for (const uint32_t size : {1, 2, 4})
        EXPECT_EQ(decode_as<SetIndexBuffer>(command(CommandId::SetIndexBuffer, {1, size, 0})).index_size, size);
    expect_refused(command(CommandId::SetIndexBuffer, {1}), DecodeProblem::Length);
    expect_refused(command(CommandId::SetIndexBuffer, {1, 3, 0}), DecodeProblem::Enumerant, 2);
}

TEST(Decode, DrawsHaveThreeLengths) {
    EXPECT_EQ(decode_as<Draw>(command(CommandId::DrawVbo, {3, 6, 4, 1, 0, 0xffffffff, 2, 0, 0, 0, 5, 0})).index_bias,
              -1);
    EXPECT_EQ(decode_as<Draw>(command(CommandId::DrawVbo, {3, 6, 4, 1, 0, 0, 2, 0, 0, 0, 5, 0})).instance_count, 1u)
        << "0 instances count as one";
    EXPECT_EQ(
        decode_as<Draw>(command(CommandId::DrawVbo, counting(2, 0) + Buffer{14} + counting(11, 4))).vertices_per_patch,
        13u);
    const auto indirect = decode_as<Draw>(command(CommandId::DrawVbo, counting(2, 0) + Buffer{4} + counting(17, 4)));
    EXPECT_EQ(indirect.indirect_resource, 15u);
    EXPECT_EQ(indirect.indirect_count_resource, 20u);
    for (const size_t words : {11, 13, 15, 19, 21})
        expect_refused(command(CommandId::DrawVbo, Buffer(words, 0)), DecodeProblem::Length);
    expect_refused(command(CommandId::DrawVbo, {0, 3, 15, 0, 1, 0, 0, 0, 0, 0, 0, 0}), DecodeProblem::Enumerant, 3);
}

TEST(Decode, ClearsHaveDepthAsADouble) {
    const auto c = decode_as<Clear>(command(CommandId::Clear, {5, 1, 2, 3, 4, 0, 0x3fe00000, 9}));
    EXPECT_EQ(c.bits, 5u);
    EXPECT_THAT(c.color, ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(c.depth, 0.5);
    EXPECT_EQ(c.stencil, 9u);
}

TEST(Decode, BlitsMayMirror) {
    const auto c =
        decode_as<Blit>(command(CommandId::Blit, Buffer{0x0f | 1 << 8 | 1 << 10, 0x00020001, 0x00040003} +
                                                     Buffer{8, 0, 1, 0, 10, 0, 4, 0xfffffff6, 1} + counting(9, 40)));
    EXPECT_EQ(c.mask, 0x0fu);
    EXPECT_EQ(c.filter, Filter::Linear);
    EXPECT_TRUE(c.scissor_enable);
    EXPECT_EQ(c.scissor.min_y, 2);
    EXPECT_EQ(c.scissor.max_x, 3);
    EXPECT_EQ(c.dst.resource, 8u);
    EXPECT_EQ(c.dst.height, -10);
    EXPECT_EQ(c.src.resource, 40u);
    EXPECT_EQ(c.src.depth, 48);
    expect_refused(command(CommandId::Blit, Buffer{0x40} + Buffer(20, 0)), DecodeProblem::Enumerant, 1);
}

TEST(Decode, TransfersHaveADirection) {
    EXPECT_TRUE(decode_as<Transfer>(command(CommandId::Transfer3d, counting(12) + Buffer{1})).to_host);
    EXPECT_FALSE(decode_as<Transfer>(command(CommandId::Transfer3d, counting(12) + Buffer{2})).to_host);
    expect_refused(command(CommandId::Transfer3d, counting(12) + Buffer{0}), DecodeProblem::Enumerant, 13);
    const auto c = decode_as<CopyTransfer>(command(CommandId::CopyTransfer3d, counting(14)));
    EXPECT_EQ(c.request.box, (Box{6, 7, 8, 9, 10, 11}));
    EXPECT_EQ(c.staging, 12u);
    EXPECT_EQ(c.staging_offset, 13u);
    EXPECT_TRUE(c.from_host);
}

TEST(Decode, ShadersHaveStreamOutputsBeforeTheirText) {
    const uint32_t output = 3 | 1 << 8 | 2 << 10 | 1 << 13 | 7u << 16;
    const auto c =
        decode_as<CreateShader>(create(ObjectType::Shader, {7, 0, 5, 300, 1, 4, 0, 0, 0, output, 2, 0x41414141, 0}));
    EXPECT_EQ(c.stage, Stage::Vert);
    EXPECT_TRUE(c.first);
    EXPECT_EQ(c.length_or_offset, 5u);
    EXPECT_THAT(c.so_strides, ElementsAre(4, 0, 0, 0));
    ASSERT_EQ(c.so_outputs.size(), 2u);
    const StreamOutput o = stream_output(c, 0);
    EXPECT_EQ(o.register_index, 3);
    EXPECT_EQ(o.first_component, 1);
    EXPECT_EQ(o.component_count, 2);
    EXPECT_EQ(o.buffer, 1);
    EXPECT_EQ(o.offset, 7);
    EXPECT_EQ(o.stream, 2);
    EXPECT_EQ(c.text.size(), 2u);

    const auto compute = decode_as<CreateShader>(create(ObjectType::Shader, {7, 5, 5, 300, 4096, 0x41414141, 0}));
    EXPECT_EQ(compute.shared_bytes, 4096u);
    EXPECT_EQ(compute.text.size(), 2u);

    expect_refused(create(ObjectType::Shader, {7, 0, 5, 300, 65}), DecodeProblem::Slot, 5);
    expect_refused(create(ObjectType::Shader, {7, 0, 0x80000005, 300, 1, 4, 0, 0, 0, output, 0}), DecodeProblem::Slot,
                   5);
    expect_refused(create(ObjectType::Shader, {7, 0, 5, 300, 1, 4, 0, 0, 0, output}), DecodeProblem::Length);
    expect_refused(create(ObjectType::Shader, {7, 0, 5, 300, 1, 4, 0, 0, 0, 3 | 3 << 8 | 2 << 10, 0}),
                   DecodeProblem::Enumerant, 10);
    expect_refused(create(ObjectType::Shader, {7, 0, (16u << 20) + 1, 300, 0}), DecodeProblem::Slot, 3);
}

TEST(Decode, StringMarkersHoldTheirText) {
    EXPECT_EQ(decode_as<StringMarker>(command(CommandId::SendStringMarker, {5, 1, 2})).bytes, 5u);
    expect_refused(command(CommandId::SendStringMarker, {9, 1, 2}), DecodeProblem::Length, 1);
}

TEST(Decode, DamagedCommandsNeverReachOutside) {
    // ASan checks the accesses; here, that decoding always ends at the end of the buffer or at an error inside it.
    std::mt19937 engine(1);
    const auto random = [&](uint32_t below) { return static_cast<uint32_t>(engine()) % below; };
    const auto all = samples();
    size_t decoded = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        Buffer buffer;
        for (uint32_t i = 0; i < 4; i++) buffer = buffer + all[random(static_cast<uint32_t>(all.size()))].buffer;
        const auto size = static_cast<uint32_t>(buffer.size());
        for (uint32_t i = random(3); i > 0; i--) buffer[random(size)] ^= 1u << random(32);
        buffer.resize(size - random(2));
        for (size_t position = 0; position < buffer.size();) {
            const size_t before = position;
            const auto result = decode_command(buffer, position);
            if (!result) {
                refused++;
                EXPECT_LE(result.error().position + result.error().word, buffer.size());
                break;
            }
            decoded++;
            EXPECT_GT(position, before);
            EXPECT_LE(position, buffer.size());
        }
    }
    EXPECT_GT(decoded, 20000u);
    EXPECT_GT(refused, 5000u);
}

}  // namespace
}  // namespace tgsi2spv::virgl

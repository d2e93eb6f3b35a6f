#include "virgl/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "virgl/fields.h"

namespace tgsi2spv::virgl {
namespace {

Command bind_object(Fields& fields) {
    switch (fields.object()) {
        case ObjectType::Blend:
        case ObjectType::Rasterizer:
        case ObjectType::DepthStencilAlpha:
        case ObjectType::VertexElements:
            break;
        default:
            fields.fail(DecodeProblem::Unknown, 0);
    }
    return BindObject{fields.object(), fields.u32(1)};
}

Command destroy_object(Fields& fields) {
    if (fields.object() < ObjectType::Blend || fields.object() > ObjectType::MsaaSurface)
        fields.fail(DecodeProblem::Unknown, 0);
    return DestroyObject{fields.object(), fields.u32(1)};
}

Command viewports(Fields& fields) {
    SetViewports c{};
    c.count = fields.elements(1, 6, kMaxViewports);
    c.start = fields.u32(1);
    fields.slots(1, c.start, c.count, kMaxViewports);
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 2 + 6 * size_t{i};
        c.viewports[i] = {fields.floats<3>(n), fields.floats<3>(n + 3)};
    }
    return c;
}

Scissor scissor(const Fields& fields, size_t n) {
    return {fields.low16(n), fields.high16(n), fields.low16(n + 1), fields.high16(n + 1)};
}

Command scissors(Fields& fields) {
    SetScissors c{};
    c.count = fields.elements(1, 2, kMaxViewports);
    c.start = fields.u32(1);
    fields.slots(1, c.start, c.count, kMaxViewports);
    for (uint32_t i = 0; i < c.count; i++) c.scissors[i] = scissor(fields, 2 + 2 * size_t{i});
    return c;
}

Command framebuffer(Fields& fields) {
    const uint32_t count = fields.elements(2, 1, kMaxColorBuffers);
    if (fields.u32(1) != count) fields.fail(DecodeProblem::Length, 1, count);
    return SetFramebuffer{fields.u32(2), fields.rest(3)};
}

Command framebuffer_no_attach(Fields& fields) {
    return SetFramebufferNoAttach{fields.low16(1), fields.high16(1), fields.low16(2), fields.high16(2)};
}

Command vertex_buffers(Fields& fields) {
    SetVertexBuffers c{};
    c.count = fields.elements(0, 3, kMaxVertexBuffers);
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 1 + 3 * size_t{i};
        c.buffers[i] = {fields.u32(n), fields.u32(n + 1), fields.u32(n + 2)};
    }
    return c;
}

Command index_buffer(Fields& fields) {
    if (fields.size() == 1 && fields.u32(1) == 0) return SetIndexBuffer{};
    fields.length_is(3);
    const uint32_t size = fields.u32(2);
    if (size != 1 && size != 2 && size != 4) fields.fail(DecodeProblem::Enumerant, 2);
    return SetIndexBuffer{fields.u32(1), size, fields.u32(3)};
}

Command constant_buffer(Fields& fields) {
    fields.elements(2, 1, UINT16_MAX);  // the largest length of a header: Mesa adds constants to those of programs
    fields.slots(2, fields.u32(2), 1, kMaxConstantBuffers);
    if (fields.u32(2) == 0) return SetConstantBuffer{fields.stage(1), fields.rest(3)};
    fields.length_is(2);  // Mesa unbinds slots of uniform buffers with this command, too
    return SetUniformBuffer{fields.stage(1), fields.u32(2), 0, 0, 0};
}

Command uniform_buffer(Fields& fields) {
    fields.slots(2, fields.u32(2), 1, kMaxConstantBuffers);
    return SetUniformBuffer{fields.stage(1), fields.u32(2), fields.u32(3), fields.u32(4), fields.u32(5)};
}

/// SET_SAMPLER_VIEWS, BIND_SAMPLER_STATES: a stage, the first slot, handles.
template <class C, uint32_t Most>
Command handles_from(Fields& fields) {
    const uint32_t count = fields.elements(2, 1, Most);
    fields.slots(2, fields.u32(2), count, Most);
    return C{fields.stage(1), fields.u32(2), fields.rest(3)};
}

Command streamout_targets(Fields& fields) {
    fields.elements(1, 1, kMaxStreamoutTargetsNamed);
    return SetStreamoutTargets{fields.u32(1), fields.rest(2)};
}

Command render_condition(Fields& fields) {
    return SetRenderCondition{fields.u32(1), fields.u32(2) != 0,
                              fields.enumerant(3, fields.u32(3), ConditionMode::ByRegionNoWait)};
}

Command shader_buffers(Fields& fields) {
    SetShaderBuffers c{};
    c.count = fields.elements(2, 3, kMaxShaderBuffers);
    c.stage = fields.stage(1);
    c.start = fields.u32(2);
    fields.slots(2, c.start, c.count, kMaxShaderBuffers);
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 3 + 3 * size_t{i};
        c.buffers[i] = {fields.u32(n), fields.u32(n + 1), fields.u32(n + 2)};
    }
    return c;
}

Command shader_images(Fields& fields) {
    SetShaderImages c{};
    c.count = fields.elements(2, 5, kMaxShaderImages);
    c.stage = fields.stage(1);
    c.start = fields.u32(2);
    fields.slots(2, c.start, c.count, kMaxShaderImages);
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 3 + 5 * size_t{i};
        if (fields.u32(n + 1) > (kImageRead | kImageWrite))
            fields.fail(DecodeProblem::Enumerant, n + 1, kImageRead | kImageWrite);
        c.images[i] = {fields.format(n), fields.u32(n + 2), fields.u32(n + 3), fields.u32(n + 4)};
    }
    return c;
}

Command clip_state(Fields& fields) {
    SetClipState c{};
    for (size_t i = 0; i < c.planes.size(); i++) c.planes[i] = fields.floats<4>(1 + 4 * i);
    return c;
}

Command polygon_stipple(Fields& fields) {
    return SetPolygonStipple{fields.rest(1)};
}

Command clear(Fields& fields) {
    return Clear{fields.u32(1), fields.words<4>(2), fields.f64(6), fields.u32(8)};
}

Command clear_surface(Fields& fields) {
    ClearSurface c{};
    c.obey_condition = fields.flag(1, 0);
    c.bits = fields.bits(1, 1, 3);
    c.surface = fields.u32(2);
    c.color = fields.words<4>(3);
    c.depth = fields.f64(3);
    c.stencil = fields.u32(5);
    c.x = fields.u32(7);
    c.y = fields.u32(8);
    c.width = fields.u32(9);
    c.height = fields.u32(10);
    return c;
}

Command clear_texture(Fields& fields) {
    return ClearTexture{fields.u32(1), fields.u32(2), fields.box(3), fields.words<4>(9)};
}

Command draw(Fields& fields) {
    if (fields.size() != 12 && fields.size() != 14 && fields.size() != 20) fields.fail(DecodeProblem::Length, 0);
    Draw c{};
    c.start = fields.u32(1);
    c.count = fields.u32(2);
    c.mode = fields.enumerant(3, fields.u32(3), Primitive::Patches);
    c.indexed = fields.u32(4) != 0;
    c.instance_count = std::max(fields.u32(5), 1u);
    c.index_bias = fields.i32(6);
    c.start_instance = fields.u32(7);
    c.primitive_restart = fields.u32(8) != 0;
    c.restart_index = fields.u32(9);
    c.count_from_streamout = fields.u32(12);
    c.vertices_per_patch = fields.u32(13);
    c.draw_id = fields.u32(14);
    c.indirect_resource = fields.u32(15);
    c.indirect_offset = fields.u32(16);
    c.indirect_stride = fields.u32(17);
    c.indirect_draw_count = fields.u32(18);
    c.indirect_count_offset = fields.u32(19);
    c.indirect_count_resource = fields.u32(20);
    return c;
}

Command launch_grid(Fields& fields) {
    return LaunchGrid{fields.words<3>(1), fields.words<3>(4), fields.u32(7), fields.u32(8)};
}

BlitSide blit_side(Fields& fields, size_t n) {
    return {fields.u32(n),     fields.u32(n + 1), fields.format(n + 2), fields.i32(n + 3), fields.i32(n + 4),
            fields.i32(n + 5), fields.i32(n + 6), fields.i32(n + 7),    fields.i32(n + 8)};
}

Command blit(Fields& fields) {
    Blit c{};
    c.mask = fields.bits(1, 0, 8);
    if (c.mask & ~(kBlitColor | kBlitDepth | kBlitStencil)) fields.fail(DecodeProblem::Enumerant, 1);
    c.filter = fields.enumerant(1, fields.bits(1, 8, 2), Filter::Linear);
    c.scissor_enable = fields.flag(1, 10);
    c.obey_condition = fields.flag(1, 11);
    c.alpha_blend = fields.flag(1, 12);
    c.scissor = scissor(fields, 2);
    c.dst = blit_side(fields, 4);
    c.src = blit_side(fields, 13);
    return c;
}

Command copy_region(Fields& fields) {
    return CopyRegion{fields.u32(1), fields.u32(2), fields.u32(3), fields.u32(4),
                      fields.u32(5), fields.u32(6), fields.u32(7), fields.box(8)};
}

/// Word 3 is a usage hint.
TransferRequest transfer_request(const Fields& fields) {
    return {fields.u32(1), fields.u32(2), fields.u32(4), fields.u32(5), fields.box(6)};
}

Command inline_write(Fields& fields) {
    fields.elements(11, 1, kMaxBufferWords);
    return InlineWrite{transfer_request(fields), fields.rest(12)};
}

Command transfer(Fields& fields) {
    if (fields.u32(13) != 1 && fields.u32(13) != 2) fields.fail(DecodeProblem::Enumerant, 13);
    return Transfer{transfer_request(fields), fields.u32(12), fields.u32(13) == 1};
}

Command copy_transfer(Fields& fields) {
    return CopyTransfer{transfer_request(fields), fields.u32(12), fields.u32(13), fields.flag(14, 1)};
}

Command query_result_qbo(Fields& fields) {
    return GetQueryResultQbo{fields.u32(1), fields.u32(2), fields.enumerant(4, fields.u32(4), QboType::U64),
                             fields.u32(5), fields.i32(6)};
}

Command string_marker(Fields& fields) {
    fields.elements(1, 1, kMaxBufferWords);
    const Words text = fields.rest(2);
    if (fields.u32(1) > text.size_bytes()) fields.fail(DecodeProblem::Length, 1, text.size_bytes());
    return StringMarker{fields.u32(1), text};
}

Command describe_buffer(Fields& fields) {
    // Word 10: flags, of which the front end's request tells
    const auto w = fields.words<9>(1);
    return DescribeBuffer{fields.u32(11), {0, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]}};
}

template <class C>
Command one_word(Fields& fields) {
    return C{fields.u32(1)};
}

constexpr size_t kAnyLength = SIZE_MAX;  // the function checks it

template <CommandId Id>
Command ignored(Fields&) {
    return Ignored{Id};
}

struct Decoder {
    CommandId id;
    size_t words;
    Command (*decode)(Fields&);
};
constexpr Decoder kDecoders[] = {
    {CommandId::Nop, kAnyLength, ignored<CommandId::Nop>},
    {CommandId::EndTransfers, kAnyLength, ignored<CommandId::EndTransfers>},
    {CommandId::SetDebugFlags, kAnyLength, ignored<CommandId::SetDebugFlags>},
    {CommandId::SetTweaks, 2, ignored<CommandId::SetTweaks>},
    {CommandId::CreateObject, kAnyLength, decode_object},
    {CommandId::BindObject, 1, bind_object},
    {CommandId::DestroyObject, 1, destroy_object},
    {CommandId::SetViewportState, kAnyLength, viewports},
    {CommandId::SetFramebufferState, kAnyLength, framebuffer},
    {CommandId::SetFramebufferStateNoAttach, 2, framebuffer_no_attach},
    {CommandId::SetVertexBuffers, kAnyLength, vertex_buffers},
    {CommandId::SetIndexBuffer, kAnyLength, index_buffer},
    {CommandId::SetConstantBuffer, kAnyLength, constant_buffer},
    {CommandId::SetUniformBuffer, 5, uniform_buffer},
    {CommandId::SetSamplerViews, kAnyLength, handles_from<SetSamplerViews, kMaxSamplerViews>},
    {CommandId::BindSamplerStates, kAnyLength, handles_from<BindSamplerStates, kMaxSamplerStates>},
    {CommandId::SetStencilRef, 1,
     [](Fields& fields) -> Command {
         return SetStencilRef{static_cast<uint8_t>(fields.bits(1, 0, 8)), static_cast<uint8_t>(fields.bits(1, 8, 8))};
     }},
    {CommandId::SetBlendColor, 4, [](Fields& fields) -> Command { return SetBlendColor{fields.floats<4>(1)}; }},
    {CommandId::SetScissorState, kAnyLength, scissors},
    {CommandId::SetPolygonStipple, 32, polygon_stipple},
    {CommandId::SetClipState, 32, clip_state},
    {CommandId::SetSampleMask, 1, one_word<SetSampleMask>},
    {CommandId::SetMinSamples, 1, one_word<SetMinSamples>},
    {CommandId::SetStreamoutTargets, kAnyLength, streamout_targets},
    {CommandId::SetRenderCondition, 3, render_condition},
    {CommandId::BindShader, 2,
     [](Fields& fields) -> Command {
         return BindShader{fields.stage(2), fields.u32(1)};
     }},
    {CommandId::SetTessState, 6,
     [](Fields& fields) -> Command {
         return SetTessState{fields.floats<4>(1), fields.floats<2>(5)};
     }},
    {CommandId::SetShaderBuffers, kAnyLength, shader_buffers},
    {CommandId::SetShaderImages, kAnyLength, shader_images},
    {CommandId::MemoryBarrier, 1, one_word<MemoryBarrier>},
    {CommandId::TextureBarrier, 1, one_word<TextureBarrier>},
    {CommandId::Clear, 8, clear},
    {CommandId::ClearSurface, 10, clear_surface},
    {CommandId::ClearTexture, 12, clear_texture},
    {CommandId::DrawVbo, kAnyLength, draw},
    {CommandId::LaunchGrid, 8, launch_grid},
    {CommandId::Blit, 21, blit},
    {CommandId::ResourceCopyRegion, 13, copy_region},
    {CommandId::ResourceInlineWrite, kAnyLength, inline_write},
    {CommandId::Transfer3d, 13, transfer},
    {CommandId::CopyTransfer3d, 14, copy_transfer},
    {CommandId::BeginQuery, 1, one_word<BeginQuery>},
    {CommandId::EndQuery, 1, one_word<EndQuery>},
    {CommandId::GetQueryResult, 2, one_word<GetQueryResult>},
    {CommandId::GetQueryResultQbo, 6, query_result_qbo},
    {CommandId::SetSubCtx, 1, one_word<SetSubCtx>},
    {CommandId::CreateSubCtx, 1, one_word<CreateSubCtx>},
    {CommandId::DestroySubCtx, 1, one_word<DestroySubCtx>},
    {CommandId::LinkShader, 6, ignored<CommandId::LinkShader>},
    {CommandId::SendStringMarker, kAnyLength, string_marker},
    {CommandId::PipeResourceCreate, 11, describe_buffer},
};

constexpr auto kDecoderOf = [] {
    std::array<const Decoder*, 256> by_id{};
    for (const Decoder& d : kDecoders) by_id[static_cast<uint8_t>(d.id)] = &d;
    return by_id;
}();

Command decode_body(CommandId id, Fields& fields) {
    if (const Decoder* const decoder = kDecoderOf[static_cast<uint8_t>(id)]; decoder != nullptr) {
        if (decoder->words != kAnyLength) fields.length_is(decoder->words);
        return decoder->decode(fields);
    }
    // Imported memory, layouts, atomic counters and numbers of memory need bits that the caps leave 0.
    const bool unoffered = (static_cast<uint8_t>(id) >= 53 && static_cast<uint8_t>(id) <= 61) ||  // video
                           id == CommandId::PipeResourceSetType || id == CommandId::GetPipeResourceLayout ||
                           id == CommandId::SetAtomicBuffers || id == CommandId::GetMemoryInfo;
    fields.fail(unoffered ? DecodeProblem::NotOffered : DecodeProblem::Unknown, 0);
    return Ignored{id};
}

std::string reason(const DecodeError& error) {
    const auto with_limit = [&](std::string_view one, std::string_view limited) {
        return error.limit == 0 ? fmt::format(fmt::runtime(one), error.value)
                                : fmt::format(fmt::runtime(limited), error.value, error.limit);
    };
    switch (error.problem) {
        case DecodeProblem::Truncated:
            return fmt::format("has {} words, but {} are left in the buffer", error.value, error.limit);
        case DecodeProblem::Unknown:
            return "does not exist";
        case DecodeProblem::NotOffered:
            return "needs a capability that is not offered";
        case DecodeProblem::Length:
            return with_limit("has a wrong length of {}", "has a length of {}, where {} is needed");
        case DecodeProblem::Handle:
            return "has handle 0";
        case DecodeProblem::Enumerant:
            return with_limit("has the value {}, which does not exist", "has the value {}, where the last is {}");
        case DecodeProblem::Slot:
            return with_limit("has a slot, count or size of {}, which does not exist",
                              "has a slot, count or size of {}, where {} is the limit");
    }
    return "";
}

}  // namespace

std::string describe(const DecodeError& error) {
    return fmt::format("command {} (object type {}) at word {} {} (word {} of the command)",
                       static_cast<unsigned>(error.id), static_cast<unsigned>(error.object), error.position,
                       reason(error), error.word);
}

tl::expected<Command, DecodeError> decode_command(Words buffer, size_t& position) {
    const uint32_t header = buffer[position];
    const auto id = static_cast<CommandId>(header & 0xff);
    const auto object = static_cast<ObjectType>(header >> 8 & 0xff);
    const size_t length = header >> 16;
    const size_t start = position;
    if (length > buffer.size() - start - 1)
        return tl::unexpected(
            DecodeError{DecodeProblem::Truncated, id, object, start, 0, length, buffer.size() - start - 1});
    Fields f(buffer.subspan(start + 1, length), object);
    Command command = decode_body(id, f);
    if (f.failed()) return tl::unexpected(f.error(id, start));
    position = start + 1 + length;
    return command;
}

}  // namespace tgsi2spv::virgl

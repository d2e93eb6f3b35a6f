#include "virgl/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "virgl/fields.h"

namespace tgsi2spv::virgl {
namespace {

bool object_type_exists(ObjectType type) {
    return type >= ObjectType::Blend && type <= ObjectType::MsaaSurface;
}

Command bind_object(Fields& f) {
    f.length_is(1);
    switch (f.object()) {
        case ObjectType::Blend:
        case ObjectType::Rasterizer:
        case ObjectType::DepthStencilAlpha:
        case ObjectType::VertexElements:
            break;
        default:
            f.fail(DecodeProblem::Unknown, 0);
    }
    return BindObject{f.object(), f.u32(1)};
}

Command destroy_object(Fields& f) {
    f.length_is(1);
    if (!object_type_exists(f.object())) f.fail(DecodeProblem::Unknown, 0);
    return DestroyObject{f.object(), f.u32(1)};
}

Command viewports(Fields& f) {
    SetViewports c{};
    c.count = f.elements(1, 6, kMaxViewports);
    c.start = f.u32(1);
    f.slots(1, c.start, c.count, kMaxViewports);
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 2 + 6 * size_t{i};
        c.viewports[i] = {f.floats<3>(n), f.floats<3>(n + 3)};
    }
    return c;
}

Scissor scissor(const Fields& f, size_t n) {
    return {f.low16(n), f.high16(n), f.low16(n + 1), f.high16(n + 1)};
}

Command scissors(Fields& f) {
    SetScissors c{};
    c.count = f.elements(1, 2, kMaxViewports);
    c.start = f.u32(1);
    f.slots(1, c.start, c.count, kMaxViewports);
    for (uint32_t i = 0; i < c.count; i++) c.scissors[i] = scissor(f, 2 + 2 * size_t{i});
    return c;
}

Command framebuffer(Fields& f) {
    const uint32_t count = f.elements(2, 1, kMaxColorBuffers);
    if (f.u32(1) != count) f.fail(DecodeProblem::Length, 1);
    return SetFramebuffer{f.u32(2), f.rest(3)};
}

Command framebuffer_no_attach(Fields& f) {
    f.length_is(2);
    return SetFramebufferNoAttach{f.low16(1), f.high16(1), f.low16(2), f.high16(2)};
}

Command vertex_buffers(Fields& f) {
    SetVertexBuffers c{};
    c.count = f.elements(0, 3, kMaxVertexBuffers);
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 1 + 3 * size_t{i};
        c.buffers[i] = {f.u32(n), f.u32(n + 1), f.u32(n + 2)};
    }
    return c;
}

Command index_buffer(Fields& f) {
    if (f.size() == 1 && f.u32(1) == 0) return SetIndexBuffer{};
    f.length_is(3);
    const uint32_t size = f.u32(2);
    if (size != 1 && size != 2 && size != 4) f.fail(DecodeProblem::Enumerant, 2);
    return SetIndexBuffer{f.u32(1), size, f.u32(3)};
}

Command constant_buffer(Fields& f) {
    f.elements(2, 1, kMaxInlineConstants);
    f.slots(2, f.u32(2), 1, kMaxConstantBuffers);
    if (f.u32(2) == 0) return SetConstantBuffer{f.stage(1), f.rest(3)};
    f.length_is(2);  // Mesa unbinds slots of uniform buffers with this command, too
    return SetUniformBuffer{f.stage(1), f.u32(2), 0, 0, 0};
}

Command uniform_buffer(Fields& f) {
    f.length_is(5);
    f.slots(2, f.u32(2), 1, kMaxConstantBuffers);
    return SetUniformBuffer{f.stage(1), f.u32(2), f.u32(3), f.u32(4), f.u32(5)};
}

/// SET_SAMPLER_VIEWS, BIND_SAMPLER_STATES: a stage, the first slot, handles.
template <class C>
Command handles_from(Fields& f, uint32_t most) {
    const uint32_t count = f.elements(2, 1, most);
    f.slots(2, f.u32(2), count, most);
    return C{f.stage(1), f.u32(2), f.rest(3)};
}

Command streamout_targets(Fields& f) {
    f.elements(1, 1, kMaxStreamoutTargetsNamed);
    return SetStreamoutTargets{f.u32(1), f.rest(2)};
}

Command render_condition(Fields& f) {
    f.length_is(3);
    return SetRenderCondition{f.u32(1), f.u32(2) != 0, f.enumerant(3, f.u32(3), ConditionMode::ByRegionNoWait)};
}

/// The ranges of SET_SHADER_BUFFERS and SET_ATOMIC_BUFFERS, from word n on; `start` is the first slot.
template <size_t N>
uint32_t buffer_ranges(Fields& f, size_t n, uint32_t start, std::array<BufferRange, N>& ranges) {
    const uint32_t count = f.elements(n - 1, 3, N);
    f.slots(n - 1, start, count, N);
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = n + 3 * size_t{i};
        ranges[i] = {f.u32(at), f.u32(at + 1), f.u32(at + 2)};
    }
    return count;
}

Command shader_buffers(Fields& f) {
    SetShaderBuffers c{};
    c.stage = f.stage(1);
    c.start = f.u32(2);
    c.count = buffer_ranges(f, 3, c.start, c.buffers);
    return c;
}

Command atomic_buffers(Fields& f) {
    SetAtomicBuffers c{};
    c.start = f.u32(1);
    c.count = buffer_ranges(f, 2, c.start, c.buffers);
    return c;
}

Command shader_images(Fields& f) {
    SetShaderImages c{};
    c.count = f.elements(2, 5, kMaxShaderImages);
    c.stage = f.stage(1);
    c.start = f.u32(2);
    f.slots(2, c.start, c.count, kMaxShaderImages);
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 3 + 5 * size_t{i};
        if (f.u32(n + 1) > (kImageRead | kImageWrite)) f.fail(DecodeProblem::Enumerant, n + 1);
        c.images[i] = {f.format(n), static_cast<uint8_t>(f.u32(n + 1)), f.u32(n + 2), f.u32(n + 3), f.u32(n + 4)};
    }
    return c;
}

Command clip_state(Fields& f) {
    SetClipState c{};
    f.length_is(32);
    for (size_t i = 0; i < c.planes.size(); i++) c.planes[i] = f.floats<4>(1 + 4 * i);
    return c;
}

Command polygon_stipple(Fields& f) {
    f.length_is(32);
    return SetPolygonStipple{f.rest(1)};
}

Command clear(Fields& f) {
    f.length_is(8);
    return Clear{f.u32(1), f.words<4>(2), f.f64(6), f.u32(8)};
}

Command clear_surface(Fields& f) {
    f.length_is(10);
    ClearSurface c{};
    c.obey_condition = f.flag(1, 0);
    c.bits = f.bits(1, 1, 3);
    c.surface = f.u32(2);
    c.color = f.words<4>(3);
    c.depth = f.f64(3);
    c.stencil = f.u32(5);
    c.x = f.u32(7);
    c.y = f.u32(8);
    c.width = f.u32(9);
    c.height = f.u32(10);
    return c;
}

Command clear_texture(Fields& f) {
    f.length_is(12);
    return ClearTexture{f.u32(1), f.u32(2), f.box(3), f.words<4>(9)};
}

Command draw(Fields& f) {
    if (f.size() != 12 && f.size() != 14 && f.size() != 20) f.fail(DecodeProblem::Length, 0);
    Draw c{};
    c.start = f.u32(1);
    c.count = f.u32(2);
    c.mode = f.enumerant(3, f.u32(3), Primitive::Patches);
    c.indexed = f.u32(4) != 0;
    c.instance_count = std::max(f.u32(5), 1u);
    c.index_bias = f.i32(6);
    c.start_instance = f.u32(7);
    c.primitive_restart = f.u32(8) != 0;
    c.restart_index = f.u32(9);
    c.min_index = f.u32(10);
    c.max_index = f.u32(11);
    c.count_from_streamout = f.u32(12);
    c.vertices_per_patch = f.u32(13);
    c.draw_id = f.u32(14);
    c.indirect_resource = f.u32(15);
    c.indirect_offset = f.u32(16);
    c.indirect_stride = f.u32(17);
    c.indirect_draw_count = f.u32(18);
    c.indirect_count_offset = f.u32(19);
    c.indirect_count_resource = f.u32(20);
    return c;
}

Command launch_grid(Fields& f) {
    f.length_is(8);
    return LaunchGrid{f.words<3>(1), f.words<3>(4), f.u32(7), f.u32(8)};
}

BlitSide blit_side(Fields& f, size_t n) {
    return {f.u32(n),     f.u32(n + 1), f.format(n + 2), f.i32(n + 3), f.i32(n + 4),
            f.i32(n + 5), f.i32(n + 6), f.i32(n + 7),    f.i32(n + 8)};
}

Command blit(Fields& f) {
    f.length_is(21);
    Blit c{};
    c.mask = f.bits(1, 0, 8);
    if (c.mask & ~(kBlitColor | kBlitDepth | kBlitStencil)) f.fail(DecodeProblem::Enumerant, 1);
    c.filter = f.enumerant(1, f.bits(1, 8, 2), Filter::Linear);
    c.scissor_enable = f.flag(1, 10);
    c.obey_condition = f.flag(1, 11);
    c.alpha_blend = f.flag(1, 12);
    c.scissor = scissor(f, 2);
    c.dst = blit_side(f, 4);
    c.src = blit_side(f, 13);
    return c;
}

Command copy_region(Fields& f) {
    f.length_is(13);
    return CopyRegion{f.u32(1), f.u32(2), f.u32(3), f.u32(4), f.u32(5), f.u32(6), f.u32(7), f.box(8)};
}

Command inline_write(Fields& f) {
    f.elements(11, 1, kMaxBufferWords);
    // Word 3 is a usage hint.
    return InlineWrite{f.u32(1), f.u32(2), f.u32(4), f.u32(5), f.box(6), f.rest(12)};
}

Command transfer(Fields& f) {
    f.length_is(13);
    if (f.u32(13) != 1 && f.u32(13) != 2) f.fail(DecodeProblem::Enumerant, 13);
    return Transfer{f.u32(1), f.u32(2), f.u32(4), f.u32(5), f.box(6), f.u32(12), f.u32(13) == 1};
}

Command copy_transfer(Fields& f) {
    f.length_is(14);
    return CopyTransfer{f.u32(1),  f.u32(2),  f.u32(4),      f.u32(5),     f.box(6),
                        f.u32(12), f.u32(13), f.flag(14, 0), f.flag(14, 1)};
}

Command query_result_qbo(Fields& f) {
    f.length_is(6);
    return GetQueryResultQbo{f.u32(1), f.u32(2), f.u32(3) != 0, f.enumerant(4, f.u32(4), QboType::U64),
                             f.u32(5), f.i32(6)};
}

Command string_marker(Fields& f) {
    f.elements(1, 1, kMaxBufferWords);
    const Words text = f.rest(2);
    if (f.u32(1) > text.size_bytes()) f.fail(DecodeProblem::Length, 1);
    return StringMarker{f.u32(1), text};
}

/// Commands of one word.
template <class C>
Command one_word(Fields& f) {
    f.length_is(1);
    return C{f.u32(1)};
}

/// A case for each command: longer than a screen, but each is a line or two.
Command decode_body(CommandId id, Fields& f) {
    switch (id) {
        case CommandId::Nop:
        case CommandId::EndTransfers:
        case CommandId::SetDebugFlags:
            return Ignored{id};
        case CommandId::SetTweaks:
            f.length_is(2);
            return Ignored{id};
        case CommandId::CreateObject:
            return decode_object(f);
        case CommandId::BindObject:
            return bind_object(f);
        case CommandId::DestroyObject:
            return destroy_object(f);
        case CommandId::SetViewportState:
            return viewports(f);
        case CommandId::SetFramebufferState:
            return framebuffer(f);
        case CommandId::SetFramebufferStateNoAttach:
            return framebuffer_no_attach(f);
        case CommandId::SetVertexBuffers:
            return vertex_buffers(f);
        case CommandId::SetIndexBuffer:
            return index_buffer(f);
        case CommandId::SetConstantBuffer:
            return constant_buffer(f);
        case CommandId::SetUniformBuffer:
            return uniform_buffer(f);
        case CommandId::SetSamplerViews:
            return handles_from<SetSamplerViews>(f, kMaxSamplerViews);
        case CommandId::BindSamplerStates:
            return handles_from<BindSamplerStates>(f, kMaxSamplerStates);
        case CommandId::SetStencilRef:
            f.length_is(1);
            return SetStencilRef{static_cast<uint8_t>(f.bits(1, 0, 8)), static_cast<uint8_t>(f.bits(1, 8, 8))};
        case CommandId::SetBlendColor:
            f.length_is(4);
            return SetBlendColor{f.floats<4>(1)};
        case CommandId::SetScissorState:
            return scissors(f);
        case CommandId::SetPolygonStipple:
            return polygon_stipple(f);
        case CommandId::SetClipState:
            return clip_state(f);
        case CommandId::SetSampleMask:
            return one_word<SetSampleMask>(f);
        case CommandId::SetMinSamples:
            return one_word<SetMinSamples>(f);
        case CommandId::SetStreamoutTargets:
            return streamout_targets(f);
        case CommandId::SetRenderCondition:
            return render_condition(f);
        case CommandId::BindShader:
            f.length_is(2);
            return BindShader{f.stage(2), f.u32(1)};
        case CommandId::SetTessState:
            f.length_is(6);
            return SetTessState{f.floats<4>(1), f.floats<2>(5)};
        case CommandId::SetShaderBuffers:
            return shader_buffers(f);
        case CommandId::SetShaderImages:
            return shader_images(f);
        case CommandId::SetAtomicBuffers:
            return atomic_buffers(f);
        case CommandId::MemoryBarrier:
            return one_word<MemoryBarrier>(f);
        case CommandId::TextureBarrier:
            return one_word<TextureBarrier>(f);
        case CommandId::Clear:
            return clear(f);
        case CommandId::ClearSurface:
            return clear_surface(f);
        case CommandId::ClearTexture:
            return clear_texture(f);
        case CommandId::DrawVbo:
            return draw(f);
        case CommandId::LaunchGrid:
            return launch_grid(f);
        case CommandId::Blit:
            return blit(f);
        case CommandId::ResourceCopyRegion:
            return copy_region(f);
        case CommandId::ResourceInlineWrite:
            return inline_write(f);
        case CommandId::Transfer3d:
            return transfer(f);
        case CommandId::CopyTransfer3d:
            return copy_transfer(f);
        case CommandId::BeginQuery:
            return one_word<BeginQuery>(f);
        case CommandId::EndQuery:
            return one_word<EndQuery>(f);
        case CommandId::GetQueryResult:
            f.length_is(2);
            return GetQueryResult{f.u32(1), f.u32(2) != 0};
        case CommandId::GetQueryResultQbo:
            return query_result_qbo(f);
        case CommandId::SetSubCtx:
            return one_word<SetSubCtx>(f);
        case CommandId::CreateSubCtx:
            return one_word<CreateSubCtx>(f);
        case CommandId::DestroySubCtx:
            return one_word<DestroySubCtx>(f);
        case CommandId::LinkShader:
            f.length_is(6);
            return LinkShader{f.words<6>(1)};
        case CommandId::GetMemoryInfo:
            return one_word<GetMemoryInfo>(f);
        case CommandId::SendStringMarker:
            return string_marker(f);
        // Blobs, imported memory and layouts need protocol 3 or bits that the caps leave 0.
        case CommandId::PipeResourceCreate:
        case CommandId::PipeResourceSetType:
        case CommandId::GetPipeResourceLayout:
            f.fail(DecodeProblem::NotOffered, 0);
            return Ignored{id};
    }
    const bool video = static_cast<uint8_t>(id) >= 53 && static_cast<uint8_t>(id) <= 61;
    f.fail(video ? DecodeProblem::NotOffered : DecodeProblem::Unknown, 0);
    return Ignored{id};
}

std::string_view reason(DecodeProblem problem) {
    switch (problem) {
        case DecodeProblem::Truncated:
            return "is longer than the rest of the buffer";
        case DecodeProblem::Unknown:
            return "does not exist";
        case DecodeProblem::NotOffered:
            return "needs a capability that is not offered";
        case DecodeProblem::Length:
            return "has a wrong length";
        case DecodeProblem::Handle:
            return "has handle 0";
        case DecodeProblem::Enumerant:
            return "has a value that does not exist";
        case DecodeProblem::Slot:
            return "has a slot, count or size beyond the limit";
    }
    return "";
}

}  // namespace

std::string describe(const DecodeError& error) {
    return fmt::format("command {} (object type {}) at word {} {} (word {} of the command)",
                       static_cast<unsigned>(error.id), static_cast<unsigned>(error.object), error.position,
                       reason(error.problem), error.word);
}

tl::expected<Command, DecodeError> decode_command(Words buffer, size_t& position) {
    const uint32_t header = buffer[position];
    const auto id = static_cast<CommandId>(header & 0xff);
    const auto object = static_cast<ObjectType>(header >> 8 & 0xff);
    const size_t length = header >> 16;
    const size_t start = position;
    if (length > buffer.size() - start - 1)
        return tl::unexpected(DecodeError{DecodeProblem::Truncated, id, object, start, 0});
    Fields f(buffer.subspan(start + 1, length), object);
    Command command = decode_body(id, f);
    if (f.failed()) return tl::unexpected(DecodeError{f.problem(), id, object, start, f.problem_word()});
    position = start + 1 + length;
    return command;
}

}  // namespace tgsi2spv::virgl

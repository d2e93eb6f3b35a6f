// CREATE_OBJECT, by type.
#include "virgl/fields.h"

namespace tgsi2spv::virgl {
namespace {

/// Bit n: factor n exists (protocol.h, BlendFactor).
constexpr uint32_t kBlendFactors = 0x07be07fe;

BlendFactor blend_factor(Fields& f, size_t word, uint32_t value) {
    if (kBlendFactors >> value & 1) return static_cast<BlendFactor>(value);
    f.fail(DecodeProblem::Enumerant, word);
    return BlendFactor::One;
}

BlendTarget blend_target(Fields& f, size_t word) {
    BlendTarget t{};
    t.write_mask = static_cast<uint8_t>(f.bits(word, 27, 4));
    t.enable = f.flag(word, 0);
    if (!t.enable) return t;  // guests leave the rest 0
    t.color_op = f.enumerant(word, f.bits(word, 1, 3), BlendOp::Max);
    t.color_src = blend_factor(f, word, f.bits(word, 4, 5));
    t.color_dst = blend_factor(f, word, f.bits(word, 9, 5));
    t.alpha_op = f.enumerant(word, f.bits(word, 14, 3), BlendOp::Max);
    t.alpha_src = blend_factor(f, word, f.bits(word, 17, 5));
    t.alpha_dst = blend_factor(f, word, f.bits(word, 22, 5));
    return t;
}

CreateBlend blend(Fields& f) {
    CreateBlend c{};
    if (!f.length_is(11)) return c;
    c.handle = f.handle();
    c.independent = f.flag(2, 0);
    c.logic_op_enable = f.flag(2, 1);
    c.dither = f.flag(2, 2);
    c.alpha_to_coverage = f.flag(2, 3);
    c.alpha_to_one = f.flag(2, 4);
    c.logic_op = f.enumerant(3, f.bits(3, 0, 4), LogicOp::Set);
    const size_t count = c.independent ? c.targets.size() : 1;
    for (size_t i = 0; i < count; i++) c.targets[i] = blend_target(f, 4 + i);
    return c;
}

CreateRasterizer rasterizer(Fields& f) {
    CreateRasterizer c{};
    if (!f.length_is(9)) return c;
    c.handle = f.handle();
    c.flatshade = f.flag(2, 0);
    c.depth_clip = f.flag(2, 1);
    c.clip_halfz = f.flag(2, 2);
    c.discard = f.flag(2, 3);
    c.flatshade_first = f.flag(2, 4);
    c.two_sided = f.flag(2, 5);
    c.sprite_origin_lower_left = f.flag(2, 6);
    c.point_quads = f.flag(2, 7);
    c.cull = static_cast<uint8_t>(f.bits(2, 8, 2));
    c.fill_front = f.enumerant(2, f.bits(2, 10, 2), FillMode::Point);
    c.fill_back = f.enumerant(2, f.bits(2, 12, 2), FillMode::Point);
    c.scissor = f.flag(2, 14);
    c.front_ccw = f.flag(2, 15);
    c.clamp_vertex_color = f.flag(2, 16);
    c.clamp_fragment_color = f.flag(2, 17);
    c.offset_line = f.flag(2, 18);
    c.offset_point = f.flag(2, 19);
    c.offset_tri = f.flag(2, 20);
    c.poly_smooth = f.flag(2, 21);
    c.poly_stipple = f.flag(2, 22);
    c.point_smooth = f.flag(2, 23);
    c.point_size_per_vertex = f.flag(2, 24);
    c.multisample = f.flag(2, 25);
    c.line_smooth = f.flag(2, 26);
    c.line_stipple = f.flag(2, 27);
    c.line_last_pixel = f.flag(2, 28);
    c.half_pixel_center = f.flag(2, 29);
    c.bottom_edge_rule = f.flag(2, 30);
    c.force_persample = f.flag(2, 31);
    c.point_size = f.f32(3);
    c.sprite_mask = f.u32(4);
    c.stipple_pattern = f.low16(5);
    c.stipple_factor = static_cast<uint16_t>(f.bits(5, 16, 8) + 1);
    c.clip_planes = static_cast<uint8_t>(f.bits(5, 24, 8));
    c.line_width = f.f32(6);
    c.offset_units = f.f32(7);
    c.offset_scale = f.f32(8);
    c.offset_clamp = f.f32(9);
    return c;
}

StencilFace stencil_face(Fields& f, size_t word) {
    StencilFace face{};
    face.enable = f.flag(word, 0);
    face.func = static_cast<CompareOp>(f.bits(word, 1, 3));
    face.fail = static_cast<StencilOp>(f.bits(word, 4, 3));
    face.depth_pass = static_cast<StencilOp>(f.bits(word, 7, 3));
    face.depth_fail = static_cast<StencilOp>(f.bits(word, 10, 3));
    face.value_mask = static_cast<uint8_t>(f.bits(word, 13, 8));
    face.write_mask = static_cast<uint8_t>(f.bits(word, 21, 8));
    return face;
}

CreateDepthStencilAlpha depth_stencil_alpha(Fields& f) {
    CreateDepthStencilAlpha c{};
    if (!f.length_is(5)) return c;
    c.handle = f.handle();
    c.depth_enable = f.flag(2, 0);
    c.depth_write = f.flag(2, 1);
    c.depth_func = static_cast<CompareOp>(f.bits(2, 2, 3));
    c.alpha_enable = f.flag(2, 8);
    c.alpha_func = static_cast<CompareOp>(f.bits(2, 9, 3));
    c.front = stencil_face(f, 3);
    c.back = stencil_face(f, 4);
    c.alpha_ref = f.f32(5);
    return c;
}

CreateShader shader(Fields& f) {
    constexpr uint32_t kContinuation = 1u << 31;
    CreateShader c{};
    if (f.size() < 5) f.fail(DecodeProblem::Length, 0);
    c.handle = f.handle();
    c.stage = f.stage(2);
    c.first = !(f.u32(3) & kContinuation);
    c.length_or_offset = f.u32(3) & ~kContinuation;
    if (c.length_or_offset > kMaxShaderText) f.fail(DecodeProblem::Slot, 3);
    size_t text = 6;
    if (c.stage == Stage::Comp) {
        c.shared_bytes = f.u32(5);
    } else if (const uint32_t outputs = f.u32(5); outputs > 0) {
        if (!c.first || outputs > kMaxStreamOutputs) f.fail(DecodeProblem::Slot, 5);
        text = 10 + 2 * size_t{outputs};
        if (f.size() + 1 < text) f.fail(DecodeProblem::Length, 0);
        if (f.failed()) return c;
        c.so_strides = f.words<4>(6);
        c.so_outputs = f.rest(10).first(2 * size_t{outputs});
        for (size_t i = 0; i < outputs; i++) {
            const StreamOutput o = stream_output(c, i);
            if (o.first_component + o.component_count > 4 || o.component_count == 0 || o.buffer >= kMaxStreamoutTargets)
                f.fail(DecodeProblem::Enumerant, 10 + 2 * i);
        }
    }
    c.text = f.rest(text);
    return c;
}

CreateVertexElements vertex_elements(Fields& f) {
    CreateVertexElements c{};
    c.count = f.elements(1, 4, kMaxVertexElements);
    c.handle = f.handle();
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 2 + 4 * size_t{i};
        if (f.u32(n + 2) >= kMaxVertexBuffers) f.fail(DecodeProblem::Slot, n + 2);
        c.elements[i] = {f.u32(n), f.u32(n + 1), static_cast<uint8_t>(f.u32(n + 2)), f.format(n + 3)};
    }
    return c;
}

CreateSamplerView sampler_view(Fields& f) {
    CreateSamplerView c{};
    if (!f.length_is(6)) return c;
    c.handle = f.handle();
    c.resource = f.u32(2);
    const uint32_t format = f.bits(3, 0, 24), target = f.bits(3, 24, 8);
    if (format > 0x1ff) f.fail(DecodeProblem::Enumerant, 3);
    c.format = static_cast<uint16_t>(format);
    c.target = f.enumerant(3, target, Target::CubeArray);
    c.first_or_layers = f.u32(4);
    c.last_or_levels = f.u32(5);
    for (unsigned i = 0; i < 4; i++) c.swizzle[i] = f.enumerant(6, f.bits(6, 3 * i, 3), Swizzle::One);
    return c;
}

CreateSamplerState sampler_state(Fields& f) {
    CreateSamplerState c{};
    if (!f.length_is(9)) return c;
    c.handle = f.handle();
    c.wrap_s = static_cast<Wrap>(f.bits(2, 0, 3));
    c.wrap_t = static_cast<Wrap>(f.bits(2, 3, 3));
    c.wrap_r = static_cast<Wrap>(f.bits(2, 6, 3));
    c.min_filter = f.enumerant(2, f.bits(2, 9, 2), Filter::Linear);
    c.mip_filter = f.enumerant(2, f.bits(2, 11, 2), MipFilter::None);
    c.mag_filter = f.enumerant(2, f.bits(2, 13, 2), Filter::Linear);
    c.compare_enable = f.flag(2, 15);
    c.compare = static_cast<CompareOp>(f.bits(2, 16, 3));
    c.seamless_cube = f.flag(2, 19);
    c.max_anisotropy = static_cast<uint8_t>(f.bits(2, 20, 5));
    c.lod_bias = f.f32(3);
    c.min_lod = f.f32(4);
    c.max_lod = f.f32(5);
    c.border = f.words<4>(6);
    return c;
}

CreateSurface surface(Fields& f) {
    const bool msaa = f.object() == ObjectType::MsaaSurface;
    CreateSurface c{};
    if (!f.length_is(msaa ? 6 : 5)) return c;
    c.handle = f.handle();
    c.resource = f.u32(2);
    c.format = f.format(3);
    c.level_or_first = f.u32(4);
    c.layers_or_last = f.u32(5);
    c.samples = msaa ? f.u32(6) : 0;
    return c;
}

CreateQuery query(Fields& f) {
    CreateQuery c{};
    if (!f.length_is(4)) return c;
    c.handle = f.handle();
    c.type = f.enumerant(2, f.low16(2), QueryType::AnyStreamoutOverflow);
    c.index = f.high16(2);
    c.offset = f.u32(3);
    c.resource = f.u32(4);
    return c;
}

CreateStreamoutTarget streamout_target(Fields& f) {
    CreateStreamoutTarget c{};
    if (!f.length_is(4)) return c;
    c = {f.handle(), f.u32(2), f.u32(3), f.u32(4)};
    return c;
}

}  // namespace

StreamOutput stream_output(const CreateShader& shader, size_t n) {
    const uint32_t word = shader.so_outputs[2 * n];
    return {.register_index = static_cast<uint8_t>(word),
            .first_component = static_cast<uint8_t>(word >> 8 & 3),
            .component_count = static_cast<uint8_t>(word >> 10 & 7),
            .buffer = static_cast<uint8_t>(word >> 13 & 7),
            .stream = static_cast<uint8_t>(shader.so_outputs[2 * n + 1] & 3),
            .offset = static_cast<uint16_t>(word >> 16)};
}

Command decode_object(Fields& f) {
    switch (f.object()) {
        case ObjectType::Blend:
            return blend(f);
        case ObjectType::Rasterizer:
            return rasterizer(f);
        case ObjectType::DepthStencilAlpha:
            return depth_stencil_alpha(f);
        case ObjectType::Shader:
            return shader(f);
        case ObjectType::VertexElements:
            return vertex_elements(f);
        case ObjectType::SamplerView:
            return sampler_view(f);
        case ObjectType::SamplerState:
            return sampler_state(f);
        case ObjectType::Surface:
        case ObjectType::MsaaSurface:
            return surface(f);
        case ObjectType::Query:
            return query(f);
        case ObjectType::StreamoutTarget:
            return streamout_target(f);
    }
    f.fail(DecodeProblem::Unknown, 0);
    return Ignored{CommandId::CreateObject};
}

}  // namespace tgsi2spv::virgl

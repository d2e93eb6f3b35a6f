// CREATE_OBJECT, by type.
#include "virgl/fields.h"

namespace tgsi2spv::virgl {
namespace {

/// Bit n: factor n exists (protocol.h, BlendFactor).
constexpr uint32_t kBlendFactors = 0x07be07fe;

BlendFactor blend_factor(Fields& fields, size_t word, uint32_t value) {
    if (kBlendFactors >> value & 1) return static_cast<BlendFactor>(value);
    fields.fail(DecodeProblem::Enumerant, word);
    return BlendFactor::One;
}

BlendTarget blend_target(Fields& fields, size_t word) {
    BlendTarget t{};
    t.write_mask = static_cast<uint8_t>(fields.bits(word, 27, 4));
    t.enable = fields.flag(word, 0);
    if (!t.enable) return t;  // guests leave the rest 0
    t.color_op = fields.enumerant(word, fields.bits(word, 1, 3), BlendOp::Max);
    t.color_src = blend_factor(fields, word, fields.bits(word, 4, 5));
    t.color_dst = blend_factor(fields, word, fields.bits(word, 9, 5));
    t.alpha_op = fields.enumerant(word, fields.bits(word, 14, 3), BlendOp::Max);
    t.alpha_src = blend_factor(fields, word, fields.bits(word, 17, 5));
    t.alpha_dst = blend_factor(fields, word, fields.bits(word, 22, 5));
    return t;
}

Command blend(Fields& fields) {
    CreateBlend c{};
    c.handle = fields.handle();
    c.independent = fields.flag(2, 0);
    c.logic_op_enable = fields.flag(2, 1);
    c.alpha_to_coverage = fields.flag(2, 3);
    c.alpha_to_one = fields.flag(2, 4);
    c.logic_op = fields.enumerant(3, fields.bits(3, 0, 4), LogicOp::Set);
    const size_t count = c.independent ? c.targets.size() : 1;
    for (size_t i = 0; i < count; i++) c.targets[i] = blend_target(fields, 4 + i);
    return c;
}

Command rasterizer(Fields& fields) {
    CreateRasterizer c{};
    c.handle = fields.handle();
    c.flatshade = fields.flag(2, 0);
    c.depth_clip = fields.flag(2, 1);
    c.clip_halfz = fields.flag(2, 2);
    c.discard = fields.flag(2, 3);
    c.flatshade_first = fields.flag(2, 4);
    c.two_sided = fields.flag(2, 5);
    c.sprite_origin_lower_left = fields.flag(2, 6);
    c.point_quads = fields.flag(2, 7);
    c.scissor = fields.flag(2, 14);
    c.front_ccw = fields.flag(2, 15);
    c.offset_line = fields.flag(2, 18);
    c.offset_point = fields.flag(2, 19);
    c.offset_tri = fields.flag(2, 20);
    c.poly_stipple = fields.flag(2, 22);
    c.point_size_per_vertex = fields.flag(2, 24);
    c.multisample = fields.flag(2, 25);
    c.line_smooth = fields.flag(2, 26);
    c.line_stipple = fields.flag(2, 27);
    c.force_persample = fields.flag(2, 31);
    c.cull = static_cast<uint8_t>(fields.bits(2, 8, 2));
    c.fill_front = fields.enumerant(2, fields.bits(2, 10, 2), FillMode::Point);
    c.fill_back = fields.enumerant(2, fields.bits(2, 12, 2), FillMode::Point);
    c.point_size = fields.f32(3);
    c.sprite_mask = fields.u32(4);
    c.stipple_pattern = fields.low16(5);
    c.stipple_factor = static_cast<uint16_t>(fields.bits(5, 16, 8) + 1);
    c.clip_planes = static_cast<uint8_t>(fields.bits(5, 24, 8));
    c.line_width = fields.f32(6);
    c.offset_units = fields.f32(7);
    c.offset_scale = fields.f32(8);
    c.offset_clamp = fields.f32(9);
    return c;
}

StencilFace stencil_face(Fields& fields, size_t word) {
    StencilFace face{};
    face.enable = fields.flag(word, 0);
    face.func = static_cast<CompareOp>(fields.bits(word, 1, 3));
    face.fail = static_cast<StencilOp>(fields.bits(word, 4, 3));
    face.depth_pass = static_cast<StencilOp>(fields.bits(word, 7, 3));
    face.depth_fail = static_cast<StencilOp>(fields.bits(word, 10, 3));
    face.value_mask = static_cast<uint8_t>(fields.bits(word, 13, 8));
    face.write_mask = static_cast<uint8_t>(fields.bits(word, 21, 8));
    return face;
}

Command depth_stencil_alpha(Fields& fields) {
    CreateDepthStencilAlpha c{};
    c.handle = fields.handle();
    c.depth_enable = fields.flag(2, 0);
    c.depth_write = fields.flag(2, 1);
    c.depth_func = static_cast<CompareOp>(fields.bits(2, 2, 3));
    c.alpha_enable = fields.flag(2, 8);
    c.alpha_func = static_cast<CompareOp>(fields.bits(2, 9, 3));
    c.front = stencil_face(fields, 3);
    c.back = stencil_face(fields, 4);
    c.alpha_ref = fields.f32(5);
    return c;
}

Command shader(Fields& fields) {
    constexpr uint32_t kContinuation = 1u << 31;
    CreateShader c{};
    if (fields.size() < 5) fields.fail(DecodeProblem::Length, 0, 5);
    c.handle = fields.handle();
    c.stage = fields.stage(2);
    c.first = !(fields.u32(3) & kContinuation);
    c.length_or_offset = fields.u32(3) & ~kContinuation;
    if (c.length_or_offset > kMaxShaderText) fields.fail(DecodeProblem::Slot, 3, c.length_or_offset, kMaxShaderText);
    size_t text = 6;
    if (c.stage == Stage::Comp) {
        c.shared_bytes = fields.u32(5);
    } else if (const uint32_t outputs = fields.u32(5); outputs > 0) {
        if (!c.first || outputs > kMaxStreamOutputs) fields.fail(DecodeProblem::Slot, 5, kMaxStreamOutputs);
        text = 10 + 2 * size_t{outputs};
        if (fields.size() + 1 < text) fields.fail(DecodeProblem::Length, 0, text - 1);
        if (fields.failed()) return c;
        c.so_strides = fields.words<4>(6);
        c.so_outputs = fields.rest(10).first(2 * size_t{outputs});
        for (size_t i = 0; i < outputs; i++) {
            const StreamOutput o = stream_output(c, i);
            if (o.first_component + o.component_count > 4 || o.component_count == 0 || o.buffer >= kMaxStreamoutTargets)
                fields.fail(DecodeProblem::Enumerant, 10 + 2 * i);
        }
    }
    c.text = fields.rest(text);
    return c;
}

Command vertex_elements(Fields& fields) {
    CreateVertexElements c{};
    c.count = fields.elements(1, 4, kMaxVertexElements);
    c.handle = fields.handle();
    for (uint32_t i = 0; i < c.count; i++) {
        const size_t n = 2 + 4 * size_t{i};
        if (fields.u32(n + 2) >= kMaxVertexBuffers) fields.fail(DecodeProblem::Slot, n + 2, kMaxVertexBuffers - 1);
        c.elements[i] = {fields.u32(n), fields.u32(n + 1), static_cast<uint8_t>(fields.u32(n + 2)),
                         fields.format(n + 3)};
    }
    return c;
}

Command sampler_view(Fields& fields) {
    CreateSamplerView c{};
    c.handle = fields.handle();
    c.resource = fields.u32(2);
    const uint32_t format = fields.bits(3, 0, 24), target = fields.bits(3, 24, 8);
    if (format > kMaxFormat) fields.fail(DecodeProblem::Enumerant, 3, format, kMaxFormat);
    c.format = static_cast<uint16_t>(format);
    c.target = fields.enumerant(3, target, Target::CubeArray);
    c.first_or_layers = fields.u32(4);
    c.last_or_levels = fields.u32(5);
    for (unsigned i = 0; i < 4; i++) c.swizzle[i] = fields.enumerant(6, fields.bits(6, 3 * i, 3), Swizzle::One);
    return c;
}

Command sampler_state(Fields& fields) {
    CreateSamplerState c{};
    c.handle = fields.handle();
    c.wrap_s = static_cast<Wrap>(fields.bits(2, 0, 3));
    c.wrap_t = static_cast<Wrap>(fields.bits(2, 3, 3));
    c.wrap_r = static_cast<Wrap>(fields.bits(2, 6, 3));
    c.min_filter = fields.enumerant(2, fields.bits(2, 9, 2), Filter::Linear);
    c.mip_filter = fields.enumerant(2, fields.bits(2, 11, 2), MipFilter::None);
    c.mag_filter = fields.enumerant(2, fields.bits(2, 13, 2), Filter::Linear);
    c.compare_enable = fields.flag(2, 15);
    c.compare = static_cast<CompareOp>(fields.bits(2, 16, 3));
    c.seamless_cube = fields.flag(2, 19);
    c.max_anisotropy = static_cast<uint8_t>(fields.bits(2, 20, 5));
    c.lod_bias = fields.f32(3);
    c.min_lod = fields.f32(4);
    c.max_lod = fields.f32(5);
    c.border = fields.words<4>(6);
    return c;
}

Command surface(Fields& fields) {
    CreateSurface c{};
    c.handle = fields.handle();
    c.resource = fields.u32(2);
    c.format = fields.format(3);
    c.level_or_first = fields.u32(4);
    c.layers_or_last = fields.u32(5);
    return c;
}

Command query(Fields& fields) {
    CreateQuery c{};
    c.handle = fields.handle();
    c.type = fields.enumerant(2, fields.low16(2), QueryType::AnyStreamoutOverflow);
    c.index = fields.high16(2);
    c.offset = fields.u32(3);
    c.resource = fields.u32(4);
    return c;
}

Command streamout_target(Fields& fields) {
    return CreateStreamoutTarget{fields.handle(), fields.u32(2), fields.u32(3), fields.u32(4)};
}

constexpr size_t kAnyLength = SIZE_MAX;  // the function checks it
struct Decoder {
    ObjectType type;
    size_t words;
    Command (*decode)(Fields&);
};
constexpr Decoder kDecoders[] = {{ObjectType::Blend, 11, blend},
                                 {ObjectType::Rasterizer, 9, rasterizer},
                                 {ObjectType::DepthStencilAlpha, 5, depth_stencil_alpha},
                                 {ObjectType::Shader, kAnyLength, shader},
                                 {ObjectType::VertexElements, kAnyLength, vertex_elements},
                                 {ObjectType::SamplerView, 6, sampler_view},
                                 {ObjectType::SamplerState, 9, sampler_state},
                                 {ObjectType::Surface, 5, surface},
                                 {ObjectType::MsaaSurface, 6, surface},
                                 {ObjectType::Query, 4, query},
                                 {ObjectType::StreamoutTarget, 4, streamout_target}};

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

Command decode_object(Fields& fields) {
    for (const Decoder& d : kDecoders) {
        if (d.type != fields.object()) continue;
        if (d.words != kAnyLength) fields.length_is(d.words);
        return d.decode(fields);
    }
    fields.fail(DecodeProblem::Unknown, 0);
    return Ignored{CommandId::CreateObject};
}

}  // namespace tgsi2spv::virgl

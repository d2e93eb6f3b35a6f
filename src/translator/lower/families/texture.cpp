// Texture instructions: from the message to descriptors and common operands. The classes of message are in
// texture_sample.cpp, texture_gather.cpp, texture_fetch.cpp, texture_query.cpp.
#include "lower/families/texture.h"

#include <algorithm>
#include <optional>

#include "lower/context/context.h"
#include "lower/families/families.h"
#include "lower/interface/resources.h"
#include "sampling/ops.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using sampling::Class;
using sampling::Dim;
using sampling::Message;
using sampling::Param;

namespace {

ir::ImageType image_type(const Operation& op, const Message& message) {
    ir::ImageType image;
    switch (message.surface.dim) {
        case Dim::Buffer:
            image.dim = ir::ImageDim::Buffer;
            break;
        case Dim::D1:
            image.dim = ir::ImageDim::D1;
            break;
        case Dim::D2:
            image.dim = ir::ImageDim::D2;
            break;
        case Dim::D3:
            image.dim = ir::ImageDim::D3;
            break;
        case Dim::Cube:
            image.dim = ir::ImageDim::Cube;
            break;
    }
    image.array = message.surface.array;
    image.ms = message.surface.ms;
    // A query on a comparison target queries the same image that the comparisons of the other instructions use.
    const bool shadow = message.surface.shadow || tgsi::shape(op.instruction.target).shadow;
    image.depth = shadow && !is_compared_in_shader(op, message);
    if (message.cls == Class::Fetch && message.surface.dim == Dim::Cube) {
        // Vulkan cannot fetch texels of a cube, but the same texture can have a view as an array of faces.
        image.dim = ir::ImageDim::D2;
        image.array = true;
    }
    const tgsi::ReturnType returns = message.bindless && !message.handle.present()
                                         ? tgsi::ReturnType::Unwritten
                                         : return_type(op, message.texture_source);
    if (!shadow && tgsi::is_integer(returns)) {
        image.sampled = Scalar::U32;
        image.sampled_is_signed = returns == tgsi::ReturnType::Sint;
    } else if (const uint32_t bits = normalized_bits(op, message); bits != 0) {
        image.sampled = Scalar::U32;
        image.sampled_is_signed = bits == 15;
    }
    return image;
}

/// Buffers have no sampler, and an array of faces is a different view from the cube that SAMP otherwise is.
ir::VariableKind texture_kind(const Operation& op, const Message& message, const ir::ImageType& image) {
    if (op.options.separate_samplers && !message.bindless) return ir::VariableKind::SampledImage;
    const bool faces = message.surface.dim == Dim::Cube && image.dim == ir::ImageDim::D2;
    if (message.separate || faces || image.dim == ir::ImageDim::Buffer) return ir::VariableKind::SampledImage;
    return ir::VariableKind::CombinedImage;
}

/// The kind of number that a component of the view returns, as far as an image type distinguishes it.
enum class Numbers : uint8_t { Float, Signed, Unsigned };
Numbers numbers(tgsi::ReturnType type) {
    if (type == tgsi::ReturnType::Sint) return Numbers::Signed;
    return type == tgsi::ReturnType::Uint ? Numbers::Unsigned : Numbers::Float;
}

/// DCL SVIEW with four types: to an image, floats and all normalised numbers are one type; integers are not.
bool has_one_type(const Operation& op, int source) {
    const tgsi::Declaration* view = view_of(op, source);
    if (view == nullptr) return true;
    const auto& returns = view->returns;
    return std::all_of(std::begin(returns), std::end(returns), [&](tgsi::ReturnType r) {
        return r == tgsi::ReturnType::Unwritten || numbers(r) == numbers(returns[0]);
    });
}

/// Warns, once per shader, if an instruction ignores part of a view's declaration.
void warn_of_view(Operation& op, const Message& message) {
    Context& w = op.context;
    const tgsi::Declaration* view = view_of(op, message.texture_source);
    if (view == nullptr) return;
    const bool known = view->target != tgsi::Target::None && view->target != tgsi::Target::Unknown;
    const sampling::Surface shape = sampling::surface(view->target);
    if (known && !w.warned.of_view &&
        (shape.dim != message.surface.dim || shape.array != message.surface.array || shape.ms != message.surface.ms)) {
        w.warned.of_view = true;
        warn(w, "view-shape", op.instruction.position,
             std::string(tgsi::info(op.instruction.op).mnemonic) + " reads a different shape than " +
                 std::string(tgsi::name(view->target)) + ", with which the view is declared");
    }
    const bool integers = numbers(view->returns[0]) != Numbers::Float;
    if (message.surface.shadow && message.reference.present() && integers && !w.warned.of_comparison) {
        w.warned.of_comparison = true;
        warn(w, "compared-integers", op.instruction.position,
             std::string(tgsi::info(op.instruction.op).mnemonic) +
                 " compares floats: the integer type that the view is declared with is ignored");
    }
}

const char* missing_capability(const Capabilities& capabilities, const ir::ImageType& image) {
    if (image.dim == ir::ImageDim::Cube && image.array && !capabilities.cube_array) return "imageCubeArray";
    return nullptr;
}

bool has_sampler(const TextureAccess& access) {
    return access.sampler.variable != ir::kNone;
}

/// Whether the device computes the level from the coordinates of the quad.
bool has_implicit_level(Op o) {
    return o == Op::ImageSample || o == Op::ImageQueryLod;
}

bool may_have_implicit_level(const Message& message) {
    return message.cls == Class::Sample3D && sampling::info(message.sample).is_implicit();
}

bool reads_texels(Op o) {
    return o == Op::ImageSample || o == Op::ImageSampleLod || o == Op::ImageGather || o == Op::ImageFetch;
}

/// The instruction with these indices (kNone if the variable is not an array).
Value issue_at(TextureAccess& access, Op o, ir::Type type, const ir::ImageOp& image, const ImageArgs& args,
               Value texture_index, Value sampler_index) {
    Value all[std::size(ImageArgs{}.values) + 2];
    size_t n = 0;
    if (texture_index != ir::kNone) all[n++] = texture_index;
    if (image.sampler != ir::kNone && sampler_index != ir::kNone) all[n++] = sampler_index;
    std::copy_n(args.values, args.count, all + n);
    return access.op.b.image(o, type, image, std::span(all, n + args.count));
}

}  // namespace

Value issue(TextureAccess& access, Op o, ir::Type type, ir::ImageOp image, const ImageArgs& args) {
    ir::Builder& b = access.op.b;
    const bool samples =
        o == Op::ImageSample || o == Op::ImageSampleLod || o == Op::ImageGather || o == Op::ImageQueryLod;
    image.image = access.texture.variable;
    image.sampler = samples && has_sampler(access) ? access.sampler.variable : ir::kNone;
    const uint32_t textures = one_by_one(access.op, access.texture, has_implicit_level(o));
    const uint32_t samplers =
        image.sampler == ir::kNone ? 0 : one_by_one(access.op, access.sampler, has_implicit_level(o));
    image.non_uniform = (access.texture.non_uniform && textures == 0) ||
                        (image.sampler != ir::kNone && access.sampler.non_uniform && samplers == 0);
    image.sparse = access.m.sparse && reads_texels(o);
    // Both results of an instruction are selected in the same way as the descriptors.
    auto resident = [&](Value read) { return b.convert(Op::SparseResident, b.second(read, ir::u32()), ir::boolean()); };
    Value result = ir::kNone, all_resident = ir::kNone;
    for (uint32_t i = 0; i < std::max(textures, 1u); i++) {
        const Value texture_index = textures == 0 ? access.texture.index : b.const_u32(i);
        Value chosen = ir::kNone, chosen_resident = ir::kNone;  // among the samplers, for texture i
        for (uint32_t j = 0; j < std::max(samplers, 1u); j++) {
            const Value sampler_index = samplers == 0 ? access.sampler.index : b.const_u32(j);
            const Value one = issue_at(access, o, type, image, args, texture_index, sampler_index);
            const Value here = j == 0 ? ir::kNone : b.ieq(access.sampler.index, sampler_index);
            chosen = j == 0 ? one : b.select(here, one, chosen);
            if (!image.sparse) continue;
            const Value code = resident(one);
            chosen_resident = j == 0 ? code : b.select(here, code, chosen_resident);
        }
        const Value here = i == 0 ? ir::kNone : b.ieq(access.texture.index, texture_index);
        result = i == 0 ? chosen : b.select(here, chosen, result);
        if (image.sparse) all_resident = i == 0 ? chosen_resident : b.select(here, chosen_resident, all_resident);
    }
    if (image.sparse)
        access.resident = access.resident == ir::kNone ? all_resident : b.land(access.resident, all_resident);
    return result;
}

Value parameter(TextureAccess& access, const Param& param, Scalar scalar) {
    if (!param.present()) return access.op.b.zero({scalar, 1});
    if (!access.m.half_parameters || scalar != Scalar::F32)
        return source_component(access.op, param.source, scalar, param.component);
    const Value word = source_component(access.op, param.source, Scalar::U32, param.component);
    return access.op.b.extract(access.op.b.convert(Op::UnpackHalf, word, ir::f32(2)), 0);
}

Value parameters(TextureAccess& access, std::span<const Param> params, Scalar scalar) {
    const bool one_source =
        std::all_of(params.begin(), params.end(), [&](const Param& p) { return p.source == params[0].source; });
    if (one_source && params[0].present() && !access.m.half_parameters) {
        uint8_t comps[4];
        const size_t count = std::min(params.size(), std::size(comps));
        for (size_t i = 0; i < count; i++) comps[i] = params[i].component;
        return source(access.op, params[0].source, scalar, std::span(comps, count));
    }
    ir::Component components[4];
    for (size_t i = 0; i < params.size(); i++) components[i] = {parameter(access, params[i], scalar), 0};
    return access.op.b.compose(std::span(components, params.size()));
}

ir::Type texel_type(const TextureAccess& access, int n) {
    return {access.image.sampled, static_cast<uint8_t>(n)};
}

Outcome texel_result(TextureAccess& access, Value four) {
    return done(per_component(
        access.op, [&](int c) { return access.op.b.extract(four, access.m.result_swizzle >> (2 * c) & 3); }));
}

int size_components(const ir::ImageType& image) {
    const int spatial = image.dim == ir::ImageDim::D3                                      ? 3
                        : image.dim == ir::ImageDim::D2 || image.dim == ir::ImageDim::Cube ? 2
                                                                                           : 1;
    return spatial + image.array;
}

Value level_count(TextureAccess& access) {
    return access.m.surface.rect ? access.op.b.const_u32(1) : issue(access, Op::ImageQueryLevels, ir::u32(), {}, {});
}

Value first_unless(TextureAccess& access, Value inside, Value selector) {
    ir::Builder& b = access.op.b;
    return access.m.surface.rect ? b.const_u32(0) : b.select(inside, selector, b.const_u32(0));
}

Value image_size(TextureAccess& access, Value level) {
    ir::Builder& b = access.op.b;
    const int n = size_components(access.image);
    const bool asked = level == ir::kNone || ir::is_constant(level) || !access.op.options.workarounds.sizes_of_level_0;
    ImageArgs args;
    if (level != ir::kNone) args.push(asked ? level : b.const_u32(0));
    const Value size = issue(access, Op::ImageQuerySize, ir::u32(n), {.lod = level != ir::kNone}, args);
    if (asked) return size;
    // Level 0, halved `level` times.
    ir::Component halvings[4];
    for (int c = 0; c < n; c++) halvings[c] = {access.image.array && c == n - 1 ? b.const_u32(0) : level, 0};
    const Value halved = b.lshr(size, b.compose(std::span(halvings, static_cast<size_t>(n))));
    return b.umax(halved, u32_like(access.op, 1, halved));
}

Value spatial_size(TextureAccess& access, Value level) {
    const int n = size_components(access.image);
    const Value size = image_size(access, level);
    if (!access.image.array) return size;
    ir::Component components[3];
    for (int c = 0; c < n - 1; c++) components[c] = {size, static_cast<uint8_t>(c)};
    return access.op.b.compose(std::span(components, static_cast<size_t>(n - 1)));
}

// ---- offsets

bool Offset::within(int32_t lowest, int32_t highest) const {
    return known && std::all_of(words, words + 3, [&](int32_t w) { return w >= lowest && w <= highest; });
}

Offset offset_of(TextureAccess& access, int i) {
    Offset offset;
    const int n = access.m.surface.offsets;
    if (access.m.offsets_are_immediate) {
        offset.known = true;
        std::copy_n(access.m.immediate_offsets[i], n, offset.words);
        return offset;
    }
    const bool packed = access.m.packed_offsets[0].present();
    offset.value = packed ? packed_offset(access, i) : offset_source(access.op, i, n);
    // TLD4's offsets have six bits (semantics, Textures). It is undefined behaviour if an operand's word is beyond the
    // device's range (Vulkan, "Limits", minTexelGatherOffset), and a register may hold any word.
    constexpr uint32_t kUnused = 26;
    const bool six_bits = access.m.cls == sampling::Class::Tld4 && !packed;
    offset.known = is_known(access.op, offset.value, [](uint32_t) { return true; });
    for (int c = 0; offset.known && c < n; c++) {
        const uint32_t word = access.op.b.constant(offset.value).words[static_cast<size_t>(c)];
        offset.words[c] = six_bits ? static_cast<int32_t>(word << kUnused) >> kUnused : static_cast<int32_t>(word);
    }
    if (six_bits && !offset.known) {
        const Value shift = access.op.b.const_splat(ir::u32(n), kUnused);
        offset.value = access.op.b.ashr(access.op.b.shl(offset.value, shift), shift);
    }
    return offset;
}

Value offset_value(TextureAccess& access, const Offset& offset) {
    if (!offset.known) return offset.value;
    const auto word = [&](int c) { return static_cast<uint32_t>(offset.words[c]); };
    const uint32_t words[] = {word(0), word(1), word(2)};
    const int n = access.m.surface.offsets;
    return access.op.b.const_words(ir::u32(n), std::span(words, static_cast<size_t>(n)));
}

Value moved(TextureAccess& access, Value coordinate, const Offset& offset, Value level) {
    ir::Builder& b = access.op.b;
    const int n = access.m.surface.offsets;
    const Value texels = b.convert(Op::SToF, offset_value(access, offset), ir::f32(n));
    const Value size = b.convert(Op::UToF, spatial_size(access, level), ir::f32(n));
    const Value by = b.fdiv(texels, size);
    const int all = b.type_of(coordinate).components;
    if (all == n) return b.fadd(coordinate, by);
    ir::Component components[4];
    for (int c = 0; c < all; c++) {
        const Value x = b.extract(coordinate, c);
        components[c] = {c < n ? b.fadd(x, b.extract(by, c)) : x, 0};
    }
    return b.compose(std::span(components, static_cast<size_t>(all)));
}

// ---- coordinates

Value float_coordinate(TextureAccess& access, bool with_layer, const Offset* rect_offset) {
    ir::Builder& b = access.op.b;
    const Message& m = access.m;
    const auto n = static_cast<size_t>(m.surface.coords);
    Param params[4];
    std::copy_n(m.coord, n, params);
    const bool layer = with_layer && m.surface.array;
    const bool may_be_texels = may_be_unnormalized(access);
    if (!m.divisor.present() && !m.surface.rect && !may_be_texels && !is_clamped(access)) {
        if (layer) params[n] = m.layer;
        return parameters(access, std::span(params, n + layer), Scalar::F32);
    }
    Value coordinate = parameters(access, std::span(params, n), Scalar::F32);
    if (m.divisor.present()) {
        const Value w = parameter(access, m.divisor, Scalar::F32);
        coordinate = b.fdiv(coordinate, b.splat(w, static_cast<int>(n)));
    }
    if (m.surface.rect) {  // coordinates in texels; Vulkan's unnormalised samplers allow little, so they are scaled
        const ir::Type type = ir::f32(static_cast<int>(n));
        if (rect_offset != nullptr) {
            coordinate = b.fadd(coordinate, b.convert(Op::SToF, offset_value(access, *rect_offset), type));
        }
        coordinate = b.fdiv(coordinate, b.convert(Op::UToF, spatial_size(access, b.const_u32(0)), type));
    }
    if (may_be_texels) coordinate = normalized(access, coordinate);
    if (is_clamped(access)) coordinate = clamped_coordinate(access, coordinate);
    if (!layer) return coordinate;
    ir::Component components[4];
    for (size_t c = 0; c < n; c++) components[c] = {coordinate, static_cast<uint8_t>(c)};
    components[n] = {parameter(access, m.layer, Scalar::F32), 0};
    return b.compose(std::span(components, n + 1));
}

Value reference(TextureAccess& access) {
    const Value value = parameter(access, access.m.reference, Scalar::F32);
    if (!access.m.divisor.present()) return value;
    return access.op.b.fdiv(value, parameter(access, access.m.divisor, Scalar::F32));
}

// ---- the family

Outcome lower_texture(Operation& op) {
    sampling::Refusal refusal;
    std::optional<Message> made;
    if (op.message == nullptr) {
        made = op.views != nullptr ? sampling::message_of(op.program, *op.views, op.instruction, refusal)
                                   : sampling::message_of(op.program, op.instruction, refusal);
    } else if (refusal.reason = sampling::why_illegal(*op.message); refusal.reason.empty()) {
        made = *op.message;
    }
    if (!made) return refuse(op, "unsupported-texture", refusal.reason);
    const Message& m = *made;
    const bool by_handle = m.bindless && !m.handle.present();

    TextureAccess t{.op = op, .m = m, .image = {}, .texture = {}, .sampler = {.variable = ir::kNone}};
    if (m.render_target) return lower_query(t);
    if (!by_handle && !has_one_type(op, m.texture_source))
        return refuse(op, "unsupported-texture", "the components of a Vulkan image cannot have different types");
    t.image = image_type(op, m);
    if (!by_handle) warn_of_view(op, m);
    const bool levels = m.cls == Class::Query || (m.cls == Class::Sample3D && m.sample == sampling::SampleOp::LOD);
    if (op.instruction.saturate && t.image.sampled == Scalar::U32 && !levels && normalized_bits(op, m) == 0) {
        return refuse(op, "saturate-integer", "the view has integers, which _SAT does not support");
    }
    const char* missing = missing_capability(op.capabilities, t.image);
    if (missing == nullptr) missing = missing_modifier(t);
    if (missing != nullptr) {
        return refuse_lacking(op, missing);
    }
    const tgsi::Operand& named = op.program.srcs(op.instruction)[static_cast<size_t>(m.texture_source)];
    t.texture = by_handle ? handle(op, named, texture_kind(op, m, t.image), t.image)
                          : resource(op, m.texture_source, texture_kind(op, m, t.image), t.image);
    const bool apart = m.separate || (op.options.separate_samplers && !m.bindless && m.surface.dim != Dim::Buffer);
    if (apart && m.sampler_source != 0xff) {
        t.sampler = resource(op, m.sampler_source, ir::VariableKind::Sampler, t.image);
    }
    if (m.handle.present()) bind_handle(t);
    const bool implicit_level = may_have_implicit_level(m);
    const uint32_t textures = one_by_one(op, t.texture, implicit_level);
    const uint32_t samplers = has_sampler(t) ? one_by_one(op, t.sampler, implicit_level) : 0;
    if (std::max(textures, 1u) * uint64_t{std::max(samplers, 1u)} > kMaxDescriptors) {
        const DescriptorArrays arrays = arrays_of(op, t.texture);
        const std::string feature(arrays.feature);
        return refuse_lacking(op,
                              !arrays.indexing.dynamic       ? feature + "ArrayDynamicIndexing"
                              : !arrays.indexing.non_uniform ? feature + "ArrayNonUniformIndexing"
                                                             : "quadDivergentImplicitLod",
                              "an index of this many textures");
    }
    switch (m.cls) {
        case Class::Tld4:
            return finish_page(t, lower_gather(t));
        case Class::Sample3D:
            return finish_page(t, m.sample == sampling::SampleOp::LOD ? lower_lod_query(t) : lower_sample(t));
        case Class::Fetch:
            return finish_page(t, lower_fetch(t));
        case Class::Query:
            return lower_query(t);
    }
    return no_case(op);
}

}  // namespace tgsi2spv::lower

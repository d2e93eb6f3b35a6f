// Gallium's state becomes what modules are made ready for, and specialization constants.
#include <algorithm>
#include <bit>

#include "draw_job.h"
#include "lower/spec_constants.h"

namespace tools {

using namespace tgsi2spv;
namespace spec = lower::spec;

namespace {

lower::NumericType type_of(scene::NumericType type) {
    switch (type) {
        case scene::NumericType::UInt:
            return lower::NumericType::UInt;
        case scene::NumericType::SInt:
            return lower::NumericType::SInt;
        case scene::NumericType::UScaled:
            return lower::NumericType::UScaled;
        case scene::NumericType::SScaled:
            return lower::NumericType::SScaled;
        case scene::NumericType::Fixed:
            return lower::NumericType::Fixed;
        default:
            return lower::NumericType::Float;
    }
}

}  // namespace

lower::State made_ready(const scene::Scene& scene) {
    const scene::Ready& r = scene.ready;
    lower::State s;
    s.depth_range = r.depth_range;
    s.flip_y = r.flip_y;
    s.clip_enable = r.clip_enable;
    s.clip_planes = static_cast<uint8_t>(scene.clip_planes.size());
    s.clamp_vertex_color = r.clamp_vertex_color;
    s.point_size = r.point_size;
    s.bgra_attributes = r.bgra_attributes;
    s.alpha_test = r.alpha_test;
    s.two_sided = r.two_sided;
    s.clamp_fragment_color = r.clamp_fragment_color;
    s.alpha_to_one = r.alpha_to_one;
    s.sample_mask = r.sample_mask;
    s.coord_origin = r.coord_origin;
    s.pixel_center = r.pixel_center;
    s.polygon_stipple = r.polygon_stipple;
    s.line_stipple = r.line_stipple;
    s.bgra_targets = r.bgra_targets;
    if (r.sprites) s.sprites = r.sprites_are_texcoords ? lower::Sprites::TexCoord : lower::Sprites::Generic;
    s.unnormalized = r.unnormalized;
    s.compare_in_shader = r.compare;
    s.swizzled_views = r.swizzles;
    s.flat_shade = scene.fixed.flat_shade;
    s.targets[0] = type_of(scene.fixed.target);
    for (size_t i = 0; i < s.attributes.size(); i++) s.attributes[i] = type_of(scene.fixed.attributes[i]);
    return s;
}

std::vector<vulkan::SpecValue> chosen(const scene::Scene& scene, const scene::State& state) {
    const scene::Ready& r = scene.ready;
    std::vector<vulkan::SpecValue> constants;
    const auto set = [&](bool ready, uint32_t id, uint32_t value) {
        if (ready) constants.push_back({id, value});
    };
    set(r.alpha_test, spec::kAlphaFunc, state.alpha_func);
    set(r.alpha_test, spec::kAlphaReference, std::bit_cast<uint32_t>(state.alpha_ref));
    set(r.two_sided, spec::kTwoSided, state.two_sided);
    set(r.depth_range, spec::kDepthRange, !state.depth_halfz);
    set(r.flip_y, spec::kFlipY, state.flip_y);
    set(r.coord_origin, spec::kInvertOrigin, state.coord_origin);
    set(r.pixel_center, spec::kOtherPixelCenter, state.pixel_center);
    set(r.clip_enable, spec::kClipEnable, state.clip_enable);
    set(r.clip_planes, spec::kClipEnable, state.plane_enable);
    set(r.clamp_vertex_color, spec::kClampVertexColor, state.clamp_vertex_color);
    set(r.clamp_fragment_color, spec::kClampFragmentColor, state.clamp_fragment_color);
    set(r.alpha_to_one, spec::kAlphaToOne, state.alpha_to_one);
    set(r.sample_mask, spec::kSampleMask, state.sample_mask);
    set(r.sprites, spec::kSpriteMask, state.sprite_mask);
    set(r.sprites, spec::kSpriteLowerLeft, state.sprite_lower_left);
    set(r.point_size, spec::kPointSize, std::bit_cast<uint32_t>(state.point_size));
    set(r.point_size, spec::kPointSizePerVertex, state.point_size_per_vertex);
    set(r.bgra_attributes, spec::kBgraAttributes, state.bgra_attributes);
    set(r.bgra_targets, spec::kBgraTargets, state.bgra_targets);
    set(r.polygon_stipple, spec::kPolygonStipple, state.polygon_stipple);
    set(r.line_stipple, spec::kLineStipplePattern, state.line_stipple_pattern);
    set(r.line_stipple, spec::kLineStippleFactor, state.line_stipple_factor);
    set(r.unnormalized != 0, spec::kUnnormalized, state.unnormalized);
    for (const auto& [n, func] : state.compare) set(true, spec::kCompareFunction + n, func);
    for (const auto& [n, swizzle] : state.swizzles)
        set(true, spec::kViewSwizzle + n, swizzle[0] | swizzle[1] << 3 | swizzle[2] << 6 | swizzle[3] << 9);
    return constants;
}

std::vector<uint32_t> state_words(const scene::Scene& scene) {
    std::vector<uint32_t> words(size_t{4} * lower::state_buffer::kElementsOfLines);
    for (size_t i = 0; i < scene.clip_planes.size(); i++)
        for (size_t c = 0; c < 4; c++)
            words[4 * (lower::state_buffer::kClipPlanes + i) + c] = std::bit_cast<uint32_t>(scene.clip_planes[i][c]);
    std::copy(scene.stipple.begin(), scene.stipple.end(),
              words.begin() + std::ptrdiff_t{4} * lower::state_buffer::kStipple);
    words[4 * lower::state_buffer::kViewport] = std::bit_cast<uint32_t>(static_cast<float>(scene.width) / 2);
    words[4 * lower::state_buffer::kViewport + 1] = std::bit_cast<uint32_t>(static_cast<float>(scene.height) / 2);
    return words;
}

}  // namespace tools

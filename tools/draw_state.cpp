// Turns gallium's state into the state that modules are prepared for, and into specialization constants.
#include <algorithm>
#include <bit>

#include "draw_job.h"
#include "scene/stages.h"

namespace tools {

using namespace tgsi2spv;

namespace {

uint32_t type_of(scene::NumericType type) {
    switch (type) {
        case scene::NumericType::UInt:
            return TGSI2SPV_NUMERIC_UINT;
        case scene::NumericType::SInt:
            return TGSI2SPV_NUMERIC_SINT;
        case scene::NumericType::UScaled:
            return TGSI2SPV_NUMERIC_USCALED;
        case scene::NumericType::SScaled:
            return TGSI2SPV_NUMERIC_SSCALED;
        case scene::NumericType::Fixed:
            return TGSI2SPV_NUMERIC_FIXED;
        default:
            return TGSI2SPV_NUMERIC_FLOAT;
    }
}

}  // namespace

tgsi2spv_state prepared_state(const scene::Scene& scene) {
    const scene::Prepared& r = scene.prepared;
    auto s = make<tgsi2spv_state>();
    s.constant_buffer = kStateBuffer;
    s.depth_range = r.depth_range;
    s.flip_y = r.flip_y;
    s.clip_enable = r.clip_enable;
    s.clip_planes = static_cast<uint32_t>(scene.clip_planes.size());
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
    if (r.sprites) s.sprites = r.sprites_are_texcoords ? TGSI2SPV_SPRITES_TEXCOORD : TGSI2SPV_SPRITES_GENERIC;
    s.unnormalized = r.unnormalized;
    s.compare_in_shader = r.compare;
    s.swizzled_views = r.swizzles;
    s.flat_shade = scene.fixed.flat_shade;
    s.targets[0] = type_of(scene.fixed.target);
    for (size_t i = 0; i < std::size(s.attributes); i++) s.attributes[i] = type_of(scene.fixed.attributes[i]);
    return s;
}

std::vector<vulkan::SpecValue> spec_values(const scene::Scene& scene, const scene::State& state) {
    const scene::Prepared& r = scene.prepared;
    // Sprites belong to points, and the stipple to polygons: for other primitives an application has to choose neither.
    const uint32_t vertices = scene::drawn_vertices(scene);
    std::vector<vulkan::SpecValue> constants;
    const auto set = [&](bool ready, uint32_t id, uint32_t value) {
        if (ready) constants.push_back({id, value});
    };
    set(r.alpha_test, TGSI2SPV_SPEC_ALPHA_FUNC, state.alpha_func);
    set(r.alpha_test, TGSI2SPV_SPEC_ALPHA_REFERENCE, std::bit_cast<uint32_t>(state.alpha_ref));
    set(r.two_sided, TGSI2SPV_SPEC_TWO_SIDED, state.two_sided);
    set(r.depth_range, TGSI2SPV_SPEC_DEPTH_RANGE, !state.depth_halfz);
    set(r.flip_y, TGSI2SPV_SPEC_FLIP_Y, state.flip_y);
    set(r.coord_origin, TGSI2SPV_SPEC_INVERT_ORIGIN, state.coord_origin);
    set(r.pixel_center, TGSI2SPV_SPEC_OTHER_PIXEL_CENTER, state.pixel_center);
    set(r.clip_enable, TGSI2SPV_SPEC_CLIP_ENABLE, state.clip_enable);
    set(r.clip_planes, TGSI2SPV_SPEC_CLIP_ENABLE, state.plane_enable);
    set(r.clamp_vertex_color, TGSI2SPV_SPEC_CLAMP_VERTEX_COLOR, state.clamp_vertex_color);
    set(r.clamp_fragment_color, TGSI2SPV_SPEC_CLAMP_FRAGMENT_COLOR, state.clamp_fragment_color);
    set(r.alpha_to_one, TGSI2SPV_SPEC_ALPHA_TO_ONE, state.alpha_to_one);
    set(r.sample_mask, TGSI2SPV_SPEC_SAMPLE_MASK, state.sample_mask);
    set(r.sprites, TGSI2SPV_SPEC_SPRITE_MASK, vertices == 1 ? state.sprite_mask : 0);
    set(r.sprites, TGSI2SPV_SPEC_SPRITE_LOWER_LEFT, state.sprite_lower_left);
    set(r.point_size, TGSI2SPV_SPEC_POINT_SIZE, std::bit_cast<uint32_t>(state.point_size));
    set(r.point_size, TGSI2SPV_SPEC_POINT_SIZE_PER_VERTEX, state.point_size_per_vertex);
    set(r.bgra_attributes, TGSI2SPV_SPEC_BGRA_ATTRIBUTES, state.bgra_attributes);
    set(r.bgra_targets, TGSI2SPV_SPEC_BGRA_TARGETS, state.bgra_targets);
    set(r.polygon_stipple, TGSI2SPV_SPEC_POLYGON_STIPPLE, vertices == 3 && state.polygon_stipple);
    set(r.line_stipple, TGSI2SPV_SPEC_LINE_STIPPLE_PATTERN, state.line_stipple_pattern);
    set(r.line_stipple, TGSI2SPV_SPEC_LINE_STIPPLE_FACTOR, state.line_stipple_factor);
    set(r.unnormalized != 0, TGSI2SPV_SPEC_UNNORMALIZED, state.unnormalized);
    for (const auto& [n, func] : state.compare) set(true, TGSI2SPV_SPEC_COMPARE_FUNCTION + n, func);
    for (const auto& [n, swizzle] : state.swizzles)
        set(true, TGSI2SPV_SPEC_VIEW_SWIZZLE + n, swizzle[0] | swizzle[1] << 3 | swizzle[2] << 6 | swizzle[3] << 9);
    return constants;
}

std::vector<uint32_t> state_words(const scene::Scene& scene) {
    std::vector<uint32_t> words(size_t{4} * TGSI2SPV_STATE_VECTORS_OF_LINES);
    const auto vector = [&](size_t n) { return words.begin() + static_cast<std::ptrdiff_t>(4 * n); };
    const auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
    for (size_t i = 0; i < scene.clip_planes.size(); i++)
        std::ranges::transform(scene.clip_planes[i], vector(TGSI2SPV_STATE_VECTOR_CLIP_PLANES + i), bits);
    std::ranges::copy(scene.stipple, vector(TGSI2SPV_STATE_VECTOR_POLYGON_STIPPLE));
    const auto viewport = vector(TGSI2SPV_STATE_VECTOR_VIEWPORT);
    viewport[0] = bits(static_cast<float>(scene.width) / 2);
    viewport[1] = bits(static_cast<float>(scene.height) / 2);
    return words;
}

}  // namespace tools

// Turns gallium's state into the state that modules are prepared for, and into specialization constants.
#include <algorithm>
#include <bit>
#include <cstring>

#include "draw/draw_job.h"
#include "scene/stages.h"

namespace drawing {

using namespace tgsi2spv;

namespace {

/// The scene's types have the library's numbers.
uint32_t type_of(scene::NumericType type) {
    static_assert(static_cast<uint32_t>(scene::NumericType::Fixed) == TGSI2SPV_NUMERIC_FIXED &&
                  static_cast<uint32_t>(scene::NumericType::Double) == TGSI2SPV_NUMERIC_DOUBLE);
    return static_cast<uint32_t>(type);
}

}  // namespace

tgsi2spv_state prepared_state(const scene::Scene& scene) {
    const scene::Prepared& r = scene.prepared;
    auto s = make<tgsi2spv_state>();
    s.constant_buffer = kStateBuffer;
    if (scene.state_is_data) {
        s.data[0] = ~(7u << TGSI2SPV_SPEC_BLOCK_SIZE);
        s.data[1] = (2u << (TGSI2SPV_SPEC_UNNORMALIZED - 32)) - 1;
    }
    s.depth_range = r.depth_range ? TGSI2SPV_DEPTH_RANGE_CHOOSE : TGSI2SPV_DEPTH_RANGE_CONVERT;
    s.flip_y = r.flip_y ? TGSI2SPV_FLIP_Y_CHOOSE : TGSI2SPV_FLIP_Y_NEVER;
    s.clip_planes = static_cast<uint32_t>(scene.clip_planes.size());
    const auto set = [&](bool on, tgsi2spv_state_flags flag) {
        if (on) s.flags |= flag;
    };
    set(r.clip_enable, TGSI2SPV_STATE_CLIP_ENABLE);
    set(r.clamp_vertex_color, TGSI2SPV_STATE_CLAMP_VERTEX_COLOR);
    set(r.point_size, TGSI2SPV_STATE_POINT_SIZE);
    set(scene.topology == scene::Topology::Points, TGSI2SPV_STATE_DRAWS_POINTS);
    set(r.bgra_attributes, TGSI2SPV_STATE_BGRA_ATTRIBUTES);
    set(r.alpha_test, TGSI2SPV_STATE_ALPHA_TEST);
    set(r.two_sided, TGSI2SPV_STATE_TWO_SIDED);
    set(r.clamp_fragment_color, TGSI2SPV_STATE_CLAMP_FRAGMENT_COLOR);
    set(r.alpha_to_one, TGSI2SPV_STATE_ALPHA_TO_ONE);
    set(r.sample_mask, TGSI2SPV_STATE_SAMPLE_MASK);
    set(r.coord_origin, TGSI2SPV_STATE_COORD_ORIGIN);
    set(r.pixel_center, TGSI2SPV_STATE_PIXEL_CENTER);
    set(r.polygon_stipple, TGSI2SPV_STATE_POLYGON_STIPPLE);
    set(r.bgra_targets, TGSI2SPV_STATE_BGRA_TARGETS);
    set(scene.fixed.flat_shade, TGSI2SPV_STATE_FLAT_SHADE);
    set(scene.fixed.dual_source, TGSI2SPV_STATE_DUAL_SOURCE);
    if (r.sprites) s.sprites = r.sprites_are_texcoords ? TGSI2SPV_SPRITES_TEXCOORD : TGSI2SPV_SPRITES_GENERIC;
    s.unnormalized = r.unnormalized;
    s.compare_in_shader = r.compare;
    s.swizzled_views = r.swizzles;
    s.targets[0] = type_of(scene.fixed.target);
    for (size_t i = 0; i < std::size(s.attributes); i++) s.attributes[i] = type_of(scene.fixed.attributes[i]);
    s.widened_attributes = scene.fixed.widened_attributes;
    s.alpha_targets = scene.fixed.alpha_target ? 1 : 0;
    std::ranges::fill(s.clamped_coordinates, scene.fixed.gl_clamp);
    std::ranges::fill(s.mirrored_coordinates, scene.fixed.mirror);
    return s;
}

std::vector<harness::SpecValue> spec_values(const scene::Scene& scene, const scene::State& state) {
    const scene::Prepared& r = scene.prepared;
    // Sprites belong to points, and the stipple to polygons: for other primitives an application has to choose neither.
    const uint32_t vertices = scene::drawn_vertices(scene);
    std::vector<harness::SpecValue> constants;
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
    set(r.unnormalized != 0, TGSI2SPV_SPEC_UNNORMALIZED, state.unnormalized);
    for (const auto& [n, func] : state.compare) set(true, TGSI2SPV_SPEC_COMPARE_FUNCTION + n, func);
    for (const auto& [n, swizzle] : state.swizzles)
        set(true, TGSI2SPV_SPEC_VIEW_SWIZZLE + n, swizzle[0] | swizzle[1] << 3 | swizzle[2] << 6 | swizzle[3] << 9);
    return constants;
}

std::vector<harness::SpecValue> neutral_values(const scene::Scene& scene) {
    if (scene.state_is_data) return spec_values(scene, scene.neutral);
    if (!scene.prepared.depth_range) return {};
    return {{TGSI2SPV_SPEC_DEPTH_RANGE, !scene.neutral.depth_halfz}};
}

std::vector<uint32_t> state_words(const scene::Scene& scene, const std::vector<harness::SpecValue>& constants) {
    tgsi2spv_state_buffer state{};
    for (size_t i = 0; i < scene.clip_planes.size(); i++)
        std::ranges::copy(scene.clip_planes[i], std::begin(state.clip_planes[i]));
    std::ranges::copy(scene.stipple, std::begin(state.polygon_stipple));
    state.viewport[0] = static_cast<float>(scene.width) / 2;
    state.viewport[1] = static_cast<float>(scene.height) / 2;
    for (const harness::SpecValue& c : constants)
        if (c.id < std::size(state.values)) state.values[c.id] = c.value;
    std::vector<uint32_t> words(sizeof state / sizeof(uint32_t));
    std::memcpy(words.data(), &state, sizeof state);
    return words;
}

}  // namespace drawing

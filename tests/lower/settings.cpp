#include "lower/settings.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::test {
namespace {

struct Setting {
    const char* name;
    void (*set)(Setup&, size_t index, uint64_t value);
};

template <class Field>
void assign(Field& field, uint64_t value) {
    field = static_cast<Field>(value);
}

#define OPTION(field)                                                             \
    {                                                                             \
#field, [](Setup & s, size_t, uint64_t v) { assign(s.options.field, v); } \
    }
#define OPTIONS(field)                                                                                          \
    {                                                                                                           \
#field, [](Setup & s, size_t i, uint64_t v) { assign(s.options.field[i % s.options.field.size()], v); } \
    }
#define DEVICE(field)                                                            \
    {                                                                            \
#field, [](Setup & s, size_t, uint64_t v) { assign(s.device.field, v); } \
    }
#define LIMIT(field)                                                             \
    {                                                                            \
#field, [](Setup & s, size_t, uint64_t v) { assign(s.limits.field, v); } \
    }

// clang-format off
const Setting kSettings[] = {
    OPTION(dialect), OPTION(shared_words), OPTION(private_words), OPTION(zero_memory), OPTION(handles),
    OPTION(separate_samplers), OPTION(io_buffers), OPTION(records), OPTION(before_rasterizer),
    OPTION(convert_depth_range), OPTION(flip_y), OPTION(dual_source), OPTION(draws_points), OPTION(state_buffer),
    OPTION(exact), OPTION(invariant_position), OPTION(bounds.registers), OPTION(bounds.constants),
    OPTION(bounds.buffers), OPTION(bounds.images), OPTION(bounds.descriptors), OPTION(trust_indices),
    OPTION(conversions), OPTION(offsets_read_one_level), OPTION(max_iterations), OPTION(workarounds.opaque_immediates),
    OPTION(workarounds.opaque_integers), OPTION(workarounds.scalars_in_arrays),
    OPTION(workarounds.loop_registers_in_memory), OPTION(workarounds.device_saturates),
    OPTION(workarounds.device_reduces_angles), OPTION(workarounds.device_logs_zero),
    OPTION(state.depth_range), OPTION(state.flip_y), OPTION(state.clip_enable), OPTION(state.clip_planes),
    OPTION(state.clamp_vertex_color), OPTION(state.point_size), OPTION(state.one_layer), OPTION(state.clamp_depth),
    OPTION(state.bgra_attributes), OPTIONS(state.attributes), OPTION(state.alpha_test), OPTION(state.two_sided),
    OPTION(state.flat_shade), OPTION(state.clamp_fragment_color), OPTION(state.alpha_to_one),
    OPTION(state.sample_mask), OPTION(state.coord_origin), OPTION(state.pixel_center), OPTION(state.polygon_stipple),
    OPTION(state.bgra_targets), OPTION(state.fetch_image), OPTION(state.fetch_layer), OPTION(state.fetch_sample),
    OPTION(state.sprites), OPTION(state.unnormalized), OPTION(state.compare_in_shader), OPTION(state.swizzled_views),
    OPTIONS(state.images), OPTIONS(state.targets), OPTION(state.data),
    DEVICE(demote), DEVICE(float64), DEVICE(int64), DEVICE(shader_clock), DEVICE(subgroup_stages),
    DEVICE(subgroup_vote), DEVICE(subgroup_ballot), DEVICE(subgroup_shuffle), DEVICE(subgroup_dynamic_broadcast),
    DEVICE(image_gather_extended), DEVICE(sampled_images.dynamic), DEVICE(sampled_images.non_uniform),
    DEVICE(quad_divergent_implicit_lod), DEVICE(cube_array), DEVICE(standard_sample_locations), DEVICE(clip_distance),
    DEVICE(sample_rate_shading), DEVICE(stage_point_size), DEVICE(shader_layer), DEVICE(stencil_export),
    DEVICE(post_depth_coverage), DEVICE(viewport_mask), DEVICE(blend_operation_advanced), DEVICE(draw_parameters),
    DEVICE(multiview), DEVICE(transform_feedback), DEVICE(max_output_locations), DEVICE(vertex_stores),
    DEVICE(storage_buffers.non_uniform), DEVICE(storage_images.non_uniform), DEVICE(uniform_buffers.dynamic), DEVICE(uniform_buffers.non_uniform),
    DEVICE(storage_image_write_without_format), DEVICE(buffer_float32_atomic_add), DEVICE(image_float32_atomic_add),
    DEVICE(min_texel_offset), DEVICE(max_texel_offset), DEVICE(min_gather_offset), DEVICE(max_gather_offset),
    DEVICE(robust_buffers), DEVICE(robust_images), DEVICE(zero_shared), DEVICE(max_uniform_buffers),
    DEVICE(max_uniform_range), DEVICE(max_push_constants),
    LIMIT(vertex_output), LIMIT(tess_control_output), LIMIT(geometry_total),
    {"image_formats", [](Setup& s, size_t, uint64_t v) { s.options.image_formats = {static_cast<uint16_t>(v)}; }},
    {"push_constants", [](Setup& s, size_t, uint64_t v) { s.options.push_constants = {{0, static_cast<uint32_t>(v)}}; }},
    {"strides", [](Setup& s, size_t i, uint64_t v) { s.captured = true; s.captures.strides.at(i) = static_cast<uint32_t>(v); }},
    {"simplified", [](Setup& s, size_t, uint64_t v) { s.simplified = v != 0; }},
    {"unlinked", [](Setup& s, size_t, uint64_t) { s.options.linkage = &s.linkage; }},
    {"linked", [](Setup& s, size_t, uint64_t v) { s.linked = v != 0; }},
    {"system_value", [](Setup& s, size_t, uint64_t v) { s.options.buffered_system_values[v / 32] |= 1U << v % 32; }},
};
const std::pair<const char*, uint32_t> kWords[] = {
    {"Zero", 0}, {"Saturate", 0}, {"Clamp", 1}, {"Trust", 2},                      // OutOfRange; Conversions
    {"Auto", 0}, {"Oldest", 1}, {"Middle", 2}, {"Newest", 3},     // Dialect
    {"Float", 0}, {"UInt", 1}, {"SInt", 2}, {"Fixed", 5}, {"Double", 8},  // NumericType
    {"TexCoord", 1}, {"Generic", 2},                              // Sprites
};
// clang-format on
#undef OPTION
#undef OPTIONS
#undef DEVICE
#undef LIMIT

/// `capture=2,0,4,1,2,0`: the fields of a StreamOutput.
void capture(const std::string& numbers, Setup& setup) {
    std::istringstream stream(numbers);
    uint32_t field[6] = {};
    for (uint32_t& f : field) {
        std::string one;
        std::getline(stream, one, ',');
        f = static_cast<uint32_t>(std::strtoul(one.c_str(), nullptr, 0));
    }
    setup.captured = true;
    setup.captures.outputs.push_back({field[0], static_cast<uint8_t>(field[1]), static_cast<uint8_t>(field[2]),
                                      static_cast<uint8_t>(field[3]), field[4], static_cast<uint8_t>(field[5])});
}

}  // namespace

bool adjust(const std::string& word, Setup& setup) {
    const bool negated = word.starts_with('-');
    const size_t equals = word.find('=');
    std::string name = word.substr(negated, equals == std::string::npos ? equals : equals - negated);
    const std::string value = equals == std::string::npos ? (negated ? "0" : "1") : word.substr(equals + 1);
    size_t index = 0;
    if (const size_t bracket = name.find('['); bracket != std::string::npos) {
        index = std::strtoul(name.c_str() + bracket + 1, nullptr, 10);
        name.resize(bracket);
    }
    if (name == "capture") {
        capture(value, setup);
        return true;
    }
    uint64_t number = static_cast<uint64_t>(std::strtoll(value.c_str(), nullptr, 0));
    if (value.find_first_not_of("-0123456789abcdefx") != std::string::npos) {
        const auto* known = std::ranges::find(kWords, value, [](const auto& w) { return w.first; });
        const auto format = tgsi::format_from_name(value);
        const auto semantic = tgsi::semantic_from_name(value);
        if (known != std::end(kWords))
            number = known->second;
        else if (format)
            number = *format;
        else if (semantic)
            number = static_cast<uint32_t>(*semantic);
        else
            return false;
    }
    const auto* setting = std::ranges::find(kSettings, name, [](const Setting& s) { return std::string(s.name); });
    if (setting == std::end(kSettings)) return false;
    setting->set(setup, index, number);
    return true;
}

}  // namespace tgsi2spv::test

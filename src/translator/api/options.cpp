#include "api/options.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "api/device.h"
#include "api/handles.h"
#include "api/versioned.h"
#include "lower/options/state.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::api {
namespace {

/// The most descriptors that a driver's layouts can have.
constexpr uint32_t kMostHandles = 1u << 23;

constexpr ir::VariableKind kKinds[] = {ir::VariableKind::ConstantBuffer,  ir::VariableKind::CombinedImage,
                                       ir::VariableKind::SampledImage,    ir::VariableKind::Sampler,
                                       ir::VariableKind::StorageImage,    ir::VariableKind::StorageBuffer,
                                       ir::VariableKind::InputAttachment, ir::VariableKind::IoBuffer};

// The public numbers equal those of lower.
static_assert(
    TGSI2SPV_SPEC_FRAMEBUFFER_HEIGHT == lower::spec::kFramebufferHeight &&
    TGSI2SPV_SPEC_BLOCK_SIZE == lower::spec::kBlockSize && TGSI2SPV_SPEC_ALPHA_FUNC == lower::spec::kAlphaFunc &&
    TGSI2SPV_SPEC_CLIP_ENABLE == lower::spec::kClipEnable && TGSI2SPV_SPEC_SPRITE_MASK == lower::spec::kSpriteMask &&
    TGSI2SPV_SPEC_POLYGON_STIPPLE == lower::spec::kPolygonStipple &&
    TGSI2SPV_SPEC_UNNORMALIZED == lower::spec::kUnnormalized && TGSI2SPV_SPEC_BLEND_COLOR == lower::spec::kBlendColor &&
    TGSI2SPV_SPEC_DEPTH_NEAR == lower::spec::kDepthNear && TGSI2SPV_SPEC_OFFSET_UNIT == lower::spec::kOffsetUnit &&
    TGSI2SPV_SPEC_COMPARE_FUNCTION == lower::spec::kCompareFunction &&
    TGSI2SPV_SPEC_VIEW_SWIZZLE == lower::spec::kViewSwizzle);
static_assert(offsetof(tgsi2spv_state_buffer, clip_planes) == 16 * lower::state_buffer::kClipPlanes &&
              offsetof(tgsi2spv_state_buffer, polygon_stipple) == 16 * lower::state_buffer::kStipple &&
              offsetof(tgsi2spv_state_buffer, viewport) == 16 * lower::state_buffer::kViewport &&
              offsetof(tgsi2spv_state_buffer, values) == 16 * lower::state_buffer::kValues &&
              sizeof(tgsi2spv_state_buffer) == 16 * lower::state_buffer::kElementsWithValues &&
              sizeof(tgsi2spv_state_buffer::values) >= 4 * (lower::spec::kOffsetUnit + 1));
static_assert(TGSI2SPV_NUMERIC_FLOAT == static_cast<int>(lower::NumericType::Float) &&
              TGSI2SPV_NUMERIC_DOUBLE == static_cast<int>(lower::NumericType::Double) &&
              TGSI2SPV_SPRITES_GENERIC == static_cast<int>(lower::Sprites::Generic) &&
              TGSI2SPV_BLEND_SNORM == static_cast<int>(lower::Blend::Range::SNorm) &&
              TGSI2SPV_OUT_OF_RANGE_ZERO == static_cast<int>(lower::OutOfRange::Zero) &&
              TGSI2SPV_OUT_OF_RANGE_TRUST == static_cast<int>(lower::OutOfRange::Trust) &&
              TGSI2SPV_DIALECT_AUTO == static_cast<int>(tgsi::Dialect::Auto) &&
              TGSI2SPV_DIALECT_NEWEST == static_cast<int>(tgsi::Dialect::Newest) &&
              TGSI2SPV_TARGET_VULKAN_1_3 - TGSI2SPV_TARGET_VULKAN_1_0 ==
                  static_cast<int>(spirv::TargetEnv::Vulkan13) - static_cast<int>(spirv::TargetEnv::Vulkan10));

/// The reason why a request cannot be accepted, a static sentence; null if it can.
using Reason = const char*;

/// Constants that may be data: everything below the textures' own constants, except the size of work groups.
constexpr uint64_t kDataValues =
    ((uint64_t{1} << (lower::spec::kOffsetUnit + 1)) - 1) & ~(uint64_t{7} << lower::spec::kBlockSize);

uint64_t data_of(const tgsi2spv_state& s) {
    return uint64_t{s.data[1]} << 32 | s.data[0];
}

Reason wrong_in(const tgsi2spv_blend& b) {
    if (b.target > TGSI2SPV_BLEND_TARGET_SAMPLE) return "tgsi2spv_blend::target is out of range";
    if (b.range > TGSI2SPV_BLEND_SNORM) return "tgsi2spv_blend::range is out of range";
    if (std::max({b.color_src, b.color_dst, b.alpha_src, b.alpha_dst}) > lower::Blend::kLastFactor)
        return "tgsi2spv_blend has an unknown factor";
    if (std::max(b.color_op, b.alpha_op) > lower::Blend::kMax) return "tgsi2spv_blend has an unknown operation";
    return nullptr;
}

Reason wrong_in(const tgsi2spv_state& s) {
    const auto up_to = [](uint32_t most) { return [most](uint32_t n) { return n <= most; }; };
    if (const Reason wrong = wrong_in(s.blend)) return wrong;
    if (s.logic.op > lower::Blend::kLastLogic) return "tgsi2spv_logic has an unknown operation";
    for (uint32_t c = 0; c < 4; ++c)
        if ((s.logic.bits >> 8 * c & 0xff) > lower::Blend::kMostBits)
            return "tgsi2spv_logic has a component of more than 16 bits";
    if (s.seen_samples > 16 || (s.seen_samples & (s.seen_samples - 1)) != 0)
        return "tgsi2spv_state::seen_samples is not a power of two up to 16";
    if ((s.flags & ~uint32_t{TGSI2SPV_STATE_FLAGS}) != 0) return "tgsi2spv_state::flags has an unknown bit";
    if ((data_of(s) & ~kDataValues) != 0) return "tgsi2spv_state::data has a bit whose value cannot be data";
    if (s.depth_range > TGSI2SPV_DEPTH_RANGE_CHOOSE) return "tgsi2spv_state::depth_range is out of range";
    if (s.flip_y > TGSI2SPV_FLIP_Y_CHOOSE) return "tgsi2spv_state::flip_y is out of range";
    if (s.color_targets > lower::kMaxTargets) return "tgsi2spv_state::color_targets is above 8";
    if (s.alpha_targets >> lower::kMaxTargets != 0) return "tgsi2spv_state::alpha_targets has a bit above 7";
    if (s.clip_planes > 8) return "tgsi2spv_state::clip_planes is above 8";
    if (s.sprites > TGSI2SPV_SPRITES_GENERIC) return "tgsi2spv_state::sprites is out of range";
    if (!std::ranges::all_of(s.attributes, up_to(TGSI2SPV_NUMERIC_DOUBLE)))
        return "tgsi2spv_state::attributes contains a type that is out of range";
    if (!std::ranges::all_of(s.targets, up_to(TGSI2SPV_NUMERIC_SINT)))
        return "tgsi2spv_state::targets contains a type that is out of range";
    if (!std::ranges::all_of(s.images, up_to(TGSI2SPV_NUMERIC_SINT)))
        return "tgsi2spv_state::images contains a type that is out of range";
    if (!std::ranges::all_of(s.image_samples, up_to(64)))
        return "tgsi2spv_state::image_samples contains a number above 64";
    return nullptr;
}

/// Whether a list names no member twice; otherwise it would be unclear which one holds.
template <class T, class Key>
bool unique(const T* all, size_t count, Key key) {
    std::vector<decltype(key(*all))> keys;
    keys.reserve(count);
    std::transform(all, all + count, std::back_inserter(keys), key);
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) == keys.end();
}

Reason wrong_in_lists(const tgsi2spv_options& o) {
    if (o.binding_count != 0 && o.bindings == nullptr) return "tgsi2spv_options::bindings is null";
    if (o.push_constant_count != 0 && o.push_constants == nullptr) return "tgsi2spv_options::push_constants is null";
    const bool separate = (o.flags & TGSI2SPV_OPTION_SEPARATE_SAMPLERS) != 0;
    for (size_t i = 0; i < o.binding_count; ++i) {
        if (o.bindings[i].kind >= std::size(kKinds)) return "tgsi2spv_binding::kind is out of range";
        if (separate && o.bindings[i].kind == TGSI2SPV_RESOURCE_COMBINED_IMAGE)
            return "tgsi2spv_options::bindings has a COMBINED_IMAGE despite TGSI2SPV_OPTION_SEPARATE_SAMPLERS";
    }
    if (!std::ranges::all_of(o.kinds, [](const tgsi2spv_kind_place& k) { return k.is_set <= 1; }))
        return "tgsi2spv_kind_place::is_set is neither 0 nor 1";
    if (!unique(o.bindings, o.binding_count, [](const auto& b) { return std::pair(b.kind, b.index); }))
        return "tgsi2spv_options::bindings has two entries for one resource";
    if (!unique(o.push_constants, o.push_constant_count, [](const auto& p) { return p.buffer; }))
        return "tgsi2spv_options::push_constants has two entries for one buffer";
    for (size_t i = 0; i < o.push_constant_count; ++i)
        if (o.push_constants[i].offset % 16 != 0)
            return "tgsi2spv_options::push_constants has an offset that is not a multiple of 16";
    return nullptr;
}

lower::Blend blend_of(const tgsi2spv_blend& b, const tgsi2spv_logic& logic) {
    std::array<uint8_t, 4> bits{};
    for (size_t c = 0; c < bits.size(); ++c) bits[c] = static_cast<uint8_t>(logic.bits >> 8 * c);
    const auto equation = [](uint32_t src, uint32_t dst, uint32_t op) {
        return lower::Blend::Equation{static_cast<uint8_t>(src), static_cast<uint8_t>(dst), static_cast<uint8_t>(op)};
    };
    return {.enabled = b.target != TGSI2SPV_BLEND_TARGET_NONE,
            .multisampled = b.target == TGSI2SPV_BLEND_TARGET_SAMPLE,
            .range = static_cast<lower::Blend::Range>(b.range),
            .color = equation(b.color_src, b.color_dst, b.color_op),
            .alpha = equation(b.alpha_src, b.alpha_dst, b.alpha_op),
            .logic = static_cast<uint8_t>(logic.op),
            .bits = bits};
}

void set_state(const tgsi2spv_state& s, lower::Options& options) {
    lower::State& to = options.state;
    const auto has = [&](tgsi2spv_state_flags flag) { return (s.flags & flag) != 0; };
    options.convert_depth_range = s.depth_range != TGSI2SPV_DEPTH_RANGE_KEEP;
    to.depth_range = s.depth_range == TGSI2SPV_DEPTH_RANGE_CHOOSE;
    options.flip_y = s.flip_y == TGSI2SPV_FLIP_Y_ALWAYS;
    to.flip_y = s.flip_y == TGSI2SPV_FLIP_Y_CHOOSE;
    options.draws_points = has(TGSI2SPV_STATE_DRAWS_POINTS);
    options.dual_source = has(TGSI2SPV_STATE_DUAL_SOURCE);
    to.clip_planes = static_cast<uint8_t>(s.clip_planes);
    to.clip_enable = has(TGSI2SPV_STATE_CLIP_ENABLE);
    to.clamp_vertex_color = has(TGSI2SPV_STATE_CLAMP_VERTEX_COLOR);
    to.point_size = has(TGSI2SPV_STATE_POINT_SIZE);
    to.bgra_attributes = has(TGSI2SPV_STATE_BGRA_ATTRIBUTES);
    to.alpha_test = has(TGSI2SPV_STATE_ALPHA_TEST);
    to.two_sided = has(TGSI2SPV_STATE_TWO_SIDED);
    to.flat_shade = has(TGSI2SPV_STATE_FLAT_SHADE);
    to.clamp_fragment_color = has(TGSI2SPV_STATE_CLAMP_FRAGMENT_COLOR);
    to.alpha_to_one = has(TGSI2SPV_STATE_ALPHA_TO_ONE);
    to.sample_mask = has(TGSI2SPV_STATE_SAMPLE_MASK);
    to.sample_shading = has(TGSI2SPV_STATE_SAMPLE_SHADING);
    to.coord_origin = has(TGSI2SPV_STATE_COORD_ORIGIN);
    to.pixel_center = has(TGSI2SPV_STATE_PIXEL_CENTER);
    to.polygon_stipple = has(TGSI2SPV_STATE_POLYGON_STIPPLE);
    to.bgra_targets = has(TGSI2SPV_STATE_BGRA_TARGETS);
    to.fetch_image = has(TGSI2SPV_STATE_FETCH_IMAGE);
    to.fetch_layer = has(TGSI2SPV_STATE_FETCH_LAYER);
    to.fetch_sample = has(TGSI2SPV_STATE_FETCH_SAMPLE);
    to.one_layer = has(TGSI2SPV_STATE_ONE_LAYER);
    to.clamp_depth = has(TGSI2SPV_STATE_CLAMP_DEPTH);
    to.offset_depth = has(TGSI2SPV_STATE_OFFSET_DEPTH);
    to.data = data_of(s);
    to.blend = blend_of(s.blend, s.logic);
    to.widened_attributes = s.widened_attributes;
    to.alpha_targets = static_cast<uint8_t>(s.alpha_targets);
    to.color_targets = static_cast<uint8_t>(s.color_targets);
    to.seen_samples = static_cast<uint8_t>(s.seen_samples);
    std::ranges::copy(s.clamped_coordinates, to.clamped_coordinates.begin());
    std::ranges::copy(s.mirrored_coordinates, to.mirrored_coordinates.begin());
    to.mirrored_levels = s.mirrored_levels;
    to.unnormalized = s.unnormalized;
    to.compare_in_shader = s.compare_in_shader;
    to.swizzled_views = s.swizzled_views;
    to.unorm16_buffers = s.unorm16_buffers;
    to.snorm16_buffers = s.snorm16_buffers;
    to.sprites = static_cast<lower::Sprites>(s.sprites);
    for (size_t i = 0; i < to.attributes.size(); ++i)
        to.attributes[i] = static_cast<lower::NumericType>(s.attributes[i]);
    for (size_t i = 0; i < to.targets.size(); ++i) to.targets[i] = static_cast<lower::NumericType>(s.targets[i]);
    for (size_t i = 0; i < to.images.size(); ++i) to.images[i] = static_cast<lower::NumericType>(s.images[i]);
    std::ranges::copy(s.image_samples, to.image_samples.begin());
    if (std::ranges::any_of(s.image_formats, [](uint32_t format) { return format != 0; })) {
        options.image_formats.resize(std::size(s.image_formats));
        std::ranges::transform(s.image_formats, options.image_formats.begin(), lower::format_of_storage);
    }
    if (s.constant_buffer != 0) options.state_buffer = s.constant_buffer;
}

Reason read_stream_outputs(const tgsi2spv_stream_outputs* from, Request& request) {
    request.table.reset();
    request.stream_outputs.outputs.clear();
    if (from == nullptr) return nullptr;
    if (!copy_in(from, request.table.emplace())) return refusal_of<"tgsi2spv_stream_outputs">();
    if (request.table->output_count != 0 && request.table->outputs == nullptr)
        return "tgsi2spv_stream_outputs::outputs is null";
    for (size_t i = 0; i < request.table->output_count; ++i) {
        const tgsi2spv_stream_output& s = request.table->outputs[i];
        if (s.component_count < 1 || s.component_count > 4 || s.first_component > 4 - s.component_count ||
            s.buffer > 3 || s.stream > 3)
            return "tgsi2spv_stream_output has a component, a buffer or a stream that is out of range";
        request.stream_outputs.outputs.push_back(
            {s.output, static_cast<uint8_t>(s.first_component), static_cast<uint8_t>(s.component_count),
             static_cast<uint8_t>(s.buffer), s.offset, static_cast<uint8_t>(s.stream)});
    }
    std::copy(std::begin(request.table->strides), std::end(request.table->strides),
              request.stream_outputs.strides.begin());
    return nullptr;
}

}  // namespace

lower::LinkLimits link_limits_of(const tgsi2spv_device_caps& d) {
    lower::LinkLimits l;  // the minimum that Vulkan guarantees
    const auto raise = [](uint32_t& limit, uint32_t has) { limit = std::max(limit, has); };
    raise(l.vertex_output, d.max_vertex_output_components);
    raise(l.tess_control_input, d.max_tessellation_control_per_vertex_input_components);
    raise(l.tess_control_output, d.max_tessellation_control_per_vertex_output_components);
    raise(l.tess_control_patch_output, d.max_tessellation_control_per_patch_output_components);
    raise(l.tess_eval_input, d.max_tessellation_evaluation_input_components);
    raise(l.tess_eval_output, d.max_tessellation_evaluation_output_components);
    raise(l.geometry_input, d.max_geometry_input_components);
    raise(l.geometry_output, d.max_geometry_output_components);
    raise(l.fragment_input, d.max_fragment_input_components);
    raise(l.geometry_total, d.max_geometry_total_output_components);
    return l;
}

const char* read_request(const tgsi2spv_parse_info* info, const tgsi2spv_options* options, Request& request) {
    if (!copy_in(info, request.info)) return refusal_of<"tgsi2spv_parse_info">();
    if (!copy_in(options, request.options)) return refusal_of<"tgsi2spv_options">();
    const tgsi2spv_options& o = request.options;
    if ((request.info.flags & ~uint32_t{TGSI2SPV_PARSE_FLAGS}) != 0)
        return "tgsi2spv_parse_info::flags has an unknown bit";
    if (o.target > TGSI2SPV_TARGET_VULKAN_1_3) return "tgsi2spv_options::target is out of range";
    if (o.dialect > TGSI2SPV_DIALECT_NEWEST) return "tgsi2spv_options::dialect is out of range";
    if (std::max({o.bounds_registers, o.bounds_constants, o.bounds_buffers, o.bounds_images, o.bounds_descriptors}) >
        TGSI2SPV_OUT_OF_RANGE_TRUST)
        return "one of tgsi2spv_options::bounds_registers to bounds_descriptors is out of range";
    if ((o.flags & ~uint32_t{TGSI2SPV_OPTION_FLAGS}) != 0) return "tgsi2spv_options::flags has an unknown bit";
    if (o.next_stage > TGSI2SPV_STAGE_GEOMETRY) return "tgsi2spv_options::next_stage is out of range";
    if (((o.workarounds_on | o.workarounds_off) & ~uint32_t{TGSI2SPV_WORKAROUNDS}) != 0)
        return "tgsi2spv_options::workarounds_on or workarounds_off has an unknown bit";
    if (o.handles > kMostHandles) return "tgsi2spv_options::handles is above 8,388,608";
    if (o.conversions > TGSI2SPV_CONVERSIONS_TRUST) return "tgsi2spv_options::conversions is out of range";
    if (const Reason wrong = wrong_in_lists(o)) return wrong;
    request.state.reset();
    if (const Reason wrong = read_stream_outputs(o.stream_outputs, request)) return wrong;
    if (o.device == nullptr)
        request.device = least_device(o.target);
    else if (!copy_in(o.device, request.device))
        return refusal_of<"tgsi2spv_device_caps">();
    if (o.state == nullptr) return nullptr;
    return copy_in(o.state, request.state.emplace()) ? wrong_in(*request.state) : refusal_of<"tgsi2spv_state">();
}

bool read_limits(const tgsi2spv_limits* limits, tgsi::Limits& text, uint32_t& operations) {
    tgsi2spv_limits l;
    if (!copy_in(limits, l)) return false;
    const auto set = [](uint32_t value, uint32_t& limit) {
        if (value != 0) limit = value;
    };
    text = {};
    operations = 0;
    set(l.text_bytes, text.text_bytes);
    set(l.instructions, text.instructions);
    set(l.nesting, text.nesting);
    set(l.registers, text.registers);
    set(l.errors, text.errors);
    set(l.operations, operations);
    return true;
}

Options options_of(const Request& request) {
    const tgsi2spv_options& c = request.options;
    Options o;
    o.entry = request.info.entry;
    const auto has = [&](tgsi2spv_option_flags flag) { return (c.flags & flag) != 0; };
    o.optimise = !has(TGSI2SPV_OPTION_UNOPTIMISED);
    o.capabilities = capabilities_of(request.device);
    o.emit.env = target_of(request.device.api_version);
    if (c.target != TGSI2SPV_TARGET_DEFAULT)
        o.emit.env = static_cast<spirv::TargetEnv>(c.target - TGSI2SPV_TARGET_VULKAN_1_0);
    o.emit.layers_by_geometry = !o.capabilities.shader_layer && request.device.geometry_shader != 0;
    o.emit.debug_names = o.emit.debug_lines = has(TGSI2SPV_OPTION_DEBUG);
    if (has(TGSI2SPV_OPTION_DEBUG) && c.source_name != nullptr) o.emit.source_name = c.source_name;
    for (const tgsi2spv_binding& b : sorted_bindings(c))
        o.emit.layout.entries.push_back({kind_of(b.kind), b.index, {b.set, b.binding}});
    for (uint32_t kind = 0; kind < std::size(c.kinds); ++kind)
        if (c.kinds[kind].is_set != 0)
            o.emit.layout.kinds.push_back({kind_of(kind), {c.kinds[kind].set, c.kinds[kind].first}});
    if (c.entry_point != nullptr) o.emit.entry_point = c.entry_point;
    lower::Options& l = o.lower;
    l.dialect = static_cast<tgsi::Dialect>(c.dialect);
    l.exact = has(TGSI2SPV_OPTION_EXACT);
    l.max_iterations = c.max_iterations;
    l.bounds = {static_cast<lower::OutOfRange>(c.bounds_registers), static_cast<lower::OutOfRange>(c.bounds_constants),
                static_cast<lower::OutOfRange>(c.bounds_buffers), static_cast<lower::OutOfRange>(c.bounds_images),
                static_cast<lower::OutOfRange>(c.bounds_descriptors)};
    const uint32_t on = (TGSI2SPV_WORKAROUNDS_BY_DEFAULT & ~c.workarounds_off) | c.workarounds_on;
    l.workarounds.scalars_in_arrays = (on & TGSI2SPV_WORKAROUND_SCALARS_IN_ARRAYS) != 0;
    l.workarounds.sizes_of_level_0 = (on & TGSI2SPV_WORKAROUND_SIZES_OF_LEVEL_0) != 0;
    l.workarounds.loop_registers_in_memory = (on & TGSI2SPV_WORKAROUND_LOOP_REGISTERS_IN_MEMORY) != 0;
    l.workarounds.branches_by_lane = (on & TGSI2SPV_WORKAROUND_BRANCHES_BY_LANE) != 0;
    l.workarounds.device_saturates = (on & TGSI2SPV_WORKAROUND_DEVICE_SATURATES) != 0;
    l.workarounds.device_reduces_angles = (on & TGSI2SPV_WORKAROUND_DEVICE_REDUCES_ANGLES) != 0;
    l.workarounds.device_logs_zero = (on & TGSI2SPV_WORKAROUND_DEVICE_LOGS_ZERO) != 0;
    l.before_rasterizer = c.next_stage == 0;
    if (c.linkage != nullptr) l.linkage = &c.linkage->linkage;
    if (request.table) l.stream_outputs = &request.stream_outputs;
    l.conversions = static_cast<lower::Conversions>(c.conversions);
    l.invariant_position = !has(TGSI2SPV_OPTION_VARIANT_POSITION);
    l.separate_samplers = has(TGSI2SPV_OPTION_SEPARATE_SAMPLERS);
    for (size_t i = 0; i < c.push_constant_count; ++i)
        l.push_constants.push_back({c.push_constants[i].buffer, c.push_constants[i].offset});
    l.records = has(TGSI2SPV_OPTION_RECORDS);
    l.zero_memory = has(TGSI2SPV_OPTION_ZERO_MEMORY);
    l.offsets_read_one_level = has(TGSI2SPV_OPTION_ONE_LEVEL_OFFSETS);
    if (request.state) set_state(*request.state, l);
    if (c.handles != 0) l.handles = c.handles;
    if (c.private_words != 0) l.private_words = c.private_words;
    if (c.shared_words != 0) l.shared_words = c.shared_words;
    return o;
}

std::vector<tgsi2spv_binding> sorted_bindings(const tgsi2spv_options& options) {
    std::vector<tgsi2spv_binding> all(options.bindings, options.bindings + options.binding_count);
    // No member is named twice (names_once()), so the order is complete.
    std::ranges::sort(all, [](const tgsi2spv_binding& a, const tgsi2spv_binding& b) {
        return std::tie(a.kind, a.index) < std::tie(b.kind, b.index);
    });
    return all;
}

ir::VariableKind kind_of(uint32_t resource_kind) {
    return kKinds[resource_kind];
}

tgsi2spv_resource_kind resource_kind_of(ir::VariableKind kind) {
    const auto* at = std::ranges::find(kKinds, kind);
    return at == std::end(kKinds) ? TGSI2SPV_RESOURCE_KIND_MAX
                                  : static_cast<tgsi2spv_resource_kind>(at - std::begin(kKinds));
}

}  // namespace tgsi2spv::api

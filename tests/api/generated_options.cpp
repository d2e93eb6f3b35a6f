#include "api/generated_options.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "api/device.h"

namespace tgsi2spv {
namespace {

using difftest::Random;

/// A member, its largest value, and how often it is not 0: once in `one_in`.
template <class Struct>
struct Member {
    const char* name;
    uint32_t Struct::*member;
    uint32_t most = 1;
    uint32_t one_in = 8;
};

using Options = tgsi2spv_options;
constexpr Member<Options> kOptions[] = {
    {"dialect", &Options::dialect, 3, 2},
    {"max_iterations", &Options::max_iterations, 5},
    {"bounds_registers", &Options::bounds_registers, 2, 4},
    {"bounds_constants", &Options::bounds_constants, 2, 4},
    {"bounds_buffers", &Options::bounds_buffers, 2, 3},
    {"bounds_images", &Options::bounds_images, 2, 3},
    {"bounds_descriptors", &Options::bounds_descriptors, 2, 3},
    {"conversions", &Options::conversions, 2},
    {"handles", &Options::handles, 3, 4},
    {"private_words", &Options::private_words, 64},
    {"next_stage", &Options::next_stage, 3},
    {"workarounds_on", &Options::workarounds_on, TGSI2SPV_WORKAROUNDS},
    {"workarounds_off", &Options::workarounds_off, TGSI2SPV_WORKAROUNDS, 3},
    {"shared_words", &Options::shared_words, 64},
};

/// A flag, and how often it is set: once in so many.
constexpr std::pair<uint32_t, uint32_t> kFlags[] = {
    {TGSI2SPV_OPTION_DEBUG, 8},
    {TGSI2SPV_OPTION_UNOPTIMISED, 4},
    {TGSI2SPV_OPTION_EXACT, 3},
    {TGSI2SPV_OPTION_VARIANT_POSITION, 8},
    {TGSI2SPV_OPTION_SEPARATE_SAMPLERS, 3},
    {TGSI2SPV_OPTION_ONE_LEVEL_OFFSETS, 2},
    {TGSI2SPV_OPTION_ZERO_MEMORY, 2},
};

using State = tgsi2spv_state;
constexpr Member<State> kState[] = {
    {"depth_range", &State::depth_range, 2},
    {"flip_y", &State::flip_y, 2},
    {"clip_planes", &State::clip_planes, 8},
    {"widened_attributes", &State::widened_attributes, 7},
    {"alpha_targets", &State::alpha_targets, 7},
    {"color_targets", &State::color_targets, 8},
    {"sprites", &State::sprites, 2},
    {"constant_buffer", &State::constant_buffer, 9},
    {"unnormalized", &State::unnormalized, 7, 3},
    {"compare_in_shader", &State::compare_in_shader, 7, 2},
    {"swizzled_views", &State::swizzled_views, 7, 3},
    {"mirrored_levels", &State::mirrored_levels, 7, 3},
    {"unorm16_buffers", &State::unorm16_buffers, 7, 3},
    {"snorm16_buffers", &State::snorm16_buffers, 7, 3},
};

bool chance(Random& random, uint32_t one_in) {
    return random.below(one_in) == 0;
}

template <class Struct, size_t count>
void choose(Struct& s, const Member<Struct> (&members)[count], Random& random) {
    for (const Member<Struct>& m : members)
        if (chance(random, m.one_in)) s.*m.member = 1 + random.below(m.most);
}

template <class Struct, size_t count>
std::string chosen(const Struct& s, const Member<Struct> (&members)[count], const char* prefix) {
    std::string text;
    for (const Member<Struct>& m : members)
        if (s.*m.member != 0) text += fmt::format(" {}{}={}", prefix, m.name, s.*m.member);
    return text;
}

template <size_t count>
std::string chosen(const uint32_t (&types)[count], const char* name) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
        if (types[i] != 0) text += fmt::format(" state.{}[{}]={}", name, i, types[i]);
    return text;
}

}  // namespace

GeneratedOptions::GeneratedOptions(Random& random, uint32_t outputs) {
    options_.target = random.below(TGSI2SPV_TARGET_VULKAN_1_3 + 1);
    choose(options_, kOptions, random);
    for (const auto& [flag, one_in] : kFlags)
        if (chance(random, one_in)) options_.flags |= flag;
    choose_device(random);
    if (!chance(random, 3)) choose_state(random);
    if (outputs > 0 && chance(random, 4)) choose_streams(random, outputs);
    if (chance(random, 8)) choose_layout(random);
}

/// Most devices lack a few features, some lack half of them, some everything.
void GeneratedOptions::choose_device(Random& random) {
    if (chance(random, 8)) {
        device_ = api::least_device(options_.target);
        return;
    }
    options_.device = &device_;
    if (chance(random, 2)) {
        device_ = device_with_everything();
        return;
    }
    constexpr uint32_t kNewest = 3;
    const uint32_t least = options_.target == 0 ? 0 : options_.target - TGSI2SPV_TARGET_VULKAN_1_0;
    device_.api_version = 1u << 22 | (least + random.below(kNewest + 1 - least)) << 12;
    const uint32_t lacks_one_in = chance(random, 8) ? 2 : 20;
    for (const api::DeviceFeature& f : api::device_features()) device_.*f.member = chance(random, lacks_one_in) ? 0 : 1;
    device_.subgroup_supported_stages = 0x3f;
    device_.subgroup_supported_operations = 0xff;
    if (chance(random, 2)) return;  // the limits that Vulkan guarantees
    device_.min_texel_offset = device_.min_texel_gather_offset = -32;
    device_.max_texel_offset = device_.max_texel_gather_offset = 31;
    device_.max_per_stage_descriptor_uniform_buffers = 15;
}

void GeneratedOptions::choose_state(Random& random) {
    options_.state = &state_;
    choose(state_, kState, random);
    for (uint32_t flag = 1; flag < TGSI2SPV_STATE_FLAGS; flag *= 2)
        if (chance(random, 8)) state_.flags |= flag;
    if (chance(random, 3)) state_.data[0] = random.next() & ~(7u << TGSI2SPV_SPEC_BLOCK_SIZE);
    if (chance(random, 3)) state_.data[1] = random.next() & 0xf;
    for (uint32_t& samplers : state_.clamped_coordinates)
        if (chance(random, 6)) samplers = random.below(8);
    for (uint32_t& samplers : state_.mirrored_coordinates)
        if (chance(random, 6)) samplers = random.below(8);
    for (uint32_t& type : state_.attributes)
        if (chance(random, 8)) type = random.below(TGSI2SPV_NUMERIC_DOUBLE + 1);
    for (uint32_t& type : state_.targets)
        if (chance(random, 8)) type = random.below(TGSI2SPV_NUMERIC_SINT + 1);
    for (uint32_t& type : state_.images)
        if (chance(random, 8)) type = random.below(TGSI2SPV_NUMERIC_SINT + 1);
}

void GeneratedOptions::choose_layout(Random& random) {
    constexpr uint32_t kKinds = TGSI2SPV_RESOURCE_INPUT_ATTACHMENT + 1, kUnused = 700;
    binding_.kind = random.below(kKinds);
    binding_.index = random.below(3);
    binding_.set = random.below(4);
    binding_.binding = kUnused + random.below(3);
    options_.bindings = &binding_;
    // Refused, and the flags may be chosen after this.
    options_.binding_count = binding_.kind == TGSI2SPV_RESOURCE_COMBINED_IMAGE ? 0 : 1;
    push_constants_.offset = 16 * random.below(4);
    options_.push_constants = &push_constants_;
    options_.push_constant_count = random.below(2);
}

void GeneratedOptions::choose_streams(Random& random, uint32_t outputs) {
    options_.stream_outputs = &streams_;
    streams_.outputs = outputs_;
    streams_.output_count = std::size(outputs_);
    uint32_t offset = 0;
    for (tgsi2spv_stream_output& o : outputs_) {
        o.output = random.below(outputs);
        o.first_component = random.below(2);
        o.component_count = 1 + random.below(3);
        o.offset = offset;
        offset += o.component_count;
    }
    streams_.strides[0] = offset;
}

uint32_t GeneratedOptions::minor_version() const {
    if (options_.target != TGSI2SPV_TARGET_DEFAULT) return options_.target - TGSI2SPV_TARGET_VULKAN_1_0;
    return device_.api_version >> 12 & 0x3ff;
}

bool GeneratedOptions::has(std::string_view feature) const {
    for (const api::DeviceFeature& f : api::device_features())
        if (f.name == feature) return device_.*f.member != 0;
    return true;
}

std::string GeneratedOptions::text() const {
    std::string text = fmt::format("options: target={} flags={:#x}", options_.target, options_.flags);
    text += chosen(options_, kOptions, "");
    if (options_.state != nullptr) {
        text +=
            fmt::format(" state.flags={:#x} state.data={{{:#x}, {:#x}}}", state_.flags, state_.data[0], state_.data[1]);
        text += chosen(state_, kState, "state.");
        text += chosen(state_.clamped_coordinates, "clamped_coordinates");
        text += chosen(state_.mirrored_coordinates, "mirrored_coordinates");
        text += chosen(state_.attributes, "attributes");
        text += chosen(state_.targets, "targets");
        text += chosen(state_.images, "images");
    }
    if (options_.binding_count != 0)
        text +=
            fmt::format(" binding={{{}, {}, {}, {}}}", binding_.kind, binding_.index, binding_.set, binding_.binding);
    if (options_.push_constant_count != 0) text += fmt::format(" push_constants={{0, {}}}", push_constants_.offset);
    if (options_.stream_outputs != nullptr)
        for (const tgsi2spv_stream_output& o : outputs_)
            text += fmt::format(" stream_output={{{}, {}, {}, 0, {}, 0}}", o.output, o.first_component,
                                o.component_count, o.offset);
    text +=
        fmt::format("\na device of Vulkan 1.{} with texel offsets from {}, without:", device_.api_version >> 12 & 0x3ff,
                    device_.min_texel_offset);
    for (const api::DeviceFeature& f : api::device_features())
        if (device_.*f.member == 0) text += fmt::format(" {}", f.name);
    return text + '\n';
}

}  // namespace tgsi2spv

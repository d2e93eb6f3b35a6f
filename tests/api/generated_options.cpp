#include "api/generated_options.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "api/c_structs.h"
#include "api/device.h"

namespace tgsi2spv {
namespace {

using difftest::Random;

/// A member, its largest value, and how often it is not 0: once in `one_in`.
template <class Struct>
struct Member {
    uint32_t Struct::*member;
    uint32_t most = 1;
    uint32_t one_in = 8;
};

using Options = tgsi2spv_options;
constexpr Member<Options> kOptions[] = {
    {&Options::dialect, 3, 2},
    {&Options::max_iterations, 5},
    {&Options::bounds_registers, 2, 4},
    {&Options::bounds_constants, 2, 4},
    {&Options::bounds_buffers, 2, 3},
    {&Options::bounds_images, 2, 3},
    {&Options::bounds_descriptors, 2, 3},
    {&Options::conversions, 2},
    {&Options::handles, 3, 4},
    {&Options::private_words, 64},
    {&Options::next_stage, 3},
    {&Options::workarounds_on, TGSI2SPV_WORKAROUNDS},
    {&Options::workarounds_off, TGSI2SPV_WORKAROUNDS, 3},
    {&Options::shared_words, 64},
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
    {&State::depth_range, 2},
    {&State::flip_y, 2},
    {&State::clip_planes, 8},
    {&State::widened_attributes, 7},
    {&State::alpha_targets, 7},
    {&State::color_targets, 8},
    {&State::sprites, 2},
    {&State::constant_buffer, 9},
    {&State::unnormalized, 7, 3},
    {&State::compare_in_shader, 7, 2},
    {&State::swizzled_views, 7, 3},
    {&State::mirrored_levels, 7, 3},
    {&State::unorm16_buffers, 7, 3},
    {&State::snorm16_buffers, 7, 3},
};

bool chance(Random& random, uint32_t one_in) {
    return random.below(one_in) == 0;
}

template <class Struct, size_t count>
void choose(Struct& s, const Member<Struct> (&members)[count], Random& random) {
    for (const Member<Struct>& m : members)
        if (chance(random, m.one_in)) s.*m.member = 1 + random.below(m.most);
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
    using test::set_members;
    std::string text = "options:" + set_members(&options_, "tgsi2spv_options", "options");
    if (options_.state != nullptr) text += set_members(&state_, "tgsi2spv_state", "state");
    if (options_.binding_count != 0) text += set_members(&binding_, "tgsi2spv_binding", "binding[0]");
    if (options_.push_constant_count != 0) text += set_members(&push_constants_, "tgsi2spv_push_constants", "push[0]");
    if (options_.stream_outputs != nullptr)
        for (size_t i = 0; i < std::size(outputs_); ++i)
            text += set_members(&outputs_[i], "tgsi2spv_stream_output", fmt::format("output[{}]", i));
    return text + "\na device with:" + set_members(&device_, "tgsi2spv_device_caps", "device") + '\n';
}

}  // namespace tgsi2spv

// The choices that the first bytes of an input make: options, the device, states, layout, stream outputs. Also the
// checks of every resulting module.
#pragma once

#include <bit>
#include <cstring>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <vector>

#include "spirv/patch_locations.h"
#include "target.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace fuzz {

/// Takes bits from bytes; returns zeros after the end.
class Bits {
  public:
    explicit Bits(const uint8_t* bytes) : bytes_(bytes) {}
    uint32_t take(uint32_t bits) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < bits; ++i, ++at_)
            if (at_ < 8 * kChoiceBytes) value |= (bytes_[at_ / 8] >> at_ % 8 & 1u) << i;
        return value;
    }

  private:
    const uint8_t* bytes_;
    uint32_t at_ = 0;
};

/// Takes one of a few numbers: 0 (mostly a default), small ones, powers of two as devices and users name them, and the
/// largest.
inline uint32_t take_number(Bits& bits) {
    constexpr uint32_t kNumbers[] = {0, 1, 2, 3, 16, 32, 64, 96, 128, 256, 1024, 16384, 65536, 1u << 20, 1u << 31, ~0u};
    return kNumbers[bits.take(4)];
}

/// Sets each word of a struct from `first` to `last` to such a number.
template <class Struct>
void number_words(Struct& s, size_t first, size_t last, Bits& bits) {
    for (size_t at = first; at < last; at += 4) {
        const uint32_t number = take_number(bits);
        std::memcpy(reinterpret_cast<char*>(&s) + at, &number, 4);
    }
}

/// Returns a context with small limits, since a run tries millions of inputs.
inline tgsi2spv::Context small_context(const tgsi2spv_limits& chosen) {
    tgsi2spv_limits limits = chosen;
    limits.registers = 4096;
    auto info = tgsi2spv::make<tgsi2spv_context_info>();
    info.limits = &limits;
    return tgsi2spv::Context(info);
}

/// Sets each word from `first` to `last` to 0 or 1, so that new switches are tried without a change here.
template <class Struct>
void switch_words(Struct& s, size_t first, size_t last, Bits& bits) {
    for (size_t at = first; at < last; at += 4) {
        const uint32_t on = bits.take(1);
        std::memcpy(reinterpret_cast<char*>(&s) + at, &on, 4);
    }
}

/// Not copyable, because it contains pointers into itself.
struct Choices {
    tgsi2spv_options options = tgsi2spv::make<tgsi2spv_options>();
    tgsi2spv_device_caps caps = tgsi2spv::device_with_everything();
    tgsi2spv_limits limits = tgsi2spv::make<tgsi2spv_limits>();
    tgsi2spv_parse_info info = tgsi2spv::make<tgsi2spv_parse_info>();
    tgsi2spv_state state = tgsi2spv::make<tgsi2spv_state>();
    tgsi2spv_stream_outputs streams = tgsi2spv::make<tgsi2spv_stream_outputs>();
    tgsi2spv_stream_output outputs[3] = {};
    tgsi2spv_binding bindings[3] = {};
    tgsi2spv_push_constants push_constants[2] = {};
    uint32_t patch_vertices = 0;  ///< not 0: the pipeline gets a TESS_CTRL made by the library, for so many vertices
    uint32_t plain_stages = 0;    ///< bit n: stage n of the pipeline is linked and converted with the default options

    Choices() = default;
    Choices(const Choices&) = delete;
    Choices& operator=(const Choices&) = delete;

    void take(Bits bits) {
        options.target = bits.take(3) % 5;
        options.dialect = bits.take(2);
        const bool with_device = bits.take(1) != 0;
        options.flags = bits.take(6);
        switch_words(options, offsetof(tgsi2spv_options, next_stage), offsetof(tgsi2spv_options, entry_point), bits);
        options.device = &caps;
        if (with_device) take_device(bits);
        if (bits.take(1) != 0) take_state(bits);
        if (bits.take(1) != 0) take_layout(bits);
        if (bits.take(1) != 0) take_streams(bits);
        if (bits.take(1) != 0) take_numbers(bits);
        if (bits.take(1) != 0) take_workarounds(bits);
        if (bits.take(1) != 0) take_limits(bits);
        if (bits.take(1) != 0) info.entry = bits.take(6);
        if (bits.take(1) != 0) patch_vertices = 1 + bits.take(5);
        if (bits.take(1) != 0) plain_stages = bits.take(7);
        if (bits.take(1) != 0) options.source_name = "name.tgsi";
        if (bits.take(1) != 0 && !with_device) options.device = nullptr;
    }

  private:
    void take_device(Bits& bits) {
        caps = tgsi2spv::make<tgsi2spv_device_caps>();
        caps.api_version = 1u << 22 | bits.take(2) << 12;
        switch_words(caps, offsetof(tgsi2spv_device_caps, geometry_shader),
                     offsetof(tgsi2spv_device_caps, subgroup_supported_stages), bits);
        caps.subgroup_supported_stages = bits.take(1) != 0 ? 0x3f : 0x30;
        caps.subgroup_supported_operations = 0xff;
        if (bits.take(1) == 0) return;
        caps.subgroup_supported_stages = bits.take(6);
        caps.subgroup_supported_operations = bits.take(8);
        switch_words(caps, offsetof(tgsi2spv_device_caps, shader_signed_zero_inf_nan_preserve_float32),
                     offsetof(tgsi2spv_device_caps, max_per_stage_descriptor_uniform_buffers), bits);
        caps.quad_divergent_implicit_lod = bits.take(1);
        caps.robust_buffer_access2 = bits.take(1);
        caps.robust_image_access2 = bits.take(1);
        if (bits.take(1) == 0) return;
        number_words(caps, offsetof(tgsi2spv_device_caps, max_per_stage_descriptor_uniform_buffers),
                     offsetof(tgsi2spv_device_caps, quad_divergent_implicit_lod), bits);
    }
    /// The members that the switches set to 0 or 1.
    void take_numbers(Bits& bits) {
        for (uint32_t* bounds : {&options.bounds_registers, &options.bounds_constants, &options.bounds_buffers,
                                 &options.bounds_images, &options.bounds_descriptors})
            *bounds = bits.take(2) % 3;
        options.conversions = bits.take(2) % 3;
        options.max_iterations = take_number(bits);
        options.handles = take_number(bits);
        options.private_words = take_number(bits);
        options.shared_words = take_number(bits);
    }
    void take_workarounds(Bits& bits) {
        options.workarounds_on = bits.take(3);
        options.workarounds_off = bits.take(3);
    }
    void take_limits(Bits& bits) {
        limits.text_bytes = take_number(bits);
        limits.instructions = take_number(bits);
        limits.nesting = bits.take(4);
        limits.errors = take_number(bits);
        limits.operations = take_number(bits) % (1u << 20);  // the default takes long enough
    }
    void take_state(Bits& bits) {
        options.state = &state;
        state.flags = bits.take(std::bit_width(uint32_t{TGSI2SPV_STATE_FLAGS}));
        state.depth_range = bits.take(2) % 3;
        state.flip_y = bits.take(2) % 3;
        for (uint32_t& type : state.attributes) type = bits.take(2);
        for (uint32_t& type : state.targets) type = bits.take(1);
        if (bits.take(1) == 0) return;
        state.clip_planes = bits.take(4) % 9;
        state.sprites = bits.take(2) % 3;
        state.constant_buffer = take_number(bits);
        for (uint32_t* textures : {&state.unnormalized, &state.compare_in_shader, &state.swizzled_views})
            *textures = bits.take(1) != 0 ? ~0u : bits.take(4);
        state.data[0] = take_number(bits) & ~(7u << TGSI2SPV_SPEC_BLOCK_SIZE);
        state.data[1] = bits.take(6);
        state.widened_attributes = bits.take(3);
        state.alpha_targets = bits.take(2);
        state.color_targets = bits.take(2);
        for (uint32_t& samplers : state.clamped_coordinates) samplers = bits.take(2);
        for (uint32_t& samplers : state.mirrored_coordinates) samplers = bits.take(2);
        state.mirrored_levels = bits.take(2);
        state.unorm16_buffers = bits.take(2);
        state.snorm16_buffers = bits.take(2);
        for (uint32_t& type : state.attributes) type = bits.take(4) % (TGSI2SPV_NUMERIC_DOUBLE + 1);
        for (uint32_t& type : state.targets) type = bits.take(2) % 3;
        for (size_t i = 0; i < 3; i++) state.images[i] = bits.take(2) % 3;
        for (size_t i = 0; i < 3; i++) state.image_formats[i] = bits.take(6) % 42;
        state.seen_samples = (1u << bits.take(3) % 6) >> 1;
        state.blend = {bits.take(2) % 3, bits.take(2) % 3,  bits.take(4), 15 + bits.take(2),
                       bits.take(3) % 5, bits.take(5) % 19, bits.take(4), bits.take(2)};
    }
    void take_layout(Bits& bits) {
        for (uint32_t i = 0; i < 3; i++) {
            bindings[i] = {bits.take(3) % 7, bits.take(2), bits.take(2), bits.take(3)};
            for (uint32_t k = 0; k < i; k++)  // the list may name a resource only once
                if (bindings[i].kind == bindings[k].kind && bindings[i].index == bindings[k].index)
                    bindings[i].index += 4 * i;
        }
        options.bindings = bindings;
        options.binding_count = bits.take(2);
        for (uint32_t i = 0; i < 2; i++) push_constants[i] = {2 * i + bits.take(1), 16 * bits.take(4)};
        options.push_constants = push_constants;
        options.push_constant_count = bits.take(2) % 3;
    }
    void take_streams(Bits& bits) {
        for (tgsi2spv_stream_output& o : outputs) {
            const uint32_t first = bits.take(2);
            o = {bits.take(3), first, 1 + bits.take(2) % (4 - first), bits.take(2), bits.take(4), bits.take(2)};
        }
        streams.outputs = outputs;
        streams.output_count = bits.take(2);
        for (uint32_t& stride : streams.strides) stride = bits.take(5);
        options.stream_outputs = &streams;
    }
};

inline void require_valid(const tgsi2spv_module_info& module) {
    const uint32_t version = module.words[1];
    const spv_target_env env = version == 0x10000   ? SPV_ENV_VULKAN_1_0
                               : version == 0x10300 ? SPV_ENV_VULKAN_1_1
                               : version == 0x10500 ? SPV_ENV_VULKAN_1_2
                                                    : SPV_ENV_VULKAN_1_3;
    spvtools::SpirvTools tools(env);
    std::string said;
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { said += message; });
    const std::vector<uint32_t> words(module.words, module.words + module.word_count);
    require(tools.Validate(tgsi2spv::spirv::with_patch_locations_apart(words)), said);
}

/// A refusal must be due to the text or to the request, and must have a diagnostic.
inline void require_reason(tgsi2spv::Context& context, tgsi2spv_status status) {
    require(status != TGSI2SPV_ERROR_INTERNAL, tgsi2spv_status_string(status));
    size_t first = 0;  // warnings may come before it
    while (first < context.diagnostic_count() && context.diagnostic(first).severity != TGSI2SPV_SEVERITY_ERROR) first++;
    require(first < context.diagnostic_count(), "refused without a reason");
    // The only wrong calls that a target makes.
    const std::string_view code = context.diagnostic(first).code;
    require(status != TGSI2SPV_ERROR_INVALID_ARGUMENT || code == "invalid-argument" || code == "not-a-pipeline" ||
                code == "bad-stream-output",
            code);
}

}  // namespace fuzz

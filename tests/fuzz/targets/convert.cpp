// The whole conversion through the C API. The first bytes choose options, the device and limits; what is accepted
// passes spirv-val.
#include <algorithm>
#include <cstring>
#include <memory>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <vector>

#include "spirv/patch_locations.h"
#include "target.h"
#include "tgsi2spv/tgsi2spv.hpp"

using namespace tgsi2spv;

namespace {

constexpr size_t kOptionBytes = 32;

/// Bits out of bytes, zeros after the end.
class Bits {
  public:
    explicit Bits(const uint8_t* bytes) : bytes_(bytes) {}
    uint32_t take(uint32_t bits) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < bits; ++i, ++at_)
            if (at_ < 8 * kOptionBytes) value |= (bytes_[at_ / 8] >> at_ % 8 & 1u) << i;
        return value;
    }

  private:
    const uint8_t* bytes_;
    uint32_t at_ = 0;
};

const char* validate(const Module& module, std::string& said) {
    const uint32_t version = module.words()[1];
    const spv_target_env env = version == 0x10000   ? SPV_ENV_VULKAN_1_0
                               : version == 0x10300 ? SPV_ENV_VULKAN_1_1
                               : version == 0x10500 ? SPV_ENV_VULKAN_1_2
                                                    : SPV_ENV_VULKAN_1_3;
    spvtools::SpirvTools tools(env);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { said += message; });
    const std::vector<uint32_t> words(module.words().begin(), module.words().end());
    return tools.Validate(spirv::with_patch_locations_apart(words)) ? nullptr : said.c_str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < kOptionBytes) return 0;
    Bits bits(data);
    auto options = make<tgsi2spv_options>();
    options.target = bits.take(3) % 5;
    options.dialect = bits.take(2);
    const bool with_device = bits.take(1) != 0;
    // Every other word of the options as a switch, so that new ones are tried without a word here.
    for (size_t at = offsetof(tgsi2spv_options, debug); at < sizeof options; at += 4) {
        const uint32_t on = bits.take(1);
        std::memcpy(reinterpret_cast<char*>(&options) + at, &on, 4);
    }
    auto caps = make<tgsi2spv_device_caps>();
    if (with_device) {
        options.device = &caps;
        caps.api_version = 1u << 22 | bits.take(2) << 12;
        for (size_t at = offsetof(tgsi2spv_device_caps, geometry_shader);
             at < offsetof(tgsi2spv_device_caps, subgroup_supported_stages); at += 4) {
            const uint32_t on = bits.take(1);
            std::memcpy(reinterpret_cast<char*>(&caps) + at, &on, 4);
        }
        caps.subgroup_supported_stages = bits.take(1) != 0 ? 0x3f : 0x30;
        caps.subgroup_supported_operations = 0xff;
    }
    auto state = make<tgsi2spv_state>();
    if (bits.take(1) != 0) {
        options.state = &state;
        for (size_t at = offsetof(tgsi2spv_state, depth_range); at < offsetof(tgsi2spv_state, constant_buffer);
             at += 4) {
            const uint32_t on = bits.take(1);
            std::memcpy(reinterpret_cast<char*>(&state) + at, &on, 4);
        }
        for (uint32_t& type : state.attributes) type = bits.take(2);
        for (uint32_t& type : state.targets) type = bits.take(1);
    }
    auto limits = make<tgsi2spv_limits>();
    limits.registers = 4096;
    auto info = make<tgsi2spv_context_info>();
    info.limits = &limits;
    Context context(info);
    const std::string_view text = fuzz::text_of(data + kOptionBytes, size - kOptionBytes);
    const Module module = context.translate(text, options);
    if (!module) {
        fuzz::require(
            context.status() != TGSI2SPV_ERROR_INTERNAL && context.status() != TGSI2SPV_ERROR_INVALID_ARGUMENT,
            tgsi2spv_status_string(context.status()));
        fuzz::require(context.diagnostic_count() > 0, "refused without a reason");
        return 0;
    }
    std::string said;
    if (const char* wrong = validate(module, said)) fuzz::require(false, wrong);
    for (uint32_t i = 0; i < module.info().resource_count; ++i)
        fuzz::require(*module.resource(i).name != 0, "a resource without a name");
    fuzz::require(!context.reflection_json().empty(), "no reflection");
    return 0;
}

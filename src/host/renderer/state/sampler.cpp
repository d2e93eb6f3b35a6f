#include "renderer/state/sampler.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "renderer/state/caps.h"
#include "renderer/state/convert.h"
#include "renderer/state/host_state.h"
#include "vk/names.h"
#include "vulkan/instance.h"

namespace tgsi2spv::host {
namespace {

VkSamplerAddressMode to_vulkan(virgl::Wrap wrap, bool linear, bool can_mirror_clamp) {
    constexpr auto kRepeat = VK_SAMPLER_ADDRESS_MODE_REPEAT, kEdge = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                   kBorder = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, kMirror = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
                   kMirrorEdge = VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
    // With nearest filters, and with linear ones. Where the shader clamps or mirrors the coordinate, the border comes
    // next, and linear filters mix it with the edge.
    constexpr VkSamplerAddressMode kModes[][2] = {
        {kRepeat, kRepeat},     {kEdge, kBorder},           {kEdge, kEdge},    {kBorder, kBorder}, {kMirror, kMirror},
        {kMirrorEdge, kBorder}, {kMirrorEdge, kMirrorEdge}, {kBorder, kBorder}};
    const VkSamplerAddressMode mode = kModes[static_cast<size_t>(wrap)][linear ? 1 : 0];
    return mode == kMirrorEdge && !can_mirror_clamp ? kMirror : mode;
}

/// Guests may send NaN, which no limit of Vulkan permits.
float finite(float value, float low, float high) {
    return value >= low ? std::min(value, high) : low;
}

struct Border {
    VkBorderColor color;
    VkClearColorValue custom{};
};

Border border_of(const std::array<uint32_t, 4>& words, bool integer, bool can_customise) {
    const uint32_t one = integer ? 1 : std::bit_cast<uint32_t>(1.0F);
    const bool black = words[0] == 0 && words[1] == 0 && words[2] == 0;
    const bool white = words[0] == one && words[1] == one && words[2] == one && words[3] == one;
    if (black && words[3] == 0)
        return {integer ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK};
    if (white) return {integer ? VK_BORDER_COLOR_INT_OPAQUE_WHITE : VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
    if ((black && words[3] == one) || !can_customise)
        return {integer ? VK_BORDER_COLOR_INT_OPAQUE_BLACK : VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK};
    Border border{integer ? VK_BORDER_COLOR_INT_CUSTOM_EXT : VK_BORDER_COLOR_FLOAT_CUSTOM_EXT};
    std::ranges::copy(words, border.custom.uint32);
    return border;
}

/// A border as Vulkan's format has it. What the format lacks is as red, so that Vulkan's own colours fit more often.
std::array<uint32_t, 4> unswizzled(const std::array<uint32_t, 4>& words, const std::array<virgl::Swizzle, 4>& swizzle) {
    std::array<uint32_t, 4> border{};
    for (size_t c = 0; c < 4; c++) {
        const auto from = std::ranges::find(swizzle, static_cast<virgl::Swizzle>(c));
        border[c] = from == swizzle.end() ? border[0] : words[static_cast<size_t>(from - swizzle.begin())];
    }
    return border;
}

}  // namespace

bool is_linear(const virgl::CreateSamplerState& state) {
    return state.min_filter == virgl::Filter::Linear || state.mag_filter == virgl::Filter::Linear;
}

bool filters(const HostState& host, VkFormat format) {
    return (host.device->format(format).optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
}

namespace {

/// Devices have a few thousand samplers, and fewer with custom border colours; guests may use as many states as there
/// are floats. Existing samplers live until the batch is done. False: there are too many of them.
bool forget_many_samplers(HostState& host, bool custom) {
    constexpr uint32_t kMost = 1024, kCaches = 4;
    const uint32_t most = std::min(kMost, host.device->report().limits.maxSamplerAllocationCount / kCaches);
    const uint32_t most_custom = std::min(most, host.device->extras().most_custom_borders / kCaches);
    auto& samplers = host.samplers;
    if (samplers->by_state.size() >= most || (custom && samplers->custom >= most_custom))
        host.stream.keep(
            std::exchange(samplers, std::make_shared<Samplers>(host.device->handle(), host.alive_samplers)));
    const AliveSamplers& alive = host.alive_samplers;
    return alive.all < size_t{most} * kCaches && (!custom || alive.custom < size_t{most_custom} * kCaches);
}

SamplerKey key_of(const VkSamplerCreateInfo& info, const VkSamplerCustomBorderColorCreateInfoEXT* custom) {
    constexpr size_t kFirst = offsetof(VkSamplerCreateInfo, flags), kWords = 16;
    static_assert(sizeof info - kFirst == kWords * sizeof(uint32_t));
    SamplerKey key{};
    std::memcpy(key.data(), reinterpret_cast<const std::byte*>(&info) + kFirst, kWords * sizeof(uint32_t));
    if (custom == nullptr) return key;
    std::ranges::copy(custom->customBorderColor.uint32, key.begin() + kWords);
    key.back() = static_cast<uint32_t>(custom->format);
    return key;
}

VkSampler find_or_make(HostState& host, const VkSamplerCreateInfo& info,
                       const VkSamplerCustomBorderColorCreateInfoEXT* custom) {
    const SamplerKey key = key_of(info, custom);
    const auto& known = host.samplers->by_state;
    if (const auto at = known.find(key); at != known.end()) return at->second;
    if (!forget_many_samplers(host, custom != nullptr)) return VK_NULL_HANDLE;
    VkSampler made = VK_NULL_HANDLE;
    if (!host.device->check(vkCreateSampler(host.device->handle(), &info, nullptr, &made), "vkCreateSampler"))
        return VK_NULL_HANDLE;
    vk::name(*host.device, VK_OBJECT_TYPE_SAMPLER, made, "sampler {}", host.samplers->by_state.size());
    host.samplers->by_state.emplace(key, made);
    host.alive_samplers.all++;
    if (custom == nullptr) return made;
    host.samplers->custom++;
    host.alive_samplers.custom++;
    return made;
}

}  // namespace

VkSampler find_sampler(HostState& host, const virgl::CreateSamplerState& state, const SamplerUse& use) {
    const auto& report = host.device->report();
    const auto& limits = report.limits;
    const bool mips = state.mip_filter != virgl::MipFilter::None;
    const bool anisotropic = use.filters && state.max_anisotropy >= 2 && is_anisotropic(report);
    // Compare functions of integers have no meaning, and a view of them is never compared.
    const bool compare = state.compare_enable && !use.integer;
    const VkFormat border_format = report.border_color_without_format ? VK_FORMAT_UNDEFINED : use.format;
    const bool has_borders =
        report.border_color_without_format || (report.custom_border_color && border_format != VK_FORMAT_UNDEFINED);
    const Border border = border_of(unswizzled(state.border, use.swizzle), use.integer, has_borders);
    const bool non_seamless = !state.seamless_cube && host.device->extras().non_seamless.nonSeamlessCubeMap != 0;
    const float min_lod = mips ? finite(state.min_lod, 0, 1000) : 0;
    // With levels up to 0.25, the filter still depends on the sign of the LOD (Vulkan, VkSamplerCreateInfo). If there
    // is only one filter, no LOD is needed, and with equal bounds llvmpipe computes none (glmark2's desktop: twice as
    // fast), not even for LODQ.
    const bool no_lod = !mips && (!use.filters || state.min_filter == state.mag_filter) && !use.queries_lod;
    const float max_lod = mips ? std::max(finite(state.max_lod, 0, 1000), min_lod) : no_lod ? 0 : 0.25F;
    const bool biased = host.device->extras().portability.samplerMipLodBias != 0 && !no_lod;
    const float bias = !biased ? 0 : finite(state.lod_bias, -limits.maxSamplerLodBias, limits.maxSamplerLodBias);
    VkSamplerCustomBorderColorCreateInfoEXT custom{
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT,
        .customBorderColor = border.custom,
        .format = border_format};
    const bool is_custom =
        border.color == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT || border.color == VK_BORDER_COLOR_INT_CUSTOM_EXT;
    const auto filter = [&](virgl::Filter f) {
        return use.filters && f == virgl::Filter::Linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    };
    const bool linear = use.filters && is_linear(state);
    const bool mirror = report.features12.samplerMirrorClampToEdge != 0;
    VkSamplerCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .pNext = is_custom ? &custom : nullptr,
        .flags = non_seamless ? static_cast<VkSamplerCreateFlags>(VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT) : 0,
        .magFilter = filter(state.mag_filter),
        .minFilter = filter(state.min_filter),
        .mipmapMode = use.filters && state.mip_filter == virgl::MipFilter::Linear ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                                                  : VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU = to_vulkan(state.wrap_s, linear, mirror),
        .addressModeV = to_vulkan(state.wrap_t, linear, mirror),
        .addressModeW = to_vulkan(state.wrap_r, linear, mirror),
        .mipLodBias = bias,
        .anisotropyEnable = anisotropic,
        .maxAnisotropy =
            anisotropic ? std::min(static_cast<float>(state.max_anisotropy), limits.maxSamplerAnisotropy) : 1,
        .compareEnable = compare,
        .compareOp = compare ? to_vulkan(state.compare) : VK_COMPARE_OP_NEVER,
        .minLod = min_lod,
        .maxLod = max_lod,
        .borderColor = border.color};
    return find_or_make(host, info, is_custom ? &custom : nullptr);
}

}  // namespace tgsi2spv::host

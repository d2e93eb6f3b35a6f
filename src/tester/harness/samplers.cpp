// The samplers of a job, and their requirements on the views that they are combined with.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "harness/frame.h"
#include "vulkan/format_name.h"

namespace tgsi2spv::harness {

namespace {

bool is_integer(VkFormat format) {
    switch (format) {
        case VK_FORMAT_R8_UINT:
        case VK_FORMAT_R8_SINT:
        case VK_FORMAT_R8G8_UINT:
        case VK_FORMAT_R8G8_SINT:
        case VK_FORMAT_R8G8B8A8_UINT:
        case VK_FORMAT_R8G8B8A8_SINT:
        case VK_FORMAT_A2B10G10R10_UINT_PACK32:
        case VK_FORMAT_R16_UINT:
        case VK_FORMAT_R16_SINT:
        case VK_FORMAT_R16G16_UINT:
        case VK_FORMAT_R16G16_SINT:
        case VK_FORMAT_R16G16B16A16_UINT:
        case VK_FORMAT_R16G16B16A16_SINT:
        case VK_FORMAT_R32_UINT:
        case VK_FORMAT_R32_SINT:
        case VK_FORMAT_R32G32_UINT:
        case VK_FORMAT_R32G32_SINT:
        case VK_FORMAT_R32G32B32_UINT:
        case VK_FORMAT_R32G32B32_SINT:
        case VK_FORMAT_R32G32B32A32_UINT:
        case VK_FORMAT_R32G32B32A32_SINT:
        case VK_FORMAT_S8_UINT:
            return true;
        default:
            return false;
    }
}

VkFormat format_of(const Job& job, uint32_t view) {
    const ImageView& v = job.views[view];
    return v.format != VK_FORMAT_UNDEFINED ? v.format : job.images[v.image].format;
}

/// Returns the format of all views that the sampler is combined with. Returns VK_FORMAT_UNDEFINED if there are several
/// formats, if the shader itself combines the sampler with images, or if the border colour is of the other type
/// (VkSamplerCustomBorderColorCreateInfoEXT, VUID 07605). In a format with depth and stencil, the colour's type says
/// which of them is meant.
VkFormat format_met_by(const Job& job, uint32_t sampler) {
    VkFormat met = VK_FORMAT_UNDEFINED;
    for (const auto& d : job.descriptors) {
        if (d.type == VK_DESCRIPTOR_TYPE_SAMPLER && std::find(d.items.begin(), d.items.end(), sampler) != d.items.end())
            return VK_FORMAT_UNDEFINED;
        for (size_t i = 0; i < d.samplers.size(); i++) {
            if (d.samplers[i] != sampler) continue;
            const auto format = format_of(job, d.items[i]);
            const bool stencil = job.images[job.views[d.items[i]].image].aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
            const bool integers = stencil || is_integer(format);
            if (integers != job.samplers[sampler].integer_border.has_value() ||
                (met != VK_FORMAT_UNDEFINED && met != format))
                return VK_FORMAT_UNDEFINED;
            met = format;
        }
    }
    return met;
}

/// Whether the sampler blends texels. Vulkan does not require filterable formats for comparisons (vkCmdDraw, 04553 and
/// 04770).
bool filters(const Sampler& sampler) {
    return !sampler.compare && (sampler.min_filter == VK_FILTER_LINEAR || sampler.mag_filter == VK_FILTER_LINEAR ||
                                sampler.mip_filter == VK_SAMPLER_MIPMAP_MODE_LINEAR);
}

Status check_filter(const Frame& frame, VkFormat format) {
    VkFormatProperties properties{};
    vkGetPhysicalDeviceFormatProperties(frame.device.report().info.handle, format, &properties);
    if ((properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0) return {};
    return fail(Failure::Missing, fmt::format("linear filters of format {}", vulkan::format_name(format)));
}

/// Checks the formats that are filtered: many devices do not filter 32-bit floats.
Status check_filters(const Frame& frame) {
    const Job& job = frame.job;
    bool apart = false;  // some sampler that filters may be combined with any sampled image
    for (const auto& d : job.descriptors) {
        if (d.type == VK_DESCRIPTOR_TYPE_SAMPLER)
            apart |= std::any_of(d.items.begin(), d.items.end(), [&](auto s) { return filters(job.samplers[s]); });
        for (size_t i = 0; i < d.samplers.size(); i++)
            if (filters(job.samplers[d.samplers[i]]))
                if (auto s = check_filter(frame, format_of(job, d.items[i])); !s) return s;
    }
    if (!apart) return {};
    for (const auto& d : job.descriptors) {
        if (d.type != VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE) continue;
        for (const auto view : d.items)
            // No device filters integers, so a shader with an integer view only fetches from it.
            if (const auto format = format_of(job, view); !is_integer(format))
                if (auto s = check_filter(frame, format); !s) return s;
    }
    return {};
}

bool has_border(const Sampler& sampler) {
    return std::any_of(std::begin(sampler.wrap), std::end(sampler.wrap),
                       [](auto w) { return w == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER; });
}

/// Returns which of the three colours that every device has is (rgb, rgb, rgb, a), if any. `integers`: of the integer
/// ones.
template <class T>
std::optional<VkBorderColor> predefined(const std::array<T, 4>& c, bool integers) {
    const auto is = [&](T rgb, T a) { return c[0] == rgb && c[1] == rgb && c[2] == rgb && c[3] == a; };
    if (is(0, 0)) return integers ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
    if (is(0, 1)) return integers ? VK_BORDER_COLOR_INT_OPAQUE_BLACK : VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
    if (is(1, 1)) return integers ? VK_BORDER_COLOR_INT_OPAQUE_WHITE : VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    return std::nullopt;
}

/// Selects one of the three border colours that every device has, or a custom one for views of `format`. Its type is
/// that of the views also where no texel is of the border: Vulkan's "Instruction/Sampler/Image View Validation" does
/// not mention wrap modes.
Status choose_border(const vulkan::DeviceReport& report, const Sampler& sampler, VkFormat format,
                     VkSamplerCreateInfo& info, VkSamplerCustomBorderColorCreateInfoEXT& custom) {
    const auto& integers = sampler.integer_border;
    info.borderColor = integers ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
    if (!has_border(sampler)) return {};
    if (const auto own = integers ? predefined(*integers, true) : predefined(sampler.border_color, false)) {
        info.borderColor = *own;
        return {};
    }
    if (!report.custom_border_color) return fail(Failure::Missing, "customBorderColors");
    if (format == VK_FORMAT_UNDEFINED && !report.border_color_without_format)
        return fail(Failure::Missing, "customBorderColorWithoutFormat");
    if (integers) {
        info.borderColor = VK_BORDER_COLOR_INT_CUSTOM_EXT;
        std::copy(integers->begin(), integers->end(), custom.customBorderColor.uint32);
    } else {
        info.borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
        std::copy(sampler.border_color.begin(), sampler.border_color.end(), custom.customBorderColor.float32);
    }
    custom.format = format;
    info.pNext = &custom;
    return {};
}

}  // namespace

Status make_samplers(Frame& frame) {
    if (auto s = check_filters(frame); !s) return s;
    const auto& report = frame.device.report();
    for (uint32_t i = 0; i < frame.job.samplers.size(); i++) {
        const Sampler& sampler = frame.job.samplers[i];
        auto info = make<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
        auto custom = make<VkSamplerCustomBorderColorCreateInfoEXT>(
            VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT);
        info.magFilter = sampler.mag_filter;
        info.minFilter = sampler.min_filter;
        info.mipmapMode = sampler.mip_filter;
        info.addressModeU = sampler.wrap[0];
        info.addressModeV = sampler.wrap[1];
        info.addressModeW = sampler.wrap[2];
        for (auto wrap : sampler.wrap)
            if (wrap == VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE && !report.features12.samplerMirrorClampToEdge)
                return fail(Failure::Missing, "samplerMirrorClampToEdge");
        info.mipLodBias =
            std::clamp(sampler.lod_bias, -report.limits.maxSamplerLodBias, report.limits.maxSamplerLodBias);
        info.minLod = sampler.min_lod;
        info.maxLod = sampler.max_lod;
        if (sampler.max_anisotropy > 1) {
            if (!report.features.samplerAnisotropy) return fail(Failure::Missing, "samplerAnisotropy");
            info.anisotropyEnable = VK_TRUE;
            info.maxAnisotropy = std::min(sampler.max_anisotropy, report.limits.maxSamplerAnisotropy);
        }
        info.compareEnable = sampler.compare;
        info.compareOp = sampler.compare_op;
        info.unnormalizedCoordinates = sampler.unnormalized;
        if (auto s = choose_border(report, sampler, format_met_by(frame.job, i), info, custom); !s) return s;
        VkSampler handle{};
        if (auto s = checked(vkCreateSampler(frame.device.handle(), &info, nullptr, &handle), "vkCreateSampler"); !s)
            return s;
        frame.samplers.push_back(handle);
    }
    return {};
}

}  // namespace tgsi2spv::harness

#include "renderer/record/descriptor_views.h"

namespace tgsi2spv::host {
namespace {

/// Unsigned integers in the place of normalised numbers or floats. Undefined: there is no such format.
constexpr VkFormat integers_of(VkFormat format) {
    struct Layouts {
        VkFormat first, last;
        int formats, integer;  ///< formats of each layout; the place of UINT among them
    };
    constexpr Layouts kLayouts[] = {{VK_FORMAT_R8_UNORM, VK_FORMAT_A8B8G8R8_SRGB_PACK32, 7, 4},
                                    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, VK_FORMAT_A2B10G10R10_SINT_PACK32, 6, 4},
                                    {VK_FORMAT_R16_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, 7, 4},
                                    {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32B32A32_SFLOAT, 3, 0}};
    for (const Layouts& l : kLayouts)
        if (format >= l.first && format <= l.last)
            return static_cast<VkFormat>(format - (format - l.first) % l.formats + l.integer);
    return VK_FORMAT_UNDEFINED;
}
static_assert(integers_of(VK_FORMAT_B8G8R8A8_SRGB) == VK_FORMAT_B8G8R8A8_UINT &&
              integers_of(VK_FORMAT_R16G16_SFLOAT) == VK_FORMAT_R16G16_UINT &&
              integers_of(VK_FORMAT_R32G32B32A32_SFLOAT) == VK_FORMAT_R32G32B32A32_UINT);

}  // namespace

tgsi2spv_component_type component_of(const FormatInfo& format) {
    return format.has(kUint)   ? TGSI2SPV_COMPONENT_UINT
           : format.has(kSint) ? TGSI2SPV_COMPONENT_INT
                               : TGSI2SPV_COMPONENT_FLOAT;
}

VkFormat format_of_view(const FormatInfo& format, tgsi2spv_component_type component) {
    const tgsi2spv_component_type own = component_of(format);
    if (own == component) return format.vulkan;
    static_assert(VK_FORMAT_R8_SINT == VK_FORMAT_R8_UINT + 1 && VK_FORMAT_R64_SINT == VK_FORMAT_R64_UINT + 1 &&
                  VK_FORMAT_A2B10G10R10_SINT_PACK32 == VK_FORMAT_A2B10G10R10_UINT_PACK32 + 1);
    if (format.has(kDepthStencil)) return VK_FORMAT_UNDEFINED;
    if (own == TGSI2SPV_COMPONENT_FLOAT) {
        const VkFormat unsigned_integers = integers_of(format.vulkan);
        const int sign = component == TGSI2SPV_COMPONENT_INT ? 1 : 0;
        return unsigned_integers == VK_FORMAT_UNDEFINED ? unsigned_integers
                                                        : static_cast<VkFormat>(unsigned_integers + sign);
    }
    if (own == TGSI2SPV_COMPONENT_UINT && component == TGSI2SPV_COMPONENT_INT)
        return static_cast<VkFormat>(format.vulkan + 1);
    if (own == TGSI2SPV_COMPONENT_INT && component == TGSI2SPV_COMPONENT_UINT)
        return static_cast<VkFormat>(format.vulkan - 1);
    return VK_FORMAT_UNDEFINED;
}

VkImageType image_type(const Descriptor& descriptor) {
    return descriptor.dim == TGSI2SPV_IMAGE_1D   ? VK_IMAGE_TYPE_1D
           : descriptor.dim == TGSI2SPV_IMAGE_3D ? VK_IMAGE_TYPE_3D
                                                 : VK_IMAGE_TYPE_2D;
}

VkImageViewType view_type(const Descriptor& descriptor) {
    // A row for each VkImageType; cubes are of two dimensions.
    constexpr VkImageViewType kTypes[][2] = {{VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY},
                                             {VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY},
                                             {VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D},
                                             {VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY}};
    const size_t row = descriptor.dim == TGSI2SPV_IMAGE_CUBE ? 3 : static_cast<size_t>(image_type(descriptor));
    return kTypes[row][descriptor.array ? 1 : 0];
}

}  // namespace tgsi2spv::host

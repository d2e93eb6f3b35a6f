#include "gpu/feature_rows.h"

#include <algorithm>
#include <string_view>

namespace tgsi2spv::gpu {

vulkan::Expected<void> read_rows(vulkan::DeviceReport& report, std::span<const FeatureRow> rows,
                                 VkPhysicalDeviceFeatures2& first) {
    const auto offered = vulkan::offered_extensions(report);
    if (!offered) return tl::unexpected(offered.error());
    VkPhysicalDeviceFeatures2 own{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    auto* tail = reinterpret_cast<VkBaseOutStructure*>(&own);
    for (const FeatureRow& row : rows) {
        if (report.info.api_version >= row.until) continue;
        if (row.features != nullptr && static_cast<VkBaseOutStructure*>(row.features)->sType != 0) continue;
        if (row.extension != nullptr) {
            const auto same = [&](const auto& e) { return std::string_view(e.extensionName) == row.extension; };
            if (!std::ranges::any_of(*offered, same)) continue;
            report.extensions.emplace_back(row.extension);
        }
        if (row.features == nullptr) continue;
        auto* next = static_cast<VkBaseOutStructure*>(row.features);
        next->sType = row.type;
        tail->pNext = next;
        tail = next;
    }
    vkGetPhysicalDeviceFeatures2(report.info.handle, &own);
    vulkan::hide_features(report.mask, &own);
    tail->pNext = static_cast<VkBaseOutStructure*>(first.pNext);
    first.pNext = own.pNext;
    return {};
}

}  // namespace tgsi2spv::gpu

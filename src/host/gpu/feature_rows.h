// Features that come with an extension, as rows of tables.
#pragma once

#include <volk.h>

#include <cstdint>
#include <span>

#include "vulkan/report.h"

namespace tgsi2spv::gpu {

/// An extension and the structure of its features. Of rows with one structure, which are names of one extension, the
/// first one that is offered counts.
struct FeatureRow {
    const char* extension;  ///< null: none is needed
    VkStructureType type = VK_STRUCTURE_TYPE_MAX_ENUM;
    void* features = nullptr;     ///< null: it has none
    uint32_t until = UINT32_MAX;  ///< the version of Vulkan that has it without an extension
};

/// Adds the offered extensions to the report, and their structures, as the device fills them and less what is hidden,
/// to the chain that begins at `first`.
vulkan::Expected<void> read_rows(vulkan::DeviceReport& report, std::span<const FeatureRow> rows,
                                 VkPhysicalDeviceFeatures2& first);

}  // namespace tgsi2spv::gpu

#include "vk/features.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace tgsi2spv::vk {
namespace {

std::vector<FeatureRow> older_table(OlderFeatures& o) {
    constexpr uint32_t k12 = VK_API_VERSION_1_2, k13 = VK_API_VERSION_1_3;
    return {
        {nullptr, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES, &o.draw_parameters, k12},
        {VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES,
         &o.query_reset, k12},
        {.extension = VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME, .until = k12},
        {.extension = VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME, .until = k12},
        {.extension = VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME, .until = k12},
        {.extension = VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME, .until = k12},    // dynamic rendering needs it
        {.extension = VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME, .until = k12},  // and this
        {VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
         &o.rendering, k13},
        {VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME,
         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT, &o.dynamic, k13},
    };
}

void tell(vulkan::DeviceReport& report, const OlderFeatures& older) {
    if (report.info.api_version < VK_API_VERSION_1_2) {
        VkPhysicalDeviceVulkan12Features& f = report.features12;
        const bool has_layers = report.has(VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME);
        report.features11.shaderDrawParameters = older.draw_parameters.shaderDrawParameters;
        f.hostQueryReset = older.query_reset.hostQueryReset;
        f.samplerMirrorClampToEdge = report.has(VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME);
        f.drawIndirectCount = report.has(VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME);
        f.shaderOutputLayer = f.shaderOutputViewportIndex = has_layers;
    }
    report.features13.dynamicRendering = older.rendering.dynamicRendering;
}

}  // namespace

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

vulkan::Expected<void> read_older(vulkan::DeviceReport& report, OlderFeatures& older,
                                  VkPhysicalDeviceFeatures2& first) {
    if (report.info.api_version >= VK_API_VERSION_1_3) return {};
    if (auto read = read_rows(report, older_table(older), first); !read) return read;
    tell(report, older);
    return {};
}

void use_older_names(uint32_t api_version) {
    if (api_version < VK_API_VERSION_1_2) {
        vkResetQueryPool = vkResetQueryPoolEXT;
        vkCmdDrawIndirectCount = vkCmdDrawIndirectCountKHR;
        vkCmdDrawIndexedIndirectCount = vkCmdDrawIndexedIndirectCountKHR;
    }
    if (api_version >= VK_API_VERSION_1_3) return;
    vkCmdBeginRendering = vkCmdBeginRenderingKHR;
    vkCmdEndRendering = vkCmdEndRenderingKHR;
    vkCmdSetCullMode = vkCmdSetCullModeEXT;
    vkCmdSetFrontFace = vkCmdSetFrontFaceEXT;
    vkCmdSetPrimitiveTopology = vkCmdSetPrimitiveTopologyEXT;
    vkCmdSetViewportWithCount = vkCmdSetViewportWithCountEXT;
    vkCmdSetScissorWithCount = vkCmdSetScissorWithCountEXT;
    vkCmdSetDepthTestEnable = vkCmdSetDepthTestEnableEXT;
    vkCmdSetDepthWriteEnable = vkCmdSetDepthWriteEnableEXT;
    vkCmdSetDepthCompareOp = vkCmdSetDepthCompareOpEXT;
    vkCmdSetStencilTestEnable = vkCmdSetStencilTestEnableEXT;
    vkCmdSetStencilOp = vkCmdSetStencilOpEXT;
    vkCmdSetRasterizerDiscardEnable = vkCmdSetRasterizerDiscardEnableEXT;
    vkCmdSetDepthBiasEnable = vkCmdSetDepthBiasEnableEXT;
    vkCmdSetPrimitiveRestartEnable = vkCmdSetPrimitiveRestartEnableEXT;
}

}  // namespace tgsi2spv::vk

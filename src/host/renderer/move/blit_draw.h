// Blits that Vulkan's own command does not do: scissor, mirrored parts, swizzles, samples, depth. Each layer is a draw.
#pragma once

#include "gpu/stream.h"
#include "renderer/record/program.h"
#include "renderer/state/problem.h"
#include "virgl/commands.h"

namespace tgsi2spv::host {

struct HostRecorder;
struct Resource;

/// Pipelines of blits, made on first use.
struct BlitPipelines {
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    Pipelines pipelines;
    VkDevice device = VK_NULL_HANDLE;
    ~BlitPipelines();
};

/// The boxes are inside their levels.
Problem blit_by_drawing(HostRecorder& host, BlitPipelines& pipelines, const virgl::Blit& command, const Resource& dst,
                        const Resource& src);

}  // namespace tgsi2spv::host

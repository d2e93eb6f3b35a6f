// Fills a module's resources from a case: the part of run_vulkan that deals with descriptors. Internal to this folder.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "cases/run/run_vulkan.h"
#include "harness/job.h"
#include "reference/case/inputs.h"
#include "spirv/reflect.h"

namespace tgsi2spv::difftest {

/// The type of the resource's descriptors.
VkDescriptorType descriptor_type(const spirv::Resource& resource);

/// Adds a descriptor with its contents for every resource except the io buffers. Resources that the case does not give
/// are bound as zeros. The program says which views a SAMP meets.
tl::expected<void, VulkanTrouble> bind_resources(const tgsi::Program& program, const spirv::Reflection& reflection,
                                                 const reference::Inputs& inputs, harness::Job& job,
                                                 const VulkanOptions& options);

/// A buffer to read back: its BUFFER index or, if `counters`, the first bracket of its HWATOMIC, and its index in
/// Job::buffers.
struct BufferBack {
    uint32_t index = 0, buffer = 0;
    bool counters = false;
};
/// A storage image to read back: its IMAGE index, and its index in Job::images or, if `is_buffer`, Job::buffers.
struct ImageBack {
    uint32_t index = 0, item = 0;
    bool is_buffer = false;
};
std::vector<ImageBack> images_back(const spirv::Reflection& reflection, const reference::Inputs& inputs,
                                   const harness::Job& job);
std::vector<BufferBack> buffers_back(const spirv::Reflection& reflection, const harness::Job& job);

}  // namespace tgsi2spv::difftest

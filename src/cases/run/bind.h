// Fills a module's resources from a case: the part of run_vulkan that deals with descriptors. Internal to this folder.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "cases/run/run_vulkan.h"
#include "reference/run.h"
#include "spirv/reflect.h"
#include "vulkan/job.h"

namespace tgsi2spv::difftest {

/// Appends marks to `words`: reads that go too far show them, and writes change them.
inline constexpr uint32_t kMarks = 32, kFirstMark = 0x3a5c0101;
std::vector<uint32_t> with_marks(std::vector<uint32_t> words);

/// The type of the resource's descriptors.
VkDescriptorType descriptor_type(const spirv::Resource& resource);

/// Adds a descriptor with its contents for every resource except the io buffers. Resources that the case does not give
/// are bound as zeros. Adds marks where the options ask for them. The program says which views a SAMP meets.
tl::expected<void, VulkanTrouble> bind_resources(const tgsi::Program& program, const spirv::Reflection& reflection,
                                                 const reference::Inputs& inputs, vulkan::Job& job,
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
    ir::ImageType type{};    ///< as bound
    bool in_larger = false;  ///< surrounded by marks (texel_margins.h)
};
std::vector<ImageBack> images_back(const spirv::Reflection& reflection, const reference::Inputs& inputs,
                                   const vulkan::Job& job, const VulkanOptions& options);
std::vector<BufferBack> buffers_back(const spirv::Reflection& reflection, const vulkan::Job& job);

}  // namespace tgsi2spv::difftest

// Resources of a module, filled from a case: the half of run_vulkan that knows descriptors. Internal to this folder.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "difftest/run_vulkan.h"
#include "reference/run.h"
#include "spirv/reflect.h"
#include "vulkan/job.h"

namespace tgsi2spv::difftest {

/// Words, and behind them others that tell of a place too far.
inline constexpr uint32_t kMarks = 32, kFirstMark = 0x3a5c0101;
std::vector<uint32_t> with_marks(std::vector<uint32_t> words);

/// Adds a descriptor, and what stands behind it, for every resource but the io buffers. What the case leaves out is
/// bound as zeros. With marks where the options ask for them.
tl::expected<void, VulkanTrouble> bind_resources(const spirv::Reflection& reflection, const reference::Inputs& inputs,
                                                 vulkan::Job& job, const VulkanOptions& options);

/// Each buffer that comes back: the index of its BUFFER, or (`counters`) of the first bracket of its HWATOMIC, and its
/// place in Job::buffers.
struct BufferBack {
    uint32_t index = 0, buffer = 0;
    bool counters = false;
};
/// Each storage image: its IMAGE index, and its place in Job::images or (`is_buffer`) Job::buffers.
struct ImageBack {
    uint32_t index = 0, item = 0;
    bool is_buffer = false;
    ir::ImageType type{};    ///< as it was bound
    bool in_larger = false;  ///< between marks (texel_margins.h)
};
std::vector<ImageBack> images_back(const spirv::Reflection& reflection, const reference::Inputs& inputs,
                                   const vulkan::Job& job, const VulkanOptions& options);
std::vector<BufferBack> buffers_back(const spirv::Reflection& reflection, const vulkan::Job& job);

}  // namespace tgsi2spv::difftest

// The driver's compiled pipelines, kept from one run to the next in a file that belongs to one guest.
#pragma once

#include <volk.h>

#include <cstdint>

#include "vk/device.h"

namespace tgsi2spv::host {

/// A VkPipelineCache that is loaded from a file and saved to it at the end. The file stays open, since a confined
/// process cannot open one; data that is incomplete, or of another driver, is ignored.
class PipelineCache {
  public:
    /// `file`: a descriptor that is open for reading and writing and stays the caller's; -1: no file, and no cache.
    PipelineCache(vk::Device& device, int file);
    ~PipelineCache();
    PipelineCache(const PipelineCache&) = delete;
    PipelineCache& operator=(const PipelineCache&) = delete;

    /// The cache for vkCreate…Pipelines; each call counts as a pipeline that the file does not have.
    VkPipelineCache use() {
        used_ = true;
        return cache_;
    }
    /// Writes the file, merged with data that other processes have written since.
    void save();

  private:
    vk::Device& device_;
    int file_;
    VkPipelineCache cache_ = VK_NULL_HANDLE;
    bool used_ = false;
};

}  // namespace tgsi2spv::host

// The driver's compiled pipelines, kept from one run to the next in a file that belongs to one guest.
#pragma once

#include <volk.h>

#include <cstdint>

#include "gpu/device.h"

namespace tgsi2spv::host {

/// A VkPipelineCache that begins with what a file has, and leaves there what it has in the end. The file is open all
/// the time, since a confined process opens none; what is not whole in it, or of another driver, counts as nothing.
class PipelineCache {
  public:
    /// `file`: a descriptor that is open for reading and writing and stays the caller's; -1: no file, and no cache.
    PipelineCache(gpu::Device& device, int file);
    ~PipelineCache();
    PipelineCache(const PipelineCache&) = delete;
    PipelineCache& operator=(const PipelineCache&) = delete;

    /// For vkCreate…Pipelines; each call counts as a pipeline that the file does not have.
    VkPipelineCache use() {
        used_ = true;
        return cache_;
    }
    /// Writes the file, with what other processes have written there since.
    void save();

  private:
    gpu::Device& device_;
    int file_;
    VkPipelineCache cache_ = VK_NULL_HANDLE;
    bool used_ = false;
};

}  // namespace tgsi2spv::host

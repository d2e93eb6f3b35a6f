// A logical device with every offered feature enabled, and the few objects that all jobs share.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vulkan/error.h"
#include "vulkan/instance.h"
#include "vulkan/report.h"

namespace tgsi2spv::harness {

using vulkan::Error;
using vulkan::Expected;
using vulkan::Failure;

/// A host-visible buffer in which jobs place their ranges. It grows on demand, and only one job uses it at a time.
struct Arena {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint8_t* data = nullptr;
    VkDeviceSize size = 0;
};

/// A pipeline of an earlier job, with everything that it was made from.
struct KeptPipeline {
    std::vector<uint32_t> key;
    VkPipeline pipeline = VK_NULL_HANDLE;
};

/// How a device is used: a driver without its hardware compiles, but has no fences and accepts no work.
enum class Use : uint8_t { Run, CompileOnly };

class Device {
  public:
    static Expected<std::unique_ptr<Device>> create(const vulkan::Instance& instance, const vulkan::DeviceInfo& info,
                                                    Use use = Use::Run);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const vulkan::DeviceReport& report() const { return report_; }
    VkDevice handle() const { return device_; }
    VkQueue queue() const { return queue_; }
    VkCommandBuffer commands() const { return commands_; }
    VkFence fence() const { return fence_; }
    bool compiles_only() const { return use_ == Use::CompileOnly; }

    /// Returns the arena, grown to at least `size` bytes.
    Expected<Arena*> arena(VkDeviceSize size);
    /// Returns the kept pipeline with this key, or VK_NULL_HANDLE. Drivers translate a module once per pipeline that
    /// uses it; keeping the pipeline of a shader that runs with many inputs avoids that.
    VkPipeline kept_pipeline(std::span<const uint32_t> key) const;
    /// Takes ownership of the pipeline. If too many are kept, the oldest is destroyed.
    void keep_pipeline(std::vector<uint32_t> key, VkPipeline pipeline);
    /// Returns the first memory type in `bits` with all `wanted` properties, or -1.
    int memory_type(uint32_t bits, VkMemoryPropertyFlags wanted) const;
    /// Frees the arena and the kept pipelines.
    void forget();
    /// Set after a timeout or VK_ERROR_DEVICE_LOST: the device accepts no more work.
    bool lost = false;
    /// Set after a timeout or any other failed wait than VK_ERROR_DEVICE_LOST. The device may still be working, so none
    /// of its objects may be destroyed: device and instance are leaked, and the process must end with _exit(), since a
    /// driver thread may never finish.
    bool hung = false;
    /// Whether the driver changed the floating-point environment of the thread that calls it. create(), run() and the
    /// destructor restore it.
    bool changed_floats = false;

  private:
    Device() = default;
    Use use_ = Use::Run;
    vulkan::DeviceReport report_;
    const vulkan::Instance* instance_ = nullptr;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties memory_{};
    Arena arena_;
    std::vector<KeptPipeline> pipelines_;
    /// Creates the arena's buffer and memory, mapped at `data`.
    Expected<void> make_arena(const VkBufferCreateInfo& info, void*& data);
    void free_arena();
};

}  // namespace tgsi2spv::harness

// A logical device with every feature it offers enabled, and the few objects that all jobs share.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vulkan/error.h"
#include "vulkan/instance.h"

namespace tgsi2spv::vulkan {

/// What the device offers, and, as all of it is enabled, what modules may use.
struct DeviceReport {
    DeviceInfo info;
    VkPhysicalDeviceLimits limits{};
    VkPhysicalDeviceFeatures features{};
    VkPhysicalDeviceVulkan11Features features11{};
    VkPhysicalDeviceVulkan12Features features12{};
    VkPhysicalDeviceVulkan13Features features13{};  ///< zero below Vulkan 1.3
    VkPhysicalDeviceFloatControlsProperties float_controls{};
    VkPhysicalDeviceSubgroupProperties subgroup{};
    bool demote = false;
    bool custom_border_color = false;
    bool border_color_without_format = false;  ///< a custom border colour of a sampler that meets any format
    /// Border colours go through the swizzle of the view. Where this is off, a view that swizzles leaves them
    /// undefined.
    bool border_swizzle_from_image = false;
    /// Implicit levels of detail are defined where the lanes of a quad sample different images.
    bool quad_divergent_implicit_lod = false;
    bool robust_buffer_access2 = false;
    bool robust_image_access2 = false;
    bool null_descriptor = false;
    bool stencil_export = false;
    bool shader_clock = false;
    bool transform_feedback = false;
    bool geometry_streams = false;
    bool buffer_float32_atomic_add = false;
    bool image_float32_atomic_add = false;
    std::vector<std::string> extensions;  ///< enabled

    bool has(std::string_view extension) const;
};

/// A host-visible buffer that jobs carve their own ranges from; grows, is never shared by two jobs at once.
struct Arena {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint8_t* data = nullptr;
    VkDeviceSize size = 0;
};

/// A pipeline of an earlier job, and all that it was made of.
struct KeptPipeline {
    std::vector<uint32_t> key;
    VkPipeline pipeline = VK_NULL_HANDLE;
};

/// What a device is for: a driver without its hardware compiles, but has no fences and takes no work.
enum class Use : uint8_t { Run, CompileOnly };

class Device {
  public:
    static Expected<std::unique_ptr<Device>> create(const Instance& instance, const DeviceInfo& info,
                                                    Use use = Use::Run);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const DeviceReport& report() const { return report_; }
    VkDevice handle() const { return device_; }
    VkQueue queue() const { return queue_; }
    VkCommandBuffer commands() const { return commands_; }
    VkFence fence() const { return fence_; }
    bool compiles_only() const { return use_ == Use::CompileOnly; }

    /// The arena with at least `size` bytes.
    Expected<Arena*> arena(VkDeviceSize size);
    /// The pipeline that was made of the same, or none. Drivers translate a module for each pipeline that sees it: a
    /// shader that meets many inputs keeps its own.
    VkPipeline kept_pipeline(std::span<const uint32_t> key) const;
    /// The device owns it from now on; the oldest of a few makes room.
    void keep_pipeline(std::vector<uint32_t> key, VkPipeline pipeline);
    /// A memory type of `bits` with all `wanted` properties, or -1.
    int memory_type(uint32_t bits, VkMemoryPropertyFlags wanted) const;
    /// Gives back what is kept from job to job.
    void forget();
    /// Set after a timeout or VK_ERROR_DEVICE_LOST: it takes no work any more.
    bool lost = false;
    /// Set after a timeout: it may still be at work, so nothing of it may be destroyed. It is left behind with its
    /// instance, and a process that has one ends with _exit(): a thread of the driver may never end.
    bool hung = false;

  private:
    Device() = default;
    Use use_ = Use::Run;
    DeviceReport report_;
    const Instance* instance_ = nullptr;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties memory_{};
    Arena arena_;
    std::vector<KeptPipeline> pipelines_;
    void free_arena();
};

/// What a call's error is of: Memory, Lost, or Device.
Failure failure_of(VkResult result);
/// The name of a VkResult, such as "VK_ERROR_DEVICE_LOST".
std::string result_name(VkResult result);

}  // namespace tgsi2spv::vulkan

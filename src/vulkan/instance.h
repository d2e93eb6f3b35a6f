// The Vulkan instance: which devices there are, and what the validation layer says.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vulkan/error.h"

namespace tgsi2spv::vulkan {

struct InstanceOptions {
    bool validation = false;  ///< VK_LAYER_KHRONOS_validation; its absence is an error
};

/// A physical device as `--list-devices` shows it.
struct DeviceInfo {
    uint32_t index = 0;
    std::string name;
    std::string driver;  ///< name and version, as the driver tells them
    std::string uuid;    ///< 32 hexadecimal digits
    uint32_t api_version = 0;
    VkPhysicalDevice handle = VK_NULL_HANDLE;
};

struct MessageSink;

/// Owns the VkInstance. volk's function pointers are process-wide: create instances from one thread.
class Instance {
  public:
    static Expected<std::unique_ptr<Instance>> create(const InstanceOptions& options);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    const std::vector<DeviceInfo>& devices() const { return devices_; }
    /// By index ("0"), by UUID, or by a part of the name without regard to case; an ambiguous part takes the first.
    Expected<DeviceInfo> find(std::string_view choice) const;
    /// Lavapipe if it is there, else the first.
    Expected<DeviceInfo> default_device() const;
    /// What the validation layer said since the last call.
    std::vector<std::string> take_messages();

    VkInstance handle() const { return instance_; }
    /// A device of it was left behind, so it stays too: instances may not go before their devices.
    void leave() const;

  private:
    Instance() = default;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    std::unique_ptr<MessageSink> sink_;
    std::vector<DeviceInfo> devices_;
    mutable bool left_ = false;
};

/// Ends the process at once where an instance was left behind: the driver's own end would wait for its threads, or take
/// away under them what they use.
void end_process_if_left(int status);

}  // namespace tgsi2spv::vulkan

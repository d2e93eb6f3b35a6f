// The Vulkan instance: the available devices, and the messages of the validation layer.
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
    bool validation = false;  ///< enables VK_LAYER_KHRONOS_validation; an error if it is not installed
};

/// A physical device, as `--list-devices` shows it.
struct DeviceInfo {
    uint32_t index = 0;
    std::string name;
    std::string driver;  ///< name and version, as the driver reports them
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
    /// Finds a device by index ("0"), by UUID, or by part of its name, ignoring case. An ambiguous part selects the
    /// first match.
    Expected<DeviceInfo> find(std::string_view choice) const;
    /// Returns lavapipe if present, else the first device.
    Expected<DeviceInfo> default_device() const;
    /// Returns the validation layer's messages since the last call.
    std::vector<std::string> take_messages();

    VkInstance handle() const { return instance_; }
    /// Leaks the instance because one of its devices was leaked: an instance must not be destroyed before its devices.
    void leave() const;

  private:
    Instance() = default;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    std::unique_ptr<MessageSink> sink_;
    std::vector<DeviceInfo> devices_;
    mutable bool left_ = false;
};

/// Ends the process at once if an instance was leaked: at a normal exit, the driver would wait for its threads or free
/// what they still use.
void end_process_if_left(int status);

}  // namespace tgsi2spv::vulkan

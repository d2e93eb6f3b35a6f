// The Vulkan instance: the available devices, and the messages of the validation layer.
#pragma once

#include <volk.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vulkan/error.h"

namespace tgsi2spv::vulkan {

/// Drivers that need to be told apart, because of their promises beyond Vulkan or their bugs.
enum class Driver : uint8_t { Other, Lavapipe, SwiftShader, Nvidia, Radv };
/// Knows a driver by its device's name.
Driver driver_of(std::string_view device_name);

/// A driver's guarantees beyond Vulkan's, for the workarounds of the same names (lower/workarounds.h).
struct Promises {
    bool saturates = false;       ///< conversions of floats to integers: NaN gives 0
    bool reduces_angles = false;  ///< sin and cos reduce large angles: the error grows by |x| * 2^-22
    bool logs_zero = false;       ///< log2(0) is -inf
};
Promises promises_of(std::string_view device_name);

struct InstanceOptions {
    bool validation = false;       ///< enables VK_LAYER_KHRONOS_validation, if it is installed (validates())
    bool synchronization = false;  ///< the layer looks for hazards, too
    uint32_t api_version = VK_API_VERSION_1_3;  ///< the newest that is used
    std::vector<const char*> extensions{};      ///< are needed beside, as those of surfaces
    bool names = false;  ///< enables VK_EXT_debug_utils, if it is offered (has_names()); validation does, too
    bool judged = true;  ///< software drivers take their exact paths and compile fast code, not the fastest
};

/// The note for a user who asked for validation where Instance::validates() is false.
inline constexpr const char* kNoValidation =
    "the layer VK_LAYER_KHRONOS_validation is not installed: nothing is validated";

/// A physical device, as `--list-devices` shows it.
struct DeviceInfo {
    uint32_t index = 0;
    bool is_gpu = false;
    std::string name;
    std::string driver;  ///< name and version, as the driver reports them
    std::string uuid;    ///< 32 hexadecimal digits
    uint32_t api_version = 0;
    VkPhysicalDevice handle = VK_NULL_HANDLE;
};

/// The first GPU of the list; if there is none, lavapipe, or else the first device. Null if the list is empty.
const DeviceInfo* default_of(const std::vector<DeviceInfo>& devices);

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
    /// Returns default_of() the devices.
    Expected<DeviceInfo> default_device() const;
    /// The device that a user chose, or the default device if the choice is empty.
    Expected<DeviceInfo> find_or_default(std::string_view choice) const {
        return choice.empty() ? default_device() : find(choice);
    }
    /// Whether the validation layer was asked for and is installed.
    bool validates() const { return messenger_ != VK_NULL_HANDLE; }
    /// The version of Vulkan that the layer knows, if validates().
    uint32_t validation_version() const { return validation_version_; }
    /// Whether objects can have names.
    bool has_names() const { return has_names_; }
    /// Returns the validation layer's messages since the last call.
    std::vector<std::string> take_messages();

    VkInstance handle() const { return instance_; }
    /// Whether loading the drivers changed the floating-point environment, which create() restores.
    bool changed_floats() const { return changed_floats_; }
    /// Leaks the instance because one of its devices was leaked: an instance must not be destroyed before its devices.
    void leave() const;

  private:
    Instance() = default;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    std::unique_ptr<MessageSink> sink_;
    std::vector<DeviceInfo> devices_;
    uint32_t validation_version_ = 0;
    bool changed_floats_ = false, has_names_ = false;
    mutable bool left_ = false;
    static std::atomic<bool> any_left_;  ///< some instance was left: all may be gone by the end of the process

    friend void end_process_if_left(int status);
};

/// Ends the process at once if an instance was leaked: at a normal exit, the driver would wait for its threads or free
/// what they still use.
void end_process_if_left(int status);

}  // namespace tgsi2spv::vulkan

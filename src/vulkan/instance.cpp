#include "vulkan/instance.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "vulkan/enumerate.h"
#include "vulkan/floats.h"

namespace tgsi2spv::vulkan {

struct MessageSink {
    std::mutex mutex;
    std::vector<std::string> messages;
};

namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

// Lavapipe reads these variables when an instance is created. They select the general, exact path for RGBA8 filtering,
// disable LLVM's optimisations (same results, half the compile time), and disable the disk cache, whose key omits the
// vector width.
void prepare_environment() {
    setenv("GALLIVM_PERF", "no_aos_sampling,nopt", 0);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
}

/// A warning that outputs of a shader go nowhere, which Vulkan permits: those of FRAG without an attachment are
/// discarded. The layer warns with render passes alone.
constexpr std::string_view kPermitted = "UNASSIGNED-CoreValidation-Shader-OutputNotConsumed";

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT type,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) {
    if ((type & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT) == 0) return VK_FALSE;
    if (data->pMessageIdName != nullptr && data->pMessageIdName == kPermitted) return VK_FALSE;
    auto& sink = *static_cast<MessageSink*>(user);
    std::lock_guard lock(sink.mutex);
    sink.messages.emplace_back(data->pMessage);
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(MessageSink* sink) {
    VkDebugUtilsMessengerCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    info.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    info.pfnUserCallback = on_message;
    info.pUserData = sink;
    return info;
}

/// The version of Vulkan that the validation layer knows; 0: it is not installed.
Expected<uint32_t> layer_version() {
    const auto found =
        enumerate<VkLayerProperties>("vkEnumerateInstanceLayerProperties", vkEnumerateInstanceLayerProperties);
    if (!found) return tl::unexpected(found.error());
    const auto layer = std::ranges::find_if(
        *found, [](const VkLayerProperties& l) { return std::strcmp(l.layerName, kValidationLayer) == 0; });
    return layer == found->end() ? 0 : layer->specVersion;
}

Expected<bool> offers(const char* extension) {
    const auto found = enumerate<VkExtensionProperties>(
        "vkEnumerateInstanceExtensionProperties", [](uint32_t* count, VkExtensionProperties* items) {
            return vkEnumerateInstanceExtensionProperties(nullptr, count, items);
        });
    if (!found) return tl::unexpected(found.error());
    return std::ranges::any_of(
        *found, [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, extension) == 0; });
}

std::string lower_case(std::string_view text) {
    std::string s(text);
    for (auto& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
}

/// A driver's text, which goes to terminals and into lists of one line an item, without control characters.
std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return static_cast<uint8_t>(c) < ' ' || c == 0x7f; }, '?');
    return text;
}

DeviceInfo describe(uint32_t index, VkPhysicalDevice device) {
    VkPhysicalDeviceDriverProperties driver{};
    driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceIDProperties id{};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    VkPhysicalDeviceProperties plain{};
    vkGetPhysicalDeviceProperties(device, &plain);
    if (plain.apiVersion >= VK_API_VERSION_1_1) {
        properties.pNext = &id;
        if (plain.apiVersion >= VK_API_VERSION_1_2) id.pNext = &driver;
        vkGetPhysicalDeviceProperties2(device, &properties);
    }
    DeviceInfo info;
    info.index = index;
    info.is_gpu = plain.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU && plain.deviceType != VK_PHYSICAL_DEVICE_TYPE_OTHER;
    info.name = one_line(plain.deviceName);
    const char* const between = driver.driverInfo[0] != 0 ? " " : "";
    info.driver = one_line(fmt::format("{}{}{}", driver.driverName, between, driver.driverInfo));
    for (auto byte : id.deviceUUID) info.uuid += fmt::format("{:02x}", byte);
    info.api_version = plain.apiVersion;
    info.handle = device;
    return info;
}

}  // namespace

Driver driver_of(std::string_view device_name) {
    const auto contains = [&](std::string_view part) { return device_name.find(part) != std::string_view::npos; };
    if (contains("llvmpipe")) return Driver::Lavapipe;
    if (contains("SwiftShader")) return Driver::SwiftShader;
    if (contains("RADV")) return Driver::Radv;
    return contains("NVIDIA") ? Driver::Nvidia : Driver::Other;
}

/// NVIDIA's PTX documents that cvt saturates and that lg2 of zeros is -inf, as V_LOG_F32 is; AMD's instruction sets
/// that V_CVT_I32_F32 and V_CVT_U32_F32 do. For AMD, Mesa multiplies angles by 1 / 2 pi, which errs by less than 2^-23
/// with its constant, and V_SIN_F32 takes whole turns.
Promises promises_of(std::string_view device_name) {
    const Driver driver = driver_of(device_name);
    const bool gpu = driver == Driver::Radv || driver == Driver::Nvidia;
    return {.saturates = gpu, .reduces_angles = driver == Driver::Radv, .logs_zero = gpu};
}

const DeviceInfo* default_of(const std::vector<DeviceInfo>& devices) {
    for (const auto& d : devices)
        if (d.is_gpu) return &d;
    for (const auto& d : devices)
        if (driver_of(d.name) == Driver::Lavapipe) return &d;
    return devices.empty() ? nullptr : devices.data();
}

Expected<std::unique_ptr<Instance>> Instance::create(const InstanceOptions& options) {
    if (options.judged) prepare_environment();
    if (volkInitialize() != VK_SUCCESS) return fail(Failure::Device, "no Vulkan loader (libvulkan.so.1) found");
    if (volkGetInstanceVersion() < VK_API_VERSION_1_2)
        return fail(Failure::Device, "the Vulkan loader is older than Vulkan 1.2");

    std::unique_ptr<Instance> self(new Instance);
    self->sink_ = std::make_unique<MessageSink>();
    std::vector<const char*> layers, extensions = options.extensions;
    auto messenger = messenger_info(self->sink_.get());
    constexpr VkValidationFeatureEnableEXT kHazards = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features{};
    features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = &kHazards;

    VkApplicationInfo app{};
    app.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    app.pApplicationName = "tgsi2spv harness";
    app.apiVersion = std::min(volkGetInstanceVersion(), options.api_version);
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &app;
    // Without this, the loader hides drivers that lack something of Vulkan, such as MoltenVK.
    const auto portable = offers(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    if (!portable) return tl::unexpected(portable.error());
    if (*portable) {
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
        info.flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    const auto version = options.validation ? layer_version() : Expected<uint32_t>(0);
    if (!version) return tl::unexpected(version.error());
    self->validation_version_ = *version;
    const bool validates = *version != 0;
    const auto names =
        options.names && !validates ? offers(VK_EXT_DEBUG_UTILS_EXTENSION_NAME) : Expected<bool>(validates);
    if (!names) return tl::unexpected(names.error());
    self->has_names_ = *names;
    if (*names) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    if (validates) {
        layers.push_back(kValidationLayer);
        info.pNext = &messenger;
        if (options.synchronization) {
            extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
            features.pNext = &messenger;
            info.pNext = &features;
        }
    }
    info.enabledLayerCount = static_cast<uint32_t>(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    const auto result = vkCreateInstance(&info, nullptr, &self->instance_);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)  // the loader's result if it finds none
        return fail(Failure::Device,
                    "no Vulkan driver can be loaded: none is installed, or VK_DRIVER_FILES names none");
    if (result != VK_SUCCESS) return fail(Failure::Device, failed_call("vkCreateInstance", result));
    volkLoadInstance(self->instance_);
    if (validates) {
        const auto r = vkCreateDebugUtilsMessengerEXT(self->instance_, &messenger, nullptr, &self->messenger_);
        if (r != VK_SUCCESS) return fail(Failure::Device, failed_call("vkCreateDebugUtilsMessengerEXT", r));
    }
    const auto devices =
        enumerate<VkPhysicalDevice>("vkEnumeratePhysicalDevices", [&](uint32_t* count, VkPhysicalDevice* items) {
            return vkEnumeratePhysicalDevices(self->instance_, count, items);
        });
    if (!devices) return tl::unexpected(devices.error());
    for (uint32_t i = 0; i < devices->size(); i++) self->devices_.push_back(describe(i, (*devices)[i]));
    self->changed_floats_ = restore_floats();
    return self;
}

Instance::~Instance() {
    if (left_) {
        static_cast<void>(sink_.release());  // the driver may still call the messenger
        return;
    }
    if (messenger_ != VK_NULL_HANDLE) {
        // volk's pointer is of the last instance, which need not have the extension.
        const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
            vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
        destroy(instance_, messenger_, nullptr);
    }
    if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

std::atomic<bool> Instance::any_left_ = false;

void Instance::leave() const {
    left_ = any_left_ = true;
}

void end_process_if_left(int status) {
    if (!Instance::any_left_) return;
    std::fflush(nullptr);
    _exit(status);
}

Expected<DeviceInfo> Instance::find(std::string_view choice) const {
    const auto wanted = lower_case(choice);
    for (const auto& d : devices_)
        if (wanted == std::to_string(d.index) || wanted == d.uuid) return d;
    for (const auto& d : devices_)
        if (!wanted.empty() && lower_case(d.name).find(wanted) != std::string::npos) return d;
    std::string names;
    for (const auto& d : devices_) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", d.name);
    return fail(Failure::Usage,
                fmt::format("no device matches '{}'; found {}", choice, devices_.empty() ? "no Vulkan device" : names));
}

Expected<DeviceInfo> Instance::default_device() const {
    const DeviceInfo* const device = default_of(devices_);
    if (device == nullptr) return fail(Failure::Missing, "no Vulkan device found");
    return *device;
}

std::vector<std::string> Instance::take_messages() {
    std::lock_guard lock(sink_->mutex);
    return std::exchange(sink_->messages, {});
}

}  // namespace tgsi2spv::vulkan

// A Vulkan layer that makes system calls as some drivers do in the middle of a frame, and others that the sandbox
// forbids. It prints one line on standard error: "late: all as expected", or the differences.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

PFN_vkGetInstanceProcAddr next_instance_proc = nullptr;
PFN_vkGetDeviceProcAddr next_device_proc = nullptr;
PFN_vkQueueSubmit next_submit = nullptr;
/// Without it, the sandbox leaves no files. To be asked before.
bool has_landlock = false;

bool can_open(const char* path, int how) {
    const int file = open(path, how | O_CLOEXEC);
    if (file >= 0) close(file);
    return file >= 0;
}

bool can_load(const char* library) {
    if (dlopen(library, RTLD_NOW | RTLD_NOLOAD) != nullptr) return false;  // it would prove nothing
    return dlopen(library, RTLD_NOW) != nullptr;
}

/// A thread that opens a node itself.
bool can_start_thread() {
    pthread_t thread;
    void* opened = nullptr;
    const auto body = [](void*) -> void* { return can_open("/dev/null", O_RDWR) ? &next_submit : nullptr; };
    return pthread_create(&thread, nullptr, body, nullptr) == 0 && pthread_join(thread, &opened) == 0 &&
           opened != nullptr;
}

bool can_fork() {
    const pid_t process = fork();
    if (process == 0) _exit(0);
    return process > 0;
}

bool can_execute() {
    char* const none[] = {nullptr};
    return execve("/no/such/program", none, none) == 0 || errno != EPERM;
}

std::string attempt_all() {
    struct stat status {};
    std::string wrong;
    const auto expect = [&](const char* what, bool as_expected) {
        if (!as_expected) wrong += std::string(wrong.empty() ? "" : ", ") + what;
    };
    expect("a node", can_open("/dev/full", O_RDWR) == has_landlock);
    expect("a library", can_load("libBrokenLocale.so.1") == has_landlock);  // of the C library, and unused
    expect("a thread", can_start_thread() == has_landlock);
    expect("passwd", !can_open("/etc/passwd", O_RDONLY) && stat("/etc/passwd", &status) != 0);
    expect("another process", !can_open("/proc/1/status", O_RDONLY) && kill(getppid(), 0) != 0);
    expect("a socket", socket(AF_UNIX, SOCK_STREAM, 0) < 0);
    expect("fork", !can_fork());
    expect("exec", !can_execute());
    return wrong.empty() ? "all as expected" : wrong + ": not as expected";
}

VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
    static int calls = 0;  // the first ones may be of the host alone, before it is confined
    if (++calls == 3) std::fprintf(stderr, "late: %s\n", attempt_all().c_str());
    return next_submit(queue, count, submits, fence);
}

/// The loader's chain: the layers after this one.
template <class Info>
Info* link_of(const void* chain, VkStructureType type) {
    auto* info = static_cast<Info*>(const_cast<void*>(chain));
    while (info != nullptr && (info->sType != type || info->function != VK_LAYER_LINK_INFO))
        info = static_cast<Info*>(const_cast<void*>(info->pNext));
    return info;
}

VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                    VkInstance* instance) {
    auto* link = link_of<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    has_landlock = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
    next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto next = reinterpret_cast<PFN_vkCreateInstance>(next_instance_proc(nullptr, "vkCreateInstance"));
    return next(info, allocator, instance);
}

VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                  const VkAllocationCallbacks* allocator, VkDevice* device) {
    auto* link = link_of<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const auto instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto next = reinterpret_cast<PFN_vkCreateDevice>(instance_proc(nullptr, "vkCreateDevice"));
    const VkResult result = next(physical, info, allocator, device);
    if (result == VK_SUCCESS)
        next_submit = reinterpret_cast<PFN_vkQueueSubmit>(next_device_proc(*device, "vkQueueSubmit"));
    return result;
}

PFN_vkVoidFunction own(const char* name);

PFN_vkVoidFunction VKAPI_CALL device_proc(VkDevice device, const char* name) {
    const PFN_vkVoidFunction mine = own(name);
    return mine != nullptr ? mine : next_device_proc(device, name);
}
PFN_vkVoidFunction VKAPI_CALL instance_proc(VkInstance instance, const char* name) {
    const PFN_vkVoidFunction mine = own(name);
    return mine != nullptr || next_instance_proc == nullptr ? mine : next_instance_proc(instance, name);
}

PFN_vkVoidFunction own(const char* name) {
    const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("vkGetInstanceProcAddr")) return reinterpret_cast<PFN_vkVoidFunction>(instance_proc);
    if (is("vkGetDeviceProcAddr")) return reinterpret_cast<PFN_vkVoidFunction>(device_proc);
    if (is("vkCreateInstance")) return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
    if (is("vkCreateDevice")) return reinterpret_cast<PFN_vkVoidFunction>(create_device);
    if (is("vkQueueSubmit")) return reinterpret_cast<PFN_vkVoidFunction>(submit);
    return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VkResult vkNegotiateLoaderLayerInterfaceVersion(
    VkNegotiateLayerInterface* interface) {
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = instance_proc;
    interface->pfnGetDeviceProcAddr = device_proc;
    interface->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}

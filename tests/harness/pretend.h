// A software device that pretends to be another one: while a Pretend lives, volk's function pointers lead to these
// functions. Create it after the instance (volk loads its pointers then), and only one at a time.
#pragma once

#include <volk.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tgsi2spv::test {

struct Pretend {
    std::function<void(VkPhysicalDeviceLimits&)> limits = [](auto&) {};
    std::function<void(VkPhysicalDeviceProperties2&)> properties = [](auto&) {};
    std::function<void(VkPhysicalDeviceFeatures2&)> features = [](auto&) {};
    std::function<void(VkFormat, VkFormatProperties&)> format = [](auto, auto&) {};
    std::vector<const char*> more_extensions;
    /// The results of calls that are not made at all; with VK_SUCCESS, they are made.
    std::function<VkResult(const VkDeviceCreateInfo&)> create_device = [](auto&) { return VK_SUCCESS; };
    std::function<VkResult()> extensions = [] { return VK_SUCCESS; }, image_format = [] { return VK_SUCCESS; };
    bool null_pipelines = false;  ///< pipelines are VK_NULL_HANDLE, with VK_SUCCESS
    std::function<void(VkPhysicalDeviceMemoryProperties&)> memory = [](auto&) {};
    std::function<VkResult()> allocate = [] { return VK_SUCCESS; }, wait = [] { return VK_SUCCESS; },
                              compile = [] { return VK_SUCCESS; };  ///< of compute pipelines
    uint32_t destroyed_devices = 0, destroyed_instances = 0;
    std::vector<VkDeviceSize> copies;  ///< VkBufferImageCopy::bufferOffset of the copies to images
    std::vector<VkFormat> border_formats;
    std::vector<VkBorderColor> border_colours;
    std::vector<std::array<uint32_t, 4>> custom_borders;

    Pretend() {
        now = this;
        replace(vkGetPhysicalDeviceProperties2, real.properties,
                [](VkPhysicalDevice d, VkPhysicalDeviceProperties2* p) {
                    real.properties(d, p);
                    now->limits(p->properties.limits);
                    now->properties(*p);
                });
        replace(vkGetPhysicalDeviceFeatures2, real.features, [](VkPhysicalDevice d, VkPhysicalDeviceFeatures2* f) {
            real.features(d, f);
            now->features(*f);
        });
        replace(vkGetPhysicalDeviceFormatProperties, real.format,
                [](VkPhysicalDevice d, VkFormat f, VkFormatProperties* p) {
                    real.format(d, f, p);
                    now->format(f, *p);
                });
        replace(vkEnumerateDeviceExtensionProperties, real.extensions,
                [](VkPhysicalDevice d, const char* layer, uint32_t* count, VkExtensionProperties* p) {
                    if (const auto pretended = now->extensions(); pretended != VK_SUCCESS) return pretended;
                    const auto more = static_cast<uint32_t>(now->more_extensions.size());
                    uint32_t own = p != nullptr ? *count - more : 0;
                    const auto r = real.extensions(d, layer, &own, p);
                    for (uint32_t i = 0; p != nullptr && i < more; i++)
                        std::string(now->more_extensions[i]).copy(p[own + i].extensionName, VK_MAX_EXTENSION_NAME_SIZE);
                    *count = own + more;
                    return r;
                });
        replace(vkGetPhysicalDeviceImageFormatProperties, real.image_format,
                [](VkPhysicalDevice d, VkFormat f, VkImageType t, VkImageTiling tiling, VkImageUsageFlags usage,
                   VkImageCreateFlags flags, VkImageFormatProperties* p) {
                    const auto r = now->image_format();
                    return r == VK_SUCCESS ? real.image_format(d, f, t, tiling, usage, flags, p) : r;
                });
        replace(vkGetPhysicalDeviceMemoryProperties, real.memory,
                [](VkPhysicalDevice d, VkPhysicalDeviceMemoryProperties* p) {
                    real.memory(d, p);
                    now->memory(*p);
                });
        replace(vkCreateComputePipelines, real.compute,
                [](VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo* i,
                   const VkAllocationCallbacks* a, VkPipeline* p) {
                    const auto r = now->compile();
                    if (r == VK_SUCCESS && !now->null_pipelines) return real.compute(d, c, n, i, a, p);
                    *p = VK_NULL_HANDLE;
                    return r;
                });
        replace(vkCreateDevice, real.create_device,
                [](VkPhysicalDevice d, const VkDeviceCreateInfo* info, const VkAllocationCallbacks* a, VkDevice* out) {
                    const auto r = now->create_device(*info);
                    return r == VK_SUCCESS ? real.create_device(d, info, a, out) : r;
                });
        replace(vkAllocateMemory, real.allocate,
                [](VkDevice d, const VkMemoryAllocateInfo* i, const VkAllocationCallbacks* a, VkDeviceMemory* m) {
                    const auto r = now->allocate();
                    return r == VK_SUCCESS ? real.allocate(d, i, a, m) : r;
                });
        replace(vkWaitForFences, real.wait,
                [](VkDevice d, uint32_t n, const VkFence* f, VkBool32 all, uint64_t timeout) {
                    const auto pretended = now->wait();
                    // Where the result is pretended, the work is nevertheless done: a device that is abandoned at work
                    // crashes now and then when the process exits.
                    const auto r = real.wait(d, n, f, all, pretended == VK_SUCCESS ? timeout : UINT64_MAX);
                    return pretended == VK_SUCCESS ? r : pretended;
                });
        replace(vkDestroyDevice, real.destroy_device, [](VkDevice d, const VkAllocationCallbacks* a) {
            now->destroyed_devices++;
            real.destroy_device(d, a);
        });
        replace(vkDestroyInstance, real.destroy_instance, [](VkInstance i, const VkAllocationCallbacks* a) {
            now->destroyed_instances++;
            real.destroy_instance(i, a);
        });
        replace(vkCmdCopyBufferToImage, real.copy,
                [](VkCommandBuffer c, VkBuffer b, VkImage i, VkImageLayout l, uint32_t n, const VkBufferImageCopy* p) {
                    for (uint32_t k = 0; k < n; k++) now->copies.push_back(p[k].bufferOffset);
                    real.copy(c, b, i, l, n, p);
                });
        replace(vkCreateSampler, real.sampler,
                [](VkDevice d, const VkSamplerCreateInfo* i, const VkAllocationCallbacks* a, VkSampler* s) {
                    now->border_colours.push_back(i->borderColor);
                    if (i->pNext != nullptr) {
                        const auto& custom = *static_cast<const VkSamplerCustomBorderColorCreateInfoEXT*>(i->pNext);
                        now->border_formats.push_back(custom.format);
                        now->custom_borders.push_back(std::to_array(custom.customBorderColor.uint32));
                    }
                    return real.sampler(d, i, a, s);
                });
    }
    ~Pretend() {
        for (auto& undo : undo_) undo();
        now = nullptr;
    }
    Pretend(const Pretend&) = delete;
    Pretend& operator=(const Pretend&) = delete;

  private:
    static inline Pretend* now = nullptr;
    static inline struct {
        PFN_vkGetPhysicalDeviceProperties2 properties;
        PFN_vkGetPhysicalDeviceFeatures2 features;
        PFN_vkGetPhysicalDeviceFormatProperties format;
        PFN_vkEnumerateDeviceExtensionProperties extensions;
        PFN_vkGetPhysicalDeviceImageFormatProperties image_format;
        PFN_vkGetPhysicalDeviceMemoryProperties memory;
        PFN_vkCreateComputePipelines compute;
        PFN_vkCreateDevice create_device;
        PFN_vkAllocateMemory allocate;
        PFN_vkWaitForFences wait;
        PFN_vkDestroyDevice destroy_device;
        PFN_vkDestroyInstance destroy_instance;
        PFN_vkCmdCopyBufferToImage copy;
        PFN_vkCreateSampler sampler;
    } real{};
    std::vector<std::function<void()>> undo_;

    template <class F>
    void replace(F& pointer, F& kept, std::type_identity_t<F> by) {
        kept = pointer;
        pointer = by;
        undo_.push_back([&pointer, &kept] { pointer = kept; });
    }
};

/// Returns the structure of that type in the chain, or null.
template <class T>
const T* find_structure(const void* chain, VkStructureType type) {
    for (const auto* s = static_cast<const VkBaseInStructure*>(chain); s != nullptr; s = s->pNext)
        if (s->sType == type) return static_cast<const T*>(static_cast<const void*>(s));
    return nullptr;
}

}  // namespace tgsi2spv::test

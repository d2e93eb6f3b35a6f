// Small objects of a device that are made on first use: views, render passes, framebuffers.
#pragma once

#include <volk.h>

#include <cstdint>
#include <map>
#include <string>

#include "vk/budget.h"
#include "vk/device.h"
#include "vk/names.h"

namespace tgsi2spv::vk {

/// The destruction of a kind of objects, and its name in names and messages.
template <class Handle>
struct Cached;
#define CACHED(type, object_type, word)                                                                 \
    template <>                                                                                         \
    struct Cached<Vk##type> {                                                                           \
        static constexpr VkObjectType kType = VK_OBJECT_TYPE_##object_type;                             \
        static constexpr const char* kWord = word;                                                      \
        static void destroy(VkDevice device, Vk##type made) { vkDestroy##type(device, made, nullptr); } \
    };
CACHED(ImageView, IMAGE_VIEW, "view")
CACHED(BufferView, BUFFER_VIEW, "view")
CACHED(RenderPass, RENDER_PASS, "render pass")
CACHED(Framebuffer, FRAMEBUFFER, "framebuffer")
#undef CACHED

template <class Handle, class KeyWords>
struct Cache {
    using Key = KeyWords;
    /// The approximate memory of an object on the CPU.
    static constexpr uint64_t kBytes = 1024;

    explicit Cache(Device& the_device, Budget& the_budget) : device(the_device), budget(the_budget) {}
    ~Cache() {
        for (const auto& [key, made] : by_key) Cached<Handle>::destroy(device.handle(), made);
        budget.remove(by_key.size() * kBytes);
    }
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    Device& device;
    Budget& budget;
    /// The object with the key; made on first use. Null: it cannot be made, or the budget is used up.
    template <class Make>
    Handle find(const Key& key, const Make& make) {
        if (const auto at = by_key.find(key); at != by_key.end()) return at->second;
        const Handle made = budget.has_room(kBytes) ? make() : VK_NULL_HANDLE;
        if (made == VK_NULL_HANDLE) return made;
        budget.add(kBytes);
        vk::name(device, Cached<Handle>::kType, made, "{}, {}", name, Cached<Handle>::kWord);
        return by_key[key] = made;
    }
    std::string name{};  ///< purpose of the objects, in their names
    std::map<Key, Handle> by_key;
};

}  // namespace tgsi2spv::vk

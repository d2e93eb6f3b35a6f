// Lists that Vulkan gives in two calls: their length, then the items.
#pragma once

#include <volk.h>

#include <algorithm>
#include <vector>

#include "vulkan/error.h"

namespace tgsi2spv::vulkan {

/// `call(count, items)` is one call of `name`. The list may grow between the two calls (VK_INCOMPLETE). Each item is
/// `blank` before the call, which may need an sType.
template <class Item, class Call>
Expected<std::vector<Item>> enumerate(const char* name, const Call& call, const Item& blank = {}) {
    constexpr int kAttempts = 8;
    VkResult result = VK_INCOMPLETE;
    for (int attempt = 0; attempt < kAttempts && result == VK_INCOMPLETE; ++attempt) {
        uint32_t count = 0;
        result = call(&count, nullptr);
        std::vector<Item> items(result == VK_SUCCESS ? count : 0, blank);
        if (!items.empty()) result = call(&count, items.data());  // a null pointer would ask for the length again
        items.resize(std::min<size_t>(items.size(), count));
        if (result == VK_SUCCESS) return items;
    }
    return fail(Failure::Device, failed_call(name, result));
}

}  // namespace tgsi2spv::vulkan

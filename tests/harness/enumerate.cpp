#include "vulkan/enumerate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tgsi2spv::harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A list whose length at each call is the next of `lengths`, the last one forever.
struct Lengths {
    std::vector<uint32_t> lengths;
    mutable size_t calls = 0;
    mutable size_t null_items = 0;

    VkResult operator()(uint32_t* count, int* items) const {
        const uint32_t length = lengths[std::min(calls++, lengths.size() - 1)];
        if (items == nullptr) {
            null_items++;
            *count = length;
            return VK_SUCCESS;
        }
        const uint32_t room = *count;
        *count = std::min(room, length);
        for (uint32_t i = 0; i < *count; i++) items[i] = static_cast<int>(i);
        return room < length ? VK_INCOMPLETE : VK_SUCCESS;
    }
};

TEST(Enumerate, ListsMayChangeBetweenTheCalls) {
    EXPECT_THAT(*vulkan::enumerate<int>("f", Lengths{{3, 3}}), ElementsAre(0, 1, 2));
    EXPECT_THAT(*vulkan::enumerate<int>("f", Lengths{{3, 2}}), ElementsAre(0, 1));
    EXPECT_THAT(*vulkan::enumerate<int>("f", Lengths{{1, 2, 2, 2}}), ElementsAre(0, 1));
    // With a null pointer for the items, the second call would give a length, and items that were never written.
    const Lengths appears{{0, 1}};
    EXPECT_THAT(*vulkan::enumerate<int>("f", [&](uint32_t* count, int* items) { return appears(count, items); }),
                IsEmpty());
    EXPECT_EQ(appears.calls, 1u);
}

TEST(Enumerate, ErrorsNameTheCall) {
    const auto always = [](VkResult first, VkResult second) {
        return vulkan::enumerate<int>("vkEnumerateThings", [=](uint32_t* count, const int* items) {
            *count = 2;
            return items == nullptr ? first : second;
        });
    };
    EXPECT_EQ(always(VK_ERROR_UNKNOWN, VK_SUCCESS).error().message, "vkEnumerateThings failed: VK_ERROR_UNKNOWN");
    EXPECT_EQ(always(VK_SUCCESS, VK_ERROR_OUT_OF_HOST_MEMORY).error().message,
              "vkEnumerateThings failed: VK_ERROR_OUT_OF_HOST_MEMORY");
    // A driver that always says this is not asked forever.
    EXPECT_EQ(always(VK_SUCCESS, VK_INCOMPLETE).error().message, "vkEnumerateThings failed: VK_INCOMPLETE");
}

}  // namespace
}  // namespace tgsi2spv::harness

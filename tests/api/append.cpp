// Formatted text of any length in the caller's memory.
#include "api/append.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tgsi2spv::api {
namespace {

TEST(Append, TextsOfAnyLength) {
    for (const size_t size : {0, 1, 255, 256, 257, 5000}) {
        std::pmr::string text = "before ";
        append(text, "{}{}", std::string(size, 'x'), 7);
        EXPECT_EQ(std::string_view(text), "before " + std::string(size, 'x') + "7") << size;
    }
}

}  // namespace
}  // namespace tgsi2spv::api

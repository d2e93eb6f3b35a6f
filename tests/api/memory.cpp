// The caller's allocator, and memory that runs out anywhere.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "ir/allocations.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {
namespace {

constexpr std::string_view kText =
    "FRAG\nDCL IN[0], GENERIC[2], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0..1]\nDCL CONST[0..3]\nDCL TEMP[0]\n"
    "TEX TEMP[0], IN[0], SAMP[1], 2D\nMUL OUT[0], TEMP[0], CONST[2]\nEND\n";

/// Knows each block; the `failing`th allocation finds no memory.
struct Blocks {
    std::map<void*, std::pair<size_t, size_t>> all;
    size_t count = 0, failing = 0, bytes = 0;
    bool wrong = false;

    static void* allocate(void* user, size_t bytes, size_t alignment) {
        auto* b = static_cast<Blocks*>(user);
        if (++b->count == b->failing) return nullptr;
        void* p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        b->all[p] = {bytes, alignment};
        b->bytes += bytes;
        return p;
    }
    static void release(void* user, void* memory, size_t bytes, size_t alignment) {
        auto* b = static_cast<Blocks*>(user);
        const auto at = b->all.find(memory);
        if (at == b->all.end() || at->second != std::pair(bytes, alignment)) {
            b->wrong = true;
            return;
        }
        b->all.erase(at);
        std::free(memory);
    }
    tgsi2spv_allocator allocator() {
        auto a = make<tgsi2spv_allocator>();
        a.user = this;
        a.allocate = allocate;
        a.release = release;
        return a;
    }
};

/// Everything a caller does; the first status that is none of success, and then that a second try goes well.
tgsi2spv_status use(const tgsi2spv_allocator& allocator, Blocks& blocks) {
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    Context context(info);
    if (!context) return context.status();
    tgsi2spv_status first = TGSI2SPV_SUCCESS;
    const auto note = [&] {
        if (first == TGSI2SPV_SUCCESS) first = context.status();
        blocks.failing = 0;
        ir::fail_allocation(0);
        return context.status() == TGSI2SPV_SUCCESS;
    };
    Program program = context.parse(kText);
    if (context.status() != TGSI2SPV_SUCCESS) {
        note();
        program = context.parse(kText);
    }
    EXPECT_TRUE(program);
    if (!context.convert(program)) {
        note();
        EXPECT_TRUE(context.convert(program));
    }
    if (context.reflection_json().empty()) {
        note();
        EXPECT_FALSE(context.reflection_json().empty());
    }
    EXPECT_FALSE(context.parse("FRAG\nADDD\nEND\n"));
    if (context.status() == TGSI2SPV_ERROR_OUT_OF_MEMORY) note();
    return first;
}

TEST(Memory, IsTheCallersAndComesBack) {
    Blocks blocks;
    ASSERT_EQ(use(blocks.allocator(), blocks), TGSI2SPV_SUCCESS);
    EXPECT_GT(blocks.count, 5u);
    EXPECT_GT(blocks.bytes, kText.size());
    EXPECT_TRUE(blocks.all.empty());
    EXPECT_FALSE(blocks.wrong);
}

TEST(Memory, RunsOutAtAnyOfTheCallersAllocations) {
    Blocks counting;
    use(counting.allocator(), counting);
    for (size_t n = 1; n <= counting.count; ++n) {
        Blocks blocks;
        blocks.failing = n;
        EXPECT_EQ(use(blocks.allocator(), blocks), TGSI2SPV_ERROR_OUT_OF_MEMORY) << n;
        EXPECT_TRUE(blocks.all.empty()) << n;
        EXPECT_FALSE(blocks.wrong) << n;
    }
}

TEST(Memory, RunsOutAtAnyAllocationOfTheWork) {
    Blocks blocks;
    const auto allocator = blocks.allocator();
    const size_t before = ir::allocations();
    use(allocator, blocks);
    const size_t count = ir::allocations() - before;
    ASSERT_GT(count, 100u);
    for (size_t n = 1; n <= count; ++n) {
        ir::fail_allocation(n);
        const tgsi2spv_status status = use(allocator, blocks);
        ir::fail_allocation(0);
        // The harness allocates as well.
        EXPECT_TRUE(status == TGSI2SPV_ERROR_OUT_OF_MEMORY || status == TGSI2SPV_SUCCESS) << n << ": " << status;
    }
    EXPECT_TRUE(blocks.all.empty());
}

TEST(Memory, IsKeptFromCallToCall) {
    Blocks blocks;
    const auto allocator = blocks.allocator();
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    Context context(info);
    const Program program = context.parse(kText);
    ASSERT_TRUE(context.convert(program));
    const size_t count = blocks.count;
    ASSERT_TRUE(context.convert(program));
    EXPECT_EQ(blocks.count, count);
}

}  // namespace
}  // namespace tgsi2spv

// Where texels are in shared memory, and transfers against an oracle that walks every row of every slice.
#include "renderer/move/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tgsi2spv::host {
namespace {

using virgl::ResourceRequest;
using virgl::Target;
using virgl::TransferRequest;

constexpr uint32_t kRgba8 = 67, kRgba32f = 31, kDxt1 = 105, kAstc12x10 = 291;

ResourceRequest resource(Target target, uint32_t format, uint32_t width, uint32_t height = 1, uint32_t depth = 1,
                         uint32_t array_size = 1, uint32_t last_level = 0) {
    return {.handle = 1,
            .target = static_cast<uint32_t>(target),
            .format = format,
            .width = width,
            .height = height,
            .depth = depth,
            .array_size = array_size,
            .last_level = last_level};
}

Problem check(const ResourceRequest& r, const TransferRequest& t, uint64_t offset, uint64_t memory) {
    CheckedTransfer result;
    return check_transfer(r, *format_info(r.format), t, offset, memory, result);
}

TEST(Layout, LevelsFollowOneAnotherUnpadded) {
    const ResourceRequest r = resource(Target::Tex2d, kRgba8, 5, 3, 1, 1, 2);
    const LevelLayout level = level_layout(r, *format_info(r.format), 2);
    EXPECT_EQ(level.offset, (5 * 3 + 2 * 1) * 4u);
    EXPECT_EQ(level.row_stride, 4u);
    EXPECT_EQ(level.width, 1u);
    EXPECT_EQ(level.height, 1u);
}

TEST(Layout, OnlyVolumesHaveFewerSlicesPerLevel) {
    const auto slices = [](Target target, uint32_t depth, uint32_t array_size) {
        const ResourceRequest r = resource(target, kRgba8, 8, 8, depth, array_size, 1);
        return level_layout(r, *format_info(r.format), 1).slices;
    };
    EXPECT_EQ(slices(Target::Tex3d, 7, 1), 3u);
    EXPECT_EQ(slices(Target::Tex2dArray, 1, 7), 7u);
    EXPECT_EQ(slices(Target::Cube, 1, 6), 6u);
    EXPECT_EQ(slices(Target::CubeArray, 1, 12), 12u);
}

TEST(Layout, BlocksAreRoundedUp) {
    const ResourceRequest r = resource(Target::Tex2d, kAstc12x10, 25, 21);
    const LevelLayout level = level_layout(r, *format_info(r.format), 0);
    EXPECT_EQ(level.row_stride, 3 * 16u);
    EXPECT_EQ(level.layer_stride, 3 * 3 * 16u);
}

// A guest may create a buffer of any format; its memory has `width` bytes.
TEST(Layout, BuffersAreBytesWhateverTheirFormat) {
    const ResourceRequest r = resource(Target::Buffer, kRgba32f, 64);
    CheckedTransfer checked;
    const TransferRequest whole{.box = {0, 0, 0, 64, 1, 1}};
    EXPECT_EQ(check_transfer(r, *format_info(r.format), whole, 0, 64, checked), Problem::None);
    EXPECT_EQ(checked.row_bytes, 64u);
}

TEST(Layout, PartsOfBlocksOnlyAtTheEdge) {
    const ResourceRequest r = resource(Target::Tex2d, kDxt1, 10, 10);
    EXPECT_EQ(check(r, {.box = {8, 8, 0, 2, 2, 1}}, 0, 8), Problem::None);
    EXPECT_EQ(check(r, {.box = {4, 4, 0, 2, 4, 1}}, 0, 64), Problem::Misaligned);
    EXPECT_EQ(check(r, {.box = {4, 4, 0, 4, 2, 1}}, 0, 64), Problem::Misaligned);
    EXPECT_EQ(check(r, {.box = {2, 4, 0, 4, 4, 1}}, 0, 64), Problem::Misaligned);
    EXPECT_EQ(check(r, {.box = {4, 2, 0, 4, 4, 1}}, 0, 64), Problem::Misaligned);
}

TEST(Layout, LayersOf1dArraysAreInZ) {
    const ResourceRequest r = resource(Target::Tex1dArray, kRgba8, 4, 1, 1, 3);
    EXPECT_EQ(check(r, {.box = {0, 0, 2, 4, 1, 1}}, 0, 16), Problem::None);
    EXPECT_EQ(check(r, {.box = {0, 2, 0, 4, 1, 1}}, 0, 64), Problem::BadBox);
    EXPECT_EQ(check(r, {.box = {0, 0, 3, 4, 1, 1}}, 0, 64), Problem::BadBox);
}

// The largest numbers that a guest can send for the largest texture that a device may have.
TEST(Layout, SumsDoNotWrap) {
    constexpr uint32_t kLargest = 1u << 16, kMost = 0xffffffff;
    const ResourceRequest r = resource(Target::Tex3d, kRgba32f, kLargest, kLargest, kLargest);
    const virgl::Box all{0, 0, 0, kLargest, kLargest, kLargest};
    const uint64_t whole = (uint64_t{1} << 48) * 16, large = uint64_t{1} << 62;
    EXPECT_EQ(check(r, {.box = all}, 0, whole), Problem::None);
    EXPECT_EQ(check(r, {.box = all}, 0, whole - 1), Problem::BadRange);
    EXPECT_EQ(check(r, {.box = all}, ~uint64_t{0}, whole), Problem::BadRange);
    EXPECT_EQ(check(r, {.stride = kMost, .box = all}, 0, large), Problem::BadRange);
    EXPECT_EQ(check(r, {.stride = kMost, .layer_stride = kMost, .box = all}, 0, large), Problem::BadStride);
    EXPECT_EQ(check(r, {.box = {kMost, 0, 0, 2, 1, 1}}, 0, large), Problem::BadBox);
    EXPECT_EQ(check(r, {.box = {0, 1, 0, 1, kMost, 1}}, 0, large), Problem::BadBox);
    EXPECT_EQ(check(r, {.box = {0, 0, 2, 1, 1, kMost}}, 0, large), Problem::BadBox);
    EXPECT_EQ(check(r, {.level = kMost, .box = all}, 0, large), Problem::BadLevel);
}

/// The size of a level in blocks, by halving and counting.
struct Counted {
    uint32_t width, height, slices;
    uint64_t blocks_across = 0, blocks_down = 0;
};

Counted count(const ResourceRequest& r, const FormatInfo& f, uint32_t level) {
    Counted c{r.width, r.height, r.target == static_cast<uint32_t>(Target::Tex3d) ? r.depth : r.array_size};
    for (uint32_t l = 0; l < level; l++) {
        c.width = c.width == 1 ? 1 : c.width / 2;
        c.height = c.height == 1 ? 1 : c.height / 2;
        if (r.target == static_cast<uint32_t>(Target::Tex3d)) c.slices = c.slices == 1 ? 1 : c.slices / 2;
    }
    for (uint32_t x = 0; x < c.width; x += f.block_width) c.blocks_across++;
    for (uint32_t y = 0; y < c.height; y += f.block_height) c.blocks_down++;
    return c;
}

bool covers(uint32_t start, uint32_t size, uint32_t whole, uint32_t block) {
    if (size == 0) return false;
    for (uint64_t i = 0; i < size; i++)
        if (start + i >= whole) return false;
    return start % block == 0 && (size % block == 0 || uint64_t{start} + size == whole);
}

/// The rules by walking all rows of blocks: none may begin before the one before has ended. `end`: of the last.
Problem walk(const ResourceRequest& r, const FormatInfo& f, const TransferRequest& t, uint64_t& end) {
    if (t.level > r.last_level) return Problem::BadLevel;
    const Counted level = count(r, f, t.level);
    if (!covers(t.box.x, t.box.width, level.width, f.block_width) ||
        !covers(t.box.y, t.box.height, level.height, f.block_height) || !covers(t.box.z, t.box.depth, level.slices, 1))
        return Problem::BadBox;
    const uint64_t stride = t.stride != 0 ? t.stride : level.blocks_across * f.block_bytes;
    const uint64_t layer = t.layer_stride != 0 ? t.layer_stride : stride * level.blocks_down;
    uint64_t row_bytes = 0;
    end = 0;
    for (uint32_t x = 0; x < t.box.width; x += f.block_width) row_bytes += f.block_bytes;
    for (uint32_t z = 0; z < t.box.depth; z++) {
        uint64_t row = z * layer;
        for (uint32_t y = 0; y < t.box.height; y += f.block_height, row += stride) {
            if (row < end) return Problem::BadStride;
            end = row + row_bytes;
        }
    }
    return Problem::None;
}

TEST(Layout, TransfersAreCheckedAsByWalkingTheirRows) {
    std::mt19937 random(56);  // NOLINT: the same cases every time
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    const auto mostly = [&](uint32_t value, uint32_t otherwise) { return below(4) != 0 ? value : below(otherwise); };
    std::vector<const FormatInfo*> formats;
    for (uint32_t n = 0; n < 512; n++)
        if (const FormatInfo* f = format_info(n); f != nullptr) formats.push_back(f);
    std::array<uint32_t, 256> seen{};
    for (int i = 0; i < 200'000; i++) {
        const FormatInfo& f = *formats[below(static_cast<uint32_t>(formats.size()))];
        const Target target =
            std::array{Target::Tex1d,      Target::Tex2d,      Target::Rect, Target::Tex3d,
                       Target::Tex1dArray, Target::Tex2dArray, Target::Cube, Target::CubeArray}[below(8)];
        ResourceRequest r = resource(target, f.number, 1 + below(40), 1, 1, 1, below(4));
        if (target != Target::Tex1d && target != Target::Tex1dArray) r.height = 1 + below(40);
        if (target == Target::Tex3d) r.depth = 1 + below(9);
        if (target == Target::Tex1dArray || target == Target::Tex2dArray) r.array_size = 1 + below(9);
        if (target == Target::Cube) r.array_size = 6;
        if (target == Target::CubeArray) r.array_size = 12;
        TransferRequest t{.level = mostly(below(r.last_level + 1), 6)};
        const Counted level = count(r, f, t.level);
        const auto side = [&](uint32_t whole, uint32_t block, uint32_t& start, uint32_t& size) {
            start = mostly(below(whole) / block * block, whole + 2);
            size = mostly(whole > start ? whole - start : 0, whole + 2);
        };
        side(level.width, f.block_width, t.box.x, t.box.width);
        side(level.height, f.block_height, t.box.y, t.box.height);
        side(level.slices, 1, t.box.z, t.box.depth);
        if (below(2) != 0) t.stride = mostly(static_cast<uint32_t>(level.blocks_across) * f.block_bytes, 300);
        if (below(2) != 0)
            t.layer_stride =
                mostly(static_cast<uint32_t>(level.blocks_across * level.blocks_down) * f.block_bytes, 3000);
        const uint64_t offset = uint64_t{below(2)} * below(200);
        CheckedTransfer checked;
        uint64_t end = 0;
        const Problem expected = walk(r, f, t, end);
        Problem found = check_transfer(r, f, t, offset, offset + end, checked);
        if (found == Problem::Misaligned)
            found = Problem::BadBox;  // which of the two depends on the order of the checks
        ASSERT_EQ(found.kind, expected.kind) << f.name << ' ' << i;
        seen[expected.kind]++;
        if (expected != Problem::None) continue;
        ASSERT_EQ(check(r, t, offset, offset + end - 1), Problem::BadRange) << f.name << ' ' << i;
    }
    for (const Problem::Kind k : {Problem::None, Problem::BadLevel, Problem::BadBox, Problem::BadStride})
        EXPECT_GT(seen[k], 1000u) << int{k};
}

}  // namespace
}  // namespace tgsi2spv::host

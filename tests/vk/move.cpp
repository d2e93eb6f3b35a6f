// Vulkan's rules for commands that move bytes, on lavapipe with the validation layer: a command that breaks one is not
// recorded, and recorded commands break none.
#include "vk/move.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "vulkan/instance.h"

namespace tgsi2spv::vk {
namespace {

using testing::ElementsAre;

constexpr uint64_t kBudget = 16U << 20;

class Moves : public testing::Test {
  protected:
    void SetUp() override {
        auto instance = vulkan::Instance::create({.validation = true, .synchronization = true, .judged = false});
        ASSERT_TRUE(instance);
        instance_ = std::move(*instance);
        const auto info = instance_->find("llvmpipe");
        ASSERT_TRUE(info);
        auto device = Device::create(*info);
        ASSERT_TRUE(device);
        device_ = std::move(*device);
        memory_ = std::make_unique<Memory>(*device_, budget_);
        stream_ = std::make_unique<Stream>(*device_, *memory_);
    }
    void TearDown() override {
        stream_ = nullptr;
        memory_ = nullptr;
        EXPECT_EQ(budget_.used(), 0u);
        device_ = nullptr;
        EXPECT_THAT(instance_->take_messages(), testing::IsEmpty());
    }
    std::shared_ptr<Image> image(VkExtent3D extent, uint32_t layers = 1, VkFormat format = VK_FORMAT_R32_UINT,
                                 Block block = {1, 1, 4}) {
        const ImageInfo info{.type = extent.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
                             .format = format,
                             .extent = extent,
                             .layers = layers,
                             .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                             .block = block};
        auto made = Image::create(*device_, *memory_, info);
        EXPECT_TRUE(made != nullptr && begin_image(*stream_, made));
        return made;
    }
    std::shared_ptr<Buffer> numbers(uint32_t count) {
        auto buffer = stream_->make_buffer(4 * count);
        for (uint32_t i = 0; i < count; i++) std::memcpy(buffer->mapped() + 4 * i, &i, 4);
        return buffer;
    }
    void write(const std::shared_ptr<Image>& to, const ImageBox& box, const std::vector<uint32_t>& words) {
        const Staging staging = stream_->stage(4 * words.size(), 16);
        std::memcpy(staging.data, words.data(), 4 * words.size());
        ASSERT_EQ(copy_to_image(*stream_, staging, to, VK_IMAGE_ASPECT_COLOR_BIT, box), Status::Done);
    }
    std::vector<uint32_t> read(const std::shared_ptr<Image>& from, const ImageBox& box) {
        std::vector<uint32_t> words(box.width * box.height * box.depth);
        const Staging staging = stream_->stage_for_reading(4 * words.size(), 16);
        EXPECT_EQ(copy_from_image(*stream_, from, VK_IMAGE_ASPECT_COLOR_BIT, box, staging), Status::Done);
        EXPECT_TRUE(stream_->wait(stream_->current()));
        std::memcpy(words.data(), staging.data, 4 * words.size());
        return words;
    }

    std::unique_ptr<vulkan::Instance> instance_;
    std::unique_ptr<Device> device_;
    Budget budget_{kBudget};
    std::unique_ptr<Memory> memory_;
    std::unique_ptr<Stream> stream_;
};

/// While it lives, the device says that texel buffers need this.
class TexelNeeds {
  public:
    explicit TexelNeeds(VkMemoryRequirements needs) {
        needed = needs;
        create = std::exchange(vkCreateBuffer, [](auto device, auto* info, auto* callbacks, auto* made) {
            const VkResult result = create(device, info, callbacks, made);
            constexpr VkBufferUsageFlags kTexels =
                VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
            if ((info->usage & kTexels) != 0) of_texels = *made;
            return result;
        });
        ask = std::exchange(vkGetBufferMemoryRequirements, [](auto device, auto buffer, auto* told) {
            ask(device, buffer, told);
            if (buffer != of_texels) return;
            told->alignment = std::max(told->alignment, needed.alignment);
            told->memoryTypeBits &= needed.memoryTypeBits;
        });
    }
    TexelNeeds(const TexelNeeds&) = delete;
    TexelNeeds& operator=(const TexelNeeds&) = delete;
    ~TexelNeeds() {
        vkCreateBuffer = create;
        vkGetBufferMemoryRequirements = ask;
    }

  private:
    static inline VkMemoryRequirements needed;
    static inline VkBuffer of_texels = VK_NULL_HANDLE;
    static inline PFN_vkCreateBuffer create;
    static inline PFN_vkGetBufferMemoryRequirements ask;
};

/// Texel buffers over the memory of other buffers may need other memory (Vulkan, VkMemoryRequirements).
TEST_F(Moves, TexelsAreInMemoryThatTheyMayHave) {
    const auto has_texels = [&](const std::shared_ptr<Buffer>& buffer) {
        return stream_->view(buffer, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, VK_FORMAT_R32_UINT, 0, 16).has_value();
    };
    const auto before = numbers(4);
    {
        const TexelNeeds none({.alignment = 1, .memoryTypeBits = 0});
        EXPECT_FALSE(has_texels(before));
    }
    EXPECT_TRUE(has_texels(before));
    const TexelNeeds pages({.alignment = 4096, .memoryTypeBits = ~0U});
    Memory memory(*device_, budget_);
    for (int i = 0; i < 3; i++) EXPECT_TRUE(has_texels(Buffer::create(*device_, memory, 16)));
    EXPECT_FALSE(has_texels(numbers(4))) << "its memory is of a time before";
}

/// Memory of a guest that no texel buffer may have is not shared, but copied: buffer textures need it.
TEST_F(Moves, MemoryThatTexelsMayNotHaveIsNotImported) {
    if (device_->extras().import_alignment == 0) GTEST_SKIP() << "the device imports no memory";
    const auto pages = std::shared_ptr<std::byte>(static_cast<std::byte*>(std::aligned_alloc(4096, 4096)), std::free);
    const std::span bytes(pages.get(), 4096);
    EXPECT_NE(Buffer::import(*device_, *memory_, 4096, bytes, pages), nullptr);
    const TexelNeeds none({.alignment = 1, .memoryTypeBits = 0});
    Memory memory(*device_, budget_);
    EXPECT_EQ(Buffer::import(*device_, memory, 4096, bytes, pages), nullptr);
}

TEST_F(Moves, BufferRangesAreInside) {
    const auto from = numbers(4), to = numbers(4);
    EXPECT_EQ(copy_buffer(*stream_, from, 8, to, 0, 8), Status::Done);
    EXPECT_EQ(copy_buffer(*stream_, from, 9, to, 0, 8), Status::BadRequest);
    EXPECT_EQ(copy_buffer(*stream_, from, 0, to, ~VkDeviceSize{0}, 8), Status::BadRequest) << "the end is beyond 2^64";
    EXPECT_EQ(copy_buffer(*stream_, from, 0, to, 0, 0), Status::BadRequest);
    const uint64_t word = 7;
    EXPECT_EQ(update_buffer(*stream_, to, 8, 8, &word), Status::Done);
    EXPECT_EQ(update_buffer(*stream_, to, 2, 8, &word), Status::BadRequest);
    EXPECT_EQ(update_buffer(*stream_, to, 12, 8, &word), Status::BadRequest);
}

TEST_F(Moves, BufferCopiesOverlapAsIfAllWasReadBefore) {
    const auto buffer = numbers(6);
    ASSERT_EQ(copy_buffer(*stream_, buffer, 0, buffer, 4, 20), Status::Done);
    ASSERT_TRUE(stream_->wait(stream_->current()));
    std::vector<uint32_t> words(6);
    std::memcpy(words.data(), buffer->mapped(), 24);
    EXPECT_THAT(words, ElementsAre(0, 0, 1, 2, 3, 4));
}

TEST_F(Moves, ImageBoxesAreInside) {
    const auto from = image({4, 1, 1}), to = image({2, 1, 1});
    write(from, {.width = 4}, {1, 2, 3, 4});
    EXPECT_EQ(copy_image(*stream_, from, {.width = 4}, to, {}), Status::BadRequest) << "larger than the destination";
    EXPECT_EQ(copy_image(*stream_, from, {.x = 3, .width = 2}, to, {}), Status::BadRequest);
    EXPECT_EQ(copy_image(*stream_, from, {.level = 1}, to, {}), Status::BadRequest);
    EXPECT_EQ(copy_image(*stream_, from, {.width = 2}, to, {.x = ~0U}), Status::BadRequest);
    ASSERT_EQ(copy_image(*stream_, from, {.x = 2, .width = 2}, to, {}), Status::Done);
    EXPECT_THAT(read(to, {.width = 2}), ElementsAre(3, 4));
    EXPECT_EQ(copy_image(*stream_, from, {.width = 3}, from, {.x = 1}), Status::BadRequest) << "an overlap";
}

TEST_F(Moves, LayersAndSlices) {
    const auto layers = image({1, 1, 1}, 4), volume = image({1, 1, 4});
    write(layers, {.depth = 4}, {1, 2, 3, 4});
    ASSERT_EQ(copy_image(*stream_, layers, {.z = 1, .depth = 2}, volume, {.z = 2}), Status::Done);
    EXPECT_THAT(read(volume, {.depth = 4}), ElementsAre(0, 0, 2, 3));
    EXPECT_EQ(copy_image(*stream_, layers, {.z = 1, .depth = 2}, volume, {.z = 3}), Status::BadRequest);
    const auto other = image({1, 1, 1}, 4);
    EXPECT_EQ(blit_image(*stream_, layers, {.z = 4, .depth = -4}, other, {.depth = 4}, VK_IMAGE_ASPECT_COLOR_BIT,
                         VK_FILTER_NEAREST),
              Status::Unsupported);
    EXPECT_EQ(
        blit_image(*stream_, layers, {.depth = 4}, other, {.depth = 2}, VK_IMAGE_ASPECT_COLOR_BIT, VK_FILTER_NEAREST),
        Status::Unsupported);
    EXPECT_EQ(
        blit_image(*stream_, layers, {.depth = 4}, volume, {.depth = 4}, VK_IMAGE_ASPECT_COLOR_BIT, VK_FILTER_NEAREST),
        Status::Unsupported);
    ASSERT_EQ(blit_image(*stream_, layers, {.z = 2, .depth = 2}, other, {.depth = 2}, VK_IMAGE_ASPECT_COLOR_BIT,
                         VK_FILTER_NEAREST),
              Status::Done);
    EXPECT_THAT(read(other, {.depth = 4}), ElementsAre(3, 4, 0, 0));
}

/// No command of Vulkan copies so.
TEST_F(Moves, LinesToAndFromPlanes) {
    const ImageInfo info{.type = VK_IMAGE_TYPE_1D,
                         .format = VK_FORMAT_R32_UINT,
                         .extent = {4, 1, 1},
                         .layers = 2,
                         .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    const auto line = Image::create(*device_, *memory_, info);
    ASSERT_TRUE(line != nullptr && begin_image(*stream_, line));
    const auto plane = image({4, 2, 1}, 2);
    write(line, {.width = 4, .depth = 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(copy_image(*stream_, plane, {.width = 4, .height = 2}, line, {}), Status::BadRequest)
        << "a line has one row";
    ASSERT_EQ(copy_image(*stream_, line, {.x = 1, .width = 2, .depth = 2}, plane, {.x = 2, .y = 1}), Status::Done);
    EXPECT_THAT(read(plane, {.y = 1, .width = 4, .depth = 2}), ElementsAre(0, 0, 2, 3, 0, 0, 6, 7));
    ASSERT_EQ(copy_image(*stream_, plane, {.x = 3, .y = 1, .z = 1}, line, {}), Status::Done);
    EXPECT_THAT(read(line, {.width = 4}), ElementsAre(7, 2, 3, 4));
}

TEST_F(Moves, BlocksAreWhole) {
    const auto blocks = image({8, 8, 1}, 1, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {4, 4, 8});
    const auto texels = image({2, 2, 1}, 1, VK_FORMAT_R32G32_UINT, {1, 1, 8});
    EXPECT_EQ(copy_image(*stream_, blocks, {.x = 2, .width = 4, .height = 4}, texels, {}), Status::BadRequest);
    EXPECT_EQ(copy_image(*stream_, blocks, {.width = 6, .height = 4}, texels, {}), Status::BadRequest);
    EXPECT_EQ(copy_image(*stream_, blocks, {.x = 4, .width = 4, .height = 8}, texels, {.x = 1}), Status::Done);
    EXPECT_EQ(copy_image(*stream_, texels, {.width = 2, .height = 1}, blocks, {.y = 4}), Status::Done);
    EXPECT_EQ(copy_image(*stream_, texels, {.width = 2, .height = 1}, blocks, {.y = 2}), Status::BadRequest);
    const auto edge = image({6, 2, 1}, 1, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {4, 4, 8});
    EXPECT_EQ(copy_image(*stream_, texels, {.width = 1, .height = 1}, edge, {.x = 4}), Status::Done)
        << "a block in part";
}

/// A level of 2 x 2 texels is a block, of which another level has all texels.
TEST_F(Moves, BlocksInPartAreCopied) {
    const auto whole = image({8, 8, 1}, 1, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {4, 4, 8});
    const auto small = image({2, 2, 1}, 1, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {4, 4, 8});
    write(small, {.width = 2, .height = 2}, {1, 2});
    ASSERT_EQ(copy_image(*stream_, small, {.width = 2, .height = 2}, whole, {.x = 4, .y = 4}), Status::Done);
    auto words = read(whole, {.x = 4, .y = 4, .width = 4, .height = 4});
    words.resize(2);  // of one block
    EXPECT_THAT(words, ElementsAre(1, 2));
    write(whole, {.width = 4, .height = 4}, {3, 4});
    ASSERT_EQ(copy_image(*stream_, whole, {.width = 4, .height = 4}, small, {}), Status::Done);
    words = read(small, {.width = 2, .height = 2});
    words.resize(2);
    EXPECT_THAT(words, ElementsAre(3, 4));
}

/// A command for each layer, and a barrier before it, would take more memory than the image.
TEST_F(Moves, SmallLayersBecomeZerosTogether) {
    const auto begun = stream_->counters().barriers;
    const auto blocks = image({4, 4, 1}, 2048, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {4, 4, 8});
    EXPECT_LT(stream_->counters().barriers - begun, 4U);
    auto words = read(blocks, {.z = 2046, .width = 4, .height = 4, .depth = 2});
    words.resize(4);  // of two blocks
    EXPECT_THAT(words, testing::Each(0U));
}

TEST_F(Moves, MemoryCountsInTheBudgetAndIsGivenBack) {
    for (int i = 0; i < 4; i++) {
        const auto most = stream_->make_buffer(10U << 20);
        ASSERT_NE(most, nullptr) << i;
        EXPECT_GE(budget_.used(), 10U << 20);
        EXPECT_LE(budget_.used(), kBudget);
        EXPECT_EQ(stream_->make_buffer(10U << 20), nullptr);
    }
    const Charge elsewhere(budget_, kBudget - (1U << 20));
    EXPECT_EQ(stream_->make_buffer(4U << 20), nullptr) << "what takes memory on the CPU counts, too";
}

}  // namespace
}  // namespace tgsi2spv::vk

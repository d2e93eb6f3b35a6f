// Queries, on lavapipe.
#include "queries.h"
#include "vk/device.h"

#include <thread>

namespace tgsi2spv::host {
namespace {

using testing::ElementsAre;

TEST_F(Queries, CountTheSamplesBetweenBeginAndEnd) {
    run(scene() + query(QueryType::OcclusionCounter) + triangle() + begin() + triangle() + triangle() + end() +
        triangle() + get());
    EXPECT_EQ(result(), 2u * 8 * kSize);
}

TEST_F(Queries, GoOnThroughScopesAndCommandBuffers) {
    run(scene() + query(QueryType::OcclusionCounter) + begin() + triangle());
    pixels();  // ends the scope and waits
    // A blit by drawing and a clear are not counted.
    constexpr uint32_t kCopy = 3;
    create({kCopy, 2, kBgra, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0});
    const Buffer copied = blit(0xf | 1u << 10, {kCopy, kBgra}, {}, kSize | kSize << 16);
    run(copied + triangle() + clear(0, 0, 0, 0) + triangle());
    run(end() + get());
    EXPECT_EQ(result(), 3u * 8 * kSize);
}

TEST_F(Queries, OfOneKindCountByThemselves) {
    const Buffer second = query(QueryType::OcclusionPredicate, kQuery + 1, 0, 16);
    run(scene() + query(QueryType::OcclusionCounter) + second + begin() + triangle() + begin(kQuery + 1) + triangle() +
        end() + triangle() + end(kQuery + 1) + get() + get(kQuery + 1));
    EXPECT_EQ(result(), 2u * 8 * kSize);
    EXPECT_EQ(word(16), 1u);
    EXPECT_EQ(word(24), 1u);
}

TEST_F(Queries, WithoutDrawsAreZero) {
    run(query(QueryType::OcclusionCounter) + begin() + end() + get());
    EXPECT_EQ(result(), 0u);
    EXPECT_EQ(word(4), 8u);
}

TEST_F(Queries, BeginAnewWithANewResult) {
    run(scene() + query(QueryType::OcclusionCounter) + begin() + triangle() + end() + get());
    EXPECT_EQ(result(), 8u * kSize);
    set_state(2);
    run(begin() + end() + get());
    EXPECT_EQ(result(), 0u);
}

TEST_F(Queries, CountPrimitivesAndInvocations) {
    run(scene() + query(QueryType::PrimitivesGenerated) + begin() + triangle() + triangle() + end() + get());
    EXPECT_EQ(result(), 2u);
    constexpr uint32_t kVertexShaderInvocations = 2;
    run(query(QueryType::PipelineStatistics, 51, kVertexShaderInvocations) + begin(51) + triangle() + end(51) +
        get(51));
    EXPECT_EQ(result(), 3u);
}

TEST_F(Queries, MeasureTime) {
    run(scene() + query(QueryType::Timestamp) + end() + get());
    const uint64_t first = result();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    run(triangle() + end() + get());
    EXPECT_GE(result(), first + 2'000'000);
    run(query(QueryType::TimeElapsed, 51) + begin(51) + triangle() + end(51) + get(51));
    EXPECT_LT(result(), 60'000'000'000u);
}

/// Vulkan, VkQueueFamilyProperties: the bits above timestampValidBits mean nothing, and with 0 there are no timestamps.
TEST(Timestamps, HaveTheBitsOfTheQueue) {
    auto instance = vulkan::Instance::create({});
    ASSERT_TRUE(instance) << instance.error().message;
    const auto info = (*instance)->find("llvmpipe");
    ASSERT_TRUE(info) << info.error().message;
    static PFN_vkGetPhysicalDeviceQueueFamilyProperties ask;
    static uint32_t valid;
    ask = std::exchange(vkGetPhysicalDeviceQueueFamilyProperties, [](auto device, auto* count, auto* families) {
        ask(device, count, families);
        if (families != nullptr) families->timestampValidBits = valid;
    });
    for (const auto& [bits, mask] : {std::pair{0U, 0ULL}, std::pair{36U, 0xf'ffff'ffffULL}, std::pair{64U, ~0ULL}}) {
        valid = bits;
        const auto device = vk::Device::create(*info);
        ASSERT_TRUE(device) << device.error().message;
        EXPECT_EQ((*device)->timestamp_mask(), mask);
    }
    vkGetPhysicalDeviceQueueFamilyProperties = ask;
}

TEST_F(Queries, BelongToTheirMemory) {
    for (const Buffer& wrong : {query(QueryType::OcclusionCounter, kQuery, 0, 56) + begin() + end() + get(),
                                query(QueryType::OcclusionCounter, kQuery, 0, 4) + begin() + end() + get(),
                                query(QueryType::OcclusionCounter, kQuery, 0, 0xffff'fff8) + begin() + end() + get(),
                                begin(99), end(99), get(99), scene() + begin(5)}) {
        start();
        refuse(wrong);
    }
}

TEST_F(Queries, EndWithoutBeginAndDieWhileActive) {
    run(scene() + query(QueryType::OcclusionCounter) + end() + get());
    EXPECT_EQ(result(), 0u);
    run(begin() + triangle() + begin() + triangle() +
        command(Id::DestroyObject, {kQuery}, static_cast<uint32_t>(O::Query)) + triangle());
    EXPECT_FALSE(renderer_->busy(kTarget, true));
}

TEST_F(Queries, EndWithTheirSubContext) {
    // Another sub-context's draws are not counted, and a sub-context dies with its queries.
    run(scene() + query(QueryType::OcclusionCounter) + begin() + triangle() + command(Id::CreateSubCtx, {1}) +
        command(Id::SetSubCtx, {1}) + scene() + query(QueryType::OcclusionCounter, 51, 0, 16) + begin(51) + triangle() +
        command(Id::DestroySubCtx, {1}) + triangle() + end() + get());
    EXPECT_EQ(result(), 2u * 8 * kSize);
}

TEST_F(Queries, WriteToMemoryThatTheGuestNoLongerNames) {
    run(scene() + query(QueryType::OcclusionCounter) + begin() + triangle());
    ASSERT_EQ(renderer_->destroy_resource(kResult), Outcome::Done);
    run(end() + get());
    EXPECT_FALSE(renderer_->busy(kTarget, true));
    pixels();
    EXPECT_EQ(state(), 1u);
}

TEST_F(Queries, AreManyAtOnce) {
    run(scene());
    for (int repeat = 0; repeat < 200; repeat++) {
        set_state(2);
        run(query(QueryType::OcclusionCounter) + begin() + triangle() + end() + get());
    }
    EXPECT_EQ(result(), 8u * kSize);
}

TEST_F(Queries, CountPrimitivesThatAreNotRasterized) {
    const Buffer discard = bind_new(O::Rasterizer, {8, 1u << 3, bits(1), 0, 0, bits(1), 0, 0, 0});
    run(scene() + query(QueryType::PrimitivesGenerated) + begin() + triangle() + discard + triangle() + end() + get());
    EXPECT_EQ(result(), 2u);
}

/// Whose faces are drawn one after the other.
TEST_F(Queries, CountPolygonsOfTwoModesOnce) {
    constexpr uint32_t kLineInFront = 1U << 10;
    const Buffer modes = bind_new(O::Rasterizer, {8, kRasterizer | kLineInFront, bits(1), 0, 0, bits(1), 0, 0, 0});
    run(scene() + query(QueryType::PrimitivesGenerated) + begin() + modes + triangle() + triangle() + end() + get());
    EXPECT_EQ(result(), 2u);
}

/// vkCmdBeginQuery permits no second query of a type (VUID-vkCmdBeginQuery-queryPool-01922).
TEST_F(Queries, OfStreamsAreActiveTogether) {
    static PFN_vkCmdBeginQuery begin_without_index;
    static bool of_streams;
    of_streams = false;
    static VkQueryPool stream_pool;
    static PFN_vkCreateQueryPool create_pool;
    stream_pool = VK_NULL_HANDLE;
    create_pool = std::exchange(vkCreateQueryPool, [](auto device, auto* info, auto* callbacks, auto* pool) {
        const VkResult result = create_pool(device, info, callbacks, pool);
        if (info->queryType == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT) stream_pool = *pool;
        return result;
    });
    begin_without_index = std::exchange(vkCmdBeginQuery, [](auto commands, auto pool, auto slot, auto flags) {
        of_streams |= pool == stream_pool;
        begin_without_index(commands, pool, slot, flags);
    });
    make_buffer(kCaptured, kBindStreamOutput, Buffer(16, 9));
    run(scene() + use(70, kVert, {1, 2, 0, 0, 0, 2 << 10, 0}) + capture_to(kTargetObject, kCaptured, 0, 64) +
        query(QueryType::PrimitivesEmitted, kQuery + 1, 1, 16) + query(QueryType::PrimitivesEmitted) +
        begin(kQuery + 1) + begin() + triangle() + end() + end(kQuery + 1) + get() + get(kQuery + 1));
    EXPECT_EQ(result(), 1u);
    EXPECT_EQ(word(24), 0u) << "of stream 1";
    EXPECT_NE(stream_pool, VK_NULL_HANDLE);
    EXPECT_FALSE(of_streams);
    vkCmdBeginQuery = begin_without_index;
    vkCreateQueryPool = create_pool;
}

TEST_F(Queries, CountInvocationsOfComputeShaders) {
    constexpr uint32_t kInvocations = 10;
    const char* const text =
        "COMP; PROPERTY CS_FIXED_BLOCK_WIDTH 4; PROPERTY CS_FIXED_BLOCK_HEIGHT 1; PROPERTY CS_FIXED_BLOCK_DEPTH 1; END";
    run(scene() + query(QueryType::PipelineStatistics, kQuery, kInvocations) + begin() + triangle() + use(70, text) +
        command(Id::LaunchGrid, {4, 1, 1, 3, 1, 1, 0, 0}) + triangle() + end() + get());
    EXPECT_EQ(result(), 12u);
}

TEST_F(Queries, GoToBuffers) {
    make_buffer(kCaptured, kBindQueryBuffer, Buffer(4, 9));
    const auto to_buffer = [](QboType type, uint32_t offset, int32_t index) {
        return command(Id::GetQueryResultQbo,
                       {kQuery, kCaptured, 1, static_cast<uint32_t>(type), offset, static_cast<uint32_t>(index)});
    };
    run(scene() + query(QueryType::OcclusionCounter) + begin() + triangle() + end() + to_buffer(QboType::U64, 0, 0) +
        to_buffer(QboType::I32, 12, -1));
    EXPECT_THAT(words_of(kCaptured, 4), ElementsAre(8 * kSize, 0, 9, 1));
    refuse(to_buffer(QboType::U64, 12, 0));
}

TEST_F(Queries, AreNotActiveWithoutEnd) {
    Buffer many = scene(), anew = scene();
    for (uint32_t i = 0; i < 65; i++) {
        many = many + query(QueryType::OcclusionCounter, 100 + i) + begin(100 + i);
        anew = anew + query(QueryType::OcclusionCounter) + begin();
    }
    EXPECT_EQ(renderer_->submit(anew), Outcome::Done) << "a query ends when another one takes its handle";
    start();
    refuse(many);
}

}  // namespace
}  // namespace tgsi2spv::host

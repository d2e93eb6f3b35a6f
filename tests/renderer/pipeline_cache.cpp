// The file that keeps compiled pipelines. The drivers here keep nothing, so their cache's data is pretended.
#include "renderer/record/pipeline_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tgsi2spv::host {
namespace {

// The last data of vkCreatePipelineCache, and the result of vkGetPipelineCacheData.
std::string given, kept;

VkResult create(VkDevice, const VkPipelineCacheCreateInfo* info, const VkAllocationCallbacks*, VkPipelineCache* cache) {
    given.assign(static_cast<const char*>(info->pInitialData), info->initialDataSize);
    *cache = reinterpret_cast<VkPipelineCache>(uintptr_t{1});
    return VK_SUCCESS;
}
VkResult get(VkDevice, VkPipelineCache, size_t* size, void* data) {
    *size = kept.size();
    if (data != nullptr) std::memcpy(data, kept.data(), kept.size());
    return VK_SUCCESS;
}
VkResult merge(VkDevice, VkPipelineCache, uint32_t, const VkPipelineCache*) {
    return VK_SUCCESS;
}
void destroy(VkDevice, VkPipelineCache, const VkAllocationCallbacks*) {}

class PipelineCaches : public testing::Test {
  protected:
    void SetUp() override {
        auto made = vulkan::Instance::create({});
        ASSERT_TRUE(made) << made.error().message;
        instance_ = std::move(*made);
        const auto info = instance_->find("llvmpipe");
        ASSERT_TRUE(info) << info.error().message;
        auto device = vk::Device::create(*info);
        ASSERT_TRUE(device) << device.error().message;
        device_ = std::move(*device);
        vkCreatePipelineCache = create;
        vkGetPipelineCacheData = get;
        vkMergePipelineCaches = merge;
        vkDestroyPipelineCache = destroy;
    }
    void TearDown() override { std::fclose(file_); }

    /// A process that compiles, and whose driver then keeps `data`.
    void run(const std::string& data) {
        PipelineCache cache(*device_, fileno(file_));
        kept = data;
        cache.use();
        cache.save();
    }
    /// The data for the driver of the next process.
    std::string next() {
        given = "nothing was made";
        PipelineCache(*device_, fileno(file_));
        return given;
    }

    std::unique_ptr<vulkan::Instance> instance_;
    std::unique_ptr<vk::Device> device_;
    std::FILE* file_ = std::tmpfile();
};

TEST_F(PipelineCaches, TheNextProcessGetsWhatTheDriverKept) {
    EXPECT_EQ(next(), "");
    run("some pipelines");
    EXPECT_EQ(next(), "some pipelines");
    run("more pipelines than before");
    EXPECT_EQ(next(), "more pipelines than before");
    run("fewer");
    EXPECT_EQ(next(), "fewer");
}

TEST_F(PipelineCaches, AProcessThatCompilesNothingLeavesTheFile) {
    run("some pipelines");
    kept = "others";
    PipelineCache(*device_, fileno(file_)).save();
    EXPECT_EQ(next(), "some pipelines");
}

TEST_F(PipelineCaches, AFileThatIsNotWholeCountsAsNothing) {
    run("some pipelines");
    char bytes[64];
    const ssize_t size = pread(fileno(file_), bytes, sizeof bytes, 0);
    ASSERT_EQ(size, 24 + 14);
    for (ssize_t shorter = 0; shorter < size; shorter++) {
        ASSERT_EQ(ftruncate(fileno(file_), shorter), 0);
        EXPECT_EQ(next(), "") << shorter;
        ASSERT_EQ(pwrite(fileno(file_), bytes, static_cast<size_t>(size), 0), size);
    }
    for (ssize_t at = 0; at < size; at++) {
        const char other = static_cast<char>(bytes[at] ^ 1);
        ASSERT_EQ(pwrite(fileno(file_), &other, 1, at), 1);
        EXPECT_EQ(next(), "") << at;
        ASSERT_EQ(pwrite(fileno(file_), bytes + at, 1, at), 1);
    }
    EXPECT_EQ(next(), "some pipelines");
    ASSERT_EQ(ftruncate(fileno(file_), size + 1), 0);
    EXPECT_EQ(next(), "") << "longer";
}

TEST_F(PipelineCaches, AHeldLockStopsNobody) {
    run("some pipelines");
    const int other = open(("/proc/self/fd/" + std::to_string(fileno(file_))).c_str(), O_RDWR);
    ASSERT_EQ(flock(other, LOCK_EX), 0);
    EXPECT_EQ(next(), "");
    run("others");
    close(other);
    EXPECT_EQ(next(), "some pipelines");
}

TEST_F(PipelineCaches, WithoutAFileThereIsNoCache) {
    PipelineCache cache(*device_, -1);
    EXPECT_EQ(cache.use(), VkPipelineCache{VK_NULL_HANDLE});
    cache.save();
}

}  // namespace
}  // namespace tgsi2spv::host

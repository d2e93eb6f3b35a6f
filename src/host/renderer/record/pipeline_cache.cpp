#include "renderer/record/pipeline_cache.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <span>
#include <thread>
#include <vector>

#include "renderer/record/hash.h"

namespace tgsi2spv::host {
namespace {

constexpr size_t kMostBytes = size_t{256} << 20;

/// The header before the driver's data. Drivers check the author of their data, but not all check that it is complete.
struct Header {
    std::array<char, 8> magic{'t', 'g', 's', 'i', 'p', 'i', 'p', '2'};
    uint64_t bytes = 0, sum = 0;
};

/// The driver's data, if it is complete.
std::vector<std::byte> read_data(int file) {
    struct stat status {};
    Header header, found;
    if (fstat(file, &status) != 0 || pread(file, &found, sizeof found, 0) != ssize_t{sizeof found} ||
        found.magic != header.magic || found.bytes > kMostBytes ||
        static_cast<uint64_t>(status.st_size) != sizeof found + found.bytes)
        return {};
    std::vector<std::byte> data(found.bytes);
    for (size_t at = 0; at < data.size();) {
        const ssize_t n = pread(file, data.data() + at, data.size() - at, static_cast<off_t>(sizeof found + at));
        if (n <= 0) return {};
        at += static_cast<size_t>(n);
    }
    return hash_bytes(data.data(), data.size()) == found.sum ? data : std::vector<std::byte>();
}

/// The header is written last: until then, the file counts as empty.
void write_data(int file, std::span<const std::byte> data) {
    if (ftruncate(file, 0) != 0) return;
    for (size_t at = 0; at < data.size();) {
        const ssize_t n = pwrite(file, data.data() + at, data.size() - at, static_cast<off_t>(sizeof(Header) + at));
        if (n <= 0) return;
        at += static_cast<size_t>(n);
    }
    Header header;
    header.bytes = data.size();
    header.sum = hash_bytes(data.data(), data.size());
    [[maybe_unused]] const ssize_t written = pwrite(file, &header, sizeof header, 0);
}

/// Null: memory is short.
VkPipelineCache make_cache(VkDevice device, std::span<const std::byte> data) {
    VkPipelineCacheCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                   .initialDataSize = data.size(),
                                   .pInitialData = data.data()};
    VkPipelineCache cache = VK_NULL_HANDLE;
    return vkCreatePipelineCache(device, &info, nullptr, &cache) == VK_SUCCESS ? cache : VK_NULL_HANDLE;
}

/// Holds the file's lock, if it is free soon: other processes of the same guest read and write the file, too, and one
/// that has stopped must not stop them.
class Locked {
  public:
    Locked(int file, int kind) : file_(file) {
        constexpr int kTries = 20;
        for (int i = 0; !(held_ = flock(file, kind | LOCK_NB) == 0) && i < kTries; i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ~Locked() {
        if (held_) flock(file_, LOCK_UN);
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    explicit operator bool() const { return held_; }

  private:
    int file_;
    bool held_ = false;
};

}  // namespace

PipelineCache::PipelineCache(vk::Device& device, int file) : device_(device), file_(file) {
    if (file < 0) return;
    const Locked lock(file, LOCK_SH);
    cache_ = make_cache(device.handle(), lock ? read_data(file) : std::vector<std::byte>());
}

PipelineCache::~PipelineCache() {
    vkDestroyPipelineCache(device_.handle(), cache_, nullptr);
}

void PipelineCache::save() {
    if (!used_ || cache_ == VK_NULL_HANDLE || device_.failed()) return;
    used_ = false;
    const Locked lock(file_, LOCK_EX);
    if (!lock) return;
    const std::vector<std::byte> before = read_data(file_);
    if (VkPipelineCache others = make_cache(device_.handle(), before); others != VK_NULL_HANDLE) {
        vkMergePipelineCaches(device_.handle(), cache_, 1, &others);
        vkDestroyPipelineCache(device_.handle(), others, nullptr);
    }
    size_t bytes = 0;
    if (vkGetPipelineCacheData(device_.handle(), cache_, &bytes, nullptr) != VK_SUCCESS || bytes > kMostBytes) return;
    std::vector<std::byte> data(bytes);
    if (vkGetPipelineCacheData(device_.handle(), cache_, &bytes, data.data()) != VK_SUCCESS) return;
    data.resize(bytes);
    if (data != before) write_data(file_, data);
}

}  // namespace tgsi2spv::host

// The compute shaders of emulated draws (shaders/host).
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <span>

namespace tgsi2spv::host {

struct Host;

enum class Kernel : uint8_t { Primitives, Capture, Count };

/// Made on first use; they live as long as the host.
struct Kernels {
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::array<VkPipeline, static_cast<size_t>(Kernel::Count)> pipelines{};
    VkDevice device = VK_NULL_HANDLE;
    ~Kernels();
};

inline constexpr uint32_t kKernelBuffers = 7;
/// Of shaders/host/primitives.comp.
struct PrimitivesPush {
    uint32_t pass, invocations, vertices, words, corners, streams, last_provokes;
};
/// Of shaders/host/capture.comp.
struct CapturePush {
    uint32_t pass, words, corners, buffer, offset, output_count, unused[2];
    std::array<uint32_t, 4> sizes, strides, streams;
};

/// Groups in both dimensions for so many invocations, at most.
std::array<uint32_t, 2> groups_of(const Host& host, uint64_t invocations);

/// Binds a kernel with its buffers. False: no memory.
bool bind_kernel(Host& host, Kernel kernel, std::span<const VkDescriptorBufferInfo, kKernelBuffers> buffers);
/// Runs what is bound. The caller orders it.
void run_kernel(Host& host, std::span<const std::byte> push, uint64_t invocations);

}  // namespace tgsi2spv::host

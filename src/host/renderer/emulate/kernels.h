// The compute shaders of emulated draws (shaders/host/emulate).
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>
#include <span>

namespace tgsi2spv::host {

struct HostState;
struct HostEmulator;

enum class Kernel : uint8_t { Primitives, Capture, Fetch };
/// A pass of a kernel for primitives of so many corners: specialization constants, in the shaders' order.
struct KernelPass {
    uint32_t pass = 0, corners = 1;
};

inline constexpr uint32_t kKernelBuffers = 7;
/// Push constants of shaders/host/emulate/primitives.comp.
struct PrimitivesPush {
    uint32_t invocations, vertices, words, streams, provoking;
};
/// Push constants of shaders/host/emulate/capture.comp.
struct CapturePush {
    uint32_t words, buffer, offset, output_count;
    std::array<uint32_t, 4> sizes, strides, streams;
};
/// Push constants of shaders/host/emulate/fetch.comp.
struct FetchPush {
    std::array<uint32_t, 4> bits, shifts;
    uint32_t invocations, listed, slot, slots, first, first_instance, divisor, start, stride, most, one;
};

/// So many groups, and some at most, in both dimensions.
std::array<uint32_t, 2> rows_of(const HostState& host, uint64_t groups);

/// Binds the buffers of the kernels. False: no memory.
bool bind_buffers(HostEmulator& host, std::span<const VkDescriptorBufferInfo, kKernelBuffers> buffers);
/// Runs a pass with what is bound. The caller orders it. False: no memory.
bool run_kernel(HostEmulator& host, Kernel kernel, KernelPass pass, std::span<const std::byte> push,
                uint64_t invocations);

}  // namespace tgsi2spv::host

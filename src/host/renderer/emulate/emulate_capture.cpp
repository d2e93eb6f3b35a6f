#include "renderer/emulate/emulate_piece.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "renderer/emulate/assemble.h"
#include "renderer/emulate/host_emulator.h"
#include "renderer/record/query.h"
#include "renderer/record/vertices.h"

namespace tgsi2spv::host {
namespace {

using Type = virgl::QueryType;

struct Results {
    std::array<uint32_t, 4> needed, written;
};

void add(QueryRun& run, const Results& results) {
    const size_t stream = std::min<size_t>(run.query.index, 3);
    switch (run.query.type) {
        case Type::PrimitivesGenerated:
            run.sum += results.needed[stream];
            break;
        case Type::PrimitivesEmitted:
        case Type::StreamoutStatistics:
            run.sum += results.written[stream];
            break;
        case Type::StreamoutOverflow:
            run.sum += results.needed[stream] != results.written[stream];
            break;
        case Type::AnyStreamoutOverflow:
            run.sum += results.needed != results.written;
            break;
        default:
            break;
    }
}

/// Pairs of words, of the record and of the captured vertex.
vk::Staging outputs_of(HostState& host, const Shader& shader, uint32_t buffer, uint32_t& count) {
    std::vector<uint32_t> pairs;
    for (const tgsi2spv_stream_output& o : shader.outputs)
        if (o.buffer == buffer)
            for (uint32_t c = 0; c < o.component_count; c++)
                pairs.insert(pairs.end(), {4 * o.output + o.first_component + c, o.offset + c});
    count = static_cast<uint32_t>(pairs.size() / 2);
    if (pairs.empty()) pairs.push_back(0);  // a descriptor needs some bytes
    return stage_words(host, pairs);
}

/// Where a target begins as the kernel sees it: at an aligned offset.
VkDeviceSize begin_of(const HostState& host, const StreamoutTarget& target) {
    const VkDeviceSize alignment = host.device->report().limits.minStorageBufferOffsetAlignment;
    return target.offset / alignment * alignment;
}

/// The bytes that the kernel can reach: what lies beyond is full.
uint32_t size_of(const HostState& host, const StreamoutTarget& target) {
    const VkDeviceSize most = host.device->report().limits.maxStorageBufferRange / 4 * 4,
                       before = target.offset - begin_of(host, target);
    return static_cast<uint32_t>(std::min<VkDeviceSize>(target.size, most - before));
}

CapturePush push_of(const HostState& host, const EmulatedDraw& draw) {
    CapturePush push{.words = draw.words};
    for (uint32_t b = 0; b < 4; b++)
        if ((draw.captured >> b & 1) != 0) {
            push.sizes[b] = size_of(host, *draw.inputs->bindings->feedback->targets[b]);
            push.strides[b] = draw.last().strides[b];
        }
    for (const tgsi2spv_stream_output& o : draw.last().outputs)
        if (o.buffer < 4) push.streams[o.buffer] = std::min(o.stream, 3U);
    return push;
}

VkDescriptorBufferInfo target_of(const HostState& host, const StreamoutTarget& target, CapturePush& push) {
    const VkDeviceSize begin = begin_of(host, target), before = target.offset - begin;
    push.offset = static_cast<uint32_t>(before / 4);
    return {target.resource->buffer->handle(), begin, before + size_of(host, target)};
}

/// Whether the query counts the draw. If that captures nothing, only generated primitives count.
bool counts(const EmulatedDraw& draw, Type type) {
    return type == Type::PrimitivesGenerated || (draw.captured != 0 && counts_primitives(type));
}

/// Inputs and outputs of a capture.
struct Capture {
    CapturePush push{};
    std::array<VkDescriptorBufferInfo, kKernelBuffers> buffers{};
    std::vector<vk::Use> bound{};
};

/// `capture.bound`: all buffers, even if the pass does not access each. False: no memory.
bool run(HostEmulator& host, const EmulatedDraw& draw, const Capture& capture, uint32_t pass, uint64_t invocations) {
    host.stream.order(capture.bound);
    return run_kernel(host, Kernel::Capture, {pass, corners_of(draw.lists)}, std::as_bytes(std::span(&capture.push, 1)),
                      invocations);
}

bool write_buffers(HostEmulator& host, const EmulatedDraw& draw, const Lists& lists, Capture& capture) {
    for (uint32_t b = 0; b < 4; b++) {
        if ((draw.captured >> b & 1) == 0) continue;
        const StreamoutTarget& target = *draw.inputs->bindings->feedback->targets[b];
        const vk::Staging outputs = outputs_of(host, draw.last(), b, capture.push.output_count);
        if (outputs.data == nullptr) return false;
        capture.push.buffer = b;
        capture.buffers[1] = target_of(host, target, capture.push);
        capture.buffers[6] = {outputs.buffer->handle(), outputs.offset, VK_WHOLE_SIZE};
        capture.bound.push_back(vk::writes(target.resource->buffer));
        capture.bound.push_back(vk::reads(outputs.buffer));
        if (!bind_buffers(host, capture.buffers) ||
            !run(host, draw, capture, 1, std::min<uint64_t>(lists.most_primitives, 1U << 20)))
            return false;
    }
    return true;
}

}  // namespace

bool capture_lists(HostEmulator& host, const EmulatedDraw& draw, const Lists& lists) {
    std::vector<std::shared_ptr<QueryRun>> runs;
    if (draw.inputs->counts_primitives)
        std::ranges::copy_if(draw.inputs->guest->active_queries, std::back_inserter(runs),
                             [&](const auto& r) { return counts(draw, r->query.type); });
    if (runs.empty() && draw.captured == 0) return true;
    const vk::Staging results =
        host.stream.stage_for_reading(sizeof(Results), host.device->report().limits.minStorageBufferOffsetAlignment);
    if (results.data == nullptr) return false;
    const VkDescriptorBufferInfo result{results.buffer->handle(), results.offset, sizeof(Results)};
    Capture capture{.push = push_of(host, draw),
                    .buffers = {VkDescriptorBufferInfo{lists.records->handle(), 0, VK_WHOLE_SIZE}, result,
                                lists.list_range, lists.totals_range, result, result, lists.totals_range},
                    .bound = {vk::writes(results.buffer), vk::reads(lists.records), vk::reads(lists.list),
                              vk::reads(lists.totals)}};
    if (draw.captured != 0) {
        capture.buffers[4] = {draw.inputs->bindings->feedback->counters->handle(), 0, VK_WHOLE_SIZE};
        capture.bound.push_back(vk::writes(draw.inputs->bindings->feedback->counters));
    }
    if (!bind_buffers(host, capture.buffers) || !run(host, draw, capture, 0, 1)) return false;
    if (draw.captured != 0) {
        if (!write_buffers(host, draw, lists, capture) || !run(host, draw, capture, 2, 4)) return false;
        draw.inputs->bindings->feedback->started = true;
        draw.inputs->bindings->feedback->strides = draw.last().strides;
    }
    host.stream.when_done([results, runs = std::move(runs)] {
        Results all{};
        std::memcpy(&all, results.data, sizeof all);
        for (const auto& r : runs) add(*r, all);
    });
    return true;
}

}  // namespace tgsi2spv::host

#include "renderer/record/query.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <span>

#include "renderer/record/framebuffer.h"
#include "renderer/record/host_recorder.h"
#include "vk/move.h"

namespace tgsi2spv::host {
namespace {

using Type = virgl::QueryType;

/// A guest may have one of each type active, and four for streams.
constexpr size_t kMaxActive = 64;

/// The numbers that Vulkan counts for a query of the guest: none for timestamps, and for numbers that the device does
/// not count.
std::vector<Counted> counted_by(const HostState& host, const virgl::CreateQuery& query) {
    const vulkan::DeviceReport& report = host.device->report();
    const vk::Extras& extras = host.device->extras();
    const bool captures = extras.feedback.transformFeedbackQueries != 0;
    const auto stream = [&](uint32_t index) { return Counted{VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, index}; };
    const uint32_t streams = report.geometry_streams ? virgl::kMaxStreamoutTargets : 1;
    switch (query.type) {
        case Type::OcclusionCounter:
        case Type::OcclusionPredicate:
        case Type::OcclusionPredicateConservative:
            return {{VK_QUERY_TYPE_OCCLUSION, 0}};
        case Type::PrimitivesGenerated:
            if (!report.transform_feedback || query.index >= streams) return {};
            // With rasterizer discard, too: a guest may set it while the query is active. No statistics are a
            // substitute: devices differ in what they count then. Else the CPU counts (count_generated), and GEOM is
            // emulated.
            if (extras.primitives_generated.primitivesGeneratedQueryWithRasterizerDiscard != 0 &&
                (query.index == 0 || extras.primitives_generated.primitivesGeneratedQueryWithNonZeroStreams != 0))
                return {{VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, query.index}};
            return {};
        case Type::PrimitivesEmitted:
        case Type::StreamoutStatistics:
        case Type::StreamoutOverflow:
            return captures && query.index < streams ? std::vector{stream(query.index)} : std::vector<Counted>{};
        case Type::AnyStreamoutOverflow: {
            std::vector<Counted> all;
            for (uint32_t i = 0; captures && i < streams; i++) all.push_back(stream(i));
            return all;
        }
        case Type::PipelineStatistics:
            if (report.features.pipelineStatisticsQuery != 0) return {{VK_QUERY_TYPE_PIPELINE_STATISTICS, 0}};
            return {};
        case Type::Timestamp:
        case Type::TimestampDisjoint:
        case Type::TimeElapsed:
        case Type::GpuFinished:
            break;
    }
    return {};
}

void add(QueryRun& run, std::span<const uint64_t, vk::kMaxResults> results) {
    switch (run.query.type) {
        case Type::StreamoutOverflow:
        case Type::AnyStreamoutOverflow:
            run.sum += results[0] != results[1];
            break;
        case Type::PipelineStatistics:
            if (run.query.index < vk::kStatistics) run.sum += results[run.query.index];
            break;
        default:
            run.sum += results[0];
            break;
    }
}

/// A slot for the type. Empty: memory is short, and the result will be too small.
std::optional<vk::QuerySlot> take_slot(HostRecorder& host, VkQueryType type) {
    auto slot = host.query_slots.take(type);
    if (!slot && !host.device->failed()) log_line("no memory for a query: its result lacks some work");
    return slot;
}

/// True if several queries of the type may be active, each with its own index. Only the commands of
/// VK_EXT_transform_feedback have an index (VUID-vkCmdBeginQuery-queryPool-01922).
bool has_index(VkQueryType type) {
    return type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT || type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT;
}

/// Opens a query slot for this counter if none is open.
void begin_slot(HostRecorder& host, const Counted& counted) {
    if (std::ranges::find(host.counting, counted, &Counting::counted) != host.counting.end()) return;
    auto slot = take_slot(host, counted.type);
    if (!slot) return;
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    const VkQueryControlFlags precise =
        counted.type == VK_QUERY_TYPE_OCCLUSION && host.device->report().features.occlusionQueryPrecise != 0
            ? VK_QUERY_CONTROL_PRECISE_BIT
            : 0;
    if (has_index(counted.type))
        vkCmdBeginQueryIndexedEXT(commands, vk::handle_of(*slot), slot->index, precise, counted.stream);
    else
        vkCmdBeginQuery(commands, vk::handle_of(*slot), slot->index, precise);
    host.counting.push_back({counted, std::move(*slot)});
}

/// Ends the slots that are being written, and reads them for all queries that they count for.
void end_slots(HostRecorder& host, const SubContext& context) {
    for (Counting& counting : host.counting) {
        const VkCommandBuffer commands = host.stream.commands_in_scope();
        const VkQueryPool pool = vk::handle_of(counting.slot);
        if (has_index(counting.counted.type))
            vkCmdEndQueryIndexedEXT(commands, pool, counting.slot.index, counting.counted.stream);
        else
            vkCmdEndQuery(commands, pool, counting.slot.index);
        std::vector<std::shared_ptr<QueryRun>> runs;
        for (const auto& run : context.active_queries)
            if (std::ranges::find(run->counted, counting.counted) != run->counted.end()) {
                run->segments++;
                run->pool = counting.slot.pool;
                run->slot = counting.slot.index;
                runs.push_back(run);
            }
        // Several of the device's samples are one for the guest.
        const uint32_t share = counting.counted.type == VK_QUERY_TYPE_OCCLUSION
                                   ? context.framebuffer.samples / context.framebuffer.seen_samples
                                   : 1;
        host.stream.when_done([device = host.device.get(), done = std::move(counting), all = std::move(runs), share] {
            std::array<uint64_t, vk::kMaxResults> results{};
            if (!vk::read_slot(*device, done.slot, results)) return;
            if (share > 1) results[0] = (results[0] + share - 1) / share;
            for (const auto& run : all) add(*run, results);
        });
    }
    host.counting.clear();
}

/// The time of ticks, whose counter has no more bits than the queue's timestampValidBits.
uint64_t nanoseconds(const vk::Device& device, uint64_t ticks) {
    const double period = device.report().limits.timestampPeriod;
    ticks &= device.timestamp_mask();
    return period == 1 ? ticks : static_cast<uint64_t>(static_cast<double>(ticks) * period);
}

/// The time at which all commands so far are done becomes the result, or the beginning of a span. A guest waits for
/// the end of a query: a clear that finds no memory stays, and does not count.
void write_time(HostRecorder& host, const std::shared_ptr<QueryRun>& run, bool begins) {
    if (host.device->report().limits.timestampComputeAndGraphics == 0 || host.device->timestamp_mask() == 0) return;
    or_reclaim(host, [&] { return flush_clears(host); });
    auto slot = take_slot(host, VK_QUERY_TYPE_TIMESTAMP);
    if (!slot) return;
    vkCmdWriteTimestamp(host.stream.commands_in_scope(), VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, vk::handle_of(*slot),
                        slot->index);
    host.stream.when_done([device = host.device.get(), taken = *slot, run, begins] {
        std::array<uint64_t, vk::kMaxResults> ticks{};
        if (!vk::read_slot(*device, taken, ticks)) return;
        run->sum = begins ? 0 - ticks[0] : nanoseconds(*device, run->sum + ticks[0]);
    });
}

/// The batch after which all of the work recorded so far is done.
uint64_t last_batch(const HostState& host) {
    return host.stream.current() - (host.stream.empty() ? 1 : 0);
}

void deactivate(HostRecorder& host, SubContext& context, const std::shared_ptr<QueryRun>& run) {
    end_slots(host, context);
    std::erase(context.active_queries, run);
}

}  // namespace

Problem find_query(const SubContext& context, uint32_t handle, std::shared_ptr<Query>& query) {
    if (const Problem p = context.objects.find(handle, query)) return p;
    if (query == nullptr) return {Problem::NoObject, handle};
    return Problem::None;
}

bool counts_primitives(virgl::QueryType type) {
    return type == Type::PrimitivesGenerated || type == Type::PrimitivesEmitted || type == Type::StreamoutStatistics ||
           type == Type::StreamoutOverflow || type == Type::AnyStreamoutOverflow;
}

uint64_t result_of(const QueryRun& run) {
    switch (run.query.type) {
        case Type::OcclusionPredicate:
        case Type::OcclusionPredicateConservative:
        case Type::StreamoutOverflow:
        case Type::AnyStreamoutOverflow:
            return run.sum != 0;
        case Type::TimestampDisjoint:
            return 0;
        case Type::GpuFinished:
            return 1;
        default:
            return run.sum;
    }
}

Problem begin_query(HostRecorder& host, SubContext& context, const virgl::BeginQuery& command) {
    std::shared_ptr<Query> query;
    if (const Problem p = find_query(context, command.query, query)) return p;
    if (query->run != nullptr) deactivate(host, context, query->run);
    if (context.active_queries.size() >= kMaxActive)
        return {Problem::Budget, context.active_queries.size(), kMaxActive};
    end_slots(host, context);
    query->run = std::make_shared<QueryRun>();
    query->run->query = query->info;
    query->run->counted = counted_by(host, query->info);
    context.active_queries.push_back(query->run);
    if (query->info.type == Type::TimeElapsed) write_time(host, query->run, true);
    return Problem::None;
}

void destroy_query(HostRecorder& host, SubContext& context, const Query& query) {
    if (query.run != nullptr) deactivate(host, context, query.run);
}

Problem end_query(HostRecorder& host, SubContext& context, const virgl::EndQuery& command) {
    std::shared_ptr<Query> query;
    if (const Problem p = find_query(context, command.query, query)) return p;
    const bool begun = query->run != nullptr && !query->run->ended;
    if (begun)
        deactivate(host, context, query->run);
    else
        query->run = std::make_shared<QueryRun>(QueryRun{.query = query->info});
    if (query->info.type == Type::Timestamp || (query->info.type == Type::TimeElapsed && begun))
        write_time(host, query->run, false);
    query->run->ended = true;
    query->run->last_batch = last_batch(host);
    return Problem::None;
}

Problem get_query_result(HostState& host, SubContext& context, const virgl::GetQueryResult& command) {
    std::shared_ptr<Query> query;
    if (const Problem p = find_query(context, command.query, query)) return p;
    constexpr uint32_t kBytes = 16;  // state, size, result of 64 bits
    const uint32_t offset = query->info.offset;
    const auto memory = query->result->memory;
    if (memory == nullptr) return {Problem::NoSharedMemory, query->info.resource};
    if (offset % 8 != 0) return {Problem::Misaligned, offset, 8};
    if (const Problem p = check_bytes(offset, kBytes, memory->size())) return p;
    if (query->run == nullptr || !query->run->ended) return Problem::None;
    host.stream.commands_in_scope();  // an empty batch is never done
    host.stream.when_done([memory, offset, run = query->run] {
        const uint64_t result = result_of(*run);
        const std::array<uint32_t, 3> size_and_result{sizeof result, static_cast<uint32_t>(result),
                                                      static_cast<uint32_t>(result >> 32)};
        const uint32_t done = 1;
        memory->write(offset + 4, std::as_bytes(std::span(size_and_result)));
        std::atomic_thread_fence(std::memory_order_release);  // a guest that sees the state sees the result
        memory->write(offset, std::as_bytes(std::span(&done, 1)));
    });
    query->result->busy_until = host.stream.current();
    return Problem::None;
}

Problem get_query_result(HostState& host, SubContext& context, const virgl::GetQueryResultQbo& command) {
    std::shared_ptr<Query> query;
    if (const Problem p = find_query(context, command.query, query)) return p;
    std::shared_ptr<Resource> resource;
    if (const Problem p = find_buffer(host, command.resource, resource)) return p;
    const bool wide = command.type == virgl::QboType::I64 || command.type == virgl::QboType::U64;
    const VkDeviceSize bytes = wide ? 8 : 4;
    if (query->run == nullptr || !query->run->ended) return Problem::None;
    if (!host.stream.wait(query->run->last_batch)) return Problem::NoMemory;
    uint64_t value = command.index == -1 ? 1 : result_of(*query->run);
    if (command.type == virgl::QboType::I32) value = std::min<uint64_t>(value, std::numeric_limits<int32_t>::max());
    if (command.type == virgl::QboType::U32) value = std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max());
    if (vk::update_buffer(host.stream, resource->buffer, command.offset, bytes, &value) == vk::Status::Done)
        return Problem::None;
    if (command.offset % 4 != 0) return {Problem::Misaligned, command.offset, 4};
    return {Problem::BadRange, command.offset + bytes, resource->buffer->size()};
}

void count_draws(HostRecorder& host, const SubContext& context, bool primitives) {
    const size_t before = host.counting.size();
    for (const auto& run : context.active_queries)
        if (primitives || !counts_primitives(run->query.type))
            for (const Counted& counted : run->counted) begin_slot(host, counted);
    if (before == 0 && !host.counting.empty())
        host.stream.before_end_of_scope([&host, &context] { end_slots(host, context); });
}

void begin_counting_dispatch(HostRecorder& host, const SubContext& context) {
    constexpr Counted kStatistics{VK_QUERY_TYPE_PIPELINE_STATISTICS, 0};
    for (const auto& run : context.active_queries)
        if (std::ranges::find(run->counted, kStatistics) != run->counted.end()) begin_slot(host, kStatistics);
}

void end_counting_dispatch(HostRecorder& host, const SubContext& context) {
    end_slots(host, context);
}

}  // namespace tgsi2spv::host

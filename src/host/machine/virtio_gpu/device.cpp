#include "machine/virtio_gpu/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/virtio_gpu/aside_renderer.h"
#include "machine/virtio_gpu/commands.h"
#include "machine/virtio_gpu/edid.h"
#include "machine/virtio_gpu/flat_renderer.h"

namespace tgsi2spv::virtio_gpu {
namespace {

/// The limit of requests between two polls of the front end's messages.
constexpr unsigned kMostAtOnce = 64;
/// Most cursors that the device copies at a time: fewer batches than has_room() leaves.
constexpr size_t kMostCursors = 8;

/// Whether the ring's requests wait until it goes on. (A broken one takes no answers any more.)
bool is_stopped(const vhost::Ring& ring) {
    return !ring.started() || !ring.enabled;
}

Command copy_command(const Gpu& gpu, const vhost::Chain& chain) {
    Command command;
    command.chain = &chain;
    command.size = gather(gpu.memory, chain.readable, 0, command.bytes);
    std::memcpy(&command.header, command.bytes.data(), sizeof command.header);
    return command;
}

/// The bytes of an answer (Virtio 1.2, 5.7.6.7): a fence is repeated.
std::vector<std::byte> make_answer(const virtio_gpu_ctrl_hdr& to, uint32_t type, std::span<const std::byte> more) {
    virtio_gpu_ctrl_hdr header{};
    header.type = type;
    if ((to.flags & VIRTIO_GPU_FLAG_FENCE) != 0) {
        header.flags = to.flags & (VIRTIO_GPU_FLAG_FENCE | VIRTIO_GPU_FLAG_INFO_RING_IDX);
        header.fence_id = to.fence_id;
        header.ctx_id = to.ctx_id;
        header.ring_idx = to.ring_idx;
    }
    std::vector<std::byte> answer(sizeof header + more.size());
    std::memcpy(answer.data(), &header, sizeof header);
    std::ranges::copy(more, answer.begin() + sizeof header);
    return answer;
}

void answer_asking(Gpu& gpu, const virtio_gpu_resp_display_info& info) {
    for (const Asking& asking : std::exchange(gpu.asking, {})) {
        std::vector<std::byte> answer;
        if (asking.header.type == VIRTIO_GPU_CMD_GET_DISPLAY_INFO) {
            answer = make_answer(asking.header, VIRTIO_GPU_RESP_OK_DISPLAY_INFO,
                                 std::as_bytes(std::span(&info, 1)).subspan(sizeof(virtio_gpu_ctrl_hdr)));
        } else {
            const virtio_gpu_rect& r = info.pmodes[asking.scanout].r;
            const Edid edid = r.width == 0 || r.height == 0 ? make_edid(1280, 800) : make_edid(r.width, r.height);
            virtio_gpu_resp_edid response{};
            response.size = edid.size();
            std::ranges::copy(edid, response.edid);
            answer = make_answer(asking.header, VIRTIO_GPU_RESP_OK_EDID,
                                 std::as_bytes(std::span(&response, 1)).subspan(sizeof response.hdr));
        }
        gpu.rings[kControl].give(gpu.memory, asking.chain, answer);
    }
}

}  // namespace

Gpu::Gpu(std::unique_ptr<virgl::MachineRenderer> given, const vhost::Memory& guest_memory,
         std::span<vhost::Ring, 2> both, process::Log& to, const Limits& most)
    : turns(given != nullptr),
      offers_3d(given != nullptr),
      memory(guest_memory),
      rings(both),
      log(to),
      limits(most),
      display(to, most.screen_bytes) {
    if (offers_3d)
        renderer = std::make_unique<AsideRenderer>(std::move(given), turns);
    else
        renderer = std::make_unique<FlatRenderer>(limits.flat_bytes);
}

void take_backings_away(Gpu& gpu) {
    for (auto& [id, resource] : gpu.resources)
        if (resource.backing != nullptr) resource.backing->take_away();
}

void reset(Gpu& gpu) {
    for (const uint32_t context : gpu.contexts) gpu.renderer->destroy_context(context);
    take_backings_away(gpu);
    for (const auto& [id, resource] : gpu.resources) gpu.renderer->destroy_resource(id);
    forget_pieces(gpu, gpu.pieces);
    gpu.contexts.clear();
    gpu.resources.clear();
    gpu.attachments = 0;
    gpu.pending.clear();
    gpu.readings.clear();
    gpu.cursors.clear();
    gpu.asking.clear();
    gpu.scanouts = {};
    for (uint32_t i = 0; i < kScanouts; i++) {
        gpu.display.resize(i, 0, 0);
        if (gpu.display.screen(i).cursor.visible) gpu.display.move_cursor(i, 0, 0, false);
    }
}

void lose(Gpu& gpu) {
    if (!gpu.offers_3d || std::exchange(gpu.lost, true)) return;
    gpu.log.line("the device failed: from now on, only 2D");
    for (const Pending& pending : std::exchange(gpu.pending, {})) {
        virtio_gpu_ctrl_hdr header;
        std::memcpy(&header, pending.answer.data(), sizeof header);
        gpu.rings[kControl].give(gpu.memory, pending.chain, make_answer(header, VIRTIO_GPU_RESP_ERR_UNSPEC, {}));
    }
    gpu.readings.clear();
    gpu.cursors.clear();
    gpu.contexts.clear();
    gpu.attachments = 0;
    const uint64_t kept = gpu.pieces * Backing::kPieceBytes;
    gpu.renderer = std::make_unique<FlatRenderer>(gpu.limits.flat_bytes - std::min(gpu.limits.flat_bytes, kept));
    // 2D resources continue, black until they are drawn again; the others remain as names only.
    for (auto& [id, resource] : gpu.resources) {
        resource.contexts.clear();
        if (gpu.renderer->create_resource(resource.request, resource.backing) != virgl::Outcome::Done)
            forget_scanouts(gpu, id);
    }
}

bool passed(Gpu& gpu, uint64_t fence) {
    const bool done = gpu.renderer->passed(fence);
    if (!gpu.renderer->failed()) return done;
    lose(gpu);
    return false;
}

Device::Device(std::unique_ptr<virgl::MachineRenderer> renderer, const vhost::Memory& memory,
               std::span<vhost::Ring, 2> rings, process::Log& log, const Limits& limits)
    : gpu_(std::move(renderer), memory, rings, log, limits) {
    config_.num_scanouts = 1;  // the front end has its own number
    config_.num_capsets = gpu_.offers_3d ? 2 : 0;
}

Device::~Device() {
    take_backings_away(gpu_);
    // A renderer belongs to the thread that uses it.
    gpu_.turns.end([this] { gpu_.renderer = nullptr; });
}

void Device::set_config(uint32_t offset, std::span<const std::byte> bytes) {
    virtio_gpu_config written{};
    std::ranges::copy(bytes, std::as_writable_bytes(std::span(&written, 1)).subspan(offset).begin());
    config_.events_read &= ~written.events_clear;
}

void Device::wish(uint32_t width, uint32_t height) {
    gpu_.display.wish(width, height);
    config_.events_read |= VIRTIO_GPU_EVENT_DISPLAY;
}

uint64_t Device::features() const {
    return (gpu_.offers_3d ? uint64_t{1} << VIRTIO_GPU_F_VIRGL : 0) | uint64_t{1} << VIRTIO_GPU_F_EDID;
}

void Device::reset() {
    // The guest's memory and its rings are another driver's from now on.
    take_backings_away(gpu_);
    gpu_.pending.clear();
    gpu_.asking.clear();
    held_cursor_.reset();
    resets_ = true;
    go_on();
}

bool Device::take(Queue queue, Request& request) {
    request.queue = queue;
    if (!gpu_.rings[queue].take(gpu_.memory, request.chain)) return false;
    request.command = copy_command(gpu_, request.chain);
    return true;
}

void Device::begin(Request request) {
    executed_ = std::move(request);
    executed_->command.chain = &executed_->chain;
    gpu_.turns.start([this] { execute_request(); });
    go_on();
}

/// The job.
void Device::execute_request() {
    Request& r = *executed_;
    if (r.queue == kCursor) return execute_cursor(gpu_, r.command);
    const bool whole = r.command.size >= sizeof r.command.header;
    r.answer = whole ? execute(gpu_, r.command) : Answer{VIRTIO_GPU_RESP_ERR_UNSPEC};
    // Fences pass in order: a guest takes one for all before it.
    const bool fenced = r.answer.fenced || (r.command.header.flags & VIRTIO_GPU_FLAG_FENCE) != 0;
    if (fenced && !r.answer.later) r.fence = gpu_.renderer->fence();
}

void Device::give_answer(Request r) {
    if (r.answer.later) return;
    std::vector<std::byte> bytes;
    if (r.queue == kControl) bytes = make_answer(r.command.header, r.answer.type, r.answer.more);
    if (r.fence)
        gpu_.pending.push_back({*r.fence, std::move(r.chain), std::move(bytes)});
    else
        gpu_.rings[r.queue].give(gpu_.memory, r.chain, bytes);
}

/// Lets the job go on. True: there is none any more.
bool Device::go_on() {
    // It may touch the guest's memory, but not while the ring is stopped. After a reset, it has no such memory. Its
    // answer is for its own ring.
    if (executed_ && !resets_ && (!gpu_.rings[kControl].runs() || is_stopped(gpu_.rings[executed_->queue])))
        return false;
    if (!gpu_.turns.run()) return false;
    if (auto executed = std::exchange(executed_, {}); executed && !resets_) give_answer(std::move(*executed));
    if (!std::exchange(resets_, false)) return true;
    gpu_.turns.start([this] { virtio_gpu::reset(gpu_); });
    return gpu_.turns.run();
}

bool Device::serve_control() {
    if (!gpu_.rings[kControl].runs() || gpu_.turns.has_job()) return false;
    const bool room = gpu_.renderer->has_room() && has_room_for_flush(gpu_);
    held_ |= !room;
    Request request;
    if (!room || !take(kControl, request)) return false;
    begin(std::move(request));
    return true;
}

bool Device::serve_cursor() {
    Request request;
    if (!held_cursor_ && take(kCursor, request)) {
        // In their order, also after one that is being executed.
        if (only_moves(request.command) && !(executed_ && executed_->queue == kCursor)) {
            execute_cursor(gpu_, request.command);
            give_answer(std::move(request));
            return true;
        }
        held_cursor_ = std::move(request);
    }
    const bool room = gpu_.cursors.size() < kMostCursors;
    held_ |= !room;
    if (!held_cursor_ || !room || !gpu_.rings[kControl].runs() || is_stopped(gpu_.rings[kCursor])) return false;
    if (gpu_.turns.has_job()) return false;
    begin(*std::exchange(held_cursor_, {}));
    return true;
}

bool Device::serve() {
    held_ = false;
    // The next driver's requests wait for the reset.
    if (!go_on() && (resets_ || !executed_)) return false;
    collect();  // between two long jobs
    for (unsigned i = 0; i < kMostAtOnce; i++) {
        // Both in turn: neither queue waits for a full one.
        const bool control = serve_control(), cursor = serve_cursor();
        if (!control && !cursor) return false;
    }
    return true;
}

/// Answers the requests that the device has completed since. While a job uses the renderer, nothing else does.
void Device::collect() {
    // A ring that was stopped keeps its requests until it goes on. Each of these may lose the device, which answers
    // them.
    vhost::Ring& ring = gpu_.rings[kControl];
    if (!ring.runs() || gpu_.turns.has_job()) return;
    const size_t before = count_waiting();
    finish_readings(gpu_);
    finish_cursors(gpu_);
    while (!gpu_.pending.empty() && passed(gpu_, gpu_.pending.front().fence)) {
        ring.give(gpu_.memory, gpu_.pending.front().chain, gpu_.pending.front().answer);
        gpu_.pending.pop_front();
    }
    collected_ |= count_waiting() != before;
}

bool Device::poll() {
    collect();
    if (gpu_.rings[kControl].runs() && !gpu_.asking.empty())
        if (const auto info = gpu_.display.info()) answer_asking(gpu_, *info);
    return std::exchange(collected_, false);
}

}  // namespace tgsi2spv::virtio_gpu

// The device's state. The functions of this folder take it.
#pragma once

#include <linux/virtio_gpu.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "machine/vhost/memory.h"
#include "machine/vhost/ring.h"
#include "machine/virtio_gpu/backing.h"
#include "machine/virtio_gpu/display.h"
#include "machine/virtio_gpu/turns.h"
#include "process/log.h"
#include "virgl/renderer.h"

namespace tgsi2spv::virtio_gpu {

enum Queue : unsigned { kControl, kCursor };

struct Limits {
    size_t resources = 65536, contexts = 1024;
    size_t attachments = 1u << 20;       ///< resources attached to contexts
    size_t pieces = 1u << 22;            ///< pieces of guest memory of all resources; they also count as memory
    uint64_t flat_bytes = 1u << 30;      ///< memory of resources without a Vulkan device
    uint64_t screen_bytes = 256u << 20;  ///< pictures of all displays, and as much of viewers'
};

struct Resource {
    virgl::ResourceRequest request{};
    std::shared_ptr<Backing> backing;  ///< null: none is attached
    std::set<uint32_t> contexts;
};

/// The shown part of a resource. No resource: the display is off.
struct Scanout {
    uint32_t resource = 0;
    Rect part{};
};

/// A request that has been served, and whose answer waits for the device.
struct Pending {
    uint64_t fence;
    vhost::Chain chain;
    std::vector<std::byte> answer;
};

/// A request that waits for the sizes of displays.
struct Asking {
    vhost::Chain chain;
    virtio_gpu_ctrl_hdr header;
    uint32_t scanout;  ///< the display that GET_EDID asks about
};

/// A part of a display, whose texels the device still copies.
struct Reading {
    uint64_t fence;
    uint32_t scanout, format;
    Rect where;              ///< place in the display
    uint32_t width, height;  ///< size of the display at that time
    std::shared_ptr<virgl::OwnMemory> picture;
};
/// A cursor whose pixels are still copied. It also has the moves since.
struct CursorReading {
    uint64_t fence;
    uint32_t scanout, format;
    Cursor cursor;
    std::shared_ptr<virgl::OwnMemory> picture;
};

struct Gpu {
    Gpu(std::unique_ptr<virgl::MachineRenderer> renderer, const vhost::Memory& memory, std::span<vhost::Ring, 2> rings,
        process::Log& log, const Limits& limits);

    Turns turns;
    std::unique_ptr<virgl::MachineRenderer> renderer;  ///< makes its long calls aside
    const bool offers_3d;
    bool lost = false;  ///< the device failed; the renderer is another one, which draws nothing
    const vhost::Memory& memory;
    const std::span<vhost::Ring, 2> rings;
    process::Log& log;
    const Limits limits;
    Display display;

    std::unordered_map<uint32_t, Resource> resources;
    std::set<uint32_t> contexts;
    size_t attachments = 0, pieces = 0;
    std::array<Scanout, kScanouts> scanouts{};
    std::deque<Pending> pending;
    std::deque<Reading> readings;
    std::deque<CursorReading> cursors;
    std::vector<Asking> asking;
    std::vector<uint32_t> words;  ///< words of SUBMIT_3D
};

/// Null if there is none.
Resource* find_resource(Gpu& gpu, uint32_t id);
/// Pieces of memory that no resource has any more.
void forget_pieces(Gpu& gpu, size_t pieces);
/// From now on, work that is not done yet leaves the guest's memory alone.
void take_backings_away(Gpu& gpu);
/// Destroys all objects of the guest's driver.
void reset(Gpu& gpu);
/// Continues without the failed device: all requests so far get an error, and only 2D is left.
void lose(Gpu& gpu);
/// Whether the work up to a fence is done. If the device has failed, loses it: nothing waits any more.
bool passed(Gpu& gpu, uint64_t fence);

}  // namespace tgsi2spv::virtio_gpu

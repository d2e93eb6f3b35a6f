// The interface of the host that draws, for a front end (vtest, a virtio-gpu device): resources, transfers, command
// buffers, waiting. A Renderer serves one client, a MachineRenderer many; both take one call at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "virgl/caps.h"
#include "virgl/commands.h"

namespace tgsi2spv::virgl {

/// Memory that the guest shares with the host and may write at any time: copy first, then check. A pointer to it keeps
/// it mapped.
struct SharedMemory {
    std::span<std::byte> bytes;  ///< all of it, if it is in one piece
    SharedMemory() = default;
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    virtual ~SharedMemory() = default;

    // A resource may be in this memory (Renderer::create_mapped), so ranges may overlap.
    virtual uint64_t size() const { return bytes.size(); }
    /// Copies a range that has been inside size(). Nothing is copied from memory that the guest has taken away since.
    virtual void read(uint64_t offset, std::span<std::byte> to) const {
        std::memmove(to.data(), bytes.data() + offset, to.size());
    }
    virtual void write(uint64_t offset, std::span<const std::byte> from) {
        std::memmove(bytes.data() + offset, from.data(), from.size());
    }
};

/// Memory of this process alone.
struct OwnMemory final : SharedMemory {
    explicit OwnMemory(size_t size) : store(size) { bytes = store; }
    std::vector<std::byte> store;
};

enum class Outcome : uint8_t {
    Done,
    Refused,  ///< it changed nothing; the log says why. A front end may go on or drop the client
    Lost,     ///< the device failed: nothing is drawn any more, and the front end drops the client
};

/// The functions of every front end. Commands and transfers may take long: they wait for the device if they need its
/// results, or memory is short, and they compile.
class AnyRenderer {
  public:
    AnyRenderer() = default;
    AnyRenderer(const AnyRenderer&) = delete;
    AnyRenderer& operator=(const AnyRenderer&) = delete;
    virtual ~AnyRenderer() = default;

    virtual const CapsV2& caps() const = 0;
    /// Counts memory that a front end keeps for its guest in the limit of the guest's memory; negative: no longer.
    /// False: there is no room, and nothing is counted.
    virtual bool charge(int64_t /*bytes*/) { return true; }
    /// `memory` may be null (multisampled textures, version 0 of the protocol).
    virtual Outcome create_resource(const ResourceRequest& request, std::shared_ptr<SharedMemory> memory) = 0;
    virtual Outcome destroy_resource(uint32_t handle) = 0;
    /// From the resource's own shared memory, from `offset` on, into the resource.
    virtual Outcome write_from_memory(const TransferRequest& request, uint64_t offset) = 0;
    /// The opposite. The bytes are there at the latest after Renderer::busy(handle, true), or once the next fence of a
    /// MachineRenderer has passed.
    virtual Outcome read_to_memory(const TransferRequest& request, uint64_t offset) = 0;
};

/// The renderer of one client.
class Renderer : public virtual AnyRenderer {
  public:
    /// Whether the device can work in a guest's memory: tries it with this piece, of whole pages.
    virtual bool maps(const std::shared_ptr<SharedMemory>&) { return false; }
    /// A buffer that DescribeBuffer has described under this number, in memory of whole pages, which the device and the
    /// guest then read and write at any time.
    virtual Outcome create_mapped(uint32_t /*handle*/, uint64_t /*number*/, std::shared_ptr<SharedMemory>) {
        return Outcome::Refused;
    }
    /// Commands in order. A refused command ends the client's drawing, not its connection.
    virtual Outcome submit(Words words) = 0;
    /// From the guest's bytes to the resource.
    virtual Outcome write(const TransferRequest& request, std::span<const std::byte> data) = 0;
    /// From the resource to the guest's bytes; returns when they are there.
    virtual Outcome read(const TransferRequest& request, std::span<std::byte> data) = 0;
    /// Whether the device still works on commands that use the resource. With `wait`, returns false as soon as its
    /// shared memory has what earlier commands write there: bytes that are read, and results of finished queries; and
    /// if it was created after them, or is mapped, when they are done. Other writes need no wait: they
    /// come after what uses the resource. Unknown handles are not busy.
    virtual bool busy(uint32_t handle, bool wait) = 0;
};

/// For a virtual machine: many clients, each with a context, share resources. A context reaches those that are attached
/// to it; the functions without a context reach all. A command that is refused harms only its context. No function
/// waits for the work of a command: fences tell when it is done. The machine's loop serves several peers, so it
/// does not wait for these functions, except those below fence(), which never take long.
class MachineRenderer : public virtual AnyRenderer {
  public:
    virtual Outcome create_context(uint32_t context) = 0;
    virtual Outcome destroy_context(uint32_t context) = 0;
    virtual Outcome attach(uint32_t context, uint32_t handle) = 0;
    virtual Outcome detach(uint32_t context, uint32_t handle) = 0;
    virtual Outcome submit(uint32_t context, Words words) = 0;
    /// The memory of a resource, which may be attached and detached; null: none.
    virtual Outcome set_memory(uint32_t handle, std::shared_ptr<SharedMemory> memory) = 0;
    /// As read_to_memory(), into other memory.
    virtual Outcome read_into(const TransferRequest& request, std::shared_ptr<SharedMemory> memory,
                              uint64_t offset) = 0;
    /// A number for all work so far, which begins now.
    virtual uint64_t fence() = 0;
    /// Whether the work up to a fence is done, or never will be. Fences pass in order.
    virtual bool passed(uint64_t fence) = 0;
    /// Whether the device has failed: Outcome::Lost, for work that was accepted before.
    virtual bool failed() const { return false; }
    /// Whether the device takes more work now. Otherwise, commands would wait until it has done some.
    virtual bool has_room() { return true; }
};

/// Either kind; the functions without a context are those of context 0.
class SharedRenderer : public Renderer, public MachineRenderer {
  public:
    using MachineRenderer::submit;
    using Renderer::submit;
};

}  // namespace tgsi2spv::virgl

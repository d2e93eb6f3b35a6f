// The order of all work: one queue, one command buffer being recorded, and the objects that must live until the device
// is done.
//
// Hazards: memory barriers are global (all commands to all commands) and divide the work into epochs. So does the end
// of a batch. An object that was written in the current epoch needs a barrier before any use, one that was read in it
// needs one before a write. As all images are in the layout GENERAL, nothing else has to be known of them.
#pragma once

#include <volk.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vk/scope.h"

namespace tgsi2spv::vk {

/// Counts of the stream's work. A count costs an addition, so there is no switch for it.
struct Counters {
    uint64_t batches = 0;                  ///< command buffers that were submitted
    uint64_t scopes = 0;                   ///< rendering scopes
    uint64_t barriers = 0;                 ///< but for the one at the end of each batch
    uint64_t uploaded = 0, read_back = 0;  ///< bytes that the host wrote for the device, and read
    std::chrono::nanoseconds waited{};     ///< for the device
};

/// A range of memory that the host sees, for one batch, or for as long as someone holds its buffer.
struct Staging {
    std::shared_ptr<Buffer> buffer;
    VkDeviceSize offset = 0;
    std::byte* data = nullptr;  ///< null: no memory
};

/// The accesses of commands to an object.
struct Use {
    std::shared_ptr<const void> object;
    Uses* uses = nullptr;
    bool writes = false;
};
template <class Object>
Use reads(const std::shared_ptr<Object>& object) {
    return {object, &object->uses, false};
}
template <class Object>
Use writes(const std::shared_ptr<Object>& object) {
    return {object, &object->uses, true};
}

class Stream {
  public:
    Stream(Device& device, Memory& memory);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    Device& device() { return device_; }
    /// From now on, each command waits for all before it, and the host for each batch.
    void order_all() { orders_all_ = true; }
    Counters& counters() { return counters_; }
    const Counters& counters() const { return counters_; }
    /// Null: no memory.
    std::shared_ptr<Buffer> make_buffer(VkDeviceSize size) { return Buffer::create(device_, memory_, size); }
    /// The command buffer, outside of a rendering scope.
    VkCommandBuffer commands();
    /// A command buffer that runs before that of the batch, for what cannot wait for the end of a scope. Null: the
    /// device is lost.
    VkCommandBuffer commands_before();
    /// The command buffer, inside the current scope.
    VkCommandBuffer commands_in_scope();
    bool in_scope() const { return in_scope_; }
    /// False: memory is short, and there is no scope.
    [[nodiscard]] bool begin_scope(const Scope& scope);
    void end_scope();
    /// Render passes for pipelines; null with dynamic rendering.
    RenderPasses* passes(ColorReads reads = ColorReads::None);
    /// The reads of colours in the scope that is open.
    ColorReads color_reads() const { return in_scope_ ? color_reads_ : ColorReads::None; }
    /// FRAG of the next draws of the scope reads what is written so far.
    void order_color_reads();
    /// Called once, before the scope that is open ends; in the order in which they were added.
    void before_end_of_scope(std::function<void()> action) { at_end_.push_back(std::move(action)); }

    /// Whether order() would put a barrier before commands with these uses.
    bool needs_barrier(std::span<const Use> uses) const;
    /// The next commands have these uses: puts a barrier before them if they need one, which ends the scope. The
    /// objects live until the batch is done.
    void order(std::span<const Use> uses);
    void order(std::initializer_list<Use> uses) { order(std::span(uses.begin(), uses.size())); }

    /// Keeps an object until the current batch is done.
    void keep(std::shared_ptr<const void> object) { batch_.kept.push_back(std::move(object)); }
    /// Called once the current batch is done, in order.
    void when_done(std::function<void()> action) { batch_.actions.push_back(std::move(action)); }
    /// Room for `size` bytes that the host writes now and the current batch reads.
    Staging stage(VkDeviceSize size, VkDeviceSize alignment) { return take(upload_, size, alignment); }
    /// Room that the current batch writes and the host reads when it is done.
    Staging stage_for_reading(VkDeviceSize size, VkDeviceSize alignment) { return take(read_back_, size, alignment); }
    /// A view for the current batch; to use it in others, hold the image's views(). Empty: memory is short. Null: the
    /// device or the format does not permit it.
    std::optional<VkImageView> view(const std::shared_ptr<Image>& image, const ViewInfo& info);
    /// Texels of a range, for the current batch; empty or null for the same reasons. `usage`: uniform or storage
    /// texels.
    std::optional<VkBufferView> view(const std::shared_ptr<Buffer>& buffer, VkBufferUsageFlagBits usage,
                                     VkFormat format, VkDeviceSize offset, VkDeviceSize bytes);
    /// A descriptor set of the current batch, of so many descriptors. Null: no memory.
    VkDescriptorSet descriptor_set(VkDescriptorSetLayout layout, size_t descriptors);

    /// The number of the batch that is being recorded; batches count from 1.
    uint64_t current() const { return batch_.number; }
    bool empty() const { return batch_.commands.buffer == VK_NULL_HANDLE; }
    /// Whether the batch has so many commands that it should be submitted before more.
    bool is_long() const;
    void submit();
    /// Whether the batch is done, or never will be. Runs the actions of all batches that are.
    bool done(uint64_t batch);
    /// Whether a few more batches can be submitted without a wait for the device.
    bool has_room();
    /// Submits and waits as needed. False if the device is lost.
    bool wait(uint64_t batch);
    /// For when memory is short: submits, waits, and releases the objects of that work, and free staging memory. False:
    /// there was none of these, or the device is lost.
    bool reclaim();
    /// Submits and waits for everything, however long it takes. The actions of a lost device are dropped.
    void finish();

  private:
    struct Commands {
        VkCommandPool pool = VK_NULL_HANDLE;
        VkCommandBuffer buffer = VK_NULL_HANDLE;
    };
    struct DescriptorPool {
        VkDescriptorPool pool = VK_NULL_HANDLE;
        Charge own{};       ///< the memory of the whole pool, on GPUs
        Charge charge{};    ///< about the memory of its sets, on lavapipe
        uint32_t sets = 0;  ///< lavapipe gives more than maxSets, and keeps them until the pool is reset
    };
    struct Batch {
        uint64_t number = 0, recorded = 0;  ///< recorded: about as many commands
        Commands commands, before;
        VkFence fence = VK_NULL_HANDLE;  ///< signalled at its end, after all before it
        std::vector<std::shared_ptr<const void>> kept;
        std::vector<std::function<void()>> actions;
        std::vector<DescriptorPool> descriptor_pools;
        std::vector<std::shared_ptr<Buffer>> uploads, read_backs;
        std::shared_ptr<Framebuffers> framebuffers;
    };
    /// Blocks of one kind of staging memory. Batches fill one after the other: the guest may send many small ones.
    struct StagingArea {
        MemoryUse use;
        std::vector<std::shared_ptr<Buffer>> Batch::*blocks;  ///< full ones, free when the batch is done
        const char* name;
        std::shared_ptr<Buffer> block{};  ///< the one that is being filled
        VkDeviceSize used = 0;            ///< used bytes of it
        std::vector<std::shared_ptr<Buffer>> free{};
    };
    bool in_pass(ColorReads reads) const;
    /// The cache, after a full one has made room: that one lives as long as the batch.
    template <class Cache>
    Cache& with_room(std::shared_ptr<Cache>& cache);
    Staging take(StagingArea& area, VkDeviceSize size, VkDeviceSize alignment);
    /// Whether so many more batches, and commands, may be under way.
    bool has_room_for(size_t batches, uint64_t recorded) const;
    /// Releases the objects of completed batches.
    void poll();
    void recycle_staging(StagingArea& area, Batch& batch);
    /// Null if the device is out of memory.
    Commands begin_commands();
    void open();
    /// Null: the device is lost.
    VkFence take_fence();
    /// A pool for sets of so many bytes. False: no memory.
    bool take_descriptor_pool(uint64_t bytes_of_set);
    void retire_descriptor_pool();
    void retire(uint64_t value);
    void recycle(Batch& batch);

    Device& device_;
    Memory& memory_;
    Counters counters_;
    Commands unsubmitted_;  ///< a sink for commands after a device failure; callers need no check
    Batch batch_;
    std::deque<Batch> submitted_;
    uint64_t epoch_ = 1, completed_ = 0;
    bool in_scope_ = false, orders_all_ = false;
    ColorReads color_reads_ = ColorReads::None;  ///< the reads of the current scope
    std::shared_ptr<RenderPasses> passes_;
    std::vector<std::function<void()>> at_end_;
    std::vector<Commands> free_commands_;
    std::vector<VkFence> free_fences_;
    std::vector<DescriptorPool> free_descriptor_pools_;
    StagingArea upload_{MemoryUse::Upload, &Batch::uploads, "uploads"},
        read_back_{MemoryUse::ReadBack, &Batch::read_backs, "read-backs"};
    DescriptorPool descriptor_pool_;
};

}  // namespace tgsi2spv::vk

#include "vk/stream.h"

#include <algorithm>
#include <array>

#include "vk/names.h"

namespace tgsi2spv::vk {
namespace {

constexpr VkDeviceSize kStagingBytes = 4u << 20;
constexpr size_t kFreeStaging = 8, kFreePools = 16, kMostBatches = 64, kFewBatches = 32;
constexpr uint32_t kSetsOfPool = 512;
constexpr uint64_t kSetBytes = 128, kDescriptorBytes = 32;
constexpr std::array<VkDescriptorPoolSize, 9> kPoolSizes = {{
    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsOfPool * 4},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kSetsOfPool * 8},
    {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, kSetsOfPool * 2},
    {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, kSetsOfPool * 2},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kSetsOfPool * 4},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kSetsOfPool * 4},
    {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, kSetsOfPool},
    {VK_DESCRIPTOR_TYPE_SAMPLER, kSetsOfPool},
    {VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, kSetsOfPool},
}};
/// About the memory of a pool on GPUs, which allocate all of it at once: up to 64 bytes for each descriptor.
constexpr uint64_t kGpuPoolBytes = [] {
    uint64_t descriptors = 0;
    for (const VkDescriptorPoolSize& size : kPoolSizes) descriptors += size.descriptorCount;
    return 64 * descriptors;
}();
/// Commands of one batch, and of all that are not done: drivers keep some hundred bytes for each.
constexpr uint64_t kManyRecorded = 1U << 14, kMostRecorded = 1U << 17;
/// The limit of a cache: views of one object, render passes. Guests may name more ranges, swizzles and lists of formats
/// than any device has room for.
constexpr size_t kMostCached = 256;

/// All commands before it, to all commands after it, in this batch and in later ones, and to `stages` with
/// `accesses`.
void barrier(VkCommandBuffer commands, VkPipelineStageFlags stages, VkAccessFlags accesses) {
    const VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | accesses};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | stages, 0,
                         1, &all, 0, nullptr, 0, nullptr);
}

}  // namespace

Stream::Stream(Device& device, Memory& memory) : device_(device), memory_(memory) {
    name(device_, VK_OBJECT_TYPE_QUEUE, device_.queue(), "batches");
    passes_ = std::make_shared<RenderPasses>(device_, memory_.budget());
    unsubmitted_ = begin_commands();
    name(device_, VK_OBJECT_TYPE_COMMAND_BUFFER, unsubmitted_.buffer, "after the device has failed");
    batch_.number = 1;
}

void Stream::finish() {
    if (!empty()) submit();
    vkDeviceWaitIdle(device_.handle());
    retire(UINT64_MAX);
}

Stream::~Stream() {
    finish();
    for (StagingArea* const area : {&upload_, &read_back_}) {
        area->block = nullptr;
        area->free.clear();
    }
    for (const Commands& c : free_commands_) vkDestroyCommandPool(device_.handle(), c.pool, nullptr);
    vkDestroyCommandPool(device_.handle(), unsubmitted_.pool, nullptr);
    vkDestroyDescriptorPool(device_.handle(), descriptor_pool_.pool, nullptr);
    for (const DescriptorPool& free : free_descriptor_pools_)
        vkDestroyDescriptorPool(device_.handle(), free.pool, nullptr);
    for (const auto fence : free_fences_) vkDestroyFence(device_.handle(), fence, nullptr);
}

Stream::Commands Stream::begin_commands() {
    Commands c;
    if (free_commands_.empty()) {
        VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                     .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                     .queueFamilyIndex = device_.family()};
        if (!device_.check_or_lose(vkCreateCommandPool(device_.handle(), &pool, nullptr, &c.pool),
                                   "vkCreateCommandPool"))
            return {};
        VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = c.pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
        device_.check_or_lose(vkAllocateCommandBuffers(device_.handle(), &allocate, &c.buffer),
                              "vkAllocateCommandBuffers");
    } else {
        c = free_commands_.back();
        free_commands_.pop_back();
        vkResetCommandPool(device_.handle(), c.pool, 0);
    }
    VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                   .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    if (c.buffer != VK_NULL_HANDLE &&
        device_.check_or_lose(vkBeginCommandBuffer(c.buffer, &begin), "vkBeginCommandBuffer"))
        return c;
    vkDestroyCommandPool(device_.handle(), c.pool, nullptr);
    return {};
}

void Stream::open() {
    batch_.commands = begin_commands();
    name(device_, VK_OBJECT_TYPE_COMMAND_BUFFER, batch_.commands.buffer, "batch {}", batch_.number);
    if (batch_.commands.buffer == VK_NULL_HANDLE) batch_.commands.buffer = unsubmitted_.buffer;
}

VkCommandBuffer Stream::commands_in_scope() {
    if (empty()) open();
    batch_.recorded++;
    return batch_.commands.buffer;
}

VkCommandBuffer Stream::commands_before() {
    if (empty()) open();
    if (batch_.before.buffer == VK_NULL_HANDLE && !device_.failed()) batch_.before = begin_commands();
    return device_.failed() ? VK_NULL_HANDLE : batch_.before.buffer;
}

VkCommandBuffer Stream::commands() {
    end_scope();
    return commands_in_scope();
}

bool Stream::needs_barrier(std::span<const Use> uses) const {
    return orders_all_ || std::ranges::any_of(uses, [&](const Use& use) {
               return use.uses->write_epoch == epoch_ || (use.writes && use.uses->read_epoch == epoch_);
           });
}

void Stream::order(std::span<const Use> uses) {
    if (needs_barrier(uses)) {
        barrier(commands(), 0, 0);
        counters_.barriers++;
        epoch_++;
    }
    for (const Use& use : uses) {
        (use.writes ? use.uses->write_epoch : use.uses->read_epoch) = epoch_;
        if (use.writes) use.uses->written_batch = batch_.number;
        if (std::exchange(use.uses->last_batch, batch_.number) != batch_.number) keep(use.object);
    }
}

template <class Cache>
Cache& Stream::with_room(std::shared_ptr<Cache>& cache) {
    if (cache->by_key.size() >= kMostCached) {
        auto next = std::make_shared<Cache>(device_, memory_.budget());
        next->name = cache->name;
        keep(std::exchange(cache, std::move(next)));
    }
    return *cache;
}

bool Stream::in_pass(ColorReads reads) const {
    return reads != ColorReads::None || device_.report().features13.dynamicRendering == 0;
}

RenderPasses* Stream::passes(ColorReads reads) {
    return in_pass(reads) ? &with_room(passes_) : nullptr;
}

void Stream::order_color_reads() {
    vk::order_color_reads(commands_in_scope());
    counters_.barriers++;
}

bool Stream::begin_scope(const Scope& scope) {
    end_scope();
    for (const Attachment& color : scope.colors)
        if (color.views != nullptr) keep(color.views);
    for (const Attachment* a : {&scope.depth, &scope.stencil})
        if (a->views != nullptr) keep(a->views);
    const VkCommandBuffer commands = commands_in_scope();
    color_reads_ = scope.color_reads;
    if (!in_pass(color_reads_)) {
        begin_rendering(commands, scope);
    } else {
        if (batch_.framebuffers == nullptr)
            batch_.framebuffers = std::make_shared<Framebuffers>(device_, memory_.budget());
        if (!begin_render_pass(commands, with_room(passes_), *batch_.framebuffers, scope)) return false;
    }
    counters_.scopes++;
    return in_scope_ = true;
}

void Stream::end_scope() {
    if (!in_scope_) return;
    for (const auto& action : std::exchange(at_end_, {})) action();
    if (in_pass(color_reads_))
        vkCmdEndRenderPass(batch_.commands.buffer);
    else
        vkCmdEndRendering(batch_.commands.buffer);
    in_scope_ = false;
}

Staging Stream::take(StagingArea& area, VkDeviceSize size, VkDeviceSize alignment) {
    (area.use == MemoryUse::Upload ? counters_.uploaded : counters_.read_back) += size;
    const VkDeviceSize start = (area.used + alignment - 1) / alignment * alignment;
    if (area.block != nullptr && start <= kStagingBytes && size <= kStagingBytes - start) {
        area.used = start + size;
        return {area.block, start, area.block->mapped() + start};
    }
    if (size > kStagingBytes) {  // a block of its own, before the one that is being filled
        auto own = Buffer::create(device_, memory_, size, area.use);
        if (own == nullptr) return {};
        own->set_name(area.name);
        keep(own);
        return {own, 0, own->mapped()};
    }
    std::shared_ptr<Buffer> block;
    if (!area.free.empty()) {
        block = std::move(area.free.back());
        area.free.pop_back();
    } else {
        block = Buffer::create(device_, memory_, kStagingBytes, area.use);
    }
    if (block == nullptr) return {};
    block->set_name(area.name);
    if (area.block != nullptr) (batch_.*area.blocks).push_back(std::move(area.block));
    area.block = block;
    area.used = size;
    return {block, 0, block->mapped()};
}

void Stream::recycle_staging(StagingArea& area, Batch& batch) {
    for (auto& block : batch.*area.blocks)
        if (area.free.size() < kFreeStaging && block.use_count() == 1) area.free.push_back(std::move(block));
}

std::optional<VkImageView> Stream::view(const std::shared_ptr<Image>& image, const ViewInfo& info) {
    with_room(image->views_);
    return image->view(info);
}

std::optional<VkBufferView> Stream::view(const std::shared_ptr<Buffer>& buffer, VkBufferUsageFlagBits usage,
                                         VkFormat format, VkDeviceSize offset, VkDeviceSize bytes) {
    with_room(buffer->views_);
    return buffer->view(usage, format, offset, bytes);
}

bool Stream::take_descriptor_pool(uint64_t bytes_of_set) {
    const bool is_gpu = device_.report().info.is_gpu, is_made = !free_descriptor_pools_.empty();
    const uint64_t needed = !is_gpu ? kSetsOfPool * bytes_of_set : is_made ? 0 : kGpuPoolBytes;
    // Each batch may have one, however little room there is.
    if (!batch_.descriptor_pools.empty() && !memory_.budget().has_room(needed)) return false;
    if (is_made) {
        descriptor_pool_ = std::move(free_descriptor_pools_.back());
        free_descriptor_pools_.pop_back();
        return true;
    }
    VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                    .maxSets = kSetsOfPool,
                                    .poolSizeCount = static_cast<uint32_t>(kPoolSizes.size()),
                                    .pPoolSizes = kPoolSizes.data()};
    if (!device_.check(vkCreateDescriptorPool(device_.handle(), &info, nullptr, &descriptor_pool_.pool),
                       "vkCreateDescriptorPool")) {
        descriptor_pool_.pool = VK_NULL_HANDLE;
        return false;
    }
    if (is_gpu) descriptor_pool_.own = Charge(memory_.budget(), kGpuPoolBytes);
    return true;
}

VkDescriptorSet Stream::descriptor_set(VkDescriptorSetLayout layout, size_t descriptors) {
    const uint64_t bytes = kSetBytes + kDescriptorBytes * descriptors;
    VkDescriptorSet set = VK_NULL_HANDLE;
    auto& [pool, own, charge, sets] = descriptor_pool_;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (sets == kSetsOfPool) retire_descriptor_pool();
        if (pool == VK_NULL_HANDLE && !take_descriptor_pool(bytes)) return VK_NULL_HANDLE;
        VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                         .descriptorPool = pool,
                                         .descriptorSetCount = 1,
                                         .pSetLayouts = &layout};
        if (vkAllocateDescriptorSets(device_.handle(), &info, &set) == VK_SUCCESS) {
            sets++;
            if (!device_.report().info.is_gpu) charge.add(memory_.budget(), bytes);
            return set;
        }
        retire_descriptor_pool();
    }
    return VK_NULL_HANDLE;
}

void Stream::retire_descriptor_pool() {
    batch_.descriptor_pools.push_back(std::exchange(descriptor_pool_, {}));
}

VkFence Stream::take_fence() {
    VkFence fence = VK_NULL_HANDLE;
    if (free_fences_.empty()) {
        const VkFenceCreateInfo info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        return device_.check_or_lose(vkCreateFence(device_.handle(), &info, nullptr, &fence), "vkCreateFence")
                   ? fence
                   : VK_NULL_HANDLE;
    }
    fence = free_fences_.back();
    free_fences_.pop_back();
    if (device_.check_or_lose(vkResetFences(device_.handle(), 1, &fence), "vkResetFences")) return fence;
    vkDestroyFence(device_.handle(), fence, nullptr);
    return VK_NULL_HANDLE;
}

void Stream::submit() {
    if (empty()) return;
    end_scope();
    // The host reads written memory after the batch, and the next batch uses it.
    barrier(batch_.commands.buffer, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    vkCmdSetDepthBounds(batch_.commands.buffer, 0, 1);  // lavapipe drops a barrier that comes last
    epoch_++;
    std::vector<VkCommandBuffer> buffers;
    for (const VkCommandBuffer buffer : {batch_.before.buffer, batch_.commands.buffer})
        if (buffer != VK_NULL_HANDLE && !device_.failed() &&
            device_.check_or_lose(vkEndCommandBuffer(buffer), "vkEndCommandBuffer"))
            buffers.push_back(buffer);
    if (!device_.failed()) {
        const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .commandBufferCount = static_cast<uint32_t>(buffers.size()),
                                .pCommandBuffers = buffers.data()};
        batch_.fence = take_fence();
        if (batch_.fence != VK_NULL_HANDLE)
            device_.check_or_lose(vkQueueSubmit(device_.queue(), 1, &info, batch_.fence), "vkQueueSubmit");
        counters_.batches++;
    }
    poll();
    // A guest that is faster than the device must not fill the memory with commands.
    while (!submitted_.empty() && !has_room_for(1, batch_.recorded) && wait(submitted_.front().number)) continue;
    const uint64_t next = batch_.number + 1;
    submitted_.push_back(std::move(batch_));
    batch_ = {};
    batch_.number = next;
    if (orders_all_) wait(next - 1);
}

void Stream::recycle(Batch& batch) {
    // After a device loss they are not called: their callers know of the failure, and their memory may be gone.
    if (!device_.failed())
        for (const auto& action : batch.actions) action();
    batch.actions.clear();
    batch.kept.clear();
    recycle_staging(upload_, batch);
    recycle_staging(read_back_, batch);
    for (auto& [pool, own, charge, sets] : batch.descriptor_pools) {
        if (free_descriptor_pools_.size() < kFreePools) {
            vkResetDescriptorPool(device_.handle(), pool, 0);
            free_descriptor_pools_.push_back({.pool = pool, .own = std::move(own)});
        } else {
            vkDestroyDescriptorPool(device_.handle(), pool, nullptr);
        }
    }
    for (const Commands& c : {batch.before, batch.commands})
        if (c.pool != VK_NULL_HANDLE) free_commands_.push_back(c);
    if (batch.fence != VK_NULL_HANDLE) free_fences_.push_back(batch.fence);
}

void Stream::retire(uint64_t value) {
    while (!submitted_.empty() && submitted_.front().number <= value) {
        Batch batch = std::move(submitted_.front());
        submitted_.pop_front();
        completed_ = batch.number;
        recycle(batch);
    }
}

void Stream::poll() {
    while (!submitted_.empty() && !device_.failed()) {
        const VkResult result = vkGetFenceStatus(device_.handle(), submitted_.front().fence);
        if (result == VK_NOT_READY || !device_.check_or_lose(result, "vkGetFenceStatus")) return;
        retire(submitted_.front().number);
    }
}

bool Stream::done(uint64_t batch) {
    if (batch <= completed_) return true;
    if (batch >= batch_.number) return false;
    poll();
    return device_.failed() || batch <= completed_;  // of a lost device, nothing will come
}

bool Stream::is_long() const {
    return batch_.recorded >= kManyRecorded;
}

bool Stream::has_room() {
    poll();
    return device_.failed() || has_room_for(kFewBatches, kMostRecorded / 2);
}

bool Stream::has_room_for(size_t batches, uint64_t recorded) const {
    for (const Batch& batch : submitted_) recorded += batch.recorded;
    return submitted_.size() + batches <= kMostBatches && recorded <= kMostRecorded;
}

bool Stream::reclaim() {
    const bool works = !empty() || !submitted_.empty();
    if (works && !wait(batch_.number)) return false;
    const bool has_free = !upload_.free.empty() || !read_back_.free.empty() || !free_descriptor_pools_.empty();
    upload_.free.clear();
    read_back_.free.clear();
    for (const DescriptorPool& free : std::exchange(free_descriptor_pools_, {}))
        vkDestroyDescriptorPool(device_.handle(), free.pool, nullptr);
    return works || has_free;
}

bool Stream::wait(uint64_t batch) {
    if (batch >= batch_.number) submit();
    batch = std::min(batch, batch_.number - 1);
    if (device_.failed()) return false;
    if (batch <= completed_) return true;
    const VkFence fence = std::ranges::find(submitted_, batch, &Batch::number)->fence;
    // The wait has no limit: a slow device is not a lost one. A server's timeout ends work that never ends.
    const auto start = std::chrono::steady_clock::now();
    const VkResult result = vkWaitForFences(device_.handle(), 1, &fence, VK_TRUE, UINT64_MAX);
    counters_.waited += std::chrono::steady_clock::now() - start;
    if (!device_.check_or_lose(result, "vkWaitForFences"))
        return false;  // the device may still use the objects of the batch
    retire(batch);
    return true;
}

}  // namespace tgsi2spv::vk

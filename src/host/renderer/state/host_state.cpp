#include "renderer/state/host_state.h"

#include <fmt/format.h>
#include <malloc.h>

#include <new>
#include <utility>

#include "files/files.h"
#include "renderer/state/caps.h"

namespace tgsi2spv::host {
namespace {

void* allocate(void* user, size_t bytes, size_t alignment) {
    vk::Budget& budget = *static_cast<vk::Budget*>(user);
    if (!budget.has_room(bytes)) return nullptr;
    void* const memory = ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
    if (memory != nullptr) budget.add(bytes);
    return memory;
}

void release(void* user, void* memory, size_t bytes, size_t alignment) {
    ::operator delete(memory, std::align_val_t(alignment));
    static_cast<vk::Budget*>(user)->remove(bytes);
}

/// With limits for guests, and memory that the budget counts.
Context make_translator(vk::Budget& budget) {
    auto allocator = make<tgsi2spv_allocator>();
    allocator.user = &budget;
    allocator.allocate = allocate;
    allocator.release = release;
    auto limits = make<tgsi2spv_limits>();
    tgsi2spv_limits_set_guest(&limits);
    auto info = make<tgsi2spv_context_info>();
    info.allocator = &allocator;
    info.limits = &limits;
    return Context(info);
}

}  // namespace

HostState::HostState(std::unique_ptr<vk::Device> the_device, const HostOptions& the_options)
    : options(the_options),
      device(std::move(the_device)),
      budget(options.memory_limit),
      memory(*device, budget),
      stream(*device, memory),
      depth24(depth24_of(offers_of(*device))),
      translator(make_translator(budget)),
      samplers(std::make_shared<Samplers>(device->handle(), alive_samplers)) {}

bool reclaim(HostState& host) {
    const bool copies = host.fetched.owner != nullptr || host.has_copies;
    host.fetched = {};
    if (std::exchange(host.has_copies, false))
        for (auto& [handle, resource] : host.resources) resource->copy = nullptr;
    const bool reclaimed = host.stream.reclaim() || copies;
#ifdef __GLIBC__
    if (reclaimed) malloc_trim(0);  // RLIMIT_DATA counts the heap with what is free in it
#endif
    return reclaimed;
}

Problem find_buffer(const HostState& host, uint32_t handle, std::shared_ptr<Resource>& result) {
    result = host.find_resource(handle);
    if (result == nullptr) return {Problem::NoResource, handle};
    if (result->buffer == nullptr) return {Problem::Incompatible, handle};
    return Problem::None;
}

std::shared_ptr<Resource> HostState::find_resource(uint32_t handle) const {
    const auto at = resources.find(handle);
    return at == resources.end() || !reaches(*client, handle) ? nullptr : at->second;
}

void dump_shader(const HostState& host, uint64_t id, std::string_view text) {
    if (host.options.shader_folder.empty()) return;
    const std::string path = fmt::format("{}/shader-{}.tgsi", host.options.shader_folder, id);
    if (const std::string why = write_file(path, text); !why.empty()) log_line(cannot_write(path, why));
}

}  // namespace tgsi2spv::host

#include "virglrenderer/virtual_machine.h"

#include <cerrno>

namespace tgsi2spv::virglrenderer {
namespace {

int error_of(virgl::Outcome outcome) {
    switch (outcome) {
        case virgl::Outcome::Done:
            return 0;
        case virgl::Outcome::Refused:
            return EINVAL;
        case virgl::Outcome::Lost:
            return ENODEV;
    }
    return EINVAL;
}

int attach(VirtualMachine& vm, Resource& resource, std::shared_ptr<GuestMemory> memory, iovec* pieces, int count) {
    if (const int error = error_of(vm.renderer->set_memory(resource.info.handle, memory)); error != 0) return error;
    resource.memory = std::move(memory);
    resource.pieces = pieces;
    resource.piece_count = count;
    return 0;
}

}  // namespace

Resource* find_resource(VirtualMachine& vm, uint32_t handle) {
    const auto found = vm.resources.find(handle);
    return found == vm.resources.end() ? nullptr : &found->second;
}

int create_resource(VirtualMachine& vm, const virgl_renderer_resource_create_args& a) {
    if (vm.resources.contains(a.handle)) return EINVAL;
    // Steps that may be short of memory come first: after a failure, the handle is free again.
    decltype(vm.resources) made;
    made[a.handle].info = a;
    vm.resources.reserve(vm.resources.size() + 1);
    const int error = error_of(vm.renderer->create_resource(
        {a.handle, a.target, a.format, a.bind, a.width, a.height, a.depth, a.array_size, a.last_level, a.nr_samples},
        nullptr));
    if (error == 0) vm.resources.insert(made.extract(a.handle));
    return error;
}

int create_resource(VirtualMachine& vm, const virgl_renderer_resource_create_args& a, iovec* pieces, int count) {
    auto memory = std::make_shared<GuestMemory>(std::span<const iovec>(pieces, static_cast<size_t>(count)));
    if (const int error = create_resource(vm, a); error != 0) return error;
    const int error = attach(vm, vm.resources.at(a.handle), std::move(memory), pieces, count);
    if (error != 0) destroy_resource(vm, a.handle);
    return error;
}

void destroy_resource(VirtualMachine& vm, uint32_t handle) {
    Resource* const resource = find_resource(vm, handle);
    if (resource == nullptr) return;
    detach_memory(vm, *resource);
    vm.renderer->destroy_resource(handle);
    vm.resources.erase(handle);
}

int attach_memory(VirtualMachine& vm, uint32_t handle, iovec* pieces, int count) {
    Resource* const resource = find_resource(vm, handle);
    if (resource == nullptr || resource->memory != nullptr || count < 0 || (pieces == nullptr && count > 0))
        return EINVAL;
    auto memory = std::make_shared<GuestMemory>(std::span<const iovec>(pieces, static_cast<size_t>(count)));
    return attach(vm, *resource, std::move(memory), pieces, count);
}

void detach_memory(VirtualMachine& vm, Resource& resource) {
    if (resource.memory == nullptr) return;
    vm.renderer->set_memory(resource.info.handle, nullptr);
    resource.memory->take_away();
    resource.memory = nullptr;
    resource.pieces = nullptr;
    resource.piece_count = 0;
}

uint32_t row_bytes(const virgl_renderer_resource_create_args& info) {
    // The formats of displays: B8G8R8A8 and its like, B5G5R5A1, B4G4R4A4, B5G6R5, R8G8B8A8, R8G8B8X8.
    constexpr uint32_t kMost = 1u << 16;
    const uint32_t f = info.format;
    const bool four = (f >= 1 && f <= 4) || f == 67 || f == 134, two = f >= 5 && f <= 7;
    if (info.width > kMost) return 0;
    return info.width * (four ? 4 : two ? 2 : 0);
}

int transfer(VirtualMachine& vm, const TransferCall& call, bool to_host) {
    const Resource* const found = find_resource(vm, call.handle);
    if (found == nullptr || call.box == nullptr) return EINVAL;
    const Resource& resource = *found;
    if (call.context != 0 && !resource.contexts.contains(call.context)) return EINVAL;
    const auto memory = call.pieces.empty() ? resource.memory : std::make_shared<GuestMemory>(call.pieces);
    if (memory == nullptr) return EINVAL;
    const virgl_box& b = *call.box;
    const virgl::TransferRequest request{
        call.handle, call.level, call.stride, call.layer_stride, {b.x, b.y, b.z, b.w, b.h, b.d}};
    return error_of(to_host ? vm.renderer->write(request, *memory, call.offset)
                            : vm.renderer->read(request, memory, call.offset));
}

int add_fence(VirtualMachine& vm, Fence fence) {
    fence.after = vm.renderer->fence();
    vm.fences.push_back(fence);
    return 0;
}

void poll(VirtualMachine& vm) {
    while (!vm.fences.empty() && vm.renderer->passed(vm.fences.front().after)) {
        const Fence fence = vm.fences.front();
        vm.fences.pop_front();
        if (fence.of_context)
            vm.callbacks->write_context_fence(vm.cookie, fence.context, fence.ring, fence.id);
        else
            vm.callbacks->write_fence(vm.cookie, static_cast<uint32_t>(fence.id));
    }
}

void reset(VirtualMachine& vm) {
    for (const uint32_t context : vm.contexts) vm.renderer->destroy_context(context);
    vm.contexts.clear();
    while (!vm.resources.empty()) destroy_resource(vm, vm.resources.begin()->first);
    vm.fences.clear();
}

}  // namespace tgsi2spv::virglrenderer

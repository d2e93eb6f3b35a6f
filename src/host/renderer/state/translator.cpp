#include "renderer/state/translator.h"

#include <new>

namespace tgsi2spv::host {
namespace {

void* allocate(void* user, size_t bytes, size_t alignment) {
    gpu::Budget& budget = *static_cast<gpu::Budget*>(user);
    if (!budget.has_room(bytes)) return nullptr;
    void* const memory = ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
    if (memory != nullptr) budget.add(bytes);
    return memory;
}

void release(void* user, void* memory, size_t bytes, size_t alignment) {
    ::operator delete(memory, std::align_val_t(alignment));
    static_cast<gpu::Budget*>(user)->remove(bytes);
}

}  // namespace

Context make_translator(gpu::Budget& budget) {
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

}  // namespace tgsi2spv::host

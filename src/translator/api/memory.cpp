#include "api/memory.h"

#ifdef _WIN32
#include <malloc.h>
#endif

#include <cstdlib>
#include <new>

namespace tgsi2spv::api {
namespace {

#ifdef _WIN32
void* allocate_by_malloc(void* /*user*/, size_t bytes, size_t alignment) {
    return _aligned_malloc(bytes, alignment);
}

void release_by_free(void* /*user*/, void* memory, size_t /*bytes*/, size_t /*alignment*/) {
    _aligned_free(memory);
}
#else
void* allocate_by_malloc(void* /*user*/, size_t bytes, size_t alignment) {
    if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void release_by_free(void* /*user*/, void* memory, size_t /*bytes*/, size_t /*alignment*/) {
    std::free(memory);
}
#endif

}  // namespace

CallerMemory::CallerMemory() : allocator_{sizeof(tgsi2spv_allocator), nullptr, allocate_by_malloc, release_by_free} {}

std::pmr::memory_resource* default_memory() {
    static CallerMemory memory;
    return &memory;
}

void* CallerMemory::do_allocate(size_t bytes, size_t alignment) {
    void* memory = allocator_.allocate(allocator_.user, bytes == 0 ? 1 : bytes, alignment);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void CallerMemory::do_deallocate(void* memory, size_t bytes, size_t alignment) {
    allocator_.release(allocator_.user, memory, bytes == 0 ? 1 : bytes, alignment);
}

bool CallerMemory::do_is_equal(const memory_resource& other) const noexcept {
    const auto* const o = dynamic_cast<const CallerMemory*>(&other);
    return o != nullptr && o->allocator_.user == allocator_.user && o->allocator_.allocate == allocator_.allocate &&
           o->allocator_.release == allocator_.release;
}

}  // namespace tgsi2spv::api

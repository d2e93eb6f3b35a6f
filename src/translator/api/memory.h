// The caller's allocator as a memory resource, and the default one.
#pragma once

#include <memory_resource>

#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::api {

class CallerMemory final : public std::pmr::memory_resource {
  public:
    /// Uses malloc.
    CallerMemory();
    explicit CallerMemory(const tgsi2spv_allocator& allocator) : allocator_(allocator) {}

  private:
    void* do_allocate(size_t bytes, size_t alignment) override;
    void do_deallocate(void* memory, size_t bytes, size_t alignment) override;
    /// True for the same allocator: each may free the other's memory.
    bool do_is_equal(const memory_resource& other) const noexcept override;

    tgsi2spv_allocator allocator_;
};

/// malloc, for contexts without an allocator of the caller. It has no state, and all threads may use it.
std::pmr::memory_resource* default_memory();

/// Creates an object in the memory that it holds: T's first parameter is its CallerMemory.
template <class T, class... Arguments>
T* create(const CallerMemory& memory, Arguments&&... arguments) {
    CallerMemory source = memory;
    void* place = source.allocate(sizeof(T), alignof(T));
    try {
        return new (place) T(memory, std::forward<Arguments>(arguments)...);
    } catch (...) {
        source.deallocate(place, sizeof(T), alignof(T));
        throw;
    }
}

template <class T>
void destroy(T* object) {
    if (object == nullptr) return;
    CallerMemory source = object->memory;
    object->~T();
    source.deallocate(object, sizeof(T), alignof(T));
}

}  // namespace tgsi2spv::api

#include "ir/allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<size_t> counter;
static std::atomic<size_t> failing;  ///< the value of `counter` at which an allocation fails
static std::atomic<size_t> bytes, most_bytes;

static void* allocate(size_t size, size_t alignment = alignof(std::max_align_t)) {
    const bool plain = alignment <= alignof(std::max_align_t);
    void* p = ++counter == failing ? nullptr
              : plain              ? std::malloc(size)
                                   : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (p == nullptr) return nullptr;
    const size_t now = bytes += malloc_usable_size(p);
    size_t most = most_bytes;
    while (now > most && !most_bytes.compare_exchange_weak(most, now)) {
    }
    return p;
}

static void release(void* p) {
    if (p == nullptr) return;
    bytes -= malloc_usable_size(p);
    std::free(p);
}

void* operator new(size_t size) {
    if (void* p = allocate(size)) return p;
    throw std::bad_alloc();
}
// std::stable_sort and others use this. Without it, a sanitizer's version would be paired with our delete.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    return allocate(size);
}
// std::pmr::new_delete_resource() allocates all of its memory here.
void* operator new(size_t size, std::align_val_t alignment) {
    if (void* p = allocate(size, static_cast<size_t>(alignment))) return p;
    throw std::bad_alloc();
}
void operator delete(void* p, std::align_val_t) noexcept {
    release(p);
}
void operator delete(void* p, size_t, std::align_val_t) noexcept {
    release(p);
}
void operator delete(void* p) noexcept {
    release(p);
}
void operator delete(void* p, size_t) noexcept {
    release(p);
}

namespace tgsi2spv::ir {

size_t allocations() {
    return counter;
}

size_t allocated_bytes() {
    return bytes;
}

size_t peak_bytes() {
    return most_bytes;
}

void reset_peak() {
    most_bytes = bytes.load();
}

void fail_allocation(size_t n) {
    failing = n == 0 ? 0 : counter + n;
}

}  // namespace tgsi2spv::ir

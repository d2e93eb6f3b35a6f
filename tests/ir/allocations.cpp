#include "ir/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<size_t> counter;
static std::atomic<size_t> failing;  ///< the counter's value that fails

void* operator new(size_t size) {
    if (++counter == failing) throw std::bad_alloc();
    if (void* p = std::malloc(size)) return p;
    throw std::bad_alloc();
}
// std::stable_sort and the like; without it a sanitizer's own would meet our delete.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    counter++;
    return std::malloc(size);
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, size_t) noexcept {
    std::free(p);
}

namespace tgsi2spv::ir {

size_t allocations() {
    return counter;
}

void fail_allocation(size_t n) {
    failing = n == 0 ? 0 : counter + n;
}

}  // namespace tgsi2spv::ir

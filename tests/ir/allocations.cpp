#include "ir/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<size_t> counter;

void* operator new(size_t size) {
    counter++;
    if (void* p = std::malloc(size)) return p;
    throw std::bad_alloc();
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

}  // namespace tgsi2spv::ir

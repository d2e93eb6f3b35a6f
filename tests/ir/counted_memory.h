// Counts allocations from it. (allocations.h counts operator new; an api::Context takes its memory from malloc.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>

namespace tgsi2spv::ir {

class CountedMemory : public std::pmr::memory_resource {
  public:
    size_t allocations = 0;
    size_t bytes = 0, most_bytes = 0;  ///< allocated now, and at most

  private:
    void* do_allocate(size_t size, size_t alignment) override {
        allocations++;
        bytes += size;
        most_bytes = std::max(most_bytes, bytes);
        return std::pmr::new_delete_resource()->allocate(size, alignment);
    }
    void do_deallocate(void* memory, size_t size, size_t alignment) override {
        bytes -= size;
        std::pmr::new_delete_resource()->deallocate(memory, size, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace tgsi2spv::ir

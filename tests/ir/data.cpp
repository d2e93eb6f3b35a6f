// The parts of a module: arrays that keep to their memory resource, and names that allocate nothing.
#include <gtest/gtest.h>

#include <memory_resource>
#include <string>

#include "ir/array.h"
#include "ir/module.h"
#include "ir/name.h"

namespace tgsi2spv::ir {
namespace {

/// Counts allocations, and the bytes that have not been released.
class Counting : public std::pmr::memory_resource {
  public:
    size_t live = 0, count = 0;

  private:
    void* do_allocate(size_t bytes, size_t alignment) override {
        live += bytes;
        ++count;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, size_t bytes, size_t alignment) override {
        live -= bytes;
        std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST(IrArray, TakesItsMemoryAlong) {
    Counting a, b;
    {
        Array<uint32_t> x(&a), y(&b), none;
        x.push_back(1);
        y.resize(1000, 7);
        EXPECT_EQ(y[999], 7u);
        x.swap(y);
        EXPECT_EQ(x.size(), 1000u);
        const size_t before = b.count;
        x.resize(10'000, 8);  // from b, although x was made with a
        EXPECT_EQ(x[999], 7u);
        EXPECT_EQ(x[9'999], 8u);
        EXPECT_EQ(b.count, before + 1);
        none = std::move(x);
        EXPECT_EQ(none.size(), 10'000u);
        const Array<uint32_t> copy = none;
        EXPECT_EQ(copy, none);
        EXPECT_EQ(b.count, before + 1);  // copies use the default resource
        y = copy;
        EXPECT_EQ(y, copy);
        EXPECT_GE(a.live, 40'000u);  // but an assignment keeps the target's resource
    }
    EXPECT_EQ(a.live, 0u);
    EXPECT_EQ(b.live, 0u);
}

TEST(IrModule, StandsInItsMemory) {
    Counting memory;
    {
        Module module(&memory);
        Function& f = module.functions.emplace_back(module.memory());
        f.params.push_back(f32());
        f.blocks.push_back({});
        f.instructions.push_back({});
        f.args.push_back(0);
        module.variables.push_back({.name = "a name that is longer than std::string keeps"});
        module.constants.push_back({});
        module.image_ops.push_back({});
        EXPECT_EQ(memory.count, 8u);
    }
    EXPECT_EQ(memory.live, 0u);
}

TEST(IrName, IsWhatItIsGiven) {
    EXPECT_TRUE(Name().empty());
    EXPECT_EQ(Name("CONST[2]"), "CONST[2]");
    EXPECT_EQ(Name(std::string("a")), Name("a"));
    EXPECT_FALSE(Name("a") == Name("ab"));
    EXPECT_FALSE(Name("a") == "b");
    EXPECT_EQ(Name("captured ").append("GENERIC[7]"), "captured GENERIC[7]");
    const std::string most(Name::kMax, 'x');
    EXPECT_EQ(Name(most), most);
    EXPECT_EQ(Name(most + "y"), most);
    EXPECT_EQ(Name(most).append("y"), most);
}

}  // namespace
}  // namespace tgsi2spv::ir

// A resource that could not be made, or not with its memory, leaves its handle free.
#include "virglrenderer/virtual_machine.h"

#include <gtest/gtest.h>

#include <array>
#include <new>
#include <set>

#include "ir/allocations.h"

namespace tgsi2spv::virglrenderer {
namespace {

using virgl::Outcome;

/// Knows which resources exist, and refuses memory if told to.
class Handles final : public virgl::SharedRenderer {
  public:
    explicit Handles(bool refuses_memory) : refuses_memory_(refuses_memory) {}
    const virgl::CapsV2& caps() const override { return caps_; }
    Outcome create_resource(const virgl::ResourceRequest& r, std::shared_ptr<virgl::SharedMemory>) override {
        return handles.insert(r.handle).second ? Outcome::Done : Outcome::Refused;
    }
    Outcome destroy_resource(uint32_t handle) override {
        return handles.erase(handle) == 1 ? Outcome::Done : Outcome::Refused;
    }
    Outcome set_memory(uint32_t, std::shared_ptr<virgl::SharedMemory> memory) override {
        return refuses_memory_ && memory != nullptr ? Outcome::Refused : Outcome::Done;
    }
    Outcome submit(virgl::Words) override { return Outcome::Done; }
    Outcome submit(uint32_t, virgl::Words) override { return Outcome::Done; }
    Outcome write(const virgl::TransferRequest&, std::span<const std::byte>) override { return Outcome::Done; }
    Outcome read(const virgl::TransferRequest&, std::span<std::byte>) override { return Outcome::Done; }
    Outcome write(const virgl::TransferRequest&, const virgl::SharedMemory&, uint64_t) override {
        return Outcome::Done;
    }
    Outcome read(const virgl::TransferRequest&, std::shared_ptr<virgl::SharedMemory>, uint64_t) override {
        return Outcome::Done;
    }
    Outcome write_from_memory(const virgl::TransferRequest&, uint64_t) override { return Outcome::Done; }
    Outcome read_to_memory(const virgl::TransferRequest&, uint64_t) override { return Outcome::Done; }
    bool busy(uint32_t, bool) override { return false; }
    Outcome create_context(uint32_t) override { return Outcome::Done; }
    Outcome destroy_context(uint32_t) override { return Outcome::Done; }
    Outcome attach(uint32_t, uint32_t) override { return Outcome::Done; }
    Outcome detach(uint32_t, uint32_t) override { return Outcome::Done; }
    uint64_t fence() override { return 0; }
    bool passed(uint64_t) override { return true; }

    std::set<uint32_t> handles;

  private:
    virgl::CapsV2 caps_{};
    bool refuses_memory_;
};

/// handle, target, format, bind, size, depth, array size, last level, samples, flags
const virgl_renderer_resource_create_args kTexture{7, 2, 67, 10, 8, 8, 1, 1, 0, 0, 0};

struct Machine {
    explicit Machine(bool refuses_memory) {
        auto made = std::make_unique<Handles>(refuses_memory);
        handles = &made->handles;
        vm.renderer = std::move(made);
    }
    /// With two pieces of memory.
    int create() { return create_resource(vm, kTexture, pieces.data(), 2); }
    /// Both sides agree about the existing objects.
    bool has() const {
        EXPECT_EQ(handles->contains(7), vm.resources.contains(7));
        return handles->contains(7);
    }

    VirtualMachine vm;
    std::set<uint32_t>* handles;
    std::array<std::byte, 64> bytes{};
    std::array<iovec, 2> pieces{{{bytes.data(), 32}, {bytes.data() + 32, 32}}};
};

TEST(VirtualMachine, MakesAResourceWithItsMemoryOrNeither) {
    Machine works(false);
    EXPECT_EQ(works.create(), 0);
    EXPECT_TRUE(works.has());
    EXPECT_NE(works.create(), 0) << "twice";
    EXPECT_TRUE(works.has());
    Machine refuses(true);
    EXPECT_NE(refuses.create(), 0);
    EXPECT_FALSE(refuses.has());
}

TEST(VirtualMachine, LeavesNothingWhenMemoryIsShort) {
    size_t failed = 0;
    for (size_t at = 1; failed + 1 == at; at++) {
        Machine machine(false);
        ir::fail_allocation(at);
        try {
            machine.create();
        } catch (const std::bad_alloc&) {
            failed++;
        }
        ir::fail_allocation(0);
        EXPECT_EQ(machine.has(), failed < at);
    }
    EXPECT_GT(failed, 3u) << "every allocation has failed once";
}

}  // namespace
}  // namespace tgsi2spv::virglrenderer

// Requests whose calls of the renderer take long: the loop serves all else meanwhile.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "../../virgl/encode.h"
#include "guest.h"
#include "machine/virtio_gpu/flat_renderer.h"
#include "machine/virtio_gpu/turns.h"

namespace tgsi2spv::virtio_gpu::test {
namespace {

using testing::ElementsAre;
using virgl::test::Buffer;
using virgl::test::command;
using virgl::test::text_words;
using virgl::test::operator+;

/// Long for a person at the keyboard. Without a word of the test, a call ends then.
constexpr std::chrono::seconds kLong{10};

/// A keyboard, to the loop.
struct Keyboard final : vhost::Part {
    void add_waits(std::vector<pollfd>&) const override {}
    void serve(std::span<const pollfd>) override { served++; }
    unsigned served = 0;
};

/// Executes commands until it is told that they are done. Then it writes a word to the memory of its last resource.
struct Stuck final : FlatRenderer {
    Stuck() : FlatRenderer(1 << 20) {}
    virgl::Outcome create_context(uint32_t) override { return virgl::Outcome::Done; }
    virgl::Outcome destroy_context(uint32_t) override { return virgl::Outcome::Done; }
    virgl::Outcome set_memory(uint32_t handle, std::shared_ptr<virgl::SharedMemory> memory) override {
        last_memory = memory;
        return FlatRenderer::set_memory(handle, std::move(memory));
    }
    virgl::Outcome read_into(const virgl::TransferRequest& request, std::shared_ptr<virgl::SharedMemory> memory,
                             uint64_t offset) override {
        if (copies_slowly) wait();
        return FlatRenderer::read_into(request, std::move(memory), offset);
    }
    virgl::Outcome submit(uint32_t, virgl::Words) override {
        submits++;
        if (!wait()) return virgl::Outcome::Done;
        const uint32_t word = 0x12345678;
        if (last_memory != nullptr) last_memory->write(0, std::as_bytes(std::span(&word, 1)));
        return virgl::Outcome::Done;
    }
    bool wait() {
        std::unique_lock lock(mutex);
        if (!news.wait_for(lock, kLong, [this] { return ends > 0; })) return false;
        ends--;
        return true;
    }
    /// Ends so many calls.
    void end(unsigned calls = 1) {
        const std::lock_guard lock(mutex);
        ends += calls;
        news.notify_one();
    }
    std::shared_ptr<virgl::SharedMemory> last_memory;
    std::atomic<unsigned> submits = 0;
    std::atomic<bool> copies_slowly = false;
    std::mutex mutex;
    std::condition_variable news;
    unsigned ends = 0;
};

class LongCalls : public Guests {
  protected:
    void SetUp() override {
        auto made = std::make_unique<Stuck>();
        stuck = made.get();
        start(std::move(made));
        machine->add(keyboard);
        ASSERT_EQ(type_of_answer(virtio_gpu_ctx_create{header(VIRTIO_GPU_CMD_CTX_CREATE, 1), 0, 0, {}}), kFine);
        ASSERT_EQ(create(1, 4, 4), kFine);
        ASSERT_EQ(attach(1, 64), kFine);
    }
    void TearDown() override {
        if (machine != nullptr) stuck->end(8);
        machine.reset();
    }
    void submit(uint64_t fence) {
        auto h = header(VIRTIO_GPU_CMD_SUBMIT_3D, 1);
        h.flags = VIRTIO_GPU_FLAG_FENCE;
        h.fence_id = fence;
        send(virtio_gpu_cmd_submit{h, 0, 0});
        step();
    }
    /// The fences of the answers since; waits a while for the first.
    std::vector<uint64_t> fences() {
        std::vector<uint64_t> passed;
        for (int i = 0; i < 50 && passed.empty(); i++) {
            step();
            for (const auto& answer : answers()) {
                virtio_gpu_ctrl_hdr h;
                std::memcpy(&h, answer.data(), sizeof h);
                passed.push_back(h.fence_id);
            }
        }
        return passed;
    }
    uint16_t answered() { return drivers[kControl].used().idx; }

    Stuck* stuck = nullptr;
    Keyboard keyboard;
};

TEST_F(LongCalls, LoopServesOthersMeanwhile) {
    const auto start = std::chrono::steady_clock::now();
    submit(10);
    const unsigned served = keyboard.served;
    front.send(vhost::Request::GetFeatures);
    step();
    EXPECT_NE(front.answer_as<uint64_t>(), 0u) << "the front end";
    EXPECT_GT(keyboard.served, served);
    display.width = 1024;
    send(virtio_gpu_update_cursor{header(VIRTIO_GPU_CMD_MOVE_CURSOR), {0, 30, 40, 0}, 0, 0, 0, 0}, {}, 64, kCursor);
    step();
    EXPECT_EQ(drivers[kCursor].used().idx, 1) << "the pointer";
    EXPECT_LT(std::chrono::steady_clock::now() - start, kLong / 2);
    EXPECT_THAT(answers(), ElementsAre());
}

TEST_F(LongCalls, OtherRequestsWaitInTheirOrder) {
    submit(10);
    submit(11);
    EXPECT_EQ(stuck->submits, 1u);
    stuck->end();
    EXPECT_THAT(fences(), ElementsAre(10));
    EXPECT_EQ(stuck->submits, 2u);
    stuck->end();
    EXPECT_THAT(fences(), ElementsAre(11));
}

TEST_F(LongCalls, AreNoProgress) {
    submit(10);
    const uint64_t before = progress.reads;
    step();
    EXPECT_EQ(progress.reads, before) << "an idle guest is not ended, a busy one may be";
    stuck->end();
    EXPECT_THAT(fences(), ElementsAre(10));
    step();
    EXPECT_GT(progress.reads, before);
}

TEST_F(LongCalls, CursorsWaitAndMoveMeanwhile) {
    ASSERT_EQ(create(5, 64, 64), kFine);
    submit(10);
    virtio_gpu_update_cursor c{header(VIRTIO_GPU_CMD_UPDATE_CURSOR), {0, 30, 40, 0}, 5, 3, 4, 0};
    send(c, {}, 64, kCursor);
    step();
    c.hdr.type = VIRTIO_GPU_CMD_MOVE_CURSOR;
    c.pos.x = 31;
    send(c, {}, 64, kCursor);
    step();
    EXPECT_EQ(drivers[kCursor].used().idx, 0) << "a picture needs the renderer";
    stuck->end();
    EXPECT_THAT(fences(), ElementsAre(10));
    step();
    EXPECT_EQ(drivers[kCursor].used().idx, 2);
    EXPECT_EQ(machine->display().screen(0).cursor.x, 31u);
}

TEST_F(LongCalls, CursorThatIsHiddenMeanwhileStaysHidden) {
    ASSERT_EQ(create(5, 64, 64), kFine);
    stuck->copies_slowly = true;
    virtio_gpu_update_cursor c{header(VIRTIO_GPU_CMD_UPDATE_CURSOR), {0, 30, 40, 0}, 5, 3, 4, 0};
    send(c, {}, 64, kCursor);
    step();
    c.resource_id = 0;
    send(c, {}, 64, kCursor);
    step();
    stuck->end();
    for (int i = 0; i < 50 && drivers[kCursor].used().idx < 2; i++) step();
    step();
    EXPECT_FALSE(machine->display().screen(0).cursor.visible);
}

/// As QEMU does: its messages for one ring come after those for the other.
TEST_F(LongCalls, CursorsAreAnsweredWhenTheirRingGoesOn) {
    ASSERT_EQ(create(5, 64, 64), kFine);
    submit(10);
    send(virtio_gpu_update_cursor{header(VIRTIO_GPU_CMD_UPDATE_CURSOR), {0, 30, 40, 0}, 5, 3, 4, 0}, {}, 64, kCursor);
    step();
    stop_rings();
    stuck->end();
    for (const unsigned queue : {kControl, kCursor}) {
        front.send_ring(drivers[queue], queue, drivers[queue].available().idx, kicks[queue].number(),
                        calls[queue].number());
        for (int i = 0; i < 5; i++) step();
    }
    EXPECT_EQ(drivers[kCursor].used().idx, 1);
}

TEST_F(LongCalls, LeaveTheMemoryOfAPausedRingAlone) {
    fill(7, 16);
    submit(10);
    const uint16_t before = answered();
    stop_rings();
    stuck->end();
    for (int i = 0; i < 5; i++) step();
    EXPECT_EQ(memory.as<uint32_t>(kPixels), 7u);
    EXPECT_EQ(answered(), before);
    begin_rings(1);
    EXPECT_THAT(fences(), ElementsAre(10));
    EXPECT_EQ(memory.as<uint32_t>(kPixels), 0x12345678u);
}

TEST_F(LongCalls, LeaveTheMemoryOfANewDriverAlone) {
    fill(7, 16);
    submit(10);
    stop_rings();
    front.send(vhost::Request::ResetDevice);
    step();
    const uint16_t before = answered();
    begin_rings(1);
    send(virtio_gpu_ctx_create{header(VIRTIO_GPU_CMD_CTX_CREATE, 1), 0, 0, {}});
    step();
    EXPECT_EQ(answered(), before) << "the old driver's objects are still there";
    stuck->end();
    EXPECT_THAT(fences(), ElementsAre(0)) << "to the new driver alone";
    EXPECT_EQ(memory.as<uint32_t>(kPixels), 7u);
    EXPECT_EQ(create(1, 4, 4), kFine) << "the old one is gone";
}

TEST_F(LongCalls, EndBeforeTheMachine) {
    fill(7, 16);
    submit(10);
    stuck->end();
    machine.reset();
    EXPECT_EQ(memory.as<uint32_t>(kPixels), 7u) << "its guest has gone";
}

TEST(TurnsOfJobs, ExceptionsReachTheLoop) {
    Turns turns(true);
    turns.start([&] { turns.aside([] { throw std::runtime_error("no memory"); }); });
    EXPECT_THROW(while (!turns.run()) continue, std::runtime_error);
    EXPECT_FALSE(turns.has_job());
    bool done = false;
    turns.start([&] { done = true; });
    while (!turns.run()) continue;
    EXPECT_TRUE(done);
}

/// What an unprivileged program of the guest can do: work for the device, and a command that needs its result.
TEST_F(Guests, LoopGoesOnWhileADispatchWaitsForAnother) {
    constexpr uint32_t kContext = 1, kBuffer = 2, kShader = 3, kCompute = 5, kGroups = 400;
    constexpr uint32_t kFormat = 64;  // VIRGL_FORMAT_R8_UNORM
    static constexpr std::string_view kHeavy = R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 64
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 1000000, 0}
MOV TEMP[0].x, IMM[0].xxxx
BGNLOOP
USGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
UIF TEMP[1].xxxx
BRK
ENDIF
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP
STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx
END
)";
    auto renderer = lavapipe();
    ASSERT_NE(renderer, nullptr);
    start(std::move(renderer));
    Keyboard keyboard;
    machine->add(keyboard);
    ASSERT_EQ(type_of_answer(virtio_gpu_ctx_create{header(VIRTIO_GPU_CMD_CTX_CREATE, kContext), 0, 0, {}}), kFine);
    ASSERT_EQ(
        type_of_answer(virtio_gpu_resource_create_3d{header(VIRTIO_GPU_CMD_RESOURCE_CREATE_3D), kBuffer, 0, kFormat,
                                                     virgl::kBindShaderBuffer, 256, 1, 1, 1, 0, 0, 0, 0}),
        kFine);
    ASSERT_EQ(type_of_answer(virtio_gpu_ctx_resource{header(VIRTIO_GPU_CMD_CTX_ATTACH_RESOURCE, kContext), kBuffer, 0}),
              kFine);
    const auto submit = [&](const Buffer& words) {
        const auto bytes = std::as_bytes(std::span(words));
        send(virtio_gpu_cmd_submit{header(VIRTIO_GPU_CMD_SUBMIT_3D, kContext), static_cast<uint32_t>(bytes.size()), 0},
             bytes);
    };
    const std::string text(kHeavy.data(), kHeavy.size() + 1);  // with its zero
    submit(
        virgl::test::create(virgl::ObjectType::Shader,
                            Buffer{kShader, kCompute, static_cast<uint32_t>(text.size()), 300, 0} + text_words(text)) +
        command(virgl::CommandId::BindShader, {kShader, kCompute}) +
        command(virgl::CommandId::SetShaderBuffers, {kCompute, 0, 0, 256, kBuffer}) +
        command(virgl::CommandId::LaunchGrid, {64, 1, 1, kGroups, 1, 1, 0, 0}));
    while (answers().empty()) ASSERT_TRUE(machine->step(0, progress));
    const unsigned before = keyboard.served;
    auto last = std::chrono::steady_clock::now();
    std::chrono::steady_clock::duration longest{};
    submit(command(virgl::CommandId::LaunchGrid, {64, 1, 1, 0, 0, 0, kBuffer, 16}));
    for (bool waits = true; waits;) {
        ASSERT_TRUE(machine->step(0, progress));
        waits = answers().empty();
        longest =
            std::max(longest, std::chrono::steady_clock::now() - std::exchange(last, std::chrono::steady_clock::now()));
    }
    EXPECT_GT(keyboard.served - before, 10u);
    EXPECT_LT(longest, std::chrono::seconds(1));
    machine.reset();
}

/// The renderer is made by one thread, and used by another.
TEST_F(Guests, StatisticsCountTheThreadThatExecutesRequests) {
    host::HostOptions options;
    options.device = "llvmpipe";
    options.stats = true;
    testing::internal::CaptureStderr();
    auto renderer = host::make_renderer(options);
    ASSERT_TRUE(renderer);
    start(std::move(*renderer));
    EXPECT_EQ(create(1, 16, 16), kFine);
    EXPECT_EQ(attach(1, 1024), kFine);
    EXPECT_EQ(transfer(1, {0, 0, 16, 16}), kFine);
    machine.reset();
    const std::string logged = testing::internal::GetCapturedStderr();
    EXPECT_THAT(logged, testing::HasSubstr(" thread, "));
    EXPECT_THAT(logged, testing::Not(testing::HasSubstr(" -"))) << "a time below zero";
}

}  // namespace
}  // namespace tgsi2spv::virtio_gpu::test

// 3D: contexts, capability sets, fences, and a device that fails.
#include <cstring>

#include "../../virgl/encode.h"
#include "guest.h"
#include "machine/virtio_gpu/flat_renderer.h"

namespace tgsi2spv::virtio_gpu::test {
namespace {

using testing::ElementsAre;
using virgl::test::bits;
using virgl::test::Buffer;
using virgl::test::command;
using virgl::test::operator+;
constexpr uint32_t kBad = VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER;
constexpr uint32_t kNoContext = VIRTIO_GPU_RESP_ERR_INVALID_CONTEXT_ID;
constexpr uint32_t kNoResource = VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID;

class Drawn : public Guests {
  protected:
    void SetUp() override {
        auto renderer = lavapipe();
        ASSERT_NE(renderer, nullptr);
        start(std::move(renderer));
    }
    uint32_t make_context(uint32_t context) {
        return type_of_answer(virtio_gpu_ctx_create{header(VIRTIO_GPU_CMD_CTX_CREATE, context), 0, 0, {}});
    }
    uint32_t make_target(uint32_t id, uint32_t extent) {
        return type_of_answer(virtio_gpu_resource_create_3d{header(VIRTIO_GPU_CMD_RESOURCE_CREATE_3D), id, kTexture2D,
                                                            VIRTIO_GPU_FORMAT_B8G8R8A8_UNORM, kBindRenderTarget, extent,
                                                            extent, 1, 1, 0, 0, 0, 0});
    }
    uint32_t of_context(uint32_t type, uint32_t context, uint32_t id) {
        return type_of_answer(virtio_gpu_ctx_resource{header(type, context), id, 0});
    }
    uint32_t submit(uint32_t context, const Buffer& words) {
        const auto bytes = std::as_bytes(std::span(words));
        return type_of_answer(
            virtio_gpu_cmd_submit{header(VIRTIO_GPU_CMD_SUBMIT_3D, context), static_cast<uint32_t>(bytes.size()), 0},
            bytes);
    }
    /// Clears a resource to (r, g, b), which are 0 or 1.
    static Buffer clear(uint32_t id, float r, float g, float b) {
        return virgl::test::create(virgl::ObjectType::Surface, {7, id, VIRTIO_GPU_FORMAT_B8G8R8A8_UNORM, 0, 0}) +
               command(virgl::CommandId::SetFramebufferState, {1, 0, 7}) +
               command(virgl::CommandId::Clear, {virgl::kClearColor0, bits(r), bits(g), bits(b), bits(1), 0, 0, 0});
    }
};

TEST_F(Drawn, CapabilitySetsAreTheRenderers) {
    for (uint32_t index : {0u, 1u}) {
        const auto info = call<virtio_gpu_resp_capset_info>(
            virtio_gpu_get_capset_info{header(VIRTIO_GPU_CMD_GET_CAPSET_INFO), index, 0});
        EXPECT_EQ(info.capset_id, index + 1);
        EXPECT_EQ(info.capset_max_size, index == 0 ? 308u : 1408u);
        const auto caps = call<std::array<uint32_t, 400>>(
            virtio_gpu_get_capset{header(VIRTIO_GPU_CMD_GET_CAPSET), index + 1, info.capset_max_version});
        EXPECT_EQ(caps[0], uint32_t{VIRTIO_GPU_RESP_OK_CAPSET});
        EXPECT_EQ(caps[6], index + 1) << "its version";
    }
    EXPECT_EQ(
        call<virtio_gpu_resp_capset_info>(virtio_gpu_get_capset_info{header(VIRTIO_GPU_CMD_GET_CAPSET_INFO), 2, 0})
            .capset_max_size,
        0u);
    EXPECT_EQ(type_of_answer(virtio_gpu_get_capset{header(VIRTIO_GPU_CMD_GET_CAPSET), 3, 0}), kBad);
    EXPECT_EQ(type_of_answer(virtio_gpu_get_capset{header(VIRTIO_GPU_CMD_GET_CAPSET), 1, 2}), kBad);
}

TEST_F(Drawn, WhatAContextDrawsIsShown) {
    ASSERT_EQ(make_context(3), kFine);
    ASSERT_EQ(make_target(1, 8), kFine);
    ASSERT_EQ(of_context(VIRTIO_GPU_CMD_CTX_ATTACH_RESOURCE, 3, 1), kFine);
    ASSERT_EQ(submit(3, clear(1, 1, 0, 1)), kFine);
    ASSERT_EQ(set_scanout(0, 1, {0, 0, 8, 8}), kFine);
    ASSERT_EQ(flush(1, {0, 0, 8, 8}), kFine);
    const auto updates = take_shown(8);
    ASSERT_EQ(updates.size(), 1u);
    ASSERT_EQ(updates[0].size(), 5u + 64);
    EXPECT_THAT(std::vector(updates[0].begin() + 5, updates[0].end()), testing::Each(0xffff00ffu));
}

TEST_F(Drawn, BytesComeBackToTheGuest) {
    ASSERT_EQ(make_context(3), kFine);
    ASSERT_EQ(make_target(1, 8), kFine);
    ASSERT_EQ(of_context(VIRTIO_GPU_CMD_CTX_ATTACH_RESOURCE, 3, 1), kFine);
    ASSERT_EQ(submit(3, clear(1, 0, 1, 0)), kFine);
    ASSERT_EQ(attach(1, 4096), kFine);
    for (const bool fenced : {false, true}) {
        fill(0, 64);
        virtio_gpu_transfer_host_3d t{
            header(VIRTIO_GPU_CMD_TRANSFER_FROM_HOST_3D, 3), {0, 0, 0, 8, 8, 1}, 0, 1, 0, 0, 0};
        t.hdr.flags = fenced ? VIRTIO_GPU_FLAG_FENCE : 0;
        t.hdr.fence_id = 7;
        const auto answer = call(t);
        EXPECT_EQ(answer.type, kFine);
        EXPECT_EQ(answer.fence_id, fenced ? 7u : 0u);
        EXPECT_EQ(memory.as<uint32_t>(kPixels), 0xff00ff00u) << fenced;
        EXPECT_EQ(memory.as<uint32_t>(kPixels + 63 * 4), 0xff00ff00u) << fenced;
    }
}

TEST_F(Drawn, ContextsReachOnlyTheirResources) {
    ASSERT_EQ(make_context(3), kFine);
    ASSERT_EQ(make_context(4), kFine);
    ASSERT_EQ(make_target(1, 8), kFine);
    ASSERT_EQ(attach(1, 4096), kFine);
    ASSERT_EQ(of_context(VIRTIO_GPU_CMD_CTX_ATTACH_RESOURCE, 3, 1), kFine);
    const auto transfer_by = [&](uint32_t context) {
        return type_of_answer(virtio_gpu_transfer_host_3d{
            header(VIRTIO_GPU_CMD_TRANSFER_TO_HOST_3D, context), {0, 0, 0, 8, 8, 1}, 0, 1, 0, 0, 0});
    };
    EXPECT_EQ(transfer_by(3), kFine);
    EXPECT_EQ(transfer_by(4), kNoResource);
    EXPECT_EQ(transfer_by(5), kNoContext);
    EXPECT_EQ(submit(4, clear(1, 1, 1, 1)), kBad);
    EXPECT_EQ(submit(3, clear(1, 1, 1, 1)), kFine) << "the other context's fault is its own";
    EXPECT_EQ(of_context(VIRTIO_GPU_CMD_CTX_DETACH_RESOURCE, 3, 1), kFine);
    EXPECT_EQ(transfer_by(3), kNoResource);
}

TEST_F(Drawn, WrongCommandsGetTheErrorsOfVirtio) {
    EXPECT_EQ(make_context(0), kNoContext);
    ASSERT_EQ(make_context(3), kFine);
    EXPECT_EQ(make_context(3), kNoContext) << "in use";
    ASSERT_EQ(make_target(1, 8), kFine);
    EXPECT_EQ(make_target(2, 0), kBad);
    EXPECT_EQ(make_target(0, 8), kNoResource);
    EXPECT_EQ(of_context(VIRTIO_GPU_CMD_CTX_ATTACH_RESOURCE, 4, 1), kNoContext);
    EXPECT_EQ(of_context(VIRTIO_GPU_CMD_CTX_ATTACH_RESOURCE, 3, 2), kNoResource);
    EXPECT_EQ(of_context(VIRTIO_GPU_CMD_CTX_DETACH_RESOURCE, 3, 1), kNoResource);
    EXPECT_EQ(submit(4, {}), kNoContext);
    const auto submit_size = [&](uint32_t bytes) {
        return type_of_answer(virtio_gpu_cmd_submit{header(VIRTIO_GPU_CMD_SUBMIT_3D, 3), bytes, 0});
    };
    EXPECT_EQ(submit_size(3), kBad);
    EXPECT_EQ(submit_size(4), kBad) << "words that are not there";
    EXPECT_EQ(submit_size(0xfffffffc), kBad);
    EXPECT_EQ(type_of_answer(virtio_gpu_ctx_destroy{header(VIRTIO_GPU_CMD_CTX_DESTROY, 9)}), kNoContext);
    EXPECT_EQ(type_of_answer(virtio_gpu_ctx_destroy{header(VIRTIO_GPU_CMD_CTX_DESTROY, 3)}), kFine);
    EXPECT_EQ(submit(3, {}), kNoContext);
}

/// Works until it is told otherwise.
struct Slow final : FlatRenderer {
    Slow() : FlatRenderer(1 << 20) {}
    uint64_t fence() override { return ++fences; }
    bool passed(uint64_t fence) override { return fence <= done || fails; }
    bool failed() const override { return fails; }
    bool has_room() override { return ++looks > 0; }
    virgl::Outcome create_context(uint32_t) override { return lost ? virgl::Outcome::Lost : virgl::Outcome::Done; }
    virgl::Outcome destroy_context(uint32_t) override { return virgl::Outcome::Done; }
    virgl::Outcome submit(uint32_t, virgl::Words) override { return virgl::Outcome::Done; }
    uint64_t fences = 0, done = 0, looks = 0;
    bool lost = false, fails = false;
};

class SlowDevices : public Guests {
  protected:
    void SetUp() override {
        auto made = std::make_unique<Slow>();
        slow = made.get();
        start(std::move(made));
        ASSERT_EQ(make_context(), kFine);
    }
    uint32_t make_context(uint32_t context = 1) {
        return type_of_answer(virtio_gpu_ctx_create{header(VIRTIO_GPU_CMD_CTX_CREATE, context), 0, 0, {}});
    }
    void submit(uint64_t fence) {
        auto h = header(VIRTIO_GPU_CMD_SUBMIT_3D, 1);
        h.flags = VIRTIO_GPU_FLAG_FENCE;
        h.fence_id = fence;
        send(virtio_gpu_cmd_submit{h, 0, 0});
        step();
    }
    std::vector<uint64_t> fences() {
        step();
        std::vector<uint64_t> passed;
        for (const auto& answer : answers()) {
            virtio_gpu_ctrl_hdr h;
            std::memcpy(&h, answer.data(), sizeof h);
            types.push_back(h.type);
            passed.push_back(h.fence_id);
        }
        return passed;
    }
    Slow* slow = nullptr;
    std::vector<uint32_t> types;
};

TEST_F(SlowDevices, AnswersWaitForTheirFences) {
    submit(10);
    submit(11);
    EXPECT_THAT(fences(), ElementsAre());
    EXPECT_EQ(make_context(2), kFine) << "what has no fence does not wait";
    slow->done = 1;
    EXPECT_THAT(fences(), ElementsAre(10));
    slow->done = 2;
    EXPECT_THAT(fences(), ElementsAre(11));
}

template <class Renderer>
concept CanWait = requires(Renderer& renderer, virgl::TransferRequest request, std::span<std::byte> bytes) {
    renderer.read(request, bytes);
}
|| requires(Renderer& renderer) {
    renderer.busy(0u, true);
};
static_assert(CanWait<virgl::SharedRenderer> && !CanWait<virgl::MachineRenderer>, "the loop serves others, too");

TEST_F(SlowDevices, BytesWithoutAFenceWaitForTheDevice) {
    ASSERT_EQ(create(1, 4, 4), kFine);
    ASSERT_EQ(attach(1, 64), kFine);
    send(virtio_gpu_transfer_host_3d{header(VIRTIO_GPU_CMD_TRANSFER_FROM_HOST_3D), {0, 0, 0, 4, 4, 1}, 0, 1, 0, 0, 0});
    EXPECT_THAT(fences(), ElementsAre());
    slow->done = 1;
    EXPECT_THAT(fences(), ElementsAre(0));
}

TEST_F(SlowDevices, CursorsWaitForTheDeviceAndMoveMeanwhile) {
    ASSERT_EQ(create(5, 64, 64), kFine);
    virtio_gpu_update_cursor c{header(VIRTIO_GPU_CMD_UPDATE_CURSOR), {0, 30, 40, 0}, 5, 3, 4, 0};
    send(c, {}, 64, kCursor);
    step();
    c.hdr.type = VIRTIO_GPU_CMD_MOVE_CURSOR;
    c.pos.x = 31;
    send(c, {}, 64, kCursor);
    EXPECT_TRUE(take_shown(kCursorUpdate).empty());
    EXPECT_EQ(drivers[kCursor].used().idx, 2) << "the guest goes on";
    slow->done = slow->fences;
    const auto updates = take_shown(kCursorUpdate);
    ASSERT_EQ(updates.size(), 1u);
    EXPECT_THAT(std::vector(updates[0].begin(), updates[0].begin() + 5), ElementsAre(0, 31, 40, 3, 4));
}

TEST_F(SlowDevices, FlushesThatAreTooManyWaitInTheirRing) {
    ASSERT_EQ(create(1, 4, 4), kFine);
    ASSERT_EQ(set_scanout(0, 1, {0, 0, 4, 4}), kFine);
    for (int i = 0; i < 6; i++) {
        send(virtio_gpu_resource_flush{header(VIRTIO_GPU_CMD_RESOURCE_FLUSH), {0, 0, 4, 4}, 1, 0});
        step();
    }
    EXPECT_EQ(answers().size(), 4u);
    front.send(vhost::Request::GetFeatures);
    step();
    EXPECT_NE(front.answer_as<uint64_t>(), 0u) << "the front end does not wait";
    slow->done = slow->fences;
    step();
    EXPECT_EQ(answers().size(), 2u);
}

TEST_F(SlowDevices, WorkThatDoesNotGetOnIsNoProgress) {
    submit(10);
    const uint64_t before = progress.reads;
    step();
    EXPECT_EQ(progress.reads, before);
    slow->done = 1;
    step();
    EXPECT_GT(progress.reads, before);
}

TEST_F(SlowDevices, PausedRingGetsItsAnswersWhenItGoesOn) {
    submit(10);
    stop_rings();
    slow->done = 1;
    const uint64_t looks = slow->looks;
    EXPECT_THAT(fences(), ElementsAre());
    EXPECT_EQ(slow->looks, looks) << "at which a renderer writes the device's bytes to the guest's memory";
    begin_rings(1);
    EXPECT_THAT(fences(), ElementsAre(10));
}

TEST_F(SlowDevices, PausedRingGetsItsErrorsWhenItGoesOn) {
    ASSERT_EQ(create(5, 64, 64), kFine);
    submit(10);
    send(virtio_gpu_update_cursor{header(VIRTIO_GPU_CMD_UPDATE_CURSOR), {0, 0, 0, 0}, 5, 0, 0, 0}, {}, 64, kCursor);
    step();
    stop_rings();
    slow->fails = true;
    EXPECT_THAT(fences(), ElementsAre());
    begin_rings(1);
    EXPECT_THAT(fences(), ElementsAre(10));
}

TEST_F(SlowDevices, NewDriverGetsNoOldAnswers) {
    submit(10);
    stop_rings();
    front.send(vhost::Request::ResetDevice);
    step();
    slow->done = 1;
    begin_rings(1);
    EXPECT_THAT(fences(), ElementsAre());
}

/// What waits for it is not done.
TEST_F(SlowDevices, FailureOfWorkIsAnError) {
    submit(10);
    slow->fails = true;
    step();
    EXPECT_THAT(fences(), ElementsAre(10));
    EXPECT_THAT(types, testing::ElementsAre(uint32_t{VIRTIO_GPU_RESP_ERR_UNSPEC}));
    EXPECT_THAT(lines, testing::HasSubstr("only 2D"));
}

TEST_F(SlowDevices, LostDeviceLeaves2d) {
    ASSERT_EQ(create(1, 4, 4), kFine);
    ASSERT_EQ(attach(1, 64), kFine);
    ASSERT_EQ(set_scanout(0, 1, {0, 0, 4, 4}), kFine);
    submit(10);
    slow->lost = true;
    send(virtio_gpu_ctx_create{header(VIRTIO_GPU_CMD_CTX_CREATE, 2), 0, 0, {}});
    EXPECT_THAT(fences(), ElementsAre(10, 0)) << "all requests so far get an answer";
    EXPECT_THAT(types, testing::Each(uint32_t{VIRTIO_GPU_RESP_ERR_UNSPEC}));
    EXPECT_THAT(lines, testing::HasSubstr("only 2D"));
    EXPECT_EQ(make_context(3), VIRTIO_GPU_RESP_ERR_UNSPEC);
    fill(0xff010203, 16);
    EXPECT_EQ(transfer(1, {0, 0, 4, 4}), kFine);
    EXPECT_EQ(flush(1, {0, 0, 4, 4}), kFine);
    const auto updates = take_shown(8);
    ASSERT_FALSE(updates.empty());
    EXPECT_EQ(updates.back().back() & 0xffffff, 0x010203u);
}

}  // namespace
}  // namespace tgsi2spv::virtio_gpu::test

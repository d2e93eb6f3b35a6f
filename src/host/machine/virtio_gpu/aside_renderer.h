// Makes the long calls of a renderer aside (turns.h).
#pragma once

#include <memory>
#include <utility>

#include "machine/virtio_gpu/turns.h"
#include "virgl/renderer.h"

namespace tgsi2spv::virtio_gpu {

class AsideRenderer final : public virgl::MachineRenderer {
  public:
    AsideRenderer(std::unique_ptr<virgl::MachineRenderer> renderer, Turns& turns)
        : renderer_(std::move(renderer)), turns_(turns) {}

    const virgl::CapsV2& caps() const override { return renderer_->caps(); }
    bool charge(int64_t bytes) override { return renderer_->charge(bytes); }
    bool passed(uint64_t fence) override { return renderer_->passed(fence); }
    bool failed() const override { return renderer_->failed(); }
    bool has_room() override { return renderer_->has_room(); }

    virgl::Outcome create_resource(const virgl::ResourceRequest& request,
                                   std::shared_ptr<virgl::SharedMemory> memory) override {
        return turns_.aside([&] { return renderer_->create_resource(request, std::move(memory)); });
    }
    virgl::Outcome destroy_resource(uint32_t handle) override {
        return turns_.aside([&] { return renderer_->destroy_resource(handle); });
    }
    virgl::Outcome write_from_memory(const virgl::TransferRequest& request, uint64_t offset) override {
        return turns_.aside([&] { return renderer_->write_from_memory(request, offset); });
    }
    virgl::Outcome read_to_memory(const virgl::TransferRequest& request, uint64_t offset) override {
        return turns_.aside([&] { return renderer_->read_to_memory(request, offset); });
    }
    virgl::Outcome create_context(uint32_t context) override {
        return turns_.aside([&] { return renderer_->create_context(context); });
    }
    virgl::Outcome destroy_context(uint32_t context) override {
        return turns_.aside([&] { return renderer_->destroy_context(context); });
    }
    virgl::Outcome attach(uint32_t context, uint32_t handle) override {
        return turns_.aside([&] { return renderer_->attach(context, handle); });
    }
    virgl::Outcome detach(uint32_t context, uint32_t handle) override {
        return turns_.aside([&] { return renderer_->detach(context, handle); });
    }
    virgl::Outcome submit(uint32_t context, virgl::Words words) override {
        return turns_.aside([&] { return renderer_->submit(context, words); });
    }
    virgl::Outcome set_memory(uint32_t handle, std::shared_ptr<virgl::SharedMemory> memory) override {
        return turns_.aside([&] { return renderer_->set_memory(handle, std::move(memory)); });
    }
    virgl::Outcome read_into(const virgl::TransferRequest& request, std::shared_ptr<virgl::SharedMemory> memory,
                             uint64_t offset) override {
        return turns_.aside([&] { return renderer_->read_into(request, std::move(memory), offset); });
    }
    uint64_t fence() override {
        return turns_.aside([&] { return renderer_->fence(); });
    }

  private:
    std::unique_ptr<virgl::MachineRenderer> renderer_;
    Turns& turns_;
};

}  // namespace tgsi2spv::virtio_gpu

// A renderer without a device, for machines that draw only with their CPU: two-dimensional resources of four bytes a
// texel, in this process's memory. It has no contexts.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "virgl/renderer.h"

namespace tgsi2spv::virtio_gpu {

class FlatRenderer : public virgl::MachineRenderer {
  public:
    /// The limit of all resources together.
    explicit FlatRenderer(uint64_t most_bytes) : left_(most_bytes) {}

    const virgl::CapsV2& caps() const override { return caps_; }
    bool charge(int64_t bytes) override;
    virgl::Outcome create_resource(const virgl::ResourceRequest& request,
                                   std::shared_ptr<virgl::SharedMemory> memory) override;
    virgl::Outcome destroy_resource(uint32_t handle) override;
    virgl::Outcome set_memory(uint32_t handle, std::shared_ptr<virgl::SharedMemory> memory) override;
    virgl::Outcome read_into(const virgl::TransferRequest& request, std::shared_ptr<virgl::SharedMemory> memory,
                             uint64_t offset) override;
    virgl::Outcome write_from_memory(const virgl::TransferRequest& request, uint64_t offset) override;
    virgl::Outcome read_to_memory(const virgl::TransferRequest& request, uint64_t offset) override;
    uint64_t fence() override { return 0; }
    bool passed(uint64_t) override { return true; }

    virgl::Outcome submit(uint32_t, virgl::Words) override { return virgl::Outcome::Refused; }
    virgl::Outcome create_context(uint32_t) override { return virgl::Outcome::Refused; }
    virgl::Outcome destroy_context(uint32_t) override { return virgl::Outcome::Refused; }
    virgl::Outcome attach(uint32_t, uint32_t) override { return virgl::Outcome::Refused; }
    virgl::Outcome detach(uint32_t, uint32_t) override { return virgl::Outcome::Refused; }

  private:
    struct Flat {
        uint32_t width, height;
        std::vector<std::byte> texels;
        std::shared_ptr<virgl::SharedMemory> memory;
    };
    /// Calls row(texels, at) for the rows of a box, with their places in memory, if all of it is inside.
    template <class Row>
    virgl::Outcome for_rows(const virgl::TransferRequest& request, uint64_t offset, uint64_t memory_bytes,
                            const Row& row);
    Flat* find(uint32_t handle);

    virgl::CapsV2 caps_{};
    uint64_t left_;
    std::unordered_map<uint32_t, Flat> resources_;
};

}  // namespace tgsi2spv::virtio_gpu

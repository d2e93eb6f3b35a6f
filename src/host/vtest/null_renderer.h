// A renderer without a device, for tests, fuzzing and the front end alone: reports the capabilities of GL 2.1, keeps
// nothing, draws nothing, reads zeros. Queries end at once, so that programs run to their end.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "virgl/renderer.h"

namespace tgsi2spv::vtest {

class NullRenderer final : public virgl::Renderer {
  public:
    NullRenderer();
    const virgl::CapsV2& caps() const override { return caps_; }
    virgl::Outcome create_resource(const virgl::ResourceRequest& request,
                                   std::shared_ptr<virgl::SharedMemory> memory) override;
    virgl::Outcome destroy_resource(uint32_t handle) override;
    bool maps(const std::shared_ptr<virgl::SharedMemory>&) override { return true; }
    virgl::Outcome create_mapped(uint32_t handle, uint64_t number,
                                 std::shared_ptr<virgl::SharedMemory> memory) override;
    virgl::Outcome submit(virgl::Words words) override;
    virgl::Outcome write(const virgl::TransferRequest& request, std::span<const std::byte> data) override;
    virgl::Outcome read(const virgl::TransferRequest& request, std::span<std::byte> data) override;
    virgl::Outcome write_from_memory(const virgl::TransferRequest& request, uint64_t offset) override;
    virgl::Outcome read_to_memory(const virgl::TransferRequest& request, uint64_t offset) override;
    bool busy(uint32_t handle, bool wait) override;

  private:
    virgl::Outcome exists(uint32_t handle) const;
    void end_query(uint32_t query);

    virgl::CapsV2 caps_{};
    std::map<uint32_t, std::shared_ptr<virgl::SharedMemory>> resources_;
    std::map<std::pair<uint32_t, uint32_t>, virgl::CreateQuery> queries_;  ///< queries by sub-context and handle
    uint32_t sub_context_ = 0;
};

}  // namespace tgsi2spv::vtest

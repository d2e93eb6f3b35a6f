// The frames that a program presents, as pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "process/log.h"
#include "virgl/renderer.h"

namespace tools {

/// Passes everything on to another renderer, and writes each picture that a program reads from a window's surface, as
/// guests do to present it, to FOLDER/CLIENT-NUMBER.png.
class FrameWriter final : public tgsi2spv::virgl::Renderer {
  public:
    FrameWriter(tgsi2spv::virgl::Renderer& renderer, std::string prefix, tgsi2spv::process::Log& log)
        : renderer_(renderer), prefix_(std::move(prefix)), log_(log) {}

    using Outcome = tgsi2spv::virgl::Outcome;
    using ResourceRequest = tgsi2spv::virgl::ResourceRequest;
    using TransferRequest = tgsi2spv::virgl::TransferRequest;
    const tgsi2spv::virgl::CapsV2& caps() const override { return renderer_.caps(); }
    bool charge(int64_t bytes) override { return renderer_.charge(bytes); }
    Outcome create_resource(const ResourceRequest& request,
                            std::shared_ptr<tgsi2spv::virgl::SharedMemory> memory) override;
    Outcome destroy_resource(uint32_t handle) override;
    Outcome submit(tgsi2spv::virgl::Words words) override { return renderer_.submit(words); }
    Outcome write(const TransferRequest& request, std::span<const std::byte> data) override {
        return renderer_.write(request, data);
    }
    Outcome read(const TransferRequest& request, std::span<std::byte> data) override;
    Outcome write_from_memory(const TransferRequest& request, uint64_t offset) override {
        return renderer_.write_from_memory(request, offset);
    }
    Outcome read_to_memory(const TransferRequest& request, uint64_t offset) override;
    bool busy(uint32_t handle, bool wait) override;

  private:
    struct Surface {
        uint32_t width, height;
        bool blue_first;
        std::shared_ptr<tgsi2spv::virgl::SharedMemory> memory;
        std::vector<std::byte> pixels;  ///< pixels without shared memory
        bool reads = false;
    };
    void write_frame(const Surface& surface, std::span<const std::byte> pixels);

    tgsi2spv::virgl::Renderer& renderer_;
    std::string prefix_;
    tgsi2spv::process::Log& log_;
    std::unordered_map<uint32_t, Surface> surfaces_;
    unsigned frames_ = 0;
};

}  // namespace tools

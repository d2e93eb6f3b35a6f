// A recording of a session's calls of its renderer, which can be replayed without a guest.
//
// The file: kMagic, the size of the caps and the guest's caps, then records of {kind, bytes of the rest}. All numbers
// are 32 bits, little endian. A guest's shared memory is part of it where it is read: before a record that reads it,
// the changed parts come as Memory records.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "virgl/renderer.h"

namespace tgsi2spv::vtest {

inline constexpr std::string_view kMagic = "tgsi-host recording 1.0\n";

enum class RecordKind : uint32_t {
    Create = 1,           ///< the 10 words of ResourceRequest, size of the shared memory
    Destroy = 2,          ///< handle
    Submit = 3,           ///< words
    Write = 4,            ///< transfer, data
    Read = 5,             ///< transfer, the data that came
    WriteFromMemory = 6,  ///< transfer, offset (two words, low first)
    ReadToMemory = 7,     ///< transfer, offset (two words, low first)
    Wait = 8,             ///< handle: the guest learned that its work is done
    Memory = 9,           ///< handle, offset, bytes that the guest wrote
    Expected = 10,        ///< handle, offset, bytes that the host wrote
    Compare = 11,         ///< handle: its memory was read to, and now has the recorded contents
};
/// handle, level, strides, box
inline constexpr size_t kTransferRecordWords = 10;

/// Passes everything on to another renderer, and records it.
class Recorder final : public virgl::Renderer {
  public:
    /// Receives the file's bytes in order, a record at a time: if this process dies, the file is complete. Returns
    /// whether they could be written. After a failure, nothing more is recorded.
    using Sink = std::function<bool(std::span<const std::byte>)>;
    Recorder(virgl::Renderer& renderer, Sink sink);

    const virgl::CapsV2& caps() const override { return renderer_.caps(); }
    bool charge(int64_t bytes) override { return renderer_.charge(bytes); }
    virgl::Outcome create_resource(const virgl::ResourceRequest& request,
                                   std::shared_ptr<virgl::SharedMemory> memory) override;
    virgl::Outcome destroy_resource(uint32_t handle) override;
    virgl::Outcome submit(virgl::Words words) override;
    virgl::Outcome write(const virgl::TransferRequest& request, std::span<const std::byte> data) override;
    virgl::Outcome read(const virgl::TransferRequest& request, std::span<std::byte> data) override;
    virgl::Outcome write_from_memory(const virgl::TransferRequest& request, uint64_t offset) override;
    virgl::Outcome read_to_memory(const virgl::TransferRequest& request, uint64_t offset) override;
    bool busy(uint32_t handle, bool wait) override;

  private:
    struct Resource {
        std::shared_ptr<virgl::SharedMemory> memory;
        std::vector<std::byte> seen;  ///< the memory's contents by the recording
        bool only_memory;             ///< the host keeps nothing else for it: reads change nothing
        bool reads = false;           ///< is being read to
    };
    void put(RecordKind kind, std::span<const uint32_t> words, std::span<const std::byte> bytes = {});
    void put_changes(RecordKind kind, uint32_t handle);

    virgl::Renderer& renderer_;
    Sink sink_;
    bool works_ = true;
    std::vector<std::byte> record_;
    std::unordered_map<uint32_t, Resource> resources_;
};

}  // namespace tgsi2spv::vtest

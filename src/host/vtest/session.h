// One client's connection: negotiates, checks each message, and passes it to the renderer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "process/log.h"
#include "process/stream.h"
#include "virgl/renderer.h"
#include "vtest/messages.h"
#include "vtest/shm.h"

namespace tgsi2spv::vtest {

struct Limits {
    uint32_t resources = 65536;
    uint64_t shared_bytes = uint64_t{1} << 30;
    uint32_t command_words = virgl::kMaxBufferWords;
    uint32_t transfer_bytes = 1u << 30;  ///< bytes of one transfer of version 0
    uint32_t version = kVersion;         ///< the newest that is offered
};

enum class Ending : uint8_t {
    Closed,   ///< the guest closed the connection between two messages
    Lost,     ///< it did so in the middle of one, or does not read replies
    Refused,  ///< it broke the protocol or a limit; the log says how
    Device,   ///< the device failed
};

class Session {
  public:
    Session(process::Stream& stream, virgl::Renderer& renderer, process::Log& log, const Limits& limits = {});
    /// Serves the client until its end.
    Ending run();

  private:
    struct Resource {
        bool known;  ///< the renderer has it; otherwise it was refused, and its uses do nothing
        std::shared_ptr<virgl::SharedMemory> memory;
    };

    // Each returns whether the session goes on.
    bool step();
    struct Row;
    static const Row* row_of(uint32_t message);
    using Serve = bool(const Row& row, uint32_t length);
    Serve create_renderer, ping, protocol_version, send_caps, send_caps2, busy_wait, create_resource, create_blob,
        unref, transfer, transfer2, submit;
    bool get(uint32_t size, const virgl::TransferRequest& request);
    bool put(uint32_t size, const virgl::TransferRequest& request);

    /// Whether guests of version 3 can have buffers whose memory stays mapped. Tried once.
    bool maps();
    uint32_t new_handle();
    /// None: there is no memory for another resource, and the log says why.
    std::optional<SharedFile::Made> make_memory(uint32_t handle, uint64_t size);
    /// Answers a request that the guest has given no handle; then sends the file, if one is expected.
    bool answer(Message message, uint32_t handle, std::optional<int> file);
    const Resource* no_room(uint32_t handle, uint32_t bytes);
    /// Whether the renderer did it.
    bool done(virgl::Outcome outcome);
    /// Ends the session: the guest is wrong.
    bool refuse(const std::string& why);
    bool read(std::span<std::byte> bytes);
    bool read_words(std::span<uint32_t> words);
    bool write(std::span<const std::byte> bytes);
    bool reply(Message message, std::span<const uint32_t> words);
    bool expect_length(const Row& row, uint32_t length);
    Resource* find(uint32_t handle);

    process::Stream& stream_;
    virgl::Renderer& renderer_;
    process::Log& log_;
    const Limits limits_;
    std::shared_ptr<SharedBudget> budget_;
    Ending ending_ = Ending::Closed;
    bool started_ = false;
    bool device_lost_ = false;
    uint32_t version_ = 0;
    std::optional<bool> maps_;
    uint32_t next_handle_ = 1;  ///< next handle in version 3, where the server gives them
    std::unordered_map<uint32_t, Resource> resources_;
    std::vector<uint32_t> words_;  ///< words of SUBMIT_CMD
};

}  // namespace tgsi2spv::vtest

// Memory that a guest and this process share: a file without a name, of fixed size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "process/socket.h"
#include "virgl/renderer.h"

namespace tgsi2spv::vtest {

/// The limit and the use of one client's shared memory. Memory counts until its last user is gone, which may be after
/// the guest has forgotten the resource.
struct SharedBudget {
    uint64_t most_bytes = uint64_t{1} << 30;
    uint32_t most_files = 60000;  // each is a mapping, of which Linux gives a process 65,530
    uint64_t bytes = 0;
    uint32_t files = 0;
};

class SharedFile final : public virgl::SharedMemory {
  public:
    /// The mapped memory, all zero, and the file to send to the guest.
    struct Made {
        std::shared_ptr<SharedFile> memory;
        process::Descriptor file;
    };
    static tl::expected<Made, std::string> create(uint64_t size, const std::shared_ptr<SharedBudget>& budget);
    ~SharedFile() override;

  private:
    SharedFile(std::span<std::byte> mapped, std::shared_ptr<SharedBudget> budget);
    std::shared_ptr<SharedBudget> budget_;
};

}  // namespace tgsi2spv::vtest

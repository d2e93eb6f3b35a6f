// A guest's bytes through a session: it ends for any bytes. Its requests are recorded, and the recording can be
// replayed. Inputs that begin with 'r' are recordings themselves.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "target.h"
#include "vtest/null_renderer.h"
#include "vtest/record.h"
#include "vtest/replay.h"
#include "vtest/session.h"

using namespace tgsi2spv;

namespace {

class Bytes final : public process::Stream {
  public:
    explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
    process::Got read(std::span<std::byte> into) override {
        if (bytes_.empty()) return process::Got::End;
        const size_t part = std::min(into.size(), bytes_.size());
        std::memcpy(into.data(), bytes_.data(), part);
        bytes_ = bytes_.subspan(part);
        return part == into.size() ? process::Got::All : process::Got::Lost;
    }
    bool write(std::span<const std::byte>) override { return true; }
    bool send_file(int) override { return true; }

  private:
    std::span<const std::byte> bytes_;
};

constexpr uint64_t kMostShared = 1u << 20;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::span<const std::byte> input = std::as_bytes(std::span(data, size));
    process::Log log("log", 100, [](const std::string&) {});
    vtest::NullRenderer again;
    if (size > 0 && data[0] == 'r') {
        Bytes file(input.subspan(1));
        const auto replayed = vtest::replay(file, again, log, kMostShared);
        fuzz::require(replayed || !replayed.error().empty(), "refused without a reason");
        return 0;
    }
    std::vector<std::byte> recording;
    vtest::NullRenderer renderer;
    vtest::Recorder recorder(renderer, [&](std::span<const std::byte> bytes) {
        recording.insert(recording.end(), bytes.begin(), bytes.end());
        return true;
    });
    Bytes stream(input);
    vtest::Limits limits;
    limits.resources = 100;
    limits.shared_bytes = kMostShared;
    limits.transfer_bytes = kMostShared;
    vtest::Session(stream, recorder, log, limits).run();
    Bytes file(recording);
    const auto replayed = vtest::replay(file, again, log, kMostShared);
    fuzz::require(replayed.has_value(), "what was recorded cannot be replayed");
    fuzz::require(replayed->different == 0, "the same renderer reads something else");
    return 0;
}

// A renderer with shared memory for results of queries.
#pragma once

#include <cstring>

#include "drawing.h"

namespace tgsi2spv::host {

inline constexpr uint32_t kResult = 5, kCaptured = 6, kQuery = 50, kTargetObject = 60;

struct Bytes final : SharedMemory {
    explicit Bytes(size_t size) : storage(size) { bytes = storage; }
    std::vector<std::byte> storage;
};

class Queries : public Draws {
  protected:
    void start() override {
        Draws::start();
        memory_ = std::make_shared<Bytes>(64);
        ASSERT_EQ(renderer_->create_resource({kResult, 0, 64, kBindCustom, 64, 1, 1, 1, 0, 0}, memory_), Outcome::Done);
    }
    uint32_t state() const { return word(0); }
    /// Waits, as guests do, and reads.
    uint64_t result() {
        EXPECT_FALSE(renderer_->busy(kResult, true));
        EXPECT_EQ(state(), 1u);
        uint64_t value = 0;
        std::memcpy(&value, memory_->bytes.data() + 8, 8);
        return value;
    }
    uint32_t word(size_t offset) const {
        uint32_t value = 0;
        std::memcpy(&value, memory_->bytes.data() + offset, 4);
        return value;
    }
    void set_state(uint32_t value) { std::memcpy(memory_->bytes.data(), &value, 4); }
    std::shared_ptr<Bytes> memory_;
};

inline Buffer query(QueryType type, uint32_t handle = kQuery, uint32_t index = 0, uint32_t offset = 0) {
    return object(O::Query, {handle, static_cast<uint32_t>(type) | index << 16, offset, kResult});
}
inline Buffer begin(uint32_t handle = kQuery) {
    return command(Id::BeginQuery, {handle});
}
inline Buffer end(uint32_t handle = kQuery) {
    return command(Id::EndQuery, {handle});
}
inline Buffer get(uint32_t handle = kQuery) {
    return command(Id::GetQueryResult, {handle, 0});
}
/// Draws are captured in these bytes of a buffer.
inline Buffer capture_to(uint32_t target, uint32_t buffer, uint32_t offset, uint32_t bytes) {
    return object(O::StreamoutTarget, {target, buffer, offset, bytes}) + command(Id::SetStreamoutTargets, {0, target});
}

}  // namespace tgsi2spv::host

// The limit of all memory that guests' objects may take, on the device and on the CPU.
#pragma once

#include <cstdint>
#include <utility>

namespace tgsi2spv::vk {

class Budget {
  public:
    explicit Budget(uint64_t limit) : limit_(limit) {}
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;

    uint64_t limit() const { return limit_; }
    uint64_t used() const { return used_; }
    bool has_room(uint64_t bytes) const { return used_ <= limit_ && bytes <= limit_ - used_; }
    /// Records an allocation; does not check the limit.
    void add(uint64_t bytes) { used_ += bytes; }
    void remove(uint64_t bytes) { used_ -= bytes; }

  private:
    uint64_t limit_, used_ = 0;
};

/// Bytes of a budget, for as long as it lives. The budget lives longer.
class Charge {
  public:
    Charge() = default;
    Charge(Budget& budget, uint64_t bytes) : budget_(&budget), bytes_(bytes) { budget.add(bytes); }
    Charge(Charge&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Charge& operator=(Charge&& other) noexcept {
        std::swap(budget_, other.budget_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    /// More bytes of the same budget.
    void add(Budget& budget, uint64_t bytes) {
        budget.add(bytes);
        budget_ = &budget;
        bytes_ += bytes;
    }
    uint64_t bytes() const { return bytes_; }
    ~Charge() {
        if (budget_ != nullptr) budget_->remove(bytes_);
    }

  private:
    Budget* budget_ = nullptr;
    uint64_t bytes_ = 0;
};

}  // namespace tgsi2spv::vk

// How fast a guest can make a log grow.
#pragma once

#include <chrono>
#include <cstddef>

namespace tgsi2spv::virgl {

/// Limits the lines of a minute. The last one says instead that the rest of the minute is left out.
class LogRate {
  public:
    using Clock = std::chrono::steady_clock;
    enum class Answer { Write, WriteThatLinesAreMissing, Leave };

    explicit LogRate(size_t lines_per_minute = 200) : most_(lines_per_minute) {}
    Answer line(Clock::time_point now = Clock::now()) {
        if (count_ == 0 || now - begin_ >= std::chrono::minutes(1)) {
            begin_ = now;
            count_ = 0;
        }
        if (count_ > most_) return Answer::Leave;
        return count_++ < most_ ? Answer::Write : Answer::WriteThatLinesAreMissing;
    }

  private:
    size_t most_, count_ = 0;
    Clock::time_point begin_{};
};
inline constexpr const char* kLinesAreMissing = "too many lines: the others of this minute are left out";
inline constexpr size_t kMostLineBytes = 2000;

}  // namespace tgsi2spv::virgl

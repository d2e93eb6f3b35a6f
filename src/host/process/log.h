// A log of guests' events: a line per event.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tgsi2spv::process {

/// Control bytes and all outside ASCII become \xNN: the text may be a guest's.
std::string escaped(std::string_view text);

inline constexpr size_t kMostLineBytes = 2000;

class Log {
  public:
    using Sink = std::function<void(const std::string& line)>;
    /// Each line begins with `prefix`. Lines beyond `most` in a minute are left out, as one more says.
    explicit Log(std::string prefix, size_t most = 200, Sink sink = {});
    void line(std::string_view text);
    const std::string& prefix() const { return prefix_; }

  private:
    std::string prefix_;
    const size_t most_;
    Sink sink_;
    size_t lines_ = 0;  ///< of the minute that began then
    std::chrono::steady_clock::time_point begin_{};
};

}  // namespace tgsi2spv::process

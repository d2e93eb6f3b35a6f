// A log of guests' events: a line per event.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tgsi2spv::process {

/// Control bytes and all outside ASCII become \xNN: the text may be a guest's.
std::string escaped(std::string_view text);

inline constexpr size_t kMostLineBytes = 2000;

/// Counts the lines of a minute.
class Minute {
  public:
    explicit Minute(size_t most) : most_(most) {}
    size_t most() const { return most_; }
    enum class Line : uint8_t { Shown, First, Dropped };  ///< First: of those that are too many
    Line count();

  private:
    size_t most_, lines_ = 0;
    std::chrono::steady_clock::time_point begin_{};
};

class Log {
  public:
    using Sink = std::function<void(const std::string& line)>;
    /// Each line begins with `prefix`. Lines beyond `most` in a minute are left out, as one more says.
    explicit Log(std::string prefix, size_t most = 200, Sink sink = {});
    void line(std::string_view text);
    /// A log with the same prefix, whose lines go where these go, but count by themselves and in `all`.
    Log of_client(std::shared_ptr<Minute> all) const { return {prefix_, minute_, sink_, std::move(all)}; }
    const std::string& prefix() const { return prefix_; }

  private:
    Log(std::string prefix, const Minute& limit, Sink sink, std::shared_ptr<Minute> all)
        : prefix_(std::move(prefix)), sink_(std::move(sink)), minute_(limit.most()), all_(std::move(all)) {}

    std::string prefix_;
    Sink sink_;
    Minute minute_;
    std::shared_ptr<Minute> all_;
};

}  // namespace tgsi2spv::process

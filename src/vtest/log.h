// The log of one client: a line per event.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tgsi2spv::vtest {

/// Control bytes and all outside ASCII become \xNN: the text may be a guest's.
std::string escaped(std::string_view text);

class Log {
  public:
    using Sink = std::function<void(const std::string& line)>;
    /// Each line begins with `prefix`. After `most` lines, only one more says so: a guest can cause any number.
    explicit Log(std::string prefix, size_t most = 1000, Sink sink = {});
    void line(std::string_view text);

  private:
    std::string prefix_;
    size_t left_;
    Sink sink_;
};

}  // namespace tgsi2spv::vtest

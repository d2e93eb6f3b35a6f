// A log of guests' events: a line per event.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "virgl/log_rate.h"

namespace tgsi2spv::process {

/// Control bytes and all outside ASCII become \xNN: the text may be a guest's.
std::string escaped(std::string_view text);

class Log {
  public:
    using Sink = std::function<void(const std::string& line)>;
    /// Each line begins with `prefix`. Lines beyond `most` in a minute are left out.
    explicit Log(std::string prefix, size_t most = 200, Sink sink = {});
    void line(std::string_view text);
    const std::string& prefix() const { return prefix_; }

  private:
    std::string prefix_;
    virgl::LogRate rate_;
    Sink sink_;
};

}  // namespace tgsi2spv::process

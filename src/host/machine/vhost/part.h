// Other work of a machine's loop, beside its graphics.
#pragma once

#include <poll.h>

#include <span>
#include <vector>

namespace tgsi2spv::vhost {

/// Nothing of it ever waits.
class Part {
  public:
    Part() = default;
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    virtual ~Part() = default;

    /// Appends the files that it waits for.
    virtual void add_waits(std::vector<pollfd>& waits) const = 0;
    /// Milliseconds until it is to be served without news of them; -1: never.
    virtual int time_to_wait() const { return -1; }
    /// Called after the wait, with the entries that it added last.
    virtual void serve(std::span<const pollfd> waits) = 0;
};

}  // namespace tgsi2spv::vhost

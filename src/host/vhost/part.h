// What the loop of a machine's process serves beside its graphics.
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

    /// Adds the files that it waits for: as many as it likes, but those before them stay.
    virtual void add_waits(std::vector<pollfd>& waits) const = 0;
    /// Does what there is to do, given what it has added last, with what is ready.
    virtual void serve(std::span<const pollfd> waits) = 0;
};

}  // namespace tgsi2spv::vhost

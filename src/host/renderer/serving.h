// Which client is served, and which of its sub-contexts. They take turns with the one stream of work.
#pragma once

#include <cstdint>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// The next draws belong to this sub-context; another one's scope and clears end before.
void make_current(Host& host, SubContext& context);
/// Forgets a sub-context that will be destroyed; `next` becomes current if it was.
void leave(Host& host, SubContext& context, SubContext& next);
Problem destroy_context(Host& host, uint32_t context);

/// While it lives, `client` is served; afterwards context 0.
class Serving {
  public:
    Serving(Host& host, Client& client);
    ~Serving();
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

  private:
    Host& host_;
};

}  // namespace tgsi2spv::host

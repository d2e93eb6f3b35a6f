// DRAW_VBO: from the bound state to one draw command.
#pragma once

#include <optional>
#include <vector>

#include "gpu/stream.h"
#include "renderer/draw/indirect.h"
#include "renderer/draw/program.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

Problem draw(Host& host, SubContext& context, const virgl::Draw& command);

/// A draw of an emulation (emulate.h), whatever conditions the guest has set.
struct OwnDraw {
    virgl::Draw command{};
    std::optional<IndirectDraws> indirect{};
    std::vector<gpu::Use> uses{};  ///< in addition to what is bound
};
/// False: no memory, or the library or the driver refuses.
bool draw_own(Host& host, SubContext& context, const OwnDraw& own);

}  // namespace tgsi2spv::host

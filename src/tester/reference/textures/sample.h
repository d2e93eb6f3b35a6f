// Texture messages executed on the CPU, with all answers that Vulkan permits ("Image Operations" of the Vulkan
// specification; semantics: Textures). The interpreter evaluates the parameters; everything after that is here.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/case/options.h"
#include "reference/numbers/value.h"
#include "reference/textures/lane.h"
#include "sampling/message.h"

namespace tgsi2spv::reference {

/// Executes `message` for all lanes; results[i] belongs to lanes[i] and is written if the lane wants it (components
/// outside message.channel_mask are unspecified). Lanes of FRAG come in quads: (x,y) (x+1,y) (x,y+1) (x+1,y+1). In
/// other stages a message has no implicit derivative and the order of the lanes means nothing.
void execute(const sampling::Message& message, std::span<const TextureLane> lanes, const Options& options,
             std::span<std::array<Value, 4>> results);

}  // namespace tgsi2spv::reference

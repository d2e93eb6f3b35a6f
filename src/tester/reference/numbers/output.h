// The contents of an output register by lane.
#pragma once

#include <array>
#include <vector>

#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

/// One output component (see value.h). Components that no instruction writes are unknown.
using Component = Value;
using Components = std::array<Component, 4>;

/// A register, lane by lane (TESS_CTRL: patch by patch).
using OutputLanes = std::vector<Components>;

}  // namespace tgsi2spv::reference

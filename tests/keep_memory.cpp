// Part of the test programs that run many shaders, as their tools do.
#include "shared/keep_memory.h"

namespace {

[[maybe_unused]] const bool kKeepsMemory = (tools::keep_memory(), true);

}  // namespace

// OUT of TESS_CTRL, which the invocations of a patch share.
#pragma once

#include "reference/machine/machine.h"

namespace tgsi2spv::reference {

namespace touch {
inline constexpr uint8_t kRead = 1;
inline constexpr uint8_t kWrote = 2;
inline constexpr uint8_t kChanged = 4;  ///< wrote after it had read
}  // namespace touch

/// The value that a lane reads from OUT[vertex][index]; unknown if another invocation may be writing something else.
Value read_shared(Machine& machine, int32_t vertex, int32_t index, int component, uint32_t lane);
/// Call it after a lane wrote its view. If others read something else since the last barrier, the word is overtaken.
void wrote_shared(Machine& machine, int32_t vertex, int32_t index, int component, uint32_t lane);
/// BARRIER: all invocations of the patch now read the written values. A patch is lost if not all of it arrives.
void patch_barrier(Machine& machine, const Mask& here);
void collect_patches(Machine& machine, const std::vector<uint8_t>& written, Result& result);

}  // namespace tgsi2spv::reference

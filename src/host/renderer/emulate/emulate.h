// Draws whose tessellation, GEOM or stream output the device lacks. The stages before the rasterizer run first, as
// compute shaders, and write vertex records to buffers (the library's TGSI2SPV_OPTION_RECORDS). Helper kernels fetch
// vertex attributes first, then list primitives in order and do stream output; a final draw with a pass-through vertex
// shader rasterizes the records. Large draws go in pieces, whose memory is bounded.
#pragma once

#include "renderer/record/record.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;
struct HostEmulator;
struct EmulationOptions;

/// Corners of the primitives that GEOM takes.
uint32_t corners_before(const Program& geom);
/// Vertices of a patch, at most.
uint32_t largest_patch(const vulkan::DeviceReport& report);
/// Counts the primitives of a draw that is not emulated, for queries of generated primitives that the device does not
/// count. `outlined`: for those of the device, too, which draws other primitives.
void count_generated(HostState& host, const DrawInputs& d, bool outlined);
/// Captures, and draws records; what VERT alone leaves is only captured, unless `from_records`.
Problem emulate(HostEmulator& host, const DrawInputs& d, const EmulationOptions& options);

}  // namespace tgsi2spv::host

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

/// Whether the host emulates the draw, since the device lacks something that it needs.
bool is_emulated(const HostState& host, const DrawInputs& d);
/// Corners of the primitives that GEOM takes.
uint32_t corners_before(const Program& geom);
/// Whether FRAG reads PRIMID, and Vulkan has none.
bool numbers_primitives(const HostState& host, const Bindings& context);
/// True if a shader depends on the whole draw (instance, draw or primitive ids) or creates primitives; such a draw
/// cannot be split.
bool knows_its_draw(const Bindings& context, const virgl::Draw& command);
/// Vertices of a patch, at most.
uint32_t largest_patch(const vulkan::DeviceReport& report);
/// Whether the device lacks instances as the guest has them: INSTANCEID from 0 on, which VERT has from Vulkan's number
/// only with shaderDrawParameters, and attributes that advance every few instances.
bool miscounts_instances(const HostState& host, const DrawInputs& d);
/// Whether a query of generated primitives counts the draw, for which the device does not count.
bool counts_generated(const DrawInputs& d);
/// Counts the primitives of a draw that is not emulated for these queries. `outlined`: for those of the device, too,
/// which draws other primitives.
void count_generated(HostState& host, const DrawInputs& d, bool outlined);
/// Captures, and draws records; what VERT alone leaves is only captured. `refused`: the device's own stages cannot have
/// the shaders, so VERT runs once, for its records.
Problem emulate(HostEmulator& host, const DrawInputs& d, bool refused);

}  // namespace tgsi2spv::host

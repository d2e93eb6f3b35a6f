// Draws whose tessellation, GEOM or stream output the device lacks. What stands before the rasterizer runs first, and
// leaves records of vertices in buffers (the library's TGSI2SPV_OPTION_RECORDS), all of it as compute shaders. Small
// ones fetch VERT's attributes before it; others then list the primitives in their order and capture them, and a last
// draw has a VERT that copies records. Large draws go in pieces, whose memory is bounded.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "renderer/draw/record.h"
#include "renderer/emulate/kernels.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

struct Emulation {
    Kernels kernels;
    // Of the current piece; kept for the next one of the same client.
    const void* owner = nullptr;
    std::shared_ptr<gpu::Buffer> inputs;    ///< records of VERT's attributes
    std::shared_ptr<gpu::Buffer> vertices;  ///< records that VERT wrote, then those of TESS_EVAL
    std::shared_ptr<gpu::Buffer> patches;   ///< records that TESS_CTRL wrote
    std::shared_ptr<gpu::Buffer> emitted;   ///< records that GEOM wrote
    std::shared_ptr<gpu::Buffer> counts, list, totals;
    struct {
        size_t vertices = 0;                     ///< since the last batch that was submitted for their sake
        uint64_t batch = 0;                      ///< that one
    } one_by_one;                                ///< primitives that were drawn so
    std::map<uint64_t, Shared<Shader>> copiers;  ///< VERTs of last draws, by the shader whose records they read
    std::map<std::pair<uint64_t, uint32_t>, Shared<Shader>> controls;  ///< TESS_CTRLs, by TESS_EVAL and vertices
    uint32_t made_primitives = 0;  ///< by the tessellation of the pieces of an instance so far
    uint64_t made_points = 0;      ///< by the tessellation of the command so far
    uint64_t passes = 0;           ///< of the command so far, to layers and viewports
    bool refused_patches = false;  ///< of the draw, for want of room
};

/// Whether the device lacks what the draw needs, and the host does it.
bool is_emulated(const Host& host, const DrawInputs& d);
/// Whether FRAG reads PRIMID, and Vulkan has none.
bool numbers_primitives(const Host& host, const Bindings& context);
/// Whether a stage knows of the draw's other primitives or instances, or makes primitives: parts of the draw, drawn one
/// by one, would look otherwise.
bool knows_its_draw(const Bindings& context, const virgl::Draw& command);
/// Vertices of a patch, at most.
uint32_t largest_patch(const vulkan::DeviceReport& report);
/// Whether the device lacks instances as the guest has them: INSTANCEID from 0 on, which VERT has from Vulkan's number
/// only with shaderDrawParameters, and attributes that advance every few instances.
bool miscounts_instances(const Host& host, const DrawInputs& d);
/// Whether a query of what is generated counts the draw that the device does not count for.
bool counts_generated(const DrawInputs& d);
/// Counts the primitives of a draw that is not emulated for these queries. `outlined`: for those of the device, too,
/// which draws other primitives.
void count_generated(Host& host, const DrawInputs& d, bool outlined);
/// Captures, and draws records; what VERT alone leaves is only captured. `refused`: the device's own stages cannot have
/// the shaders, so VERT runs once, for its records.
Problem emulate(Host& host, const DrawInputs& d, bool refused);

}  // namespace tgsi2spv::host

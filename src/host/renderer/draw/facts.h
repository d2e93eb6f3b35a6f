// The facts by which a way is chosen for a draw (ways.h). Finding them is pure: nothing is compiled or recorded, and
// nothing waits.
#pragma once

#include <volk.h>

#include <cstdint>

#include "renderer/record/record.h"
#include "renderer/record/shader_blend.h"
#include "virgl/commands.h"

namespace tgsi2spv::host {

/// The demands of a draw, whatever the device has.
struct DrawFacts {
    VkPrimitiveTopology topology{};
    virgl::FillMode fill = virgl::FillMode::Fill;  ///< fill mode of the polygons; Fill: also if none are drawn
    bool two_modes = false;                        ///< the polygons' faces have different fill modes
    bool last_provokes = false;                    ///< flat values come from the last vertex of a primitive
    bool reads_flat = false;                       ///< FRAG reads flat values
    bool stippled = false;                         ///< lines have a pattern
    bool discards = false;                         ///< nothing is rasterized
    TargetReads target_reads{};                    ///< if FRAG blends in place of the device

    bool geom = false, tessellates = false;
    bool tessellates_points = false, tessellates_lines = false;
    bool captures = false;          ///< the last stage before the rasterizer has outputs that are captured
    bool counts_generated = false;  ///< a query counts the primitives, and the device does not count for it
    bool reads_primitive = false;   ///< FRAG: PRIMID
    bool reads_instance = false, reads_draw_id = false;  ///< VERT

    uint32_t count = 0, instances = 1, first_instance = 0, draw_id = 0;  ///< unknown if the draw is indirect
    bool indirect = false;
    bool restarts = false;  ///< the indices may have restarts
    uint32_t divisor = 0;   ///< most instances after which an attribute advances, of a draw that may have several

    bool has_instances() const { return indirect || instances > 1; }
};

DrawFacts facts_of(const vk::Device& device, const DrawInputs& d);

}  // namespace tgsi2spv::host

#include "renderer/record/shader_depth.h"

#include <bit>

#include "renderer/record/dynamic_state.h"
#include "renderer/record/optional_state.h"
#include "renderer/record/program.h"
#include "renderer/state/caps.h"
#include "renderer/state/convert.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {
namespace {

/// The least difference between two depths; 0: they are floats.
float depth_unit(const Bindings& context) {
    const Surface* const depth = context.framebuffer.depth.get();
    const VkFormat format = depth != nullptr ? depth->resource->image->info().format : VK_FORMAT_UNDEFINED;
    const bool of_16 = format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D16_UNORM_S8_UINT;
    const bool of_24 = format == VK_FORMAT_X8_D24_UNORM_PACK32 || format == VK_FORMAT_D24_UNORM_S8_UINT;
    return of_16 ? 0x1p-16F : of_24 ? 0x1p-24F : 0;
}

float value_of(uint32_t id, const Bindings& context) {
    const virgl::CreateRasterizer& r = *context.rasterizer;
    switch (id) {
        case TGSI2SPV_SPEC_DEPTH_NEAR:
        case TGSI2SPV_SPEC_DEPTH_FAR:
            return depths_of(context, 0)[id - TGSI2SPV_SPEC_DEPTH_NEAR];
        case TGSI2SPV_SPEC_OFFSET_UNITS:
            return finite_or(r.offset_units, 0);
        case TGSI2SPV_SPEC_OFFSET_FACTOR:
            return finite_or(r.offset_scale, 0);
        case TGSI2SPV_SPEC_OFFSET_CLAMP:
            return finite_or(r.offset_clamp, 0);
        default:
            return depth_unit(context);
    }
}

}  // namespace

void add_shader_depth(const gpu::Device& device, const Bindings& context, VkPrimitiveTopology topology,
                      ModuleState& state) {
    const VkPhysicalDeviceFeatures& features = device.report().features;
    const virgl::CreateRasterizer& r = *context.rasterizer;
    state.clamp_depth = !r.depth_clip && features.depthClamp == 0 && can_clamp_depth(features);
    if (!state.clamp_depth) return;
    const bool makes_primitives =
        context.stage(virgl::Stage::Geom).shader != nullptr || context.stage(virgl::Stage::TessEval).shader != nullptr;
    const VkPolygonMode mode = features.fillModeNonSolid != 0 ? to_vulkan(fill_mode(r)) : VK_POLYGON_MODE_FILL;
    state.offset_depth = has_depth_bias(r, mode, topology, makes_primitives);
    state.sample_shading |=
        context.framebuffer.depth != nullptr && context.framebuffer.samples > 1 && features.sampleRateShading != 0;
}

uint32_t shader_depth_value(uint32_t id, const Bindings& context) {
    return std::bit_cast<uint32_t>(value_of(id, context));
}

}  // namespace tgsi2spv::host

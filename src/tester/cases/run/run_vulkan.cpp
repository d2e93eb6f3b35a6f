#include "cases/run/run_vulkan.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/stage.h"
#include "cases/run/bind.h"
#include "cases/run/quirks.h"
#include "cases/run/run_parts.h"
#include "harness/job.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::difftest {

namespace {

/// The pixels of FRAG's lanes. Lanes are numbered quad by quad in rows of quads, the first at the upper left
/// (lower/io_buffers.h).
struct Pixels {
    uint32_t width = 0;        ///< the framebuffer's, even; it determines the numbers of lanes
    uint32_t drawn_width = 0;  ///< the area to draw so that every lane is drawn
    uint32_t drawn_height = 0;
};

Pixels pixels_of_width(uint32_t lanes, uint32_t width) {
    Pixels p;
    p.width = width;
    const uint32_t quads = (lanes + 3) / 4, row = p.width / 2;
    p.drawn_width = quads >= row ? p.width : 2 * quads;
    p.drawn_height = 2 * ((quads + row - 1) / row);
    return p;
}

/// Whether the answer depends on the positions of lanes.
bool tells_pixels(const api::Context& context, const reference::Inputs& inputs) {
    const auto& program = context.program;
    if (std::any_of(program.instructions.begin(), program.instructions.end(),
                    [](const tgsi::Instruction& i) { return i.op == tgsi::Opcode::FBFETCH; }))
        return true;
    for (const tgsi::Declaration& d : program.declarations) {
        if (d.semantic != tgsi::Semantic::Position) continue;
        // An input is read from a buffer, and so is a system value that the case gives.
        if (d.file == tgsi::File::SystemValue && !inputs.system_values.contains(d.first)) return true;
    }
    return false;
}

/// Returns pixels for a framebuffer of the case's width. If that would be too high for the device, and the answer does
/// not depend on positions, a wider one.
Pixels pixels_for(const api::Context& context, const reference::Inputs& inputs, uint32_t lanes,
                  const VkPhysicalDeviceLimits& limits) {
    auto p = pixels_of_width(lanes, std::max(2u, inputs.framebuffer_width & ~1u));
    // The viewport is twice as large: see quad_vertex_shader().
    const uint32_t highest = std::min(limits.maxFramebufferHeight, limits.maxViewportDimensions[1] / 2);
    const uint32_t widest = std::min(limits.maxFramebufferWidth, limits.maxViewportDimensions[0] / 2) & ~1u;
    if (p.drawn_height > highest && p.width < widest && !tells_pixels(context, inputs))
        p = pixels_of_width(lanes, widest);
    return p;
}

/// Sets the draw of a vertex shader: whole triangles, so that every vertex belongs to exactly one. Vertices past the
/// last lane store nothing.
void draw_vertices(const reference::Inputs& inputs, harness::Job& job) {
    job.vertex_count = (inputs.lanes + 2) / 3 * 3;
    job.first_vertex = inputs.base_vertex;
    job.first_instance = inputs.base_instance;
    // for devices without shaderDrawParameters
    job.vertex.constants = {{lower::spec::kBaseVertex, inputs.base_vertex},
                            {lower::spec::kBaseInstance, inputs.base_instance}};
}

}  // namespace

std::vector<uint32_t> io_input_words(const spirv::Reflection& reflection, const reference::Inputs& inputs,
                                     uint32_t lanes) {
    const uint32_t slots = reflection.io_input_slots;
    std::vector<uint32_t> words(size_t{lanes} * slots * 4);
    const auto fill = [&](uint32_t slot, const std::vector<reference::Vec4>& values) {
        for (uint32_t lane = 0; lane < std::min<size_t>(lanes, values.size()); lane++)
            std::copy(values[lane].begin(), values[lane].end(),
                      words.begin() + static_cast<std::ptrdiff_t>((size_t{lane} * slots + slot) * 4));
    };
    const auto registers = slots - static_cast<uint32_t>(reflection.io_system_values.size());
    for (const auto& [key, values] : inputs.inputs)
        if (key.first == 0 && key.second >= 0 && static_cast<uint32_t>(key.second) < registers)
            fill(static_cast<uint32_t>(key.second), values);
    for (uint32_t i = 0; i < reflection.io_system_values.size(); i++)
        if (const auto sv = inputs.system_values.find(static_cast<int32_t>(reflection.io_system_values[i]));
            sv != inputs.system_values.end())
            fill(registers + i, sv->second);
    return words;
}

void read_io_outputs(const api::Context& context, const spirv::Reflection& reflection,
                     const std::vector<uint32_t>& words, uint32_t lanes, reference::Result& result) {
    const uint32_t slots = reflection.io_output_slots;
    const bool fragment = context.program.stage == tgsi::Stage::Fragment;
    const auto count = static_cast<uint32_t>(context.registers.count(tgsi::File::Output));
    for (uint32_t reg = 0; reg < count; reg++) {
        if (!context.registers.declared(tgsi::File::Output, static_cast<int32_t>(reg))) continue;
        auto& out = result.outputs[static_cast<int32_t>(reg)];
        out.resize(lanes);
        for (uint32_t lane = 0; lane < lanes; lane++)
            for (uint32_t c = 0; c < 4; c++) out[lane][c] = known(words[(size_t{lane} * slots + reg) * 4 + c]);
    }
    if (!fragment) return;
    for (uint32_t lane = 0; lane < lanes; lane++)
        result.killed.push_back(words[(size_t{lane} * slots + count) * 4] != 1);
    result.killed_unknown.assign(lanes, false);
}

reference::Options reference_options(const vulkan::DeviceReport& report, tgsi::Dialect dialect) {
    reference::Options o;
    o.dialect = dialect;
    o.exact = true;
    o.preserves_nan_inf_zero = report.float_controls.shaderSignedZeroInfNanPreserveFloat32;
    o.functions_keep_nan = false;  // no device guarantees it: Vulkan, "Precision and Operation of SPIR-V Instructions"
    o.round_to_even = report.float_controls.shaderRoundingModeRTEFloat32;
    o.preserves_nan_inf_zero_64 = report.float_controls.shaderSignedZeroInfNanPreserveFloat64;
    o.round_to_even_64 = false;  // modules request it only for 32 bits
    o.doubles_as_single = true;
    o.sub_texel_bits = report.limits.subTexelPrecisionBits;
    o.mipmap_bits = report.limits.mipmapPrecisionBits;
    o.rounding_filters = true;
    o.max_sampler_lod_bias = report.limits.maxSamplerLodBias;
    o.border_swizzle_from_image = report.border_swizzle_from_image;
    return o;
}

tl::expected<reference::Result, VulkanTrouble> run_vulkan(harness::Device& device, api::Context& context,
                                                          const reference::Inputs& inputs,
                                                          const VulkanOptions& options) {
    const auto stage = context.program.stage;
    if (!options.in_spite_of_quirks)
        if (auto reason = unusable(quirks_of(device.report().info.name), context.program, inputs))
            return trouble(Trouble::Missing, *reason);
    if (stage == tgsi::Stage::Compute) return run_compute(device, context, inputs, options);
    if (stage != tgsi::Stage::Vertex && stage != tgsi::Stage::Fragment)
        return run_primitives(device, context, inputs, options);
    auto conversion = judged_conversion(device, context, inputs, options);
    buffer_system_values(context, inputs, conversion.lower);
    const auto converted = convert_judged(context, conversion, options);
    if (!converted) return tl::unexpected<VulkanTrouble>(converted.error());
    const auto& reflection = *converted;

    const bool fragment = stage == tgsi::Stage::Fragment;
    const uint32_t lanes = fragment ? (inputs.lanes + 3) / 4 * 4 : inputs.lanes;
    const auto pixels = pixels_for(context, inputs, lanes, device.report().limits);
    harness::Job job;
    job.timeout_ns = options.settings.timeout_ns;
    if (fragment) {
        job.vertex.words = harness::quad_vertex_shader();
        job.fragment.words = context.words;
        job.width = pixels.drawn_width;
        job.height = pixels.drawn_height;
        job.viewport_width = 2 * job.width;
        job.viewport_height = 2 * job.height;
    } else {
        job.vertex.words = context.words;
        draw_vertices(inputs, job);
    }

    uint32_t io[3] = {};
    io[0] = add_buffer(job, io_input_words(reflection, inputs, lanes), false);
    std::vector<uint32_t> outputs(size_t{lanes} * reflection.io_output_slots * 4, options.unwritten);
    if (fragment)
        for (uint32_t lane = 0; lane < lanes; lane++)
            outputs[(size_t{lane + 1} * reflection.io_output_slots - 1) * 4] = 0;  // counts as killed until stored
    io[1] = add_buffer(job, std::move(outputs), true);
    io[2] = add_buffer(job, {job.first_vertex, pixels.width, lanes, inputs.framebuffer_height, 0}, false);
    bind_io(reflection, io, job);
    const auto ran = run_job(device, context.program, reflection, inputs, job, options);
    if (!ran) return tl::unexpected(ran.error());
    reference::Result result;
    read_io_outputs(context, reflection, ran->buffers[io[1]], lanes, result);
    read_memory(reflection, inputs, job, *ran, result);
    return result;
}

}  // namespace tgsi2spv::difftest

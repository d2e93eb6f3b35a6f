#include "lower/entry.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "lower/system_values.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::Property;

namespace {

/// Refuses a property that only means something with an extension (semantics: System values, inputs, outputs,
/// properties).
void require(Walk& w, bool offered, const tgsi::PropertyValue& v, std::string_view extension) {
    if (offered) return;
    fail(w, "unsupported-capability", v.position,
         std::string(tgsi::name(v.name)) + ": the device lacks " + std::string(extension));
}

/// Adds an error if the property's value is more than `most`, which no device exceeds.
void limit(Walk& w, Property property, uint32_t value, uint32_t most) {
    if (value <= most) return;
    const tgsi::PropertyValue* const line = w.program.written(property);
    fail(w, "unsupported-property", line == nullptr ? 0 : line->position,
         std::string(tgsi::name(property)) + " is more than " + std::to_string(most) + ", which no device supports");
}

/// A property as an execution mode of a few bits; adds an error for values without a mode.
uint8_t mode_of(Walk& w, Property property, std::initializer_list<uint32_t> known) {
    const uint32_t value = w.program.property(property);
    for (const uint32_t k : known)
        if (value == k) return static_cast<uint8_t>(value);
    const std::string name(tgsi::name(property));
    if (const tgsi::PropertyValue* const line = w.program.written(property))
        fail(w, "unsupported-property", line->position, name + " has a value that Vulkan does not support");
    else
        fail(w, "missing-property", 0, std::string(tgsi::name(w.program.stage)) + " needs " + name);
    return 0;
}

void set_geometry(Walk& w, ir::EntryPoint& e) {
    const tgsi::Program& p = w.program;
    // Strips and loops are assembled before this stage, which sees their lines and triangles.
    e.input_primitive = mode_of(w, Property::GsInputPrimitive, {0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13});
    e.output_primitive = mode_of(w, Property::GsOutputPrimitive, {0, 3, 5});
    // With outputs in buffers nothing is emitted, and points would need a size.
    if (w.options.io_buffers) e.output_primitive = static_cast<uint8_t>(tgsi::Primitive::TriangleStrip);
    e.invocations = invocations(p);
    const uint32_t vertices = p.property(Property::GsMaxOutputVertices);
    bool emits = false;
    for (const tgsi::Instruction& i : p.instructions) emits |= i.op == tgsi::Opcode::EMIT;
    if (vertices == 0 && emits) fail(w, "missing-property", 0, "GEOM needs GS_MAX_OUTPUT_VERTICES");
    limit(w, Property::GsMaxOutputVertices, vertices, tgsi::kMostGeometryVertices);
    limit(w, Property::GsInvocations, e.invocations, tgsi::kMostGeometryInvocations);
    e.max_vertices = w.options.io_buffers ? 1 : std::max(1u, vertices);
}

void set_control(Walk& w, ir::EntryPoint& e) {
    e.output_vertices = output_vertices(w.program);
    if (e.output_vertices == 0) fail(w, "missing-property", 0, "TESS_CTRL needs TCS_VERTICES_OUT");
    limit(w, Property::TcsVerticesOut, e.output_vertices, tgsi::kMostPatchVertices);
}

}  // namespace

bool check_properties(Walk& w) {
    const tgsi::Program& p = w.program;
    for (const tgsi::PropertyValue& v : p.properties) {
        if (v.value == 0) continue;
        if (v.name == Property::VsWindowSpacePosition)
            fail(w, "unsupported-property", v.position, "VS_WINDOW_SPACE_POSITION is not supported");
        if (p.stage == tgsi::Stage::Fragment && v.name == Property::FsPostDepthCoverage)
            require(w, w.capabilities.post_depth_coverage, v, "VK_EXT_post_depth_coverage");
        // If outputs go to buffers, there is no blending and no layer.
        if (w.options.io_buffers) continue;
        if (p.stage == tgsi::Stage::Fragment && v.name == Property::FsBlendEquationAdvanced)
            require(w, w.capabilities.blend_operation_advanced, v, "VK_EXT_blend_operation_advanced");
        if (p.stage != tgsi::Stage::Fragment && v.name == Property::LayerViewportRelative)
            require(w, w.capabilities.viewport_mask, v, "VK_NV_viewport_array2");
    }
    return w.ok;
}

bool prepare_entry(Walk& w) {
    ir::EntryPoint& e = w.b.module().entry;
    const tgsi::Program& p = w.program;
    switch (p.stage) {
        case tgsi::Stage::Vertex:
            e.stage = ir::Stage::Vertex;
            break;
        case tgsi::Stage::TessControl:
            e.stage = ir::Stage::TessControl;
            set_control(w, e);
            break;
        case tgsi::Stage::TessEval:
            e.stage = ir::Stage::TessEval;
            e.tess_domain = mode_of(w, Property::TesPrimMode, {1, 4, 7});
            e.tess_spacing = mode_of(w, Property::TesSpacing, {0, 1, 2});
            e.tess_clockwise = p.property(Property::TesVertexOrderCw) != 0;
            // With outputs in buffers nothing is drawn, and points would need a size (VUID
            // ...-TessellationEvaluation-07723).
            e.tess_points = !w.options.io_buffers && p.property(Property::TesPointMode) != 0;
            break;
        case tgsi::Stage::Geometry:
            e.stage = ir::Stage::Geometry;
            set_geometry(w, e);
            break;
        case tgsi::Stage::Fragment:
            e.stage = ir::Stage::Fragment;
            break;
        case tgsi::Stage::Compute:
            e.stage = ir::Stage::Compute;
            set_block_size(w);
            break;
    }
    e.early_fragment_tests = p.property(Property::FsEarlyDepthStencil) != 0;
    // Without early tests the property has no meaning (newest: FS_POST_DEPTH_COVERAGE).
    e.post_depth_coverage = e.early_fragment_tests && p.property(Property::FsPostDepthCoverage) != 0;
    e.blend_equations = p.property(Property::FsBlendEquationAdvanced);
    e.depth_layout = static_cast<uint8_t>(p.property(Property::FsDepthLayout) & 7);
    e.float_controls = w.options.exact && w.capabilities.signed_zero_inf_nan_preserve_32;
    e.float_controls_64 = w.options.exact && w.capabilities.signed_zero_inf_nan_preserve_64;
    e.round_to_even = w.options.exact && w.capabilities.round_to_even_32;
    return w.ok;
}

}  // namespace tgsi2spv::lower

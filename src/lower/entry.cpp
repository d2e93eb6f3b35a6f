#include "lower/entry.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "lower/system_values.h"
#include "tgsi/names.h"
#include "tgsi/property_values.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::Property;

namespace {

/// Refuses a property that only means something with an extension (semantics: System values, inputs, outputs,
/// properties).
void require(Walk& w, bool offered, const tgsi::PropertyValue& v, std::string_view extension) {
    if (offered) return;
    fail_lacking(w, v.position, extension, tgsi::name(v.name));
}

/// Adds an error if the property's value is more than `most`, which no device exceeds.
void limit(Walk& w, Property property, uint32_t value, uint32_t most) {
    if (value <= most) return;
    const tgsi::PropertyValue* const line = w.program.written(property);
    fail(w, "unsupported-property", line == nullptr ? 0 : line->position,
         std::string(tgsi::name(property)) + " is more than " + std::to_string(most) + ", which no device supports");
}

/// A property's value as what Vulkan has for it, from a list of both; adds an error for a value that is not in it.
template <class Mode>
Mode mode_of(Walk& w, Property property, std::initializer_list<std::pair<uint32_t, Mode>> modes) {
    const uint32_t value = w.program.property(property);
    for (const auto& [its_value, mode] : modes)
        if (value == its_value) return mode;
    const std::string name(tgsi::name(property));
    if (const tgsi::PropertyValue* const line = w.program.written(property))
        fail(w, "unsupported-property", line->position,
             name + " has a value that Vulkan does not support: " + tgsi::values_of(property));
    else
        fail(w, "missing-property", 0, std::string(tgsi::name(w.program.stage)) + " needs " + name);
    return {};
}

constexpr uint32_t number(tgsi::Primitive primitive) {
    return static_cast<uint32_t>(primitive);
}

/// GS_INPUT_PRIMITIVE. Strips and loops are assembled before this stage, which sees their lines and triangles.
ir::InputPrimitive input_primitive(Walk& w) {
    using enum tgsi::Primitive;
    using ir::InputPrimitive;
    return mode_of<InputPrimitive>(w, Property::GsInputPrimitive,
                                   {{number(Points), InputPrimitive::Points},
                                    {number(Lines), InputPrimitive::Lines},
                                    {number(LineLoop), InputPrimitive::Lines},
                                    {number(LineStrip), InputPrimitive::Lines},
                                    {number(Triangles), InputPrimitive::Triangles},
                                    {number(TriangleStrip), InputPrimitive::Triangles},
                                    {number(TriangleFan), InputPrimitive::Triangles},
                                    {number(LinesAdjacency), InputPrimitive::LinesAdjacency},
                                    {number(LineStripAdjacency), InputPrimitive::LinesAdjacency},
                                    {number(TrianglesAdjacency), InputPrimitive::TrianglesAdjacency},
                                    {number(TriangleStripAdjacency), InputPrimitive::TrianglesAdjacency}});
}

ir::OutputPrimitive output_primitive(Walk& w) {
    using enum tgsi::Primitive;
    using ir::OutputPrimitive;
    return mode_of<OutputPrimitive>(w, Property::GsOutputPrimitive,
                                    {{number(Points), OutputPrimitive::Points},
                                     {number(LineStrip), OutputPrimitive::LineStrip},
                                     {number(TriangleStrip), OutputPrimitive::TriangleStrip}});
}

/// TES_PRIM_MODE.
ir::TessDomain tess_domain(Walk& w) {
    using enum tgsi::Primitive;
    using ir::TessDomain;
    return mode_of<TessDomain>(w, Property::TesPrimMode,
                               {{number(Lines), TessDomain::Isolines},
                                {number(Triangles), TessDomain::Triangles},
                                {number(Quads), TessDomain::Quads}});
}

/// TES_SPACING, in the order of PIPE_TESS_SPACING.
ir::TessSpacing tess_spacing(Walk& w) {
    using ir::TessSpacing;
    return mode_of<TessSpacing>(
        w, Property::TesSpacing,
        {{0, TessSpacing::FractionalOdd}, {1, TessSpacing::FractionalEven}, {2, TessSpacing::Equal}});
}

/// FS_DEPTH_LAYOUT; a hint, so that other values are none.
ir::DepthLayout depth_layout(const tgsi::Program& p) {
    switch (p.property(Property::FsDepthLayout)) {
        case 1:
            return ir::DepthLayout::Any;
        case 2:
            return ir::DepthLayout::Greater;
        case 3:
            return ir::DepthLayout::Less;
        case 4:
            return ir::DepthLayout::Unchanged;
        default:
            return ir::DepthLayout::None;
    }
}

void set_geometry(Walk& w, ir::EntryPoint& e) {
    const tgsi::Program& p = w.program;
    e.input_primitive = input_primitive(w);
    e.output_primitive = output_primitive(w);
    // With outputs in buffers nothing is emitted, and points would need a size.
    if (w.options.io_buffers) e.output_primitive = ir::OutputPrimitive::TriangleStrip;
    e.invocations = invocations(p);
    const uint32_t vertices = most_emitted_vertices(p);
    if (p.written(Property::GsMaxOutputVertices) == nullptr &&
        std::ranges::find(p.instructions, tgsi::Opcode::EMIT, &tgsi::Instruction::op) != p.instructions.end())
        warn(w, "missing-property", w.program.stage_position.offset,
             "GEOM has no GS_MAX_OUTPUT_VERTICES: " + std::to_string(vertices) + " are assumed");
    limit(w, Property::GsMaxOutputVertices, vertices, tgsi::kMaxGeometryVertices);
    limit(w, Property::GsInvocations, e.invocations, tgsi::kMaxGeometryInvocations);
    e.max_vertices = w.options.io_buffers ? 1 : std::max(vertices, 1u);  // SPIR-V's OutputVertices is above 0
}

void set_control(Walk& w, ir::EntryPoint& e) {
    e.output_vertices = output_vertices(w.program);
    if (e.output_vertices == 0) fail(w, "missing-property", 0, "TESS_CTRL needs TCS_VERTICES_OUT");
    limit(w, Property::TcsVerticesOut, e.output_vertices, tgsi::kMaxPatchVertices);
}

}  // namespace

bool check_properties(Walk& w) {
    const tgsi::Program& p = w.program;
    for (const tgsi::PropertyValue& v : p.properties) {
        if (v.value == 0) continue;
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
            e.tess_domain = tess_domain(w);
            e.tess_spacing = tess_spacing(w);
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
    e.depth_layout = depth_layout(p);
    e.float_controls = w.options.exact && w.capabilities.signed_zero_inf_nan_preserve_32;
    e.float_controls_64 = w.options.exact && w.capabilities.signed_zero_inf_nan_preserve_64;
    e.round_to_even = w.options.exact && w.capabilities.round_to_even_32;
    return w.ok;
}

}  // namespace tgsi2spv::lower

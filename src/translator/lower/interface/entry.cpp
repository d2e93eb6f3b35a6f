#include "lower/interface/entry.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "lower/interface/records.h"
#include "lower/interface/system_values.h"
#include "tgsi/parse/property_values.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using tgsi::Property;

namespace {

/// Refuses a property that only means something with an extension (semantics: System values, inputs, outputs,
/// properties).
void require(Context& context, bool offered, const tgsi::PropertyValue& value, std::string_view extension) {
    if (offered) return;
    fail_lacking(context, value.position, extension, tgsi::name(value.name));
}

/// Adds an error if the property's value is more than `most`, which no device exceeds.
void limit(Context& context, Property property, uint32_t value, uint32_t most) {
    if (value <= most) return;
    const tgsi::PropertyValue* const line = context.program.written(property);
    fail(context, "unsupported-property", line == nullptr ? 0 : line->position,
         std::string(tgsi::name(property)) + " is more than " + std::to_string(most) + ", which no device supports");
}

/// Vulkan's value for a property's value, from a list of both; adds an error for a value that is not in it.
template <class Mode>
Mode mode_of(Context& context, Property property, std::initializer_list<std::pair<uint32_t, Mode>> modes) {
    const uint32_t value = context.program.property(property);
    for (const auto& [its_value, mode] : modes)
        if (value == its_value) return mode;
    const std::string name(tgsi::name(property));
    if (const tgsi::PropertyValue* const line = context.program.written(property))
        fail(context, "unsupported-property", line->position,
             name + " has a value that Vulkan does not support: " + tgsi::values_of(property));
    else
        fail(context, "missing-property", 0, std::string(tgsi::name(context.program.stage)) + " needs " + name);
    return {};
}

constexpr uint32_t number(tgsi::Primitive primitive) {
    return static_cast<uint32_t>(primitive);
}

/// GS_INPUT_PRIMITIVE. Strips and loops are assembled before this stage, which sees their lines and triangles.
ir::InputPrimitive input_primitive(Context& context) {
    using enum tgsi::Primitive;
    using ir::InputPrimitive;
    return mode_of<InputPrimitive>(context, Property::GsInputPrimitive,
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

ir::OutputPrimitive output_primitive(Context& context) {
    using enum tgsi::Primitive;
    using ir::OutputPrimitive;
    return mode_of<OutputPrimitive>(context, Property::GsOutputPrimitive,
                                    {{number(Points), OutputPrimitive::Points},
                                     {number(LineStrip), OutputPrimitive::LineStrip},
                                     {number(TriangleStrip), OutputPrimitive::TriangleStrip}});
}

/// TES_PRIM_MODE.
ir::TessDomain tess_domain(Context& context) {
    using enum tgsi::Primitive;
    using ir::TessDomain;
    return mode_of<TessDomain>(context, Property::TesPrimMode,
                               {{number(Lines), TessDomain::Isolines},
                                {number(Triangles), TessDomain::Triangles},
                                {number(Quads), TessDomain::Quads}});
}

/// TES_SPACING, in the order of PIPE_TESS_SPACING.
ir::TessSpacing tess_spacing(Context& context) {
    using ir::TessSpacing;
    return mode_of<TessSpacing>(
        context, Property::TesSpacing,
        {{0, TessSpacing::FractionalOdd}, {1, TessSpacing::FractionalEven}, {2, TessSpacing::Equal}});
}

/// FS_DEPTH_LAYOUT. It is a hint, so other values mean no layout.
ir::DepthLayout depth_layout(const tgsi::Program& program) {
    switch (program.property(Property::FsDepthLayout)) {
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

void set_geometry(Context& context, ir::EntryPoint& point) {
    const tgsi::Program& p = context.program;
    point.input_primitive = input_primitive(context);
    point.output_primitive = output_primitive(context);
    // With outputs in buffers nothing is emitted, and points would need a size.
    if (context.options.io_buffers) point.output_primitive = ir::OutputPrimitive::TriangleStrip;
    point.invocations = invocations(p);
    const uint32_t vertices = most_emitted_vertices(p);
    if (p.written(Property::GsMaxOutputVertices) == nullptr &&
        std::ranges::find(p.instructions, tgsi::Opcode::EMIT, &tgsi::Instruction::op) != p.instructions.end())
        warn(context, "missing-property", context.program.stage_position.offset,
             "GEOM has no GS_MAX_OUTPUT_VERTICES: " + std::to_string(vertices) + " are assumed");
    limit(context, Property::GsMaxOutputVertices, vertices, tgsi::kMaxGeometryVertices);
    limit(context, Property::GsInvocations, point.invocations, tgsi::kMaxGeometryInvocations);
    point.max_vertices = context.options.io_buffers ? 1 : std::max(vertices, 1u);  // SPIR-V's OutputVertices is above 0
}

void set_control(Context& context, ir::EntryPoint& point) {
    point.output_vertices = output_vertices(context.program);
    if (point.output_vertices == 0) fail(context, "missing-property", 0, "TESS_CTRL needs TCS_VERTICES_OUT");
    limit(context, Property::TcsVerticesOut, point.output_vertices, tgsi::kMaxPatchVertices);
}

/// The equations that the text expects of the pipeline: none if it fetches its target, and so blends by itself.
uint32_t blend_equations(const tgsi::Program& p) {
    const uint32_t equations = p.property(Property::FsBlendEquationAdvanced);
    const auto fetches = [](const tgsi::Instruction& i) { return i.op == tgsi::Opcode::FBFETCH; };
    return equations != 0 && std::ranges::any_of(p.instructions, fetches) ? 0 : equations;
}

void set_compute(ir::EntryPoint& point, uint32_t invocations) {
    point.stage = ir::Stage::Compute;
    point.local_size = {invocations, 1, 1};
}

}  // namespace

bool check_properties(Context& context) {
    if (!check_records(context)) return false;
    const tgsi::Program& p = context.program;
    for (const tgsi::PropertyValue& v : p.properties) {
        if (v.value == 0) continue;
        if (p.stage == tgsi::Stage::Fragment && v.name == Property::FsPostDepthCoverage)
            require(context, context.capabilities.post_depth_coverage, v, "VK_EXT_post_depth_coverage");
        // If outputs go to buffers, there is no blending and no layer.
        if (context.options.io_buffers) continue;
        if (p.stage == tgsi::Stage::Fragment && v.name == Property::FsBlendEquationAdvanced && blend_equations(p) != 0)
            require(context, context.capabilities.blend_operation_advanced, v, "VK_EXT_blend_operation_advanced");
        if (p.stage != tgsi::Stage::Fragment && v.name == Property::LayerViewportRelative)
            require(context, context.capabilities.viewport_mask, v, "VK_NV_viewport_array2");
    }
    return context.ok;
}

bool prepare_entry(Context& context) {
    ir::EntryPoint& e = context.b.module().entry;
    const tgsi::Program& p = context.program;
    switch (p.stage) {
        case tgsi::Stage::Vertex:
            e.stage = ir::Stage::Vertex;
            if (context.options.records) set_compute(e, kRecordGroup);
            break;
        case tgsi::Stage::TessControl:
            e.stage = ir::Stage::TessControl;
            set_control(context, e);
            if (context.options.records) set_compute(e, e.output_vertices);
            break;
        case tgsi::Stage::TessEval:
            e.stage = ir::Stage::TessEval;
            e.tess_domain = tess_domain(context);
            e.tess_spacing = tess_spacing(context);
            e.tess_clockwise = p.property(Property::TesVertexOrderCw) != 0;
            // With outputs in buffers nothing is drawn, and points would need a size (VUID
            // ...-TessellationEvaluation-07723).
            e.tess_points = !context.options.io_buffers && p.property(Property::TesPointMode) != 0;
            if (context.options.records) set_compute(e, kRecordGroup);
            break;
        case tgsi::Stage::Geometry:
            e.stage = ir::Stage::Geometry;
            set_geometry(context, e);
            if (context.options.records) set_compute(e, kRecordGroup);
            break;
        case tgsi::Stage::Fragment:
            e.stage = ir::Stage::Fragment;
            break;
        case tgsi::Stage::Compute:
            e.stage = ir::Stage::Compute;
            set_block_size(context);
            break;
    }
    e.early_fragment_tests = p.property(Property::FsEarlyDepthStencil) != 0;
    // Without early tests the property has no meaning (newest: FS_POST_DEPTH_COVERAGE).
    e.post_depth_coverage = e.early_fragment_tests && p.property(Property::FsPostDepthCoverage) != 0;
    e.blend_equations = blend_equations(p);
    e.depth_layout = depth_layout(p);
    e.float_controls = context.options.exact && context.capabilities.signed_zero_inf_nan_preserve_32;
    e.float_controls_64 = context.options.exact && context.capabilities.signed_zero_inf_nan_preserve_64;
    e.round_to_even = context.options.exact && context.capabilities.round_to_even_32;
    return context.ok;
}

}  // namespace tgsi2spv::lower

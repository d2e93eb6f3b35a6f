// The device captures whole variables. Each entry of the table is the varying's own variable if it matches, otherwise
// an additional one at an unused location.
#include "lower/options/stream_output.h"

#include <algorithm>
#include <bit>
#include <string>

#include "lower/interface/outputs.h"
#include "lower/state/state_context.h"
#include "lower/variables/locations.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Semantic;
using tgsi::Stage;

namespace {

constexpr size_t kMaxEntries = 128;

bool refuse_entry(Context& context, size_t entry, std::string_view reason) {
    fail(context, "bad-stream-output", 0, "stream output " + std::to_string(entry) + ": " + std::string(reason));
    return false;
}

bool check_entry(Context& context, size_t k, const StreamOutputs& table) {
    const StreamOutput& o = table.outputs[k];
    const bool geometry = context.program.stage == Stage::Geometry;
    if (o.reg >= context.plan.output_masks.size() ||
        declared_as(context, File::Output, static_cast<int32_t>(o.reg)).declaration == nullptr)
        return refuse_entry(context, k, "OUT[" + std::to_string(o.reg) + "] is not declared");
    if (o.components == 0 || o.first + o.components > 4) return refuse_entry(context, k, "the components do not exist");
    if (o.buffer > 3 || o.stream > 3 || (o.stream != 0 && !geometry))
        return refuse_entry(context, k, "expected buffer 0 to 3, and stream 0 (in GEOM, stream 0 to 3)");
    const uint32_t stride = table.strides[o.buffer];
    if (stride > 0xffff || o.offset > stride || o.components > stride - o.offset)
        return refuse_entry(context, k, "does not fit in the stride of the buffer");
    for (size_t other = 0; other < k; ++other) {
        const StreamOutput& p = table.outputs[other];
        if (p.buffer != o.buffer) continue;
        if (p.stream != o.stream) return refuse_entry(context, k, "a buffer can belong to only one stream");
        if (o.offset < p.offset + p.components && p.offset < o.offset + o.components)
            return refuse_entry(context, k, "overlaps stream output " + std::to_string(other));
    }
    return true;
}

void capture(Context& context, uint32_t variable, const StreamOutput& output, uint32_t stride) {
    ir::Variable& v = context.b.module().variables[variable];
    v.captured = true;
    v.xfb_buffer = output.buffer;
    v.xfb_offset = 4 * output.offset;
    v.xfb_stride = 4 * stride;
    v.stream = output.stream;
}

/// Whether the register's variable holds exactly the components that the entry captures.
bool is_entry(Context& context, const StreamOutput& output, uint32_t variable) {
    if (variable == kNoIndex) return false;
    const ir::Variable& v = context.b.module().variables[variable];
    if (v.captured || v.stream != output.stream || output.first != 0 || output.components != v.element.components)
        return false;
    if (std::count(context.outputs.variables.begin(), context.outputs.variables.end(), variable) != 1) return false;
    const State& state = context.options.state;
    switch (v.builtin) {
        case BuiltIn::None: {
            const auto semantic = static_cast<Semantic>(v.semantic);
            const bool color = semantic == Semantic::Color || semantic == Semantic::BColor;
            return !color || !state.clamp_vertex_color;
        }
        case BuiltIn::Position:
            if (context.outputs.depth != kNoIndex || has_one_layer(context)) return false;
            return !context.options.convert_depth_range && !context.options.flip_y && !state.depth_range &&
                   !state.flip_y;
        case BuiltIn::PointSize:
            return !state.point_size;
        default:
            return false;
    }
}

/// The components used in each of the 32 locations, four bits each.
std::array<uint8_t, kLocations> taken_locations(Context& context) {
    std::array<uint8_t, kLocations> taken{};
    for (const ir::Variable& v : context.b.module().variables)
        if (v.kind == VariableKind::Output && v.builtin == BuiltIn::None && v.location < kLocations)
            taken[v.location] |= static_cast<uint8_t>(((1u << v.element.components) - 1) << v.component);
    return taken;
}

/// Adds a variable for an entry, in addition to the existing ones.
bool add_variable(Context& context, size_t k, const StreamOutput& output, uint32_t stride,
                  std::array<uint8_t, kLocations>& taken) {
    const auto all = static_cast<uint32_t>(std::min(context.capabilities.max_output_locations, kLocations));
    const uint32_t room = all - std::min(all, kBuiltInLocations);  // the last ones only if nothing else is free
    for (uint32_t n = 0; n < all; ++n)
        for (uint8_t c = 0; c + output.components <= 4; ++c) {
            const uint32_t location = (room + all - 1 - n) % all;
            const auto mask = static_cast<uint8_t>(((1u << output.components) - 1) << c);
            // A location with another varying is not used: its reader may take four components.
            const bool has_varying = (taken[location] & 0xf) != 0 && (taken[location] & 0x10) == 0;
            if (has_varying || (taken[location] & mask) != 0) continue;
            taken[location] |= static_cast<uint8_t>(mask | 0x10);
            const Declared d = declared_as(context, File::Output, static_cast<int32_t>(output.reg));
            const uint32_t variable = context.b.add_variable({.kind = VariableKind::Output,
                                                              .element = ir::f32(output.components),
                                                              .location = location,
                                                              .component = c,
                                                              .name = ir::Name("captured ").append(display_name(d))});
            capture(context, variable, output, stride);
            context.outputs.parts.push_back({output.reg, variable, output.first, output.components});
            return true;
        }
    return refuse_entry(context, k, "no location is free");
}

}  // namespace

bool prepare_stream_outputs(Context& context) {
    const StreamOutputs* table = context.options.stream_outputs;
    if (table == nullptr || table->outputs.empty() || context.program.stage == Stage::TessControl) return true;
    if (!context.capabilities.transform_feedback) {
        fail_lacking(context, 0, "transformFeedback", "stream outputs");
        return false;
    }
    if (table->outputs.size() > kMaxEntries) return refuse_entry(context, kMaxEntries, "there can be at most 128");
    auto taken = taken_locations(context);
    for (size_t k = 0; k < table->outputs.size(); ++k) {
        const StreamOutput& o = table->outputs[k];
        if (!check_entry(context, k, *table)) return false;
        const uint32_t variable = context.outputs.variables[o.reg];
        const uint32_t stride = table->strides[o.buffer];
        if (is_entry(context, o, variable))
            capture(context, variable, o, stride);
        else if (!add_variable(context, k, o, stride, taken))
            return false;
    }
    context.b.module().entry.transform_feedback = true;
    return true;
}

}  // namespace tgsi2spv::lower

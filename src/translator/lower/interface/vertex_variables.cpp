// The variables of arrays over vertices, and of TESS_CTRL's outputs.
#include <algorithm>
#include <array>

#include "lower/interface/outputs.h"
#include "lower/interface/vertices.h"
#include "lower/options/linkage.h"
#include "lower/variables/inputs.h"
#include "lower/variables/varyings.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Semantic;

namespace {

/// A builtin that exists for every vertex; all registers with its meaning share it.
uint32_t vertex_builtin(Context& context, const Declared& declared, VariableKind kind, BuiltIn builtin, ir::Type type,
                        std::array<uint32_t, 2> array, uint32_t& known) {
    if (known == kNoIndex) {
        ir::Variable v = builtin_variable(context, declared, kind, builtin, type);
        v.array = array;
        known = context.b.add_variable(v);
    }
    return known;
}

File file_of(VariableKind kind) {
    return kind == VariableKind::Input ? File::Input : File::Output;
}

struct VertexBuiltins {
    uint32_t position = kNoIndex, point_size = kNoIndex, outer = kNoIndex, inner = kNoIndex;
};

/// The variable of a register that exists for every vertex; clip and cull distances get theirs together.
bool prepare_vertex_register(Context& context, Locations& locations, VertexBuiltins& builtins, const Declared& declared,
                             VariableKind kind, uint32_t vertices, uint32_t& variable) {
    const Linkage* const linkage = kind == VariableKind::Input ? context.options.linkage : nullptr;
    switch (declared.semantic) {
        case Semantic::Position:
            if (linkage != nullptr && linkage->has_no_position) return true;
            variable = vertex_builtin(context, declared, kind, BuiltIn::Position, ir::f32(4), {vertices, 0},
                                      builtins.position);
            return true;
        case Semantic::PSize:
            if (linkage != nullptr && linkage->has_no_point_size) return true;
            variable = vertex_builtin(context, declared, kind, BuiltIn::PointSize, ir::f32(), {vertices, 0},
                                      builtins.point_size);
            return true;
        case Semantic::ClipDist:
        case Semantic::CullDist:
            if (are_varyings(context, declared.semantic, file_of(kind))) break;
            return true;
        case Semantic::EdgeFlag:
        case Semantic::ClipVertex:
            if (kind == VariableKind::Output && !is_passed_on(context, locations, declared)) return true;
            break;
        case Semantic::Patch:
            return refuse_semantic(context, declared, "per-vertex data");
        default:
            break;
    }
    variable = varying(context, locations, declared, kind, vertices);
    return context.ok;
}

uint32_t distance_array(Context& context, VariableKind kind, BuiltIn builtin, uint32_t vertices, uint32_t count) {
    if (count == 0) return kNoIndex;
    return context.b.add_variable({.kind = kind, .element = ir::f32(), .array = {vertices, count}, .builtin = builtin});
}

/// Makes the variables of the distances, which have been counted.
void prepare_distances(Context& context, VariableKind kind, uint32_t vertices, Distances& distances) {
    distances.clip = distance_array(context, kind, BuiltIn::ClipDistance, vertices, distances.num_clip);
    distances.cull = distance_array(context, kind, BuiltIn::CullDistance, vertices, distances.num_cull);
}

}  // namespace

bool prepare_vertex_inputs(Context& context, Locations& locations) {
    const uint32_t vertices = input_vertices(context.program);
    VertexBuiltins builtins;
    for (uint32_t i = 0; i < context.plan.input_masks.size(); ++i) {
        if (context.plan.input_masks[i] == 0) continue;
        if (!is_per_vertex(context.program, context.registers, File::Input, static_cast<int32_t>(i))) continue;
        const Declared d = declared_as(context, File::Input, static_cast<int32_t>(i));
        if (!prepare_vertex_register(context, locations, builtins, d, VariableKind::Input, vertices,
                                     context.inputs.variables[i]))
            return false;
    }
    if (!count_distances(context, File::Input, context.plan.input_masks, false, context.inputs.distances)) return false;
    prepare_distances(context, VariableKind::Input, vertices, context.inputs.distances);
    return true;
}

namespace {

/// Notes the components that the text writes to registers by number. (The plan's masks also have those that are read,
/// or that an index may name.)
void note_stored(Context& context) {
    auto& stored = context.outputs.stored;
    stored.assign(context.plan.output_masks.size(), 0);
    for (const tgsi::Instruction& i : context.program.instructions)
        for (const tgsi::Operand& o : context.program.dsts(i)) {
            if (o.file == File::Output && !o.index_is_relative && static_cast<size_t>(o.index) < stored.size())
                stored[static_cast<size_t>(o.index)] |= o.write_mask;
        }
}

}  // namespace

bool prepare_patch_outputs(Context& context) {
    note_stored(context);
    const uint32_t vertices = output_vertices(context.program);
    Locations locations(context.memory);
    VertexBuiltins builtins;
    for (const uint32_t i : context.outputs.written) {
        const Declared d = declared_as(context, File::Output, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        uint32_t& variable = context.outputs.variables[i];
        if (is_per_vertex(context.program, context.registers, File::Output, static_cast<int32_t>(i))) {
            if (!prepare_vertex_register(context, locations, builtins, d, VariableKind::Output, vertices, variable))
                return false;
            continue;
        }
        switch (d.semantic) {
            case Semantic::TessOuter:
                variable = vertex_builtin(context, d, VariableKind::Output, BuiltIn::TessLevelOuter, ir::f32(), {4, 0},
                                          builtins.outer);
                break;
            case Semantic::TessInner:
                variable = vertex_builtin(context, d, VariableKind::Output, BuiltIn::TessLevelInner, ir::f32(), {2, 0},
                                          builtins.inner);
                break;
            case Semantic::Patch:
                variable = varying(context, locations, d, VariableKind::Output);
                if (!context.ok) return false;
                break;
            default:
                return refuse_semantic(context, d, "a per-patch output");
        }
    }
    join_outputs(context, context.outputs.stored);
    if (!count_distances(context, File::Output, context.plan.output_masks, true, context.outputs.distances))
        return false;
    prepare_distances(context, VariableKind::Output, vertices, context.outputs.distances);
    return true;
}

}  // namespace tgsi2spv::lower

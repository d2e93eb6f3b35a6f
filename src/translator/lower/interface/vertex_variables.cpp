// The variables of arrays over vertices, and of TESS_CTRL's outputs.
#include <algorithm>
#include <array>

#include "lower/interface/outputs.h"
#include "lower/interface/vertices.h"
#include "lower/options/linkage.h"
#include "lower/variables/inputs.h"
#include "lower/variables/varyings.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Semantic;

namespace {

/// A builtin that exists for every vertex; all registers with its meaning share it.
uint32_t vertex_builtin(Walk& walk, const Declared& declared, VariableKind kind, BuiltIn builtin, ir::Type type,
                        std::array<uint32_t, 2> array, uint32_t& known) {
    if (known == kNoIndex) {
        ir::Variable v = builtin_variable(walk, declared, kind, builtin, type);
        v.array = array;
        known = walk.b.add_variable(v);
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
bool prepare_vertex_register(Walk& walk, Locations& locations, VertexBuiltins& builtins, const Declared& declared,
                             VariableKind kind, uint32_t vertices, uint32_t& variable) {
    const Linkage* const linkage = kind == VariableKind::Input ? walk.options.linkage : nullptr;
    switch (declared.semantic) {
        case Semantic::Position:
            if (linkage != nullptr && linkage->has_no_position) return true;
            variable =
                vertex_builtin(walk, declared, kind, BuiltIn::Position, ir::f32(4), {vertices, 0}, builtins.position);
            return true;
        case Semantic::PSize:
            if (linkage != nullptr && linkage->has_no_point_size) return true;
            variable =
                vertex_builtin(walk, declared, kind, BuiltIn::PointSize, ir::f32(), {vertices, 0}, builtins.point_size);
            return true;
        case Semantic::ClipDist:
        case Semantic::CullDist:
            if (are_varyings(walk, declared.semantic, file_of(kind))) break;
            return true;
        case Semantic::EdgeFlag:
        case Semantic::ClipVertex:
            if (kind == VariableKind::Output && !is_passed_on(walk, locations, declared)) return true;
            break;
        case Semantic::Patch:
            return refuse_semantic(walk, declared, "per-vertex data");
        default:
            break;
    }
    variable = varying(walk, locations, declared, kind, vertices);
    return walk.ok;
}

uint32_t distance_array(Walk& walk, VariableKind kind, BuiltIn builtin, uint32_t vertices, uint32_t count) {
    if (count == 0) return kNoIndex;
    return walk.b.add_variable({.kind = kind, .element = ir::f32(), .array = {vertices, count}, .builtin = builtin});
}

/// Makes the variables of the distances, which have been counted.
void prepare_distances(Walk& walk, VariableKind kind, uint32_t vertices, Distances& distances) {
    distances.clip = distance_array(walk, kind, BuiltIn::ClipDistance, vertices, distances.num_clip);
    distances.cull = distance_array(walk, kind, BuiltIn::CullDistance, vertices, distances.num_cull);
}

}  // namespace

bool prepare_vertex_inputs(Walk& walk, Locations& locations) {
    const uint32_t vertices = input_vertices(walk.program);
    VertexBuiltins builtins;
    for (uint32_t i = 0; i < walk.plan.input_masks.size(); ++i) {
        if (walk.plan.input_masks[i] == 0) continue;
        if (!is_per_vertex(walk.program, walk.registers, File::Input, static_cast<int32_t>(i))) continue;
        const Declared d = declared_as(walk, File::Input, static_cast<int32_t>(i));
        if (!prepare_vertex_register(walk, locations, builtins, d, VariableKind::Input, vertices,
                                     walk.inputs.variables[i]))
            return false;
    }
    if (!count_distances(walk, File::Input, walk.plan.input_masks, false, walk.inputs.distances)) return false;
    prepare_distances(walk, VariableKind::Input, vertices, walk.inputs.distances);
    return true;
}

namespace {

/// Notes the components that the text writes to registers by number. (The plan's masks also have those that are read,
/// or that an index may name.)
void note_stored(Walk& walk) {
    auto& stored = walk.outputs.stored;
    stored.assign(walk.plan.output_masks.size(), 0);
    for (const tgsi::Instruction& i : walk.program.instructions)
        for (const tgsi::Operand& o : walk.program.dsts(i)) {
            if (o.file == File::Output && !o.index_is_relative && static_cast<size_t>(o.index) < stored.size())
                stored[static_cast<size_t>(o.index)] |= o.write_mask;
        }
}

}  // namespace

bool prepare_patch_outputs(Walk& walk) {
    note_stored(walk);
    const uint32_t vertices = output_vertices(walk.program);
    Locations locations(walk.memory);
    VertexBuiltins builtins;
    for (const uint32_t i : walk.outputs.written) {
        const Declared d = declared_as(walk, File::Output, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        uint32_t& variable = walk.outputs.variables[i];
        if (is_per_vertex(walk.program, walk.registers, File::Output, static_cast<int32_t>(i))) {
            if (!prepare_vertex_register(walk, locations, builtins, d, VariableKind::Output, vertices, variable))
                return false;
            continue;
        }
        switch (d.semantic) {
            case Semantic::TessOuter:
                variable = vertex_builtin(walk, d, VariableKind::Output, BuiltIn::TessLevelOuter, ir::f32(), {4, 0},
                                          builtins.outer);
                break;
            case Semantic::TessInner:
                variable = vertex_builtin(walk, d, VariableKind::Output, BuiltIn::TessLevelInner, ir::f32(), {2, 0},
                                          builtins.inner);
                break;
            case Semantic::Patch:
                variable = varying(walk, locations, d, VariableKind::Output);
                if (!walk.ok) return false;
                break;
            default:
                return refuse_semantic(walk, d, "a per-patch output");
        }
    }
    join_outputs(walk, walk.outputs.stored);
    if (!count_distances(walk, File::Output, walk.plan.output_masks, true, walk.outputs.distances)) return false;
    prepare_distances(walk, VariableKind::Output, vertices, walk.outputs.distances);
    return true;
}

}  // namespace tgsi2spv::lower

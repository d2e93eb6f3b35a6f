// The variables of arrays over vertices, and of TESS_CTRL's outputs.
#include <algorithm>
#include <array>

#include "lower/interface.h"
#include "lower/link.h"
#include "lower/outputs.h"
#include "lower/vertices.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Semantic;

namespace {

/// A builtin that exists for every vertex; all registers with its meaning share it.
uint32_t vertex_builtin(Walk& w, const Declared& d, VariableKind kind, BuiltIn builtin, ir::Type type,
                        std::array<uint32_t, 2> array, uint32_t& known) {
    if (known == kNoIndex) {
        ir::Variable v = builtin_variable(w, d, kind, builtin, type);
        v.array = array;
        known = w.b.add_variable(v);
    }
    return known;
}

struct VertexBuiltins {
    uint32_t position = kNoIndex, point_size = kNoIndex, outer = kNoIndex, inner = kNoIndex;
};

/// The variable of a register that exists for every vertex; clip and cull distances get theirs together.
bool prepare_vertex_register(Walk& w, Locations& locations, VertexBuiltins& builtins, const Declared& d,
                             VariableKind kind, uint32_t vertices, uint32_t& variable) {
    const Linkage* const linkage = kind == VariableKind::Input ? w.options.linkage : nullptr;
    switch (d.semantic) {
        case Semantic::Position:
            if (linkage != nullptr && linkage->has_no_position) return true;
            variable = vertex_builtin(w, d, kind, BuiltIn::Position, ir::f32(4), {vertices, 0}, builtins.position);
            return true;
        case Semantic::PSize:
            if (linkage != nullptr && linkage->has_no_point_size) return true;
            variable = vertex_builtin(w, d, kind, BuiltIn::PointSize, ir::f32(), {vertices, 0}, builtins.point_size);
            return true;
        case Semantic::ClipDist:
        case Semantic::CullDist:
            return true;
        case Semantic::EdgeFlag:
        case Semantic::ClipVertex:
            if (kind == VariableKind::Output && !is_passed_on(w, locations, d)) return true;
            break;
        case Semantic::Patch:
            return refuse_semantic(w, d, "per-vertex data");
        default:
            break;
    }
    variable = varying(w, locations, d, kind, vertices);
    return w.ok;
}

uint32_t distance_array(Walk& w, VariableKind kind, BuiltIn builtin, uint32_t vertices, uint32_t count) {
    if (count == 0) return kNoIndex;
    return w.b.add_variable({.kind = kind, .element = ir::f32(), .array = {vertices, count}, .builtin = builtin});
}

/// Makes the variables of the distances, which have been counted.
void prepare_distances(Walk& w, VariableKind kind, uint32_t vertices, Distances& d) {
    d.clip = distance_array(w, kind, BuiltIn::ClipDistance, vertices, d.num_clip);
    d.cull = distance_array(w, kind, BuiltIn::CullDistance, vertices, d.num_cull);
}

}  // namespace

bool prepare_vertex_inputs(Walk& w, Locations& locations) {
    const uint32_t vertices = input_vertices(w.program);
    VertexBuiltins builtins;
    for (uint32_t i = 0; i < w.plan.input_masks.size(); ++i) {
        if (w.plan.input_masks[i] == 0) continue;
        if (!is_per_vertex(w.program, w.registers, File::Input, static_cast<int32_t>(i))) continue;
        const Declared d = declared_as(w, File::Input, static_cast<int32_t>(i));
        if (!prepare_vertex_register(w, locations, builtins, d, VariableKind::Input, vertices, w.inputs.variables[i]))
            return false;
    }
    if (!count_distances(w, File::Input, w.plan.input_masks, false, w.inputs.distances)) return false;
    prepare_distances(w, VariableKind::Input, vertices, w.inputs.distances);
    return true;
}

namespace {

/// Notes what the text writes to registers by number. (The plan's masks also have what is read, and what an index may
/// name.)
void note_stored(Walk& w) {
    auto& stored = w.outputs.stored;
    stored.assign(w.plan.output_masks.size(), 0);
    for (const tgsi::Instruction& i : w.program.instructions)
        for (const tgsi::Operand& o : w.program.dsts(i)) {
            if (o.file == File::Output && !o.index_is_relative && static_cast<size_t>(o.index) < stored.size())
                stored[static_cast<size_t>(o.index)] |= o.write_mask;
        }
}

}  // namespace

bool prepare_patch_outputs(Walk& w) {
    note_stored(w);
    const uint32_t vertices = output_vertices(w.program);
    Locations locations(w.memory);
    VertexBuiltins builtins;
    for (const uint32_t i : w.outputs.written) {
        const Declared d = declared_as(w, File::Output, static_cast<int32_t>(i));
        if (d.declaration == nullptr) continue;
        uint32_t& variable = w.outputs.variables[i];
        if (is_per_vertex(w.program, w.registers, File::Output, static_cast<int32_t>(i))) {
            if (!prepare_vertex_register(w, locations, builtins, d, VariableKind::Output, vertices, variable))
                return false;
            continue;
        }
        switch (d.semantic) {
            case Semantic::TessOuter:
                variable = vertex_builtin(w, d, VariableKind::Output, BuiltIn::TessLevelOuter, ir::f32(), {4, 0},
                                          builtins.outer);
                break;
            case Semantic::TessInner:
                variable = vertex_builtin(w, d, VariableKind::Output, BuiltIn::TessLevelInner, ir::f32(), {2, 0},
                                          builtins.inner);
                break;
            case Semantic::Patch:
                variable = varying(w, locations, d, VariableKind::Output);
                if (!w.ok) return false;
                break;
            default:
                return refuse_semantic(w, d, "a per-patch output");
        }
    }
    join_outputs(w, w.outputs.stored);
    if (!count_distances(w, File::Output, w.plan.output_masks, true, w.outputs.distances)) return false;
    prepare_distances(w, VariableKind::Output, vertices, w.outputs.distances);
    return true;
}

}  // namespace tgsi2spv::lower

// Arrays over vertices: IN[v][i] of GEOM, TESS_CTRL and TESS_EVAL, and TESS_CTRL's outputs, OUT[v][i] and OUT[i]. Other
// invocations read those outputs, so every access is an immediate load or store (design: lower). Both brackets may be
// indices; out of range, a read gives 0 and a write is dropped.
#include "lower/vertices.h"

#include <algorithm>
#include <array>
#include <string>

#include "lower/addressing.h"
#include "lower/interface.h"
#include "lower/io_buffers.h"
#include "lower/operation.h"
#include "lower/outputs.h"
#include "lower/registers.h"
#include "lower/system_values.h"
#include "lower/values.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using ir::VariableKind;
using tgsi::File;
using tgsi::Semantic;
using tgsi::Stage;

namespace {

/// The most interface variables that an indexed second bracket selects among.
constexpr size_t kMostIndexedRegisters = 64;

/// One bracket of an operand. `inside`: a bool value, kNone if the index cannot be out of range.
struct Index {
    ir::Value value = ir::kNone;
    ir::Value inside = ir::kNone;
};

bool is_plain_constant_index(Walk& w, ir::Value value, uint32_t& index) {
    if (!is_plain_constant(w, value)) return false;
    index = w.b.constant(value).words[0];
    return true;
}

ir::Value both(Walk& w, ir::Value a, ir::Value b) {
    if (a == ir::kNone) return b;
    return b == ir::kNone ? a : w.b.land(a, b);
}

/// Whether the value is gl_InvocationID as loaded: it is always below the number of output vertices.
bool is_invocation(Walk& w, ir::Value value) {
    const uint32_t variable = w.inputs.builtins[static_cast<size_t>(BuiltIn::InvocationId)];
    if (variable == 0 || ir::is_constant(value)) return false;
    const ir::Instruction& i = w.b.instruction(value);
    return i.op == ir::Op::Load && i.aux == variable - 1;
}

/// The number of vertices that a first bracket may name; a run-time value if only the device knows it (patches).
ir::Value vertex_count(Walk& w, File file) {
    if (file == File::Output) return w.b.const_u32(output_vertices(w.program));
    if (w.program.stage == Stage::Geometry || w.options.io_buffers) return w.b.const_u32(input_vertices(w.program));
    return load_builtin(w, BuiltIn::PatchVertices, ir::u32());
}

/// The vertex of an operand with two brackets, clamped to the array. A constant vertex of a patch is assumed to exist:
/// a vertex that the patch lacks is undefined, but within the array.
Index vertex_of(Walk& w, const tgsi::Operand& o) {
    ir::Builder& b = w.b;
    const uint32_t length = o.file == File::Input ? input_vertices(w.program) : output_vertices(w.program);
    const tgsi::Relative* relative = w.program.dim_relative(o);
    if (relative == nullptr) {
        const auto v = static_cast<uint32_t>(o.dim);
        if (v < length) return {b.const_u32(v), ir::kNone};
        return {b.const_u32(0), b.const_bool(false)};
    }
    Index at{relative_index(w, *relative, o.dim), ir::kNone};
    const OutOfRange out_of_range = policy(w.options, &Bounds::registers);
    if (out_of_range == OutOfRange::Trust || (o.file == File::Output && is_invocation(w, at.value))) return at;
    if (out_of_range == OutOfRange::Zero) at.inside = b.ult(at.value, vertex_count(w, o.file));
    at.value = b.umin(at.value, b.const_u32(length - 1));
    return at;
}

/// The registers that a second bracket may name, in rising order; false after a refusal.
bool candidates(Walk& w, const tgsi::Operand& o, std::pmr::vector<uint32_t>& registers) {
    registers.clear();
    const tgsi::Range* range = o.array_id != 0 ? w.registers.array(o.file, o.array_id) : nullptr;
    size_t seen = 0;  // registers that do not match count too: searching many of them for each access would be slow
    auto add = [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last && seen <= kMostIndexedRegisters; ++i, ++seen)
            if (is_per_vertex(w.program, w.registers, o.file, i) == o.has_dim)
                registers.push_back(static_cast<uint32_t>(i));
    };
    if (range != nullptr)
        add(range->first, range->last);
    else
        w.registers.for_each_run(o.file, 0, add);
    if (seen <= kMostIndexedRegisters) return true;
    fail(w, "too-many-registers", o.position,
         "the index selects among more than 64 registers of " + std::string(tgsi::name(o.file)));
    return false;
}

/// If register accesses are clamped: an index that is too high becomes the last candidate.
ir::Value clamped_candidate(Walk& w, ir::Value index) {
    if (policy(w.options, &Bounds::registers) != OutOfRange::Clamp || w.indexed.candidates.empty()) return index;
    return w.b.umin(index, w.b.const_u32(w.indexed.candidates.back()));
}

// ---- one register

/// Access indices of a variable: the vertex if it is an array over vertices, then `last` if there is one.
struct Access {
    ir::Value indices[2] = {ir::kNone, ir::kNone};
    size_t count = 0;
    std::span<const ir::Value> span() const { return {indices, count}; }
};

Access access(ir::Value vertex, ir::Value last = ir::kNone) {
    Access a;
    if (vertex != ir::kNone) a.indices[a.count++] = vertex;
    if (last != ir::kNone) a.indices[a.count++] = last;
    return a;
}

/// Where a component of a register is: the variable and the index into it (kNone: the whole variable).
struct Place {
    uint32_t variable = kNoIndex;
    ir::Value index = ir::kNone;
};

/// Places of builtin components. (Vectors are read and written whole: kNoIndex.)
Place place_of(Walk& w, const Declared& d, uint32_t variable, uint32_t c, bool input) {
    ir::Builder& b = w.b;
    switch (d.semantic) {
        case Semantic::PSize:
            return {c == 0 ? variable : kNoIndex};
        case Semantic::ClipDist:
        case Semantic::CullDist: {
            const Distances& all = input ? w.inputs.distances : w.outputs.distances;
            const uint32_t number = first_distance(d, all.num_clip) + c;
            if (number < all.num_clip) return {all.clip, b.const_u32(number)};
            if (number >= all.num_clip + all.num_cull) return {};
            return {all.cull, b.const_u32(number - all.num_clip)};
        }
        case Semantic::TessOuter:
            return {variable, b.const_u32(c)};
        case Semantic::TessInner:
            return {c < 2 ? variable : kNoIndex, b.const_u32(c)};
        default:
            return {};
    }
}

bool is_vector(Semantic semantic) {
    switch (semantic) {
        case Semantic::PSize:
        case Semantic::ClipDist:
        case Semantic::CullDist:
        case Semantic::TessOuter:
        case Semantic::TessInner:
            return false;
        default:
            return true;
    }
}

/// Loads components of one register of one vertex (kNone: of the patch).
void load_register(Walk& w, File file, uint32_t reg, ir::Value vertex, std::span<const uint8_t> comps, Ref* out) {
    ir::Builder& b = w.b;
    const bool input = file == File::Input;
    const Declared d = declared_as(w, file, static_cast<int32_t>(reg));
    for (size_t k = 0; k < comps.size(); ++k) out[k] = constant_ref(w, 0);
    if (d.declaration == nullptr) return;
    const uint32_t variable = input ? w.inputs.variables[reg] : w.outputs.variables[reg];
    if (input && is_system_value(w.program.stage, d.semantic)) {
        Ref all[4];
        load_system_value(w, d.semantic, true, all);
        for (size_t k = 0; k < comps.size(); ++k) out[k] = all[comps[k]];
        return;
    }
    if (is_vector(d.semantic)) {
        if (variable == kNoIndex) {
            if (!input || w.options.linkage == nullptr) return;
            Ref all[4];
            read_unwritten(w, all);
            for (size_t k = 0; k < comps.size(); ++k) out[k] = all[comps[k]];
            return;
        }
        const ir::Type type = b.module().variables[variable].element;
        const ir::Value value = b.load(variable, access(vertex).span(), type);
        for (size_t k = 0; k < comps.size(); ++k)
            if (comps[k] < type.components) out[k] = {value, comps[k]};
        return;
    }
    for (size_t k = 0; k < comps.size(); ++k) {
        const Place p = place_of(w, d, variable, comps[k], input);
        if (p.variable != kNoIndex) out[k] = {b.load(p.variable, access(vertex, p.index).span(), ir::f32()), 0};
    }
}

void store_register(Walk& w, uint32_t reg, ir::Value vertex, uint8_t mask, const Ref* refs) {
    ir::Builder& b = w.b;
    const Declared d = declared_as(w, File::Output, static_cast<int32_t>(reg));
    if (d.declaration == nullptr) return;
    const uint32_t variable = w.outputs.variables[reg];
    const bool vector = is_vector(d.semantic);
    if (vector && variable == kNoIndex) return;
    const uint32_t width = vector ? b.module().variables[variable].element.components : 4;
    if (vector && mask == 0xf && width == 4)
        return b.store(variable, access(vertex).span(), gather(w, std::span(refs, 4), ir::Scalar::F32));
    for (uint32_t c = 0; c < 4; ++c) {
        if ((mask >> c & 1) == 0) continue;
        const Ref* ref = refs++;
        if (c >= width) continue;  // no stage reads it
        const ir::Value index = vector && width > 1 ? b.const_u32(c) : ir::kNone;
        const Place p = vector ? Place{variable, index} : place_of(w, d, variable, c, false);
        if (p.variable == kNoIndex) continue;
        b.store(p.variable, access(vertex, p.index).span(), gather(w, std::span(ref, 1), ir::Scalar::F32));
    }
}

/// Emits `f` under `condition` (kNone: always).
template <class F>
void guarded(Walk& w, ir::Value condition, F&& f) {
    if (condition == ir::kNone) return f();
    ir::Builder& b = w.b;
    const ir::BlockId then = b.create_block(), merge = b.create_block();
    b.set_selection_merge(merge);
    b.branch_if(condition, then, merge);
    b.start_block(then);
    f();
    b.branch(merge);
    b.start_block(merge);
}

// ---- io=buffers

/// The slot of IN or OUT register `reg` (constant or not) of a vertex. Each vertex has one block with all registers;
/// PATCH data and levels are in vertex 0's block.
ir::Value slot_of_vertex(Walk& w, File file, ir::Value vertex, ir::Value reg) {
    ir::Builder& b = w.b;
    const auto block = static_cast<uint32_t>(w.registers.count(file));
    uint32_t v = 0, r = 0;
    if (vertex == ir::kNone || (is_plain_constant_index(w, vertex, v) && v == 0)) return reg;
    if (is_plain_constant_index(w, vertex, v)) {
        if (is_plain_constant_index(w, reg, r)) return b.const_u32(v * block + r);
        return b.iadd(reg, b.const_u32(v * block));
    }
    return b.iadd(b.imul(vertex, b.const_u32(block)), reg);
}

/// The register that the second bracket names, and whether it is declared. If it is not, register 0 is used.
Index register_of(Walk& w, const tgsi::Operand& o) {
    ir::Builder& b = w.b;
    const tgsi::Relative* relative = w.program.index_relative(o);
    if (relative == nullptr) return {b.const_u32(static_cast<uint32_t>(o.index)), ir::kNone};
    Index at{relative_index(w, *relative, o.index), ir::kNone};
    at.inside = in_range(w, o.file, 0, o.array_id, at.value);
    if (at.inside != ir::kNone) at.value = b.select(at.inside, at.value, b.const_u32(0));
    if (policy(w.options, &Bounds::registers) != OutOfRange::Clamp) return at;
    at.value = b.umin(at.value, b.const_u32(static_cast<uint32_t>(std::max(1, w.registers.count(o.file))) - 1));
    return at;
}

void zero_outside(Walk& w, ir::Value inside, size_t n, Ref* out) {
    if (inside == ir::kNone) return;
    ir::Builder& b = w.b;
    const ir::Value value = gather(w, std::span<const Ref>(out, n), ir::Scalar::Void);
    const ir::Value zero = b.zero(b.type_of(value));
    const ir::Value chosen = b.select(inside, value, zero);
    for (size_t k = 0; k < n; ++k) out[k] = {chosen, static_cast<uint8_t>(k)};
}

bool read_buffer(Walk& w, const tgsi::Operand& o, std::span<const uint8_t> comps, Ref* out) {
    const Index vertex = o.has_dim ? vertex_of(w, o) : Index{};
    const Index reg = register_of(w, o);
    if (!w.ok) return false;
    const ir::Value slot = slot_of_vertex(w, o.file, vertex.value, reg.value);
    for (size_t k = 0; k < comps.size(); ++k)
        out[k] = {o.file == File::Input ? load_io_word(w, slot, comps[k]) : load_io_output(w, slot, comps[k]), 0};
    zero_outside(w, both(w, vertex.inside, reg.inside), comps.size(), out);
    return true;
}

bool write_buffer(Walk& w, const tgsi::Operand& o, uint8_t mask, const Ref* refs) {
    const Index vertex = o.has_dim ? vertex_of(w, o) : Index{};
    const Index reg = register_of(w, o);
    if (!w.ok) return false;
    guarded(w, both(w, vertex.inside, reg.inside), [&] {
        const ir::Value slot = slot_of_vertex(w, File::Output, vertex.value, reg.value);
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) store_io_output(w, slot, c, gather(w, std::span(refs++, 1), ir::Scalar::U32));
    });
    return true;
}

// ---- variables

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
    switch (d.semantic) {
        case Semantic::Position:
            variable = vertex_builtin(w, d, kind, BuiltIn::Position, ir::f32(4), {vertices, 0}, builtins.position);
            return true;
        case Semantic::PSize:
            variable = vertex_builtin(w, d, kind, BuiltIn::PointSize, ir::f32(), {vertices, 0}, builtins.point_size);
            return true;
        case Semantic::ClipDist:
        case Semantic::CullDist:
            return true;
        case Semantic::EdgeFlag:
        case Semantic::ClipVertex:
            if (kind == VariableKind::Output) return true;  // semantics: accepted, no effect; by option
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

bool prepare_patch_outputs(Walk& w) {
    const uint32_t vertices = output_vertices(w.program);
    Locations locations(w.memory);
    VertexBuiltins builtins;
    for (uint32_t i = 0; i < w.plan.output_masks.size(); ++i) {
        if (w.plan.output_masks[i] == 0) continue;
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
    if (!count_distances(w, File::Output, w.plan.output_masks, true, w.outputs.distances)) return false;
    prepare_distances(w, VariableKind::Output, vertices, w.outputs.distances);
    return true;
}

Outcome lower_patch_barrier(Operation& op) {
    // The barrier itself orders outputs; words of a buffer need explicit semantics.
    constexpr uint32_t kAcquireRelease = 0x8, kUniformMemory = 0x40;
    op.b.emit(ir::Op::ControlBarrier, ir::kVoid, {}, op.options.io_buffers ? kAcquireRelease | kUniformMemory : 0);
    return {};
}

bool stands_in_interface(const Walk& w, const tgsi::Operand& o) {
    if (o.file != File::Input) return o.file == File::Output && w.program.stage == Stage::TessControl;
    return has_vertices(w.program.stage, File::Input) && (o.has_dim || o.index_is_relative);
}

bool read_interface(Walk& w, const tgsi::Operand& o, std::span<const uint8_t> comps, Ref* out) {
    ir::Builder& b = w.b;
    if (o.file == File::Input && !o.index_is_relative &&
        declared_as(w, File::Input, o.index).semantic == Semantic::PrimId) {
        for (size_t k = 0; k < comps.size(); ++k) out[k] = w.cells.inputs[4 * static_cast<size_t>(o.index) + comps[k]];
        return true;
    }
    if (w.options.io_buffers) return read_buffer(w, o, comps, out);
    const Index vertex = o.has_dim ? vertex_of(w, o) : Index{};
    if (!w.ok) return false;
    const tgsi::Relative* relative = w.program.index_relative(o);
    if (relative == nullptr) {
        load_register(w, o.file, static_cast<uint32_t>(o.index), vertex.value, comps, out);
        zero_outside(w, vertex.inside, comps.size(), out);
        return true;
    }
    ir::Value index = relative_index(w, *relative, o.index);
    if (!candidates(w, o, w.indexed.candidates)) return false;
    index = clamped_candidate(w, index);
    const ir::Type type = ir::f32(static_cast<int>(comps.size()));
    ir::Value value = b.zero(type);
    for (const uint32_t reg : w.indexed.candidates) {
        Ref refs[4];
        load_register(w, o.file, reg, vertex.value, comps, refs);
        const ir::Value this_one = gather(w, std::span<const Ref>(refs, comps.size()), ir::Scalar::F32);
        value = b.select(b.ieq(index, b.const_u32(reg)), this_one, value);
    }
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, static_cast<uint8_t>(k)};
    zero_outside(w, vertex.inside, comps.size(), out);
    return w.ok;
}

bool write_interface(Walk& w, const tgsi::Operand& o, uint8_t mask, const Ref* refs) {
    ir::Builder& b = w.b;
    if (w.options.io_buffers) return write_buffer(w, o, mask, refs);
    const Index vertex = o.has_dim ? vertex_of(w, o) : Index{};
    if (!w.ok) return false;
    const tgsi::Relative* relative = w.program.index_relative(o);
    if (relative == nullptr) {
        guarded(w, vertex.inside, [&] { store_register(w, static_cast<uint32_t>(o.index), vertex.value, mask, refs); });
        return true;
    }
    // This must not read and write back: other invocations may be writing the other registers.
    ir::Value index = relative_index(w, *relative, o.index);
    if (!candidates(w, o, w.indexed.candidates)) return false;
    index = clamped_candidate(w, index);
    guarded(w, vertex.inside, [&] {
        const ir::BlockId merge = b.create_block();
        w.indexed.cases.clear();
        for (const uint32_t reg : w.indexed.candidates) w.indexed.cases.push_back({reg, b.create_block()});
        b.set_selection_merge(merge);
        b.switch_on(index, merge, w.indexed.cases);
        for (const ir::SwitchCase& c : w.indexed.cases) {
            b.start_block(c.block);
            store_register(w, c.literal, vertex.value, mask, refs);
            b.branch(merge);
        }
        b.start_block(merge);
    });
    return w.ok;
}

}  // namespace tgsi2spv::lower

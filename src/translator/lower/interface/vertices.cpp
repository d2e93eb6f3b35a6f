// Reads and writes of arrays over vertices: IN[v][i] of GEOM, TESS_CTRL and TESS_EVAL, and TESS_CTRL's outputs,
// OUT[v][i] and OUT[i]. Other invocations read those outputs, so every access is an immediate load or store (design:
// lower). Both brackets may be indices; out of range, a read gives 0 and a write is dropped.
#include "lower/interface/vertices.h"

#include <string>

#include "lower/context/guarded.h"
#include "lower/context/values.h"
#include "lower/interface/system_values.h"
#include "lower/interface/vertex_operand.h"
#include "lower/registers/addressing.h"
#include "lower/registers/cells.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"
#include "lower/variables/varyings.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using ir::BuiltIn;
using tgsi::File;
using tgsi::Semantic;
using tgsi::Stage;

namespace {

/// Whether the value is gl_InvocationID as loaded: it is always below the number of output vertices.
bool is_invocation(Context& context, ir::Value value) {
    if (context.options.records) return value == context.io.invocation;
    const uint32_t variable = context.inputs.builtins[static_cast<size_t>(BuiltIn::InvocationId)];
    if (variable == 0 || ir::is_constant(value)) return false;
    const ir::Instruction& i = context.b.instruction(value);
    return i.op == ir::Op::Load && i.aux == variable - 1;
}

/// The number of vertices that a first bracket may name; a run-time value if only the device knows it (patches).
ir::Value vertex_count(Context& context, File file) {
    if (file == File::Output) return context.b.const_u32(output_vertices(context.program));
    if (context.program.stage == Stage::Geometry || (context.options.io_buffers && !context.options.records))
        return context.b.const_u32(input_vertices(context.program));
    return load_builtin(context, BuiltIn::PatchVertices, ir::u32());
}

/// Whether an index that names no candidate selects the last one.
bool clamps_to_last(const Context& context) {
    return policy(context.options, &Bounds::registers) == OutOfRange::Clamp && !context.indexed.candidates.empty();
}

// ---- one register

/// Access indices of a variable: the vertex if it is an array over vertices, then `last` if there is one.
struct VariableIndices {
    ir::Value indices[2] = {ir::kNone, ir::kNone};
    size_t count = 0;
    std::span<const ir::Value> span() const { return {indices, count}; }
};

VariableIndices access(ir::Value vertex, ir::Value last = ir::kNone) {
    VariableIndices a;
    if (vertex != ir::kNone) a.indices[a.count++] = vertex;
    if (last != ir::kNone) a.indices[a.count++] = last;
    return a;
}

/// Where a component of a register is: the variable and the index into it (kNone: the whole variable).
struct ComponentVariable {
    uint32_t variable = kNoIndex;
    ir::Value index = ir::kNone;
};

/// Places of builtin components. (Vectors are read and written whole: kNoIndex.)
ComponentVariable place_of(Context& context, const Declared& declared, uint32_t variable, uint32_t c, bool input) {
    ir::Builder& b = context.b;
    switch (declared.semantic) {
        case Semantic::PSize:
            return {c == 0 ? variable : kNoIndex};
        case Semantic::ClipDist:
        case Semantic::CullDist: {
            const Distances& all = input ? context.inputs.distances : context.outputs.distances;
            const uint32_t number = first_distance(declared, all.num_clip) + c;
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

bool is_vector(const Context& context, Semantic semantic, File file) {
    switch (semantic) {
        case Semantic::ClipDist:
        case Semantic::CullDist:
            return are_varyings(context, semantic, file);
        case Semantic::PSize:
        case Semantic::TessOuter:
        case Semantic::TessInner:
            return false;
        default:
            return true;
    }
}

/// For a component that no variable holds: 0. The value of an output that the text itself wrote, naming the register,
/// would be lost. (An index may reach such a register, but it is not meant to: nothing would pass the value on.)
void read_absent(Context& context, const Declared& declared, File file, uint32_t reg, uint32_t c) {
    if (file == File::Output && (context.outputs.stored[reg] >> c & 1) != 0)
        fail(context, "not-readable", position_of(declared),
             std::string(display_name(declared)) + ": component " + "xyzw"[c] +
                 " is written and read again, but nothing passes it on");
}

/// Loads components of one register of one vertex (kNone: of the patch).
void load_register(Context& context, File file, uint32_t reg, ir::Value vertex, std::span<const uint8_t> comps,
                   Ref* out) {
    ir::Builder& b = context.b;
    const bool input = file == File::Input;
    const Declared d = declared_as(context, file, static_cast<int32_t>(reg));
    for (size_t k = 0; k < comps.size(); ++k) out[k] = constant_ref(context.b, 0);
    if (d.declaration == nullptr) return;
    const uint8_t exist =
        input ? 0xf : output_components(context.program, context.registers, static_cast<int32_t>(reg));
    const auto exists = [exist](uint8_t c) { return (exist >> c & 1) != 0; };
    const uint32_t variable = input ? context.inputs.variables[reg] : context.outputs.variables[reg];
    if (input && is_system_value(context.program.stage, d.semantic)) {
        Ref all[4];
        load_system_value(context, d.semantic, true, all);
        for (size_t k = 0; k < comps.size(); ++k) out[k] = all[comps[k]];
        return;
    }
    if (is_vector(context, d.semantic, file)) {
        if (variable == kNoIndex) {
            if (!input)
                for (const uint8_t c : comps)
                    if (exists(c)) read_absent(context, d, file, reg, c);
            if (!input || context.options.linkage == nullptr) return;
            Ref all[4];
            read_unwritten(context, all);
            for (size_t k = 0; k < comps.size(); ++k) out[k] = all[comps[k]];
            return;
        }
        const ir::Type type = b.module().variables[variable].element;
        const ir::Value value = b.load(variable, access(vertex).span(), type);
        for (size_t k = 0; k < comps.size(); ++k)
            if (comps[k] < type.components && exists(comps[k])) out[k] = {value, comps[k]};
        return;
    }
    for (size_t k = 0; k < comps.size(); ++k) {
        if (!exists(comps[k])) continue;
        const ComponentVariable p = place_of(context, d, variable, comps[k], input);
        if (p.variable == kNoIndex)
            read_absent(context, d, file, reg, comps[k]);
        else
            out[k] = {b.load(p.variable, access(vertex, p.index).span(), ir::f32()), 0};
    }
}

void store_register(Context& context, uint32_t reg, ir::Value vertex, uint8_t mask, const Ref* refs) {
    ir::Builder& b = context.b;
    const Declared d = declared_as(context, File::Output, static_cast<int32_t>(reg));
    if (d.declaration == nullptr) return;
    const uint32_t variable = context.outputs.variables[reg];
    const bool vector = is_vector(context, d.semantic, File::Output);
    if (vector && variable == kNoIndex) return;
    const uint32_t width = vector ? b.module().variables[variable].element.components : 4;
    const auto exist =
        static_cast<uint8_t>(output_components(context.program, context.registers, static_cast<int32_t>(reg)) &
                             ~context.outputs.hidden[reg]);
    if (vector && mask == 0xf && exist == 0xf && width == 4)
        return b.store(variable, access(vertex).span(), gather(context.b, std::span(refs, 4), ir::Scalar::F32));
    for (uint32_t c = 0; c < 4; ++c) {
        if ((mask >> c & 1) == 0) continue;
        const Ref* ref = refs++;
        if (c >= width || (exist >> c & 1) == 0) continue;  // no stage reads it
        const ir::Value index = vector && width > 1 ? b.const_u32(c) : ir::kNone;
        const ComponentVariable p =
            vector ? ComponentVariable{variable, index} : place_of(context, d, variable, c, false);
        if (p.variable == kNoIndex) continue;
        b.store(p.variable, access(vertex, p.index).span(), gather(context.b, std::span(ref, 1), ir::Scalar::F32));
    }
}

}  // namespace

void clear_patch_outputs(Context& context) {
    const Ref zero = constant_ref(context.b, 0), zeros[] = {zero, zero, zero, zero};
    const ir::Value own = load_builtin(context, BuiltIn::InvocationId, ir::u32());
    context.registers.for_each_run(File::Output, 0, [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last && check_operations(context, context.position); ++i) {
            const auto reg = static_cast<uint32_t>(i);
            const ir::Value vertex =
                is_per_vertex(context.program, context.registers, File::Output, i) ? own : ir::Value{ir::kNone};
            if (context.options.io_buffers)
                clear_vertex_buffer(context, vertex, reg);
            else
                store_register(context, reg, vertex, 0xf, zeros);
        }
    });
}

bool candidates(Context& context, const tgsi::Operand& operand, std::pmr::vector<uint32_t>& registers) {
    registers.clear();
    const tgsi::Range* range =
        operand.array_id != 0 ? context.registers.array(operand.file, operand.array_id) : nullptr;
    size_t seen = 0;  // registers that do not match count too: searching many of them for each access would be slow
    auto add = [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last && seen <= kMaxIndexedRegisters; ++i, ++seen)
            if (is_per_vertex(context.program, context.registers, operand.file, i) == operand.has_dim)
                registers.push_back(static_cast<uint32_t>(i));
    };
    if (range != nullptr)
        add(range->first, range->last);
    else
        context.registers.for_each_run(operand.file, 0, add);
    if (seen <= kMaxIndexedRegisters) return true;
    fail(context, "too-many-registers", operand.position,
         "the index selects among more than 64 registers of " + std::string(tgsi::name(operand.file)));
    return false;
}

Index vertex_of(Context& context, const tgsi::Operand& operand) {
    ir::Builder& b = context.b;
    const uint32_t length =
        operand.file == File::Input ? input_vertices(context.program) : output_vertices(context.program);
    const tgsi::Relative* relative = context.program.dim_relative(operand);
    const OutOfRange out_of_range = policy(context.options, &Bounds::registers);
    if (relative == nullptr) {
        const auto v = static_cast<uint32_t>(operand.dim);
        if (v >= length) return {b.const_u32(0), b.const_bool(false)};
        const Index at{b.const_u32(v), ir::kNone};
        if (v == 0 || out_of_range == OutOfRange::Trust) return at;
        const ir::Value count = vertex_count(context, operand.file);
        return ir::is_constant(count) ? at : Index{at.value, b.ult(at.value, count)};
    }
    Index at{relative_index(context, *relative, operand.dim), ir::kNone};
    if (out_of_range == OutOfRange::Trust || (operand.file == File::Output && is_invocation(context, at.value)))
        return at;
    const ir::Value count = vertex_count(context, operand.file);
    if (out_of_range == OutOfRange::Zero) at.inside = b.ult(at.value, count);
    const bool ends_with_patch = out_of_range == OutOfRange::Clamp && !ir::is_constant(count);
    at.value = b.umin(at.value, ends_with_patch ? b.isub(count, b.const_u32(1)) : b.const_u32(length - 1));
    return at;
}

void zero_outside(Context& context, ir::Value inside, size_t n, Ref* out) {
    if (inside == ir::kNone) return;
    ir::Builder& b = context.b;
    const ir::Value value = gather(context.b, std::span<const Ref>(out, n), ir::Scalar::Void);
    const ir::Value zero = b.zero(b.type_of(value));
    const ir::Value chosen = b.select(inside, value, zero);
    for (size_t k = 0; k < n; ++k) out[k] = {chosen, static_cast<uint8_t>(k)};
}

bool read_interface(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    ir::Builder& b = context.b;
    if (operand.file == File::Input && !operand.index_is_relative &&
        declared_as(context, File::Input, operand.index).semantic == Semantic::PrimId) {
        for (size_t k = 0; k < comps.size(); ++k)
            out[k] = context.cells.inputs[4 * static_cast<size_t>(operand.index) + comps[k]];
        return true;
    }
    if (context.options.io_buffers) return read_vertex_buffer(context, operand, comps, out);
    const Index vertex = operand.has_dim ? vertex_of(context, operand) : Index{};
    if (!context.ok) return false;
    const tgsi::Relative* relative = context.program.index_relative(operand);
    if (relative == nullptr) {
        load_register(context, operand.file, static_cast<uint32_t>(operand.index), vertex.value, comps, out);
        zero_outside(context, vertex.inside, comps.size(), out);
        return context.ok;
    }
    const ir::Value index = relative_index(context, *relative, operand.index);
    if (!candidates(context, operand, context.indexed.candidates)) return false;
    const auto load = [&](uint32_t reg) {
        Ref refs[4];
        load_register(context, operand.file, reg, vertex.value, comps, refs);
        return gather(context.b, std::span<const Ref>(refs, comps.size()), ir::Scalar::F32);
    };
    std::span<const uint32_t> registers = context.indexed.candidates;
    ir::Value value = b.zero(ir::f32(static_cast<int>(comps.size())));
    if (clamps_to_last(context)) {
        value = load(registers.back());
        registers = registers.first(registers.size() - 1);
    }
    for (const uint32_t reg : registers) {
        const ir::Value this_one = load(reg);
        value = b.select(b.ieq(index, b.const_u32(reg)), this_one, value);
    }
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, static_cast<uint8_t>(k)};
    zero_outside(context, vertex.inside, comps.size(), out);
    return context.ok;
}

bool write_interface(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs) {
    ir::Builder& b = context.b;
    if (context.options.io_buffers) return write_vertex_buffer(context, operand, mask, refs);
    const Index vertex = operand.has_dim ? vertex_of(context, operand) : Index{};
    if (!context.ok) return false;
    const tgsi::Relative* relative = context.program.index_relative(operand);
    if (relative == nullptr) {
        where(b, vertex.inside, ir::kVoid, [&] {
            store_register(context, static_cast<uint32_t>(operand.index), vertex.value, mask, refs);
            return ir::kNone;
        });
        return true;
    }
    // This must not read and write back: other invocations may be writing the other registers.
    const ir::Value index = relative_index(context, *relative, operand.index);
    if (!candidates(context, operand, context.indexed.candidates)) return false;
    where(b, vertex.inside, ir::kVoid, [&] {
        const ir::BlockId merge = b.create_block();
        context.indexed.cases.clear();
        for (const uint32_t reg : context.indexed.candidates) context.indexed.cases.push_back({reg, b.create_block()});
        b.set_selection_merge(merge);
        b.switch_on(index, clamps_to_last(context) ? context.indexed.cases.back().block : merge, context.indexed.cases);
        for (const ir::SwitchCase& c : context.indexed.cases) {
            b.start_block(c.block);
            store_register(context, c.literal, vertex.value, mask, refs);
            b.branch(merge);
        }
        b.start_block(merge);
        return ir::kNone;
    });
    return context.ok;
}

}  // namespace tgsi2spv::lower

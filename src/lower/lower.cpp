// The walk: one pass over the instructions of each function.
#include "lower/lower.h"

#include <algorithm>
#include <bit>

#include "lower/walk.h"
#include "lower/wide.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::Family;
using tgsi::File;
using tgsi::Opcode;
using tgsi::OperandType;
using tgsi::Property;

namespace {

/// True for a MOV without modifiers. `operands` are the instruction's.
bool only_renames(const tgsi::Instruction& i, const tgsi::Operand* operands) {
    return i.op == Opcode::MOV && !i.saturate && !operands[1].negate && !operands[1].absolute;
}

/// If `to`, the destination's cells, is given, the source's cells are copied there unchanged.
void lower_move(Walk& w, const tgsi::Operand& dst, const tgsi::Operand& src, Ref* to) {
    const auto comps = components_of(dst.write_mask);
    Ref refs[4];  // source and destination may be the same register
    if (!read_swizzled(w, src, comps, refs)) return;
    if (to == nullptr) {
        write(w, dst, dst.write_mask, refs);
        return;
    }
    const Ref* from = refs;
    for (const uint8_t c : comps) to[c] = *from++;
}

Outcome dispatch(Operation& op, const tgsi::OpcodeInfo& row) {
    switch (row.family) {
        case Family::arithmetic:
            return lower_arithmetic(op);
        case Family::compare:
            return lower_compare(op);
        case Family::integer:
            return lower_integer(op);
        case Family::convert:
            return row.is_wide ? lower_wide(op) : lower_convert(op);
        case Family::texture:
            if (op.instruction.op == Opcode::SAMP2HND || op.instruction.op == Opcode::IMG2HND) return lower_handle(op);
            return lower_texture(op);
        case Family::legacy:
            return lower_legacy(op);
        case Family::io:
            if (op.instruction.op == Opcode::EMIT || op.instruction.op == Opcode::ENDPRIM) return lower_geometry(op);
            return lower_fragment_io(op);
        case Family::memory:
            return lower_memory(op);
        case Family::subgroup:
            if (op.instruction.op == Opcode::BARRIER)
                return op.program.stage == tgsi::Stage::TessControl ? lower_patch_barrier(op) : lower_memory(op);
            return lower_subgroup(op);
        case Family::wide:
            return lower_wide(op);
        case Family::flow:
            break;
    }
    return no_case(op);
}

void lower_operation(Operation& op, const tgsi::OpcodeInfo& row) {
    Walk& w = op.walk;
    const tgsi::Instruction& i = op.instruction;
    const uint8_t mask = op.mask;
    const tgsi::Operand* const operands = w.program.operands.data() + i.first_operand;
    const bool nothing = mask == 0 || (i.num_dst != 0 && operands[0].file == File::Null);
    if (only_renames(i, operands)) {
        if (!nothing) lower_move(w, operands[0], operands[1], nullptr);
        return;
    }
    if (nothing && mask == 0) {
        op.mask = 0xf;
        op.width = 4;
    }
    if (i.saturate && row.dst[0] != OperandType::Float && row.dst[0] != OperandType::Double && !gives_double(op))
        return fail(w, "saturate-integer", i.position,
                    std::string(row.mnemonic) + " gives integers, which _SAT does not take");
    const Outcome outcome = dispatch(op, row);
    if (outcome.ok && outcome.value != ir::kNone && !nothing && i.num_dst != 0) write_result(op, outcome.value);
}

/// True for an instruction with no destination, or with one in memory: a predicate applies to it as a whole.
bool is_all_or_nothing(const tgsi::Instruction& i, const tgsi::OpcodeInfo& row) {
    return i.num_dst == 0 || row.dst[0] == OperandType::Resource;
}

/// Everything emitted from here on belongs to this instruction.
inline void enter_instruction(Walk& w, const tgsi::Instruction& i, const tgsi::OpcodeInfo& row) {
    w.position = i.position;
    w.b.set_line(i.position);
    w.b.set_precise(w.options.exact || i.precise);
    w.float_result = row.dst[0] == OperandType::Float;
}

inline Operation operation_of(Walk& w, const tgsi::Instruction& i) {
    const uint8_t mask = i.num_dst != 0 ? w.program.operands[i.first_operand].write_mask : uint8_t{0xf};
    return {
        w,         w.b, w.options, w.capabilities, w.program, i, mask, kMaskComponents[mask & 0xf].count, w.legacy_math,
        &w.m.views};
}

}  // namespace

Operation begin_instruction(Walk& w, const tgsi::Instruction& i) {
    enter_instruction(w, i, tgsi::info(i.op));
    return operation_of(w, i);
}

void lower_instruction(Walk& w, uint32_t pc) {
    const tgsi::Instruction& i = w.program.instructions[pc];
    const tgsi::OpcodeInfo& row = tgsi::info(i.op);
    if (w.operations_before + w.b.function().instructions.size() > w.options.max_operations)
        return fail(w, "operation-limit", i.position,
                    "the shader becomes more than " + std::to_string(w.options.max_operations) + " operations");
    enter_instruction(w, i, row);
    const tgsi::Operand* const operands = w.program.operands.data() + i.first_operand;
    if (only_renames(i, operands) && operands[0].write_mask != 0 && !i.has_predicate) {
        if (Ref* const to = written_cells(w, operands[0])) {
            lower_move(w, operands[0], operands[1], to);
            return;
        }
    }
    Operation op = operation_of(w, i);
    if (pc < w.messages.size()) op.message = &w.messages[pc];
    if (row.family == Family::flow) return lower_flow(op);
    if (!i.has_predicate) return lower_operation(op, row);
    if (!is_all_or_nothing(i, row)) {
        w.predicate = &i;
        lower_operation(op, row);
        w.predicate = nullptr;
        return;
    }
    if (i.op == Opcode::BARRIER) {
        refuse_predicate(w, i);
        return;
    }
    const Conditional conditional = begin_conditional(w, predicate_condition(w, i));
    lower_operation(op, row);
    end_conditional(w, conditional);
}

namespace {

void lower_function(Walk& w, uint32_t function) {
    const FunctionPlan& f = w.plan.functions[function];
    w.in_main = function == 0;
    w.reachable = true;
    w.next_construct = f.first_construct;
    w.m.frames.clear();
    w.m.edges.clear();
    w.m.edge_values.clear();
    w.b.begin_function(w.m.ir_functions[function], size_t{3} * (f.end - f.begin));
    w.b.set_precise(w.options.exact);
    enter_region(w);
    load_interface(w, f);
    clear_registers(w);
    if (f.branches) lower_branches(w, f);
    for (uint32_t pc = f.branches ? f.end : f.begin; pc < f.end && w.ok; ++pc) {
        if (w.plan.is_dropped(pc)) continue;
        const Opcode op = w.program.instructions[pc].op;
        if (!w.reachable && !bounds_construct(op)) {
            if (opens_construct(op)) {
                const Construct& c = w.plan.constructs[w.next_construct];
                pc = c.last;
                w.next_construct = c.next;
            }
            continue;
        }
        lower_instruction(w, pc);
    }
    if (!w.ok) return;
    lower_exit(w);
    w.operations_before += w.b.function().instructions.size();
    w.b.end_function();
    w.m.region_open[w.region] = 0;
}

/// The entry point if main is a separate function: Plan::wrap.
void lower_entry(Walk& w, uint32_t entry) {
    w.in_main = false;
    w.b.begin_function(entry);
    enter_region(w);
    if (w.options.io_buffers) enter_io_buffers(w);
    w.b.call(w.m.ir_functions[0], {});
    finish_invocation(w);
    w.b.ret();
    w.b.end_function();
}

/// Refuses a property that only means something with an extension (semantics: System values, inputs, outputs,
/// properties).
void require(Walk& w, bool offered, const tgsi::PropertyValue& v, std::string_view extension) {
    if (offered) return;
    fail(w, "unsupported-capability", v.position,
         std::string(tgsi::name(v.name)) + ": the device lacks " + std::string(extension));
}

bool check_stage(Walk& w) {
    const tgsi::Program& p = w.program;
    for (const tgsi::PropertyValue& v : p.properties) {
        if (v.value == 0) continue;
        std::string_view name;
        if (v.name == Property::VsWindowSpacePosition) name = "VS_WINDOW_SPACE_POSITION";
        if (!name.empty()) fail(w, "unsupported-property", v.position, std::string(name) + " is not supported");
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

/// A property as an execution mode of a few bits; adds an error for values without a mode.
uint8_t mode_of(Walk& w, Property property, std::initializer_list<uint32_t> known) {
    const uint32_t value = w.program.property(property);
    for (const uint32_t k : known)
        if (value == k) return static_cast<uint8_t>(value);
    const std::string name(tgsi::name(property));
    const auto& all = w.program.properties;
    const auto written = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.name == property; });
    if (written == all.end())
        fail(w, "missing-property", 0, std::string(tgsi::name(w.program.stage)) + " needs " + name);
    else
        fail(w, "unsupported-property", written->position, name + " has a value that Vulkan does not offer");
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
    for (const tgsi::Instruction& i : p.instructions) emits |= i.op == Opcode::EMIT;
    if (vertices == 0 && emits) fail(w, "missing-property", 0, "GEOM needs GS_MAX_OUTPUT_VERTICES");
    if (vertices > tgsi::kMostGeometryVertices)
        fail(w, "unsupported-property", 0, "GS_MAX_OUTPUT_VERTICES is more than 1024, which no device takes");
    if (e.invocations > tgsi::kMostGeometryInvocations)
        fail(w, "unsupported-property", 0, "GS_INVOCATIONS is more than 127, which no device takes");
    e.max_vertices = w.options.io_buffers ? 1 : std::max(1u, vertices);
}

void set_control(Walk& w, ir::EntryPoint& e) {
    e.output_vertices = output_vertices(w.program);
    if (e.output_vertices == 0) fail(w, "missing-property", 0, "TESS_CTRL needs TCS_VERTICES_OUT");
    if (e.output_vertices > tgsi::kMostPatchVertices)
        fail(w, "unsupported-property", 0, "TCS_VERTICES_OUT is more than 32, which no device takes");
}

void set_entry(Walk& w) {
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
            e.tess_points = p.property(Property::TesPointMode) != 0;
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
}

}  // namespace

void WorkspaceDeleter::operator()(Workspace* workspace) const {
    std::pmr::polymorphic_allocator<>(workspace->memory).delete_object(workspace);
}

WorkspacePtr make_workspace(std::pmr::memory_resource* memory) {
    return WorkspacePtr(std::pmr::polymorphic_allocator<>(memory).new_object<Workspace>(memory));
}

bool lower(const tgsi::Program& program, const tgsi::Registers& registers, const Options& options,
           const Capabilities& capabilities, Workspace& m, ir::Module& module,
           std::vector<tgsi::Diagnostic>& diagnostics, std::span<const sampling::Message> messages) {
    ir::Builder& b = m.builder;
    b.begin_module(module, options.simplify);
    Walk w{program, registers, options, capabilities, m, b, m.plan, diagnostics, messages};
    if (!check_stage(w)) return false;
    if (!make_plan(program, registers, options, capabilities, m.plan, diagnostics)) return false;
    w.legacy_math = program.property(Property::LegacyMathRules) != 0;
    set_entry(w);
    if (!w.ok) return false;

    m.ir_functions.clear();
    for (size_t f = 0; f < m.plan.functions.size(); ++f)
        m.ir_functions.push_back(b.declare_function(ir::kVoid, {}, f == 0 ? "main" : "sub"));
    if (m.plan.emit_functions) declare_emit_functions(w);
    if (m.plan.wrap)
        module.entry.function = b.declare_function(ir::kVoid, {}, "entry");
    else
        module.entry.function = m.ir_functions[0];

    m.joins.resize(m.plan.writes.size());
    m.label_blocks.resize(m.plan.labels.size());
    m.region_open.clear();
    std::fill(std::begin(m.range_tests), std::end(m.range_tests), RangeTest{});
    for (auto& heads : m.descriptors_of) heads.clear();
    m.descriptors.clear();
    m.float_buffers.clear();
    m.memory_variables.clear();
    sampling::gather_views(program, m.views);
    prepare_constants(w);
    if (!prepare_interface(w)) return false;
    if (!module.entry.depth_replacing || module.entry.depth_layout > 4) module.entry.depth_layout = 0;
    prepare_registers(w);
    for (uint32_t f = 0; f < m.plan.functions.size() && w.ok; ++f) lower_function(w, f);
    if (w.ok && m.plan.emit_functions) fill_emit_functions(w);
    if (w.ok && m.plan.wrap) lower_entry(w, module.entry.function);
    mark_aliases(w);
    return w.ok;
}

}  // namespace tgsi2spv::lower

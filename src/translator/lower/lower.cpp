// A whole conversion: the plan, the interface, then one pass over the instructions of each function.
#include "lower/lower.h"

#include "lower/context/double_functions.h"
#include "lower/context/regions.h"
#include "lower/families/instructions.h"
#include "lower/flow/branches.h"
#include "lower/flow/flow.h"
#include "lower/flow/joins.h"
#include "lower/flow/turns.h"
#include "lower/interface/entry.h"
#include "lower/interface/geometry.h"
#include "lower/interface/interface.h"
#include "lower/interface/io_buffers.h"
#include "lower/interface/io_lane.h"
#include "lower/interface/own_memory.h"
#include "lower/interface/resources.h"
#include "lower/interface/vertex_operand.h"
#include "lower/interface/vertices.h"
#include "lower/options/linkage.h"
#include "lower/registers/arrays.h"
#include "lower/registers/cells.h"
#include "lower/registers/constant_buffers.h"
#include "lower/registers/range_tests.h"
#include "lower/registers/registers.h"
#include "lower/registers/stack.h"
#include "lower/registers/temp_arrays.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {

using tgsi::Opcode;

namespace {

/// The IR's instructions for one of the text: 2 or 3 mostly, more of wide and texture operations. The table of numbered
/// instructions is faster half empty.
constexpr size_t kRoomForEach = 6;

void lower_function(Context& context, uint32_t function) {
    const FunctionPlan& f = context.plan.functions[function];
    context.in_main = function == 0;
    context.reachable = true;
    context.next_construct = f.first_construct;
    context.flow.frames.clear();
    context.flow.turns = 0;
    context.flow.steps = 0;
    context.joins.edges.clear();
    context.joins.values.clear();
    context.b.begin_function(context.ir_functions[function], kRoomForEach * (f.end - f.begin));
    context.b.set_precise(context.options.exact);
    enter_region(context);
    if (!context.in_main) count_call(context);
    load_interface(context, f);
    if (context.in_main) clear_memory(context);
    if (context.in_main) clear_registers(context);  // registers that a subroutine touches are in memory
    if (context.in_main && clips_fragments(context.program, context.options)) clip_fragment(context);
    if (f.branches) lower_branches(context, f, lower_instruction);
    for (uint32_t pc = f.branches ? f.end : f.begin; pc < f.end && context.ok; ++pc) {
        if (context.plan.is_dropped(pc)) continue;
        const Opcode op = context.program.instructions[pc].op;
        if (!context.reachable && !bounds_construct(op)) {
            if (opens_construct(op)) {
                const Construct& c = context.plan.constructs[context.next_construct];
                pc = c.last;
                context.next_construct = c.next;
            }
            continue;
        }
        lower_instruction(context, pc);
    }
    if (!context.ok) return;
    lower_exit(context);
    drop_budget(context);
    context.operations_before += context.b.function().instructions.size();
    context.b.end_function();
    leave_region(context);
}

/// The entry point if main is a separate function: Plan::wrap.
void lower_entry(Context& context, uint32_t entry) {
    context.in_main = false;
    context.b.begin_function(entry);
    enter_region(context);
    if (context.options.io_buffers) enter_io_buffers(context);
    context.b.call(context.ir_functions[0], {});
    finish_invocation(context);
    context.b.ret();
    context.b.end_function();
}

}  // namespace

/// State that a conversion keeps for the next one: above all the memory of its lists.
struct Workspace {
    explicit Workspace(std::pmr::memory_resource* from) : memory(from) {}

    std::pmr::memory_resource* const memory;  ///< the memory of the workspace and of everything below
    ir::Builder builder{memory};
    Plan plan{memory};
    sampling::Views views{memory};
    Cells cells{memory};
    Arrays arrays{memory};
    TempArrays temp_arrays;
    Stack stack;
    RangeTests range_tests;
    ConstantBuffers constants{memory};
    Resources resources{memory};
    Inputs inputs{memory};
    IoBuffers io;
    StateVariables state;
    Outputs outputs{memory};
    IndexedRegisters indexed{memory};
    Flow flow{memory};
    Joins joins{memory};
    BranchLists branches{memory};
    DoubleFunctions double_functions;
    std::pmr::vector<uint8_t> open_regions{memory};
    std::pmr::vector<uint32_t> ir_functions{memory};
};

void WorkspaceDeleter::operator()(Workspace* workspace) const {
    std::pmr::polymorphic_allocator<>(workspace->memory).delete_object(workspace);
}

namespace {

/// The operations that it takes to copy registers to arrays from which an index then selects (clear_registers), at
/// most: an input needs its variable, a load and a store, an immediate a constant and a store.
uint64_t operations_of_copies(const Context& context) {
    constexpr uint64_t kOfInput = 5, kOfImmediate = 2;
    using tgsi::File;
    const auto copied = [&](File file, uint64_t each) {
        return context.plan.indirect[static_cast<size_t>(file)].some
                   ? each * static_cast<uint64_t>(context.registers.count(file))
                   : 0;
    };
    uint64_t operations = copied(File::SystemValue, kOfInput);
    if (!tgsi::has_vertices(context.program.stage, File::Input)) operations += copied(File::Input, kOfInput);
    return operations + copied(File::Immediate, kOfImmediate) + copied(File::ImmediateArray, kOfImmediate);
}

Context begin_context(const Conversion& conversion) {
    Workspace& m = conversion.workspace;
    return {Text{.program = conversion.program,
                 .registers = conversion.registers,
                 .options = conversion.options,
                 .capabilities = conversion.capabilities,
                 .plan = m.plan,
                 .views = m.views,
                 .messages = conversion.messages,
                 .legacy_math = conversion.program.property(tgsi::Property::LegacyMathRules) != 0},
            Writing{.b = m.builder,
                    .diagnostics = conversion.diagnostics,
                    .ir_functions = m.ir_functions,
                    .open_regions = m.open_regions,
                    .memory = m.memory},
            RegisterState{.cells = m.cells,
                          .arrays = m.arrays,
                          .temp_arrays = m.temp_arrays,
                          .stack = m.stack,
                          .range_tests = m.range_tests,
                          .constants = m.constants,
                          .double_functions = m.double_functions,
                          .interface_operands = kInterfaceOperands},
            InterfaceState{.resources = m.resources,
                           .inputs = m.inputs,
                           .outputs = m.outputs,
                           .indexed = m.indexed,
                           .io = m.io,
                           .state = m.state},
            FlowState{.flow = m.flow, .joins = m.joins, .branches = m.branches}};
}

/// Main is the first function, and the entry point unless Plan::wrap says otherwise.
void declare_functions(Context& context, ir::EntryPoint& entry) {
    context.ir_functions.clear();
    for (size_t f = 0; f < context.plan.functions.size(); ++f)
        context.ir_functions.push_back(context.b.declare_function(ir::kVoid, {}, f == 0 ? "main" : "sub"));
    if (context.plan.emit_functions) declare_emit_functions(context);
    entry.function = context.plan.wrap ? context.b.declare_function(ir::kVoid, {}, "entry") : context.ir_functions[0];
}

}  // namespace

WorkspacePtr make_workspace(std::pmr::memory_resource* memory) {
    return WorkspacePtr(std::pmr::polymorphic_allocator<>(memory).new_object<Workspace>(memory));
}

namespace {

bool lower_stage(const Conversion& conversion) {
    const auto& [program, registers, messages, options, capabilities, workspace, module, diagnostics] = conversion;
    workspace.builder.begin_module(module, options.simplify);
    Context w = begin_context(conversion);

    // Texts are refused before lowering starts: first by their declarations alone, then by the plan.
    if (!check_properties(w)) return false;
    if (!make_plan(program, registers, options, capabilities, workspace.plan, diagnostics)) return false;
    if (operations_of_copies(w) > options.max_operations) {
        fail_operations(w, 0);
        return false;
    }
    if (!prepare_entry(w)) return false;

    declare_functions(w, module.entry);  // arrays of registers belong to one of them, and any may call any
    // The next six depend on the plan only.
    workspace.open_regions.clear();
    workspace.range_tests = {};
    workspace.io = {};
    workspace.state = {};
    workspace.joins.of_writes.resize(w.plan.writes.size());
    workspace.flow.label_blocks.resize(w.plan.labels.size());
    sampling::gather_views(program, workspace.views);  // resources take their types from views
    prepare_resources(w);                              // this and the next make no variables yet
    prepare_constants(w);  // before the interface: its state buffer counts among the constant buffers
    if (!prepare_interface(w)) return false;
    if (!module.entry.depth_replacing) module.entry.depth_layout = {};  // the interface knows whether depth is written
    prepare_registers(w);  // after the interface, which sizes the inputs and system values: cells point into them
    prepare_double_functions(w);  // any function of the text may call them

    for (uint32_t f = 0; f < w.plan.functions.size() && w.ok; ++f) lower_function(w, f);
    if (w.ok && w.plan.emit_functions) fill_emit_functions(w);
    if (w.ok && w.plan.wrap) lower_entry(w, module.entry.function);
    if (w.ok) fill_double_functions(w);
    mark_aliases(w);  // the code above makes variables where it first uses them
    return w.ok;
}

/// Another stage will read the positions: nothing that belongs before the rasterizer happens here.
void leave_to_next_stage(Options& options) {
    options.convert_depth_range = options.flip_y = options.draws_points = false;
    State& s = options.state;
    s.depth_range = s.flip_y = s.clip_enable = s.clamp_vertex_color = s.point_size = s.one_layer = false;
    s.clip_planes = 0;
}

}  // namespace

bool lower(const Conversion& conversion) {
    const Options& o = conversion.options;
    const bool last = o.linkage == nullptr ? o.before_rasterizer : o.linkage->before_rasterizer;
    if (last && !o.records) return lower_stage(conversion);
    Options inner = o;
    inner.io_buffers |= o.records;
    if (!last) leave_to_next_stage(inner);
    const auto& [program, registers, messages, options, capabilities, workspace, module, diagnostics] = conversion;
    return lower_stage({program, registers, messages, inner, capabilities, workspace, module, diagnostics});
}

}  // namespace tgsi2spv::lower

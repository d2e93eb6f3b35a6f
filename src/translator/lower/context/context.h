// The state of one conversion: every function of the walk takes it as `context`. It has the members that no single
// subject owns: what is translated and what is written. A subject's own state (registers, constant buffers, flow, the
// interface, …) is in that subject's header, next to the functions that work on it.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "lower/options/capabilities.h"
#include "lower/options/options.h"
#include "lower/plan/plan.h"
#include "sampling/message.h"

namespace tgsi2spv::lower {

struct Context;

/// Where a register component is: a component of an SSA value.
using Ref = ir::Component;

/// The registers of a file that are values, or may be: four cells each.
struct FileCells {
    Ref* cells = nullptr;
    uint32_t count = 0;
    const uint32_t* segment_of = nullptr;  ///< each register's segment, if the file is written; kNoIndex: a value
};

/// How PRED applies to the instruction that is lowered (predicates.h).
struct Predication {
    const tgsi::Instruction* instruction = nullptr;  ///< the instruction, if PRED says where it writes its destinations
    const Ref* words = nullptr;                      ///< PRED's xyzw, if it may have been written since
    bool float_result = false;                       ///< the instruction's result is float: how PRED tests it
};

/// Accesses to registers that stand in the interface (stands_in_interface), for registers/, which does not know it.
struct InterfaceOperands {
    bool (*read)(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
    bool (*write)(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
    /// Options::io_buffers: IN[`index`], where `inside` holds (kNone: everywhere).
    void (*read_indexed_input)(Context& context, const tgsi::Operand& operand, ir::Value index, ir::Value inside,
                               std::span<const uint8_t> comps, Ref* out);
};

/// The warnings so far: some are given once per shader, and there is a limit to all.
struct Warned {
    uint32_t times = 0;
    bool of_view = false, of_comparison = false;
};

/// The text that is translated; nothing changes it.
struct Text {
    const tgsi::Program& program;
    const tgsi::Registers& registers;
    const Options& options;
    const Capabilities& capabilities;
    const Plan& plan;
    const sampling::Views& views;                 ///< the SVIEW declarations
    std::span<const sampling::Message> messages;  ///< the message of each instruction of a carrier
    bool legacy_math = false;                     ///< LEGACY_MATH_RULES
};

/// The output, and the current place in the text and in the module.
struct Writing {
    ir::Builder& b;
    std::vector<tgsi::Diagnostic>& diagnostics;
    std::pmr::vector<uint32_t>& ir_functions;  ///< the function of each of Plan::functions
    std::pmr::vector<uint8_t>& open_regions;   ///< 1 for each region that is open (regions.h)
    std::pmr::memory_resource* memory;         ///< the memory of all lists whose length follows from the text
    bool ok = true;                            ///< false after an error: the walk ends
    bool reachable = true;                     ///< control reaches this place
    bool in_main = true;                       ///< the place is in Plan::functions[0], not in a subroutine
    uint32_t position = 0;                     ///< place of the instruction in the text
    uint32_t next_construct = 0;               ///< index in Plan::constructs
    uint32_t region = 0;                       ///< the innermost open one
    ir::Value opaque_zero = ir::kNone;  ///< zero of the open function; kNone without Workarounds::opaque_immediates
    size_t operations_before = 0;       ///< instructions made in completed functions
    Predication predicate{};            ///< how PRED applies to the instruction
    Warned warned{};
};

// The state of each subject, in its own header. It is in the workspace, so that the memory of its lists is used again.

struct Arrays;           // arrays.h
struct Cells;            // cells.h
struct ConstantBuffers;  // constant_buffers.h
struct DoubleFunctions;  // double_functions.h
struct RangeTests;       // range_tests.h
struct Stack;            // stack.h
struct TempArrays;       // temp_arrays.h
struct RegisterState {
    Cells& cells;
    Arrays& arrays;
    TempArrays& temp_arrays;
    Stack& stack;
    RangeTests& range_tests;
    ConstantBuffers& constants;
    DoubleFunctions& double_functions;
    const InterfaceOperands& interface_operands;
    FileCells files[tgsi::kFileCount] = {};  ///< empty for files that are read and written in other ways
};

struct IndexedRegisters;  // vertex_operand.h
struct Inputs;            // inputs.h
struct IoBuffers;         // inputs.h
struct Outputs;           // outputs.h
struct Resources;         // resources.h
struct StateVariables;    // outputs.h
struct InterfaceState {
    Resources& resources;
    Inputs& inputs;
    Outputs& outputs;
    IndexedRegisters& indexed;
    IoBuffers& io;
    StateVariables& state;
};

struct BranchLists;  // branches.h
struct Flow;         // flow.h
struct Joins;        // joins.h
struct FlowState {
    Flow& flow;
    Joins& joins;
    BranchLists& branches;
    uint32_t turns = kNoIndex;  ///< the variable of turns.h
};

struct Context : Text, Writing, RegisterState, InterfaceState, FlowState {};

/// Adds an error at a byte offset; the walk ends. This and all functions that refuse are cold, so that the compiler
/// keeps the message code out of the way.
[[gnu::cold]] void fail(Context& context, tgsi::Code code, uint32_t position, std::string_view message);
/// The same for a feature that the device lacks, by Vulkan's name. `needing` names the text that needs it; empty: the
/// place tells it.
[[gnu::cold]] void fail_lacking(Context& context, uint32_t position, std::string_view feature,
                                std::string_view needing = {});
/// Adds the error of Options::max_operations.
[[gnu::cold]] void fail_operations(Context& context, uint32_t position);
/// Whether the operations so far are within Options::max_operations; adds the error if not. Asked before each
/// instruction, and where an operation follows from each register of a declaration.
inline bool check_operations(Context& context, uint32_t position) {
    if (context.operations_before + context.b.function().instructions.size() <= context.options.max_operations)
        return true;
    fail_operations(context, position);
    return false;
}
/// Adds a warning; the walk goes on.
[[gnu::cold]] void warn(Context& context, tgsi::Code code, uint32_t position, std::string_view message);

}  // namespace tgsi2spv::lower

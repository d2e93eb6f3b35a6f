// Facts that the walk needs before it starts: the functions and their nesting, the registers that each construct
// writes, those that are in memory, the inputs that are read. Gathering this takes time linear in the text; nothing is
// emitted.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "lower/options/capabilities.h"
#include "lower/options/options.h"
#include "tgsi/program/registers.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::lower {

inline constexpr uint32_t kNoIndex = 0xffff'ffffu;

/// Registers that shaders write, numbered densely: TEMP, then ADDR, OUT and PRED, then one slot for the KILL flag, and
/// two for the GEOM counters: vertices (x), and for each stream 2 × primitives ended + whether one is open.
struct Slots {
    uint32_t address = 0, output = 0, predicate = 0, killed = 0, emitted = 0, primitives = 0, count = 0;
};

/// One register that a construct writes.
struct Write {
    uint32_t slot = 0;
    uint8_t mask = 0;
    uint8_t integer = 0;  ///< components last written by an integer opcode: the type to expect
    // Components that may be read, as set by find_live_writes(). If there are none, there is no phi.
    uint8_t after = 0xf;   ///< components that may be read after the construct
    uint8_t header = 0xf;  ///< Loop: from its header on
    uint8_t other = 0;     ///< scratch: from ELSE on, or from some CASE on

    bool is_read_after() const { return (after & mask) != 0; }
    bool is_read_in_loop() const { return (header & mask) != 0; }
};

enum class ConstructKind : uint8_t { If, Loop, Switch };

/// IF, BGNLOOP or SWITCH with everything inside it; numbered in text order.
struct Construct {
    ConstructKind kind{};
    bool flat = false;              ///< BRA enters or leaves it: see branches.cpp
    bool has_default = false;       ///< Switch
    bool falls_through = false;     ///< Switch: some label may be reached by fall-through
    uint32_t first = 0;             ///< the instruction that opens it
    uint32_t otherwise = kNoIndex;  ///< ELSE
    uint32_t last = 0;              ///< the instruction that closes it
    uint32_t next = 0;              ///< the construct after all that are inside this one
    uint32_t breaks = 0, continues = 0;
    uint32_t first_label = kNoIndex, last_label = kNoIndex, num_labels = 0;  ///< Switch: in Plan::labels
    uint32_t writes = 0, num_writes = 0;                                     ///< indices in Plan::writes
    uint32_t writes_before = 0, writes_after = 0;                            ///< destinations seen in the text
};

/// CASE or DEFAULT.
struct Label {
    uint32_t instruction = 0;
    uint32_t next = kNoIndex;
};

/// An IN or SV register that a function reads.
struct Use {
    tgsi::File file{};
    uint8_t mask = 0;
    uint32_t index = 0;
};

struct FunctionPlan {
    uint32_t begin = 0;     ///< first instruction of the body
    uint32_t end = 0;       ///< the instruction that ends it, or the instruction count
    uint32_t label = 0;     ///< the target of CAL: `begin`, unless BRA goes back to before it
    bool branches = false;  ///< has BRA: see branches.cpp
    uint32_t first_construct = 0;
    uint32_t num_constructs = 0;
    uint32_t uses = 0, num_uses = 0;  ///< indices in Plan::uses
    uint32_t first_call = kNoIndex;   ///< indices in Plan::calls
    uint32_t returns = 0;
    uint64_t inlined = 0;  ///< instructions after inlining
    uint32_t depth = 0;    ///< the depth of the calls below it
};

struct Call {
    uint32_t callee = 0;  ///< index in Plan::functions
    uint32_t position = 0;
    uint32_t next = kNoIndex;
};

/// Which registers a register-indexed access may touch.
struct IndirectFile {
    bool all = false;    ///< some access has no array id: every declared register
    bool some = false;   ///< any access
    bool write = false;  ///< some access is a write
};

/// The accesses of instructions to a register of a memory file, as bits.
namespace access {
inline constexpr uint8_t kRead = 1, kWrite = 2, kAtomic = 4;
inline constexpr uint8_t kCoherent = 8, kVolatile = 16;
inline constexpr uint8_t kUnrestricted = 32;  ///< some access does not say RESTRICT
inline constexpr uint8_t kFloatAdd = 64;      ///< ATOMFADD, which does not count as kAtomic
}  // namespace access

/// Uses of BUFFER, IMAGE, MEMORY, HWATOMIC (by its first bracket) and RES.
struct MemoryUses {
    using allocator_type = std::pmr::polymorphic_allocator<>;
    explicit MemoryUses(allocator_type memory) : by_index(memory) {}

    std::pmr::vector<uint8_t> by_index;
    uint8_t indexed = 0;  ///< accesses through an index, which may reach any register
    uint8_t all = 0;
    uint8_t of(uint32_t index) const {
        return static_cast<uint8_t>(indexed | (index < by_index.size() ? by_index[index] : 0));
    }
};

/// Data that the parts of make_plan pass to one another, and their lists; nothing after it reads them.
struct PlanScratch {
    explicit PlanScratch(std::pmr::memory_resource* from) : memory(from) {}

    std::pmr::memory_resource* const memory;
    std::span<uint8_t> interface_ranges;
    uint64_t emits = 0;  ///< GEOM: an upper bound on the vertices, while `emits_are_bounded`
    bool emits_are_bounded = true;
    std::pmr::vector<uint32_t> open{memory};  ///< constructs that have begun
    std::pmr::vector<uint32_t> last_write{memory}, order{memory};
    std::pmr::vector<uint32_t> closed{memory};  ///< constructs in the order in which they end, main's first
    std::pmr::vector<uint8_t> live{memory};     ///< live components of each slot
    std::pmr::vector<uint8_t> needed_constructs{memory};
    std::pmr::vector<uint32_t> region_of{memory};  ///< the start of each instruction's region of BRA
    std::pmr::vector<Write> pending{memory};
    std::pmr::vector<uint32_t> pending_previous{memory}, entry_construct{memory};
    std::pmr::vector<uint32_t> current_entry{memory};
    std::pmr::vector<uint64_t> costs{memory}, path_costs{memory};
    std::pmr::vector<uint8_t> call_states{memory};
    /// BRK, BREAKC, CONT in a function with BRA.
    struct Exit {
        uint32_t from = 0;  ///< the construct around it
        uint32_t next = kNoIndex;
    };
    std::pmr::vector<uint32_t> parents{memory}, first_exits{memory};  ///< a list for each construct of the function
    std::pmr::vector<uint32_t> inside{memory};  ///< the construct around each instruction of the function
    std::pmr::vector<Exit> exits{memory};
    std::pmr::vector<uint32_t> flat{memory};
};

struct Plan {
    explicit Plan(std::pmr::memory_resource* from) : memory(from) {}

    std::pmr::memory_resource* const memory;  ///< the memory of all lists
    Slots slots;
    std::pmr::vector<FunctionPlan> functions{memory};  ///< [0] is main
    std::pmr::vector<Construct> constructs{memory};
    std::pmr::vector<Label> labels{memory};
    std::pmr::vector<Write> writes{memory};
    std::pmr::vector<Use> uses{memory};
    std::pmr::vector<Call> calls{memory};
    std::span<uint8_t> in_memory;     ///< 1 for each slot that is in memory
    std::span<uint8_t> output_masks;  ///< components of each OUT register that some path writes
    std::span<uint8_t> input_masks;   ///< components of each IN register that are read
    std::span<uint8_t> system_masks;  ///< components of each SV register that are read
    /// By constant buffer: the highest index named directly, + 1; -1: not read.
    std::pmr::vector<int32_t> const_counts{memory};
    IndirectFile indirect[tgsi::kFileCount];
    std::span<uint8_t> indirect_ranges;  ///< 1 for each of Registers::ranges that is accessed through its array id
    std::pmr::vector<MemoryUses> memory_uses{tgsi::kFileCount, memory};
    bool uses_memory = false;        ///< some of them are not empty
    uint8_t handle_uses = 0;         ///< the uses of images that a handle names
    bool stack = false;              ///< PUSHA, POPA
    bool kills = false;              ///< KILL, KILL_IF, … without demote: Slots::killed is used
    bool counts_vertices = false;    ///< GEOM: Slots::emitted is used
    bool counts_primitives = false;  ///< GEOM: Slots::primitives is used
    bool emit_functions = false;     ///< GEOM: EMIT is a call, because too many EMITs store too many outputs
    bool wrap = false;               ///< main is a function that the entry point calls, because it has too many exits

    bool drops = false;                         ///< some instruction is in `dropped`
    std::pmr::vector<uint8_t> dropped{memory};  ///< 1 for each instruction that nothing needs

    void forget_memory() {
        if (!uses_memory) return;  // as most shaders
        for (MemoryUses& of_file : memory_uses) {
            of_file.by_index.clear();
            of_file.indexed = of_file.all = 0;
        }
        uses_memory = false;
    }
    bool is_dropped(uint32_t pc) const { return drops && dropped[pc] != 0; }

    std::pmr::vector<uint32_t> function_of_label{memory};  ///< each label's index in `functions`; kNoIndex: none
    std::pmr::vector<uint8_t> bytes{memory};  ///< the memory of the spans above and of PlanScratch::interface_ranges
    PlanScratch scratch{memory};
};

/// A text may need this many phi operands, or stores of outputs: more would grow faster than the text. Beyond it,
/// registers are in memory.
inline uint64_t phi_budget(const tgsi::Program& program) {
    return 8ull * program.instructions.size() + 4096;
}

/// Returns false, with a diagnostic, if the control flow cannot be translated.
bool make_plan(const tgsi::Program& program, const tgsi::Registers& registers, const Options& options,
               const Capabilities& capabilities, Plan& plan, std::vector<tgsi::Diagnostic>& diagnostics);

/// Part of make_plan (plan/scan.cpp): begins the plan anew with the results of one pass over the text of each function:
/// constructs, calls and jumps, and the registers that operands touch. False after an error.
bool scan_text(const tgsi::Program& program, const tgsi::Registers& registers, const Capabilities& capabilities,
               Plan& plan, std::vector<tgsi::Diagnostic>& diagnostics);

/// A driver that inlines all calls may get this many instructions more than the text has.
inline constexpr uint64_t kInlineLimit = 1'000'000;
/// The limit on the instructions of all functions together, per instruction of the text. Functions may overlap, so that
/// an instruction counts once for each function that has it.
inline constexpr uint64_t kOverlapLimit = 8;

/// Part of make_plan (plan/calls.cpp): computes sizes after inlining, callees first; refuses recursion (for text, the
/// checker already has).
bool measure_calls(const tgsi::Program& program, Plan& plan, std::vector<tgsi::Diagnostic>& diagnostics);

/// Part of make_plan (plan/needed.cpp), run once all functions are scanned: fills Plan::dropped. A construct that is
/// dropped is dropped with everything inside it. Returns true if anything is dropped: the plan then has to be made
/// again without it.
bool drop_unneeded(const tgsi::Program& program, bool turns_count, Plan& plan);

/// Every output, and the counters of vertices and primitives.
void outputs_to_memory(Plan& plan);

/// An upper bound on the phi operands of all constructs, from the number of destinations inside each.
uint64_t phi_operands_at_most(const Plan& plan);
/// Parts of make_plan (plan/writes.cpp): moves registers that need too many phi operands into memory, then fills
/// Plan::writes.
void keep_phi_budget(const tgsi::Program& program, Plan& plan);
/// The same for Workarounds::loop_registers_in_memory.
void keep_loops_in_memory(const tgsi::Program& program, Plan& plan);
void gather_writes(const tgsi::Program& program, Plan& plan);

/// Part of make_plan (plan/liveness.cpp): finds which of Plan::writes are read. A guarded loop may end at its header.
void find_live_writes(const tgsi::Program& program, bool loops_are_guarded, Plan& plan);

/// If BRA in a subroutine (or an entry) goes back to before its label, the function begins with the code around that
/// label, and CAL enters it in the middle (plan/branches.cpp).
void begin_where_branches_go(const tgsi::Program& program, Plan& plan, FunctionPlan& function);

/// Sets Construct::flat in the functions that have BRA (plan/branches.cpp).
void find_flat_constructs(const tgsi::Program& program, Plan& plan);

/// Flow that belongs to a construct that was entered, whether or not control reaches this point.
inline bool bounds_construct(tgsi::Opcode op) {
    return closes_construct(op) || op == tgsi::Opcode::ELSE || op == tgsi::Opcode::CASE || op == tgsi::Opcode::DEFAULT;
}

/// The components that each swizzle selects, as a mask.
inline constexpr auto kSelected = [] {
    std::array<uint8_t, 256> table{};
    for (size_t swizzle = 0; swizzle < table.size(); ++swizzle)
        for (int c = 0; c < 4; ++c) table[swizzle] |= static_cast<uint8_t>(1u << (swizzle >> 2 * c & 3));
    return table;
}();

/// The innermost loop (or with `loop_only` false, loop or switch) among the `open` constructs, listed from the
/// outermost; kNoIndex: none.
inline uint32_t innermost(std::span<const Construct> constructs, std::span<const uint32_t> open, bool loop_only) {
    for (size_t k = open.size(); k-- > 0;) {
        const ConstructKind kind = constructs[open[k]].kind;
        if (kind == ConstructKind::Loop || (!loop_only && kind == ConstructKind::Switch)) return open[k];
    }
    return kNoIndex;
}

/// Whether both arms of the construct, an IF, end with IF … BRK ENDIF. Such breaks become one after the arms, because
/// drivers unroll no loop that has two of them.
bool breaks_at_end(const tgsi::Program& program, const Construct& construct);

/// Whether a destination is the handle of an image, which STORE reads.
inline bool is_stored_handle(const tgsi::Instruction& instruction, const tgsi::Operand& destination) {
    return instruction.op == tgsi::Opcode::STORE && !is_memory(destination.file);
}

/// Files whose registers are slots.
inline bool has_slots(tgsi::File file) {
    return file == tgsi::File::Temp || file == tgsi::File::Address || file == tgsi::File::Output ||
           file == tgsi::File::Predicate;
}

/// The slot of a TEMP, ADDR, OUT or PRED register; kNoIndex for other files and undeclared indices.
inline uint32_t slot_of(const Slots& slots, tgsi::File file, int32_t index) {
    if (index < 0) return kNoIndex;
    const auto i = static_cast<uint32_t>(index);
    switch (file) {
        case tgsi::File::Temp:
            return i < slots.address ? i : kNoIndex;
        case tgsi::File::Address:
            return i < slots.output - slots.address ? slots.address + i : kNoIndex;
        case tgsi::File::Output:
            return i < slots.predicate - slots.output ? slots.output + i : kNoIndex;
        case tgsi::File::Predicate:
            return i < slots.killed - slots.predicate ? slots.predicate + i : kNoIndex;
        default:
            return kNoIndex;
    }
}

}  // namespace tgsi2spv::lower

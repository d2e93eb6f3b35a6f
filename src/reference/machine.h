// The state of a run: registers of all lanes, masks, and how instructions reach them.
//
// A column is one register component of every lane, as an array of Values. Registers are stored in columns, and every
// operation walks columns over the list of active lanes (structure of arrays).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "reference/border.h"
#include "reference/context.h"
#include "reference/presence.h"
#include "reference/run.h"
#include "reference/sides.h"
#include "reference/value.h"
#include "sampling/message.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::reference {

class Memory;
class Forks;

/// TESS_CTRL: words of OUT that some invocation read before another one, not ordered after it, wrote something else.
/// What such a read returns is not known, so the program runs again.
struct Overtaken {
    /// Patch, vertex, register, component.
    std::set<std::array<int32_t, 4>> words;
    bool grew = false;      ///< this run found something new
    bool given_up = false;  ///< too many runs found something new: such patches are lost
};

/// Columns of a file, by register, made on the first write. A register without columns is zero.
class RegisterFile {
  public:
    void resize(int32_t registers) { slots_.assign(static_cast<size_t>(registers), nullptr); }
    int32_t count() const { return static_cast<int32_t>(slots_.size()); }
    /// Four columns one after another, or nullptr.
    Value* at(int32_t index) const {
        return index >= 0 && index < count() ? slots_[static_cast<size_t>(index)] : nullptr;
    }
    Value* make(int32_t index, uint32_t lanes) {
        Value*& slot = slots_[static_cast<size_t>(index)];
        if (!slot) {
            blocks_.push_back(std::make_unique<Value[]>(size_t{4} * lanes));
            slot = blocks_.back().get();
        }
        return slot;
    }
    template <class F>
    void for_each_block(F&& f) {
        for (auto& b : blocks_) f(b.get());
    }

  private:
    std::vector<Value*> slots_;
    std::vector<std::unique_ptr<Value[]>> blocks_;
};

/// Invocations of a subgroup in the plainest execution; the bounds hold for every size, unless the size is known.
inline constexpr uint32_t kSubgroupSize = 32;

/// The most vertices of a patch (maxTessellationPatchSize is at least this on every device).
inline constexpr int32_t kMaxPatch = 32;

/// What an invocation of GEOM has emitted so far.
struct Emission {
    std::vector<Emitted> vertices;
    uint32_t count = 0;                    ///< over all streams, limited by GS_MAX_OUTPUT_VERTICES
    std::array<uint32_t, 4> primitives{};  ///< by stream: finished ones
    std::array<bool, 4> open{};            ///< by stream: a vertex was emitted since the last one was finished
    bool unknown = false;                  ///< it may have emitted something else
};

/// Texture messages, made once for all runs.
struct Messages {
    std::vector<sampling::Message> all;
    std::vector<uint32_t> of_instruction;  ///< into `all`; only for texture instructions
    Borders borders;
};

struct Machine {
    /// COMP: the machine of one work group, since groups are executed one after another.
    Machine(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
            const Options& options, uint32_t work_group = 0);

    const tgsi::Program& program;
    const tgsi::Registers& registers;
    const Inputs& inputs;
    const Messages* messages = nullptr;
    const Options& options;
    Context context;  ///< of the program; the context of an instruction may forbid contraction
    /// The number of invocations that each lane of the case stands for: GEOM GS_INVOCATIONS, TESS_CTRL vertices, COMP a
    /// work group.
    uint32_t group = 1;
    std::array<uint32_t, 3> block_size{1, 1, 1};  ///< COMP
    uint32_t lanes = 1;  ///< invocations: `group` for each lane of the case; FRAG: padded to whole quads; COMP: a group
    uint32_t first_lane = 0;  ///< COMP: invocations of the groups before this one
    /// The lane of the case that an invocation belongs to, and its number there.
    uint32_t case_lane(uint32_t lane) const { return (first_lane + lane) / group; }
    uint32_t invocation(uint32_t lane) const { return lane % group; }
    /// True if Options::subgroup_size applies.
    bool subgroups_are_known() const {
        return program.stage == tgsi::Stage::Compute && options.subgroup_size > 0 && options.subgroup_size <= 64;
    }
    uint32_t subgroup_size() const { return subgroups_are_known() ? options.subgroup_size : kSubgroupSize; }
    /// In the plainest execution: consecutive invocations, for COMP within a work group.
    uint32_t subgroup_invocation(uint32_t lane) const {
        return (program.stage == tgsi::Stage::Compute ? invocation(lane) : lane) % subgroup_size();
    }
    /// The subgroup of an invocation, as the number of the subgroup's first invocation.
    uint32_t subgroup(uint32_t lane) const { return lane - subgroup_invocation(lane); }

    // Registers.
    RegisterFile temps, addresses, predicates, system_values;
    std::vector<RegisterFile> temp_arrays;  ///< TEMPX, by first bracket
    /// By vertex if a stage reads or writes several vertices per lane; registers that are not arrays are in vertex 0.
    std::vector<RegisterFile> inputs_of_vertex, outputs_of_vertex;
    RegisterFile& outputs() { return outputs_of_vertex[0]; }
    const RegisterFile& outputs() const { return outputs_of_vertex[0]; }
    uint32_t vertices_in = 1;    ///< vertices of a primitive or patch
    bool may_have_more = false;  ///< TESS_*: vertices beyond `vertices_in` exist, and nothing defines their contents
    /// The first bracket where it matters: CONST, TEMPX, and IN or OUT if the register is an array over vertices; else
    /// 0.
    int32_t space(tgsi::File file, int32_t dim, int32_t index) const;
    bool is_array(tgsi::File file, int32_t index) const;
    /// TESS_CTRL: whether OUT[index] does not have this component, which then reads 0 and drops writes.
    bool lacks_output(tgsi::File file, int32_t index, int component) const {
        return file == tgsi::File::Output && index >= 0 && static_cast<size_t>(index) < output_components_.size() &&
               (output_components_[static_cast<size_t>(index)] >> component & 1) == 0;
    }

    // Masks (flow.cpp): a lane executes where all of them agree.
    Mask base;  ///< all bits, except: no kMust for a lane that was lost, nothing for padding that ended
    Mask condition, loop, proceed, branch, function;
    Mask exec;
    std::vector<uint32_t> active;  ///< lanes with kMay or kPlain in exec, in rising order

    Mask killed;             ///< demoted to helpers
    bool may_kill = false;   ///< the program has an instruction that kills
    std::vector<bool> lost;  ///< nothing that the lane wrote or will write can be known
    bool any_lost = false;
    bool exec_is_stale = false;                  ///< a lane was lost since update_exec
    std::vector<uint32_t> uncertain_iterations;  ///< of loops that the lane may have left
    /// By lane, for Options::max_iterations: what it has spent in the plainest execution, and what it must and may have
    /// spent.
    struct Spent {
        uint64_t plain = 0, least = 0, most = 0;
    };
    std::vector<Spent> spent;
    /// With BRA, by quad: 1 + the call depth at which its lanes parted; 0: they are together. In a program that
    /// branches, we cannot say what meets again before the function returns.
    std::vector<uint32_t> parted;
    /// With BRA: some lanes went different ways. Only the device knows which of them it brings together again.
    bool lanes_parted = false;
    /// Whether derivatives of the lane's quad are defined here.
    bool quad_is_together(uint32_t lane) const;

    /// PUSHA and POPA: at most 8 entries per lane.
    struct Stack {
        std::vector<std::array<Value, 4>> entries;
        bool unknown = false;
    };
    std::vector<Stack> stacks;  ///< by lane; empty if the program has neither

    /// TESS_CTRL: OUT is memory that the invocations of a patch share; a lane's entry in a column is what that lane
    /// would read. By register and component (component * lanes + lane): touch:: bits since the last barrier.
    bool shares_outputs = false;
    std::map<RegisterKey, std::vector<uint8_t>> touched;
    Overtaken* overtaken = nullptr;
    std::vector<Emission> emissions;  ///< GEOM, by lane
    size_t emitted_values = 0;
    uint32_t pairs = 0;  ///< numbers given to pairs (wide_value.h)

    Sides sides;  ///< of branches that may go either way

    Memory* memory = nullptr;  ///< set if the program has instructions for it

    Forks* forks = nullptr;       ///< set: this run follows one way (fork.h)
    std::vector<bool> undecided;  ///< by lane: a branch could go either way
    /// What a branch on `truth` does in this run.
    Truth decide(uint32_t lane, const Truth& truth);

    uint64_t steps = 0;
    uint64_t executed = 0;
    /// Whether the rest of the execution is given up: the lanes are lost, or the run is an error (Options).
    bool is_over() const {
        return steps > options.max_steps || (options.most_instructions != 0 && cost > options.most_instructions) ||
               (options.most_useful != 0 && executed >= options.most_useful);
    }
    void count(const tgsi::Instruction& in) {
        constexpr uint64_t kTexture = 64;  // roughly: how many other instructions take as long as one of these
        executed += active.size();
        cost += active.size() * (tgsi::info(in.op).family == tgsi::Family::texture ? kTexture : 1);
    }
    uint64_t cost = 0;
    std::optional<uint32_t> given_up;  ///< the instruction where that happened; in a loop, the loop's first
    uint32_t origin = 0;               ///< 1 + the instruction being executed (origin_of)

    /// A column for intermediate results, valid until the instruction ends.
    Value* scratch();
    size_t scratch_mark() const { return scratch_used_; }
    void release_scratch(size_t mark = 0) { scratch_used_ = mark; }

    /// Everything that the lane writes anywhere becomes unknown for the rest of the run. TESS_CTRL: everything that its
    /// patch writes.
    void lose(uint32_t lane);
    /// What instructions first..last may write becomes unknown in the lane.
    void forget(uint32_t lane, uint32_t first, uint32_t last);
    /// The file that a destination names, or nullptr. `dim` is a space().
    RegisterFile* writable(tgsi::File file, int32_t dim);
    /// How many spaces a file that can be written has.
    int32_t spaces(tgsi::File file) const;
    /// The four columns of a register that is about to be written.
    Value* make(RegisterFile& file, int32_t index);

  private:
    std::deque<std::unique_ptr<Value[]>> scratch_;
    size_t scratch_used_ = 0;
    std::vector<bool> input_array_, output_array_;  ///< by register: an array over vertices
    std::vector<uint8_t> output_components_;        ///< TESS_CTRL, by register
};

/// The size of the work group: from the text if that fixes it, else from the case, else 4 by 1 by 1.
std::array<uint32_t, 3> block_of(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs);
/// What the module promises for a program.
Context context_of(const tgsi::Program& program, const Options& options);
/// STORE and ATOM*.
bool writes_memory(tgsi::Opcode op);
/// Makes everything unknown that such an instruction may write.
void spoil_resource(Machine& m, const tgsi::Instruction& in, uint32_t lane);
/// Whether an opcode may make the invocation a helper.
bool kills(tgsi::Opcode op);
/// SAMP2HND, IMG2HND.
bool makes_handle(tgsi::Opcode op);
/// The declaration of the register that an index names (the index may be computed); null if there is none.
inline const tgsi::Declaration* declaration_at(const Machine& m, tgsi::File file, uint32_t index) {
    return index > INT32_MAX ? nullptr
                             : tgsi::declaration_of(m.program, m.registers.find(file, static_cast<int32_t>(index)));
}

// operands.cpp: reading and writing registers.

/// The word of a file whose registers are the same in every lane; 0 out of range. False for other files.
bool uniform_word(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs, tgsi::File file,
                  int32_t dim, int32_t index, int component, uint32_t& word);
/// The column of component `component` of the operand's register (no swizzle, no modifiers).
const Value* read(Machine& m, const tgsi::Operand& o, int component);
/// The index registers of a destination before the instruction writes (it may write them too).
struct DestinationIndex {
    const Value* dims = nullptr;
    const Value* indices = nullptr;
};
DestinationIndex destination_index(Machine& m, const tgsi::Operand& o);
/// The instruction's predicate for destination component `component`: ~0 where it holds and 0 where it does not;
/// nullptr if there is none. It is a copy, because the instruction may write PRED.
const Value* predicate_column(Machine& m, const tgsi::Instruction& in, int component);
/// What PRED keeps of a float result: whether it is not zero. For -0 and denormals the documents do not say whether the
/// bits or the value are meant (interpreters differ), so both are permitted.
Value predicate_of_float(const Value& v);
/// Writes one component of a destination in the active lanes where `predicate` holds (nullptr: in all of them).
void write(Machine& m, const tgsi::Operand& o, const DestinationIndex& index, int component, const Value* column,
           const Value* predicate);

// system_values.cpp: inputs as they are given; system values as they are given, or computed.
void load_inputs(Machine& m);
void load_system_values(Machine& m);
/// FRAG: the pixel of a lane; quads fill the framebuffer row by row.
std::array<uint32_t, 2> pixel_of(const Machine& m, uint32_t lane);

// geometry.cpp

/// EMIT in the lanes `here`; `stream` is the column of its operand, nullptr for stream 0.
void emit_vertex(Machine& m, const Mask& here, const Value* stream);
/// ENDPRIM: does nothing without a vertex.
void end_primitive(Machine& m, const Mask& here, const Value* stream);
/// One invocation after another; each starts its own primitives.
void collect_emissions(Machine& m, Result& result);

// tessellation.cpp: OUT of TESS_CTRL

namespace touch {
inline constexpr uint8_t kRead = 1;
inline constexpr uint8_t kWrote = 2;
inline constexpr uint8_t kChanged = 4;  ///< wrote after it had read
}  // namespace touch

/// What a lane reads from OUT[vertex][index]; unknown if another invocation may be writing something else.
Value read_shared(Machine& m, int32_t vertex, int32_t index, int component, uint32_t lane);
/// Call it after a lane wrote its view. If others read something else since the last barrier, the word is overtaken.
void wrote_shared(Machine& m, int32_t vertex, int32_t index, int component, uint32_t lane);
/// BARRIER: all invocations of the patch now read what was written. A patch is lost if not all of it arrives.
void patch_barrier(Machine& m, const Mask& here);
void collect_patches(Machine& m, const std::vector<uint8_t>& written, Result& result);

// legacy.cpp

/// PUSHA: entries beyond 8 are dropped.
void push_words(Machine& m, const std::array<const Value*, 4>& words, const Mask& here);

// flow.cpp

/// Where the parts of each construct are, by instruction.
struct FlowTable {
    /// IF: its ELSE, else its ENDIF; ELSE: its ENDIF; BGNLOOP: its ENDLOOP and back; SWITCH, CASE, DEFAULT: the
    /// ENDSWITCH.
    std::vector<uint32_t> partner;
    /// SWITCH, CASE, DEFAULT: the next label of the switch, or the ENDSWITCH.
    std::vector<uint32_t> next_label;
    std::vector<uint32_t> closer;     ///< BRK, BREAKC, CONT: the ENDLOOP or ENDSWITCH they go to
    std::vector<bool> leaves_switch;  ///< BRK: out of a switch, not a loop
    std::vector<bool> nested;         ///< inside a construct of its function
    std::vector<bool> reachable;      ///< in some execution, as far as the structure tells
    bool branches = false;            ///< there is a BRA
};
/// `every_loop_ends`: because of Options::max_iterations.
FlowTable analyse_flow(const tgsi::Program& program, bool every_loop_ends);
/// By OUT register: the components that some reachable instruction writes (semantics: Machine: the others are
/// undefined).
std::vector<uint8_t> written_outputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                     const FlowTable& flow);

/// Executes from the program's entry. Lanes that reach the step limit are lost, and they stop.
void interpret(Machine& m, const FlowTable& table);

/// Makes `exec` and `active` from the masks.
void update_exec(Machine& m);

}  // namespace tgsi2spv::reference

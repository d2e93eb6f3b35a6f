// The state of a run, which every instruction gets as `machine`. State that only one subject uses is in its own struct.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "reference/case/inputs.h"
#include "reference/case/options.h"
#include "reference/case/result.h"
#include "reference/memory/presence.h"
#include "reference/memory/register_files.h"
#include "reference/memory/sides.h"
#include "reference/numbers/context.h"
#include "reference/numbers/value.h"
#include "reference/textures/border.h"
#include "sampling/message.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::reference {

class Memory;
class Forks;

/// Invocations of a subgroup in the nominal execution; the bounds hold for every size, unless the size is known.
inline constexpr uint32_t kSubgroupSize = 32;

/// Texture messages, made once for all runs.
struct Messages {
    std::vector<sampling::Message> all;
    std::vector<uint32_t> of_instruction;  ///< into `all`; only for texture instructions
    Borders borders;
};

/// TESS_CTRL: words of OUT that some invocation read before another one, not ordered after it, wrote something else.
/// The result of such a read is unknown, so the program runs again.
struct Overtaken {
    /// Patch, vertex, register, component.
    std::set<std::array<int32_t, 4>> words;
    bool grew = false;      ///< this run found something new
    bool given_up = false;  ///< too many runs found something new: such patches are lost
};

/// The vertices that an invocation of GEOM has emitted so far.
struct Emission {
    std::vector<Emitted> vertices;
    uint32_t count = 0;                    ///< over all streams, limited by GS_MAX_OUTPUT_VERTICES
    std::array<uint32_t, 4> primitives{};  ///< finished primitives of each stream
    std::array<bool, 4> open{};  ///< streams in which a vertex was emitted since the last primitive was finished
    bool unknown = false;        ///< it may have emitted something else
};

/// GEOM.
struct Emissions {
    std::vector<Emission> of_lane;
    size_t values = 0;  ///< kept for all vertices
};

/// TESS_CTRL: OUT is memory that the invocations of a patch share; a lane's entry in a column is the value that this
/// lane would read (tessellation.h).
struct SharedOutputs {
    std::map<RegisterKey, std::vector<uint8_t>> touched;  ///< touch:: bits at component * lanes + lane
    Overtaken* overtaken = nullptr;
};

/// Masks that instructions change (flow/structured.cpp). A call saves them.
struct FlowMasks {
    Mask condition, loop, proceed, branch, function;
};

/// For Options::max_iterations: the turns that a lane has spent in the nominal execution, and those that it must and
/// may have spent.
struct Spent {
    uint64_t nominal = 0, least = 0, most = 0;
};

/// With BRA: which lanes took different paths. Which of them meet again before the function returns is not known.
struct Partings {
    std::vector<uint32_t> of_quad;  ///< 1 + the call depth at which its lanes parted; 0: they are together
    bool any = false;               ///< only the device knows which lanes it brings together again
};

/// PUSHA and POPA: at most 8 entries per lane.
struct Stack {
    std::vector<std::array<Value, 4>> entries;
    bool unknown = false;
};

/// The work of a run so far.
struct Progress {
    uint64_t steps = 0;                ///< instructions
    uint64_t executed = 0;             ///< the same, by each lane
    uint64_t cost = 0;                 ///< the same, with their cost
    std::optional<uint32_t> given_up;  ///< the instruction where the rest was given up; in a loop, the loop's first

    void count(const tgsi::Instruction& in, size_t lanes) {
        constexpr uint64_t kTexture = 64;  // roughly: how many other instructions take as long as one of these
        executed += lanes;
        cost += lanes * (tgsi::info(in.op).family == tgsi::Family::texture ? kTexture : 1);
    }
    /// Whether the rest is given up: the lanes are lost, or the run is an error (Options).
    bool is_over(const Options& options) const {
        return steps > options.max_steps || (options.most_instructions != 0 && cost > options.most_instructions) ||
               (options.most_useful != 0 && executed >= options.most_useful);
    }
};

struct Machine {
    /// COMP: the machine of one work group, since groups are executed one after another.
    Machine(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
            const Options& options, uint32_t work_group = 0);

    // The program and its settings.
    const tgsi::Program& program;
    const tgsi::Registers& registers;
    const Inputs& inputs;
    const Messages* messages = nullptr;
    const Options& options;
    const Context context;  ///< context of the program; that of an instruction may forbid contraction
    bool may_kill = false;  ///< the program has an instruction that kills

    // The lanes.
    std::array<uint32_t, 3> block_size{1, 1, 1};  ///< COMP
    /// The number of invocations that each lane of the case represents: GEOM GS_INVOCATIONS, TESS_CTRL vertices, COMP a
    /// work group.
    uint32_t group = 1;
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
    /// In the nominal execution: consecutive invocations, for COMP within a work group.
    uint32_t subgroup_invocation(uint32_t lane) const {
        return (program.stage == tgsi::Stage::Compute ? invocation(lane) : lane) % subgroup_size();
    }
    /// The subgroup of an invocation, as the number of the subgroup's first invocation.
    uint32_t subgroup(uint32_t lane) const { return lane - subgroup_invocation(lane); }

    // The state that instructions read and write.
    RegisterFiles files;
    std::vector<Stack> stacks;  ///< a stack for each lane; empty if the program has neither PUSHA nor POPA
    Memory* memory = nullptr;   ///< set if the program has instructions for it
    SharedOutputs shared;
    Emissions emissions;
    uint32_t pairs = 0;  ///< numbers given to pairs (wide_value.h)
    /// The four columns of a register that is about to be written.
    Value* make(RegisterFile& file, int32_t index);

    // The lanes at each place: a lane executes where the masks agree (update_exec).
    Mask base;  ///< all bits, except: no kMust for a lane that was lost, nothing for padding that ended
    FlowMasks flow;
    Mask exec;
    std::vector<uint32_t> active;                ///< lanes with kMay or kNominal in exec, in rising order
    bool exec_is_stale = false;                  ///< a lane was lost since update_exec
    Mask killed;                                 ///< demoted to helpers
    Sides sides;                                 ///< sides of branches that may go either way
    std::vector<uint32_t> uncertain_iterations;  ///< iterations of loops that each lane may have left
    std::vector<Spent> spent;                    ///< turns of loops that each lane has spent
    Partings parted;
    Forks* forks = nullptr;       ///< set: this run follows one path (fork.h)
    std::vector<bool> undecided;  ///< lanes in which a branch could go either way
    /// The decision of a branch on `truth` in this run.
    Truth decide(uint32_t lane, const Truth& truth);
    /// Whether derivatives of the lane's quad are defined here.
    bool quad_is_together(uint32_t lane) const;

    // State that is no longer known.
    std::vector<bool> lost;  ///< lanes of which nothing that they wrote or will write can be known
    bool any_lost = false;
    /// Everything that the lane writes anywhere becomes unknown for the rest of the run. TESS_CTRL: everything that its
    /// patch writes.
    void lose(uint32_t lane);

    // The place of the run.
    Progress progress;
    uint32_t origin = 0;  ///< 1 + the instruction being executed (origin_of)

    /// A column for intermediate results, valid until the instruction ends.
    Value* scratch();
    size_t scratch_mark() const { return scratch_used_; }
    void release_scratch(size_t mark = 0) { scratch_used_ = mark; }

  private:
    std::deque<std::unique_ptr<Value[]>> scratch_;
    size_t scratch_used_ = 0;
};

/// The size of the work group: from the text if that fixes it, else from the case, else 4 by 1 by 1.
std::array<uint32_t, 3> block_of(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs);
/// The promises of the module for a program.
Context context_of(const tgsi::Program& program, const Options& options);
/// The declaration of the register that an index names (the index may be computed); null if there is none.
inline const tgsi::Declaration* declaration_at(const Machine& machine, tgsi::File file, uint32_t index) {
    return index > INT32_MAX
               ? nullptr
               : tgsi::declaration_of(machine.program, machine.registers.find(file, static_cast<int32_t>(index)));
}

/// Makes `exec` and `active` from the masks.
void update_exec(Machine& machine);

}  // namespace tgsi2spv::reference

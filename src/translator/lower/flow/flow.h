// Structured control flow: IF, loops, SWITCH, calls, the ways out, KILL.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "lower/context/context.h"
#include "lower/flow/joins.h"
#include "lower/operands/operation.h"

namespace tgsi2spv::lower {

/// An open construct.
struct Frame {
    uint32_t construct = 0;
    uint32_t outer_region = 0;
    ir::BlockId merge = 0;
    ir::BlockId other = 0;                 ///< If: the ELSE block; Loop: the continue block
    ir::BlockId header = 0;                ///< Loop, Switch
    uint32_t next_label = kNoIndex;        ///< Switch: the next label in the text
    uint64_t inner_turns = 0;              ///< Loop: see turns.h
    std::array<ir::Incoming, 2> breaks{};  ///< If: the conditions of breaks_at_end(), by arm that is reached
    size_t num_breaks = 0;
    EdgeList merge_edges{}, continue_edges{};
};

/// The open constructs, and the known labels of a SWITCH.
struct Flow {
    explicit Flow(std::pmr::memory_resource* memory)
        : frames(memory),
          label_blocks(memory),
          literals(memory),
          case_operands(memory),
          cases(memory),
          known_phis(memory) {}

    std::pmr::vector<Frame> frames;
    uint64_t turns = 0;                          ///< iterations of the closed loops of main (turns.h)
    uint32_t steps = 0;                          ///< steps that it took to count them
    std::pmr::vector<ir::BlockId> label_blocks;  ///< the block of each of Plan::labels
    // Scratch of one SWITCH.
    std::pmr::vector<std::pair<uint32_t, uint32_t>> literals;  ///< literal, label
    std::pmr::vector<ir::Value> case_operands;
    std::pmr::vector<ir::SwitchCase> cases;
    // Scratch of one loop, while its turns are counted.
    std::pmr::vector<std::pair<ir::Value, ir::Constant>> known_phis;
};

void lower_flow(Operation& op);
/// The conditions of IF, IFC, UIF, and of BREAKC and CALLNZ, as bools.
ir::Value if_condition(Operation& op);
ir::Value x_is_nonzero(Operation& op);
/// RET, and the end of a function's text.
void lower_exit(Context& context);
/// KILL of the lanes for which the bool holds.
void kill_where(Context& context, ir::Value condition);
/// At the start of FRAG, if clips_fragments(): kills the fragments that the rasterizer would have clipped.
void clip_fragment(Context& context);
/// The KILL flag of the lane, if there is one (Plan::kills): a u32, not 0 if the lane was killed.
ir::Value killed_flag(Context& context);
/// The condition under which this lane's stores and atomics happen: not in lanes that KILL ended (semantics: Flow), and
/// not in lanes that only pad a draw (io=buffers). kNone: always.
ir::Value may_write(Context& context);
/// The end of main, before it returns.
void finish_invocation(Context& context);

}  // namespace tgsi2spv::lower

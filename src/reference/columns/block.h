// Flow over one block of lanes.
#pragma once

#include "reference/columns/boxes.h"
#include "reference/columns/ways.h"

namespace tgsi2spv::reference::columns {

struct Outcome {
    Bits killed = 0;
    Bits escaped = 0;           ///< of these the other engine must say what happens
    uint64_t instructions = 0;  ///< executed, over the lanes that did not escape
    bool endless = false;       ///< all escaped: they reached the step limit
};

/// A block whose uniforms, inputs and system values are in place, and what its lanes have beside it.
struct Block {
    uint32_t* words = nullptr;
    Boxes& boxes;
    Ways& ways;
};

/// Executes the code in the lanes `lanes`. `max_steps`: instructions that the block may execute.
Outcome execute(const Code& code, Bits lanes, uint64_t max_steps, const Block& block);

}  // namespace tgsi2spv::reference::columns

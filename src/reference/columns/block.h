// Executes the flow of a program for one block of lanes.
#pragma once

#include "reference/columns/boxes.h"
#include "reference/columns/ways.h"

namespace tgsi2spv::reference::columns {

struct Outcome {
    Bits killed = 0;
    Bits escaped = 0;           ///< lanes that the interpreter must execute
    uint64_t instructions = 0;  ///< executed, over all lanes that did not escape
    bool endless = false;       ///< all lanes escaped because they reached the step limit
};

/// A block whose uniforms, inputs and system values are set, and further data of its lanes.
struct Block {
    uint32_t* words = nullptr;
    Boxes& boxes;
    Ways& ways;
};

/// Executes the code in `lanes`. `max_steps`: the number of instructions that the block may execute.
Outcome execute(const Code& code, Bits lanes, uint64_t max_steps, const Block& block);

}  // namespace tgsi2spv::reference::columns

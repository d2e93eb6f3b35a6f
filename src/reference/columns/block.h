// Flow over one block of lanes.
#pragma once

#include "reference/columns/code.h"

namespace tgsi2spv::reference::columns {

struct Outcome {
    Bits killed = 0;
    bool ended = true;          ///< false: some lane does not within `max_steps`
    uint64_t instructions = 0;  ///< executed, over the lanes that count
};

/// Executes the code in a block whose uniforms, inputs and system values are in place. `counted`: lanes that are not
/// there only to fill the block. `max_steps`: instructions that the block may execute.
Outcome execute(const Code& code, Bits counted, uint64_t max_steps, uint32_t* block);

}  // namespace tgsi2spv::reference::columns

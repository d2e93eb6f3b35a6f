// The structure of control flow: where the parts of constructs are, and which instructions can be reached.
#pragma once

#include <cstdint>
#include <vector>

#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::reference {

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
    std::vector<bool> reachable;      ///< reached in some execution, as far as the structure shows
    bool branches = false;            ///< there is a BRA
};
/// `every_loop_ends`: because of Options::max_iterations.
FlowTable analyse_flow(const tgsi::Program& program, bool every_loop_ends);
/// By OUT register: the components that some reachable instruction writes (semantics: Machine: the others are
/// undefined).
std::vector<uint8_t> written_outputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                     const FlowTable& flow);

}  // namespace tgsi2spv::reference

// BRA: functions whose flow is not structured.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// Scratch of lower_branches, for one function.
struct BranchLists {
    explicit BranchLists(std::pmr::memory_resource* memory) : numbers(memory), open(memory), cases(memory) {}

    std::pmr::vector<uint32_t> numbers;  ///< the piece that begins at each instruction of the function
    std::pmr::vector<uint32_t> open;     ///< the flat constructs around the instruction
    std::pmr::vector<std::pair<ir::Value, uint32_t>> cases;  ///< operand and instruction of each case of one SWITCH
};

/// The body of a function that has BRA. `lower_instruction` lowers one instruction that this does not.
void lower_branches(Context& context, const FunctionPlan& plan,
                    void (&lower_instruction)(Context& context, uint32_t pc));

}  // namespace tgsi2spv::lower

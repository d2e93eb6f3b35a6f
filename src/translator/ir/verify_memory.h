// Memory that the verifier keeps from one function, and one module, to the next.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "ir/cfg.h"

namespace tgsi2spv::ir {

struct VerifyMemory {
    explicit VerifyMemory(std::pmr::memory_resource* from) : memory(from) {}

    using List = std::pmr::vector<uint32_t>;
    /// A construct of structured flow (verify_structure.cpp).
    struct Construct {
        enum class Kind : uint8_t { Function, Selection, Switch, Loop, Continue };
        Kind kind{};
        BlockId header = 0;  ///< Continue: the continue target
        BlockId end = 0;     ///< the merge block; Function: one past the last
        uint32_t parent = 0;
        uint32_t loop = kNone;  ///< innermost Loop or Continue that contains a block of this construct; may be this one
        uint32_t swtch = kNone;     ///< innermost Switch, with no loop in between; may be this one
        bool has_continue = false;  ///< Loop: its continue construct has been seen
        uint32_t first_case = 0;    ///< Switch: targets other than the merge block, ascending, in `cases`
        uint32_t num_cases = 0;
    };

    std::pmr::memory_resource* const memory;  ///< the memory of everything below
    Cfg cfg{memory};
    std::pmr::vector<BlockId> block_of{memory};    ///< the block of each instruction
    std::pmr::vector<uint32_t> is_source{memory};  ///< index + 1 of the block of which this block is a predecessor
    std::pmr::vector<uint32_t> seen{memory};       ///< index + 1 of the phi that last named this block
    std::pmr::vector<uint8_t> reached{memory}, known{memory};  ///< a flag for each block
    std::pmr::vector<Construct> constructs{memory};
    std::pmr::vector<uint32_t> innermost{memory};  ///< the innermost construct of each block
    std::pmr::vector<BlockId> cases{memory};
    std::pmr::vector<BlockId> back_edges{memory};  ///< source of the back-edge to each block
    std::pmr::vector<BlockId> merges_of{memory};   ///< header that names each block as its merge block
    struct Calls {
        std::pmr::vector<uint32_t> first_callee;  ///< index in `callees` for each function; one extra entry at the end
        std::pmr::vector<uint32_t> callees;
        std::pmr::vector<uint32_t> callers;  ///< calls of each function that are not yet counted
        std::pmr::vector<uint32_t> ready;    ///< functions without such calls
    };
    Calls calls{List(memory), List(memory), List(memory), List(memory)};
};

}  // namespace tgsi2spv::ir

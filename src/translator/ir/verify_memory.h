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

    std::pmr::memory_resource* const memory;  ///< for everything below
    Cfg cfg{memory};
    std::pmr::vector<BlockId> block_of{memory};    ///< by instruction
    std::pmr::vector<uint32_t> is_source{memory};  ///< by block: index + 1 of the block that it is a predecessor of
    std::pmr::vector<uint32_t> seen{memory};       ///< by block: index + 1 of the phi that last named it
    std::pmr::vector<uint8_t> reached{memory}, known{memory};  ///< by block
    std::pmr::vector<Construct> constructs{memory};
    std::pmr::vector<uint32_t> innermost{memory};  ///< by block
    std::pmr::vector<BlockId> cases{memory};
    std::pmr::vector<BlockId> back_edges{memory};  ///< by block: the source of the back-edge to it
    std::pmr::vector<BlockId> merges_of{memory};   ///< by block: the header that names it as its merge block
    struct Calls {
        std::pmr::vector<uint32_t> first_callee;  ///< by function: index in `callees`; one extra entry at the end
        std::pmr::vector<uint32_t> callees;
        std::pmr::vector<uint32_t> callers;  ///< by function: calls not yet counted
        std::pmr::vector<uint32_t> ready;    ///< functions without such calls
    };
    Calls calls{List(memory), List(memory), List(memory), List(memory)};
};

}  // namespace tgsi2spv::ir

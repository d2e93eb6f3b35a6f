// Memory that the passes keep from one module to the next, so that a reused context allocates nothing.
#pragma once

#include <memory_resource>
#include <vector>

#include "ir/cfg.h"
#include "ir/constants.h"
#include "ir/constructs.h"
#include "ir/flat_table.h"
#include "ir/module.h"
#include "ir/verify_memory.h"

namespace tgsi2spv::ir {

struct PassMemory {
    explicit PassMemory(std::pmr::memory_resource* from = std::pmr::get_default_resource()) : memory(from) {}

    std::pmr::memory_resource* const memory;  ///< the memory of everything below
    Cfg cfg{memory};
    ConstantTable constants{memory};  ///< contains the module's constants, for the passes that create new ones
    FlatTable numbers{memory};
    std::pmr::vector<Value> renamed{memory};  ///< the value that replaces each instruction
    std::pmr::vector<BlockId> block_of{memory};
    std::pmr::vector<uint32_t> list{memory}, stack{memory};
    std::pmr::vector<uint32_t> args{memory};
    std::pmr::vector<uint8_t> needed{memory};  ///< bits of each instruction (dead_code.cpp)
    std::pmr::vector<uint8_t> live_constructs{memory}, live_blocks{memory}, repeats{memory}, loaded{memory};
    Constructs constructs{memory};
    std::pmr::vector<BlockId> waiting_constructs{memory};
    /// The stores of each local variable, as lists.
    struct StoreOf {
        Value instruction = 0;
        uint32_t next = kNone;
    };
    std::pmr::vector<uint32_t> first_store{memory};
    std::pmr::vector<StoreOf> stores{memory};
    std::pmr::vector<uint32_t> functions{memory}, variables{memory}, image_ops{memory}, module_constants{memory};
    // simplify_flow: by block.
    std::pmr::vector<uint8_t> block_role{memory}, block_state{memory};
    std::pmr::vector<BlockId> block_place{memory}, block_header{memory}, block_source{memory};
    VerifyMemory verify{memory};  ///< memory of the verifier (PassOptions::verify)
};

/// Initialises `renamed`: each instruction replaces itself.
inline void start_renaming(const Function& function, PassMemory& memory) {
    memory.renamed.resize(function.instructions.size());
    for (Value v = 0; v < memory.renamed.size(); v++) memory.renamed[v] = v;
}

/// Calls `visit(Value&)` for each argument that is a value. `F` is Function or const Function.
template <class F, class Visit>
void visit_values(F& f, const Instruction& instruction, Visit&& visit) {
    const size_t step = instruction.op == Op::Phi ? 2 : 1,
                 count = instruction.op == Op::Switch ? 1 : instruction.num_args;
    auto* const args = f.args.data() + instruction.first_arg;
    for (size_t a = 0; a < count; a += step) visit(args[a]);
}

/// Replaces every argument by its renamed value.
inline void rename_arguments(Function& function, const Instruction& instruction, const PassMemory& memory) {
    const Value* const renamed = memory.renamed.data();
    visit_values(function, instruction, [renamed](Value& v) {
        const Value to = renamed[is_constant(v) ? 0 : v];  // no branch: which arguments are constants is unpredictable
        v = is_constant(v) ? v : to;
    });
}

/// Call it after a sweep that renamed on the way: phi arguments along back-edges are not renamed yet.
inline void rename_phi_arguments(Function& function, const PassMemory& memory) {
    for (const Block& b : function.blocks)
        for (uint32_t i = b.first; function.instructions[i].op == Op::Phi; i++)
            rename_arguments(function, function.instructions[i], memory);
}

}  // namespace tgsi2spv::ir

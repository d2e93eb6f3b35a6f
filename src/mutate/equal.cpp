#include "mutate/equal.h"

#include <algorithm>
#include <spirv-tools/optimizer.hpp>
#include <utility>

#include "mutate/module.h"

namespace tgsi2spv::difftest {

namespace {

using mutation::Instruction;
using mutation::Module;
using spv::Op;

/// The variable at a binding; 0: none.
uint32_t variable_at(const Module& module, const ZeroWord& zero) {
    for (const auto& [id, place] : mutation::places_of(module))
        if (place == std::pair(zero.set, zero.binding)) return id;
    return 0;
}

/// Loads of the zero become copies of a constant.
std::vector<uint32_t> with_known_zero(const std::vector<uint32_t>& words, const ZeroWord& zero) {
    const Module m = mutation::read(words);
    const uint32_t variable = variable_at(m, zero);
    std::vector<uint32_t> result = words;
    for (const Instruction& i : m.all) {
        if (variable == 0 || i.op != Op::OpLoad || i.size != 4) continue;
        const Instruction* chain = m.definition(m.word(i, i.operands));
        if (chain == nullptr || chain->op != Op::OpAccessChain || m.word(*chain, chain->operands) != variable ||
            m.constant(m.word(*chain, chain->size - 1)) != ZeroWord::kWord)
            continue;
        const auto is_zero = [&](const Instruction& c) {
            return c.op == Op::OpConstant && c.type == i.type && m.constant(c.result) == 0u;
        };
        const auto found = std::find_if(m.all.begin(), m.all.end(), is_zero);
        if (found == m.all.end()) continue;
        result[i.at] = mutation::head(i.size, Op::OpCopyObject);
        result[i.at + 3] = found->result;
    }
    return result;
}

std::optional<std::vector<uint32_t>> optimised(const std::vector<uint32_t>& words) {
    spvtools::Optimizer optimiser(SPV_ENV_VULKAN_1_2);
    optimiser.SetMessageConsumer([](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
    // Registers in memory become values where possible; stores that are never loaded disappear.
    optimiser.RegisterPass(spvtools::CreateInlineExhaustivePass());
    optimiser.RegisterPass(spvtools::CreateEliminateDeadFunctionsPass());
    optimiser.RegisterPass(spvtools::CreatePrivateToLocalPass());
    optimiser.RegisterPass(spvtools::CreateScalarReplacementPass(0));
    optimiser.RegisterPass(spvtools::CreateLocalAccessChainConvertPass());
    optimiser.RegisterPass(spvtools::CreateLocalSingleBlockLoadStoreElimPass());
    optimiser.RegisterPass(spvtools::CreateLocalSingleStoreElimPass());
    optimiser.RegisterPass(spvtools::CreateLocalMultiStoreElimPass());
    // Twice: what one pass exposes, another one removes.
    for (int round = 0; round < 2; round++) {
        optimiser.RegisterPass(spvtools::CreateSimplificationPass());
        optimiser.RegisterPass(spvtools::CreateCCPPass());
        optimiser.RegisterPass(spvtools::CreateVectorDCEPass());
        optimiser.RegisterPass(spvtools::CreateDeadInsertElimPass());
        optimiser.RegisterPass(spvtools::CreateRedundancyEliminationPass());
        optimiser.RegisterPass(spvtools::CreateDeadBranchElimPass());
        optimiser.RegisterPass(spvtools::CreateAggressiveDCEPass());
    }
    optimiser.RegisterPass(spvtools::CreateUnifyConstantPass());
    optimiser.RegisterPass(spvtools::CreateCompactIdsPass());
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);
    std::vector<uint32_t> result;
    if (!optimiser.Run(words.data(), words.size(), &result, options)) return std::nullopt;
    return result;
}

}  // namespace

bool same_when_optimised(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant,
                         const std::optional<ZeroWord>& zero) {
    const auto a = optimised(zero ? with_known_zero(module, *zero) : module);
    const auto b = optimised(zero ? with_known_zero(mutant, *zero) : mutant);
    return a && b && *a == *b;
}

}  // namespace tgsi2spv::difftest

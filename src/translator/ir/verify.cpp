#include "ir/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/names.h"
#include "ir/print.h"
#include "ir/verify_rules.h"

namespace tgsi2spv::ir {
namespace {

bool is_image_kind(VariableKind kind) {
    return kind >= VariableKind::CombinedImage && kind <= VariableKind::InputAttachment;
}

Verdict verify_globals(const Module& module) {
    if (module.entry.function >= module.functions.size())
        return broken("entry-function", "the entry function does not exist");
    const Function& main = module.functions[module.entry.function];
    if (!main.result.is_void() || !main.params.empty())
        return broken("entry-function", "the entry function has parameters or a result");
    for (size_t i = 0; i < module.variables.size(); i++) {
        const Variable& v = module.variables[i];
        if (is_image_kind(v.kind) != v.element.is_void() || type_name(v.element) == "?")
            return broken("variable-element", fmt::format("${} has element type {}", i, type_name(v.element)));
        if (v.kind == VariableKind::Local && v.function >= module.functions.size())
            return broken("variable-function", fmt::format("${} does not belong to a function that exists", i));
    }
    for (size_t i = 0; i < module.constants.size(); i++) {
        const Constant& c = module.constants[i];
        if (c.type.is_void() || type_name(c.type) == "?" || (c.spec_id >= 0 && c.type.components != 1))
            return broken("constant-type", fmt::format("constant {} has type {}", i, type_name(c.type)));
    }
    for (size_t i = 0; i < module.image_ops.size(); i++) {
        const ImageOp& op = module.image_ops[i];
        if (op.image >= module.variables.size() || !is_image_kind(module.variables[op.image].kind) ||
            module.variables[op.image].kind == VariableKind::Sampler)
            return broken("image-op-variable", fmt::format("#{} names ${}, which is not an image", i, op.image));
        if (op.sampler != kNone &&
            (op.sampler >= module.variables.size() || module.variables[op.sampler].kind != VariableKind::Sampler))
            return broken("image-op-variable", fmt::format("#{} names ${}, which is not a sampler", i, op.sampler));
    }
    return {};
}

/// Checks the ids of one function: after this, nothing can index outside an array.
struct Ids {
    const Module& m;
    const Function& f;
    uint32_t block = 0;
    uint32_t instruction = kNone;

    Verdict check() {
        uint32_t next = 0;
        if (f.blocks.empty()) return broken("block-range", "the function has no blocks");
        for (block = 0; block < f.blocks.size(); block++) {
            const Block& b = f.blocks[block];
            instruction = kNone;
            if (b.first != next || b.count == 0 || b.count > f.instructions.size() - next)
                return broken("block-range", "the instructions of the blocks are not contiguous");
            next = b.first + b.count;
            if ((b.merge != Merge::None && b.merge_block >= f.blocks.size()) ||
                (b.merge == Merge::Loop && b.continue_block >= f.blocks.size()))
                return broken("block-id", "a merge or continue block does not exist");
            if (Verdict v = instructions(b)) return v;
        }
        if (next != f.instructions.size()) return broken("block-range", "there are instructions outside every block");
        return {};
    }

    Verdict instructions(const Block& b) {
        bool body = false;
        for (uint32_t k = 0; k < b.count; k++) {
            instruction = b.first + k;
            const Instruction& i = f.instructions[instruction];
            if (static_cast<int>(i.op) >= kOpCount) return broken("opcode", "no such instruction");
            if (is_terminator(i.op) != (k + 1 == b.count))
                return broken("one-terminator", "a block must have exactly one terminator, as its last instruction");
            if (i.op == Op::Phi && (body || block == 0))
                return broken("phi-first", "a phi follows another instruction, or is in the entry block");
            if (i.op == Op::Param && (block != 0 || k != i.aux || i.aux >= f.params.size()))
                return broken("param-first", "parameters must be the first instructions of the entry block, in order");
            body = body || i.op != Op::Phi;
            if (Verdict v = ids(i)) return v;
        }
        return {};
    }

    Verdict ids(const Instruction& checked) {
        if (checked.first_arg > f.args.size() || checked.num_args > f.args.size() - checked.first_arg)
            return broken("argument-range", "the arguments are outside Function::args");
        const auto args = f.args_of(checked);
        for (size_t a = 0; a < args.size(); a++) {
            const bool is_block =
                (checked.op == Op::Phi && a % 2 == 1) || (checked.op == Op::Switch && a != 0 && a % 2 == 0);
            if (is_block ? args[a] >= f.blocks.size() : !(checked.op == Op::Switch && a != 0) && !value_exists(args[a]))
                return broken("argument-id", fmt::format("argument {} does not exist", a));
        }
        if ((checked.op == Op::Phi && args.size() % 2 != 0) || (checked.op == Op::Switch && args.size() % 2 != 1))
            return broken("argument-count", "blocks and values do not come in pairs");
        bool target = true;
        visit_targets(f, checked, [&](BlockId b) { target = target && b < f.blocks.size() && b != 0; });
        if (!target) return broken("block-id", "a target does not exist, or is the entry block");
        if (names_variable(checked.op) && checked.aux >= m.variables.size())
            return broken("variable-id", "no such variable");
        if (is_image_op(checked.op) && checked.aux >= m.image_ops.size())
            return broken("image-op-id", "no such image operation");
        if (checked.op == Op::Call && checked.aux >= m.functions.size())
            return broken("function-id", "no such function");
        if ((checked.op == Op::Atomic || checked.op == Op::ImageAtomic) &&
            checked.sub > static_cast<uint8_t>(AtomicOp::FAdd))
            return broken("atomic-op", "no such atomic operation");
        if (type_name(checked.type) == "?") return broken("result-type", "no such type");
        if (checked.precise && !is_float_arithmetic(checked.op))
            return broken("precise", "only float arithmetic can be precise");
        return {};
    }

    bool value_exists(Value v) const {
        if (v == kNone) return false;
        if (is_constant(v)) return (v & ~kConstantBit) < m.constants.size();
        return v < f.instructions.size() && !f.instructions[v].type.is_void();
    }
};

/// Checks the rules that need dominance: values before uses, phis against edges.
struct Uses {
    const Function& f;
    const Cfg& cfg;
    std::pmr::vector<BlockId>& block_of;
    std::pmr::vector<uint32_t>&is_source, &seen;

    Uses(const Function& function, VerifyMemory& memory)
        : f(function), cfg(memory.cfg), block_of(memory.block_of), is_source(memory.is_source), seen(memory.seen) {
        block_of.resize(f.instructions.size());
        for (BlockId b = 0; b < f.blocks.size(); b++)
            std::fill_n(block_of.begin() + f.blocks[b].first, f.blocks[b].count, b);
        is_source.assign(f.blocks.size(), 0);
        seen.assign(f.blocks.size(), 0);
    }

    Verdict instruction(uint32_t index) {
        const Instruction& i = f.instructions[index];
        const BlockId block = block_of[index];
        if (i.op == Op::Phi) return phi(index, block);
        const auto args = f.args_of(i);
        for (const Value v : args.first(i.op == Op::Switch ? 1 : args.size())) {
            if (is_constant(v)) continue;
            if (v >= index) return broken("dominance", fmt::format("%{} is used before its definition", v));
            if (block_of[v] != block && cfg.reachable(block) && !cfg.dominates(block_of[v], block))
                return broken("dominance", fmt::format("%{} does not dominate its use", v));
        }
        return {};
    }
    Verdict phi(uint32_t index, BlockId block) {
        const auto args = f.args_of(f.instructions[index]);
        const auto sources = cfg.predecessors(block);
        for (const BlockId s : sources) is_source[s] = block + 1;
        for (size_t a = 0; a < args.size(); a += 2) {
            const auto [value, source] = std::pair(args[a], args[a + 1]);
            if (is_source[source] != block + 1)
                return broken("phi-edges", fmt::format("b{} is not a predecessor of the phi's block", source));
            if (seen[source] == index + 1)
                return broken("phi-edges", fmt::format("b{} has two entries in the phi", source));
            seen[source] = index + 1;
            if (!is_constant(value) && cfg.reachable(source) && !cfg.dominates(block_of[value], source))
                return broken("phi-dominance", fmt::format("%{} does not dominate the end of b{}", value, source));
        }
        if (args.size() != 2 * sources.size()) return broken("phi-edges", "a predecessor has no entry in the phi");
        return {};
    }
};

/// Back-edges go to loop headers, and every reachable block comes after a reachable predecessor: Cfg requires this.
Verdict verify_order(const Function& function, std::pmr::vector<uint8_t>& reached, uint32_t& block) {
    reached.assign(function.blocks.size(), 0);
    reached[0] = 1;
    Verdict verdict;
    for (block = 0; block < function.blocks.size(); block++) {
        visit_targets(function, terminator(function, function.blocks[block]), [&](BlockId target) {
            if (target <= block && function.blocks[target].merge != Merge::Loop)
                verdict = broken("back-edge",
                                 fmt::format("b{} branches back to b{}, which is not a loop header", block, target));
            if (target <= block && reached[block] != 0 && reached[target] == 0)
                verdict = broken("block-order", fmt::format("b{} precedes every block that leads to it", target));
            if (reached[block] != 0 && target > block) reached[target] = 1;
        });
        if (verdict) return verdict;
    }
    return {};
}

/// No function calls itself, directly or indirectly.
Verdict verify_calls(const Module& module, VerifyMemory& memory, uint32_t& function) {
    const auto n = static_cast<uint32_t>(module.functions.size());
    auto& [first_callee, callees, callers, ready] = memory.calls;
    first_callee.clear();
    callees.clear();
    callers.assign(n, 0);
    for (const Function& f : module.functions) {
        first_callee.push_back(static_cast<uint32_t>(callees.size()));
        for (const Instruction& i : f.instructions)
            if (i.op == Op::Call) {
                callees.push_back(i.aux);
                callers[i.aux]++;
            }
    }
    first_callee.push_back(static_cast<uint32_t>(callees.size()));
    ready.clear();
    for (uint32_t f = 0; f < n; f++)
        if (callers[f] == 0) ready.push_back(f);
    for (size_t next = 0; next < ready.size(); next++)
        for (uint32_t c = first_callee[ready[next]]; c < first_callee[ready[next] + 1]; c++)
            if (--callers[callees[c]] == 0) ready.push_back(callees[c]);
    for (function = 0; function < n; function++)
        if (callers[function] != 0)
            return broken("recursion", "the function is part of a cycle of calls, or called from one");
    return {};
}

VerifyError at(VerifyError error, uint32_t function, uint32_t block, uint32_t instruction) {
    if (error.function == kNone) error.function = function;
    if (error.block == kNone) error.block = block;
    if (error.instruction == kNone) error.instruction = instruction;
    return error;
}

Verdict verify_function(const Module& module, uint32_t index, VerifyMemory& memory) {
    const Function& f = module.functions[index];
    Ids ids{module, f};
    if (Verdict v = ids.check()) return at(*v, index, ids.block, ids.instruction);
    uint32_t block = 0;
    if (Verdict v = verify_order(f, memory.reached, block)) return at(*v, index, block, kNone);
    memory.cfg.compute(f);
    if (Verdict v = verify_structure(f, memory)) return at(*v, index, kNone, kNone);
    Uses uses(f, memory);
    for (uint32_t i = 0; i < f.instructions.size(); i++) {
        const Op op = f.instructions[i].op;
        Verdict v = uses.instruction(i);
        if (!v) v = verify_types(module, f, i);
        if (!v && names_variable(op)) v = verify_access(module, index, i);
        if (!v && is_image_op(op)) v = verify_image(module, f, i);
        if (v) return at(*v, index, uses.block_of[i], i);
    }
    return {};
}

}  // namespace

std::optional<VerifyError> verify(const Module& module, std::pmr::memory_resource* memory) {
    VerifyMemory tables(memory);
    return verify(module, tables);
}

std::optional<VerifyError> verify(const Module& module, VerifyMemory& tables) {
    if (Verdict v = verify_globals(module)) return v;
    for (uint32_t f = 0; f < module.functions.size(); f++)
        if (Verdict v = verify_function(module, f, tables)) return v;
    uint32_t function = 0;
    if (Verdict v = verify_calls(module, tables, function)) return at(*v, function, kNone, kNone);
    return {};
}

std::string describe(const Module& module, const VerifyError& error) {
    std::string place;
    if (error.function != kNone) place += fmt::format("function {}", error.function);
    if (error.block != kNone) place += fmt::format(", block {}", error.block);
    if (error.instruction != kNone && error.function < module.functions.size())
        place += ": " + print(module, module.functions[error.function], error.instruction);
    return fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", error.rule, error.text);
}

}  // namespace tgsi2spv::ir

// Functions, blocks, and terminators.
#include "spirv/emitter.h"

namespace tgsi2spv::spirv {

void Emitter::emit_terminator(const ir::Instruction& instruction, const ir::Block& block) {
    const std::span<const uint32_t> args = function->args_of(instruction);
    w.requirements.op(instruction.op);
    // Everything that the terminator needs comes before the merge instruction, because the terminator directly follows
    // the merge.
    const Id operand = args.empty() ? 0 : id_of(args[0]);
    switch (block.merge) {
        case ir::Merge::None:
            break;
        case ir::Merge::Selection:
            put(w.code, spv::Op::OpSelectionMerge, {label(block.merge_block), 0});
            break;
        case ir::Merge::Loop:
            put(w.code, spv::Op::OpLoopMerge, {label(block.merge_block), label(block.continue_block), 0});
            break;
    }
    if (block.merge != ir::Merge::None) {
        w.open_merges.push_back(block.merge_block);
        if (w.open_merges.size() > options.max_nesting)
            fail("nesting-limit",
                 "control flow is nested deeper than SPIR-V's limit of " + std::to_string(options.max_nesting),
                 instruction.offset_plus_one);
    }
    switch (instruction.op) {
        case ir::Op::Branch:
            return put(w.code, spv::Op::OpBranch, {label(instruction.aux)});
        case ir::Op::BranchIf:
            return put(w.code, spv::Op::OpBranchConditional,
                       {operand, label(instruction.aux), label(instruction.aux2)});
        case ir::Op::Switch: {
            const size_t start = w.code.size();
            w.code.grow(3);
            w.code[start + 1] = operand;
            w.code[start + 2] = label(instruction.aux);
            for (size_t a = 1; a + 1 < args.size(); a += 2) {
                uint32_t* p = w.code.grow(2);
                p[0] = args[a];
                p[1] = label(args[a + 1]);
            }
            if (args.size() / 2 > kMaxSwitchCases)
                fail("switch-limit", "a switch has more than 16,383 cases", instruction.offset_plus_one);
            return close(start, spv::Op::OpSwitch, instruction.offset_plus_one, "a switch");
        }
        case ir::Op::Return:
            if (operand) return put(w.code, spv::Op::OpReturnValue, {operand});
            return put(w.code, spv::Op::OpReturn);
        case ir::Op::Kill:
            return put(w.code, spv::Op::OpKill);
        default:
            return put(w.code, spv::Op::OpUnreachable);
    }
}

void Emitter::emit_function(uint32_t index) {
    const ir::Function& f = module.functions[index];
    function = &f;
    w.value_ids.assign(f.instructions.size(), 0);
    w.pair_ids.resize(f.instructions.size());
    ids[0] = w.value_ids.data();
    ids[1] = w.constant_ids.data();
    w.open_merges.clear();

    const Id result = type(f.result);
    const Id signature = function_type(f);
    put(w.code, spv::Op::OpFunction, {result, w.function_ids[index], 0, signature});
    name(w.function_ids[index], f.name.empty() && index == module.entry.function ? "main" : f.name);
    first_parameter = next_id;
    for (ir::Type p : f.params) put(w.code, spv::Op::OpFunctionParameter, {type(p), new_id()});
    first_label = next_id;
    next_id += static_cast<Id>(f.blocks.size());

    const ir::Instruction* const instructions = f.instructions.data();
    const auto put_line = [this, has_lines = options.debug_lines](const ir::Instruction& i) {
        if (has_lines && i.offset_plus_one && i.offset_plus_one != offset_plus_one) emit_line(*this, i.offset_plus_one);
    };
    for (ir::BlockId b = 0; b < f.blocks.size() && !failed; ++b) {
        const ir::Block& block = f.blocks[b];
        while (!w.open_merges.empty() && w.open_merges.back() == b) w.open_merges.pop_back();
        put(w.code, spv::Op::OpLabel, {label(b)});
        offset_plus_one = 0;
        if (b == 0) emit_locals(index);
        const ir::Value terminator = block.first + block.count - 1;
        for (ir::Value self = block.first; self < terminator; ++self) {
            const ir::Instruction& i = instructions[self];
            if (i.dead) continue;
            put_line(i);
            emit_instruction(i, self);
        }
        put_line(instructions[terminator]);
        emit_terminator(instructions[terminator], block);
        check_ids();
    }
    put(w.code, spv::Op::OpFunctionEnd);
}

}  // namespace tgsi2spv::spirv

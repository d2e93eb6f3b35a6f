// Every instruction passes here: emitted instructions get its place and precision, a predicate becomes a condition, and
// the opcode's family gives the result.
#include "lower/families/instructions.h"

#include <string>

#include "lower/context/regions.h"
#include "lower/families/families.h"
#include "lower/flow/flow.h"
#include "lower/interface/geometry.h"
#include "lower/interface/interpolation.h"
#include "lower/operands/operands.h"
#include "lower/operands/wide.h"
#include "lower/registers/cells.h"
#include "lower/registers/predicates.h"
#include "lower/registers/registers.h"

namespace tgsi2spv::lower {

using tgsi::Family;
using tgsi::File;
using tgsi::Opcode;
using tgsi::OperandType;

namespace {

/// True for a MOV without modifiers. `operands` are the instruction's.
bool only_renames(const tgsi::Instruction& instruction, const tgsi::Operand* operands) {
    return instruction.op == Opcode::MOV && !instruction.saturate && !operands[1].negate && !operands[1].absolute;
}

/// If `to`, the destination's cells, is given, the source's cells are copied there unchanged.
void lower_move(Context& context, const tgsi::Operand& dst, const tgsi::Operand& src, Ref* to) {
    const auto comps = components_of(dst.write_mask);
    Ref refs[4];  // source and destination may be the same register
    if (!read_swizzled(context, src, comps, refs)) return;
    if (to == nullptr) {
        write(context, dst, dst.write_mask, refs);
        return;
    }
    const Ref* from = refs;
    for (const uint8_t c : comps) to[c] = *from++;
}

Outcome dispatch(Operation& op, const tgsi::OpcodeInfo& row) {
    switch (row.family) {
        case Family::arithmetic:
            return lower_arithmetic(op);
        case Family::compare:
            return lower_compare(op);
        case Family::integer:
            return lower_integer(op);
        case Family::convert:
            return row.is_wide ? lower_wide(op) : lower_convert(op);
        case Family::texture:
            if (op.instruction.op == Opcode::SAMP2HND || op.instruction.op == Opcode::IMG2HND) return lower_handle(op);
            return lower_texture(op);
        case Family::legacy:
            return lower_legacy(op);
        case Family::io:
            if (op.instruction.op == Opcode::EMIT || op.instruction.op == Opcode::ENDPRIM) return lower_geometry(op);
            return lower_fragment_io(op);
        case Family::memory:
            return lower_memory(op);
        case Family::subgroup:
            if (op.instruction.op == Opcode::BARRIER)
                return op.program.stage == tgsi::Stage::TessControl ? lower_patch_barrier(op) : lower_memory(op);
            return lower_subgroup(op);
        case Family::wide:
            return lower_wide(op);
        case Family::flow:
            break;
    }
    return no_case(op);
}

void lower_operation(Operation& op, const tgsi::OpcodeInfo& row) {
    Context& w = op.context;
    const tgsi::Instruction& i = op.instruction;
    const uint8_t mask = op.mask;
    const tgsi::Operand* const operands = w.program.operands.data() + i.first_operand;
    const bool nothing = mask == 0 || (i.num_dst != 0 && operands[0].file == File::Null);
    if (only_renames(i, operands)) {
        if (!nothing) lower_move(w, operands[0], operands[1], nullptr);
        return;
    }
    if (nothing && mask == 0) {
        op.mask = 0xf;
        op.width = 4;
    }
    const Outcome outcome = dispatch(op, row);
    if (outcome.ok && outcome.value != ir::kNone && !nothing && i.num_dst != 0) write_result(op, outcome.value);
}

/// True for an instruction with no destination, or with one in memory: a predicate applies to it as a whole.
bool is_all_or_nothing(const tgsi::Instruction& instruction, const tgsi::OpcodeInfo& row) {
    return instruction.num_dst == 0 || row.dst[0] == OperandType::Resource;
}

}  // namespace

void lower_instruction(Context& context, uint32_t pc) {
    const tgsi::Instruction& i = context.program.instructions[pc];
    const tgsi::OpcodeInfo& row = tgsi::info(i.op);
    if (!check_operations(context, i.position)) return;
    enter_instruction(context, i, row);
    const tgsi::Operand* const operands = context.program.operands.data() + i.first_operand;
    if (only_renames(i, operands) && operands[0].write_mask != 0 && !i.has_predicate) {
        if (Ref* const to = written_cells(context, operands[0])) {
            lower_move(context, operands[0], operands[1], to);
            return;
        }
    }
    Operation op = operation_of(context, i);
    if (pc < context.messages.size()) op.message = &context.messages[pc];
    if (row.family == Family::flow) return lower_flow(op);
    if (!i.has_predicate) return lower_operation(op, row);
    if (!is_all_or_nothing(i, row)) {
        context.predicate.instruction = &i;
        lower_operation(op, row);
        context.predicate.instruction = nullptr;
        return;
    }
    const Conditional conditional = begin_conditional(context, predicate_condition(context, i));
    lower_operation(op, row);
    end_conditional(context, conditional);
}

}  // namespace tgsi2spv::lower

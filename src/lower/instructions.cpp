// Every instruction passes here: what it emits gets its place and precision, a predicate becomes a condition, and the
// opcode's family gives the result.
#include "lower/instructions.h"

#include <string>

#include "lower/flow.h"
#include "lower/operands.h"
#include "lower/predicates.h"
#include "lower/regions.h"
#include "lower/registers.h"
#include "lower/wide.h"

namespace tgsi2spv::lower {

using tgsi::Family;
using tgsi::File;
using tgsi::Opcode;
using tgsi::OperandType;

namespace {

/// True for a MOV without modifiers. `operands` are the instruction's.
bool only_renames(const tgsi::Instruction& i, const tgsi::Operand* operands) {
    return i.op == Opcode::MOV && !i.saturate && !operands[1].negate && !operands[1].absolute;
}

/// If `to`, the destination's cells, is given, the source's cells are copied there unchanged.
void lower_move(Walk& w, const tgsi::Operand& dst, const tgsi::Operand& src, Ref* to) {
    const auto comps = components_of(dst.write_mask);
    Ref refs[4];  // source and destination may be the same register
    if (!read_swizzled(w, src, comps, refs)) return;
    if (to == nullptr) {
        write(w, dst, dst.write_mask, refs);
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
    Walk& w = op.walk;
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
bool is_all_or_nothing(const tgsi::Instruction& i, const tgsi::OpcodeInfo& row) {
    return i.num_dst == 0 || row.dst[0] == OperandType::Resource;
}

/// Everything emitted from here on belongs to this instruction.
inline void enter_instruction(Walk& w, const tgsi::Instruction& i, const tgsi::OpcodeInfo& row) {
    w.position = i.position;
    w.b.set_offset(i.position);
    w.b.set_precise(w.options.exact || i.precise);
    w.predicate.float_result = row.dst[0] == OperandType::Float;
}

inline Operation operation_of(Walk& w, const tgsi::Instruction& i) {
    const uint8_t mask = i.num_dst != 0 ? w.program.operands[i.first_operand].write_mask : uint8_t{0xf};
    return {
        w,       w.b, w.options, w.capabilities, w.program, i, mask, kMaskComponents[mask & 0xf].count, w.legacy_math,
        &w.views};
}

}  // namespace

Operation begin_instruction(Walk& w, const tgsi::Instruction& i) {
    enter_instruction(w, i, tgsi::info(i.op));
    return operation_of(w, i);
}

void lower_instruction(Walk& w, uint32_t pc) {
    const tgsi::Instruction& i = w.program.instructions[pc];
    const tgsi::OpcodeInfo& row = tgsi::info(i.op);
    if (w.operations_before + w.b.function().instructions.size() > w.options.max_operations)
        return fail_operations(w, i.position);
    enter_instruction(w, i, row);
    const tgsi::Operand* const operands = w.program.operands.data() + i.first_operand;
    if (only_renames(i, operands) && operands[0].write_mask != 0 && !i.has_predicate) {
        if (Ref* const to = written_cells(w, operands[0])) {
            lower_move(w, operands[0], operands[1], to);
            return;
        }
    }
    Operation op = operation_of(w, i);
    if (pc < w.messages.size()) op.message = &w.messages[pc];
    if (row.family == Family::flow) return lower_flow(op);
    if (!i.has_predicate) return lower_operation(op, row);
    if (!is_all_or_nothing(i, row)) {
        w.predicate.instruction = &i;
        lower_operation(op, row);
        w.predicate.instruction = nullptr;
        return;
    }
    const Conditional conditional = begin_conditional(w, predicate_condition(w, i));
    lower_operation(op, row);
    end_conditional(w, conditional);
}

}  // namespace tgsi2spv::lower

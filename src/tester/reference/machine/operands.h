// Reading and writing the registers that operands name.
#pragma once

#include "reference/machine/machine.h"

namespace tgsi2spv::reference {

/// The word of a file whose registers are the same in every lane; 0 out of range. False for other files.
bool uniform_word(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs, tgsi::File file,
                  int32_t dim, int32_t index, int component, uint32_t& word);
/// The column of component `component` of the operand's register (no swizzle, no modifiers).
const Value* read(Machine& machine, const tgsi::Operand& operand, int component);
/// The index registers of a destination before the instruction writes (it may write them too).
struct DestinationIndex {
    const Value* dims = nullptr;
    const Value* indices = nullptr;
};
DestinationIndex destination_index(Machine& machine, const tgsi::Operand& operand);
/// The instruction's predicate for destination component `component`: ~0 where it holds and 0 where it does not;
/// nullptr if there is none. It is a copy, because the instruction may write PRED.
const Value* predicate_column(Machine& machine, const tgsi::Instruction& in, int component);
/// The truth value that PRED keeps of a float result: whether it is not zero. For -0 and denormals the documents do not
/// say whether the bits or the value are meant (interpreters differ), so both are permitted.
Value predicate_of_float(const Value& v);
/// Writes one component of a destination in the active lanes where `predicate` holds (nullptr: in all of them).
void write(Machine& machine, const tgsi::Operand& operand, const DestinationIndex& index, int component,
           const Value* column, const Value* predicate);

}  // namespace tgsi2spv::reference

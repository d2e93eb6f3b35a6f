#include "tgsi/entry.h"

#include <algorithm>

namespace tgsi2spv::tgsi {

std::optional<Program> called_at_entry(const Program& program) {
    if (std::ranges::find(program.instructions, Opcode::END, &Instruction::op) != program.instructions.end()) return {};
    Program called = program;
    called.entry = 0;
    for (Instruction& i : called.instructions) i.label += i.has_label ? 2 : 0;
    Instruction call, end;
    call.op = Opcode::CAL;
    call.has_label = true;
    call.label = program.entry + 2;
    call.position = end.position = program.instructions[program.entry].position;
    end.op = Opcode::END;
    call.first_operand = end.first_operand = 0;
    called.instructions.insert(called.instructions.begin(), {call, end});
    return called;
}

}  // namespace tgsi2spv::tgsi

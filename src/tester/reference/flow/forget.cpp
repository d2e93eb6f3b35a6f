// Lanes whose path through some instructions is not followed.
#include "reference/families/families.h"
#include "reference/flow/interpreter.h"

namespace tgsi2spv::reference {

using tgsi::Opcode;

bool kills(Opcode op) {
    return op == Opcode::KILL || op == Opcode::KILL_IF || op == Opcode::KIL || op == Opcode::KILP ||
           op == Opcode::DEMOTE;
}

void forget(Machine& machine, uint32_t lane, uint32_t first, uint32_t last) {
    auto make_unknown = [&](RegisterFile& f, int32_t index, uint8_t mask) {
        if (index < 0 || index >= f.count()) return;
        Value* block = machine.make(f, index);
        for (int c = 0; c < 4; ++c)
            if (mask >> c & 1)
                reference::make_unknown(block[static_cast<size_t>(c) * machine.lanes + lane], machine.origin);
    };
    for (uint32_t i = first; i <= last; ++i) {
        const tgsi::Instruction& in = machine.program.instructions[i];
        // A function may write anything; after a return the lane is no longer surely here.
        bool any = in.op == Opcode::CAL || in.op == Opcode::CALLNZ || in.op == Opcode::RET;
        // Memory that the invocations of a patch share cannot be forgotten in only one of them.
        for (const tgsi::Operand& o : machine.program.dsts(in))
            any |= machine.files.outputs_are_shared && o.file == tgsi::File::Output;
        if (any || in.op == Opcode::BARRIER) {
            machine.lose(lane);
            return;
        }
    }
    for (uint32_t i = first; i <= last; ++i) {
        const tgsi::Instruction& in = machine.program.instructions[i];
        if (kills(in.op)) machine.killed[lane] = static_cast<Presence>(machine.killed[lane] | kMay);
        if (in.op == Opcode::PUSHA || in.op == Opcode::POPA) machine.stacks[lane].unknown = true;
        spoil_resource(machine, in, lane);
        if (in.op == Opcode::EMIT || in.op == Opcode::ENDPRIM) machine.emissions.of_lane[lane].unknown = true;
        for (const tgsi::Operand& o : machine.program.dsts(in)) {
            const int32_t dims = o.dim_is_relative ? machine.files.spaces(o.file) : 1;
            for (int32_t d = 0; d < dims; ++d) {
                RegisterFile* f =
                    machine.files.writable(o.file, o.dim_is_relative ? d
                                                   : o.has_dim       ? machine.files.space(o.file, o.dim, o.index)
                                                                     : 0);
                if (!f) continue;
                const bool any = o.index_is_relative;
                for (int32_t r = any ? 0 : o.index; r < (any ? f->count() : o.index + 1); ++r)
                    make_unknown(*f, r, o.write_mask);
            }
        }
    }
}

}  // namespace tgsi2spv::reference

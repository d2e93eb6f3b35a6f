// The events that an observer is shown (observe.h).
#include "reference/observe.h"

#include "reference/interpreter.h"

namespace tgsi2spv::reference {

using tgsi::Opcode;

void Interpreter::show(Seen::What what, const tgsi::Instruction& in, int component, const Value* a, const Value* b) {
    if (observer == nullptr || a == nullptr) return;
    const size_t mark = m.scratch_mark();
    if (b == nullptr && what == Seen::What::Compared) {
        Value* zero = m.scratch();
        for (uint32_t lane : m.active) zero[lane] = exact(0u);
        b = zero;
    }
    const auto number = static_cast<uint32_t>(&in - m.program.instructions.data());
    (*observer)({what, number, static_cast<uint8_t>(component), m.first_lane, m.active, a, b});
    m.release_scratch(mark);
}

void Interpreter::show_compared(Frame& frame) {
    const tgsi::Instruction& in = frame.instruction;
    const auto both = [&](uint8_t components) {
        for (int c = 0; c < 4; ++c)
            if (components >> c & 1) show(Seen::What::Compared, in, c, frame.src(0, c), frame.src(1, c));
    };
    switch (in.op) {
        case Opcode::MIN:
        case Opcode::MAX:
        case Opcode::IMIN:
        case Opcode::IMAX:
        case Opcode::UMIN:
        case Opcode::UMAX:
            return both(frame.mask);
        case Opcode::DSEQ:
        case Opcode::DSNE:
        case Opcode::DSGE:
        case Opcode::DSLT:
        case Opcode::U64SEQ:
        case Opcode::U64SNE:
        case Opcode::U64SGE:
        case Opcode::U64SLT:
        case Opcode::I64SGE:
        case Opcode::I64SLT:
        case Opcode::DMIN:
        case Opcode::DMAX:
        case Opcode::I64MIN:
        case Opcode::I64MAX:
        case Opcode::U64MIN:
        case Opcode::U64MAX:
            return both(0xf);
        // Opcodes with special rules for zero, or for one sign.
        case Opcode::LIT:
        case Opcode::RCP:
        case Opcode::RSQ:
        case Opcode::LG2:
        case Opcode::LOG:
        case Opcode::SSG:
        case Opcode::ISSG:
        case Opcode::KILL_IF:
        case Opcode::F2U:
            for (int c = 0; c < 4; ++c) show(Seen::What::Compared, in, c, frame.src(0, c));
            return;
        case Opcode::CMP:
        case Opcode::UCMP:
            for (int c = 0; c < 4; ++c)
                if (frame.writes(c)) show(Seen::What::Compared, in, c, frame.src(0, c));
            return;
        default:
            if (frame.info.family == tgsi::Family::compare) both(frame.mask);
            return;
    }
}

}  // namespace tgsi2spv::reference

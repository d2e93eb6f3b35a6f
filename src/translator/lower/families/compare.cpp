// Comparisons and selections. Every comparison with NaN is false except "not equal" (semantics: Float).
#include "lower/operands/family.h"

#include "lower/families/families.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

Value compared(Operation& op, Op o, Scalar operands) {
    const Value a = source(op, 0, operands);
    return op.b.op(o, a, source(op, 1, operands));
}
/// 1.0 or 0.0
Outcome set_float(Operation& op, Op o) {
    const Value condition = compared(op, o, Scalar::F32);
    const Value yes = f32_like(op, 1.0f, condition), no = f32_like(op, 0.0f, condition);
    return done(op.b.select(condition, yes, no));
}
/// ~0 or 0
Outcome set_mask(Operation& op, Op o, Scalar operands) {
    const Value condition = compared(op, o, operands);
    const Value yes = u32_like(op, 0xffff'ffff, condition), no = u32_like(op, 0, condition);
    return done(op.b.select(condition, yes, no));
}

}  // namespace

Outcome lower_compare(Operation& op) {
    switch (op.instruction.op) {
        case Opcode::SLT:
            return set_float(op, Op::FOLt);
        case Opcode::SGE:
            return set_float(op, Op::FOGe);
        case Opcode::SEQ:
            return set_float(op, Op::FOEq);
        case Opcode::SNE:
            return set_float(op, Op::FUNe);
        case Opcode::SGT:
            return set_float(op, Op::FOGt);
        case Opcode::SLE:
            return set_float(op, Op::FOLe);
        case Opcode::FSLT:
            return set_mask(op, Op::FOLt, Scalar::F32);
        case Opcode::FSGE:
            return set_mask(op, Op::FOGe, Scalar::F32);
        case Opcode::FSEQ:
            return set_mask(op, Op::FOEq, Scalar::F32);
        case Opcode::FSNE:
            return set_mask(op, Op::FUNe, Scalar::F32);
        case Opcode::ISGE:
            return set_mask(op, Op::SGe, Scalar::U32);
        case Opcode::ISLT:
            return set_mask(op, Op::SLt, Scalar::U32);
        case Opcode::USEQ:
            return set_mask(op, Op::IEq, Scalar::U32);
        case Opcode::USNE:
            return set_mask(op, Op::INe, Scalar::U32);
        case Opcode::USGE:
            return set_mask(op, Op::UGe, Scalar::U32);
        case Opcode::USLT:
            return set_mask(op, Op::ULt, Scalar::U32);
        case Opcode::CMP: {
            const Value x = source(op, 0, Scalar::F32);
            const Value condition = op.b.folt(x, f32_like(op, 0.0f, x));
            const Value a = source(op, 1, Scalar::F32);
            return done(op.b.select(condition, a, source(op, 2, Scalar::F32)));
        }
        case Opcode::UCMP: {
            const Value x = source(op, 0, Scalar::U32);
            const Value condition = op.b.is_nonzero(x);
            const Value a = source(op, 1, Scalar::F32);
            return done(op.b.select(condition, a, source(op, 2, Scalar::F32)));
        }
        default:
            return no_case(op);
    }
}

}  // namespace tgsi2spv::lower

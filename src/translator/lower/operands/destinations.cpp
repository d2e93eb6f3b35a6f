// Writes results to registers: saturation, write masks, NULL.
#include "lower/operands/operands.h"
#include "lower/registers/cells.h"
#include "lower/registers/registers.h"

namespace tgsi2spv::lower {

namespace {

/// Semantics, Text: _SAT clamps to [0, 1], NaN to 0, −0 to +0. NClamp turns −0 into a zero of either sign. No other
/// result is negative, so clearing the sign bit makes it +0. _SATNV clamps to [−1, 1] as MAX and MIN would, NaN to −1.
ir::Value saturate(Context& context, ir::Value value, bool to_minus_one) {
    ir::Builder& b = context.b;
    value = b.bitcast(value, ir::Scalar::F32);
    const ir::Type type = b.type_of(value);
    const ir::Value one = b.const_splat(type, 0x3f80'0000);
    if (to_minus_one) return b.fclamp(value, b.const_splat(type, 0xbf80'0000), one);
    const ir::Value zero = b.zero(type);
    return b.fabs(b.fclamp(value, zero, one));
}

}  // namespace

bool write_result(Operation& op, ir::Value value) {
    Context& w = op.context;
    const tgsi::Operand& o = op.program.dsts(op.instruction)[0];
    // Only floats are saturated (the checker), and 64-bit results already are (wide_result).
    const bool narrow = tgsi::info(op.instruction.op).dst[0] != tgsi::OperandType::Double;
    if (op.instruction.saturate && narrow) value = saturate(w, value, op.instruction.saturate_signed);
    const bool replicated = w.b.type_of(value).components == 1;
    if (Ref* const cells = written_cells(w, o)) {
        Ref ref{value, 0};
        for (const uint8_t c : components_of(op.mask)) {
            cells[c] = ref;
            if (!replicated) ++ref.component;
        }
        return true;
    }
    Ref refs[4];
    for (int k = 0; k < op.width; ++k) refs[k] = {value, replicated ? uint8_t{0} : static_cast<uint8_t>(k)};
    return write(w, o, op.mask, refs);
}

}  // namespace tgsi2spv::lower

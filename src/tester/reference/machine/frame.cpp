#include "reference/machine/frame.h"

#include "reference/numbers/wide_float.h"
#include "reference/numbers/wide_words.h"
#include "reference/numbers/words.h"

namespace tgsi2spv::reference {

using tgsi::Operand;
using tgsi::OperandType;

Wide Pair::at(const Context& context, uint32_t lane) const {
    Wide v;
    if (context.nominal)
        v = exact(uint64_t{high[lane].value} << 32 | low[lane].value);
    else
        v = join_halves(low[lane], high[lane]);
    if (!absolute && !negate) return v;
    if (type == OperandType::Double) {
        const Context w = wide_context(context);
        if (absolute) v = abs(w, v);
        return negate ? neg(w, v) : v;
    }
    return wide_words1(context, v, [this](uint64_t w) {
        if (absolute && w >> 63) w = 0 - w;
        return negate ? 0 - w : w;
    });
}

Pair Frame::pair(int source, int k) {
    const tgsi::Operand& o = m.program.srcs(instruction)[static_cast<size_t>(source)];
    return {read(m, o, o.component(2 * k)), read(m, o, o.component(2 * k + 1)), o.absolute, o.negate,
            info.src[static_cast<size_t>(source)]};
}

const Value* Frame::constant(uint32_t word) {
    Value* out = scratch();
    for (uint32_t lane : lanes()) out[lane] = exact(word);
    return out;
}

const Value* Frame::src(int s, int component) {
    return src(s, component, info.src[static_cast<size_t>(s)]);
}

const Value* Frame::src(int s, int component, OperandType type) {
    const Operand& o = m.program.srcs(instruction)[static_cast<size_t>(s)];
    const int from = o.component(component);
    const Value*& cached = sources[static_cast<size_t>(s)][static_cast<size_t>(from)];
    if (cached) return cached;
    return cached = operand(o, from, type);
}

const Value* Frame::operand(const Operand& operand, int component, OperandType type) {
    const Value* column = read(m, operand, component);
    if (!operand.absolute && !operand.negate) return column;
    Value* out = scratch();
    if (type == OperandType::Int || type == OperandType::Uint) {
        const auto modify = [&](uint32_t w) {
            if (operand.absolute && (w >> 31) != 0) w = 0 - w;
            return operand.negate ? 0 - w : w;
        };
        for (uint32_t lane : lanes()) out[lane] = words1(c, column[lane], modify);
    } else {
        for (uint32_t lane : lanes()) {
            Value v = column[lane];
            if (operand.absolute) v = abs(c, v);
            if (operand.negate) v = neg(c, v);
            out[lane] = v;
        }
    }
    return out;
}

}  // namespace tgsi2spv::reference

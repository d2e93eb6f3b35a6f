// Shared by the 64-bit families (wide.cpp, wide_convert.cpp): operations on the two pairs of an instruction.
#pragma once

#include "reference/families/families.h"
#include "reference/numbers/wide_float.h"
#include "reference/numbers/wide_words.h"

namespace tgsi2spv::reference {

/// For each pair of dst 0 with a component in the write mask: make(k) gives the function from lanes to Wides.
template <class F>
void each_pair(Frame& frame, F make) {
    for (int k = 0; k < 2; ++k) {
        if (!frame.writes_pair(k)) continue;
        auto of_lane = make(k);
        Value *low = frame.scratch(), *high = frame.scratch();
        const bool clamp = frame.instruction.saturate && frame.info.dst[0] == tgsi::OperandType::Double;
        const Context w = wide_context(frame.c);
        for (uint32_t lane : frame.lanes()) {
            const Wide v = of_lane(lane);
            split(clamp ? wide::saturate(w, v, frame.instruction.saturate_signed) : v, frame.m.pairs, low[lane],
                  high[lane]);
        }
        frame.result[static_cast<size_t>(2 * k)] = low;
        frame.result[static_cast<size_t>(2 * k + 1)] = high;
    }
}
/// f of the pairs of source 0 (and 1).
template <class F>
void each_pair1(Frame& frame, F f) {
    each_pair(frame, [&](int k) {
        const Pair a = frame.pair(0, k);
        return [&frame, a, &f](uint32_t lane) { return f(a.at(frame.c, lane)); };
    });
}
template <class F>
void each_pair2(Frame& frame, F f) {
    each_pair(frame, [&](int k) {
        const Pair a = frame.pair(0, k), b = frame.pair(1, k);
        return [&frame, a, b, &f](uint32_t lane) { return f(a.at(frame.c, lane), b.at(frame.c, lane)); };
    });
}

}  // namespace tgsi2spv::reference

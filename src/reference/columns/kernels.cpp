#include "reference/columns/kernels.h"

#include <algorithm>
#include <bit>

// What is left out brings nothing here: SSSE3 has no rounding, wider vectors than AVX2's have no tags (kWidest), and
// those without a fixed size cannot stand in arrays.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
// Without vectors one lane at a time, whatever the compiler (clang would take highway's emulated vectors, which lose
// signs of zeros and infinities).
#define HWY_BROKEN_EMU128 1
#define HWY_TARGET_INCLUDE "reference/columns/kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "reference/columns/bounds-inl.h"
#include "reference/columns/plain-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE {

void run(const Code& code, const Step* steps, uint32_t count, Bits exec, uint32_t* block, Boxes& boxes) {
    const bool all = exec == kEveryLane;
    const uint32_t* mask = block + code.mask;
    if (!all) spread(exec, block + code.mask);
    if (code.bounds) std::fill_n(block + code.bad, kLanes, 0u);
    for (const Step* s = steps; s != steps + count; ++s) {
        const bool masked = !all && s->keeps;
        uint32_t* out = block + (masked ? code.spare : s->to);
        if (code.bounds)
            bounds::run(code, *s, block, out, exec, boxes, block + code.bad);
        else
            plain::run(code, {*s, block, out});
        if (!masked) continue;
        for (size_t i = 0; i < code.column_words(); i += hn::Lanes(kW)) {
            uint32_t* to = block + s->to + i;
            const Mask here = hn::MaskFromVec(hn::Load(kW, mask + i % kLanes));
            hn::Store(hn::IfThenElse(here, hn::Load(kW, out + i), hn::Load(kW, to)), kW, to);
        }
    }
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tgsi2spv::reference::columns {

HWY_EXPORT(run);
HWY_EXPORT(gather);

void run_steps(const Code& code, const Step* steps, uint32_t count, Bits exec, uint32_t* block, Boxes& boxes) {
    HWY_DYNAMIC_DISPATCH(run)(code, steps, count, exec, block, boxes);
}

Bits lanes_of(const uint32_t* column) {
    return HWY_DYNAMIC_DISPATCH(gather)(column);
}

}  // namespace tgsi2spv::reference::columns
#endif

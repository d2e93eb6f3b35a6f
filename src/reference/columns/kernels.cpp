#include "reference/columns/kernels.h"

#include <algorithm>
#include <bit>

// Targets without a benefit: SSSE3 has no rounding, the additions of AVX3_DL to AVX3 are not used, and vectors without
// a fixed size cannot be in arrays.
#define TGSI2SPV_UNUSED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#ifdef TGSI2SPV_FEW_TARGETS
// For sanitizers: one vector width, and one lane at a time. Each target takes half a minute to compile with them.
#define HWY_DISABLED_TARGETS (TGSI2SPV_UNUSED_TARGETS | HWY_SSE4 | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS TGSI2SPV_UNUSED_TARGETS
#endif
// Without vectors, execute one lane at a time with every compiler (clang would use highway's emulated vectors, which
// lose signs of zeros and infinities).
#define HWY_BROKEN_EMU128 1
#define HWY_TARGET_INCLUDE "reference/columns/kernels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "reference/columns/plain-inl.h"
#include "reference/columns/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tgsi2spv::reference::columns::HWY_NAMESPACE {

/// Merges two planes: the words of `from` in the lanes of `mask`, those of `kept` in others.
HWY_INLINE void merge(const uint32_t* from, const uint32_t* mask, const uint32_t* kept, uint32_t* to) {
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) {
        const Mask here = hn::MaskFromVec(hn::Load(kW, mask + i));
        hn::Store(hn::IfThenElse(here, hn::Load(kW, from + i), hn::Load(kW, kept + i)), kW, to + i);
    }
}
/// Merges a column with bounds.
inline void merge_column(const uint32_t* from, const uint32_t* mask, uint32_t* to) {
    const uint32_t plane = plane_of(from), kept = plane_of(to);
    // The first plane comes last: if `to` holds words, it is also their ends.
    for (uint32_t n = plane == kept && plane == 0 ? 1 : 3; n-- > 0;)
        merge(from + n * plane, mask, to + n * kept, to + n * kLanes);
    if (held_by(from) != held_by(to)) set_holds(to, plane == kept ? Holds::Words : Holds::Ends);
}

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
        uint32_t* to = block + s->to;
        if (code.bounds)
            merge_column(out, mask, to);
        else
            merge(out, mask, to, to);
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

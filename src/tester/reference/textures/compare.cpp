#include "reference/textures/compare.h"

#include <cmath>

#include "reference/numbers/parts.h"

namespace tgsi2spv::reference {

Value compared(const SampledLayer& sampled, const Value& depth) {
    const Compare op = sampled.sampler->compare;
    if (op == Compare::Never) return exact(0.0f);
    if (op == Compare::Always) return exact(1.0f);
    Real r, d;
    if (!real_of(sampled.reference, r) || !real_of(depth, d)) return unknown();
    const bool nominal = [&] {
        switch (op) {
            case Compare::Less:
                return r.nominal < d.nominal;
            case Compare::Equal:
                return r.nominal == d.nominal;
            case Compare::LEqual:
                return r.nominal <= d.nominal;
            case Compare::Greater:
                return r.nominal > d.nominal;
            case Compare::NotEqual:
                return r.nominal != d.nominal;
            default:
                return r.nominal >= d.nominal;
        }
    }();
    if (sampled.nominal_only) return exact(nominal ? 1.0f : 0.0f);
    flush(r);
    flush(d);
    const bool same = r.lo == r.hi && d.lo == d.hi && r.lo == d.lo;
    if (sampled.image->depth_unorm() && !same) {
        const double half = 0.5 / (std::ldexp(1.0, sampled.image->format().bits[0]) - 1);
        d.lo -= half;
        d.hi += half;
    }
    bool may_be_true = false, may_be_false = false;
    const bool apart = r.hi < d.lo || r.lo > d.hi;
    switch (op) {
        case Compare::Less:
            may_be_true = r.lo < d.hi, may_be_false = r.hi >= d.lo;
            break;
        case Compare::LEqual:
            may_be_true = r.lo <= d.hi, may_be_false = r.hi > d.lo;
            break;
        case Compare::Greater:
            may_be_true = r.hi > d.lo, may_be_false = r.lo <= d.hi;
            break;
        case Compare::GEqual:
            may_be_true = r.hi >= d.lo, may_be_false = r.lo < d.hi;
            break;
        case Compare::Equal:
            may_be_true = !apart, may_be_false = !same;
            break;
        default:
            may_be_true = !same, may_be_false = !apart;
            break;
    }
    if (may_be_true != may_be_false) return exact(may_be_true ? 1.0f : 0.0f);
    Hull h;
    h.add_word(0);
    h.add_word(kOne);
    return h.finish(nominal ? kOne : 0u);
}

}  // namespace tgsi2spv::reference

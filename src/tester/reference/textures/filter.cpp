#include "reference/textures/filter.h"

#include <algorithm>
#include <cmath>

#include "reference/numbers/parts.h"
#include "reference/textures/answers.h"
#include "reference/textures/compare.h"
#include "reference/textures/cube.h"

namespace tgsi2spv::reference {
namespace {

constexpr int kMaxTexels = 256;  ///< candidates of one lookup; beyond that, the result is not known
/// The error of filtering, relative to the largest texel (Vulkan, "Texel Filtering" gives the sum and no bound): three
/// weights less 1, their product, its product with the texel, the sum of eight; and the same for two levels.
constexpr double kArithmetic = 16 * kOperation;

/// The texel that index i addresses after wrapping.
Texel texel_at(const SampledLayer& sampled, int level, const int64_t (&i)[3]) {
    Texel t;
    if (sampled.cube) {
        t = cube_texel(*sampled.image, level, sampled.layer, sampled.face, i[0], i[1]);
    } else {
        int64_t w[3] = {0, 0, 0};
        bool outside = false;
        for (int axis = 0; axis < sampled.dims; ++axis) {
            if (!wrap_exists(*sampled.sampler, axis)) return all_unknown();
            w[axis] = wrap_index(sampled.sampler->wrap[axis], i[axis], sampled.image->size(axis, level));
            outside |= w[axis] < 0;
        }
        if (outside && sampled.border_is_undefined) {
            const Texel border = sampled.image->border(*sampled.sampler);
            t = {unknown(border[0].value), unknown(border[1].value), unknown(border[2].value),
                 unknown(border[3].value)};
            // A comparison uses the texel, so no operator makes its result known.
            if (sampled.compare) t[3] = exact(1.0f);
            return t;
        }
        t = outside ? sampled.image->border(*sampled.sampler)
                    : sampled.image->texel(level, sampled.layer, w[0], w[1], w[2]);
    }
    if (!sampled.compare) return t;
    const Value c = compared(sampled, t[0]);
    return {c, c, c, exact(1.0f)};
}

/// GL_EXT_texture_mirror_clamp: max(1/(2N), abs(f)).
Real mirrored(const Real& c, double half_a_texel) {
    const bool crosses = c.lo <= 0 && c.hi >= 0;
    const double lo = std::abs(c.lo), hi = std::abs(c.hi);
    return {std::max(crosses ? 0 : std::min(lo, hi), half_a_texel), std::max({lo, hi, half_a_texel}),
            std::max(std::abs(c.nominal), half_a_texel)};
}

/// Where the position lies along an axis of a level, in texels; false if it is so far out that this is not known.
bool texel_coordinate(const SampledLayer& sampled, int axis, int level, const TexturePosition& position, Real& x) {
    const auto texels = static_cast<double>(sampled.image->size(axis, level));
    const double size = sampled.in_texels ? 1 : texels;
    Real c = position.coord[axis];
    const Real& o = position.offset[axis];
    const Wrap wrap = sampled.sampler->wrap[axis];
    if (wrap == Wrap::MirrorClamp || wrap == Wrap::MirrorClampToBorder) c = mirrored(c, 0.5 / size);
    // OpenGL 2.1, 3.8.7: "CLAMP clamps texture coordinates to range [0,1]"
    if (wrap == Wrap::Clamp || wrap == Wrap::MirrorClamp)
        for (double* end : {&c.lo, &c.hi, &c.nominal}) *end = std::clamp(*end, 0.0, sampled.in_texels ? texels : 1.0);
    x = {c.lo * size + o.lo, c.hi * size + o.hi, c.nominal * size + o.nominal};
    if (sampled.nominal_only) {
        x.lo = x.hi = x.nominal;
    } else {
        // A step of the device's fixed-point coordinates (Vulkan, limits, subTexelPrecisionBits), and the rounding in
        // the computation of the coordinates: the coordinate times the size, plus an offset, less a half ("Texel
        // Coordinate Systems").
        auto error = [&](double coord, double offset) {
            return std::ldexp(1.0, -static_cast<int>(sampled.sub_texel_bits)) +
                   (std::abs(coord) * size + std::abs(offset) + 1) * 3 * kOperation;
        };
        x.lo -= std::max(error(c.lo, o.lo), error(c.lo, o.hi));
        x.hi += std::max(error(c.hi, o.lo), error(c.hi, o.hi));
    }
    // Vulkan gives integer texel coordinates no width ("(u,v,w,a) to (i,j,k,l,n) Transformation"); beyond 32 bits a
    // device's conversion may do anything. By itself, a repeated texture has no distinct texel there; other modes have
    // one.
    constexpr double kFar = 0x1p31;
    const bool far = x.lo < -kFar || x.hi >= kFar;
    if (far && (!sampled.nominal_only || sampled.cube || wrap == Wrap::Repeat || wrap == Wrap::MirrorRepeat))
        return false;
    for (double* end : {&x.lo, &x.hi, &x.nominal}) *end = std::clamp(*end, -kFar, kFar);
    return true;
}

struct Box {
    int64_t first[3] = {0, 0, 0}, last[3] = {0, 0, 0}, nominal[3] = {0, 0, 0};
    int64_t count() const {
        int64_t n = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t span = last[axis] - first[axis] + 1;
            if (span > kMaxTexels) return kMaxTexels + 1;
            n *= span;
        }
        return n;
    }
};

/// The texels repeat beyond one period of an axis, or beyond an edge.
void shorten(const SampledLayer& sampled, int level, Box& box) {
    for (int axis = 0; axis < sampled.dims; ++axis) {
        const int64_t n = sampled.image->size(axis, level);
        const Wrap wrap = sampled.sampler->wrap[axis];
        if (!sampled.cube && (wrap == Wrap::Repeat || wrap == Wrap::MirrorRepeat)) {
            if (box.last[axis] - box.first[axis] < 2 * n) continue;
            box.first[axis] = 0;
            box.last[axis] = 2 * n - 1;
            continue;
        }
        const int64_t before =
            sampled.cube ? -1 : -n - 1;  // gathers reach one texel beyond a face; mirrors go one size back
        box.first[axis] = std::clamp(box.first[axis], before, n);
        box.last[axis] = std::clamp(box.last[axis], before, n);
    }
}

/// Adds all texels of a box; the nominal one first.
void add_box(const SampledLayer& sampled, int level, const Box& box, Answers& answers) {
    answers.add(texel_at(sampled, level, box.nominal));
    if (sampled.nominal_only) return;
    if (box.count() > kMaxTexels) {
        answers.add_unknown();
        return;
    }
    int64_t i[3];
    for (i[2] = box.first[2]; i[2] <= box.last[2]; ++i[2])
        for (i[1] = box.first[1]; i[1] <= box.last[1]; ++i[1])
            for (i[0] = box.first[0]; i[0] <= box.last[0]; ++i[0]) answers.add(texel_at(sampled, level, i));
}

/// A real number, widened by `slack` to both sides; any other value unchanged.
Value widened(const Value& v, double slack) {
    Real r;
    if (slack == 0 || !real_of(v, r)) return v;
    Hull h;
    h.add(v);
    RangesOf<FloatRange> parts;
    parts_of(v, parts);
    for (const FloatRange& p : parts) h.add_real(static_cast<double>(p.lo) - slack, static_cast<double>(p.hi) + slack);
    return h.finish(v.value);
}

/// A texel after a blend with weights 1 and 0: a number stays ("Floating-Point Computation" demands exact 0·x, 1·x and
/// x + 0), but -0 + 0·x may be +0.
Value with_weight_1(const Value& v) {
    if (is_unknown(v) || !permits(v, kSign) || permits(v, 0)) return v;
    Hull h;
    h.add(v);
    h.add_word(0);
    return h.finish(v.value);
}

/// One channel of a filtered colour, with the error that its arithmetic may add.
struct Mix {
    double lo = 0, hi = 0, nominal = 0, largest = 0;
    double spread = 0;  ///< sum of the larger half of a level's texels, less that of the smaller half
    bool free = false;
};
using Mixes = std::array<Mix, 4>;

Mix mix_of(const Value& v) {
    Real r;
    if (!real_of(v, r)) return {.nominal = as_number(v.value), .free = true};
    return {.lo = r.lo, .hi = r.hi, .nominal = r.nominal, .largest = std::max(std::abs(r.lo), std::abs(r.hi))};
}

void accumulate(Mix& m, const Mix& t, double weight) {
    m.lo += t.lo * weight;
    m.hi += t.hi * weight;
    m.nominal += t.nominal * weight;
    m.largest = std::max(m.largest, t.largest);
    m.spread += t.spread;
    m.free |= t.free;
}

/// Channel values of the texels that a filter has weighted, to find the effect of other weights.
struct Weighted {
    double lo[8], hi[8];
    int count = 0;
    void add(const Mix& m) {
        lo[count] = m.lo;
        hi[count++] = m.hi;
    }
    double spread() {
        std::sort(lo, lo + count);
        std::sort(hi, hi + count);
        double s = 0;
        for (int i = 0; i < count / 2; ++i) s += hi[count - 1 - i] - lo[i];
        return s;
    }
};

/// The error that rounding may add to a channel. The axis that a device splits first has the weights that the
/// coordinate gives it; each other axis, and the choice between two levels, rounds the share of a texel by half a step
/// more. The shares of a level still add up to that of the level, so the gain of a texel is the loss of others.
double rounding_of(const SampledLayer& sampled, const Mix& m, int splits) {
    if (!sampled.rounding_filters) return 0;
    constexpr double kHalf = 3 * 0x1p-11;  // two filters and their blend, half a step of a 16-bit float each
    return m.spread * 0.5 * (splits - 1) * std::ldexp(1.0, -static_cast<int>(sampled.sub_texel_bits)) +
           (sampled.image->of_halves() ? m.largest * kHalf : 0);
}

/// The error of a filter for an sRGB colour: decoded texels have eight bits and meet at the exponent of the largest,
/// where bits below its last one are cut off. NVIDIA's exponents grow at 15/16 of a power of two.
double alignment_of(const SampledLayer& sampled, const Mix& m, int c, int splits) {
    const bool alike = m.spread == 0 && splits <= sampled.dims;
    return sampled.rounding_filters && !alike && sampled.image->is_srgb(c) ? m.largest * 0x1p-7 * 16 / 15 : 0;
}

/// The filtered colour at a point in texel space, with exact weights.
Mixes filter_at(const SampledLayer& sampled, int level, const double (&x)[3]) {
    Mixes out{};
    Weighted weighted[4];
    bool all[2] = {true, true};  // comparisons: every texel passes, every texel fails
    int64_t base[3] = {0, 0, 0};
    double fraction[3] = {0, 0, 0};
    for (int axis = 0; axis < sampled.dims; ++axis) {
        base[axis] = static_cast<int64_t>(std::floor(x[axis]));
        fraction[axis] = x[axis] - std::floor(x[axis]);
    }
    for (int corner = 0; corner < 1 << sampled.dims; ++corner) {
        double weight = 1;
        int64_t i[3] = {0, 0, 0};
        for (int axis = 0; axis < sampled.dims; ++axis) {
            const bool upper = corner >> axis & 1;
            weight *= upper ? fraction[axis] : 1 - fraction[axis];
            i[axis] = base[axis] + (upper ? 1 : 0);
        }
        if (weight == 0) continue;
        const Texel t = texel_at(sampled, level, i);
        for (int c = 0; c < 4; ++c) {
            const Mix m = mix_of(t[c]);
            accumulate(out[c], m, weight);
            weighted[c].add(m);
        }
        if (sampled.compare) {
            const Mix m = mix_of(t[0]);
            all[0] &= m.lo == 1;
            all[1] &= m.hi == 0;
        }
    }
    if (sampled.rounding_filters)
        for (int c = 0; c < 4; ++c) out[c].spread = weighted[c].spread();
    // The device chooses how passes are weighted (Vulkan, "Depth Compare Operation": in [0,1]).
    if (sampled.compare && !all[0] && !all[1])
        for (int c = 0; c < 3; ++c) out[c].lo = 0, out[c].hi = 1;
    return out;
}

void join_into(Mix& a, const Mix& b) {
    a.lo = std::min(a.lo, b.lo);
    a.hi = std::max(a.hi, b.hi);
    a.largest = std::max(a.largest, b.largest);
    a.spread = std::max(a.spread, b.spread);
    a.free |= b.free;
}

/// The ends of [lo, hi] and the whole numbers between them: between neighbours a filter is multilinear, so its
/// extremes are at these points. False if there are too many.
struct Breaks {
    double at[8];
    int count = 0;
};
bool breaks_of(double lo, double hi, Breaks& breaks) {
    breaks.count = 0;
    breaks.at[breaks.count++] = lo;
    for (double k = std::floor(lo) + 1; k < hi; ++k) {
        if (breaks.count == 7) return false;
        breaks.at[breaks.count++] = k;
    }
    if (hi > lo) breaks.at[breaks.count++] = hi;
    return true;
}

/// `splits`: the axes, and one more if two levels blend.
Texel texel_of(const SampledLayer& sampled, const Mixes& mixes, int splits) {
    Texel t;
    for (int c = 0; c < 4; ++c) {
        const Mix& m = mixes[c];
        const uint32_t nominal = as_word(static_cast<float>(m.nominal));
        if (sampled.nominal_only) {
            t[c] = exact(nominal);
        } else if (sampled.compare && c == 3) {
            t[c] = exact(1.0f);
        } else if (m.free) {
            t[c] = unknown(nominal);
        } else {
            double slack = m.largest * kArithmetic + sampled.image->filter_slack() + rounding_of(sampled, m, splits);
            slack += flushed_of(8, m.largest);
            Hull h;
            if (sampled.compare && c < 3) {  // stays in [0,1]; if all fail, it is a sum of zeros
                if (m.hi == 0) slack = 0;
                h.add_real(std::max(0.0, m.lo - slack), std::min(1.0, m.hi));
            } else if (m.largest == 0) {
                h.add_real(0, 0);
            } else {
                h.add_real(m.lo - slack - alignment_of(sampled, m, c, splits), m.hi + slack);
            }
            t[c] = h.finish(nominal);
        }
    }
    return t;
}

Mixes linear_mix(const SampledLayer& sampled, int level, const TexturePosition& position) {
    Mixes out{};
    auto give_up = [&] {
        for (Mix& m : out) m.free = true;
        return out;
    };
    if (sampled.image->integer()) return give_up();
    Breaks breaks[3];
    double nominal[3] = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        breaks[axis].count = 1;
        breaks[axis].at[0] = 0;
        if (axis >= sampled.dims) continue;
        Real x;
        if (!texel_coordinate(sampled, axis, level, position, x)) return give_up();
        nominal[axis] = x.nominal - 0.5;
        if (!breaks_of(x.lo - 0.5, x.hi - 0.5, breaks[axis])) breaks[axis].count = 0;
    }
    out = filter_at(sampled, level, nominal);
    if (sampled.nominal_only) return out;
    if (breaks[0].count * breaks[1].count * breaks[2].count == 0) return give_up();
    for (int k = 0; k < breaks[2].count; ++k)
        for (int j = 0; j < breaks[1].count; ++j)
            for (int i = 0; i < breaks[0].count; ++i) {
                const Mixes m = filter_at(sampled, level, {breaks[0].at[i], breaks[1].at[j], breaks[2].at[k]});
                for (int c = 0; c < 4; ++c) join_into(out[c], m[c]);
            }
    return out;
}

/// Samples one level. The texel of a nearest filter may still go through arithmetic: if the other filter is linear, a
/// device may run both through it, with weights 0 and 1; if levels blend, it may blend one level with itself.
Texel sample_level(const SampledLayer& sampled, Filter filter, int level, const TexturePosition& position) {
    if (filter == Filter::Linear) return sample_linear(sampled, level, position);
    Texel t = sample_nearest(sampled, level, position);
    const bool weighted = sampled.sampler->min_filter != sampled.sampler->mag_filter;
    const bool blended = sampled.sampler->mip_filter == MipFilter::Linear;
    if (sampled.nominal_only || sampled.compare || sampled.image->integer() || (!weighted && !blended)) return t;
    Mixes mixes{};
    if (weighted) mixes = linear_mix(sampled, level, position);
    for (int c = 0; c < 4; ++c) {
        if (blended && mix_of(t[c]).free) make_unknown(t[c]);
        t[c] = with_weight_1(t[c]);
        if (mixes[c].free) continue;
        double slack = blended ? sampled.image->filter_slack() : 0;
        if (weighted) slack += mixes[c].largest * kArithmetic + sampled.image->filter_slack();
        t[c] = widened(t[c], slack);
    }
    return t;
}

/// Blends between two levels, for every level number in [lo, hi].
Texel blend_levels(const SampledLayer& sampled, Filter filter, const TexturePosition& position, double lo, double hi,
                   double nominal) {
    if (sampled.image->integer() || !(lo <= hi)) return all_unknown();
    const int first = static_cast<int>(std::floor(lo)), last = static_cast<int>(std::ceil(hi));
    // The weight of a second level may be 0, which does not make a product with NaN or infinity known.
    const int second = std::min(last + 1, sampled.image->levels() - 1);
    const bool zero_weight = !sampled.nominal_only && hi == last;
    std::array<bool, 4> lost{};
    if (zero_weight && second > last) {
        const Texel t = sample_level(sampled, filter, second, position);
        for (int c = 0; c < 4; ++c) lost[c] = mix_of(t[c]).free;
    }
    const auto with_second = [&](Texel t) {
        for (int c = 0; c < 4; ++c)
            if (lost[c]) make_unknown(t[c]);
        return t;
    };
    if (first == last) return with_second(sample_level(sampled, filter, first, position));
    std::array<Mixes, 32> levels{};
    for (int l = first; l <= last; ++l) {
        if (filter == Filter::Linear) {
            levels[static_cast<size_t>(l)] = linear_mix(sampled, l, position);
            continue;
        }
        const Texel t = sample_level(sampled, filter, l, position);
        for (int c = 0; c < 4; ++c) levels[static_cast<size_t>(l)][c] = mix_of(t[c]);
    }
    auto at = [&](double d) {
        const double whole = std::floor(d);
        Mixes out{};
        for (int c = 0; c < 4; ++c) {
            accumulate(out[c], levels[static_cast<size_t>(whole)][c], 1 - (d - whole));
            if (d > whole) accumulate(out[c], levels[static_cast<size_t>(whole) + 1][c], d - whole);
        }
        return out;
    };
    Mixes out = at(nominal);
    const int splits = filter == Filter::Linear ? sampled.dims + 1 : 1;
    if (sampled.nominal_only) return texel_of(sampled, out, splits);
    for (double d = lo;; d = std::min(hi, std::floor(d) + 1)) {
        const Mixes m = at(d);
        for (int c = 0; c < 4; ++c) join_into(out[c], m[c]);
        if (d >= hi) break;
    }
    return with_second(texel_of(sampled, out, splits));
}

/// Adds the results of one of the two filters, for the levels in [lo, hi].
void add_filter(const SampledLayer& sampled, Filter filter, const TexturePosition& position, Real lod,
                Answers& answers) {
    const int levels = sampled.image->levels();
    const double lo = clamp_level(lod.lo, levels), hi = clamp_level(lod.hi, levels),
                 nominal = clamp_level(lod.nominal, levels);
    switch (sampled.sampler->mip_filter) {
        case MipFilter::None:
            answers.add(sample_level(sampled, filter, 0, position));
            return;
        case MipFilter::Nearest: {
            const int nearest = nearest_level(nominal, false);
            answers.add(sample_level(sampled, filter, nearest, position));
            if (sampled.nominal_only) return;
            for (int l = nearest_level(lo, false); l <= nearest_level(hi, true); ++l)
                if (l != nearest) answers.add(sample_level(sampled, filter, l, position));
            return;
        }
        case MipFilter::Linear:
            answers.add(blend_levels(sampled, filter, position, sampled.nominal_only ? nominal : lo,
                                     sampled.nominal_only ? nominal : hi, nominal));
            return;
    }
}

Box footprint(const Real (&x)[3], int dims) {
    Box box;
    for (int axis = 0; axis < dims; ++axis) {
        box.first[axis] = static_cast<int64_t>(std::floor(x[axis].lo));
        box.last[axis] = static_cast<int64_t>(std::floor(x[axis].hi));
        box.nominal[axis] = static_cast<int64_t>(std::floor(x[axis].nominal));
    }
    return box;
}

/// The box of texels that (i0, j0) of a gather may be.
bool gather_box(const SampledLayer& sampled, const TexturePosition& position, Box& box) {
    Real x[3];
    for (int axis = 0; axis < sampled.dims; ++axis) {
        if (!texel_coordinate(sampled, axis, 0, position, x[axis])) return false;
        x[axis].lo -= 0.5, x[axis].hi -= 0.5, x[axis].nominal -= 0.5;
    }
    box = footprint(x, sampled.dims);
    return true;
}

Value gathered(const SampledLayer& sampled, Box box, int dx, int dy, int c) {
    const int64_t d[2] = {dx, dy};
    for (int axis = 0; axis < 2; ++axis)
        box.first[axis] += d[axis], box.last[axis] += d[axis], box.nominal[axis] += d[axis];
    shorten(sampled, 0, box);
    Answers answers;
    add_box(sampled, 0, box, answers);
    const Value v = answers.finish()[c];
    return sampled.nominal_only || sampled.compare ? v : widened(v, sampled.image->gather_slack());
}

}  // namespace

Texel sample_nearest(const SampledLayer& sampled, int level, const TexturePosition& position) {
    Real x[3];
    for (int axis = 0; axis < sampled.dims; ++axis)
        if (!texel_coordinate(sampled, axis, level, position, x[axis])) return all_unknown();
    Box box = footprint(x, sampled.dims);
    if (sampled.cube)  // the face is chosen; coordinates are clamped to its edge (Vulkan, "Cube Map Edge Handling")
        for (int axis = 0; axis < 2; ++axis) {
            const int64_t last = sampled.image->size(axis, level) - 1;
            for (int64_t* i : {&box.first[axis], &box.last[axis], &box.nominal[axis]})
                *i = std::clamp<int64_t>(*i, 0, last);
        }
    shorten(sampled, level, box);
    Answers answers;
    add_box(sampled, level, box, answers);
    return answers.finish();
}

Texel sample_linear(const SampledLayer& sampled, int level, const TexturePosition& position) {
    return texel_of(sampled, linear_mix(sampled, level, position), sampled.dims);
}

Texel sample_filtered(const SampledLayer& sampled, const TexturePosition& position, const Lod& lod) {
    const SamplerState& s = *sampled.sampler;
    const bool one_level = sampled.image->levels() == 1 || s.mip_filter == MipFilter::None;
    Answers answers;
    if (one_level && s.min_filter == s.mag_filter) {
        answers.add(sample_level(sampled, s.min_filter, 0, position));
        return answers.finish();
    }
    if (!lod.known) return all_unknown();
    // lambda <= 0 magnifies. Without levels, the limits of the level may or may not affect this choice.
    Real l = lod.limited;
    if (s.mip_filter == MipFilter::None) {
        l.lo = std::min(l.lo, lod.computed.lo);
        l.hi = std::max(l.hi, lod.computed.hi);
    }
    const Filter nominal = l.nominal <= 0 ? s.mag_filter : s.min_filter;
    if (sampled.nominal_only || s.min_filter == s.mag_filter) {
        add_filter(sampled, nominal, position, l, answers);
        return answers.finish();
    }
    const Real below{l.lo, std::min(l.hi, 0.0), std::min(l.nominal, 0.0)};
    const Real above{std::max(l.lo, 0.0), l.hi, std::max(l.nominal, 0.0)};
    if (l.nominal <= 0) add_filter(sampled, s.mag_filter, position, below, answers);
    if (l.hi > 0) add_filter(sampled, s.min_filter, position, above, answers);
    if (l.nominal > 0 && l.lo <= 0) add_filter(sampled, s.mag_filter, position, below, answers);
    return answers.finish();
}

Texel gather(const SampledLayer& sampled, const TexturePosition& position, int c) {
    Box box;
    if (!gather_box(sampled, position, box)) return all_unknown();
    return {gathered(sampled, box, 0, 1, c), gathered(sampled, box, 1, 1, c), gathered(sampled, box, 1, 0, c),
            gathered(sampled, box, 0, 0, c)};
}

Value gather_one(const SampledLayer& sampled, const TexturePosition& position, int c) {
    Box box;
    return gather_box(sampled, position, box) ? gathered(sampled, box, 0, 0, c) : unknown();
}

}  // namespace tgsi2spv::reference

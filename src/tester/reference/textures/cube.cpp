#include "reference/textures/cube.h"

#include <algorithm>
#include <cmath>

namespace tgsi2spv::reference {
namespace {

// Vulkan, "Cube map face and coordinate selection".
constexpr Face kFaces[6] = {
    {2, -1, 1, -1, 0, 1}, {2, 1, 1, -1, 0, -1}, {0, 1, 2, 1, 1, 1},
    {0, 1, 2, -1, 1, -1}, {0, 1, 1, -1, 2, 1},  {0, -1, 1, -1, 2, -1},
};

struct Texel2 {
    int face;
    int64_t x, y;
};

/// The texel across the edge beyond which (x, y) lies; (x, y) is outside in one axis only. Positions are odd numbers
/// from -(n-1) to n-1 along a face, and n on an edge.
Texel2 neighbour(int face, int64_t x, int64_t y, int64_t n) {
    const Face& f = kFaces[face];
    auto position = [n](int64_t i) { return i < 0 ? -n : i >= n ? n : 2 * i + 1 - n; };
    int64_t r[3];
    r[f.axis_m] = f.sign_m * n;
    r[f.axis_s] = f.sign_s * position(x);
    r[f.axis_t] = f.sign_t * position(y);
    const int axis = x < 0 || x >= n ? f.axis_s : f.axis_t;
    const int other = 2 * axis + (r[axis] < 0 ? 1 : 0);
    const Face& g = kFaces[other];
    auto index = [n](int64_t p) { return std::clamp<int64_t>((p + n) / 2, 0, n - 1); };
    return {other, index(g.sign_s * r[g.axis_s]), index(g.sign_t * r[g.axis_t])};
}

Real divide(const Real& a, const Real& b) {  // b is positive
    const double q[4] = {a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
    return {*std::min_element(q, q + 4), *std::max_element(q, q + 4), a.nominal / b.nominal};
}

Real scale(const Real& a, int sign) {
    return sign > 0 ? a : Real{-a.hi, -a.lo, -a.nominal};
}

double least_magnitude(const Real& a) {
    return a.lo <= 0 && a.hi >= 0 ? 0 : std::min(std::abs(a.lo), std::abs(a.hi));
}
double greatest_magnitude(const Real& a) {
    return std::max(std::abs(a.lo), std::abs(a.hi));
}

FaceHit hit(const Real (&r)[3], int face) {
    const Face& f = kFaces[face];
    const Real major = scale(r[f.axis_m], f.sign_m);
    auto coordinate = [&](int axis, int sign) {
        Real c = divide(scale(r[axis], sign), major);
        // A tie that goes to this face stays on it.
        return Real{std::clamp(c.lo, -1.0, 1.0) * 0.5 + 0.5, std::clamp(c.hi, -1.0, 1.0) * 0.5 + 0.5,
                    std::clamp(c.nominal, -1.0, 1.0) * 0.5 + 0.5};
    };
    return {face, coordinate(f.axis_s, f.sign_s), coordinate(f.axis_t, f.sign_t)};
}

/// Vulkan, "Precision and Operation of SPIR-V Instructions": x/y is precise for |y| in [2^-126, 2^126]. Beyond it, the
/// reciprocal is a denormal, which may be flushed; only the face is certain.
constexpr double kMaxDivisor = 0x1p126;

void make_uncertain(FaceHit& hit) {
    for (Real* r : {&hit.s, &hit.t}) {
        r->lo = 0;
        r->hi = 1;
    }
}

}  // namespace

const Face& face_of(int face) {
    return kFaces[face];
}

FaceHits face_hits(const Real (&r)[3], bool nominal_only) {
    FaceHits hits;
    // Nominally z wins over y, y over x.
    int axis = 2;
    if (std::abs(r[1].nominal) > std::abs(r[axis].nominal)) axis = 1;
    if (std::abs(r[0].nominal) > std::abs(r[axis].nominal)) axis = 0;
    const double major = r[axis].nominal;
    if (!(std::abs(major) > 0) || std::isinf(major)) return hits;
    const int nominal = 2 * axis + (major < 0 ? 1 : 0);
    if (nominal_only) {
        Real point[3];
        for (int c = 0; c < 3; ++c) point[c] = {r[c].nominal, r[c].nominal, r[c].nominal};
        hits.hit[hits.count++] = hit(point, nominal);
        return hits;
    }
    double bar = 0;
    for (const Real& c : r) bar = std::max(bar, least_magnitude(c));
    if (bar < 0x1p-126) return hits;  // if denormals are flushed, there is nothing left to divide by
    for (int i = 0; i < 6; ++i) {
        const int face = (nominal + i) % 6;
        const Face& f = kFaces[face];
        const Real m = scale(r[f.axis_m], f.sign_m);
        if (m.hi <= 0 || greatest_magnitude(m) < bar * (1 - 0x1p-20)) continue;
        if (m.lo <= 0) {  // so uncertain that it may vanish
            hits.count = 0;
            return hits;
        }
        hits.hit[hits.count++] = hit(r, face);
        if (m.hi > kMaxDivisor) make_uncertain(hits.hit[hits.count - 1]);
    }
    return hits;
}

Texel cube_texel(const Image& image, int level, int first_layer, int face, int64_t x, int64_t y) {
    const int64_t n = image.size(0, level);
    const bool out_x = x < 0 || x >= n, out_y = y < 0 || y >= n;
    if (!out_x && !out_y) return image.texel(level, first_layer + face, x, y, 0);
    const int64_t in_x = std::clamp<int64_t>(x, 0, n - 1), in_y = std::clamp<int64_t>(y, 0, n - 1);
    auto beyond = [&](int64_t bx, int64_t by) {
        const Texel2 o = neighbour(face, bx, by, n);
        return image.texel(level, first_layer + o.face, o.x, o.y, 0);
    };
    if (!out_x || !out_y) return beyond(out_x ? x : in_x, out_y ? y : in_y);
    const Texel around[3] = {image.texel(level, first_layer + face, in_x, in_y, 0), beyond(x, in_y), beyond(in_x, y)};
    Texel t;
    for (int c = 0; c < 4; ++c) {
        double lo = INFINITY, hi = -INFINITY, sum = 0;
        bool same = true, free = image.integer();
        for (const Texel& a : around) {
            FloatRange range;
            free |= !float_range(a[c], range) || range.nan || range.empty || range.contains_infinity();
            same &= is_exact(a[c]) && a[c].words[0] == around[0][c].words[0];
            lo = std::min<double>(lo, range.lo);
            hi = std::max<double>(hi, range.hi);
            sum += as_number(a[c].value);
        }
        if (same && (free || (lo == 0 && hi == 0))) {  // nothing to round
            t[c] = around[0][c];
            continue;
        }
        Hull h;
        const double largest = std::max(std::abs(lo), std::abs(hi));
        const double slack = largest * 0x1p-20 + flushed_of(4, largest);
        if (free)
            h.add_unknown();
        else
            h.add_real(lo - slack, hi + slack);
        t[c] = h.finish(same ? around[0][c].value : as_word(static_cast<float>(sum / 3)));
    }
    return t;
}

}  // namespace tgsi2spv::reference

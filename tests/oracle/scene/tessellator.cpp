#include "scene/tessellator.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tgsi2spv::scene {

namespace {

using PrimitivePoint = std::array<double, 3>;
using Chain = std::vector<uint32_t>;  ///< places, one after another

/// A level of 1 next to other levels: "as though it were originally specified as 1 + ε".
constexpr float kLittleAboveOne = 1 + 0x1p-10f;

/// Finds places by their coordinates: a place that two edges or rings share is one place.
struct Builder {
    const Domain& domain;
    const Freedom& freedom;
    Tessellated out{};
    std::map<std::array<int64_t, 3>, uint32_t> known{};

    uint32_t place(const PrimitivePoint& p) {
        std::array<int64_t, 3> key{};
        for (size_t c = 0; c < 3; c++) key[c] = std::llround(p[c] * 0x1p40);
        const auto [found, is_new] = known.emplace(key, static_cast<uint32_t>(out.places.size()));
        if (is_new)
            out.places.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
        return found->second;
    }

    std::vector<double> points(float level) const { return divided(level, domain.spacing, freedom); }

    /// Adds a triangle: all have the same winding, and none has zero area.
    void triangle(uint32_t a, uint32_t b, uint32_t c) {
        if (a == b || b == c || c == a) return;
        const auto &p = out.places[a], &q = out.places[b], &r = out.places[c];
        const double area = double{q[0] - p[0]} * double{r[1] - p[1]} - double{r[0] - p[0]} * double{q[1] - p[1]};
        if (area == 0) return;
        if ((area < 0) != domain.clockwise) std::swap(b, c);
        out.primitives.push_back({a, b, c});
    }

    /// Fills the space between two chains that go the same way: triangles with a side on either chain, one after
    /// another.
    void fill(const Chain& outer, const Chain& inner) {
        size_t i = 0, j = 0;
        while (i + 1 < outer.size() || j + 1 < inner.size()) {
            const double of_outer = (static_cast<double>(i) + 0.5) / static_cast<double>(outer.size() - 1);
            const double of_inner =
                inner.size() < 2 ? 2 : (static_cast<double>(j) + 0.5) / static_cast<double>(inner.size() - 1);
            const bool outer_next =
                j + 1 >= inner.size() ||
                (i + 1 < outer.size() && (freedom.inner_first ? of_outer < of_inner : of_outer <= of_inner));
            if (outer_next) {
                triangle(outer[i], outer[i + 1], inner[j]);
                i++;
            } else {
                triangle(outer[i], inner[j + 1], inner[j]);
                j++;
            }
        }
    }

    void isolines(const Levels& levels) {
        // "the number of isolines […] equal_spacing"; the line at v = 1 is not drawn.
        const auto rows = divided(levels.outer[0], Spacing::Equal, freedom);
        const auto columns = points(levels.outer[1]);
        for (size_t row = 0; row + 1 < rows.size(); row++)
            for (size_t i = 0; i + 1 < columns.size(); i++)
                out.primitives.push_back({place({columns[i], rows[row], 0}), place({columns[i + 1], rows[row], 0})});
    }

    /// "Triangle Tessellation": `n` rings by the inner level; the outermost ring has the edges of the outer levels.
    void triangles(const Levels& levels) {
        std::array<std::vector<double>, 3> edges;
        for (size_t e = 0; e < 3; e++) edges[e] = points(levels.outer[e]);
        auto rings = points(levels.inner[0]);
        if (rings.size() == 2) {
            if (edges[0].size() + edges[1].size() + edges[2].size() == 6) {
                triangle(place({1, 0, 0}), place({0, 1, 0}), place({0, 0, 1}));
                return;
            }
            rings = points(kLittleAboveOne);
        }
        // Edge e is where coordinate e is 0; it goes from corner e + 1 to corner e + 2.
        const auto on_edge = [&](size_t e, double t, double away) {
            PrimitivePoint p{};
            p[e] = away;
            p[(e + 1) % 3] = 1 - t - away / 2;
            p[(e + 2) % 3] = t - away / 2;
            return place(p);
        };
        // A corner of a ring is where the perpendiculars of two edges meet: 2/3 of the way along the edge away from
        // both.
        const auto ring = [&](size_t r, size_t e) {
            Chain chain;
            for (size_t i = r; i < rings.size() - r; i++) chain.push_back(on_edge(e, rings[i], rings[r] * 2 / 3));
            return chain;
        };
        for (size_t r = 0; 2 * r + 1 < rings.size(); r++) {
            // The innermost ring is a point (for an even number) or a triangle.
            const bool whole = 2 * r + 2 == rings.size();
            if (whole) {
                const Chain a = ring(r, 0), b = ring(r, 1);
                triangle(a[0], a[1], b[1]);
                break;
            }
            for (size_t e = 0; e < 3; e++) {
                Chain outer;
                if (r == 0)
                    for (const double t : edges[e]) outer.push_back(on_edge(e, t, 0));
                else
                    outer = ring(r, e);
                fill(outer, ring(r + 1, e));
            }
        }
    }

    /// "Quad Tessellation": a grid of the inner levels, without its outermost rows and columns; the edges are around
    /// it.
    void quads(const Levels& levels) {
        std::array<std::vector<double>, 4> edges;
        size_t sum = 0;
        for (size_t e = 0; e < 4; e++) sum += (edges[e] = points(levels.outer[e])).size();
        auto u = points(levels.inner[0]), v = points(levels.inner[1]);
        if (sum + u.size() + v.size() == 12) {
            const uint32_t a = place({0, 0, 0}), b = place({1, 0, 0}), c = place({1, 1, 0}), d = place({0, 1, 0});
            triangle(a, b, freedom.inner_first ? d : c);
            triangle(freedom.inner_first ? b : a, c, d);
            return;
        }
        if (u.size() == 2) u = points(kLittleAboveOne);
        if (v.size() == 2) v = points(kLittleAboveOne);
        const auto at = [&](size_t i, size_t j) { return place({u[i], v[j], 0}); };
        for (size_t i = 1; i + 2 < u.size(); i++)
            for (size_t j = 1; j + 2 < v.size(); j++) {
                const size_t k = i + 1, l = j + 1;
                triangle(at(i, j), at(k, j), freedom.inner_first ? at(i, l) : at(k, l));
                triangle(freedom.inner_first ? at(k, j) : at(i, j), at(k, l), at(i, l));
            }
        // Outer levels 0 to 3 belong to u = 0, v = 0, u = 1, v = 1.
        for (size_t e = 0; e < 4; e++) {
            const bool along_v = e % 2 == 0;
            const double end = e < 2 ? 0 : 1;
            const auto &along = along_v ? v : u, &across = along_v ? u : v;
            const size_t row = e < 2 ? 1 : across.size() - 2;
            Chain outer, inner;
            for (const double t : edges[e]) outer.push_back(along_v ? place({end, t, 0}) : place({t, end, 0}));
            for (size_t i = 1; i + 1 < along.size(); i++) inner.push_back(along_v ? at(row, i) : at(i, row));
            fill(outer, inner);
        }
    }
};

}  // namespace

uint32_t outer_levels(tgsi::Primitive mode) {
    return mode == tgsi::Primitive::Quads ? 4 : mode == tgsi::Primitive::Lines ? 2 : 3;
}
uint32_t inner_levels(tgsi::Primitive mode) {
    return mode == tgsi::Primitive::Quads ? 2 : mode == tgsi::Primitive::Lines ? 0 : 1;
}

std::vector<double> divided(float level, Spacing spacing, const Freedom& freedom) {
    // "Tessellator Spacing": clamped, then rounded up to a whole, an even or an odd number.
    const float least = spacing == Spacing::FractionalEven ? 2 : 1;
    const float most = spacing == Spacing::FractionalOdd ? kMaxLevel - 1 : kMaxLevel;
    const float f = std::clamp(level, least, most);
    auto n = static_cast<uint32_t>(std::ceil(f));
    const bool fractional = spacing != Spacing::Equal;
    if (fractional && n % 2 != (spacing == Spacing::FractionalOdd ? 1 : 0)) n++;
    // "n − 2 segments of equal length, and two additional segments of equal length that are typically shorter"
    const double part = fractional ? std::pow(1 - (n - double{f}) / 2, freedom.decrease) : 1;
    const uint32_t at = std::min(freedom.short_segment, n < 2 ? 0 : n / 2 - 1);
    const double whole = n < 2 ? 1 : n - 2 + 2 * part;
    std::vector<double> points{0};
    double sum = 0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        sum += i == at || i == n - 1 - at ? part : 1;
        points.push_back(sum / whole);
    }
    points.push_back(1);
    return points;
}

Tessellated tessellate(const Domain& domain, const Levels& levels, const Freedom& freedom) {
    Builder b{domain, freedom};
    // "Patches are discarded if any relevant outer tessellation level is less than or equal to zero", or NaN.
    for (uint32_t i = 0; i < outer_levels(domain.mode); i++)
        if (!(levels.outer[i] > 0)) return {};
    switch (domain.mode) {
        case tgsi::Primitive::Quads:
            b.quads(levels);
            break;
        case tgsi::Primitive::Lines:
            b.isolines(levels);
            break;
        default:
            b.triangles(levels);
            break;
    }
    if (domain.points) {
        // "one point for each distinct vertex"
        b.out.primitives.clear();
        for (uint32_t i = 0; i < b.out.places.size(); i++) b.out.primitives.push_back({i});
    }
    return std::move(b.out);
}

}  // namespace tgsi2spv::scene

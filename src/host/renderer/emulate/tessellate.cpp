#include "renderer/emulate/tessellate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace tgsi2spv::host {
namespace {

/// Numbers with 16 binary places, so that 1 - (1 - x) is x: edges that patches share have the same points.
using Coord = uint32_t;
constexpr Coord kOne = 1U << 16, kHalf = kOne / 2, kThird = kOne / 3, kTwoThirds = 2 * kThird;
constexpr float kEpsilon = 1.0F / kOne;

/// An edge, or a row of the inside, divided by its level: both halves mirror each other. With fractional spacing, a
/// level between two numbers of segments has the larger number, of which two segments grow as they split off.
struct Row {
    bool odd = false;           ///< the number of segments
    uint32_t points = 0;        ///< number of segments, plus one
    uint32_t half = 0;          ///< points of a half, without the one in the middle
    uint32_t split = 0;         ///< the point of a half that has just split off
    Coord fraction = 0;         ///< distance that it has split off
    Coord fewer = 0, more = 0;  ///< lengths of a segment, for both numbers
    bool whole = false;         ///< one segment

    uint32_t segments() const { return points - 1; }
};

Coord ceiling(Coord value) {
    return (value + kOne - 1) / kOne;
}

Row row_of(float level, bool odd) {
    const auto fixed = static_cast<Coord>(std::lrint(level * kOne));
    Coord half = (fixed + 1) / 2;
    Row row{.odd = odd, .whole = fixed == kOne};
    if (odd || half == kHalf) half += kHalf;  // one segment, as two: the inside of a patch whose edges have more
    const uint32_t low = half / kOne;
    row.half = ceiling(half);
    row.points = 2 * row.half + (odd ? 0 : 1);
    row.fraction = half % kOne;
    // Vertices split in the order of the bits of their numbers.
    const uint32_t whole = odd ? low - 1 : low;
    if (row.fraction == 0)
        row.split = row.half + 1;
    else
        row.split = whole == 0 ? 0 : 2 * (whole - std::bit_floor(whole)) + 1;
    const auto length = [&](uint32_t n) {
        const uint32_t segments = 2 * n - (odd ? 1 : 0);
        return (kOne + segments / 2) / segments;
    };
    row.fewer = length(low);
    row.more = length(row.half);
    return row;
}

/// Where a point of the row is, from 0 to 1.
Coord place(const Row& row, uint32_t point) {
    const bool second = point >= row.half;
    if (second) point = 2 * row.half - point - (row.odd ? 1 : 0);
    if (point == row.half) return kHalf;
    const Coord from = (point > row.split ? point - 1 : point) * row.fewer, to = point * row.more;
    const Coord at = (from * (kOne - row.fraction) + to * row.fraction + kHalf) / kOne;
    return second ? kOne - at : at;
}

/// A level as the spacing permits it. NaN: the smallest one.
float clamped(Spacing spacing, float level, float least = 1) {
    if (spacing == Spacing::FractionalEven) least = 2;
    const float most = spacing == Spacing::FractionalOdd ? 63 : 64;
    const float clamped = level > least ? std::min(level, most) : least;
    return spacing == Spacing::Equal ? std::ceil(clamped) : clamped;
}

bool is_odd(Spacing spacing, float level) {
    if (spacing != Spacing::Equal) return spacing == Spacing::FractionalOdd;
    return std::fmod(level, 2.0F) != 0;
}

/// An outer edge, or the lines of isolines.
Row outer_row(Spacing spacing, float level) {
    const float l = clamped(spacing, level);
    return row_of(l, is_odd(spacing, l));
}

/// The inside. `framed`: some edge has several segments, so there is something between it and the inside.
Row inner_row(Spacing spacing, float level, bool framed) {
    const float l = clamped(spacing, level, spacing == Spacing::FractionalOdd && framed ? 1 + kEpsilon : 1);
    return row_of(l, is_odd(spacing, l) && (spacing != Spacing::Equal || l != 1));
}

/// Points of a closed ring in their order, an edge after the other; of a row, there and back.
struct Ring {
    uint32_t first = 0;
    std::array<uint32_t, 4> steps{};  ///< number of steps along each edge
    bool row = false;

    uint32_t all() const { return steps[0] + steps[1] + steps[2] + steps[3]; }
    /// The point so many steps after the beginning.
    uint32_t operator[](uint32_t at) const {
        if (all() == 0) return first;
        at %= all();
        return first + (row && at > all() / 2 ? all() - at : at);
    }
};

/// Two rows of points next to each other, as far as there are triangles between them.
struct Band {
    const Ring& outer;
    const Ring& inner;
    uint32_t outside = 0, inside = 0;
    uint32_t step = 1;  ///< step of the inside; ~0: it goes back

    uint32_t out(uint32_t n) const { return outer[outside + n]; }
    uint32_t in(uint32_t n) const { return inner[inside + n * step]; }
    void advance() {
        outside++;
        inside += step;
    }
};

class Maker {
  public:
    Maker(const TessellationMode& mode, Tessellated& out) : mode_(mode), out_(out) {}

    void point(Coord u, Coord v) {
        const float x = static_cast<float>(u) / kOne, y = static_cast<float>(v) / kOne;
        out_.points.push_back({x, y, mode_.domain == Domain::Triangles ? 1 - x - y : 0});
    }
    void triangle(uint32_t a, uint32_t b, uint32_t c) {
        if (mode_.clockwise) std::swap(b, c);
        out_.corners.insert(out_.corners.end(), {a, b, c});
    }
    void line(uint32_t a, uint32_t b) { out_.corners.insert(out_.corners.end(), {a, b}); }

    void outside_triangle(Band& band) {
        triangle(band.out(0), band.out(1), band.in(0));
        band.outside++;
    }
    void inside_triangle(Band& band) {
        triangle(band.in(0), band.out(0), band.in(1));
        band.inside += band.step;
    }
    /// Two triangles, with the diagonal from the inside's beginning to the outside's end; the first one begins inside.
    void forward_quad(Band& band) {
        triangle(band.in(0), band.out(0), band.out(1));
        triangle(band.in(0), band.out(1), band.in(1));
        band.advance();
    }
    /// The same, but the first one begins outside.
    void forward_quad_from_outside(Band& band) {
        triangle(band.out(0), band.out(1), band.in(0));
        triangle(band.in(0), band.out(1), band.in(1));
        band.advance();
    }
    /// The other diagonal.
    void backward_quad(Band& band) {
        triangle(band.out(0), band.in(1), band.in(0));
        triangle(band.out(0), band.out(1), band.in(1));
        band.advance();
    }

  private:
    const TessellationMode& mode_;
    Tessellated& out_;
};

/// When the vertex at a place of the finest row appears: 0 and 1, ... 32, are at the ends of the half.
uint32_t split_order(uint32_t at) {
    if (at == 0) return 0;
    if (at == 1) return 32;
    const auto zeros = static_cast<uint32_t>(std::countr_zero(at - 1));
    return (16U >> zeros) + ((at - 1) >> (zeros + 1));
}

/// Between an edge of the patch and the first ring, which have different numbers of segments: both advance where the
/// finest rows would have the vertex.
void stitch_edge(Maker& maker, Band band, const Row& outer, const Row& inner) {
    constexpr uint32_t kFinest = 32;
    const uint32_t out = outer.half - (outer.odd ? 1 : 0), in = inner.half - (inner.odd ? 1 : 0);
    for (uint32_t at = 0; at <= kFinest; at++) {
        if (at != 0 && split_order(at) < in) maker.inside_triangle(band);
        if (split_order(at) < out) maker.outside_triangle(band);
    }
    if (inner.odd && outer.odd) {
        maker.triangle(band.in(0), band.out(0), band.in(1));
        maker.triangle(band.in(1), band.out(0), band.out(1));
        band.advance();
    } else if (outer.odd) {
        maker.triangle(band.in(0), band.out(0), band.out(1));
        band.outside++;
    } else if (inner.odd) {
        maker.inside_triangle(band);
    }
    for (uint32_t at = kFinest + 1; at-- > 0;) {
        if (split_order(at) < out) maker.outside_triangle(band);
        if (at != 0 && split_order(at) < in) maker.inside_triangle(band);
    }
}

/// Between two rings; the outer one has two segments more.
void stitch_rings(Maker& maker, Band band, uint32_t segments) {
    maker.outside_triangle(band);
    const uint32_t middle = (segments + 1) / 2;
    for (uint32_t i = 0; i < middle; i++) maker.backward_quad(band);
    for (uint32_t i = middle; i < segments; i++) maker.forward_quad(band);
    maker.outside_triangle(band);
}

/// The rings of a patch from the outside on; `steps` are those of the ring `n`, by edge. Returns the innermost one.
template <class Steps>
Ring stitch(Maker& maker, std::span<const Row> outer, const std::array<const Row*, 4>& inner, uint32_t rings,
            Steps&& steps) {
    Ring out;
    for (size_t e = 0; e < outer.size(); e++) out.steps[e] = outer[e].segments();
    for (uint32_t r = 1; r < rings; r++) {
        Ring in{.first = out.first + out.all(), .steps = steps(r)};
        in.row = outer.size() == 4 && (in.steps[0] == 0 || in.steps[1] == 0);
        Band band{out, in};
        for (size_t e = 0; e < outer.size(); e++) {
            if (r == 1)
                stitch_edge(maker, band, outer[e], *inner[e]);
            else
                stitch_rings(maker, band, in.steps[e]);
            band.outside += out.steps[e];
            band.inside += in.steps[e];
        }
        out = in;
    }
    return out;
}

// ---- quads: the edges are those of u = 0, v = 0, u = 1, v = 1

void place_quad_edges(Maker& maker, std::span<const Row, 4> outer) {
    for (uint32_t e = 0; e < 4; e++) {
        const uint32_t n = outer[e].segments();
        for (uint32_t p = 0; p < n; p++) {
            const Coord at = place(outer[e], e == 1 || e == 2 ? p : n - p);
            if (e % 2 == 0)
                maker.point(e == 2 ? kOne : 0, at);
            else
                maker.point(at, e == 3 ? kOne : 0);
        }
    }
}

void place_quad_ring(Maker& maker, std::span<const Row, 2> inner, uint32_t ring) {
    for (uint32_t e = 0; e < 4; e++) {
        const Row &across = inner[e % 2], &along = inner[1 - e % 2];
        const Coord level = place(across, e < 2 ? ring : across.segments() - ring);
        const uint32_t end = along.segments() - ring;
        for (uint32_t p = ring; p < end; p++) {
            const Coord at = place(along, e == 1 || e == 2 ? p : end - (p - ring));
            if (e % 2 == 0)
                maker.point(level, at);
            else
                maker.point(at, level);
        }
    }
}

void place_quad(Maker& maker, std::span<const Row, 4> outer, std::span<const Row, 2> inner) {
    const auto& [u, v] = std::pair(inner[0], inner[1]);
    const uint32_t rings = std::min(u.points, v.points) / 2;
    place_quad_edges(maker, outer);
    for (uint32_t r = 1; r < rings; r++) place_quad_ring(maker, inner, r);
    if (u.points > v.points && !v.odd)
        for (uint32_t p = rings; p <= u.segments() - rings; p++) maker.point(place(u, p), kHalf);
    if (u.points <= v.points && !u.odd)
        for (uint32_t p = v.segments() - rings + 1; p-- > rings;) maker.point(kHalf, place(v, p));
}

void make_quads(Maker& maker, Spacing spacing, const TessellationLevels& levels) {
    constexpr auto is_more = [](float level) { return level > 1 + kEpsilon / 2; };
    const auto edge = [&](size_t e) { return outer_row(spacing, levels.outer[e]); };
    const std::array<Row, 4> outer{edge(0), edge(1), edge(2), edge(3)};
    const bool framed = std::ranges::any_of(levels.outer, is_more) || std::ranges::any_of(levels.inner, is_more);
    const std::array<Row, 2> inner{inner_row(spacing, levels.inner[0], framed),
                                   inner_row(spacing, levels.inner[1], framed)};
    const auto is_whole = [](const Row& row) { return row.whole; };
    if (std::ranges::all_of(outer, is_whole) && std::ranges::all_of(inner, is_whole)) {
        for (const auto& [u, v] : {std::pair(0U, 0U), {kOne, 0U}, {kOne, kOne}, {0U, kOne}}) maker.point(u, v);
        maker.triangle(0, 1, 3);
        maker.triangle(1, 2, 3);
        return;
    }
    place_quad(maker, outer, inner);
    const Row &u = inner[0], &v = inner[1];
    const auto steps = [&](uint32_t r) {
        const uint32_t su = u.segments() - 2 * r, sv = v.segments() - 2 * r;
        return std::array{sv, su, sv, su};
    };
    const uint32_t rings = (std::min(u.points, v.points) + 1) / 2;
    const Ring center = stitch(maker, outer, {&v, &u, &v, &u}, rings, steps);
    // The rest of odd numbers is a strip of quads.
    const bool wide = u.points > v.points;
    if (!(wide ? v.odd : u.odd)) return;
    const uint32_t strip = wide ? center.steps[1] : center.steps[0];
    Band band{center, center, wide ? 1U : 0U, wide ? 2 * strip + 2 : 2 * strip + 1, ~0U};
    for (uint32_t i = 0; i < strip; i++)
        if (wide || !v.odd)
            maker.forward_quad(band);
        else if (i == strip / 2)
            maker.backward_quad(band);
        else
            maker.forward_quad_from_outside(band);
}

// ---- triangles: the edges are those of u = 0, v = 0, w = 0

void place_triangle(Maker& maker, std::span<const Row, 3> outer, const Row& inner) {
    for (uint32_t e = 0; e < 3; e++) {
        const uint32_t n = outer[e].segments();
        for (uint32_t p = 0; p < n; p++) {
            const Coord at = place(outer[e], e == 1 ? p : n - p);
            if (e == 0)
                maker.point(0, at);
            else
                maker.point(at, e == 1 ? 0 : kOne - at);
        }
    }
    for (uint32_t r = 1; r < inner.points / 2; r++) {
        // The ring's distance from its edge, and how much shorter that makes its edges at either end.
        const Coord level = (place(inner, r) * kTwoThirds + kHalf) / kOne, shorter = (level + 1) / 2;
        const uint32_t end = inner.segments() - r;
        for (uint32_t e = 0; e < 3; e++)
            for (uint32_t p = r; p < end; p++) {
                const Coord at = place(inner, e == 1 ? p : end - (p - r)) - shorter;
                if (e == 0)
                    maker.point(level, at);
                else
                    maker.point(at, e == 1 ? level : kOne - at - level);
            }
    }
    if (!inner.odd) maker.point(kThird, kThird);
}

void make_triangles(Maker& maker, Spacing spacing, const TessellationLevels& levels) {
    const std::array<Row, 3> outer{outer_row(spacing, levels.outer[0]), outer_row(spacing, levels.outer[1]),
                                   outer_row(spacing, levels.outer[2])};
    const bool framed =
        std::any_of(levels.outer.begin(), levels.outer.begin() + 3, [](float l) { return l > 1 + kEpsilon / 2; });
    const Row inner = inner_row(spacing, levels.inner[0], framed);
    if (inner.whole && std::ranges::all_of(outer, [](const Row& row) { return row.whole; })) {
        maker.point(0, kOne);
        maker.point(0, 0);
        maker.point(kOne, 0);
        return maker.triangle(0, 1, 2);
    }
    place_triangle(maker, outer, inner);
    const auto steps = [&](uint32_t r) {
        const uint32_t n = inner.segments() - 2 * r;
        return std::array<uint32_t, 4>{n, n, n};
    };
    const Ring center = stitch(maker, outer, {&inner, &inner, &inner}, (inner.points + 1) / 2, steps);
    if (inner.odd) maker.triangle(center.first, center.first + 1, center.first + 2);
}

void make_lines(Maker& maker, Spacing spacing, const TessellationLevels& levels) {
    const Row lines = outer_row(Spacing::Equal, levels.outer[0]), points = outer_row(spacing, levels.outer[1]);
    for (uint32_t l = 0; l < lines.segments(); l++)
        for (uint32_t p = 0; p < points.points; p++) {
            maker.point(place(points, p), place(lines, l));
            if (p != 0) maker.line(l * points.points + p - 1, l * points.points + p);
        }
}

}  // namespace

void tessellate(const TessellationMode& mode, const TessellationLevels& levels, Tessellated& out) {
    out.points.clear();
    out.corners.clear();
    const size_t edges = mode.domain == Domain::Quads ? 4 : mode.domain == Domain::Triangles ? 3 : 2;
    for (size_t e = 0; e < edges; e++)
        if (!(levels.outer[e] > 0)) return;  // NaN, too
    Maker maker(mode, out);
    if (mode.domain == Domain::Quads)
        make_quads(maker, mode.spacing, levels);
    else if (mode.domain == Domain::Triangles)
        make_triangles(maker, mode.spacing, levels);
    else
        make_lines(maker, mode.spacing, levels);
    if (!mode.points) return;
    out.corners.resize(out.points.size());
    std::iota(out.corners.begin(), out.corners.end(), 0U);
}

}  // namespace tgsi2spv::host

#include "scene/raster.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace tgsi2spv::scene {

using tgsi::File;
using tgsi::Property;
using tgsi::Semantic;

namespace {

using Error = tl::unexpected<std::string>;
using Four = std::array<double, 4>;

/// Every device draws points from 1 to below this many pixels (Vulkan, "Required Limits": pointSizeRange).
constexpr double kPointSizes = 64;

struct Corner {
    Four clip{};
    double x = 0, y = 0;            ///< window
    std::vector<double> distances;  ///< they clip where they are below 0
};

Four numbers(const reference::Vec4& v) {
    Four f{};
    for (size_t c = 0; c < 4; c++) f[c] = double{std::bit_cast<float>(v[c])};
    return f;
}

const reference::Vec4* output(const Parsed& last, const Vertex& v, Semantic semantic, uint32_t index = 0) {
    const auto found = v.find(find(last, File::Output, semantic, index));
    return found == v.end() ? nullptr : &found->second;
}

double dot(const Four& a, const std::array<float, 4>& b) {
    double sum = 0;
    for (size_t c = 0; c < 4; c++) sum += a[c] * double{b[c]};
    return sum;
}

/// Calls f(number, value) for the values of CLIPDIST[0..1] or CULLDIST[0..1]. False if none is written.
template <class F>
bool for_each_distance(const Parsed& last, const Vertex& v, Semantic semantic, F&& f) {
    bool written = false;
    for (uint32_t i = 0; i < 2; i++)
        if (const auto* values = output(last, v, semantic, i)) {
            written = true;
            const Four four = numbers(*values);
            for (uint32_t c = 0; c < 4; c++) f(4 * i + c, four[c]);
        }
    return written;
}

/// Whether POSITION is in window coordinates already (VS_WINDOW_SPACE_POSITION): then neither the viewport nor any user
/// plane applies.
bool in_window_space(const Parsed& last) {
    return last.program.stage == tgsi::Stage::Vertex && last.program.property(Property::VsWindowSpacePosition) != 0;
}

/// The view volume in z, and clip_plane_enable: clip distances that the text writes take precedence over user planes.
std::vector<double> distances(const Scene& scene, const State& state, const Parsed& last, const Vertex& v,
                              const Four& position) {
    const bool window = in_window_space(last);
    std::vector<double> d{state.depth_halfz || window ? position[2] : position[2] + position[3],
                          position[3] - position[2]};
    const DistanceCounts counts = counts_of(last);
    const bool written = for_each_distance(last, v, Semantic::ClipDist, [&](uint32_t n, double value) {
        if (n < counts.clip && (state.clip_enable >> n & 1) != 0) d.push_back(value);
    });
    if ((written && counts.clip != 0) || last.program.property(Property::VsProhibitUcps) != 0 || window) return d;
    const auto* vertex = output(last, v, Semantic::ClipVertex);
    for (size_t i = 0; i < scene.clip_planes.size(); i++)
        if ((state.plane_enable >> i & 1) != 0)
            d.push_back(dot(vertex != nullptr ? numbers(*vertex) : position, scene.clip_planes[i]));
    return d;
}

/// Newest edition, CULLDIST: a primitive with a cull distance that is negative at all of its vertices "will be
/// completely discarded".
bool is_culled(const Parsed& last, const Primitive& primitive) {
    const DistanceCounts counts = counts_of(last);
    std::array<size_t, 16> negative{};
    for (const Vertex& v : primitive.vertices) {
        for_each_distance(last, v, Semantic::CullDist, [&](uint32_t n, double value) {
            if (n < counts.cull && value < 0) negative[n]++;
        });
        if (counts.culls_in_clip)
            for_each_distance(last, v, Semantic::ClipDist, [&](uint32_t n, double value) {
                if (n >= counts.clip && n < counts.clip + counts.cull && value < 0) negative[8 + n - counts.clip]++;
            });
    }
    return std::ranges::any_of(negative, [&](size_t n) { return n == primitive.vertices.size(); });
}

bool on_grid(double x) {
    return x * 16 == std::floor(x * 16);
}

/// How far inside the covered area a place lies (outside: below 0), and whether that is exact.
struct Depth {
    double inside = 0;
    bool undecided = false;  ///< `inside` is the device's choice
};

struct Shape {
    std::vector<Corner> corners;
    bool exact = true;
    double size = 1;  ///< of a point
    double area = 0;  ///< twice the triangle's

    double cross(size_t a, size_t b, double x, double y) const {
        const Corner &p = corners[a], &q = corners[b];
        return (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
    }

    std::array<double, 3> share(double x, double y) const {
        if (corners.size() == 1) return {1, 0, 0};
        if (corners.size() == 2) {
            const double dx = corners[1].x - corners[0].x, dy = corners[1].y - corners[0].y;
            const double t = ((x - corners[0].x) * dx + (y - corners[0].y) * dy) / (dx * dx + dy * dy);
            return {1 - t, t, 0};
        }
        return {cross(1, 2, x, y) / area, cross(2, 0, x, y) / area, cross(0, 1, x, y) / area};
    }

    Depth depth(double x, double y) const {
        if (corners.size() == 1) {
            const double away = std::max(std::abs(x - corners[0].x), std::abs(y - corners[0].y));
            return {size / 2 - away, false};
        }
        if (corners.size() == 2) return line_depth(x, y);
        double inside = HUGE_VAL;
        for (size_t i = 0; i < 3; i++) {
            const size_t a = i, b = (i + 1) % 3;
            const double length = std::hypot(corners[b].x - corners[a].x, corners[b].y - corners[a].y);
            inside = std::min(inside, cross(a, b, x, y) / length * (area < 0 ? -1 : 1));
        }
        return {inside, false};
    }

    /// A line of width 1 along an axis is a rectangle. If it begins and ends between pixels, the pixels whose diamonds
    /// it leaves are the same ones ("Basic Line Segment Rasterization", "Bresenham"). For other lines, devices choose
    /// among the pixels that are less than a pixel away.
    Depth line_depth(double x, double y) const {
        const Corner &a = corners[0], &b = corners[1];
        const bool level = a.y == b.y, upright = a.x == b.x;
        const double u = level ? x : y, v = level ? y : x;
        const double u0 = level ? a.x : a.y, u1 = level ? b.x : b.y, v0 = level ? a.y : a.x;
        if (level || upright) {
            const double least = std::min(u0, u1), most = std::max(u0, u1);
            const double along = std::min(u - least, most - u), across = 0.5 - std::abs(v - v0);
            const double end = u - least < most - u ? least : most;
            if (end != std::floor(end) && std::abs(along) < 1 && across >= 0) return {0, true};
            return {std::min(along, across), false};
        }
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        const double t = std::clamp(share(x, y)[1], 0.0, 1.0);
        const double away = std::hypot(x - a.x - t * (b.x - a.x), y - a.y - t * (b.y - a.y));
        return {1 + kEdgeMargin - away, length > 0};
    }

    /// The sign of the interpolated distance: w is positive, so it is the sign of the mean weighted by 1/w.
    bool clipped(const std::array<double, 3>& share) const {
        for (size_t d = 0; d < corners[0].distances.size(); d++) {
            double sum = 0;
            for (size_t i = 0; i < corners.size(); i++) sum += share[i] / corners[i].clip[3] * corners[i].distances[d];
            if (!(sum >= 0)) return true;
        }
        return false;
    }
};

}  // namespace

DistanceCounts counts_of(const Parsed& last) {
    const uint32_t clip = last.program.property(Property::NumClipDistEnabled);
    const uint32_t cull = last.program.property(Property::NumCullDistEnabled);
    if (clip == 0 && cull == 0) return {};
    return {std::min(clip, 8u), std::min(cull, 8u), true};
}

tl::expected<Rastered, std::string> rasterize(const Scene& scene, const State& state, const Parsed& last,
                                              const Primitive& primitive) {
    Shape s;
    Rastered out;
    bool outside = false;
    const double half_width = scene.width / 2.0, half_height = scene.height / 2.0;
    for (size_t i = 0; i < primitive.vertices.size(); i++) {
        const Vertex& v = primitive.vertices[i];
        const auto* written = output(last, v, Semantic::Position);
        if (written == nullptr) return Error("no stage writes POSITION");
        Corner c;
        c.clip = numbers(*written);
        const bool window = in_window_space(last);
        if (window) {
            c.x = c.clip[0];
            c.y = c.clip[1];
            c.clip[3] = 1 / c.clip[3];
            c.clip[2] *= c.clip[3];
        }
        const double w = c.clip[3];
        if (!(w > 0)) return Error("the reference cannot draw a vertex whose w is not positive");
        if (!window) {
            c.x = (c.clip[0] / w + 1) * half_width;
            c.y = ((state.flip_y ? -c.clip[1] : c.clip[1]) / w + 1) * half_height;
        }
        if (!std::isfinite(c.x) || !std::isfinite(c.y)) return Error("the position of a vertex is not finite");
        c.distances = distances(scene, state, last, v, c.clip);
        out.inverse_w[i] = 1 / w;
        out.z[i] = state.depth_halfz || window ? c.clip[2] / w : (c.clip[2] / w + 1) / 2;
        s.exact = s.exact && on_grid(c.x) && on_grid(c.y);
        for (const double d : c.distances) outside = outside || !(d >= 0);
        s.corners.push_back(std::move(c));
    }
    if (is_culled(last, primitive)) return out;
    out.point = s.corners.size() == 1;
    out.polygon = s.corners.size() == 3;
    if (out.point) {
        const auto* written = output(last, primitive.vertices[0], Semantic::PSize);
        s.size = scene.prepared.point_size ? double{state.point_size} : 1;
        if (written != nullptr && state.point_size_per_vertex) s.size = numbers(*written)[0];
        if (!(s.size >= 1 && s.size < kPointSizes))
            return Error(
                fmt::format("the reference cannot draw a point of size {}: only from 1 to below {} is it "
                            "certain that no device clamps it",
                            s.size, kPointSizes));
        s.exact = s.exact && on_grid(s.size / 2);
        out.point_x = s.corners[0].x;
        out.point_y = s.corners[0].y;
        out.point_size = s.size;
        if (outside) return out;  // "Primitive Clipping": for a point the vertex decides
    }
    if (out.polygon) {
        s.area = s.cross(0, 1, s.corners[2].x, s.corners[2].y);
        if (s.area == 0) return out;
        out.back = s.area < 0;  // y points down: clockwise is above 0
        const auto from = s.share(0, 0), right = s.share(1, 0), down = s.share(0, 1);
        for (size_t i = 0; i < 3; i++) {
            out.share_x[i] = right[i] - from[i];
            out.share_y[i] = down[i] - from[i];
        }
    }
    // Clipping makes new vertices, which are on no grid.
    const bool exact = s.exact && !outside;
    out.reach = exact ? kExactPlace : kEdgeMargin;
    const double margin = exact ? 0 : kEdgeMargin;
    const auto low = [&](auto of, double size) {
        double least = size, most = 0;
        for (const Corner& c : s.corners) {
            least = std::min(least, of(c) - s.size - 2);
            most = std::max(most, of(c) + s.size + 2);
        }
        return std::pair{static_cast<uint32_t>(std::max(0.0, least)) & ~1u,
                         static_cast<uint32_t>(std::clamp(most, 0.0, size))};
    };
    const auto [x0, x1] = low([](const Corner& c) { return c.x; }, scene.width);
    const auto [y0, y1] = low([](const Corner& c) { return c.y; }, scene.height);
    for (uint32_t qy = y0; qy < y1; qy += 2)
        for (uint32_t qx = x0; qx < x1; qx += 2) {
            std::array<Fragment, 4> quad;
            bool any = false;
            for (uint32_t i = 0; i < 4; i++) {
                Fragment& f = quad[i];
                f.x = qx + (i & 1);
                f.y = qy + (i >> 1);
                const double cx = f.x + 0.5, cy = f.y + 0.5;
                const Depth d = s.depth(cx, cy);
                const bool in_picture = f.x < scene.width && f.y < scene.height;
                f.covered = in_picture && d.inside >= -margin;
                f.maybe = f.covered && (d.undecided || d.inside <= margin);
                any = any || f.covered;
                for (size_t p = 0; p < kPlaces; p++) {
                    const auto [right, down] = kDirections[p];
                    f.places[p].share = s.share(cx + right * out.reach, cy + down * out.reach);
                    f.places[p].clipped = s.clipped(f.places[p].share);
                }
            }
            if (any) out.fragments.insert(out.fragments.end(), quad.begin(), quad.end());
        }
    return out;
}

}  // namespace tgsi2spv::scene

// The tessellator of emulated draws. tests/renderer/emulated.cpp compares its points and primitives with a device's.
#include "renderer/emulate/tessellate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

namespace tgsi2spv::host {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Tessellated made(Domain domain, Spacing spacing, const TessellationLevels& levels) {
    Tessellated out;
    tessellate({.domain = domain, .spacing = spacing}, levels, out);
    return out;
}

TessellationLevels all(float level) {
    return {{level, level, level, level}, {level, level}};
}

bool is_outside(Domain domain, const DomainPoint& a, const DomainPoint& b) {
    if ((a.u == 0 && b.u == 0) || (a.v == 0 && b.v == 0)) return true;
    if (domain == Domain::Triangles) return a.w == 0 && b.w == 0;
    return (a.u == 1 && b.u == 1) || (a.v == 1 && b.v == 1);
}

/// Twice the area, in 2^-32.
int64_t area(const DomainPoint& a, const DomainPoint& b, const DomainPoint& c) {
    const auto fixed = [](float x) { return static_cast<int64_t>(x * 65536); };
    return (fixed(b.u) - fixed(a.u)) * (fixed(c.v) - fixed(a.v)) -
           (fixed(c.u) - fixed(a.u)) * (fixed(b.v) - fixed(a.v));
}

/// Each edge has a triangle on both sides, or is an edge of the patch; the triangles cover the domain exactly.
void expect_covered(Domain domain, const Tessellated& t) {
    std::map<std::pair<uint32_t, uint32_t>, int> edges;
    std::vector<bool> used(t.points.size());
    int64_t sum = 0;
    for (size_t i = 0; i < t.corners.size(); i += 3) {
        for (size_t k = 0; k < 3; k++) {
            ASSERT_LT(t.corners[i + k], t.points.size());
            used[t.corners[i + k]] = true;
            edges[{t.corners[i + k], t.corners[i + (k + 1) % 3]}]++;
        }
        sum += area(t.points[t.corners[i]], t.points[t.corners[i + 1]], t.points[t.corners[i + 2]]);
    }
    EXPECT_EQ(sum, (domain == Domain::Quads ? int64_t{2} : 1) << 32);
    EXPECT_EQ(std::ranges::count(used, false), 0) << "points of no triangle";
    for (const auto& [edge, count] : edges) {
        EXPECT_EQ(count, 1);
        const auto& [a, b] = edge;
        EXPECT_TRUE(edges.contains({b, a}) || is_outside(domain, t.points[a], t.points[b])) << "a crack";
    }
}

TEST(Tessellator, CoversTheDomain) {
    std::mt19937 random(1);
    for (uint32_t n = 0; n < 600; n++) {
        const float most = n % 3 == 0 ? 3 : n % 3 == 1 ? 12 : 70;
        std::uniform_real_distribution<float> level(n % 5 == 0 ? 1.F : 0.01F, most);
        TessellationLevels levels;
        for (float& l : levels.outer) l = n % 7 == 0 ? 1 : level(random);
        for (float& l : levels.inner) l = n % 11 == 0 ? 1 : level(random);
        const auto domain = static_cast<Domain>(n % 2);
        const Tessellated t = made(domain, static_cast<Spacing>(n / 2 % 3), levels);
        EXPECT_LE(t.points.size(), kMostPatchPoints);
        EXPECT_LE(t.corners.size() / 3, kMostPatchPrimitives);
        ASSERT_NO_FATAL_FAILURE(expect_covered(domain, t));
        if (HasFailure()) FAIL() << "round " << n;
    }
}

/// What neighbours share depends on the edge's level, and is the same from both ends.
TEST(Tessellator, EdgesAreSymmetric) {
    for (const Spacing spacing : {Spacing::Equal, Spacing::FractionalEven, Spacing::FractionalOdd})
        for (float level = 1; level < 66; level += 0.37F) {
            const Tessellated t = made(Domain::Quads, spacing, {{level, 3, 2, 1}, {5, 4}});
            std::vector<float> edge;
            for (const DomainPoint& p : t.points)
                if (p.u == 0) edge.push_back(p.v);
            std::ranges::sort(edge);
            for (size_t i = 0; i < edge.size(); i++) EXPECT_EQ(edge[i], 1 - edge[edge.size() - 1 - i]) << level;
        }
}

TEST(Tessellator, LevelsAreClamped) {
    EXPECT_THAT(made(Domain::Quads, Spacing::Equal, all(1e9F)).corners, SizeIs(3 * kMostPatchPrimitives));
    EXPECT_THAT(made(Domain::Quads, Spacing::Equal, all(1e9F)).points, SizeIs(kMostPatchPoints));
    EXPECT_THAT(made(Domain::Quads, Spacing::FractionalOdd, all(1e9F)).corners, SizeIs(3 * 63 * 63 * 2));
    EXPECT_THAT(made(Domain::Triangles, Spacing::FractionalEven, all(0.5F)).corners, SizeIs(3 * 6));
    EXPECT_THAT(made(Domain::Triangles, Spacing::Equal, all(0.5F)).corners, SizeIs(3));
    EXPECT_THAT(made(Domain::Isolines, Spacing::Equal, all(1e9F)).corners, SizeIs(2 * 64 * 64));
    EXPECT_THAT(made(Domain::Isolines, Spacing::FractionalOdd, {{2.5F, 2.5F}, {}}).corners, SizeIs(2 * 3 * 3));
    TessellationLevels no_number = all(2);
    no_number.inner[0] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(made(Domain::Triangles, Spacing::Equal, no_number).corners, SizeIs(3 * 6)) << "the least, framed: 2";
}

TEST(Tessellator, PatchesWithAnEdgeOfZeroAreDiscarded) {
    for (size_t e = 0; e < 4; e++)
        for (const float level : {0.F, -1.F, std::numeric_limits<float>::quiet_NaN()}) {
            TessellationLevels levels = all(2);
            levels.outer[e] = level;
            EXPECT_THAT(made(Domain::Quads, Spacing::Equal, levels).points, IsEmpty());
            EXPECT_EQ(made(Domain::Triangles, Spacing::Equal, levels).points.empty(), e < 3);
            EXPECT_EQ(made(Domain::Isolines, Spacing::Equal, levels).points.empty(), e < 2);
        }
}

}  // namespace
}  // namespace tgsi2spv::host

// The tessellator by Vulkan's chapter: its guarantees for every level and every choice of devices.
#include "scene/tessellator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tgsi2spv::scene {
namespace {

using tgsi::Primitive;

const Freedom kFreedoms[] = {{}, {1, 1, false}, {100, 1.5, true}, {0, 0.5, true}};

TEST(Tessellator, RoundsLevelsUpAsTheirSpacingSays) {
    const auto segments = [](float level, Spacing spacing) { return divided(level, spacing, {}).size() - 1; };
    EXPECT_EQ(segments(0.25f, Spacing::Equal), 1u);
    EXPECT_EQ(segments(2.25f, Spacing::Equal), 3u);
    EXPECT_EQ(segments(64, Spacing::Equal), 64u);
    EXPECT_EQ(segments(0.25f, Spacing::FractionalEven), 2u);
    EXPECT_EQ(segments(2.25f, Spacing::FractionalEven), 4u);
    EXPECT_EQ(segments(3, Spacing::FractionalEven), 4u);
    EXPECT_EQ(segments(4, Spacing::FractionalEven), 4u);
    EXPECT_EQ(segments(0.25f, Spacing::FractionalOdd), 1u);
    EXPECT_EQ(segments(1.5f, Spacing::FractionalOdd), 3u);
    EXPECT_EQ(segments(4, Spacing::FractionalOdd), 5u);
    EXPECT_EQ(segments(64, Spacing::FractionalOdd), 63u);
}

TEST(Tessellator, HasTwoShorterSegmentsBesideEqualOnes) {
    for (const Freedom& freedom : kFreedoms)
        for (const float level : {2.5f, 4.25f, 5.0f, 6.75f}) {
            const auto p = divided(level, Spacing::FractionalOdd, freedom);
            std::vector<double> lengths;
            for (size_t i = 0; i + 1 < p.size(); i++) {
                lengths.push_back(p[i + 1] - p[i]);
                EXPECT_NEAR(p[i] + p[p.size() - 1 - i], 1, 1e-12);
            }
            std::sort(lengths.begin(), lengths.end());
            EXPECT_NEAR(lengths[0], lengths[1], 1e-12);
            EXPECT_NEAR(lengths[2], lengths.back(), 1e-12);
            if (level == 5)
                EXPECT_NEAR(lengths[0], 0.2, 1e-12);
            else
                EXPECT_LT(lengths[0], lengths[2]);
        }
}

double area(const Tessellated& t, size_t primitive) {
    const auto& p = t.primitives[primitive];
    const auto &a = t.places[p[0]], &b = t.places[p[1]], &c = t.places[p[2]];
    return (double{b[0] - a[0]} * double{c[1] - a[1]} - double{c[0] - a[0]} * double{b[1] - a[1]}) / 2;
}

/// Expects all triangles to have the same winding and to cover the domain together.
void expect_whole(const Domain& domain, const Levels& levels, const Freedom& freedom) {
    const Tessellated t = tessellate(domain, levels, freedom);
    double sum = 0;
    for (size_t i = 0; i < t.primitives.size(); i++) {
        ASSERT_EQ(t.primitives[i].size(), 3u);
        EXPECT_EQ(area(t, i) < 0, domain.clockwise);
        sum += std::abs(area(t, i));
    }
    EXPECT_NEAR(sum, domain.mode == Primitive::Quads ? 1 : 0.5, 1e-5);
    // The vertices that a side shares with the next patch depend only on that side's level.
    const size_t sides = outer_levels(domain.mode);
    for (size_t side = 0; side < sides; side++) {
        const bool quads = domain.mode == Primitive::Quads;
        std::set<float> on;
        for (const auto& p : t.places) {
            const size_t c = quads ? side % 2 : side;
            if (p[c] == (quads && side >= 2 ? 1.0f : 0.0f)) on.insert(p[quads ? 1 - c : (c + 2) % 3]);
        }
        const auto expected = divided(levels.outer[side], domain.spacing, freedom);
        ASSERT_EQ(on.size(), expected.size());
        size_t i = 0;
        for (const float place : on) EXPECT_NEAR(double{place}, expected[i++], 1e-6);
    }
    const Tessellated points = tessellate({domain.mode, domain.spacing, domain.clockwise, true}, levels, freedom);
    EXPECT_EQ(points.primitives.size(), t.places.size());
}

TEST(Tessellator, CoversTheDomainOnce) {
    for (const Primitive mode : {Primitive::Triangles, Primitive::Quads})
        for (const Spacing spacing : {Spacing::Equal, Spacing::FractionalEven, Spacing::FractionalOdd})
            for (const Freedom& freedom : kFreedoms)
                for (const Levels& levels : {Levels{}, Levels{{1, 2, 3, 4}, {1, 1}}, Levels{{4, 4, 4, 4}, {4, 4}},
                                             Levels{{2.5f, 1, 7, 3}, {5, 2}}, Levels{{9, 3, 1, 1.25f}, {6.5f, 3.5f}},
                                             Levels{{1, 1, 1, 1}, {2, 1}}})
                    expect_whole({mode, spacing, spacing == Spacing::FractionalOdd, false}, levels, freedom);
}

TEST(Tessellator, HasRingsOfTrianglesAndAGridOfQuads) {
    const auto places = [](Primitive mode, const Levels& levels) {
        return tessellate({mode, Spacing::Equal, false, true}, levels, {}).places.size();
    };
    EXPECT_EQ(places(Primitive::Triangles, {{3, 3, 3}, {3}}), 12u);
    EXPECT_EQ(places(Primitive::Triangles, {{1, 1, 1}, {4}}), 3u + 6 + 1);
    EXPECT_EQ(places(Primitive::Triangles, {{1, 1, 2}, {1}}), 4u + 1);
    EXPECT_EQ(places(Primitive::Quads, {{4, 4, 4, 4}, {4, 4}}), 25u);
    EXPECT_EQ(places(Primitive::Quads, {{1, 1, 1, 1}, {4, 3}}), 4u + 6);
    EXPECT_EQ(places(Primitive::Quads, {{2, 1, 1, 1}, {1, 1}}), 5u + 1);
    // The corner of the inner triangle, where the perpendiculars at 1/3 of both sides meet.
    const auto t = tessellate({Primitive::Triangles, Spacing::Equal, false, true}, {{1, 1, 1}, {3}}, {});
    EXPECT_TRUE(std::any_of(t.places.begin(), t.places.end(), [](const auto& p) {
        return std::abs(p[0] - 5.0f / 9) < 1e-6f && std::abs(p[1] - 2.0f / 9) < 1e-6f;
    }));
}

TEST(Tessellator, DrawsIsolinesOfEqualDistance) {
    const auto t = tessellate({Primitive::Lines, Spacing::FractionalEven, false, false}, {{2.5f, 1, 0, 0}, {}}, {});
    ASSERT_EQ(t.primitives.size(), 6u);
    EXPECT_EQ(t.places.size(), 9u);
    for (size_t i = 0; i < 6; i++) {
        const auto &a = t.places[t.primitives[i][0]], &b = t.places[t.primitives[i][1]];
        EXPECT_FLOAT_EQ(a[1], static_cast<float>(i / 2) / 3);
        EXPECT_EQ(a[1], b[1]);
        EXPECT_EQ(b[0] - a[0], 0.5f);
    }
}

TEST(Tessellator, DiscardsPatchesByTheirOuterLevels) {
    const Domain triangles;
    EXPECT_TRUE(tessellate(triangles, {{1, 0, 1, 1}, {3}}, {}).primitives.empty());
    EXPECT_TRUE(tessellate(triangles, {{1, NAN, 1, 1}, {3}}, {}).primitives.empty());
    EXPECT_FALSE(tessellate(triangles, {{1, 1, 1, 0}, {-1}}, {}).primitives.empty());
}

}  // namespace
}  // namespace tgsi2spv::scene

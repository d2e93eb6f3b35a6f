#include "cases/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/evidence_pictures.h"
#include "reference/numbers/packed.h"
#include "reference/numbers/wide_value.h"
#include "tgsi/parse/parse.h"

namespace tgsi2spv::difftest {
namespace {

using reference::Component;
using reference::Kind;

Component word(uint32_t w) {
    Component c;
    c.value = c.words[0] = c.lo = c.hi = w;
    return c;
}

Component interval(uint32_t lo, uint32_t hi) {
    Component c;
    c.kind = Kind::Interval;
    c.lo = c.value = lo;
    c.hi = hi;
    return c;
}

Component unknown() {
    Component c;
    c.kind = Kind::Unknown;
    return c;
}

constexpr uint8_t kAll = 0xf;

/// Returns a result of one register in one lane.
reference::Result one(Component x, Component y, Component z, Component w) {
    reference::Result r;
    r.outputs[0] = {{x, y, z, w}};
    r.written[0] = kAll;
    return r;
}
reference::Result words(uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
    return one(word(x), word(y), word(z), word(w));
}

TEST(Compare, EveryPermittedAnswerPasses) {
    auto judged = one(word(1), interval(0x3f800000, 0x3f800002), unknown(), word(4));
    judged.outputs[0][0][3].count = 2;
    judged.outputs[0][0][3].words = {4, 5};
    for (uint32_t y : {0x3f800000, 0x3f800001, 0x3f800002})
        for (uint32_t w : {4u, 5u}) {
            const auto c = compare(judged, words(1, y, 0xabcdef, w), 1);
            EXPECT_TRUE(c.passed());
            EXPECT_EQ(c.words, 4u);
            EXPECT_EQ(c.unknown, 1u);
        }
}

TEST(Compare, WideBoundsAreCounted) {
    // 1 to 2 are 2^23 + 1 words; from -0 to 0 are two.
    const auto judged = one(interval(0x3f800000, 0x40000000), interval(0x3f800000, 0x40000001), interval(0x80000000, 0),
                            interval(0xff800000, 0x7f800000));
    const auto c = compare(judged, words(0x3f800000, 0x3f800000, 0, 0), 1);
    EXPECT_TRUE(c.passed());
    EXPECT_EQ(c.wide, 2u);
    EXPECT_EQ(c.unknown, 0u);
}

TEST(Compare, WordsBetweenAlternativesAreWrong) {
    reference::Hull h;
    h.add_interval(0.0f, 0.25f);
    h.add_interval(0.75f, 1.0f);
    h.add_nan();
    const Component either = h.finish(0);
    const auto judged = one(either, either, either, either);
    EXPECT_TRUE(compare(judged, words(0, 0x3e800000, 0x3f400000, 0x7fc00001), 1).passed());
    const auto c = compare(judged, words(0x3f800000, 0x3f000000, 0x3e800001, 0x80000000), 1);
    EXPECT_EQ(c.wrong, 3u);
    EXPECT_EQ(
        describe(c.mismatches.at(0)),
        "OUT[0] lane 0.y: got 0x3f000000 (0.5), permitted [0x00000000 (0), 0x3e800000 (0.25)] or [0x3f400000 (0.75), "
        "0x3f800000 (1)] or NaN");
    // The floats of the alternatives count, not those between them.
    reference::Hull few;
    few.add_interval(-1.25f, -1.0f);
    few.add_interval(1.0f, 1.25f);
    EXPECT_TRUE(is_wide(either));
    EXPECT_TRUE(is_wide(reference::filled(few.finish(0))));
    EXPECT_FALSE(is_wide(few.finish(0)));
}

/// Bounds go around the device's words, independently of other differences.
TEST(Compare, BoundsDoNotChangeTheDevicesWords) {
    auto judged = one(word(1), interval(2, 5), unknown(), word(4));
    judged.killed = {false};
    judged.killed_unknown = {false};
    judged.emitted = {{{0, 0, {{0, {word(1), word(1), word(1), word(1)}}}}}};
    judged.buffers[0] = {interval(7, 9)};
    judged.images[1] = {{interval(10, 12)}};
    auto device = words(11, 3, 13, 4);
    device.outputs[1] = {{word(1), word(2), word(3), word(4)}};
    device.killed = {true};
    device.emitted = {{{0, 0, {{0, {word(5), word(5), word(5), word(5)}}}}, {0, 1, {}}}};
    device.buffers[0] = {word(8), word(20)};
    device.images[1] = {{word(11)}};
    take_bounds(device, judged);
    EXPECT_EQ(device.outputs[0][0][0].value, 11u);
    EXPECT_EQ(device.outputs[0][0][0].lo, 1u);
    EXPECT_EQ(device.outputs[0][0][1].value, 3u);
    EXPECT_EQ(device.outputs[0][0][1].hi, 5u);
    EXPECT_EQ(device.outputs[0][0][2].kind, Kind::Unknown);
    EXPECT_EQ(device.outputs[1][0][3].value, 4u);
    EXPECT_TRUE(device.killed[0]);
    ASSERT_EQ(device.emitted[0].size(), 2u);
    EXPECT_EQ(device.emitted[0][0].outputs[0][0].value, 5u);
    EXPECT_EQ(device.emitted[0][0].outputs[0][0].lo, 1u);
    ASSERT_EQ(device.buffers[0].size(), 2u);
    EXPECT_EQ(device.buffers[0][0].hi, 9u);
    EXPECT_EQ(device.buffers[0][1].value, 20u);
    EXPECT_EQ(device.images[1][0][0].value, 11u);
    EXPECT_EQ(device.images[1][0][0].lo, 10u);
}

TEST(Compare, FieldsOfPackedWordsAreComparedSeparately) {
    const reference::FieldSet tie = reference::codes_between(0x7f, 0x80);
    const reference::FieldSet bytes[4] = {tie, tie, tie, tie};
    const auto judged = one(reference::pack_fields(bytes, 4, 0x80808080), word(1), word(2), word(3));
    const auto right = compare(judged, words(0x7f80807f, 1, 2, 3), 1);
    EXPECT_TRUE(right.passed());
    EXPECT_EQ(right.unknown, 0u);
    const auto wrong = compare(judged, words(0x12345678, 1, 2, 3), 1);
    ASSERT_EQ(wrong.mismatches.size(), 1u);
    EXPECT_THAT(describe(wrong.mismatches[0]),
                testing::HasSubstr("permitted fields of 8 bits, lowest first: 0x7f..0x80 | 0x7f..0x80"));
}

TEST(Compare, EachPlantedWrongWordFails) {
    const auto judged = one(word(1), interval(0x3f800000, 0x3f800002), word(3), word(4));
    const auto right = words(1, 0x3f800001, 3, 4);
    ASSERT_TRUE(compare(judged, right, 1).passed());
    for (uint8_t c = 0; c < 4; c++)
        for (uint32_t bit : {0u, 4u, 31u}) {
            if (c == 1 && bit == 0) continue;  // 0x3f800000: permitted
            auto device = right;
            device.outputs[0][0][c].value ^= 1u << bit;
            const auto result = compare(judged, device, 1);
            ASSERT_EQ(result.wrong, 1u) << int{c} << " " << bit;
            EXPECT_EQ(result.mismatches.at(0).component, c);
            EXPECT_EQ(result.mismatches.at(0).got, device.outputs[0][0][c].value);
        }
}

TEST(Compare, ComponentsThatNothingWritesDoNotCount) {
    auto judged = words(1, 2, 3, 4);
    judged.written[0] = 0b0101;
    EXPECT_EQ(compare(judged, words(1, 0, 3, 0), 1).words, 2u);
    EXPECT_TRUE(compare(judged, words(1, 0, 3, 0), 1).passed());
    EXPECT_FALSE(compare(judged, words(0, 2, 3, 4), 1).passed());
}

TEST(Compare, KilledLanesMustAgreeAndTheirOutputsDoNotCount) {
    auto judged = words(1, 2, 3, 4), device = words(9, 9, 9, 9);
    judged.killed = device.killed = {true};
    judged.killed_unknown = {false};
    auto c = compare(judged, device, 1);
    EXPECT_TRUE(c.passed());
    EXPECT_EQ(c.words, 0u);

    device.killed = {false};
    c = compare(judged, device, 1);
    EXPECT_EQ(c.wrong, 1u);
    EXPECT_EQ(describe(c.mismatches.at(0)), "lane 0 was not killed but should be");

    judged.killed = {false};
    device.killed = {true};
    c = compare(judged, device, 1);
    EXPECT_EQ(describe(c.mismatches.at(0)), "lane 0 was killed but should not be");

    judged.killed_unknown = {true};
    c = compare(judged, device, 1);
    EXPECT_TRUE(c.passed());
    EXPECT_EQ(c.unknown, 4u);

    device.killed = {false};
    c = compare(judged, device, 1);
    EXPECT_EQ(c.wrong, 4u);
    EXPECT_TRUE(compare(judged, words(1, 2, 3, 4), 1).passed());
}

TEST(Compare, AbsentRegistersAndBuffersFail) {
    auto judged = words(1, 2, 3, 4);
    auto c = compare(judged, {}, 1);
    EXPECT_EQ(c.wrong, 1u);
    EXPECT_EQ(describe(c.mismatches.at(0)), "OUT[0] is missing");
    judged.buffers[2] = {word(7), unknown()};
    auto device = words(1, 2, 3, 4);
    device.buffers[2] = {word(8), word(1)};
    c = compare(judged, device, 1);
    EXPECT_EQ(c.wrong, 1u);
    EXPECT_THAT(describe(c.mismatches.at(0)), testing::StartsWith("BUFFER[2] word 0: got 0x00000008"));
}

/// A word that is not a float is not printed as one.
TEST(Compare, MessagesShowIntegersAsIntegers) {
    const auto message = [](const Component& expected, uint32_t got) {
        const auto c = compare(one(expected, unknown(), unknown(), unknown()), words(got, 0, 0, 0), 1);
        return describe(c.mismatches.at(0));
    };
    EXPECT_EQ(message(word(7), 8), "OUT[0] lane 0.x: got 0x00000008 (8), permitted 0x00000007 (7)");
    EXPECT_EQ(message(word(0), ~0u), "OUT[0] lane 0.x: got 0xffffffff (-1), permitted 0x00000000 (0)");
    EXPECT_EQ(message(word(0), 0x3f800000), "OUT[0] lane 0.x: got 0x3f800000 (1), permitted 0x00000000 (0)");
    EXPECT_EQ(message(word(0x7f800000), 0x7fc00000),
              "OUT[0] lane 0.x: got 0x7fc00000 (nan), permitted 0x7f800000 (inf)");
    EXPECT_EQ(message(interval(2, 5), 1),
              "OUT[0] lane 0.x: got 0x00000001 (1e-45), permitted [0x00000002 (3e-45), 0x00000005 (7e-45)]");
}

/// OUT[vertex][0] of TESS_CTRL: as many patches as there are.
TEST(Compare, PatchesThatTheDeviceDidNotWriteFail) {
    const std::array<Component, 4> right = {word(1), word(2), word(3), word(4)};
    reference::Result judged, device;
    judged.written[0] = kAll;
    judged.vertex_outputs[{2, 0}] = {right, right, right};
    device.vertex_outputs[{2, 0}] = {right, right, right};
    EXPECT_EQ(compare(judged, device, 3).words, 12u);
    device.vertex_outputs[{2, 0}] = {right, right};
    EXPECT_TRUE(compare(judged, device, 2).passed());  // only so many count
    const auto c = compare(judged, device, 3);
    EXPECT_EQ(c.wrong, 1u);
    EXPECT_EQ(c.words, 0u);
    EXPECT_EQ(describe(c.mismatches.at(0)), "OUT[0] of vertex 2, lane 0 is missing");
    device.vertex_outputs.clear();
    EXPECT_EQ(compare(judged, device, 3).wrong, 1u);
}

/// Vertices that differ in nothing but where they belong.
TEST(Compare, VerticesOfAnotherPrimitiveOrStreamFail) {
    const auto emitted = [](uint8_t stream, uint32_t primitive) {
        reference::Result r;
        r.written[0] = kAll;
        r.emitted = {{{0, 0, {{0, {word(1), word(2), word(3), word(4)}}}},
                      {stream, primitive, {{0, {word(1), word(2), word(3), word(4)}}}}}};
        return r;
    };
    EXPECT_TRUE(compare(emitted(0, 1), emitted(0, 1), 1).passed());
    for (const auto& [stream, primitive] : {std::pair<uint8_t, uint32_t>{0, 0}, {0, 2}, {1, 1}}) {
        const auto c = compare(emitted(0, 1), emitted(stream, primitive), 1);
        ASSERT_EQ(c.wrong, 1u) << int{stream} << ' ' << primitive;
        EXPECT_EQ(describe(c.mismatches[0]), "vertex 1 of lane 0 has the wrong stream or primitive");
        EXPECT_EQ(c.words, 4u);  // of the vertex before it
    }
}

/// Only the components of a vertex's own stream are written out.
TEST(Compare, OnlyComponentsOfAVertexsOwnStreamCount) {
    const StreamMasks streams = {{0, {0b0011, 0b0100, 0b1000, 0}}};
    for (uint8_t stream = 0; stream < 4; stream++) {
        reference::Result judged, device;
        judged.written[0] = judged.written[1] = kAll;
        const std::array<Component, 4> right = {word(1), word(2), word(3), word(4)};
        judged.emitted = {{{stream, 0, {{0, right}}}}};
        for (uint8_t c = 0; c < 4; c++) {
            device = judged;
            device.emitted[0][0].outputs[0][c] = word(9);
            const bool counts = (streams.at(0)[stream] >> c & 1) != 0;
            EXPECT_EQ(compare(judged, device, 1, streams).wrong, counts ? 1u : 0u) << int{stream} << ' ' << int{c};
        }
        // A register that names no streams belongs to the vertex's stream.
        judged.emitted = {{{stream, 0, {{1, right}}}}};
        device = judged;
        device.emitted[0][0].outputs[1][3] = word(9);
        EXPECT_EQ(compare(judged, device, 1, streams).wrong, 1u);
    }
}

/// Returns the halves of a double between 1 and a little more. Each half of kBeyond is permitted by itself.
std::array<Component, 2> pair() {
    reference::Wide w;
    w.kind = Kind::Interval;
    w.lo = w.value = 0x3ff0000000000000;
    w.hi = 0x3ff0000100000010;
    static uint32_t pairs = 0;
    std::array<Component, 2> halves;
    reference::split(w, pairs, halves[0], halves[1]);
    return halves;
}
constexpr uint32_t kBeyond[] = {0x20, 0x3ff00001}, kWithin[] = {0x10, 0x3ff00001};

TEST(Compare, DoublesAreHeldAsAWholeInEveryStage) {
    const auto [low, high] = pair();
    const auto answers = [&](const uint32_t(&d)[2]) { return std::array{word(1), word(d[0]), word(d[1]), word(4)}; };
    const std::array<Component, 4> expected = {word(1), low, high, word(4)};
    const auto judged_as = [&](auto&& place, const uint32_t(&d)[2]) {
        reference::Result judged, device;
        judged.written[0] = kAll;
        place(judged, expected);
        place(device, answers(d));
        return compare(judged, device, 1);
    };
    const auto plain = [](reference::Result& r, const auto& v) { r.outputs[0] = {v}; };
    const auto control = [](reference::Result& r, const auto& v) { r.vertex_outputs[{2, 0}] = {v}; };
    const auto geometry = [](reference::Result& r, const auto& v) {
        r.emitted.resize(1);
        r.emitted[0].emplace_back();
        r.emitted[0][0].outputs[0] = v;
    };
    const auto check = [&](const auto& place, const char* message) {
        const auto right = judged_as(place, kWithin);
        EXPECT_TRUE(right.passed()) << message;
        EXPECT_EQ(right.words, 4u);
        EXPECT_EQ(right.unknown, 0u) << message;
        const auto wrong = judged_as(place, kBeyond);
        ASSERT_EQ(wrong.wrong, 1u) << message;
        EXPECT_THAT(describe(wrong.mismatches[0]), testing::StartsWith(message));
    };
    check(plain, "OUT[0] lane 0.yz: got 0x3ff0000100000020");
    check(control, "OUT[0] of vertex 2, lane 0.yz: got 0x3ff0000100000020");
    check(geometry, "OUT[0] of vertex 0, lane 0.yz: got 0x3ff0000100000020");
}

TEST(Compare, DoublesInMemoryAreNamedByTheirPlace) {
    const auto [low, high] = pair();
    reference::Result judged, device;
    judged.buffers[3] = judged.hwatomics[1] = {word(1), low, high};
    judged.images[2] = {{word(1), low, high}};
    device.buffers[3] = device.hwatomics[1] = {word(1), word(kBeyond[0]), word(kBeyond[1])};
    device.images[2] = {device.buffers[3]};
    const auto c = compare(judged, device, 1);
    ASSERT_EQ(c.mismatches.size(), 3u);
    EXPECT_THAT(describe(c.mismatches[0]), testing::StartsWith("BUFFER[3] words 1, 2: got 0x3ff0000100000020"));
    EXPECT_THAT(describe(c.mismatches[1]), testing::StartsWith("HWATOMIC[1][1..2]: got 0x3ff0000100000020"));
    EXPECT_THAT(describe(c.mismatches[2]), testing::StartsWith("IMAGE[2] level 0 words 1, 2: got 0x3ff0000100000020"));
}

TEST(Compare, PicturesShowWrongComponents) {
    const auto [low, high] = pair();
    reference::Inputs inputs;
    inputs.lanes = 1;
    inputs.framebuffer_width = 2;
    const auto pictures = [&](const reference::Result& judged, const reference::Result& device, bool zeros_alike) {
        return pictures_of(judged, device, inputs, zeros_alike).size();
    };
    EXPECT_EQ(pictures(one(low, high, word(3), word(4)), words(kWithin[0], kWithin[1], 3, 4), false), 0u);
    EXPECT_EQ(pictures(one(low, high, word(3), word(4)), words(kBeyond[0], kBeyond[1], 3, 4), false), 3u);
    EXPECT_EQ(pictures(words(0, 2, 3, 4), words(0x80000000, 2, 3, 4), false), 3u);
    EXPECT_EQ(pictures(words(0, 2, 3, 4), words(0x80000000, 2, 3, 4), true), 0u);
    // A lane that may live or die, and lives, has outputs like any other.
    auto judged = words(1, 2, 3, 4);
    judged.killed = judged.killed_unknown = {true};
    auto device = words(1, 2, 3, 5);
    device.killed = {false};
    EXPECT_EQ(pictures(judged, device, false), 3u);
}

/// A double zero of the wrong sign differs in its high word alone.
TEST(Compare, SignsOfDoubleZerosMayBeEqual) {
    reference::Wide w;
    w.kind = Kind::Interval;
    w.hi = 0x10;
    uint32_t pairs = 0;
    Component low, high;
    reference::split(w, pairs, low, high);
    const auto judged = one(low, high, word(3), word(4)), device = words(0, 0x80000000, 3, 4);
    EXPECT_FALSE(compare(judged, device, 1).passed());
    EXPECT_TRUE(compare(judged, device, 1, {}, true).passed());
}

TEST(Compare, MessagesShowThePermittedWords) {
    const auto c =
        compare(one(interval(0x3f000000, 0x3f000001), word(2), word(3), word(4)), words(0x3f800000, 2, 3, 4), 1);
    EXPECT_EQ(describe(c.mismatches.at(0)),
              "OUT[0] lane 0.x: got 0x3f800000 (1), permitted [0x3f000000 (0.5), 0x3f000001 (0.50000006)]");
}

}  // namespace
}  // namespace tgsi2spv::difftest

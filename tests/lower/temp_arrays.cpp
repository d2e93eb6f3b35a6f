// TEMPX: arrays of temporaries, with constant and register indices in either bracket; out-of-range reads return 0.
#include <gtest/gtest.h>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

Words run_body(std::string_view body, const Words& in, const lower::Options& options = {}) {
    std::string text =
        R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[7]
DCL ADDR[0]
DCL TEMPX[0][0..1]
DCL TEMPX[2][1..3]
IMM[0] UINT32 {1, 2, 3, 4}
IMM[1] UINT32 {10, 20, 30, 40}
)";
    text += body;
    text += "\nEND\n";
    const Lowered lowered = lower_text(text, options);
    if (!lowered.ok) {
        ADD_FAILURE() << lowered.error << "\n" << text;
        return {};
    }
    const Evaluation e = evaluate(lowered.module, {{0, in}});
    EXPECT_EQ(e.error, "") << text;
    EXPECT_TRUE(e.undefined.empty()) << text;
    return e.outputs.at(7);
}

TEST(LowerTempArrays, ByNumbers) {
    EXPECT_EQ(
        run_body("MOV TEMPX[0][1], IMM[0]\nMOV TEMPX[2][1].xw, IMM[1]\nUADD OUT[0], TEMPX[0][1], TEMPX[2][1]", {}),
        (Words{11, 2, 3, 44}));
    EXPECT_EQ(run_body("MOV TEMPX[0][1], IMM[0]\nMOV OUT[0], TEMPX[0][0]", {}), Words{});
}

TEST(LowerTempArrays, ByRegisters) {
    const std::string store = "UARL ADDR[0], IN[0]\nMOV TEMPX[2][3], IMM[0]\nMOV TEMPX[0][0], IMM[1]\n";
    const auto read = [&](uint32_t array, uint32_t index) {
        return run_body(store + "MOV OUT[0], TEMPX[ADDR[0].x][ADDR[0].y]", {array, index, 0, 0});
    };
    EXPECT_EQ(read(2, 3), (Words{1, 2, 3, 4}));
    EXPECT_EQ(read(0, 0), (Words{10, 20, 30, 40}));
    for (const auto& [array, index] : {std::pair(0u, 2u), {1u, 0u}, {2u, 0u}, {3u, 0u}, {kAllOnes, 4u}, {0u, kAllOnes}})
        EXPECT_EQ(read(array, index), Words{}) << array << " " << index;
    EXPECT_EQ(run_body(store + "MOV OUT[0], TEMPX[2][ADDR[0].x+1]", {2, 0, 0, 0}), (Words{1, 2, 3, 4}));
    EXPECT_EQ(run_body(store + "MOV OUT[0], TEMPX[2][ADDR[0].x+1]", {3, 0, 0, 0}), Words{});
}

/// The arrays follow one another, each as long as the longest: the place after a shorter one exists.
TEST(LowerTempArrays, ElementsAfterAShorterArrayAreZero) {
    const auto read = [](uint32_t array, uint32_t index) {
        const Lowered l = lower_text(
            R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[7]
DCL ADDR[0]
DCL TEMPX[0][0..1]
DCL TEMPX[1][0..3]
IMM[0] UINT32 {1, 2, 3, 4}
IMM[1] UINT32 {10, 20, 30, 40}
UARL ADDR[0], IN[0]
MOV TEMPX[ADDR[0].x][ADDR[0].y], IMM[0]
MOV TEMPX[1][3], IMM[1]
MOV OUT[0], TEMPX[ADDR[0].x][ADDR[0].y]
END
)");
        EXPECT_TRUE(l.ok) << l.error;
        const Evaluation e = evaluate(l.module, {{0, {array, index, 0, 0}}});
        EXPECT_EQ(e.error, "");
        EXPECT_TRUE(e.undefined.empty());
        return e.outputs.at(7);
    };
    EXPECT_EQ(read(0, 1), (Words{1, 2, 3, 4}));
    EXPECT_EQ(read(1, 2), (Words{1, 2, 3, 4}));
    EXPECT_EQ(read(1, 3), (Words{10, 20, 30, 40}));
    for (const uint32_t index : {2u, 3u}) EXPECT_EQ(read(0, index), Words{}) << index;
}

TEST(LowerTempArrays, ElementsOutsideAreNotWritten) {
    for (const uint32_t index : {0u, 2u, 5u, kAllOnes}) {
        const Words out = run_body(
            "UARL ADDR[0], IN[0]\nMOV TEMPX[0][0], IMM[0]\nMOV TEMPX[0][ADDR[0].x], IMM[1]\nMOV OUT[0], TEMPX[0][0]",
            all(index));
        EXPECT_EQ(out, index == 0 ? (Words{10, 20, 30, 40}) : (Words{1, 2, 3, 4})) << index;
    }
}

TEST(LowerTempArrays, TooManyAreRefused) {
    const Lowered lowered = lower_text(R"(VERT
DCL OUT[0], POSITION
DCL TEMPX[60000][0..60000]
MOV OUT[0], TEMPX[60000][0]
END
)");
    EXPECT_FALSE(lowered.ok);
    EXPECT_NE(lowered.error.find("TEMPX"), std::string::npos) << lowered.error;
}

}  // namespace
}  // namespace tgsi2spv::test

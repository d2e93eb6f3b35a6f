// Long texts that a loop makes: budgets, limits and functions that keep modules linear in the text.
#include <gtest/gtest.h>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

TEST(LowerGeometry, ManyVerticesOfManyOutputsAreEmittedByAFunction) {
    // 4,000 EMITs of 20 outputs: storing the outputs at each EMIT would take 80,000 vectors for a text of 4,000
    // instructions.
    std::string text = "IMM[0] UINT32 {0, 1, 0, 0}\n";
    for (int i = 0; i < 20; ++i) text += "DCL OUT[" + std::to_string(i) + "], GENERIC[" + std::to_string(i) + "]\n";
    for (int i = 0; i < 20; ++i) text += "MOV OUT[" + std::to_string(i) + "], IMM[0]\n";
    for (int i = 0; i < 4000; ++i) text += i % 100 == 99 ? "EMIT IMM[0].yyyy\n" : "EMIT IMM[0].xxxx\n";
    text =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY "
        "GS_MAX_OUTPUT_VERTICES 1000\n" +
        text + "END\n";
    lower::Options buffers;
    buffers.io_buffers = true;
    for (const lower::Options& options : {lower::Options{}, buffers}) {
        const Lowered l = lower_text(text, options);
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_EQ(count(l.module, ir::Op::Call), 4000u);
        EXPECT_LT(count(l.module, ir::Op::Store), 400u);
        EXPECT_EQ(l.module.functions.size(), 3u);  // main and two streams
    }
}

}  // namespace
}  // namespace tgsi2spv::test

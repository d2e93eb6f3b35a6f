// Every opcode, by the evaluator of the IR, compared with words computed by hand (tests/reference/tables).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lower/lowered.h"
#include "meanings/meanings.h"
#include "reference/tables/arithmetic.h"
#include "reference/tables/compare.h"
#include "reference/tables/convert.h"
#include "reference/tables/integer.h"
#include "reference/tables/legacy.h"
#include "reference/tables/sweeps.h"
#include "reference/tables/wide.h"

namespace tgsi2spv::test {
namespace {

using tables::Expect;
using tables::Table;

void judge(const Table& t, const std::string& text, const ir::Module& module) {
    for (size_t row = 0; row < t.rows.size(); row++) {
        std::map<uint32_t, Words> inputs;
        for (size_t s = 0; s < t.rows[row].in.size(); s++) inputs[static_cast<uint32_t>(s)] = t.rows[row].in[s];
        const Evaluation e = evaluate(module, inputs);
        EXPECT_EQ(e.error, "") << text;
        for (const std::string& undefined : e.undefined) ADD_FAILURE() << t.instruction << ": " << undefined;
        const Words got = e.outputs.at(0);
        for (size_t c = 0; c < 4; c++)
            EXPECT_TRUE(meanings::permitted(t.rows[row].out[c], got[c], c == 3 ? 0 : got[c + 1]))
                << t.instruction << " row " << row << "."
                << "xyzw"[c] << ": 0x" << std::hex << got[c];
    }
}

/// `mask`: the destination's write mask, if it has one.
void judge(const std::vector<Table>& all, const std::string& mask = {}) {
    for (const Table& t : all) {
        const std::string text = mask.empty() ? tables::shader_text(t) : tables::masked_text(t, mask);
        for (const Lowered& l : {lower_text(text), lower_simplified(text)}) {
            EXPECT_TRUE(l.ok) << text << l.error;
            if (l.ok) judge(t, text, l.module);
        }
    }
}

TEST(LowerOpcodes, OfThirtyTwoBits) {
    judge(tables::arithmetic());
    judge(tables::compare());
    judge(tables::integer());
    judge(tables::convert());
    judge(tables::legacy());
    judge(tables::sweeps());
}

TEST(LowerOpcodes, OfSixtyFourBits) {
    judge(tables::doubles());
    judge(tables::wide_integers());
    judge(tables::wide_comparisons(), "xz");
    judge(tables::widenings());
    judge(tables::narrowings(), "xy");
    judge(tables::wide_conversions());
    judge(tables::wide_sweeps());
}

}  // namespace
}  // namespace tgsi2spv::test

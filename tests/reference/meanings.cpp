// The rules of tests/meanings, by the reference.
#include "meanings/meanings.h"

#include <gtest/gtest.h>

#include "reference/agrees.h"

namespace tgsi2spv::reference {
namespace {

using meanings::Row;
using meanings::Rule;

class Meanings : public testing::TestWithParam<std::string> {};

TEST_P(Meanings, OfTheReference) {
    for (const Rule& rule : meanings::rules(GetParam())) {
        Inputs inputs;
        inputs.lanes = static_cast<uint32_t>(rule.rows.size());
        for (const Row& row : rule.rows)
            for (size_t i = 0; i < row.in.size(); i++) inputs.inputs[{0, static_cast<int32_t>(i)}].push_back(row.in[i]);
        const Result r = run(rule.text, inputs);
        for (uint32_t lane = 0; lane < inputs.lanes; lane++) {
            const Row& row = rule.rows[lane];
            SCOPED_TRACE(GetParam() + ".txt:" + std::to_string(row.line) + ": " + rule.name);
            EXPECT_EQ(!r.killed.empty() && r.killed[lane], row.killed);
            for (size_t o = 0; o < row.out.size(); o++)
                for (size_t c = 0; c < 4; c++) {
                    if (row.out[o][c].kind == Expect::Kind::Free) continue;  // not compared
                    EXPECT_TRUE(agrees(out(r, lane, c, static_cast<int32_t>(o)), row.out[o][c])) << "OUT[" << o << "]."
                                                                                                 << "xyzw"[c];
                }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Rules, Meanings, testing::ValuesIn(meanings::files()), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace tgsi2spv::reference

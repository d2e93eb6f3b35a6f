// The rules of tests/meanings, by the evaluator of the IR.
#include "meanings/meanings.h"

#include <gtest/gtest.h>

#include <map>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using meanings::Row;
using meanings::Rule;

void judge(const Rule& rule, const Row& row, const ir::Module& module) {
    std::map<uint32_t, Words> inputs;
    for (size_t i = 0; i < row.in.size(); i++) inputs[static_cast<uint32_t>(i)] = row.in[i];
    const Evaluation e = evaluate(module, inputs);
    EXPECT_EQ(e.error, "");
    for (const std::string& undefined : e.undefined) ADD_FAILURE() << undefined;
    EXPECT_EQ(e.killed, row.killed);
    for (size_t o = 0; o < row.out.size(); o++) {
        const auto out = e.outputs.find(static_cast<uint32_t>(o));
        const Words words = out == e.outputs.end() ? Words{} : out->second;
        for (size_t c = 0; c < 4; c++)
            EXPECT_TRUE(meanings::permitted(row.out[o][c], words[c])) << rule.text << "OUT[" << o << "]."
                                                                      << "xyzw"[c] << " is 0x" << std::hex << words[c];
    }
}

class Meanings : public testing::TestWithParam<std::string> {};

TEST_P(Meanings, OfTheIr) {
    for (const Rule& rule : meanings::rules(GetParam())) {
        const Lowered plain = lower_text(rule.text), simplified = lower_simplified(rule.text);
        EXPECT_TRUE(plain.ok && simplified.ok) << rule.name << ": " << plain.error << "\n" << rule.text;
        if (!plain.ok || !simplified.ok) continue;
        for (const Row& row : rule.rows) {
            SCOPED_TRACE(GetParam() + ".txt:" + std::to_string(row.line) + ": " + rule.name);
            judge(rule, row, plain.module);
            judge(rule, row, simplified.module);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Rules, Meanings, testing::ValuesIn(meanings::files()), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace tgsi2spv::test

// The rules of tests/meanings, by the evaluator of the IR.
#include "meanings/meanings.h"

#include <gtest/gtest.h>

#include <map>

#include "lower/lowered.h"
#include "tgsi/program/resource_numbers.h"

namespace tgsi2spv::test {
namespace {

using meanings::Row;
using meanings::Rule;

void expect(const std::vector<meanings::Expect>& expected, std::span<const uint32_t> got, const std::string& name) {
    ASSERT_EQ(expected.size(), got.size());
    for (size_t c = 0; c < got.size(); c++)
        EXPECT_TRUE(meanings::permitted(expected[c], got[c], c + 1 < got.size() ? got[c + 1] : 0))
            << name << "[" << c << "] is 0x" << std::hex << got[c];
}

void judge(const Rule& rule, const Row& row, const ir::Module& module) {
    std::map<uint32_t, Words> inputs;
    Surroundings around;
    for (size_t i = 0; i < row.in.size(); i++) {
        const auto number = static_cast<uint32_t>(i);
        if (rule.is_compute())
            around.buffers[number] = row.in[i];
        else
            inputs[number] = row.input(i);
    }
    if (!rule.is_compute() && row.in.size() == 1)  // FOG has a location of its own
        for (const ir::Variable& v : module.variables)
            if (v.kind == ir::VariableKind::Input) inputs[v.location] = row.input(0);
    for (const auto& [buffer, words] : rule.counters) around.buffers[tgsi::kFirstCounter + buffer] = words;
    for (const auto& [buffer, words] : rule.constants) {
        auto& all = around.constants[buffer];
        all.resize((words.size() + 3) / 4);
        for (size_t i = 0; i < words.size(); i++) all[i / 4][i % 4] = words[i];
    }
    const Evaluation e = evaluate(module, inputs, around);
    EXPECT_EQ(e.error, "");
    for (const std::string& undefined : e.undefined) ADD_FAILURE() << undefined;
    EXPECT_EQ(e.killed, row.killed);
    for (size_t o = 0; o < row.out.size(); o++) {
        const auto number = static_cast<uint32_t>(o);
        if (rule.is_compute()) {
            expect(row.out[o], e.buffers.at(number), "BUFFER[" + std::to_string(o) + "]");
            continue;
        }
        const auto out = e.outputs.find(number);
        expect(row.out[o], out == e.outputs.end() ? Words{} : out->second, "OUT[" + std::to_string(o) + "]");
    }
}

class Meanings : public testing::TestWithParam<CaseId> {};

TEST_P(Meanings, OfTheIr) {
    for (const Rule& rule : meanings::rules_of(GetParam())) {
        const lower::Options options{.dialect = rule.dialect, .max_iterations = rule.max_iterations};
        const Lowered plain = lower_text(rule.text, options), simplified = lower_simplified(rule.text, {}, options);
        EXPECT_TRUE(plain.ok && simplified.ok) << rule.name << ": " << plain.error << "\n" << rule.text;
        if (!plain.ok || !simplified.ok) continue;
        for (const Row& row : rule.rows) {
            const auto trace = rule.trace(row);
            judge(rule, row, plain.module);
            judge(rule, row, simplified.module);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Meanings, testing::ValuesIn(cases_of(meanings::kFolder)), test_name);

}  // namespace
}  // namespace tgsi2spv::test

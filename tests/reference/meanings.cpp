// The rules of tests/meanings, by the reference.
#include "meanings/inputs.h"

#include <gtest/gtest.h>

#include <map>

#include "reference/agrees.h"

namespace tgsi2spv::reference {
namespace {

using meanings::Expect;
using meanings::Row;
using meanings::Rule;

void expect(const std::vector<Expect>& expected, std::span<const Value> got, const std::string& name) {
    ASSERT_EQ(expected.size(), got.size());
    for (size_t c = 0; c < got.size(); c++)
        EXPECT_TRUE(expected[c].kind == Expect::Kind::Double ? agrees(got[c], got[c + 1], expected[c])
                                                             : agrees(got[c], expected[c]))
            << name << "[" << c << "]";
}

/// The lanes are rows, but a row of COMP is a run of its own.
void judge(const Rule& rule, std::span<const Row> rows) {
    Options options;
    options.functions_keep_nan = false;  // devices run the same rules
    options.dialect = rule.dialect;
    options.max_iterations = rule.max_iterations;
    const Inputs inputs = meanings::inputs_of(rule, rows);
    const Result r = run(rule.text, inputs, options);
    for (uint32_t lane = 0; lane < inputs.lanes; lane++) {
        const Row& row = rows[lane];
        const auto trace = rule.trace(row);
        EXPECT_EQ(!r.killed.empty() && r.killed[lane], row.killed);
        for (size_t o = 0; o < row.out.size(); o++)
            if (rule.is_compute())
                expect(row.out[o], r.buffers.at(static_cast<uint32_t>(o)), "BUFFER[" + std::to_string(o) + "]");
            else
                expect(row.out[o], r.outputs.at(static_cast<int32_t>(o))[lane], "OUT[" + std::to_string(o) + "]");
    }
}

class Meanings : public testing::TestWithParam<test::CaseId> {};

TEST_P(Meanings, OfTheReference) {
    for (const Rule& rule : meanings::rules_of(GetParam())) {
        const std::span<const Row> rows = rule.rows;
        for (size_t i = 0; rule.is_compute() && i < rows.size(); i++) judge(rule, rows.subspan(i, 1));
        if (!rule.is_compute()) judge(rule, rows);
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Meanings, testing::ValuesIn(test::cases_of(meanings::kFolder)), test::test_name);

/// A word that the documents leave open tests nothing: for each opcode, at least 95 % of the words must be known.
TEST(Meanings, EachOpcodeIsMostlyKnown) {
    struct Count {
        size_t words = 0, free = 0;
    };
    std::map<std::string, Count> counts;
    for (const Rule& rule : meanings::all_rules())
        for (size_t c = 0; c < 4 && !rule.op.empty(); c++) {
            if (!rule.mask.empty() && rule.mask.find("xyzw"[c]) == std::string::npos) continue;
            // Rules of one opcode with other suffixes count together. Half of a NaN is known if the other half is.
            Count& count = counts[rule.op.substr(0, rule.op.find('_'))];
            for (const Row& row : rule.rows) {
                count.words++;
                count.free += row.out[0][c].kind == Expect::Kind::Free && row.out[0][c | 1].kind != Expect::Kind::Nan;
            }
        }
    EXPECT_GT(counts.size(), 150u);
    for (const auto& [opcode, count] : counts)
        EXPECT_LE(count.free * 100, count.words * 5) << opcode << ": " << count.free << " of " << count.words;
}

}  // namespace
}  // namespace tgsi2spv::reference

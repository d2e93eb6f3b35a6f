// Every opcode, compared with words computed by hand (tables/).
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "reference/agrees.h"
#include "reference/bench.h"
#include "reference/numbers/wide_value.h"
#include "reference/tables/arithmetic.h"
#include "reference/tables/compare.h"
#include "reference/tables/convert.h"
#include "reference/tables/integer.h"
#include "reference/tables/legacy.h"
#include "reference/tables/sweeps.h"
#include "reference/tables/wide.h"

namespace tgsi2spv::reference {
namespace {

using tables::Expect;
using tables::Table;

struct Count {
    int words = 0, known = 0;
};

/// Whether the double is known within the given number of ULPs of its own type, not of a float.
testing::AssertionResult agrees(const Value& low, const Value& high, const Expect& e) {
    if (!is_pair(low, high)) return testing::AssertionFailure() << "no pair";
    const Wide v = join_halves(low, high);
    const uint64_t expected = uint64_t{e.words[1]} << 32 | e.words[0];
    // The expected double and the reference's own are both rounded, and the bounds are then rounded outwards.
    const auto near = static_cast<uint64_t>(e.ulps - 0.5f), far = static_cast<uint64_t>(e.ulps) + 4;
    for (const uint64_t word : {expected, expected - near, expected + near})
        if (!permits(v, word)) return testing::AssertionFailure() << "does not permit " << std::hex << word;
    for (const uint64_t word : {expected - far, expected + far})
        if (permits(v, word)) return testing::AssertionFailure() << "permits " << std::hex << word;
    return testing::AssertionSuccess();
}

/// `mask`: the components that the instruction writes.
void judge(const Table& t, const std::string& text, Count& count, uint32_t mask = 0xf) {
    Options options;
    options.functions_keep_nan = false;  // devices run the same tables
    Inputs inputs;
    inputs.lanes = static_cast<uint32_t>(t.rows.size());
    for (const auto& row : t.rows)
        for (size_t s = 0; s < row.in.size(); ++s) inputs.inputs[{0, static_cast<int32_t>(s)}].push_back(row.in[s]);
    const Result r = run(text, inputs, options);
    for (uint32_t lane = 0; lane < inputs.lanes; ++lane)
        for (size_t c = 0; c < 4; ++c) {
            const Value& v = out(r, lane, c);
            const Expect& e = t.rows[lane].out[c];
            const bool wide = e.kind == Expect::Kind::Double;
            EXPECT_TRUE(wide ? agrees(v, out(r, lane, c + 1), e) : agrees(v, e))
                << t.instruction << " row " << lane << "."
                << "xyzw"[c];
            if ((mask >> c & 1) == 0) continue;
            ++count.words;
            // Half of a double counts as known if the double is known.
            const size_t low = c & ~size_t{1};
            count.known += !is_free(v) || is_pair(out(r, lane, low), out(r, lane, low + 1));
        }
}

void judge(const std::vector<Table>& tables) {
    Count count;
    for (const Table& t : tables) judge(t, tables::shader_text(t), count);
    EXPECT_GE(count.known * 100, count.words * 95) << count.known << " of " << count.words << " words are known";
}

TEST(Opcodes, Arithmetic) {
    judge(tables::arithmetic());
}
TEST(Opcodes, Compare) {
    judge(tables::compare());
}
TEST(Opcodes, Integer) {
    judge(tables::integer());
}
TEST(Opcodes, Convert) {
    judge(tables::convert());
}
TEST(Opcodes, Legacy) {
    judge(tables::legacy());
}
TEST(Opcodes, Wide) {
    Count count;
    for (const auto& tables :
         {tables::doubles(), tables::wide_integers(), tables::widenings(), tables::wide_conversions()})
        for (const Table& t : tables) judge(t, tables::shader_text(t), count);
    for (const Table& t : tables::wide_comparisons()) judge(t, tables::masked_text(t, "xz"), count, 0b0101);
    for (const Table& t : tables::narrowings()) judge(t, tables::masked_text(t, "xy"), count, 0b0011);
    EXPECT_GE(count.known * 100, count.words * 95) << count.known << " of " << count.words << " words are known";
}
TEST(Opcodes, Sweeps) {
    judge(tables::sweeps());
    Count count;
    for (const Table& t : tables::wide_sweeps()) judge(t, tables::shader_text(t), count);
    EXPECT_EQ(count.known, count.words);
}

/// A word that the documents leave open tests nothing: for each opcode, at least 95 % of the words that its tables
/// compare must be known.
TEST(Opcodes, EachIsMostlyKnown) {
    std::map<std::string, Count> counts;
    // Tables of one opcode with different suffixes or dialects count together.
    const auto of = [&](const Table& t) -> Count& {
        return counts[t.instruction.substr(0, t.instruction.find_first_of(" _"))];
    };
    for (const auto& tables : {tables::arithmetic(), tables::compare(), tables::integer(), tables::convert(),
                               tables::legacy(), tables::doubles(), tables::wide_integers(), tables::widenings(),
                               tables::wide_conversions(), tables::sweeps(), tables::wide_sweeps()})
        for (const Table& t : tables) judge(t, tables::shader_text(t), of(t));
    for (const Table& t : tables::wide_comparisons()) judge(t, tables::masked_text(t, "xz"), of(t), 0b0101);
    for (const Table& t : tables::narrowings()) judge(t, tables::masked_text(t, "xy"), of(t), 0b0011);
    EXPECT_GT(counts.size(), 150u);
    for (const auto& [opcode, count] : counts)
        EXPECT_GE(count.known * 100, count.words * 95)
            << opcode << ": " << count.known << " of " << count.words << " words are known";
}
TEST(Opcodes, Address) {
    Count count;
    for (const Table& t : tables::address())
        judge(t,
              R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL ADDR[0]
0: )" + t.instruction +
                  " ADDR[0], IN[0]\n1: MOV OUT[0], ADDR[0]\n2: END\n",
              count);
    EXPECT_EQ(count.known, count.words);
}

}  // namespace
}  // namespace tgsi2spv::reference

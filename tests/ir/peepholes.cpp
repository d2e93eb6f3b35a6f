// Each law of peepholes.cpp: the form that it gives, and that it computes the same words for every pair of edge values.
#include "ir/peepholes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/compose.h"
#include "ir/fold.h"
#include "ir/may_fold.h"
#include "ir/passes/dead_code.h"
#include "ir/passes/evaluate.h"
#include "ir/passes/pass_test.h"
#include "ir/text_cases.h"

namespace tgsi2spv::ir {
namespace {

constexpr uint32_t kEdges[] = {
    0,          1,          2,          0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
    31,         0x3f800000, 0xbf800000, 0x3fc00000, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00001, 0x00400000, 0x80400000, 0x7f7fffff, 0x00800000, 0x3eaaaaab,
};

void fold_and_clean(Module& m, PassMemory& memory) {
    for (Function& f : m.functions) fold(m, f, memory);
    remove_dead_code(m, memory);
}

bool is_nan(uint32_t word) {
    return (word & 0x7fffffff) > 0x7f800000;
}

/// The text of a law of data/laws.txt.
std::string body_of(const TextCase& law) {
    std::string result = law.before;
    if (!result.ends_with('\n')) result += '\n';
    const size_t at = result.rfind("%r = ") + 5;
    const bool is_float = result.compare(result.find(' ', at) + 1, 3, "f32") == 0;
    return result + (is_float ? "%word = Bitcast u32 %r\nStore $0[u32(0)], %word\n" : "Store $0[u32(0)], %r\n");
}

/// Returns the opcodes left, without the loads of i and j and the casts to x and y, or the input or constant that is
/// stored.
std::string left_of(const Module& m) {
    std::string result;
    const Function& f = m.functions[0];
    for (const Instruction& i : f.instructions) {
        const bool is_word = i.op == Op::Load && m.variables[i.aux].kind == VariableKind::StorageBuffer;
        if (is_word || i.op == Op::Return) continue;
        if (i.op == Op::Store) {
            const Value v = f.args_of(i)[1];
            if (!result.empty()) break;
            if (is_constant(v)) return std::to_string(m.constant(v).words[0]);
            const Instruction& load = f.instructions[v];
            return m.constants[f.args_of(load)[0] & ~kConstantBit].words[0] == 0 ? "i" : "j";
        }
        const bool is_cast_of_word =
            i.op == Op::Bitcast && f.instructions[f.args_of(i)[0]].op == Op::Load && i.type.components == 1;
        const bool is_cast_to_word = i.op == Op::Bitcast && f.instructions[f.args_of(i)[0]].type == f32() &&
                                     &i + 1 != f.instructions.data() + f.instructions.size() &&
                                     (&i + 1)->op == Op::Store;
        if (is_cast_of_word || is_cast_to_word) continue;
        result += (result.empty() ? "" : " ") + std::string(info(i.op).name);
    }
    return result;
}

TEST(Peepholes, EachLawGivesItsFormAndTheSameWords) {
    for (const TextCase& law : text_cases("ir/data/laws")) {
        const std::string text = pass_module(body_of(law));
        Module before, after;
        ASSERT_EQ(read_module(text, before), "") << law.before;
        ASSERT_EQ(read_module(text, after), "");
        PassMemory memory;
        memory.constants.fill(after);
        fold_and_clean(after, memory);
        const auto broken = verify(after);
        ASSERT_FALSE(broken) << describe(after, *broken) << print(after);
        std::string expected = law.after;
        if (expected == "x") expected = "i";  // the casts to float and back are gone, too
        EXPECT_EQ(left_of(after), expected) << law.before << "\n" << print(after);
        for (const uint32_t i : kEdges) {
            for (const uint32_t j : kEdges) {
                const Words v = {i, j, i ^ j, 0x40490fdb};
                const uint32_t was = evaluate(before, {i, j}, v).at(0), is = evaluate(after, {i, j}, v).at(0);
                ASSERT_TRUE(was == is || (is_nan(was) && is_nan(is)))
                    << law.before << "\ni = " << std::hex << i << ", j = " << j << ": " << was << " became " << is
                    << "\n"
                    << print(after);
            }
        }
    }
}

/// Whether the instruction is as the builder makes it: a Compose must be a result of resolve().
bool is_resolved(const Module& m, const Function& f, const Instruction& i) {
    if (i.op != Op::Compose) return true;
    const auto args = f.args_of(i);
    std::vector<Component> parts;
    for (size_t a = 0; a < args.size(); a++) parts.push_back({args[a], static_cast<uint8_t>(i.aux >> 2 * a & 3)});
    const Composition c = resolve(m, f, parts);
    return c.single == kNone && !c.constant && std::equal(args.begin(), args.end(), c.values.begin());
}

/// Calls may_fold() as the builder does, which knows the number of arguments.
bool asks_for_laws(const Module& m, const Function& f, const Instruction& i) {
    const auto args = f.args_of(i);
    switch (args.size()) {
        case 1:
            return may_fold(m, f, i.op, i.type, args.first<1>());
        case 2:
            return may_fold(m, f, i.op, i.type, args.first<2>());
        case 3:
            return may_fold(m, f, i.op, i.type, args.first<3>());
        default:
            return may_fold(m, f, i.op, i.type, args);
    }
}

/// The builder asks may_fold() first, so it must not keep an instruction from its law.
TEST(Peepholes, MayFoldKnowsTheOperationsOfEachLaw) {
    for (const TextCase& law : text_cases("ir/data/laws")) {
        Module m;
        ASSERT_EQ(read_module(pass_module(body_of(law)), m), "") << law.before;
        PassMemory memory;
        memory.constants.fill(m);
        Function& f = m.functions[0];
        start_renaming(f, memory);
        for (uint32_t n = 0; n < f.instructions.size(); n++) {
            rename_arguments(f, f.instructions[n], memory);
            if (is_terminator(f.instructions[n].op) || !is_resolved(m, f, f.instructions[n])) continue;
            const bool asked = asks_for_laws(m, f, f.instructions[n]);
            const Op before = f.instructions[n].op;
            memory.renamed[n] = fold_instruction(m, f, n, memory.constants);
            const bool changed = memory.renamed[n] != n || f.instructions[n].op != before;
            EXPECT_TRUE(asked || !changed) << law.before << ", instruction " << n;
        }
    }
}

TEST(Peepholes, ABranchOnANegationSwapsItsTargets) {
    const std::string result = run_pass(pass_module(R"(  %e = LAnd bool %c, %d
  %n = LNot bool %e
  Branch b1
b1: merge b3
  BranchIf %n, b2, b3
b2:
  Store $0[u32(0)], %i
  Branch b3
b3:
)"),
                                        fold_and_clean);
    EXPECT_THAT(result, testing::HasSubstr("BranchIf %4, b3, b2")) << result;
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("LNot")));
}

TEST(Peepholes, InstructionsWithoutALawStay) {
    const std::string text = R"(entry Fragment f0
$0 = StorageBuffer u32
function f0 "main" () -> void {
b0:
  %0 = Load u32 $0[u32(0)]
  %1 = Load u32 $0[u32(1)]
  %2 = Bitcast f32 %0
  %3 = FAdd f32 %2, f32(0) !precise
  %4 = DPdx f32 %3
  %5 = Bitcast u32 %4
  %6 = ISub u32 %5, %1
  %7 = UMulExt u32 %6, u32(0)
  %8 = Second u32 %7
  %9 = Compose u32x2 %7.x, %8.x
  %10 = Bitcast u64 %9
  %11 = LShr u64 %10, %1
  %12 = UConvert u32 %11
  Store $0[u32(0)], %12
  Return
}
)";
    EXPECT_EQ(run_pass(text, fold_and_clean), normal(text));
}

}  // namespace
}  // namespace tgsi2spv::ir

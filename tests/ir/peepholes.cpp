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

struct Law {
    const char* body;  ///< defines %r, which is stored
    const char*
        left;  ///< the opcodes that remain after those of the inputs, or else the input or the constant that is stored
};

// i, j: words; x, y: the same as floats; c: i < j; d: j < 9.
const Law kLaws[] = {
    // float
    {"%r = FMul f32 %x, f32(1)", "x"},
    {"%r = FMul f32 f32(1), %x", "x"},
    {"%r = FDiv f32 %x, f32(1)", "x"},
    {"%r = FAdd f32 %x, f32(-0)", "x"},
    {"%r = FAdd f32 %x, f32(0)", "FAdd"},
    {"%r = FSub f32 %x, f32(0)", "x"},
    {"%r = FSub f32 %x, f32(-0)", "FSub"},
    {"%r = FMul f32 %x, f32(0)", "FMul"},
    {"%r = FSub f32 %x, %x", "FSub"},
    {"%r = FDiv f32 %x, %x", "FDiv"},
    {"%n = FNegate f32 %y\n%r = FAdd f32 %x, %n", "FSub"},
    {"%n = FNegate f32 %x\n%r = FAdd f32 %n, %y", "FSub"},
    {"%n = FNegate f32 %y\n%r = FSub f32 %x, %n", "FAdd"},
    {"%n = FNegate f32 %x\n%r = FSub f32 %n, %y", "FNegate FSub"},
    {"%n = FNegate f32 %x\n%o = FNegate f32 %y\n%r = FMul f32 %n, %o", "FMul"},
    {"%n = FNegate f32 %x\n%r = FMul f32 %n, f32(3)", "FMul"},
    {"%n = FNegate f32 %x\n%r = FMul f32 %n, %y", "FNegate FMul"},
    {"%n = FNegate f32 %x\n%r = FNegate f32 %n", "x"},
    {"%n = FNegate f32 %x\n%r = FAbs f32 %n", "FAbs"},
    {"%n = FAbs f32 %x\n%r = FAbs f32 %n", "FAbs"},
    {"%n = FAbs f32 %x\n%r = FNegate f32 %n", "FAbs FNegate"},
    {"%r = FMin f32 %x, %x", "x"},
    {"%n = FNegate f32 %x\n%r = FMin f32 %n, %n", "FNegate"},
    {"%n = FNegate f32 %x\n%r = FMax f32 %n, %x", "FAbs"},
    {"%n = FNegate f32 %x\n%r = FMax f32 %x, %n", "FAbs"},
    {"%n = FNegate f32 %x\n%r = FMax f32 %n, %y", "FNegate FMax"},
    {"%n = FNegate f32 %x\n%r = FMin f32 %n, %x", "FNegate FMin"},
    {"%b = FOLt bool %x, %x\n%r = Select u32 %b, %i, %j", "j"},
    {"%b = FUNe bool %x, %x\n%r = Select u32 %b, %i, %j", "FUNe Select"},
    {"%b = FOLe bool %x, %x\n%r = Select u32 %b, %i, %j", "FOLe Select"},
    // integer
    {"%r = IAdd u32 %i, u32(0)", "i"},
    {"%r = ISub u32 %i, %i", "0"},
    {"%r = ISub u32 %i, u32(0)", "i"},
    {"%a = IAdd u32 %i, u32(5)\n%r = IAdd u32 %a, u32(0xfffffffe)", "IAdd"},
    {"%a = IMul u32 %i, u32(5)\n%r = IMul u32 %a, u32(7)", "IMul"},
    {"%a = And u32 %i, u32(12)\n%r = And u32 %a, u32(4)", "And"},
    {"%a = Or u32 %i, u32(12)\n%r = Or u32 %a, u32(3)", "Or"},
    {"%a = Xor u32 %i, u32(12)\n%r = Xor u32 %a, u32(3)", "Xor"},
    {"%a = IAdd u32 %i, u32(5)\n%r = IMul u32 %a, u32(7)", "IAdd IMul"},
    {"%r = IMul u32 %i, u32(1)", "i"},
    {"%r = IMul u32 u32(0), %i", "0"},
    {"%r = UMin u32 %i, u32(0)", "0"},
    {"%r = UMin u32 %i, u32(1)", "UMin"},
    {"%r = UMax u32 %i, u32(0)", "i"},
    {"%r = SMin u32 %i, u32(0)", "SMin"},
    {"%r = UDiv u32 %i, u32(1)", "i"},
    {"%r = SDiv u32 %i, u32(1)", "i"},
    {"%r = UMod u32 %i, u32(1)", "0"},
    {"%r = UDiv u32 %i, %i", "UDiv"},
    {"%a = INegate u32 %i\n%r = INegate u32 %a", "i"},
    {"%a = Not u32 %i\n%r = Not u32 %a", "i"},
    {"%r = And u32 %i, u32(0xffffffff)", "i"},
    {"%r = And u32 %i, u32(0)", "0"},
    {"%r = Or u32 %i, u32(0)", "i"},
    {"%r = Or u32 %i, u32(0xffffffff)", "4294967295"},
    {"%r = Xor u32 %i, %i", "0"},
    {"%r = Xor u32 %i, u32(0xffffffff)", "Xor"},
    {"%r = And u32 %i, %i", "i"},
    {"%r = Shl u32 %i, u32(0)", "i"},
    {"%r = AShr u32 %i, u32(31)", "AShr"},
    {"%r = SMin u32 %i, %i", "i"},
    {"%b = ULe bool %i, %i\n%r = Select u32 %b, %i, %j", "i"},
    {"%b = INe bool %i, %i\n%r = Select u32 %b, %i, %j", "j"},
    // integer, of 64 bits: both words count
    {"%w = SConvert u64 %i\n%a = And u64 %w, u64(0xffffffffffffffff)\n%h = LShr u64 %a, u32(32)\n%r = UConvert u32 %h",
     "SConvert LShr UConvert"},
    {"%w = SConvert u64 %i\n%a = And u64 %w, u64(0xffffffff)\n%h = LShr u64 %a, u32(32)\n%r = UConvert u32 %h",
     "SConvert And LShr UConvert"},
    {"%w = SConvert u64 %i\n%a = Or u64 %w, u64(0)\n%h = LShr u64 %a, u32(32)\n%r = UConvert u32 %h",
     "SConvert LShr UConvert"},
    {"%w = SConvert u64 %i\n%a = Or u64 %w, u64(0x100000000)\n%h = LShr u64 %a, u32(32)\n%r = UConvert u32 %h",
     "SConvert Or LShr UConvert"},
    {"%w = SConvert u64 %i\n%a = IMul u64 %w, u64(0x100000001)\n%h = LShr u64 %a, u32(32)\n%r = UConvert u32 %h",
     "SConvert IMul LShr UConvert"},
    // bool
    {"%b = LNot bool %c\n%e = LNot bool %b\n%r = Select u32 %e, %i, %j", "ULt Select"},
    {"%b = LNot bool %c\n%r = Select u32 %b, %i, %j", "UGe Select"},
    {"%b = FOLt bool %x, %y\n%e = LNot bool %b\n%r = Select u32 %e, u32(7), u32(8)", "FOLt Select"},
    {"%b = FOEq bool %x, %y\n%e = LNot bool %b\n%r = Select u32 %e, u32(7), u32(8)", "FUNe Select"},
    {"%b = FOLt bool %x, %y\n%e = LNot bool %b\n%g = LOr bool %e, %c\n%r = Select u32 %g, %i, %j",
     "ULt FOLt LNot LOr Select"},
    {"%b = FOEq bool %x, %y\n%e = LNot bool %b\n%g = LOr bool %e, %c\n%r = Select u32 %g, %i, %j",
     "ULt FUNe LOr Select"},
    {"%b = SLt bool %i, %j\n%e = LNot bool %b\n%g = LOr bool %e, %c\n%r = Select u32 %g, %i, %j", "ULt SGe LOr Select"},
    {"%b = LAnd bool %c, bool(true)\n%r = Select u32 %b, %i, %j", "ULt Select"},
    {"%b = LOr bool %c, bool(true)\n%r = Select u32 %b, %i, %j", "i"},
    {"%b = LAnd bool %c, bool(false)\n%r = Select u32 %b, %i, %j", "j"},
    {"%b = LEq bool %c, bool(false)\n%r = Select u32 %b, %i, %j", "UGe Select"},
    {"%b = LNe bool %c, %c\n%r = Select u32 %b, %i, %j", "j"},
    // selections
    {"%r = Select u32 %c, %i, %i", "i"},
    {"%r = Select u32 bool(true), %i, %j", "i"},
    {"%a = Select u32 %c, %i, u32(3)\n%r = Select u32 %c, %a, %j", "ULt Select"},
    {"%a = Select u32 %c, %i, u32(3)\n%r = Select u32 %c, %j, %a", "ULt Select"},
    {"%a = Select u32 %d, %i, u32(3)\n%r = Select u32 %c, %j, %a", "ULt ULt Select Select"},
    {"%b = Select bool %c, bool(true), bool(false)\n%r = Select u32 %b, %i, %j", "ULt Select"},
    {"%b = Select bool %c, bool(false), bool(true)\n%r = Select u32 %b, %i, %j", "UGe Select"},
    // a comparison that is turned into a word and tested again
    {"%a = Select u32 %c, u32(0xffffffff), u32(0)\n%b = INe bool %a, u32(0)\n%r = Select u32 %b, %i, %j", "ULt Select"},
    {"%a = Select u32 %c, u32(0xffffffff), u32(0)\n%b = IEq bool %a, u32(0)\n%r = Select u32 %b, %i, %j", "UGe Select"},
    {"%a = Select f32 %c, f32(1), f32(0)\n%b = FUNe bool %a, f32(0)\n%r = Select u32 %b, %i, %j", "ULt Select"},
    {"%a = Select u32 %c, u32(0xffffffff), u32(0)\n%f = Bitcast f32 %a\n%b = FUNe bool %f, f32(0)\n"
     "%r = Select u32 %b, %i, %j",
     "ULt Select"},
    {"%a = Select u32 %c, u32(0xffffffff), u32(0)\n%r = And u32 %a, u32(0x3f800000)", "ULt Select"},
    {"%a = Select u32 %c, u32(0xffffffff), u32(0)\n%r = Not u32 %a", "ULt Select"},
    {"%a = Select u32 %c, u32(0xffffffff), u32(0)\n%e = Select u32 %d, u32(0xffffffff), u32(0)\n%g = And u32 %a, %e\n"
     "%b = INe bool %g, u32(0)\n%r = Select u32 %b, %i, %j",
     "ULt ULt LAnd Select"},
    {"%a = Select u32 %c, u32(0xffffffff), u32(0)\n%e = Select u32 %d, u32(0xffffffff), u32(0)\n%g = Or u32 %a, %e\n"
     "%b = INe bool %g, u32(0)\n%r = Select u32 %b, %i, %j",
     "ULt ULt LOr Select"},
    {"%a = Select u32 %c, u32(3), u32(4)\n%b = UDiv u32 %a, u32(0)\n%r = Select u32 %d, %b, u32(9)",
     "ULt ULt Select UDiv Select"},
    // same bits
    {"%a = Bitcast u32 %x\n%r = IAdd u32 %a, u32(1)", "IAdd"},
    {"%a = Compose u32x2 %i.x, %j.x\n%r = Compose u32 %a.y", "j"},
    {"%a = Compose u32x4 %v.x, %v.y, %v.z, %v.w\n%r = Compose u32 %a.z", "Load Compose"},
    {"%a = Compose u32x2 %v.w, %v.z\n%b = Compose u32x2 %a.y, %a.y\n%r = Compose u32 %b.x", "Load Compose"},
    {"%f = Bitcast f32x4 %v\n%a = Compose f32 %f.x\n%b = Bitcast u32 %a\n%r = Not u32 %b",
     "Load Bitcast Compose Bitcast Not"},
    {"%a = Compose u32 %v.x\n%b = Compose u32 %v.y\n%e = Bitcast f32 %a\n%f = Bitcast f32 %b\n"
     "%g = Compose f32x2 %e.x, %f.x\n%h = Compose f32 %g.y\n%r = Bitcast u32 %h",
     "Load Compose"},
    {"%k = Select u32x2 %c, u32x2(5, 6), u32x2(7, 8)\n%r = Compose u32 %k.y", "ULt Select"},
};

std::string body_of(const Law& law) {
    std::string text = law.body, result = "  ";
    for (const char c : text) result += c == '\n' ? std::string("\n  ") : std::string(1, c);
    const size_t at = result.rfind("%r = ") + 5;
    const size_t type = result.find(' ', at) + 1;
    if (result.substr(type, 3) == "f32")
        result += "\n  %word = Bitcast u32 %r\n  Store $0[u32(0)], %word\n";
    else
        result += "\n  Store $0[u32(0)], %r\n";
    return result;
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
    for (const Law& law : kLaws) {
        const std::string text = pass_module(body_of(law));
        Module before, after;
        ASSERT_EQ(read_module(text, before), "") << law.body;
        ASSERT_EQ(read_module(text, after), "");
        PassMemory memory;
        memory.constants.fill(after);
        fold_and_clean(after, memory);
        const auto broken = verify(after);
        ASSERT_FALSE(broken) << describe(after, *broken) << print(after);
        std::string expected = law.left;
        if (expected == "x") expected = "i";  // the casts to float and back are gone, too
        EXPECT_EQ(left_of(after), expected) << law.body << "\n" << print(after);
        for (const uint32_t i : kEdges) {
            for (const uint32_t j : kEdges) {
                const Words v = {i, j, i ^ j, 0x40490fdb};
                const uint32_t was = evaluate(before, {i, j}, v).at(0), is = evaluate(after, {i, j}, v).at(0);
                ASSERT_TRUE(was == is || (is_nan(was) && is_nan(is)))
                    << law.body << "\ni = " << std::hex << i << ", j = " << j << ": " << was << " became " << is << "\n"
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
    for (const Law& law : kLaws) {
        Module m;
        ASSERT_EQ(read_module(pass_module(body_of(law)), m), "") << law.body;
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
            EXPECT_TRUE(asked || !changed) << law.body << ", instruction " << n;
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

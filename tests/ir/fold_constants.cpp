#include "ir/fold_constants.h"

#include <gtest/gtest.h>

#include "ir/fold.h"
#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"

namespace tgsi2spv::ir {
namespace {

/// Returns the constant that `expression` folds to, as text, or `stays` if it does not fold.
std::string folded(const std::string& expression) {
    Module m;
    const size_t type_at = expression.find(' ') + 1;
    const std::string type = expression.substr(type_at, expression.find(' ', type_at) - type_at);
    const std::string module = "entry Vertex f0\n$0 = Private " + type +
                               "\nfunction f0 () -> void {\nb0:\n  %0 = " + expression +
                               "\n  Store $0, %0\n  Return\n}\n";
    if (const std::string wrong = read_module(module, m); !wrong.empty()) return wrong;
    PassMemory memory;
    memory.constants.fill(m);
    fold(m, m.functions[0], memory);
    const std::string result = print(m, m.functions[0], 1);
    const std::string value = result.substr(result.find(", ") + 2);
    return value.starts_with("%") ? "stays" : value;
}

struct Fold {
    const char* expression;
    const char* result;
};

void expect_all(std::initializer_list<Fold> table) {
    for (const Fold& f : table) EXPECT_EQ(folded(f.expression), f.result) << f.expression;
}

TEST(FoldConstants, FloatArithmeticWhereItIsExact) {
    expect_all({
        {"FAdd f32 f32(1.5), f32(2.25)", "f32(3.75)"},
        {"FAdd f32x2 f32x2(1, 2), f32x2(3, 4)", "f32x2(4, 6)"},
        {"FSub f32 f32(1), f32(4)", "f32(-3)"},
        {"FMul f32 f32(1.5), f32(-2)", "f32(-3)"},
        {"FMul f32 f32(0), f32(-2)", "f32(-0)"},
        {"FAdd f32 f32(-0), f32(-0)", "f32(-0)"},
        {"FAdd f32 f32(0), f32(5)", "f32(5)"},
        {"Fma f32 f32(2), f32(3), f32(4)", "f32(10)"},
        {"FFloor f32 f32(-1.5)", "f32(-2)"},
        {"FCeil f32 f32(-0.5)", "f32(-0)"},
        {"FTrunc f32 f32(-1.5)", "f32(-1)"},
        {"FRoundEven f32x4 f32x4(0.5, 1.5, 2.5, -0.5)", "f32x4(0, 2, 2, -0)"},
        {"FRoundEven f32 f32(8388609)", "f32(8388609)"},
        {"FFract f32 f32(-1.25)", "f32(0.75)"},
        {"FMin f32 f32(1), f32(2)", "f32(1)"},
        {"FMax f32 f32(1), f32(2)", "f32(2)"},
        {"FClamp f32x3 f32x3(-1, 0.5, 2), f32x3(0, 0, 0), f32x3(1, 1, 1)", "f32x3(0, 0.5, 1)"},
        {"FNegate f32 f32(0x7fc00001)", "f32(0xffc00001)"},
        {"FNegate f32 f32(0)", "f32(-0)"},
        {"FAbs f32 f32(-1e-45)", "f32(1e-45)"},
    });
}

TEST(FoldConstants, FloatArithmeticThatMayDifferStays) {
    expect_all({
        {"FAdd f32 f32(1), f32(1e-10)", "stays"},            // rounds
        {"FAdd f32 f32(0.1), f32(0.2)", "stays"},            // rounds
        {"FMul f32 f32(0.1), f32(0.1)", "stays"},            // rounds
        {"FMul f32 f32(1e-30), f32(1e-30)", "stays"},        // underflows
        {"FMul f32 f32(1.1754944e-38), f32(0.5)", "stays"},  // a denormal: may be flushed
        {"FAdd f32 f32(1e-45), f32(0)", "stays"},            // from a denormal
        {"FMul f32 f32(3e38), f32(3e38)", "stays"},          // overflows
        {"FSub f32 f32(1), f32(1)", "stays"},                // +0 or -0, depending on the rounding mode
        {"FAdd f32 f32(0), f32(-0)", "stays"},
        {"FAdd f32 f32(0x7f800000), f32(1)", "stays"},
        {"FMul f32 f32(0x7fc00000), f32(2)", "stays"},
        {"Fma f32 f32(0.1), f32(0.1), f32(1)", "stays"},  // rounded once or twice
        {"FMin f32 f32(0), f32(-0)", "stays"},            // either zero is permitted
        {"FMin f32 f32(0x7fc00000), f32(1)", "stays"},
        {"FClamp f32 f32(0.5), f32(1), f32(0)", "stays"},  // the bounds cross
        {"FClamp f32 f32(-0), f32(0), f32(1)", "stays"},
        {"FDiv f32 f32(1), f32(3)", "stays"},
        {"FDiv f32 f32(4), f32(2)", "stays"},  // 2.5 ulp
        {"FSqrt f32 f32(4)", "stays"},
        {"FExp2 f32 f32(1)", "stays"},
        {"FSin f32 f32(0)", "stays"},
        {"FFract f32 f32(2)", "stays"},  // 2 - 2: the sign of zero
        {"FDot f32 f32x2(1, 2), f32x2(3, 4)", "stays"},
        {"FAdd f64 f64(1), f64(2)", "stays"},
    });
}

TEST(FoldConstants, FloatComparisons) {
    expect_all({
        {"FOEq bool f32(0), f32(-0)", "bool(true)"},
        {"FOLt bool f32(-1), f32(1)", "bool(true)"},
        {"FOLe bool f32(1), f32(1)", "bool(true)"},
        {"FOGt bool f32(1), f32(1)", "bool(false)"},
        {"FOGe bool f32(0x7fc00000), f32(1)", "bool(false)"},
        {"FUNe bool f32(0x7fc00000), f32(0x7fc00000)", "bool(true)"},
        {"FUNe bool f32(0), f32(-0)", "bool(false)"},
        {"FOLt bool f32(1), f32(0x7f800000)", "bool(true)"},
        {"IsNan bool f32(0x7fc00000)", "bool(true)"},
        {"FOEq bool f32(1e-45), f32(0)", "stays"},  // equal where denormals are flushed
        {"FUNe bool f32(1e-45), f32(0)", "stays"},
    });
}

TEST(FoldConstants, Doubles) {
    expect_all({
        {"FNegate f64 f64(0)", "f64(-0)"},
        {"FAbs f64x2 f64x2(-1, 2)", "f64x2(1, 2)"},
        {"FOLt bool f64(-1), f64(1)", "bool(true)"},
        {"FOEq bool f64(0), f64(-0)", "bool(true)"},
        {"FUNe bool f64(1), f64(1)", "bool(false)"},
        {"FOGe bool f64(1), f64(2)", "bool(false)"},
        {"IsNan bool f64(1)", "bool(false)"},
        {"FOEq bool f64(1e-310), f64(0)", "stays"},  // equal where denormals are flushed
        {"FConvert f64 f32(0.5)", "f64(0.5)"},
        {"FConvert f64 f32(1e-45)", "stays"},
        {"FConvert f32 f64(0.5)", "stays"},
        {"SToF f64 u32(0xffffffff)", "f64(-1)"},
        {"UToF f64 u32(0xffffffff)", "f64(4294967295)"},
        {"SToF f64 u64(1)", "stays"},
        {"FMul f64 f64(2), f64(3)", "stays"},
    });
}

TEST(FoldConstants, Integers) {
    expect_all({
        {"IAdd u32 u32(0xffffffff), u32(2)", "u32(1)"},
        {"ISub u64 u64(0), u64(1)", "u64(18446744073709551615)"},
        {"IMul u32 u32(0x10000), u32(0x10001)", "u32(65536)"},
        {"UDiv u32 u32(0xffffffff), u32(2)", "u32(2147483647)"},
        {"UMod u32 u32(7), u32(4)", "u32(3)"},
        {"SDiv u32 u32(0xfffffff9), u32(2)", "u32(4294967293)"},  // -7 / 2 = -3
        {"INegate u32 u32(0x80000000)", "u32(2147483648)"},
        {"SAbs u32 u32(0x80000000)", "u32(2147483648)"},
        {"SAbs u32 u32(0xffffffff)", "u32(1)"},
        {"SSign u32 u32(0xfffffff0)", "u32(4294967295)"},
        {"SMin u32 u32(0x80000000), u32(1)", "u32(2147483648)"},
        {"UMin u32 u32(0x80000000), u32(1)", "u32(1)"},
        {"SMax u64 u64(18446744073709551615), u64(0)", "u64(0)"},
        {"Not u32 u32(0xf0)", "u32(4294967055)"},
        {"Shl u32 u32(3), u32(31)", "u32(2147483648)"},
        {"LShr u32 u32(0x80000000), u32(31)", "u32(1)"},
        {"AShr u32 u32(0x80000000), u32(31)", "u32(4294967295)"},
        {"AShr u64 u64(0x8000000000000000), u32(63)", "u64(18446744073709551615)"},
        {"BitInsert u32 u32(0xffffffff), u32(0), u32(4), u32(8)", "u32(4294963215)"},
        {"BitInsert u32 u32(1), u32(0xabcd), u32(0), u32(32)", "u32(43981)"},
        {"UBitExtract u32 u32(0xabcd), u32(4), u32(8)", "u32(188)"},
        {"SBitExtract u32 u32(0xabcd), u32(8), u32(8)", "u32(4294967211)"},
        {"SBitExtract u32 u32(0xabcd), u32(8), u32(0)", "u32(0)"},
        {"BitReverse u32 u32(1)", "u32(2147483648)"},
        {"BitCount u32 u32(0xff00ff00)", "u32(16)"},
        {"FindLsb u32 u32(8)", "u32(3)"},
        {"FindLsb u32 u32(0)", "u32(4294967295)"},
        {"FindUMsb u32 u32(0x80000000)", "u32(31)"},
        {"FindSMsb u32 u32(0xffffffff)", "u32(4294967295)"},
        {"FindSMsb u32 u32(0xfffffff0)", "u32(3)"},
        {"SLt bool u32(0xffffffff), u32(0)", "bool(true)"},
        {"ULt bool u32(0xffffffff), u32(0)", "bool(false)"},
        {"UGe boolx2 u32x2(1, 2), u32x2(2, 1)", "boolx2(false, true)"},
    });
}

TEST(FoldConstants, UndefinedIntegersStay) {
    expect_all({
        {"UDiv u32 u32(1), u32(0)", "stays"},
        {"UMod u32x2 u32x2(1, 1), u32x2(1, 0)", "stays"},
        {"SDiv u32 u32(0x80000000), u32(0xffffffff)", "stays"},
        {"SDiv u64 u64(0x8000000000000000), u64(0xffffffffffffffff)", "stays"},
        {"Shl u32 u32(1), u32(32)", "stays"},
        {"LShr u64 u64(1), u32(64)", "stays"},
        {"UBitExtract u32 u32(1), u32(16), u32(17)", "stays"},
        {"BitInsert u32 u32(1), u32(1), u32(0xffffffff), u32(1)", "stays"},
        {"IAdd u32 spec(1)u32(1), u32(1)", "stays"},  // known only when the pipeline is created
    });
}

TEST(FoldConstants, ConversionsAndBits) {
    expect_all({
        {"SToF f32 u32(0xffffffff)", "f32(-1)"},
        {"UToF f32 u32(16777216)", "f32(16777216)"},
        {"UToF f32 u32(16777217)", "stays"},  // rounds
        {"FToS u32 f32(-1.75)", "u32(4294967295)"},
        {"FToS u32 f32(2147483648)", "stays"},  // does not fit
        {"FToU u32 f32(4294967040)", "u32(4294967040)"},
        {"FToU u32 f32(-1)", "stays"},
        {"FToS u32 f32(0x7fc00000)", "stays"},
        {"UConvert u64 u32(0xffffffff)", "u64(4294967295)"},
        {"SConvert u64 u32(0xffffffff)", "u64(18446744073709551615)"},
        {"UConvert u32 u64(0x100000002)", "u32(2)"},
        {"Bitcast f32 u32(0x7fc00001)", "f32(0x7fc00001)"},
        {"Bitcast u32x2 u64(0x100000002)", "u32x2(2, 1)"},
        {"Select u32x2 boolx2(true, false), u32x2(1, 2), u32x2(3, 4)", "u32x2(1, 4)"},
        {"Select u64 bool(false), u64(1), u64(3)", "u64(3)"},
        {"Any bool boolx3(false, true, false)", "bool(true)"},
        {"All bool boolx3(false, true, false)", "bool(false)"},
        {"LEq bool bool(true), bool(false)", "bool(false)"},
        {"Compose f32x2 f32x2(1, 2).y, f32(3).x", "f32x2(2, 3)"},
        {"PackHalf u32 f32x2(1, 2)", "stays"},
        {"UnpackHalf f32x2 u32(1)", "stays"},
    });
}

}  // namespace
}  // namespace tgsi2spv::ir

// Every instruction that computes a value from values: its SPIR-V, in every target environment.
#include <gtest/gtest.h>

#include <set>

#include "spirv/support.h"

namespace tgsi2spv::spirv {
namespace {

struct Case {
    const char* text;      ///< the last line is the instruction under test
    const char* expected;  ///< must occur in the disassembly
    const char* capability = nullptr;
};

// clang-format off
constexpr Case kCases[] = {
    {"%r = FAdd f32x4 %v, %w", "OpFAdd %v4float"},
    {"%r = FAdd f64 %d, %e", "OpFAdd %double", "Float64"},
    {"%r = FSub f32 %f, %g", "OpFSub %float"},
    {"%r = FMul f32x4 %v, %w", "OpFMul %v4float"},
    {"%r = FDiv f32x4 %v, %w", "OpFDiv %v4float"},
    {"%r = FNegate f32x4 %v", "OpFNegate %v4float"},
    {"%r = FAbs f32x4 %v", "OpExtInst %v4float %1 FAbs"},
    {"%r = Fma f32x4 %v, %w, %v", "OpExtInst %v4float %1 Fma"},
    {"%r = FMin f32x4 %v, %w", "OpExtInst %v4float %1 NMin"},
    {"%r = FMax f32x4 %v, %w", "OpExtInst %v4float %1 NMax"},
    {"%r = FClamp f32 %f, %g, f32(1)", "OpExtInst %float %1 NClamp"},
    {"%r = FFloor f32x4 %v", "OpExtInst %v4float %1 Floor"},
    {"%r = FCeil f32x4 %v", "OpExtInst %v4float %1 Ceil"},
    {"%r = FTrunc f32x4 %v", "OpExtInst %v4float %1 Trunc"},
    {"%r = FRoundEven f32x4 %v", "OpExtInst %v4float %1 RoundEven"},
    {"%r = FFract f32x4 %v", "OpExtInst %v4float %1 Fract"},
    {"%r = FSqrt f32x4 %v", "OpExtInst %v4float %1 Sqrt"},
    {"%r = FRsqrt f64 %d", "OpExtInst %double %1 InverseSqrt"},
    {"%r = FExp2 f32x4 %v", "OpExtInst %v4float %1 Exp2"},
    {"%r = FLog2 f32x4 %v", "OpExtInst %v4float %1 Log2"},
    {"%r = FSin f32x4 %v", "OpExtInst %v4float %1 Sin"},
    {"%r = FCos f32x4 %v", "OpExtInst %v4float %1 Cos"},
    {"%r = FPow f32x4 %v, %w", "OpExtInst %v4float %1 Pow"},
    {"%r = FDot f32 %v, %w", "OpDot %float"},
    {"%r = FOEq boolx4 %v, %w", "OpFOrdEqual %v4bool"},
    {"%r = FUNe boolx4 %v, %w", "OpFUnordNotEqual %v4bool"},
    {"%r = FOLt boolx4 %v, %w", "OpFOrdLessThan %v4bool"},
    {"%r = FOLe boolx4 %v, %w", "OpFOrdLessThanEqual %v4bool"},
    {"%r = FOGt boolx4 %v, %w", "OpFOrdGreaterThan %v4bool"},
    {"%r = FOGe bool %f, %g", "OpFOrdGreaterThanEqual %bool"},
    {"%r = IsNan boolx4 %v", "OpIsNan %v4bool"},
    {"%r = IAdd u32x4 %uv, %uw", "OpIAdd %v4uint"},
    {"%r = IAdd u64 %l, %m", "OpIAdd %ulong", "Int64"},
    {"%r = ISub u32x4 %uv, %uw", "OpISub %v4uint"},
    {"%r = IMul u32x4 %uv, %uw", "OpIMul %v4uint"},
    {"%r = UDiv u32x4 %uv, %uw", "OpUDiv %v4uint"},
    {"%r = UMod u32x4 %uv, %uw", "OpUMod %v4uint"},
    {"%r = SDiv u32x4 %uv, %uw", "OpSDiv %v4uint"},
    {"%r = INegate u32x4 %uv", "OpSNegate %v4uint"},
    {"%r = SAbs u32x4 %uv", "OpExtInst %v4uint %1 SAbs"},
    {"%r = SAbs u64 %l", "OpExtInst %ulong %1 SAbs"},
    {"%r = SSign u32x4 %uv", "OpExtInst %v4uint %1 SSign"},
    {"%r = SMin u32x4 %uv, %uw", "OpExtInst %v4int %1 SMin"},
    {"%r = SMax u64 %l, %m", "OpExtInst %long %1 SMax"},
    {"%r = UMin u32x4 %uv, %uw", "OpExtInst %v4uint %1 UMin"},
    {"%r = UMax u32x4 %uv, %uw", "OpExtInst %v4uint %1 UMax"},
    {"%r = And u32x4 %uv, %uw", "OpBitwiseAnd %v4uint"},
    {"%r = Or u32x4 %uv, %uw", "OpBitwiseOr %v4uint"},
    {"%r = Xor u32x4 %uv, %uw", "OpBitwiseXor %v4uint"},
    {"%r = Not u32x4 %uv", "OpNot %v4uint"},
    {"%r = Shl u32x4 %uv, %uw", "OpShiftLeftLogical %v4uint"},
    {"%r = LShr u64 %l, %u", "OpShiftRightLogical %ulong"},
    {"%r = AShr u32x4 %uv, %uw", "OpShiftRightArithmetic %v4uint"},
    {"%r = BitInsert u32x4 %uv, %uw, %u, %x", "OpBitFieldInsert %v4uint"},
    {"%r = SBitExtract u32x4 %uv, %u, %x", "OpBitFieldSExtract %v4uint"},
    {"%r = UBitExtract u32x4 %uv, %u, %x", "OpBitFieldUExtract %v4uint"},
    {"%r = BitReverse u32x4 %uv", "OpBitReverse %v4uint"},
    {"%r = BitCount u32x4 %uv", "OpBitCount %v4uint"},
    {"%r = FindLsb u32x4 %uv", "OpExtInst %v4uint %1 FindILsb"},
    {"%r = FindSMsb u32x4 %uv", "OpExtInst %v4uint %1 FindSMsb"},
    {"%r = FindUMsb u32x4 %uv", "OpExtInst %v4uint %1 FindUMsb"},
    {"%r = UMulExt u32 %u, %x", "OpIMul %uint"},
    {"%s = UMulExt u32x4 %uv, %uw\n%r = Second u32x4 %s", "OpUMulExtended %_struct_"},
    {"%r = SMulExt u32 %u, %x", "OpIMul %uint"},
    {"%s = SMulExt u32x4 %uv, %uw\n%r = Second u32x4 %s", "OpSMulExtended %_struct_"},
    {"%r = IEq boolx4 %uv, %uw", "OpIEqual %v4bool"},
    {"%r = INe boolx4 %uv, %uw", "OpINotEqual %v4bool"},
    {"%r = SLt boolx4 %uv, %uw", "OpSLessThan %v4bool"},
    {"%r = SLe boolx4 %uv, %uw", "OpSLessThanEqual %v4bool"},
    {"%r = SGt boolx4 %uv, %uw", "OpSGreaterThan %v4bool"},
    {"%r = SGe bool %l, %m", "OpSGreaterThanEqual %bool"},
    {"%r = ULt boolx4 %uv, %uw", "OpULessThan %v4bool"},
    {"%r = ULe boolx4 %uv, %uw", "OpULessThanEqual %v4bool"},
    {"%r = UGt boolx4 %uv, %uw", "OpUGreaterThan %v4bool"},
    {"%r = UGe boolx4 %uv, %uw", "OpUGreaterThanEqual %v4bool"},
    {"%r = LAnd boolx4 %bv, %bw", "OpLogicalAnd %v4bool"},
    {"%r = LOr bool %b, %c", "OpLogicalOr %bool"},
    {"%r = LNot boolx4 %bv", "OpLogicalNot %v4bool"},
    {"%r = LEq bool %b, bool(true)", "OpLogicalEqual %bool"},
    {"%r = LNe boolx4 %bv, boolx4(true, false, true, false)", "OpLogicalNotEqual %v4bool"},
    {"%r = Any bool %bv", "OpAny %bool"},
    {"%r = All bool %bv", "OpAll %bool"},
    {"%r = FToS u32x4 %v", "OpConvertFToS %v4int"},
    {"%r = FToU u32x4 %v", "OpConvertFToU %v4uint"},
    {"%r = FToS u64 %d", "OpConvertFToS %long"},
    {"%r = SToF f32x4 %uv", "OpConvertSToF %v4float"},
    {"%r = UToF f64 %u", "OpConvertUToF %double"},
    {"%r = FConvert f64 %f", "OpFConvert %double"},
    {"%r = UConvert u64 %u", "OpUConvert %ulong"},
    {"%r = SConvert u64 %u", "OpSConvert %ulong"},
    {"%r = SConvert u32 %l", "OpSConvert %uint"},
    {"%r = PackHalf u32 %f2", "OpExtInst %uint %1 PackHalf2x16"},
    {"%r = UnpackHalf f32x2 %u", "OpExtInst %v2float %1 UnpackHalf2x16"},
    // An int passes from one to the next, and constants are ints.
    {"%r = SMin u32 %u, u32(7)\n%s = SToF f32 %r", "OpExtInst %int %1 SMin"},
    {"%r = Undef f32x4\n%s = FNegate f32x4 %r", "OpUndef %v4float"},
    {"%r = Select f32x4 %bv, %v, %w", "OpSelect %v4float"},
    {"%r = Select f32x4 %b, %v, %w", "OpSelect %v4float"},
    {"%r = Select boolx4 %bv, %bw, %bv", "OpSelect %v4bool"},
    {"%r = Bitcast u32x2 %d", "OpBitcast %v2uint"},
    {"%r = Compose f32 %v.z", "OpCompositeExtract %float"},
    {"%r = Compose f32x2 %v.z, %w.x", "OpVectorShuffle %v2float"},
    {"%r = Compose f32x4 %f.x, %f.x, %f.x, %f.x", "OpCompositeConstruct %v4float"},
    {"%r = DPdx f32x4 %v", "OpDPdx %v4float"},
    {"%r = DPdy f32x4 %v", "OpDPdy %v4float"},
    {"%r = DPdxFine f32x4 %v", "OpDPdxFine %v4float", "DerivativeControl"},
    {"%r = DPdyFine f32x4 %v", "OpDPdyFine %v4float", "DerivativeControl"},
    {"%r = InterpCentroid f32x4 $1", "OpExtInst %v4float %1 InterpolateAtCentroid", "InterpolationFunction"},
    {"%r = InterpSample f32x4 $1, %u", "OpExtInst %v4float %1 InterpolateAtSample", "InterpolationFunction"},
    {"%r = InterpOffset f32x4 $1, %f2", "OpExtInst %v4float %1 InterpolateAtOffset", "InterpolationFunction"},
    {"%r = GroupAll bool %b", "All"},
    {"%r = GroupAny bool %b", "Any"},
    {"%r = GroupAllEqual bool %b", "AllEqual"},
    {"%r = GroupBallot u32x4 %b", "Ballot"},
    {"%r = GroupFirst u32x4 %uv", "First"},
    {"Demote", "OpDemoteToHelperInvocation", "DemoteToHelperInvocation"},
    {"%r = IsHelper bool", "OpLoad %bool"},
    {"%r = Clock u32x2", "OpReadClockKHR %v2uint", "ShaderClockKHR"},
    {"MemoryBarrier 1 72", "OpMemoryBarrier %uint_1 %uint_72"},
};
// clang-format on

TEST(Instructions, becomeInstructionsOfSpirv) {
    for (const Case& c : kCases)
        for (const TargetEnv env : kEnvs) {
            // In the table, %1 is the GLSL.std.450 set, with any id.
            std::string assembly = emitted(fragment(c.text), env);
            const size_t import = assembly.find(" = OpExtInstImport");
            if (import != std::string::npos) {
                const size_t line = assembly.rfind('\n', import) + 1;
                const std::string set = assembly.substr(line, import - line) + " ";
                for (size_t at = 0; (at = assembly.find(" " + set, at)) != std::string::npos;)
                    assembly.replace(at + 1, set.size(), "%1 ");
            }
            EXPECT_NE(assembly.find(c.expected), std::string::npos) << c.text << "\n" << assembly;
            if (c.capability != nullptr) {
                EXPECT_NE(assembly.find(std::string("OpCapability ") + c.capability), std::string::npos) << c.text;
            }
        }
}

/// The other instructions are in the tests of subgroups (below), images, memory, control and stages.
TEST(Instructions, areAllInTheTable) {
    const std::set<std::string> elsewhere = {"Param",
                                             "Phi",
                                             "Load",
                                             "Store",
                                             "ArrayLength",
                                             "Atomic",
                                             "GroupShuffle",
                                             "GroupBroadcast",
                                             "ImageSample",
                                             "ImageSampleLod",
                                             "ImageGather",
                                             "ImageFetch",
                                             "ImageRead",
                                             "ImageWrite",
                                             "ImageAtomic",
                                             "ImageQuerySize",
                                             "ImageQueryLevels",
                                             "ImageQuerySamples",
                                             "ImageQueryLod",
                                             "SparseResident",
                                             "Kill",
                                             "EmitVertex",
                                             "EndPrimitive",
                                             "ControlBarrier",
                                             "Call",
                                             "Branch",
                                             "BranchIf",
                                             "Switch",
                                             "Return",
                                             "Unreachable"};
    for (int i = 0; i < ir::kOpCount; ++i) {
        const std::string name = ir::info(static_cast<ir::Op>(i)).name;
        bool found = elsewhere.count(name) != 0;
        for (const Case& c : kCases) {
            const std::string text = std::string(c.text) + " ";
            found = found || text.find(" " + name + " ") != std::string::npos || text.starts_with(name + " ");
        }
        EXPECT_TRUE(found) << name << " has no case";
    }
}

TEST(Instructions, aScalarConditionIsSplatBeforeSpirv14) {
    const std::string text = fragment("%r = Select f32x4 %b, %v, %w");
    EXPECT_NE(emitted(text, TargetEnv::Vulkan11).find("OpCompositeConstruct %v4bool"), std::string::npos);
    EXPECT_EQ(emitted(text, TargetEnv::Vulkan12).find("OpCompositeConstruct %v4bool"), std::string::npos);
}

TEST(Instructions, noContractionStandsOnPreciseArithmeticOnly) {
    const auto count_of = [](const std::string& text) { return count(emitted(fragment(text)), "NoContraction"); };
    EXPECT_EQ(count_of("%r = FAdd f32x4 %v, %w !precise"), 1u);
    EXPECT_EQ(count_of("%r = FAdd f32x4 %v, %w"), 0u);
    EXPECT_EQ(count_of("%r = Fma f32x4 %v, %w, %v !precise"), 1u);
    EXPECT_EQ(count_of("%r = FFract f32x4 %v !precise"), 1u);
    EXPECT_EQ(count_of("%r = FDot f32 %v, %w !precise"), 1u);
    EXPECT_EQ(count_of("%r = FMul f32 %f, %f !precise\n%s = FDiv f32 %f, %r !precise\n%t = FSub f32 %s, %r !precise"),
              3u);
    EXPECT_EQ(count_of("%r = FMin f32x4 %v, %w !precise"), 0u);  // not an arithmetic instruction according to SPIR-V
}

TEST(Instructions, subgroupOperationsAreExtensionsInVulkan10) {
    struct Row {
        const char *text, *khr, *core, *khr_capability, *core_capability;
    };
    constexpr Row kRows[] = {
        {"%r = GroupAll bool %b", "OpSubgroupAllKHR", "OpGroupNonUniformAll", "SubgroupVoteKHR", "GroupNonUniformVote"},
        {"%r = GroupAny bool %b", "OpSubgroupAnyKHR", "OpGroupNonUniformAny", "SubgroupVoteKHR", "GroupNonUniformVote"},
        {"%r = GroupAllEqual bool %b", "OpSubgroupAllEqualKHR", "OpGroupNonUniformAllEqual", "SubgroupVoteKHR",
         "GroupNonUniformVote"},
        {"%r = GroupBallot u32x4 %b", "OpSubgroupBallotKHR", "OpGroupNonUniformBallot", "SubgroupBallotKHR",
         "GroupNonUniformBallot"},
        {"%r = GroupFirst u32 %u", "OpSubgroupFirstInvocationKHR", "OpGroupNonUniformBroadcastFirst",
         "SubgroupBallotKHR", "GroupNonUniformBallot"},
        {"%r = GroupShuffle u32 %u, u32(2)", "OpSubgroupReadInvocationKHR", "OpGroupNonUniformShuffle",
         "SubgroupBallotKHR", "GroupNonUniformShuffle"},
        {"%r = GroupBroadcast u32 %u, u32(2)", "OpSubgroupReadInvocationKHR", "OpGroupNonUniformBroadcast",
         "SubgroupBallotKHR", "GroupNonUniformBallot"},
    };
    for (const Row& r : kRows) {
        const std::string old = emitted(fragment(r.text), TargetEnv::Vulkan10);
        EXPECT_NE(old.find(r.khr), std::string::npos);
        EXPECT_NE(old.find(std::string("OpCapability ") + r.khr_capability), std::string::npos);
        const std::string core = emitted(fragment(r.text), TargetEnv::Vulkan11);
        EXPECT_NE(core.find(r.core), std::string::npos);
        EXPECT_NE(core.find(std::string("OpCapability ") + r.core_capability), std::string::npos);
        EXPECT_EQ(core.find("OpExtension"), std::string::npos);
    }
    // SPV_KHR_shader_ballot: these two take scalars only. Validators do not check it.
    for (const auto& [text, op] : {std::pair{"%r = GroupFirst u32x4 %uv", " = OpSubgroupFirstInvocationKHR %uint "},
                                   {"%r = GroupShuffle u32x4 %uv, u32(2)", " = OpSubgroupReadInvocationKHR %uint "}}) {
        const std::string old = emitted(fragment(text), TargetEnv::Vulkan10);
        size_t reads = 0;
        for (size_t at = old.find(op); at != std::string::npos; at = old.find(op, at + 1)) reads++;
        EXPECT_EQ(reads, 4u) << old;
        EXPECT_EQ(old.find("InvocationKHR %v"), std::string::npos) << old;
        EXPECT_NE(old.find("OpCompositeConstruct %v4uint"), std::string::npos) << old;
    }
    EmitOptions options;
    options.env = TargetEnv::Vulkan10;
    EXPECT_EQ(error_of(module_of(fragment("%r = GroupAllEqual bool %u")), options).code, "unsupported-subgroup");
    emitted(fragment("%r = GroupAllEqual bool %u"), TargetEnv::Vulkan11);
    options.env = TargetEnv::Vulkan11;
    EXPECT_EQ(error_of(module_of(fragment("%r = GroupBroadcast u32 %u, %u")), options).code, "unsupported-subgroup");
    emitted(fragment("%r = GroupBroadcast u32 %u, %u"), TargetEnv::Vulkan12);
}

TEST(Instructions, isHelperIsTheBuiltinUnlessSomethingDemotes) {
    const std::string plain = emitted(fragment("%r = IsHelper bool"));
    EXPECT_NE(plain.find("BuiltIn HelperInvocation"), std::string::npos);
    EXPECT_EQ(plain.find("OpIsHelperInvocationEXT"), std::string::npos);
    const std::string demoted = emitted(fragment("Demote\n%r = IsHelper bool"));
    EXPECT_EQ(demoted.find("BuiltIn HelperInvocation"), std::string::npos);
    EXPECT_NE(demoted.find("OpIsHelperInvocationEXT"), std::string::npos);
    // Demotion became core in SPIR-V 1.6, this question did not.
    const auto extends = [](const std::string& text) {
        return emitted(fragment(text), TargetEnv::Vulkan13).find("SPV_EXT_demote_to_helper_invocation") !=
               std::string::npos;
    };
    EXPECT_FALSE(extends("Demote"));
    EXPECT_TRUE(extends("Demote\n%r = IsHelper bool"));
    // The module's own variable serves as the builtin; there are never two.
    const std::string shared =
        emitted(fragment("%r = IsHelper bool\n%s = Load bool $3", "$3 = Input bool builtin=HelperInvocation"));
    EXPECT_EQ(shared.find("BuiltIn HelperInvocation"), shared.rfind("BuiltIn HelperInvocation"));
}

}  // namespace
}  // namespace tgsi2spv::spirv

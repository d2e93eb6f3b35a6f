// Every instruction that computes a value from values: its SPIR-V, in every target environment.
#include <gtest/gtest.h>

#include "ir/text_cases.h"
#include "spirv/support.h"

namespace tgsi2spv::spirv {
namespace {

TEST(Instructions, becomeInstructionsOfSpirv) {
    for (const ir::TextCase& c : ir::text_cases("spirv/data/instructions")) {
        for (const TargetEnv env : kEnvs) {
            // In the table, %1 is the GLSL.std.450 set, with any id.
            std::string assembly = emitted(fragment(c.before), env);
            const size_t import = assembly.find(" = OpExtInstImport");
            if (import != std::string::npos) {
                const size_t line = assembly.rfind('\n', import) + 1;
                const std::string set = assembly.substr(line, import - line) + " ";
                for (size_t at = 0; (at = assembly.find(" " + set, at)) != std::string::npos;)
                    assembly.replace(at + 1, set.size(), "%1 ");
            }
            EXPECT_TRUE(has_expected(assembly, c.after)) << c.before << "\n" << assembly;
        }
    }
}

/// The other instructions are in the tests of subgroups (below), images, memory, control and stages.
TEST(Instructions, areAllInTheTable) {
    const std::string elsewhere =
        " Param Phi Load Store ArrayLength Atomic GroupShuffle GroupBroadcast ImageSample ImageSampleLod "
        "ImageGather ImageFetch ImageRead ImageWrite ImageAtomic ImageQuerySize ImageQueryLevels "
        "ImageQuerySamples ImageQueryLod SparseResident Kill EmitVertex EndPrimitive ControlBarrier Call "
        "Branch BranchIf Switch Return Unreachable ";
    for (int i = 0; i < ir::kOpCount; ++i) {
        const std::string name = ir::info(static_cast<ir::Op>(i)).name;
        bool found = elsewhere.find(" " + name + " ") != std::string::npos;
        for (const ir::TextCase& c : ir::text_cases("spirv/data/instructions")) {
            const std::string text = c.before + " ";
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

TEST(Instructions, isHelperIsAnExtension) {
    // Demotion became core in SPIR-V 1.6, this question did not.
    const auto extends = [](const std::string& text) {
        return emitted(fragment(text), TargetEnv::Vulkan13).find("SPV_EXT_demote_to_helper_invocation") !=
               std::string::npos;
    };
    EXPECT_FALSE(extends("Demote"));
    EXPECT_TRUE(extends("Demote\n%r = IsHelper bool"));
}

}  // namespace
}  // namespace tgsi2spv::spirv

// Variables: storage classes, decorations, builtins, the entry point's interface, execution modes.
#include "spirv/support.h"

#include <gtest/gtest.h>

#include "ir/text_cases.h"

namespace tgsi2spv::spirv {
namespace {

TEST(Interface, builtinsOfEachStage) {
    for (const ir::TextCase& c : ir::text_cases("spirv/data/builtins")) {
        const size_t variable = c.before.find('\n') + 1, access = c.before.rfind('\n') + 1;
        const std::string text =
            module_of_stage(c.before.substr(0, variable - 1), c.before.substr(variable, access - variable - 1),
                            c.before.substr(access));
        for (const TargetEnv env : kEnvs) {
            const std::string a = emitted(text, env);
            EXPECT_TRUE(has_expected(a, c.after)) << text << a;
        }
    }
}

TEST(Interface, capabilitiesAndExtensionsByVersion) {
    struct Row {
        const char* text;
        TargetEnv last_with_extension;  ///< core from the next version on
        const char* extension;
    };
    const std::string kVertex = "Vertex f0", kFragment = "Fragment f0";
    const auto draw = module_of_stage(kVertex, "$0 = Input u32 builtin=BaseVertex", "%r = Load u32 $0");
    const auto layer = module_of_stage(kVertex, "$0 = Output u32 builtin=Layer", "Store $0, u32(0)");
    const auto view = module_of_stage(kVertex, "$0 = Input u32 builtin=ViewIndex", "%r = Load u32 $0");
    const auto demote = module_of_stage(kFragment, "", "Demote");
    const auto controls = module_of_stage(kVertex + " float_controls round_to_even", "", "");
    const Row kRows[] = {
        {draw.c_str(), TargetEnv::Vulkan10, "SPV_KHR_shader_draw_parameters"},
        {view.c_str(), TargetEnv::Vulkan10, "SPV_KHR_multiview"},
        {layer.c_str(), TargetEnv::Vulkan11, "SPV_EXT_shader_viewport_index_layer"},
        {demote.c_str(), TargetEnv::Vulkan12, "SPV_EXT_demote_to_helper_invocation"},
        {controls.c_str(), TargetEnv::Vulkan11, "SPV_KHR_float_controls"},
    };
    for (const Row& r : kRows)
        for (const TargetEnv env : kEnvs)
            EXPECT_EQ(count(emitted(r.text, env), r.extension), env <= r.last_with_extension ? 1u : 0u) << r.text;
}

TEST(Interface, fragReadsLayersByGeometryIfAsked) {
    EmitOptions options;
    options.layers_by_geometry = true;
    for (const auto& [builtin, capability, other] :
         {std::array{"Layer", "Geometry", "ShaderLayer"},
          std::array{"ViewportIndex", "MultiViewport", "ShaderViewportIndex"}}) {
        const auto text =
            module_of_stage("Fragment f0", std::string("$0 = Input u32 builtin=") + builtin, "%r = Load u32 $0");
        const auto words = words_of(module_of(text), options);
        const std::string a = disassemble(words, options.env);
        EXPECT_EQ(validate(words, options.env), "") << a;
        EXPECT_TRUE(has(a, std::string("OpCapability ") + capability + "\n")) << a;
        EXPECT_FALSE(has(a, std::string("OpCapability ") + other)) << a;
    }
    // Other stages have capabilities of their own.
    const auto text = module_of_stage("Vertex f0", "$0 = Output u32 builtin=Layer", "Store $0, u32(0)");
    EXPECT_FALSE(has(disassemble(words_of(module_of(text), options), options.env), "OpCapability Geometry"));
}

TEST(Interface, theEntryPointListsTheVariablesOfItsVersion) {
    const std::string text = fragment("%r = Load f32x4 $1\n%s = Load u32 $3\nStore $2, %r", "$3 = Private u32");
    const auto listed = [&](TargetEnv env) {
        const std::string a = emitted(text, env);
        const size_t at = a.find("OpEntryPoint");
        return count(a.substr(at, a.find('\n', at) - at), "%") - 1;
    };
    EXPECT_EQ(listed(TargetEnv::Vulkan10), 2u);
    EXPECT_EQ(listed(TargetEnv::Vulkan11), 2u);
    EXPECT_EQ(listed(TargetEnv::Vulkan12), 4u);
    EXPECT_EQ(listed(TargetEnv::Vulkan13), 4u);
}

TEST(Interface, buffersByVersion) {
    const std::string text = fragment(
        "Store $3[%u], %x\n%r = Load u32 $4[%u]\n%s = Load f32 $5[%u, u32(3)]\n"
        "%t = Load f32x4 $6[u32(15)]\n%n = ArrayLength u32 $3\n%p = Load u32 $7[u32(1)]",
        "$3 = StorageBuffer u32 index=3\n$4 = IoBuffer u32 non_writable index=1\n"
        "$5 = ConstantBuffer f32x4 array1=4096 index=2 storage\n"
        "$6 = ConstantBuffer f32x4 array1=16 index=1\n$7 = PushConstant u32 array1=4");
    for (const TargetEnv env : kEnvs) {
        const std::string a = emitted(text, env);
        EXPECT_EQ(count(a, " BufferBlock"), env == TargetEnv::Vulkan10 ? 3u : 0u) << a;
        EXPECT_EQ(has(a, " StorageBuffer\n"), env != TargetEnv::Vulkan10) << a;
        EXPECT_EQ(count(a, "0 NonWritable"), 2u) << a;
        EXPECT_EQ(count(a, "ArrayStride 4\n"), 2u) << a;  // the run-time arrays of words, and the push constants
        EXPECT_TRUE(has(a, "OpArrayLength %uint")) << a;
        EXPECT_TRUE(has(a, "Binding 483") && has(a, "Binding 609") && has(a, "Binding 2\n")) << a;
    }
}

TEST(Interface, layoutByTheCallersMap) {
    EmitOptions options;
    options.layout.entries = {{ir::VariableKind::ConstantBuffer, 0, {5, 77}}};
    const std::string a = disassemble(words_of(module_of(fragment("")), options));
    EXPECT_TRUE(has(a, "DescriptorSet 5") && has(a, "Binding 77")) << a;
    options.layout.entries = {{ir::VariableKind::ConstantBuffer, 1, {5, 77}}};
    const std::string b = disassemble(words_of(module_of(fragment("")), options));
    EXPECT_TRUE(has(b, "DescriptorSet 1") && has(b, "Binding 0\n")) << b;
}

}  // namespace
}  // namespace tgsi2spv::spirv

// Variables: storage classes, decorations, builtins, the entry point's interface, execution modes.
#include "spirv/support.h"

#include <gtest/gtest.h>

#include "ir/text_cases.h"

namespace tgsi2spv::spirv {
namespace {

/// Returns a module of any stage whose main has this body.
std::string module_of_stage(const std::string& stage, const std::string& declarations, const std::string& body) {
    return "entry " + stage + "\n" + declarations + "\nfunction f0 \"main\" () -> void {\nbentry:\n" + body +
           "\n  Return\n}\n";
}

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
}

TEST(Interface, interpolationDecoratesFragmentInputs) {
    const auto input = [](const std::string& fields) {
        const std::string a = emitted(fragment("%r = Load f32x4 $3", "$3 = Input f32x4 location=5 " + fields));
        return a.substr(a.find("Location 5"));
    };
    EXPECT_TRUE(has(input("interpolation=Flat"), " Flat"));
    EXPECT_TRUE(has(input("interpolation=Linear"), " NoPerspective"));
    EXPECT_TRUE(has(input("at=Centroid"), " Centroid"));
    EXPECT_TRUE(has(input("at=Sample"), " Sample"));
    EXPECT_TRUE(has(emitted(fragment("%r = Load f32x4 $3", "$3 = Input f32x4 location=5 at=Sample")),
                    "OpCapability SampleRateShading"));
    const std::string smooth = input("");
    for (const char* word : {" Flat", "NoPerspective", "Centroid", " Sample"}) EXPECT_FALSE(has(smooth, word)) << word;
    // Integers and doubles are always flat.
    EXPECT_TRUE(has(emitted(fragment("%r = Load u32x4 $3", "$3 = Input u32x4 location=5")), " Flat"));
    EXPECT_TRUE(has(emitted(fragment("%r = Load f64 $3\n%s = FAdd f64 %d, %r", "$3 = Input f64 location=5")), " Flat"));
    // No other stage has interpolation decorations.
    EXPECT_FALSE(has(emitted(vertex("%r = Load u32x4 $3", "$3 = Input u32x4 location=5 interpolation=Flat")), " Flat"));
}

TEST(Interface, locationsComponentsAndDualSource) {
    const std::string a = emitted(fragment("Store $3, %f\nStore $4, %v\nStore $2, %v",
                                           "$3 = Output f32 location=4 component=2\n"
                                           "$4 = Output f32x4 location=0 dual_source=1"));
    EXPECT_TRUE(has(a, "Location 4") && has(a, "Component 2") && has(a, "Index 1")) << a;
    EXPECT_EQ(count(a, " Component "), 1u);
    EXPECT_EQ(count(a, " Index "), 1u);
}

TEST(Interface, invariantStandsOnOutputs) {
    EXPECT_TRUE(has(emitted(vertex("Store $3, %v", "$3 = Output f32x4 builtin=Position invariant")), " Invariant"));
    EXPECT_FALSE(has(emitted(vertex("Store $3, %v", "$3 = Output f32x4 builtin=Position")), " Invariant"));
}

TEST(Interface, unusedVariablesAreLeftOut) {
    const std::string a = emitted(fragment("", "$3 = Input u32 builtin=SampleId\n$4 = CombinedImage void dim=1D"));
    EXPECT_FALSE(has(a, "SampleId") || has(a, "Sampled1D") || has(a, "OpTypeImage")) << a;
    // The constant buffer of the values; and an output, though nothing is stored: the next stage may read it.
    EXPECT_EQ(count(a, "OpVariable"), 2u) << a;
    EXPECT_EQ(count(a, "OpVariable %_ptr_Output"), 1u) << a;
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

TEST(Interface, memoryQualifiers) {
    std::string a = emitted(fragment("Store $3[%u], %x\n%r = Load u32 $3[%x]", "$3 = StorageBuffer u32 coherent"));
    EXPECT_TRUE(has(a, "0 Coherent")) << a;
    EXPECT_FALSE(has(a, "Volatile")) << a;
    a = emitted(fragment("Store $3[%u], %x\n%r = Load u32 $3[%x]", "$3 = StorageBuffer u32 volatile restricted"));
    EXPECT_TRUE(has(a, "0 Volatile") && has(a, "Restrict")) << a;
    EXPECT_EQ(count(a, " Volatile\n"), 3u) << a;  // the member, the store, the load
    a = emitted(fragment("%r = ImageRead f32x4 #0 %u2",
                         "$3 = StorageImage void format=1 coherent volatile non_writable\n#0 = image $3"));
    EXPECT_TRUE(has(a, " Coherent") && has(a, " Volatile") && has(a, " NonWritable")) << a;
    a = emitted(fragment("ImageWrite #0 %u2, %v", "$3 = StorageImage void format=1 non_readable\n#0 = image $3"));
    EXPECT_TRUE(has(a, " NonReadable")) << a;
    for (const char* declaration : {"$3 = StorageBuffer u32", "$3 = StorageBuffer u32 aliased"}) {
        a = emitted(fragment("Store $3[%u], %x", declaration));
        EXPECT_EQ(count(a, " Aliased\n"), has(declaration, "aliased") ? 1u : 0u) << a;
    }
    a = emitted(fragment("ImageWrite #0 %u2, %v", "$3 = StorageImage void format=1 aliased\n#0 = image $3"));
    EXPECT_EQ(count(a, " Aliased\n"), 1u) << a;
}

TEST(Interface, arraysOfBuffers) {
    const std::string kDeclarations =
        "$3 = StorageBuffer u32 array0=4\n$4 = ConstantBuffer f32x4 array0=3 array1=8 index=4\n";
    for (const TargetEnv env : kEnvs) {
        std::string a = emitted(fragment("%r = Load u32 $3[u32(1), %u]\n%s = Load f32x4 $4[u32(2), %u]\n"
                                         "%n = ArrayLength u32 $3[u32(3)]",
                                         kDeclarations),
                                env);
        EXPECT_FALSE(has(a, "Indexing")) << a;
        // A constant buffer in a storage buffer is indexed as one.
        const std::string kStorage = "$3 = ConstantBuffer f32x4 array0=3 array1=8 storage\n";
        a = emitted(fragment("%s = Load f32x4 $3[%x, %u]", kStorage), env);
        EXPECT_TRUE(has(a, "StorageBufferArrayDynamicIndexing") && !has(a, "UniformBufferArray")) << a;
        a = emitted(fragment("%s = Load f32x4 $3[%x, %u] !nonuniform", kStorage), env);
        EXPECT_TRUE(has(a, "StorageBufferArrayNonUniformIndexing") && !has(a, "UniformBufferArray")) << a;
        a = emitted(fragment("%r = Load u32 $3[%x, %u]\n%s = Load f32 $4[%x, %u, u32(1)]\n%n = ArrayLength u32 $3[%u]",
                             kDeclarations),
                    env);
        EXPECT_TRUE(has(a, "UniformBufferArrayDynamicIndexing") && has(a, "StorageBufferArrayDynamicIndexing")) << a;
        EXPECT_FALSE(has(a, "NonUniform")) << a;
        a = emitted(fragment("%r = Load u32 $3[%x, %u] !nonuniform\n%s = Load f32x4 $4[%x, %u] !nonuniform\n"
                             "%n = ArrayLength u32 $3[%u] !nonuniform\n"
                             "%t = Atomic u32 IAdd $3[%x, %u], %u !nonuniform",
                             kDeclarations),
                    env);
        EXPECT_TRUE(has(a, "StorageBufferArrayNonUniformIndexing") && has(a, "UniformBufferArrayNonUniformIndexing"))
            << a;
        EXPECT_EQ(count(a, " NonUniform\n"), 4u) << a;
    }
}

TEST(Interface, atomicsOnBuffers) {
    for (const char* op : {"IAdd", "SMin", "SMax", "UMin", "UMax", "And", "Or", "Xor", "Exchange"})
        for (const TargetEnv env : kEnvs)
            EXPECT_TRUE(has(
                emitted(fragment(std::string("%r = Atomic u32 ") + op + " $3[%u], %x", "$3 = StorageBuffer u32"), env),
                std::string("OpAtomic") + op));
    const std::string a =
        emitted(fragment("%r = Atomic u32 CompareExchange $3[%u], u32(5), u32(7)", "$3 = StorageBuffer u32"));
    EXPECT_TRUE(has(a, "%uint_1 %uint_0 %uint_0 %uint_7 %uint_5")) << a;
    emitted(module_of_stage("Compute f0", "$0 = Shared f32 array0=4", "%r = Atomic f32 FAdd $0[u32(1)], f32(1)"));
}

TEST(Interface, privateAndLocalVariables) {
    const std::string a = emitted(fragment(
        "Store $3[%u], %v\n%y = And u32 %x, u32(3)\n%r = Load f32 $3[%u, %y]\nStore $4, %b\n%s = Load u32 $5[%u, %x]",
        "$3 = Local f32x4 array0=8 zero_initialised\n$4 = Private bool zero_initialised\n"
        "$5 = Private u32 array0=2 array1=3"));
    EXPECT_EQ(count(a, "OpConstantNull"), 2u) << a;
    EXPECT_TRUE(has(a, "Function %") && has(a, " Private\n")) << a;
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

TEST(Interface, fragmentModes) {
    std::string a = emitted(fragment("", "", "early_fragment_tests"));
    EXPECT_TRUE(has(a, "OriginUpperLeft") && has(a, "EarlyFragmentTests")) << a;
    EXPECT_FALSE(has(a, "DepthReplacing")) << a;
    const char* kDepth = "$3 = Output f32 builtin=FragDepth";
    EXPECT_TRUE(has(emitted(fragment("Store $3, %f", kDepth, "depth_layout=greater")), "DepthGreater"));
    EXPECT_TRUE(has(emitted(fragment("Store $3, %f", kDepth, "depth_layout=less")), "DepthLess"));
    EXPECT_TRUE(has(emitted(fragment("Store $3, %f", kDepth, "depth_layout=unchanged")), "DepthUnchanged"));
    EXPECT_FALSE(has(emitted(fragment("Store $3, %f", kDepth, "depth_layout=any")), "DepthUnchanged"));
    a = emitted(fragment("", "", "post_depth_coverage"));
    EXPECT_TRUE(has(a, "PostDepthCoverage") && has(a, "SPV_KHR_post_depth_coverage")) << a;
}

TEST(Interface, floatControls) {
    for (const TargetEnv env : kEnvs) {
        std::string a = emitted(fragment("", "", "float_controls float_controls_64 round_to_even"), env);
        EXPECT_TRUE(has(a, "SignedZeroInfNanPreserve 32") && has(a, "RoundingModeRTE 32")) << a;
        EXPECT_FALSE(has(a, "SignedZeroInfNanPreserve 64")) << a;
        a = emitted(fragment("%r = FAdd f64 %d, %d", "", "float_controls"), env);
        EXPECT_FALSE(has(a, "SignedZeroInfNanPreserve 64")) << a;
        a = emitted(fragment("%r = FAdd f64 %d, %d", "", "float_controls float_controls_64"), env);
        EXPECT_TRUE(has(a, "SignedZeroInfNanPreserve 64")) << a;
        EXPECT_FALSE(has(a, "RoundingModeRTE")) << a;
    }
}

TEST(Interface, geometryStreams) {
    const std::string kEntry = "Geometry f0 max_vertices=3 invocations=2";
    std::string a = emitted(module_of_stage(kEntry, "$0 = Output f32x4 location=0",
                                            "Store $0, f32x4(0,0,0,0)\nEmitVertex 0\nEndPrimitive 0"));
    EXPECT_TRUE(has(a, "OpEmitVertex") && has(a, "OpEndPrimitive") && has(a, "InputPoints") &&
                has(a, "OutputVertices 3") && has(a, "Invocations 2"))
        << a;
    EXPECT_FALSE(has(a, "GeometryStreams")) << a;
    a = emitted(module_of_stage(kEntry, "$0 = Output f32x4 location=0\n$1 = Output f32x4 location=1 stream=1",
                                "Store $0, f32x4(0,0,0,0)\nEmitVertex 0\nStore $1, f32x4(0,0,0,0)\nEmitVertex 1\n"
                                "EndPrimitive 1"));
    EXPECT_TRUE(has(a, "OpEmitStreamVertex %uint_0") && has(a, "OpEmitStreamVertex %uint_1") &&
                has(a, "OpEndStreamPrimitive %uint_1") && has(a, "OpCapability GeometryStreams") && has(a, "Stream 1"))
        << a;
    // The outputs alone need not tell: a vertex of another stream may have none.
    for (const char* last : {"EmitVertex 1", "EndPrimitive 1"}) {
        a = emitted(module_of_stage(kEntry, "$0 = Output f32x4 location=0",
                                    std::string("Store $0, f32x4(0,0,0,0)\nEmitVertex 0\n") + last));
        EXPECT_TRUE(has(a, "OpEmitStreamVertex %uint_0") && has(a, "OpCapability GeometryStreams")) << a;
        EXPECT_FALSE(has(a, "OpEmitVertex") || has(a, "OpEndPrimitive")) << a;
    }
}

TEST(Interface, barriers) {
    std::string a = emitted(module_of_stage("TessControl f0 output_vertices=3", "", "ControlBarrier 0"));
    EXPECT_TRUE(has(a, "OpControlBarrier %uint_2 %uint_4 %uint_0")) << a;
    a = emitted(module_of_stage("Compute f0", "", "ControlBarrier 264"));
    EXPECT_TRUE(has(a, "OpControlBarrier %uint_2 %uint_2 %uint_264")) << a;
}

TEST(Interface, workgroupSizeIsAConstant) {
    const std::string a = emitted(module_of_stage("Compute f0 local_size_x=8 local_size_z=2",
                                                  "$0 = Input u32x3 builtin=WorkgroupSize\n$1 = StorageBuffer u32",
                                                  "%r = Load u32x3 $0\n%x = Compose u32 %r.x\nStore $1[%x], %x"));
    EXPECT_TRUE(has(a, "OpConstantComposite %v3uint %uint_8 %uint_1 %uint_2")) << a;
}

TEST(Interface, specConstantsStandInNoOpConstantComposite) {
    const std::string a = emitted(fragment(
        "%r = Compose u32x3 spec(4)u32(3).x, spec(5)u32(3).x, spec(6)u32(3).x\n"
        "%s = Compose u32x2 spec(4)u32(3).x, %u.x\n%t = Compose u32x4 %uv.x, %uv.y, spec(4)u32(3).x, u32(7).x"));
    EXPECT_EQ(count(a, "OpConstantComposite"), 1u) << a;  // of the test's own zeros
    EXPECT_EQ(count(a, "OpCompositeConstruct"), 3u) << a;
}

TEST(Interface, specConstants) {
    const std::string a =
        emitted(fragment("%r = IAdd u32 %u, spec(4)u32(3)\n%s = LAnd bool %b, spec(5)bool(true)\n"
                         "%t = IAdd u32 %r, spec(4)u32(3)"));
    EXPECT_EQ(count(a, "OpSpecConstant %uint 3"), 1u) << a;
    EXPECT_TRUE(has(a, "OpSpecConstantTrue") && has(a, "SpecId 4") && has(a, "SpecId 5")) << a;
}

}  // namespace
}  // namespace tgsi2spv::spirv

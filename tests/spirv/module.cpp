// The module as a whole: layout, determinism, reuse of memory, debug information, reflection.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "spirv/reflect.h"
#include "spirv/support.h"

namespace tgsi2spv::spirv {
namespace {

constexpr const char* kDeclarations =
    "$3 = CombinedImage void index=5 name=\"SAMP[5]\"\n$4 = SampledImage void index=2 name=\"SVIEW[2]\"\n"
    "$5 = Sampler void index=7 name=\"SAMP[7]\"\n$6 = Input u32x4 location=3 semantic=5 semantic_index=9 "
    "name=\"IN[1]\"\n"
    "$7 = Output f32 builtin=FragDepth name=\"OUT[1]\"\n$8 = StorageImage void index=1 format=1 array0=2\n"
    "$9 = PushConstant u32 array1=8\n$10 = ConstantBuffer f32x4 array1=20 index=3 storage\n"
    "#0 = image $3\n#1 = image $4 sampler $5\n#2 = image $8\n";
constexpr const char* kBody = R"(
  %r = ImageSample f32x4 #0 %f2
  %s = ImageSample f32x4 #1 %f2
  %t = FAdd f32x4 %r, %s
  ImageWrite #2 u32(1), %u2, %t
  %p = Load u32 $9[u32(1)]
  %q = IAdd u32 %p, spec(4)u32(7)
  %k = Load f32x4 $10[%q]
  %i = Load u32x4 $6
  %z = Load f32 $10[u32(0), u32(1)]
  Store $7, %z
  Store $2, %k
)";

TEST(Layout, defaultTable) {
    using Kind = ir::VariableKind;
    struct Row {
        ir::Stage stage;
        Kind kind;
        uint32_t index;
        Binding expected;
    };
    const Row kRows[] = {
        {ir::Stage::Vertex, Kind::ConstantBuffer, 0, {0, 0}},
        {ir::Stage::Compute, Kind::ConstantBuffer, 31, {0, 31}},
        {ir::Stage::Fragment, Kind::CombinedImage, 0, {1, 32}},
        {ir::Stage::Fragment, Kind::CombinedImage, 127, {1, 159}},
        {ir::Stage::Geometry, Kind::SampledImage, 3, {2, 163}},
        {ir::Stage::TessControl, Kind::Sampler, 1, {3, 289}},
        {ir::Stage::TessControl, Kind::StorageImage, 2, {3, 418}},
        {ir::Stage::TessEval, Kind::StorageImage, 2, {3, 2466}},
        {ir::Stage::Vertex, Kind::StorageBuffer, 4, {0, 484}},
        {ir::Stage::Vertex, Kind::StorageBuffer, 64 + 1, {0, 545}},
        {ir::Stage::Fragment, Kind::InputAttachment, 1, {1, 577}},
        {ir::Stage::Fragment, Kind::IoBuffer, 2, {1, 610}},
    };
    for (const Row& r : kRows) EXPECT_EQ(default_binding(r.stage, r.kind, r.index), r.expected);
}

TEST(Layout, theCallersMapComesFirst) {
    Layout layout;
    layout.entries = {{ir::VariableKind::Sampler, 3, {7, 1}}};
    EXPECT_EQ(layout.binding(ir::Stage::Vertex, ir::VariableKind::Sampler, 3), (Binding{7, 1}));
    EXPECT_EQ(layout.binding(ir::Stage::Vertex, ir::VariableKind::Sampler, 4), (Binding{0, 292}));
    EXPECT_EQ(layout.binding(ir::Stage::Vertex, ir::VariableKind::SampledImage, 3), (Binding{0, 163}));
}

TEST(Module, wordsDoNotDependOnEarlierModules) {
    const ir::Module module = module_of(fragment(kBody, kDeclarations));
    const ir::Module other = module_of(vertex("%r = UMulExt u32 %u, %x\n%s = Second u32 %r\nStore $2, %v"));
    const WorkspacePtr workspace = make_workspace();
    for (const TargetEnv env : kEnvs) {
        EmitOptions options;
        options.env = env;
        const std::vector<uint32_t> fresh = words_of(module, options);
        std::pmr::vector<uint32_t> words;
        EmitError error;
        for (int turn = 0; turn < 3; ++turn) {
            EXPECT_TRUE(emit(other, options, *workspace, words, error));
            EXPECT_TRUE(emit(module, options, *workspace, words, error));
            EXPECT_TRUE(std::ranges::equal(words, fresh));
        }
        EmitOptions strict = options;
        strict.max_id = 5;
        EXPECT_FALSE(emit(module, strict, *workspace, words, error));
        EXPECT_TRUE(emit(module, options, *workspace, words, error));  // also after a refusal
        EXPECT_TRUE(std::ranges::equal(words, fresh));
        EXPECT_EQ(validate(fresh, env), "");
    }
}

TEST(Module, theHeaderNamesTheVersion) {
    const ir::Module module = module_of(fragment(""));
    EXPECT_EQ(words_of(module, TargetEnv::Vulkan10)[1], 0x10000u);
    EXPECT_EQ(words_of(module, TargetEnv::Vulkan11)[1], 0x10300u);
    EXPECT_EQ(words_of(module, TargetEnv::Vulkan12)[1], 0x10500u);
    EXPECT_EQ(words_of(module, TargetEnv::Vulkan13)[1], 0x10600u);
}

TEST(Module, typesAndConstantsStandOnce) {
    // Two zeros with the same bits, one that differs in its sign, and two NaNs.
    const std::string a =
        emitted(fragment("%r = FAdd f32 %f, f32(0)\n%s = FSub f32 %f, f32(0)\n%t = FMul f32 %f, f32(-0)\n"
                         "%n = FAdd f32 %f, f32(0x7fc00001)\n%o = FAdd f32 %f, f32(0x7fc00000)"));
    EXPECT_EQ(count(a, "OpConstant %float"), 4u) << a;
    EXPECT_EQ(a.find("OpTypeFloat"), a.rfind("OpTypeFloat"));
}

TEST(Module, namesAndLinesOnRequest) {
    ir::Module module =
        module_of(fragment("%r = FAdd f32x4 %v, %w !line(1)\n%s = FMul f32x4 %r, %w !line(5)\n"
                           "%t = FMul f32x4 %s, %w !line(5)\n%k = Load u32x4 $3",
                           "$3 = Input u32x4 location=3 name=\"IN[1]\"\n"));
    EmitOptions options;
    EXPECT_FALSE(has(disassemble_raw(words_of(module, options)), "OpName"));
    options.debug_names = options.debug_lines = true;
    options.source_name = "a.tgsi";
    options.source = "FRAG\nMUL\n";  // offset 0 is 1:1, offset 4 the end of the line
    module.functions[0].instructions.back().offset_plus_one = 7;
    const std::vector<uint32_t> words = words_of(module, options);
    EXPECT_EQ(validate(words, options.env), "");
    const std::string a = disassemble_raw(words);
    EXPECT_TRUE(has(a, "OpString \"a.tgsi\"") && has(a, "\"IN[1]\"") && has(a, "\"main\"")) << a;
    EXPECT_TRUE(has(a, " 1 1\n") && has(a, " 1 5\n") && has(a, " 2 2\n")) << a;
    EXPECT_EQ(count(a, "OpLine"), 3u) << a;  // not repeated for the same place
    EXPECT_TRUE(has(a, "OpSource Unknown 0 ") && has(a, " \"FRAG\nMUL\n\"")) << a;
}

/// A string has at most 65,535 bytes and ends at a NUL byte.
TEST(Module, theWholeTextIsInTheModuleOnRequest) {
    const ir::Module module = module_of(fragment(kBody, kDeclarations));
    EmitOptions options;
    options.debug_lines = true;
    const std::string text = "FRAG\n" + std::string(150'000, 'x') + "\nEND\n", cut = text + '\0' + "rest";
    options.source = cut;
    const std::vector<uint32_t> words = words_of(module, options);
    EXPECT_EQ(validate(words, options.env), "");
    std::string found;  // by OpSource (3) and OpSourceContinued (2)
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
        const uint32_t op = words[at] & 0xffff;
        if (op == 3) found = reinterpret_cast<const char*>(&words[at + 4]);
        if (op == 2) found += reinterpret_cast<const char*>(&words[at + 1]);
    }
    EXPECT_EQ(found, text);
}

TEST(Reflection, listsTheBindings) {
    const ir::Module module = module_of(fragment(kBody, kDeclarations));
    EmitOptions options;
    options.layout.entries = {{ir::VariableKind::ConstantBuffer, 3, {0, 5}}};
    const Reflection r = reflect(module, options.layout, words_of(module, options));
    ASSERT_EQ(r.resources.size(), 6u);
    EXPECT_EQ(r.resources[0].kind, ir::VariableKind::ConstantBuffer);
    EXPECT_EQ(r.resources[0].index, 3u);
    EXPECT_EQ(r.resources[0].binding, (Binding{0, 5}));
    EXPECT_EQ(r.resources[0].bytes, 320u);
    EXPECT_TRUE(r.resources[0].storage);
    EXPECT_EQ(r.resources[1].binding, (Binding{1, 0}));
    EXPECT_EQ(r.resources[2].name, "SAMP[5]");
    EXPECT_EQ(r.resources[5].count, 2u);
    EXPECT_EQ(r.push_constant_bytes, 32u);
    ASSERT_EQ(r.interface.size(), 3u);  // $1 is not used
    EXPECT_EQ(r.interface[0].name, "IN[1]");
    EXPECT_EQ(r.interface[0].semantic, 5);
    EXPECT_EQ(r.interface[0].semantic_index, 9);
    EXPECT_TRUE(r.interface[1].is_output);
    ASSERT_EQ(r.spec_constants.size(), 1u);
    EXPECT_EQ(r.spec_constants[0].id, 4u);
    EXPECT_EQ(r.spec_constants[0].default_value, 7u);
    EXPECT_EQ(r.capabilities, (std::pmr::vector<ir::Name>{"Shader"}));
    EXPECT_TRUE(r.extensions.empty());
}

/// Decorations that only some variables have, each in its own variable.
TEST(Reflection, saysHowTheInterfaceIsDecorated) {
    const ir::Module module = module_of(fragment("%p = Load f32x4 $3\n%q = Load f32x2 $4\nStore $2, %p\nStore $5, %p",
                                                 "$3 = Input f32x4 location=4 interpolation=Linear at=Centroid\n$4 = "
                                                 "Input f32x2 location=5 component=2 interpolation=Flat at=Sample\n"
                                                 "$5 = Output f32x4 location=0 dual_source=1\n"));
    EmitOptions options;
    const Reflection r = reflect(module, options.layout, words_of(module, options));
    ASSERT_EQ(r.interface.size(), 4u);
    const InterfaceVariable &linear = r.interface[0], &flat = r.interface[1], &first = r.interface[2],
                            &second = r.interface[3];
    EXPECT_EQ(linear.interpolation, ir::Interpolation::Linear);
    EXPECT_EQ(linear.sample_location, ir::SampleLocation::Centroid);
    EXPECT_EQ(flat.interpolation, ir::Interpolation::Flat);
    EXPECT_EQ(flat.sample_location, ir::SampleLocation::Sample);
    EXPECT_EQ(flat.component, 2);
    EXPECT_EQ(flat.type, ir::f32(2));
    EXPECT_EQ(first.dual_source, 0);
    EXPECT_EQ(second.dual_source, 1);
}

TEST(Reflection, saysWhichStreamAnOutputBelongsTo) {
    ir::Module module;
    module.entry.stage = ir::Stage::Geometry;
    module.variables.push_back({.kind = ir::VariableKind::Output, .element = ir::f32(4), .stream = 2});
    const Reflection r = reflect(module, {}, {});
    ASSERT_EQ(r.interface.size(), 1u);
    EXPECT_EQ(r.interface[0].stream, 2);
}

/// Handmade modules: the sum of shared memory, and one descriptor for two views of a buffer.
TEST(Reflection, countsWhatIsSharedAndBuffersThatAreTwoVariables) {
    ir::Module module;
    module.entry.stage = ir::Stage::Compute;
    using Kind = ir::VariableKind;
    module.variables.push_back({.kind = Kind::Shared, .element = ir::u32(), .array = {100, 0}});
    module.variables.push_back({.kind = Kind::Shared, .element = ir::u32(), .array = {28, 0}});
    module.variables.push_back({.kind = Kind::StorageBuffer, .element = ir::u32(), .index = 3});
    module.variables.push_back({.kind = Kind::StorageBuffer, .element = ir::f32(), .index = 3});
    module.variables.push_back({.kind = Kind::StorageBuffer, .element = ir::f32(), .index = 4});
    module.functions.emplace_back();
    for (uint32_t v = 0; v < module.variables.size(); ++v) {
        ir::Instruction load{};
        load.op = ir::Op::Load;
        load.aux = v;
        module.functions[0].instructions.push_back(load);
    }
    const auto reflected = [&] { return reflect(module, {}, {}); };
    EXPECT_EQ(reflected().shared_bytes, 512u);
    ASSERT_EQ(reflected().resources.size(), 2u);
    EXPECT_EQ(reflected().resources[0].index, 3u);
    EXPECT_EQ(reflected().resources[1].index, 4u);
    module.variables[0].array[0] = 0x3fff'ffff;
    EXPECT_EQ(reflected().shared_bytes, UINT32_MAX);  // the sum does not wrap to a small number
}

TEST(Reflection, capabilitiesAndExtensionsAreThoseOfTheWords) {
    const ir::Module module = module_of(fragment("Demote\n%r = DPdxFine f32x4 %v\n%s = Clock u32x2"));
    EmitOptions options;
    const Reflection r = reflect(module, options.layout, words_of(module, options));
    EXPECT_EQ(r.capabilities, (std::pmr::vector<ir::Name>{"Shader", "DerivativeControl", "ShaderClockKHR",
                                                          "DemoteToHelperInvocation"}));
    EXPECT_EQ(r.extensions,
              (std::pmr::vector<ir::Name>{"SPV_KHR_shader_clock", "SPV_EXT_demote_to_helper_invocation"}));
}

TEST(Reflection, json) {
    const ir::Module module = module_of(fragment(kBody, kDeclarations));
    EmitOptions options;
    Reflection r = reflect(module, options.layout, words_of(module, options));
    r.io_input_slots = 3;
    r.io_system_values = {2, 5};
    r.interface[0].name = "a \"b\" \\ \n \xff";
    r.interface[0].semantic_name = "GENERIC";
    const std::string text = to_json(r);
    EXPECT_EQ(text, to_json(r));
    const auto j = nlohmann::json::parse(text);
    EXPECT_EQ(j["stage"], "FRAG");
    EXPECT_EQ(j["resources"].size(), 6u);
    EXPECT_EQ(j["resources"][0]["kind"], "ConstantBuffer");
    EXPECT_EQ(j["resources"][0]["bytes"], 64);
    EXPECT_EQ(j["inputs"][0]["name"], "a \"b\" \\ \n \u00ff");
    EXPECT_EQ(j["inputs"][0]["semantic"], "GENERIC");
    EXPECT_EQ(j["outputs"][0]["location"], 0);
    EXPECT_EQ(j["outputs"][1]["builtin"], "FragDepth");
    EXPECT_EQ(j["spec_constants"][0]["default"], 7);
    EXPECT_EQ(j["capabilities"][0], "Shader");
    EXPECT_EQ(j["io_buffers"]["system_values"], (std::vector<int>{2, 5}));
    EXPECT_TRUE(nlohmann::json::parse(to_json(Reflection{})).is_object());
}

TEST(Compose, takesTheFewestInstructions) {
    struct Row {
        const char *text, *expected;
        int instructions;  ///< instructions that make the result, after those of the values
    };
    constexpr Row kRows[] = {
        {"Compose f32x4 %v.x, %v.y, %v.z, %v.w", "", 0},
        {"Compose f32x4 %v.w, %v.z, %v.y, %v.x", "OpVectorShuffle %v4float", 1},
        {"Compose f32x3 %v.x, %w.y, %v.z", "OpVectorShuffle %v3float", 1},
        {"Compose f32x4 %v.x, %v.y, f32(1).x, f32(1).x", "OpVectorShuffle %v4float", 1},
        {"Compose f32x4 %v.x, %v.y, %v.z, f32(1).x", "OpVectorShuffle %v4float", 1},
        {"Compose f32x4 f32(1).x, f32(2).x, f32(1).x, f32(1).x", "OpConstantComposite %v4float", 0},
        {"Compose f32x2 f32x4(1, 2, 3, 4).w, f32x4(1, 2, 3, 4).x", "OpConstantComposite %v2float", 0},
        {"Compose f32 f32x4(1, 2, 3, 4).w", "", 0},
        {"Compose f32x4 %f2.x, %f2.y, %f.x, %g.x", "OpCompositeConstruct %v4float", 1},
        {"Compose f32x4 %f3.x, %f3.y, %f3.z, %f.x", "OpCompositeConstruct %v4float", 1},
        {"Compose f32x4 %f.x, %v.y, %f2.x, %f2.y", "OpCompositeConstruct %v4float", 2},
        {"Compose boolx2 %bv.w, %bw.x", "OpVectorShuffle %v2bool", 1},
    };
    const auto body = [](const std::string& text) {
        const std::string type = text.substr(8, text.find(' ', 8) - 8);
        const bool is_bool = type.starts_with("bool");
        return "%r = " + text + "\n%s = " + (is_bool ? "LNot " : "FNegate ") + type + " %r";
    };
    const auto instructions = [](const std::string& assembly) {
        int n = 0;
        for (size_t at = assembly.find("OpLabel"); (at = assembly.find('\n', at)) != std::string::npos; ++at) n++;
        return n;
    };
    const int values = instructions(emitted(fragment(""))) + 1;  // with the negation
    for (const Row& r : kRows) {
        const std::string a = emitted(fragment(body(r.text)));
        EXPECT_TRUE(has(a, r.expected)) << a;
        EXPECT_EQ(instructions(a) - values, r.instructions) << r.text << "\n" << a;
    }
    emitted(fragment("%r = Compose u64x2 %l.x, %m.x\n%s = Compose u64x2 %r.y, u64(7).x"));
}

}  // namespace
}  // namespace tgsi2spv::spirv

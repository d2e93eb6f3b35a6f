// Blocks, functions and their limits.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "spirv/support.h"

namespace tgsi2spv::spirv {
namespace {

TEST(Control, mergesStandRightBeforeTheBranch) {
    const std::string text = fragment(R"(
  Branch bhead
bhead: loop bafter continue bnext
  %i = Phi u32 [u32(0), bentry], [%n, bnext]
  %more = ULt bool %i, u32(4)
  Branch btest
btest: merge bin
  BranchIf %more, bin, bout
bout:
  Branch bafter
bin: merge bcases
  Switch %i, bdefault, 1: bone, 4294967295: bdefault
bone:
  Branch bdefault
bdefault:
  %which = Phi u32 [u32(1), bin], [%x, bone]
  Branch bcases
bcases:
  Branch bnext
bnext:
  %n = IAdd u32 %i, %which
  Branch bhead
bafter: merge bdone
  BranchIf %b, bkill, bdone
bkill:
  Kill
bdone:
  Return
)");
    for (const TargetEnv env : kEnvs) {
        const std::string a = emitted(text, env);
        EXPECT_TRUE(has(a, "OpLoopMerge") && has(a, "OpSwitch") && has(a, "OpKill") && has(a, "OpPhi %uint")) << a;
        for (const char* merge : {"OpLoopMerge", "OpSelectionMerge"}) {
            size_t at = 0;
            while ((at = a.find(merge, at)) != std::string::npos) {
                at = a.find('\n', at) + 1;
                EXPECT_TRUE(a.compare(at, 8, "OpBranch") == 0 || a.compare(at, 8, "OpSwitch") == 0) << a.substr(at, 40);
            }
        }
    }
}

/// Returns `depth` nested selections.
std::string nested(int depth) {
    std::string open, close;
    for (int i = 0; i < depth; ++i) {
        open += fmt::format("b{0}: merge bm{0}\n  BranchIf %b, b{1}, bm{0}\n", i, i + 1);
        close = fmt::format("bm{0}:\n  {1}\n", i, i == 0 ? "Return" : fmt::format("Branch bm{}", i - 1)) + close;
    }
    return "  Branch b0\n" + open + fmt::format("b{}:\n  Branch bm{}\n", depth, depth - 1) + close;
}

TEST(Control, nestingUpToTheLimit) {
    EmitOptions options;
    options.max_nesting = 20;
    EXPECT_EQ(validate(words_of(module_of(fragment(nested(20))), options), options.env), "");
    const EmitError error = error_of(module_of(fragment(nested(21))), options);
    EXPECT_EQ(error.code, "nesting-limit");
    EXPECT_TRUE(has(error.message, "20")) << error.message;
    words_of(module_of(fragment(nested(1'023))));  // not validated: the validator takes a minute
    EXPECT_EQ(error_of(module_of(fragment(nested(1'024)))).code, "nesting-limit");
}

TEST(Control, constructsBesideEachOtherDoNotNest) {
    std::string body = "  Branch b0\n";
    for (int i = 0; i < 50; ++i)
        body += fmt::format("b{0}: merge b{2}\n  BranchIf %b, b{1}, b{2}\nb{1}:\n  Branch b{2}\n", 2 * i, 2 * i + 1,
                            2 * i + 2);
    EmitOptions options;
    options.max_nesting = 1;
    EXPECT_EQ(validate(words_of(module_of(fragment(body + "b100:\n  Return\n")), options), options.env), "");
}

TEST(Control, switchesUpToTheLimit) {
    const auto text = [](int cases) {
        std::string body = "  Branch bhead\nbhead: merge bend\n  Switch %u, bend";
        for (int i = 0; i < cases; ++i) body += fmt::format(", {}: bcase", i);
        return fragment(body + "\nbcase:\n  Branch bend\nbend:\n  Return\n");
    };
    EXPECT_EQ(validate(words_of(module_of(text(16'383))), TargetEnv::Vulkan12), "");
    EXPECT_EQ(error_of(module_of(text(16'384))).code, "switch-limit");
}

TEST(Control, instructionsUpToTheLimitOfWords) {
    // A switch of n cases takes 3 + 2n words, and so does a phi with n edges.
    const std::string text = fragment(
        "  Branch bhead\nbhead: merge bend\n  Switch %u, bend, 1: ba, 2: ba, 3: ba\nba:\n  Branch bend\nbend:\n  "
        "Return\n");
    EmitOptions options;
    options.max_instruction_words = 9;
    words_of(module_of(text), options);
    options.max_instruction_words = 8;
    EXPECT_EQ(error_of(module_of(text), options).code, "instruction-limit");

    const std::string phi = fragment(
        "  Branch bhead\nbhead: merge bend\n  BranchIf %b, ba, bend\nba:\n  Branch bend\nbend:\n"
        "  %r = Phi u32 [%u, bhead], [%x, ba]\n  Return\n");
    options.max_instruction_words = 7;
    words_of(module_of(phi), options);
    options.max_instruction_words = 6;
    EXPECT_EQ(error_of(module_of(phi), options).code, "instruction-limit");

    // OpEntryPoint: one word, model, function, "main" in two words, then the interface.
    const std::string interface = fragment("%r = Load f32x4 $1\nStore $2, %r");
    options.max_instruction_words = 5 + 3;
    words_of(module_of(interface), options);
    options.max_instruction_words = 5 + 2;
    const EmitError error = error_of(module_of(interface), options);
    EXPECT_EQ(error.code, "instruction-limit");
    EXPECT_TRUE(has(error.message, "interface")) << error.message;
}

TEST(Control, idsUpToTheLimit) {
    const ir::Module module = module_of(fragment("%r = FAdd f32x4 %v, %w"));
    const uint32_t bound = words_of(module)[3];
    EmitOptions options;
    options.max_id = bound;
    words_of(module, options);
    options.max_id = bound - 1;
    EXPECT_EQ(error_of(module, options).code, "id-limit");
}

TEST(Control, globalVariablesUpToTheLimit) {
    const auto text = [](int n) {
        std::string declarations, body;
        for (int i = 0; i < n; ++i) {
            declarations += fmt::format("${} = Private u32\n", i);
            body += fmt::format("  Store ${}, u32(1)\n", i);
        }
        return "entry Vertex f0\n" + declarations + "function f0 \"main\" () -> void {\nbentry:\n" + body +
               "  Return\n}\n";
    };
    EmitOptions options;
    options.env = TargetEnv::Vulkan11;  // its interface does not list the variables
    words_of(module_of(text(65'535)), options);
    EXPECT_EQ(error_of(module_of(text(65'536)), options).code, "variable-limit");
}

}  // namespace
}  // namespace tgsi2spv::spirv

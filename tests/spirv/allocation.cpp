// A workspace that has emitted a module emits it again without allocating.
#include <gtest/gtest.h>

#include "ir/allocations.h"
#include "spirv/support.h"

namespace tgsi2spv::spirv {
namespace {

TEST(Allocation, noneInAReusedWorkspace) {
    std::string body;
    for (int i = 0; i < 2'000; ++i) {
        const std::string n = std::to_string(i);
        body += "  %r" + n + " = FAdd f32x4 %v, f32x4(" + n + ", 2, 3, 4) !precise\n";
        body += "  %s" + n + " = ImageSample f32x4 #0 %f2\n";
        body += "  %t" + n + " = Compose f32x4 %r" + n + ".x, %s" + n + ".y, %f.x, f32(7).x\n";
        body += "  Store $4[%u], %t" + n + "\n";
    }
    const ir::Module module =
        module_of(fragment(body, "$3 = CombinedImage void\n$4 = Local f32x4 array0=8\n#0 = image $3\n"));
    const EmitOptions options;
    const WorkspacePtr workspace = make_workspace();
    std::pmr::vector<uint32_t> words;
    EmitError error;
    ASSERT_TRUE(emit(module, options, *workspace, words, error));
    const auto first = words;
    const size_t before = ir::allocations();
    ASSERT_GT(before, 0u);
    ASSERT_TRUE(emit(module, options, *workspace, words, error));
    EXPECT_EQ(ir::allocations() - before, 0u);
    EXPECT_EQ(words, first);
}

}  // namespace
}  // namespace tgsi2spv::spirv

// Image instructions: each operation on each kind of image, the order of its operands, and the capabilities it needs.
#include "spirv/support.h"

#include <gtest/gtest.h>

#include "ir/text_cases.h"

namespace tgsi2spv::spirv {
namespace {

TEST(Images, ofTheTexts) {
    for (const ir::TextCase& c : ir::text_cases("spirv/data/images"))
        for (const TargetEnv env : kEnvs) {
            const size_t last = c.before.rfind('\n') + 1;
            const std::string a = emitted(fragment("%r = " + c.before.substr(last), c.before.substr(0, last)), env);
            EXPECT_TRUE(has_expected(a, c.after, true)) << c.before << "\n" << a;
        }
}

TEST(Images, haveTheirOperandsAndCapabilities) {
    expect_checks("spirv/data/checks");
}

TEST(Images, arraysOfDescriptorsAreAnExtensionBeforeVulkan12) {
    const std::string text =
        fragment("%r = ImageSample f32x4 #0 %u, %f2", "$3 = CombinedImage void array0=4\n#0 = image $3 non_uniform\n");
    for (const TargetEnv env : kEnvs)
        EXPECT_EQ(has(emitted(text, env), "SPV_EXT_descriptor_indexing"), env < TargetEnv::Vulkan12) << name_of(env);
}

}  // namespace
}  // namespace tgsi2spv::spirv

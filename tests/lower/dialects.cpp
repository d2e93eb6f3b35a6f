// What FOG becomes in each edition. tests/meanings has the points on which the editions contradict each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using tgsi::Dialect;

TEST(LowerDialects, FogInFrag) {
    const auto constants = [](Dialect d, bool io_buffers, const char* stage) {
        const std::string text =
            fmt::format("{}\nDCL IN[0], FOG{}\nDCL OUT[0], {}\nMOV OUT[0], IN[0]\nEND\n", stage,
                        stage[0] == 'F' ? ", PERSPECTIVE" : "", stage[0] == 'F' ? "COLOR" : "GENERIC[0]");
        const Lowered lowered = lower_text(text, {.dialect = d, .io_buffers = io_buffers});
        EXPECT_TRUE(lowered.ok) << lowered.error;
        for (const ir::Constant& c : lowered.module.constants)
            if (c.words[0] == f(1)) return true;
        return false;
    };
    for (const bool io_buffers : {false, true}) {
        EXPECT_TRUE(constants(Dialect::Oldest, io_buffers, "FRAG"));
        EXPECT_TRUE(constants(Dialect::Middle, io_buffers, "FRAG"));
        EXPECT_FALSE(constants(Dialect::Newest, io_buffers, "FRAG"));
        EXPECT_FALSE(constants(Dialect::Auto, io_buffers, "FRAG"));
        EXPECT_FALSE(constants(Dialect::Oldest, true, "VERT"));
    }
}

}  // namespace
}  // namespace tgsi2spv::test

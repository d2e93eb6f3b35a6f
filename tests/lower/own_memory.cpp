// MEMORY SHARED and PRIVATE that start as zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

const std::string kReads =
    R"(COMP
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL MEMORY[0], SHARED
DCL MEMORY[1], PRIVATE
DCL MEMORY[2], SHARED
DCL TEMP[0]
IMM[0] UINT32 {0, 4, 8, 12}
)";

bool is_initialised(const ir::Module& module, ir::VariableKind kind) {
    return std::ranges::find(module.variables, kind, &ir::Variable::kind)->zero_initialised;
}

/// What is read before it is written is zero on request: by an initialiser, or by stores that all invocations wait for.
TEST(LowerOwnMemory, StartsAsZerosOnRequest) {
    const std::string text = kReads +
                             "LOAD TEMP[0].x, MEMORY[0], SV[0].xxxx\nLOAD TEMP[0].y, MEMORY[1], SV[0].xxxx\n"
                             "STORE BUFFER[0].xy, IMM[0].xxxx, TEMP[0]\nEND\n";
    struct Row {
        bool zero, has_feature;
        uint32_t private_words;
        size_t stores, barriers;
        bool shared_initialised, private_initialised;
    };
    constexpr uint32_t kLong = 2048;
    for (const Row& row : {Row{false, true, 16, 2, 0, false, false}, Row{true, true, 16, 2, 0, true, true},
                           Row{true, false, 16, 3, 1, false, true}, Row{true, false, kLong, 4, 1, false, false}}) {
        lower::Capabilities device;
        device.zero_shared = row.has_feature;
        const Lowered l = lower_text(text, {.private_words = row.private_words, .zero_memory = row.zero}, device);
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_EQ(count(l.module, ir::Op::Store), row.stores);
        EXPECT_EQ(count(l.module, ir::Op::ControlBarrier), row.barriers);
        EXPECT_EQ(is_initialised(l.module, ir::VariableKind::Shared), row.shared_initialised);
        EXPECT_EQ(is_initialised(l.module, ir::VariableKind::Private), row.private_initialised);
    }
}

}  // namespace
}  // namespace tgsi2spv::test

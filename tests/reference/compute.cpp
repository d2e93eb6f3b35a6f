// Where COMP begins. runs/compute.txt has what its invocations do.
#include <gmock/gmock.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

using testing::ElementsAre;

std::vector<uint32_t> exact_words(const std::vector<Component>& words) {
    std::vector<uint32_t> all;
    for (const Component& c : words) all.push_back(is_exact(c) ? c.words[0] : 0xfee1fee1);
    return all;
}

TEST(Compute, MainBeginsAtTheEntry) {
    // Old texts contain several pieces: a subroutine ends at its ENDSUB, plain code at its RET.
    for (const bool branches : {false, true}) {
        Shader s = shader(
            R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 2, 3}
BGNSUB
STORE RGLOBAL.x, IMM[0].xxxx, IMM[0].yyyy
CAL :7
ENDSUB
)" + std::string(branches ? "BRA :6\n" : "NOP\n") +
            "STORE RGLOBAL.y, IMM[0].xxxx, IMM[0].zzzz\nRET\nBGNSUB\nSTORE RGLOBAL.z, IMM[0].xxxx, "
            "IMM[0].wwww\nENDSUB\n");
        ASSERT_EQ(s.error, "");
        Inputs in;
        in.buffers[132] = {9, 9, 9};
        const auto stored_from = [&](uint32_t entry) {
            s.program.entry = entry;
            const Result r = run(s.program, s.registers, in, {});
            EXPECT_EQ(r.error, "");
            return exact_words(r.buffers.at(132));
        };
        EXPECT_THAT(stored_from(0), ElementsAre(1, 9, 3));
        EXPECT_THAT(stored_from(4), ElementsAre(9, branches ? 9 : 2, 9));
    }
}

}  // namespace
}  // namespace tgsi2spv::reference

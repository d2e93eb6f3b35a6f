// Two walks of one program. runs/branches.txt has branches whose lanes part.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

constexpr std::string_view kHead =
    R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..7]
DCL ADDR[0]
DCL PRED[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {10, 100, 1000, 5}
IMM[2] FLT32 {0.5, 1.0, 2.0, 0.0}
)";
std::string with(std::string_view body) {
    return fmt::format("{}{}", kHead, body);
}
TEST(Branches, BothWalksOfAStructuredProgramAgree) {
    const std::string_view bodies[] = {
        "BGNLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nUSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\nUIF "
        "TEMP[1]\nBRK\n"
        "ENDIF\nSWITCH TEMP[0].xxxx\nCASE IMM[0].zzzz\nCONT\nDEFAULT\nUADD TEMP[0].y, TEMP[0].yyyy, IMM[1].xxxx\nBRK\n"
        "CASE IMM[0].wwww\nUADD TEMP[0].y, TEMP[0].yyyy, IMM[1].yyyy\nENDSWITCH\nENDLOOP\n",
        "UIF IN[0].xxxx\nUSLT TEMP[1].x, IN[0].xxxx, IMM[0].zzzz\nUIF TEMP[1]\nMOV TEMP[0].y, IMM[1].xxxx\n"
        "MOV OUT[0].xy, TEMP[0].yyyy\nRET\nELSE\nMOV TEMP[0].y, IMM[1].yyyy\nENDIF\nELSE\nKILL\nENDIF\n",
        "BGNLOOP\nBGNLOOP\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nUSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\n"
        "BREAKC TEMP[1].xxxx\nUADD TEMP[0].y, TEMP[0].yyyy, TEMP[0].xxxx\nENDLOOP\nUSGE TEMP[1].x, TEMP[0].xxxx, "
        "IMM[1].wwww\nBREAKC TEMP[1].xxxx\nENDLOOP\n",
    };
    for (const std::string_view body : bodies) {
        const std::string main = with(fmt::format("{}MOV OUT[0].xy, TEMP[0]\nEND\n", body));
        const auto count = static_cast<size_t>(std::count(body.begin(), body.end(), '\n')) + 2;
        const Inputs in = lanes_of({0, 1, 4, 9});
        const Result structured = run(main, in);
        const Result walked = run(fmt::format("{}BGNSUB\nBRA :{}\nENDSUB\n", main, count), in);
        for (uint32_t lane = 0; lane < 4; ++lane)
            for (size_t c = 0; c < 2; ++c) {
                EXPECT_TRUE(is_exact(out(walked, lane, c))) << body;
                EXPECT_EQ(out(structured, lane, c).value, out(walked, lane, c).value) << body << lane;
            }
        EXPECT_EQ(structured.killed, walked.killed) << body;
    }
}

}  // namespace
}  // namespace tgsi2spv::reference

// A context that has converted a shader, of any length, converts it again without allocating.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "api/convert.h"
#include "ir/allocations.h"
#include "ir/counted_memory.h"
#include "places.h"

namespace tgsi2spv::api {
namespace {

/// Returns a shader that repeats arithmetic, texture reads, branches, loops and indirect addressing `turns` times.
std::string shader(int turns) {
    std::string text =
        R"(FRAG
PROPERTY FS_COORD_PIXEL_CENTER HALF_INTEGER
DCL IN[0..1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0][0..63]
DCL TEMP[0..7]
DCL TEMP[8..15], ARRAY(1), LOCAL
DCL ADDR[0]
IMM[0] FLT32 {0.5, 1.0, 2.0, 3.0}
IMM[1] INT32 {0, 1, 2, 3}
MOV TEMP[0], IN[0]
)";
    for (int i = 0; i < turns; ++i) {
        text += "TEX TEMP[1], IN[1].xyyy, SAMP[0], 2D\nMAD TEMP[2].xyz, TEMP[1], CONST[0][" + std::to_string(i % 64) +
                "].xyzz, TEMP[0].zyxx\nIF TEMP[2].xxxx\nADD TEMP[0].xw, TEMP[2].yyyy, IMM[0].wwww\nELSE\n"
                "MUL TEMP[0], TEMP[0], IMM[0].xyyx\nENDIF\nUARL ADDR[0].x, IMM[1].zzzz\n"
                "MOV TEMP[ADDR[0].x+8](1), TEMP[0]\nADD TEMP[3], TEMP[0], CONST[0][ADDR[0].x+2]\n"
                "MOV TEMP[4].x, IMM[1].xxxx\nBGNLOOP\nUADD TEMP[4].x, TEMP[4].xxxx, IMM[1].yyyy\n"
                "USGE TEMP[5].x, TEMP[4].xxxx, IMM[1].wwww\nUIF TEMP[5].xxxx\nBRK\nENDIF\n"
                "ADD TEMP[0], TEMP[0], TEMP[3]\nENDLOOP\n";
    }
    return text + "MOV OUT[0], TEMP[0]\nEND\n";
}

size_t allocations_of_second(int turns) {
    const std::string text = shader(turns);
    ir::CountedMemory memory;
    Context context(&memory);
    const Options options;
    EXPECT_TRUE(convert(context, text, options)) << (context.diagnostics.empty() ? "" : context.diagnostics[0].message);
    EXPECT_TRUE(convert(context, text, options));
    EXPECT_GT(memory.allocations, 0u);
    const size_t before = ir::allocations();  // the memory's are among them
    EXPECT_TRUE(convert(context, text, options));
    return ir::allocations() - before;
}

TEST(Allocation, AnExampleConvertedAgainAllocatesNothing) {
    ir::CountedMemory memory;  // its allocations are among those of operator new
    Context context(&memory);
    const Options options;
    spirv::Reflection reflection;
    size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_path("shaders"))) {
        if (entry.path().extension() != ".tgsi") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(in), {});
        size_t before = 0;
        for (int turn = 0; turn < 3; ++turn) {
            before = ir::allocations();
            ASSERT_TRUE(convert(context, text, options)) << entry.path();
            reflect(context, options, reflection);
        }
        EXPECT_EQ(ir::allocations() - before, 0u) << entry.path();
        ++count;
    }
    EXPECT_GT(count, 30u);
}

TEST(Allocation, AReusedContextAllocatesNothing) {
    EXPECT_EQ(allocations_of_second(50), 0u);  // 850 instructions
    EXPECT_EQ(allocations_of_second(400), 0u);
}

}  // namespace
}  // namespace tgsi2spv::api

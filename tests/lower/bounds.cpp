// Policies for out-of-range registers, run on the host. The other classes are tested in tests/draw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/print.h"
#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

/// Buffers that an index selects among are one array where the device can index it and checks the other index.
TEST(LowerBounds, IndexedConstantBuffersAreAnArray) {
    const auto buffers = [](std::string_view selector, const lower::Capabilities& capabilities,
                            const char* more = "DCL CONST[2][0..1]\n") {
        const Lowered l = lower_text("VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL CONST[0..1]\nDCL CONST[1][0..2]\n" +
                                         std::string(more) + "DCL ADDR[0]\nUARL ADDR[0].x, " + std::string(selector) +
                                         "\nMOV OUT[0], CONST[ADDR[0].x][1]\nADD OUT[0], OUT[0], CONST[1][2]\nEND\n",
                                     {}, capabilities);
        EXPECT_TRUE(l.ok) << l.error;
        std::string all;
        for (const ir::Variable& v : l.module.variables)
            if (v.kind == ir::VariableKind::ConstantBuffer) all += std::to_string(v.array[0]) + " ";
        return all + std::to_string(std::ranges::count_if(l.module.functions[0].instructions, [&](const auto& i) {
                   return i.op == ir::Op::Load && l.module.variables[i.aux].kind == ir::VariableKind::ConstantBuffer;
               }));
    };
    lower::Capabilities capable;
    capable.robust_buffers = capable.uniform_buffer_indexing = true;
    EXPECT_EQ(buffers("CONST[0].xxxx", capable), "3 3");  // the selector's, the selected, CONST[1][2]
    EXPECT_EQ(buffers("IN[0].xxxx", capable), "3 4");     // lanes differ: one load from each
    EXPECT_EQ(buffers("CONST[0].xxxx", capable, "DCL CONST[3][0..1]\n"), "0 0 0 5");  // CONST[2] does not exist
    EXPECT_EQ(buffers("CONST[0].xxxx", {.robust_buffers = true}), "0 0 0 5");
    EXPECT_EQ(buffers("CONST[0].xxxx", {.uniform_buffer_indexing = true}), "0 0 0 5");
}

using lower::OutOfRange;

lower::Options with(OutOfRange policy) {
    lower::Options options;
    options.bounds.registers = policy;
    return options;
}

TEST(LowerBounds, RegistersAreZeroOrTheNearest) {
    // IN[0].x is the index: in range, past the end, before the start.
    constexpr std::string_view kHead =
        R"(DCL ADDR[0]
DCL TEMP[0..2], ARRAY(1), LOCAL
IMM[0] UINT32 {10, 20, 30, 40}
MOV TEMP[0], IMM[0].xxxx
MOV TEMP[1], IMM[0].yyyy
MOV TEMP[2], IMM[0].zzzz
UARL ADDR[0].x, IN[0]
)";
    struct Row {
        uint32_t index, zero, clamp;
    };
    for (const Row& row : {Row{1, 20, 20}, Row{2, 30, 30}, Row{3, 0, 30}, Row{~0u, 0, 30}}) {
        EXPECT_EQ(run("MOV OUT[0], TEMP[ADDR[0].x](1)", {all(row.index)}, with(OutOfRange::Zero), kHead),
                  all(row.zero));
        EXPECT_EQ(run("MOV OUT[0], TEMP[ADDR[0].x](1)", {all(row.index)}, with(OutOfRange::Clamp), kHead),
                  all(row.clamp));
    }
    // A write past the end is dropped, or goes to the last register.
    const std::string writes = std::string(kHead) + "MOV TEMP[ADDR[0].x](1), IMM[0].wwww\n";
    EXPECT_EQ(run("MOV OUT[0], TEMP[2]", {all(7)}, with(OutOfRange::Zero), writes), all(30));
    EXPECT_EQ(run("MOV OUT[0], TEMP[2]", {all(7)}, with(OutOfRange::Clamp), writes), all(40));
}

TEST(LowerBounds, ClampingStaysInTheArray) {
    // Three arrays side by side share one variable, since an index selects in each; IN[0].x is the index of the one in
    // the middle.
    constexpr std::string_view kHead =
        R"(DCL ADDR[0]
DCL TEMP[6]
DCL TEMP[0..1], ARRAY(1), LOCAL
DCL TEMP[2..3], ARRAY(2), LOCAL
DCL TEMP[4..5], ARRAY(3), LOCAL
IMM[0] UINT32 {10, 20, 30, 40}
IMM[1] UINT32 {50, 60, 7, 0}
MOV TEMP[0], IMM[0].xxxx
MOV TEMP[1], IMM[0].yyyy
MOV TEMP[2], IMM[0].zzzz
MOV TEMP[3], IMM[0].wwww
MOV TEMP[4], IMM[1].xxxx
MOV TEMP[5], IMM[1].yyyy
UARL ADDR[0].x, IN[0]
MOV TEMP[6], TEMP[ADDR[0].x](1)
MOV TEMP[6], TEMP[ADDR[0].x](3)
)";
    const auto index = [](int32_t i) { return all(static_cast<uint32_t>(i)); };
    for (const int32_t i : {-3, -2, -1, 0, 1, 2, 3}) {
        EXPECT_EQ(run("MOV OUT[0], TEMP[ADDR[0].x+2](2)", {index(i)}, with(OutOfRange::Clamp), kHead),
                  all(i == 0 ? 30 : 40));
        // A write changes only the selected register, and no neighbour.
        const std::string writes = std::string(kHead) +
                                   R"(MOV TEMP[ADDR[0].x+2](2), IMM[1].zzzz
UADD TEMP[0], TEMP[0], TEMP[1]
UADD TEMP[0], TEMP[0], TEMP[4]
UADD TEMP[0], TEMP[0], TEMP[5]
MOV TEMP[0].y, TEMP[2]
MOV TEMP[0].z, TEMP[3]
)";
        const uint32_t first = i == 0 ? 7 : 30, second = i == 0 ? 40 : 7;
        EXPECT_EQ(run("MOV OUT[0], TEMP[0].xyzx", {index(i)}, with(OutOfRange::Clamp), writes),
                  (Words{140, first, second, 140}));
    }
}

TEST(LowerBounds, WorkaroundsChangeNoResult) {
    const std::string_view kHead = R"(DCL TEMP[0]
MOV TEMP[0], IN[0]
PUSHA TEMP[0]
PUSHA IN[1]
POPA TEMP[0]
)";
    lower::Options without;
    without.workarounds.scalars_in_arrays = false;
    for (const lower::Options& options : {lower::Options{}, without})
        EXPECT_EQ(run("POPA OUT[0]", {{1, 2, 3, 4}, {5, 6, 7, 8}}, options, kHead), (Words{1, 2, 3, 4}));
}

TEST(LowerBounds, RegistersThatLoopsWriteStandInMemoryWhereAsked) {
    // In the first iteration, TEMP[1] is the value of TEMP[0] before the loop. TEMP[3], which only the selection around
    // the loop writes, stays a value.
    const std::string_view kHead =
        R"(DCL TEMP[0..3]
IMM[0] UINT32 {0, 7, 1, 15}
MOV TEMP[3], IN[1]
UIF IN[0].wwww
MOV TEMP[3], IMM[0].zzzz
BGNLOOP
AND TEMP[1], TEMP[0], IMM[0].wwww
MOV TEMP[0], IMM[0].yyyy
UIF IN[0].xxxx
BRK
ENDIF
USNE TEMP[2], TEMP[1], IMM[0].xxxx
UIF TEMP[2].xxxx
BRK
ENDIF
ENDLOOP
ENDIF
)";
    lower::Options in_memory;
    in_memory.workarounds.loop_registers_in_memory = true;
    for (const lower::Options& options : {lower::Options{}, in_memory})
        for (const uint32_t leaves : {0u, 1u})
            EXPECT_EQ(run("UADD OUT[0], TEMP[1], TEMP[3]", {{leaves, 0, 0, 1}, {2, 2, 2, 2}}, options, kHead),
                      leaves != 0 ? all(1) : all(8));

    const std::string text = "FRAG\nDCL IN[0..1], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n" + std::string(kHead) +
                             "UADD OUT[0], TEMP[1], TEMP[3]\nEND\n";
    const auto in_arrays = [&](const lower::Options& options) {
        const Lowered l = lower_text(text, options);
        EXPECT_TRUE(l.ok) << l.error;
        uint32_t registers = 0;
        for (const ir::Variable& v : l.module.variables)
            if (v.kind == ir::VariableKind::Local) registers += v.array[0];
        return registers;
    };
    EXPECT_EQ(in_arrays({}), 0u);
    EXPECT_EQ(in_arrays(in_memory), 3u);
}

/// Registers with vertices, as words in storage buffers: of five registers, 2 to 4 are the array.
TEST(LowerBounds, ClampingStaysInTheArrayOfAVertex) {
    const auto printed = [](const std::string& array) {
        lower::Options options = with(OutOfRange::Clamp);
        options.io_buffers = true;
        const Lowered l = lower_text(
            R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0..1], GENERIC[0]
DCL IN[][2..4], ARRAY(1), GENERIC[2]
DCL CONST[0]
DCL OUT[0], POSITION
DCL ADDR[0]
UARL ADDR[0].x, CONST[0].xxxx
MOV OUT[0].x, IN[0][ADDR[0].x+2])" +
                array + "\nEMIT\nEND\n",
            options);
        EXPECT_TRUE(l.ok) << l.error;
        return ir::print(l.module);
    };
    EXPECT_THAT(printed("(1)"), testing::ContainsRegex("= UMin u32 %[0-9]+, u32.2.\n"));
    EXPECT_THAT(printed(""), testing::ContainsRegex("= UMin u32 %[0-9]+, u32.4.\n"));
}

/// The guards that SECURITY.md's table names, and those that it says are missing.
TEST(LowerBounds, BoundsLeftToTheDeviceAreDocumented) {
    const auto guards = [](std::string_view line) {
        const Lowered l = lower_text(
            R"(FRAG
DCL IN[0..1], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL CONST[0..3]
DCL CONSTBUF[1]
DCL SAMP[0]
DCL BUFFER[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL ADDR[0]
IMM[0] UINT32 {0, 4, 8, 12}
)" + std::string(line) +
            "\nEND\n");
        EXPECT_TRUE(l.ok) << l.error;
        return operations(l.module);
    };
    EXPECT_EQ(guards("MOV OUT[0], CONST[3]"), "");
    EXPECT_EQ(guards("MOV OUT[0], CONST[IN[0].x]"), "ULt UMin Select");
    EXPECT_EQ(guards("LOAD OUT[0].x, CONSTBUF[1], IN[0].xxxx"), "LShr ULt Select LShr And Select");
    EXPECT_EQ(guards("LOAD OUT[0].x, BUFFER[0], IN[0].xxxx"), "ArrayLength LShr ULt Select Select");
    EXPECT_EQ(guards("STORE BUFFER[0].x, IN[0].xxxx, IN[1]"), "ArrayLength LShr ULt BranchIf");
    EXPECT_EQ(guards("ATOMUADD OUT[0].x, BUFFER[0], IN[0].xxxx, IN[1]"), "ArrayLength LShr ULt BranchIf Atomic Phi");
    EXPECT_EQ(guards("LOAD OUT[0].x, IMAGE[0], IN[0], 2D"), "ImageQuerySize ULt All Select ImageRead Select");
    EXPECT_EQ(guards("STORE IMAGE[0].x, IN[0], IN[1], 2D"), "ImageQuerySize ULt All BranchIf ImageWrite");
    EXPECT_EQ(guards("TXF OUT[0], IN[0], SAMP[0], BUFFER"), "ImageFetch");
    EXPECT_EQ(guards("TXF_LZ OUT[0], IN[0], SAMP[0], 2D"), "ImageFetch");
    EXPECT_EQ(guards("TXF OUT[0], IN[0], SAMP[0], 2D"), "ImageQueryLevels ULt Select Select ImageFetch");
    EXPECT_EQ(guards("TXF OUT[0], IN[0], SAMP[0], 2D_MSAA"), "ImageQuerySamples ULt Select Select ImageFetch");
    EXPECT_EQ(guards("TXQ OUT[0].x, IN[0].xxxx, SAMP[0], 2D"),
              "ImageQueryLevels ULt Select ImageQuerySize LShr UMax Select");
    EXPECT_EQ(guards("TEX OUT[0], IN[0], SAMP[0], 2D_ARRAY"), "ImageSample");
    EXPECT_EQ(guards("INTERP_OFFSET OUT[0], IN[0], IN[1]"), "");
}

}  // namespace
}  // namespace tgsi2spv::test

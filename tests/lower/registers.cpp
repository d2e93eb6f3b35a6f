// Sources, destinations, addressing and constant buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string shader(std::string_view body) {
    return R"(FRAG
DCL IN[0..2], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..7]
DCL CONST[2][0..3]
DCL TEMP[0..3]
DCL TEMP[4..7], ARRAY(1), LOCAL
DCL ADDR[0]
IMM[0] FLT32 {0.0, 1.0, 2.0, -1.0}
IMM[1] UINT32 {0, 1, 2, 0x80000000}
)" + std::string(body) +
           "\nEND\n";
}

Lowered lower_body(std::string_view body, const lower::Options& options = {}) {
    Lowered l = lower_text(shader(body), options);
    EXPECT_TRUE(l.ok) << l.error;
    return l;
}

std::string printed(std::string_view body, const lower::Options& options = {}) {
    return ir::print(lower_body(body, options).module);
}

TEST(LowerRegisters, MovesOnlyRename) {
    EXPECT_EQ(operations(lower_body("MOV TEMP[0], IN[0].wzyx\nMOV TEMP[1].xy, TEMP[0].zwzw\n"
                                    "MOV TEMP[1].zw, TEMP[0].xyxy\nMOV OUT[0], TEMP[1]")
                             .module),
              "");
    EXPECT_THAT(printed("MOV TEMP[0], IN[0].wzyx\nMOV OUT[0], TEMP[0].wzyx"), HasSubstr("Store $1, %0\n"));
}

TEST(LowerRegisters, NullDropsWrites) {
    const Lowered l = lower_body("MUL NULL[0].x, IN[0], IN[1]\nMOV OUT[0], IN[0]");
    EXPECT_EQ(std::ranges::count(l.module.functions.at(0).instructions, ir::Op::Store, &ir::Instruction::op), 1);
}

/// GLSL compilers print an array of floats as registers of which only x is used.
TEST(LowerRegisters, ArraysHaveOnlyTheComponentsThatAreRead) {
    const auto components = [](const std::string& body) {
        std::string text = shader("F2I TEMP[0], IN[0]\nUARL ADDR[0].x, TEMP[0].xxxx\n" + body);
        text.insert(text.find("IMM"), "DCL PRED[0]\n");
        const Lowered l = lower_text(text);
        EXPECT_TRUE(l.ok) << l.error;
        for (const ir::Variable& v : l.module.variables)
            if (v.kind == ir::VariableKind::Local) return int{v.element.components};
        ADD_FAILURE() << "no array";
        return 0;
    };
    const std::string stores = "MOV TEMP[ADDR[0].x+4](1), IN[1]\n";
    EXPECT_EQ(components(stores + "MOV OUT[0], TEMP[4].xxxx"), 1);
    // As glsl-to-TGSI and nir-to-tgsi print it: the swizzle is whole, the mask shows the components that are read.
    EXPECT_EQ(components(stores + "MOV OUT[0].x, TEMP[4]"), 1);
    EXPECT_EQ(components(stores + "ADD OUT[0].y, TEMP[ADDR[0].x+4](1), TEMP[5].zzzw"), 3);
    EXPECT_EQ(components(stores + "DP2 OUT[0].x, TEMP[4], TEMP[4]"), 4) << "a sum uses others than it writes";
    EXPECT_EQ(components(stores + "SHL OUT[0].x, TEMP[4], TEMP[4]"), 4);
    EXPECT_EQ(components(stores + "MOV OUT[0], TEMP[5].xyxy"), 2);
    EXPECT_EQ(components(stores + "MOV OUT[0].x, TEMP[5].xxxx\nMOV OUT[0].y, TEMP[ADDR[0].x+4](1).yyyy"), 2);
    EXPECT_EQ(components(stores + "MOV OUT[0], TEMP[ADDR[0].x+4](1).zxxx"), 3);
    EXPECT_EQ(components(stores + "MOV OUT[0], TEMP[ADDR[0].x].zxxx"), 3) << "an index of any register";
    EXPECT_EQ(components(stores + "MOV OUT[0], TEMP[6].wxxx"), 4) << "components keep their places";
    EXPECT_EQ(components(stores + "MOV OUT[0], TEMP[6]"), 4);
    EXPECT_EQ(components(stores + "MOV OUT[0], IN[1]"), 1) << "nothing is read";
    EXPECT_EQ(components(stores + "DADD OUT[0].xy, TEMP[4].xyxy, TEMP[4].xyxy"), 2);
    // An index, and components that a predicate keeps.
    EXPECT_EQ(components(stores + "MOV OUT[0], IN[TEMP[4].z]"), 3);
    EXPECT_EQ(components("MOV PRED[0].y, IN[1].xxxx\n(PRED[0].y) MOV TEMP[ADDR[0].x+4](1).y, IN[1]\n"
                         "MOV OUT[0], TEMP[4].xxxx"),
              2);
}

/// The components that an operation reads of an array exist (lower_text() verifies the module): each opcode of the
/// families for which the write mask narrows an array, with y alone.
TEST(LowerRegisters, NarrowArraysHaveTheComponentsThatAreRead) {
    for (const tgsi::OpcodeInfo& row : tgsi::kOpcodes) {
        const bool in_vertex = (row.stages >> static_cast<int>(tgsi::Stage::Vertex) & 1) != 0;
        if (row.family != tgsi::Family::arithmetic && row.family != tgsi::Family::compare) continue;
        if (!in_vertex || row.num_dst != 1 || row.is_wide) continue;
        std::string body = "F2I TEMP[0], IN[0]\nUARL ADDR[0].x, TEMP[0].xxxx\nMOV TEMP[ADDR[0].x+4](1), IN[1]\n" +
                           std::string(row.mnemonic) + " OUT[0].y";
        for (int i = 0; i < row.num_src; ++i) body += ", TEMP[ADDR[0].x+4](1)";
        const Lowered l = lower_text(shader(body));
        EXPECT_TRUE(l.ok) << row.mnemonic << ": " << l.error;
        if (row.shape != tgsi::Shape::component) continue;
        const auto has_two = [](const ir::Variable& v) {
            return v.kind == ir::VariableKind::Local && v.element.components == 2;
        };
        EXPECT_EQ(std::ranges::count_if(l.module.variables, has_two), 1) << row.mnemonic;
    }
}

TEST(LowerRegisters, PreciseMarksArithmetic) {
    EXPECT_THAT(printed("ADD_PRECISE OUT[0], IN[0], IN[1]"), HasSubstr("!precise"));
    EXPECT_THAT(printed("ADD OUT[0], IN[0], IN[1]"), Not(HasSubstr("!precise")));
    lower::Options exact;
    exact.exact = true;
    EXPECT_THAT(printed("ADD OUT[0], IN[0], IN[1]", exact), HasSubstr("!precise"));
    EXPECT_TRUE(lower_body("MOV OUT[0], IN[0]", exact).module.entry.float_controls);
    EXPECT_TRUE(lower_body("MOV OUT[0], IN[0]", exact).module.entry.round_to_even);
    EXPECT_FALSE(lower_body("MOV OUT[0], IN[0]").module.entry.float_controls);
}

TEST(LowerRegisters, IndexedReadsOutOfRangeGiveZero) {
    // The range is that of the array: element index − 4 of four. An out-of-range value is replaced after a clamped
    // load.
    const std::string text = printed("UARL ADDR[0].x, IN[0]\nMOV TEMP[4], IN[1]\nMOV OUT[0], TEMP[ADDR[0].x+5](1)");
    EXPECT_THAT(text, HasSubstr("Local f32x4 array0=4 zero_initialised name=\"TEMP\""));
    EXPECT_THAT(text, HasSubstr("ULt bool"));
    EXPECT_THAT(text, HasSubstr("UMin u32"));
    EXPECT_THAT(text, HasSubstr("Select f32x4"));
    lower::Options trust;
    trust.trust_indices = true;
    const std::string trusted =
        printed("UARL ADDR[0].x, IN[0]\nMOV TEMP[4], IN[1]\nMOV OUT[0], TEMP[ADDR[0].x+5](1)", trust);
    EXPECT_THAT(trusted, Not(HasSubstr("ULt")));
    EXPECT_THAT(trusted, Not(HasSubstr("UMin")));
}

TEST(LowerRegisters, AnIndexThatIsASpecializationConstantStaysOne) {
    const Lowered l = lower_text(
        R"(COMP
DCL SV[0], BLOCK_SIZE
DCL CONST[0..7]
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 0, 0, 0}
STORE BUFFER[0].x, IMM[0], CONST[SV[0].x+1]
END
)");
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_NE(operations(l.module).find("IAdd"), std::string::npos) << operations(l.module);
}

TEST(LowerRegisters, IndexedWritesOutOfRangeGoNowhere) {
    // They go to one additional element.
    const std::string text = printed("UARL ADDR[0].x, IN[0]\nMOV TEMP[ADDR[0].x+4](1).xz, IN[1]\nMOV OUT[0], TEMP[4]");
    EXPECT_THAT(text, HasSubstr("Local f32x4 array0=5 zero_initialised"));
    EXPECT_THAT(text, HasSubstr("u32(4)"));
    EXPECT_THAT(text, Not(HasSubstr("BranchIf")));
}

TEST(LowerRegisters, OnlyTheIndexedArrayStandsInMemory) {
    const Lowered l = lower_body("UARL ADDR[0].x, IN[0]\nMOV TEMP[0], TEMP[ADDR[0].x+4](1)\nMOV OUT[0], TEMP[0]");
    EXPECT_EQ(std::ranges::count(l.module.variables, ir::VariableKind::Local, &ir::Variable::kind), 1);
    const std::string all = printed("UARL ADDR[0].x, IN[0]\nMOV TEMP[0], TEMP[ADDR[0].x]\nMOV OUT[0], TEMP[0]");
    EXPECT_THAT(all, HasSubstr("Local f32x4 array0=8 zero_initialised name=\"TEMP\""));
}

/// Drivers select among all elements of a variable, so arrays do not share one, unless a register or an index does.
TEST(LowerRegisters, EachArrayHasAVariableOfItsOwn) {
    const auto text = [](const char* arrays, const char* read) {
        return R"(FRAG
DCL IN[0..2], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL ADDR[0]
DCL TEMP[0]
)" + std::string(arrays) +
               "UARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[3], IN[1]\nMOV TEMP[4], IN[2]\nMOV TEMP[0], " + read +
               "\nADD OUT[0], TEMP[0], TEMP[ADDR[0].x+4](2)\nEND\n";
    };
    const auto lengths = [&](const char* arrays, const char* read) {
        const Lowered l = lower_text(text(arrays, read));
        EXPECT_TRUE(l.ok) << l.error;
        std::vector<uint32_t> found;
        for (const ir::Variable& v : l.module.variables)
            if (v.array[0] != 0) found.push_back(v.array[0]);
        return found;
    };
    using Lengths = std::vector<uint32_t>;
    const char* const apart = "DCL TEMP[1..3], ARRAY(1), LOCAL\nDCL TEMP[4..5], ARRAY(2), LOCAL\n";
    EXPECT_EQ(lengths(apart, "TEMP[ADDR[0].x+3](1)"), (Lengths{3, 2}));
    EXPECT_EQ(lengths(apart, "TEMP[3]"), (Lengths{2}));
    EXPECT_EQ(lengths(apart, "TEMP[ADDR[0].x+3]"), (Lengths{6}));
    EXPECT_EQ(lengths("DCL TEMP[1..4], ARRAY(1), LOCAL\nDCL TEMP[4..5], ARRAY(2), LOCAL\n", "TEMP[ADDR[0].x+3](1)"),
              (Lengths{5}));
}

TEST(LowerRegisters, EveryFileCanBeIndexed) {
    constexpr std::string_view kOperands[] = {
        "TEMP[ADDR[0].x]",
        "IN[ADDR[0].x+1]",
        "IMM[ADDR[0].x]",
        "CONST[ADDR[0].x+2]",
        "CONST[2][ADDR[0].x]",
        "OUT[ADDR[0].x]",
        "CONST[ADDR[0].x][2]",
        "SV[ADDR[0].x]",
        "ADDR[ADDR[0].x]",
        "CONST[TEMP[0].y]",
        "CONST[IN[0].x]",
        "CONST[CONST[2][1].w+1]",
        "CONST[IMM[1].z]",
        "TEMP[OUT[0].x]",
        "CONST[SV[0].x]",
        "IN[CONST[0].x]",
        "CONST[ADDR[0].x][ADDR[0].y+1]",
        "CONST[NULL[0].x]",
        "TEMP[ADDR[0].x-3]",
    };
    for (const std::string_view operand : kOperands) {
        SCOPED_TRACE(operand);
        for (const bool io : {false, true}) {
            lower::Options options;
            options.io_buffers = io;
            const Lowered l = lower_text(shader(R"(DCL SV[0], FACE
ARL ADDR[0].xy, IN[0]
MOV TEMP[0], IN[1]
MOV OUT[0], IN[1]
MOV OUT[0].xyz, )" + std::string(operand) + ".zyxw"),
                                         options);
            EXPECT_TRUE(l.ok) << l.error;
        }
    }
}

TEST(LowerRegisters, ConstantsAreLoadedOnceWhereTheLoadDominates) {
    const auto loads = [](const Lowered& l) {
        size_t count = 0;
        for (const ir::Instruction& i : l.module.functions[0].instructions)
            if (i.op == ir::Op::Load && l.module.variables[i.aux].kind == ir::VariableKind::ConstantBuffer) ++count;
        return count;
    };
    const std::string branches = shader(
        "ADD TEMP[0], IN[0], CONST[1]\nIF IN[0]\nADD TEMP[0], TEMP[0], CONST[1]\nADD TEMP[0], TEMP[0], CONST[2]\nELSE\n"
        "ADD TEMP[0], TEMP[0], CONST[2]\nENDIF\nADD OUT[0], TEMP[0], CONST[1]");
    EXPECT_EQ(loads(lower_text(branches)), 3u);  // CONST[1] before the branches, CONST[2] in each of them
    // A loop is left after the load in its first block, but perhaps before the one in its second: value numbering finds
    // the former.
    const std::string loop = shader(
        "BGNLOOP\nADD TEMP[0], TEMP[0], CONST[1]\nIF TEMP[0]\nBRK\nENDIF\nADD TEMP[0], TEMP[0], CONST[2]\nENDLOOP\n"
        "ADD TEMP[0], TEMP[0], CONST[1]\nADD OUT[0], TEMP[0], CONST[2]");
    EXPECT_EQ(loads(lower_text(loop)), 4u);
    EXPECT_EQ(loads(lower_simplified(loop)), 3u);
}

/// No initialiser sets long arrays to zero, if an index selects in them.
TEST(LowerRegisters, LongArraysAreClearedInALoop) {
    for (const uint32_t last : {62u, 70u}) {
        const std::string head = "DCL TEMP[0.." + std::to_string(last) +
                                 "], ARRAY(1), LOCAL\nDCL ADDR[0]\nIMM[0] UINT32 {7, 0, 0, 0}\n"
                                 "UARL ADDR[0].x, IN[0].xxxx\nMOV TEMP[3], IMM[0].xxxx\n";
        const Lowered l =
            lower_text("VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\n" + head + "MOV OUT[0], TEMP[ADDR[0].x](1)\nEND\n");
        ASSERT_TRUE(l.ok) << l.error;
        const auto local = std::ranges::find(l.module.variables, ir::VariableKind::Local, &ir::Variable::kind);
        ASSERT_NE(local, l.module.variables.end());
        EXPECT_EQ(local->zero_initialised, last == 62);
    }
}

TEST(LowerRegisters, AnIndexedBufferIsOneOfThoseThatExist) {
    const auto selects = [](const char* declarations) {
        const Lowered l = lower_text("VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\n" + std::string(declarations) +
                                     R"(DCL ADDR[0]
UARL ADDR[0].x, IN[0]
MOV OUT[0], CONST[ADDR[0].x][0]
END
)");
        EXPECT_TRUE(l.ok) << l.error;
        EXPECT_EQ(l.module.variables.size(), 4u);  // IN, OUT, two buffers
        return count(l.module, ir::Op::IEq);
    };
    EXPECT_EQ(selects("DCL CONST[0][0]\nDCL CONST[1][0]\n"), 2u);
    EXPECT_EQ(selects("DCL CONST[1][0]\nDCL CONST[4][0]\n"), 2u);
}

TEST(LowerRegisters, LargeOrManyConstantBuffersAreStorage) {
    lower::Capabilities small;
    small.max_uniform_range = 64;
    small.max_uniform_buffers = 1;
    const std::string text = shader("ADD OUT[0], CONST[2][0], CONST[0]");
    auto storage = [](const Lowered& l) {
        std::vector<bool> out;
        for (const ir::Variable& v : l.module.variables)
            if (v.kind == ir::VariableKind::ConstantBuffer) out.push_back(v.storage);
        return out;
    };
    EXPECT_THAT(storage(lower_text(text)), testing::ElementsAre(false, false));
    EXPECT_THAT(storage(lower_text(text, {}, small)), testing::ElementsAre(false, true));  // the second: 8 × 16 bytes
}

}  // namespace
}  // namespace tgsi2spv::test

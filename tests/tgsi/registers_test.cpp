#include "tgsi/program/registers.h"

#include <gtest/gtest.h>

#include "tgsi/parse/parse.h"

namespace tgsi2spv::tgsi {
namespace {

struct Gathered {
    Program program;
    Registers registers;
};

Gathered gathered(const std::string& text) {
    Gathered g;
    std::vector<Diagnostic> diagnostics;
    EXPECT_TRUE(parse(text, {}, g.program, diagnostics));
    g.registers = gather(g.program);
    return g;
}

std::string runs(const Registers& r, File file, int32_t dim = 0) {
    std::string out;
    r.for_each_run(file, dim, [&](int32_t first, int32_t last) {
        out += std::to_string(first) + '-' + std::to_string(last) + ' ';
    });
    return out;
}

TEST(Registers, RangesMergeAndTheLastDeclarationCounts) {
    const Gathered g = gathered(
        "FRAG\nDCL TEMP[4..9]\nDCL TEMP[0..5]\nDCL TEMP[10]\nDCL TEMP[2..3], LOCAL\n"
        "DCL TEMP[20..21]\nDCL IN[0], COLOR\nEND");
    const Registers& r = g.registers;
    EXPECT_EQ(runs(r, File::Temp), "0-10 20-21 ");
    EXPECT_EQ(r.count(File::Temp), 22);
    EXPECT_EQ(r.count(File::Output), 0);
    const auto declaration = [&](int32_t i) {
        return r.find(File::Temp, i) ? static_cast<int>(r.find(File::Temp, i)->declaration) : -1;
    };
    EXPECT_EQ(declaration(0), 1);
    EXPECT_EQ(declaration(2), 3);
    EXPECT_EQ(declaration(3), 3);
    EXPECT_EQ(declaration(4), 1);
    EXPECT_EQ(declaration(5), 1);
    EXPECT_EQ(declaration(6), 0);
    EXPECT_EQ(declaration(10), 2);
    EXPECT_EQ(declaration(11), -1);
    EXPECT_EQ(declaration(20), 4);
    EXPECT_EQ(declaration(22), -1);
    EXPECT_TRUE(r.declared(File::Input, 0));
    EXPECT_FALSE(r.declared(File::Input, 1));
}

TEST(Registers, FindAgreesWithASearchFromTheEnd) {
    uint32_t state = 7;
    const auto random = [&](uint32_t below) {
        return (state = state * 1664525u + 1013904223u) >> 8 & 0xffff ? (state >> 8) % below : 0;
    };
    for (int round = 0; round < 200; ++round) {
        std::string text = "FRAG\n";
        const bool ascending = round % 2 == 0;  // the ranges of a file, between those of others
        uint32_t after[4] = {};
        for (int i = 0; i < 12; ++i) {
            const uint32_t dim = ascending ? static_cast<uint32_t>(i) / 5 : random(3);
            uint32_t& next = after[i % 3 ? 3 : dim];
            const uint32_t first = ascending ? next + random(3) : random(40), length = random(ascending ? 3 : 9);
            next = first + length + 1;
            const std::string range = std::to_string(first) + ".." + std::to_string(first + length) + "]\n";
            text += i % 3 ? "DCL TEMP[" + range : "DCL CONST[" + std::to_string(dim) + "][" + range;
        }
        const Gathered g = gathered(text + "END");
        const Registers& r = g.registers;
        for (const auto& [file, dim] :
             {std::pair{File::Temp, 0}, {File::Const, 0}, {File::Const, 1}, {File::Const, 2}}) {
            for (int32_t i = 0; i < 64; ++i) {
                int expected = -1;
                for (int d = 0; d < static_cast<int>(g.program.declarations.size()); ++d) {
                    const Declaration& at = g.program.declarations[static_cast<size_t>(d)];
                    if (at.file == file && at.dim == dim && at.first <= i && i <= at.last) expected = d;
                }
                const Range* found = r.find(file, i, dim);
                ASSERT_EQ(found ? static_cast<int>(found->declaration) : -1, expected) << text << i;
            }
        }
    }
}

TEST(Registers, ConstantBuffersAndCountersAreSpacesOfTheirOwn) {
    const auto [p, r] =
        gathered("FRAG\nDCL CONST[0..3]\nDCL CONST[2][0..31]\nDCL HWATOMIC[1][5]\nDCL TEMPX[3][0..1]\nEND");
    EXPECT_EQ(r.count(File::Const), 4);
    EXPECT_EQ(r.count(File::Const, 1), 0);
    EXPECT_EQ(r.count(File::Const, 2), 32);
    EXPECT_EQ(r.dims(File::Const), 3);
    EXPECT_EQ(r.dims(File::HwAtomic), 2);
    EXPECT_EQ(r.dims(File::TempArray), 4);
    EXPECT_EQ(r.dims(File::Temp), 0);
    EXPECT_TRUE(r.declared(File::HwAtomic, 5, 1));
    EXPECT_FALSE(r.declared(File::HwAtomic, 5, 0));
}

TEST(Registers, PerVertexFilesIgnoreTheFirstBracket) {
    const Gathered g = gathered("GEOM\nDCL IN[][0..1], GENERIC\nDCL IN[3][2], GENERIC[5]\nEND");
    const Registers& r = g.registers;
    EXPECT_EQ(runs(r, File::Input), "0-2 ");
}

TEST(Registers, ImmediatesCount) {
    const auto [p, r] = gathered(
        "FRAG\nIMM FLT32 {0, 0, 0, 0}\nIMM[2] FLT32 {0, 0, 0, 0}\n"
        "DCL IMMX[0..1] {{0,0,0,0},{0,0,0,0}}\nEND");
    EXPECT_EQ(r.count(File::Immediate), 3);
    EXPECT_EQ(r.count(File::ImmediateArray), 2);
    EXPECT_EQ(r.find(File::Immediate, 0)->declaration, kNoDeclaration);
}

TEST(Registers, ArraysAreFoundByFileAndId) {
    const auto [p, r] = gathered(
        "FRAG\nDCL TEMP[0..3], ARRAY(2)\nDCL TEMP[4..5], ARRAY(1)\nDCL IN[0..1], ARRAY(1), GENERIC\n"
        "END");
    EXPECT_EQ(r.array(File::Temp, 1)->first, 4);
    EXPECT_EQ(r.array(File::Temp, 2)->last, 3);
    EXPECT_EQ(r.array(File::Input, 1)->last, 1);
    EXPECT_EQ(r.array(File::Input, 2), nullptr);
    EXPECT_EQ(r.array(File::Output, 1), nullptr);
}

TEST(Registers, MemoryAndConstantsAreDeclaredByUse) {
    const Gathered g = gathered(
        "COMP\nDCL CONST[1][0]\nDCL MEMORY[1], SHARED\nDCL TEMP[0]\n"
        "LOAD TEMP[0], BUFFER[3], TEMP[0]\nSTORE MEMORY[0], TEMP[0], CONST[1][4]\n"
        "MOV TEMP[0], CONST[2][0]\nLOAD TEMP[0], IMAGE[TEMP[0].x+9], TEMP[0]\nEND");
    const Registers& r = g.registers;
    EXPECT_TRUE(r.declared(File::Buffer, 3));
    EXPECT_FALSE(r.declared(File::Buffer, 2));
    EXPECT_EQ(runs(r, File::Memory), "0-1 ");
    EXPECT_EQ(runs(r, File::Const, 1), "0-0 4-4 ");
    EXPECT_EQ(r.count(File::Const, 2), 0);
    EXPECT_EQ(r.count(File::Image), 0);
    EXPECT_EQ(r.find(File::Memory, 0)->declaration, kNoDeclaration);
}

}  // namespace
}  // namespace tgsi2spv::tgsi

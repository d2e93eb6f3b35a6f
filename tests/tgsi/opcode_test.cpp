// Compares the opcode table with the list of opcodes of the three editions.
#include "tgsi/tables/opcode.h"
#include "places.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace tgsi2spv::tgsi {
namespace {

TEST(Opcode, TableAgreesWithTheListOfTheEditions) {
    std::ifstream file(test::source_path("tests/tgsi/data/opcodes.csv"));
    std::string line;
    ASSERT_TRUE(std::getline(file, line));
    ASSERT_EQ(line, "opcode,oldest,middle,newest,dst,src");
    std::set<Opcode> seen;
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        std::string name, cell;
        std::getline(cells, name, ',');
        int values[5] = {};
        for (int& v : values) {
            std::getline(cells, cell, ',');
            v = std::stoi(cell);
        }
        const auto op = opcode_from_name(name);
        ASSERT_TRUE(op) << name;
        const OpcodeInfo& o = info(*op);
        EXPECT_EQ(o.mnemonic, name);
        EXPECT_EQ(o.editions, values[0] * kEditionOldest + values[1] * kEditionMiddle + values[2] * kEditionNewest)
            << name;
        EXPECT_EQ(o.num_dst, values[3]) << name;
        EXPECT_EQ(o.num_src, values[4]) << name;
        EXPECT_TRUE(seen.insert(*op).second) << name << " twice";
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(kOpcodeCount));
}

TEST(Opcode, RowsAreConsistent) {
    for (int n = 0; n < kOpcodeCount; ++n) {
        const auto op = static_cast<Opcode>(n);
        const OpcodeInfo& o = info(op);
        SCOPED_TRACE(o.mnemonic);
        EXPECT_NE(o.stages, 0);
        for (int i = 0; i < o.num_dst; ++i) EXPECT_NE(o.dst[i], OperandType::None);
        for (int i = 0; i < o.num_src; ++i) EXPECT_NE(o.src[i], OperandType::None);
        EXPECT_LE(min_sources(op), o.num_src);
        EXPECT_GE(max_sources(op), o.num_src);
        if (o.num_dst == 0) {
            EXPECT_EQ(o.shape, Shape::none);
        }
    }
}

TEST(Opcode, NamesAreMatchedWithoutRegardToCaseAndWhole) {
    EXPECT_EQ(opcode_from_name("mov"), Opcode::MOV);
    EXPECT_EQ(opcode_from_name("Interp_Centroid"), Opcode::INTERP_CENTROID);
    EXPECT_EQ(opcode_from_name("I2I64"), Opcode::I2I64);
    for (std::string_view no : {"", "MO", "MOVE", "MOV_SAT", "MOV ", "P0V", "INTERP_CENTROIDINTERP_CENTROID"})
        EXPECT_FALSE(opcode_from_name(no)) << no;
}

TEST(Opcode, HintsNameTheNearest) {
    EXPECT_EQ(nearest_mnemonic("ADDD"), "DADD");
    EXPECT_EQ(nearest_mnemonic("MOVE"), "MOV");
    EXPECT_EQ(nearest_mnemonic("mvo"), "MOV");
    EXPECT_EQ(nearest_mnemonic("SAMPEL_B"), "SAMPLE_B");
    EXPECT_EQ(nearest_mnemonic("ENDFI"), "ENDIF");
    EXPECT_EQ(nearest_mnemonic("INTERP_CENTROD"), "INTERP_CENTROID");
    EXPECT_EQ(nearest_mnemonic("ATOMINC"), "ATOMINC_WRAP");
    EXPECT_EQ(nearest_mnemonic("TRANSMOGRIFY"), "");
    EXPECT_EQ(nearest_mnemonic("Q"), "");
    EXPECT_EQ(nearest_mnemonic(std::string(1000, 'A')), "");
}

}  // namespace
}  // namespace tgsi2spv::tgsi

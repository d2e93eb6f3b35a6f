// Every written form parses, and prints in its canonical form, which parses to the same Program.
#include <gtest/gtest.h>

#include "cases.h"
#include "tgsi/prepare.h"
#include "tgsi/print.h"

namespace tgsi2spv::tgsi {
namespace {

TEST(Forms, AreTakenAndPrintedCanonically) {
    const auto cases = read_cases("forms/forms.txt");
    ASSERT_GE(cases.size(), 30u);
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        EXPECT_EQ(diagnostics_of(c.text), c.diagnostics);
        Program program, again;
        Survey survey;
        Registers registers;
        std::vector<Diagnostic> diagnostics;
        ASSERT_TRUE(read_text(c.text, {}, program, survey, registers, diagnostics));
        const std::string printed = print(program);
        EXPECT_EQ(printed, c.printed);
        ASSERT_TRUE(parse(printed, {}, again, diagnostics));
        EXPECT_EQ(program, again);
    }
}

/// Returns an instruction of any opcode; its operands are TEMP, or of the file that the table demands.
std::string instruction_of(Opcode op, int sources) {
    const OpcodeInfo& o = info(op);
    std::string text(o.mnemonic);
    std::string separator = " ";
    const auto add = [&](std::string_view operand) {
        text += separator;
        text += operand;
        separator = ", ";
    };
    for (int i = 0; i < o.num_dst; ++i) add(o.dst[i] == OperandType::Resource ? "BUFFER[0]" : "TEMP[0]");
    for (int i = 0; i < sources; ++i) {
        switch (o.src[i < o.num_src ? i : 0]) {
            case OperandType::Sampler:
                add("SAMP[0]");
                break;
            case OperandType::SamplerView:
                add("SVIEW[0]");
                break;
            case OperandType::Resource:
                add("BUFFER[0]");
                break;
            default:
                add("TEMP[1].xyzw");
        }
    }
    if (o.form == Form::tex) text += ", 2D";
    return text;
}

TEST(Forms, EveryOpcodeIsReadAndPrintedWithEveryCountOfSources) {
    for (int n = 0; n < kOpcodeCount; ++n) {
        const auto op = static_cast<Opcode>(n);
        for (int sources = min_sources(op); sources <= max_sources(op); ++sources) {
            // A gather without a component has its sampler as the second source.
            std::string line = instruction_of(op, sources);
            if (op == Opcode::TG4 && sources == 2) line = "TG4 TEMP[0], TEMP[1].xyzw, SAMP[0].y, 2D";
            Program program;
            std::vector<Diagnostic> diagnostics;
            ASSERT_TRUE(parse("FRAG\n" + line + "\nEND\n", {}, program, diagnostics))
                << line << ": " << diagnostics[0].message;
            ASSERT_EQ(program.instructions.size(), 2u);
            EXPECT_EQ(program.instructions[0].op, op);
            EXPECT_EQ(program.instructions[0].num_src, sources);
            EXPECT_EQ(print(program, program.instructions[0]), line);
        }
    }
}

TEST(Forms, EveryStageIsRead) {
    for (int n = 0; n < kStageCount; ++n) {
        const std::string_view words[] = {"VERT", "TESS_CTRL", "TESS_EVAL", "GEOM", "FRAG", "COMP"};
        Program program;
        std::vector<Diagnostic> diagnostics;
        ASSERT_TRUE(parse(std::string(words[n]) + "\nEND", {}, program, diagnostics));
        EXPECT_EQ(program.stage, static_cast<Stage>(n));
    }
}

TEST(Forms, OperandsStandInTheOrderOfTheTable) {
    Program p;
    std::vector<Diagnostic> diagnostics;
    ASSERT_TRUE(
        parse("FRAG\n(PRED[0].y) TG4_SAT TEMP[0].xz, -|TEMP[ADDR[0].y-3](2).wzyx|, IMM[0].xxxx, "
              "SAMP[CONST[0][3].w+1], 2D_ARRAY, IMM[1].xyz\nEND\nIMM FLT32 {0, 0, 0, 0} IMM FLT32 {0, 0, 0, 0}",
              {}, p, diagnostics));
    const Instruction& i = p.instructions[0];
    EXPECT_EQ(i.op, Opcode::TG4);
    EXPECT_TRUE(i.saturate);
    EXPECT_EQ(i.target, Target::T2DArray);
    ASSERT_EQ(p.dsts(i).size(), 1u);
    ASSERT_EQ(p.srcs(i).size(), 3u);
    ASSERT_EQ(p.offsets(i).size(), 1u);
    EXPECT_EQ(p.dsts(i)[0].write_mask, 0b0101);
    const Operand& s = p.srcs(i)[0];
    EXPECT_TRUE(s.negate && s.absolute);
    EXPECT_EQ(s.array_id, 2);
    EXPECT_EQ(s.index, -3);
    EXPECT_EQ(s.component(0), 3);
    EXPECT_EQ(s.component(3), 0);
    ASSERT_NE(p.index_relative(s), nullptr);
    EXPECT_EQ(p.index_relative(s)->file, File::Address);
    EXPECT_EQ(p.index_relative(s)->component, 1);
    const Relative* r = p.index_relative(p.srcs(i)[2]);
    ASSERT_NE(r, nullptr);
    EXPECT_TRUE(r->has_dim);
    EXPECT_EQ(r->dim, 0);
    EXPECT_EQ(r->index, 3);
    EXPECT_EQ(p.offsets(i)[0].swizzle_letters, 3);
    ASSERT_NE(p.predicate(i), nullptr);
    EXPECT_EQ(p.predicate(i)->file, File::Predicate);
}

TEST(Forms, TheDimensionsRelativeStandsBeforeTheIndexs) {
    Program p;
    std::vector<Diagnostic> diagnostics;
    ASSERT_TRUE(parse("GEOM\nMOV TEMP[0], IN[ADDR[1].x][ADDR[0].z+4]\nEND", {}, p, diagnostics));
    const Operand& o = p.srcs(p.instructions[0])[0];
    ASSERT_TRUE(o.dim_is_relative && o.index_is_relative);
    EXPECT_EQ(p.dim_relative(o)->index, 1);
    EXPECT_EQ(p.index_relative(o)->component, 2);
    EXPECT_EQ(o.index, 4);
    EXPECT_EQ(o.dim, 0);
}

}  // namespace
}  // namespace tgsi2spv::tgsi

// print.h and parse.h, tested against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bitset>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/text_cases.h"

namespace tgsi2spv::ir {
namespace {

TEST(IrText, EveryInstructionComesBackAsItWas) {
    Module module, again;
    const auto error = parse(every_instruction(), module);
    ASSERT_FALSE(error) << error->line << ": " << error->text;
    const std::string text = print(module);
    const auto second_error = parse(text, again);
    ASSERT_FALSE(second_error) << second_error->line << ": " << second_error->text << "\n" << text;
    EXPECT_EQ(print(again), text);

    std::bitset<kOpCount> seen;
    for (const Function& f : module.functions)
        for (const Instruction& i : f.instructions) seen.set(static_cast<size_t>(i.op));
    for (int op = 0; op < kOpCount; op++) EXPECT_TRUE(seen[static_cast<size_t>(op)]) << info(static_cast<Op>(op)).name;

    // Compares the data, too: comparing only two prints could hide the same omission in both.
    ASSERT_EQ(again.functions.size(), module.functions.size());
    EXPECT_EQ(again.constants, module.constants);
    EXPECT_EQ(again.image_ops, module.image_ops);
    for (size_t n = 0; n < module.functions.size(); n++) {
        const Function &f = module.functions[n], &g = again.functions[n];
        EXPECT_EQ(f.args, g.args);
        ASSERT_EQ(f.instructions.size(), g.instructions.size());
        for (size_t i = 0; i < f.instructions.size(); i++) {
            const Instruction &a = f.instructions[i], &b = g.instructions[i];
            EXPECT_EQ(std::tie(a.op, a.type, a.precise, a.second, a.sub, a.num_args, a.first_arg, a.aux, a.aux2),
                      std::tie(b.op, b.type, b.precise, b.second, b.sub, b.num_args, b.first_arg, b.aux, b.aux2))
                << print(module, f, static_cast<uint32_t>(i));
        }
    }
}

TEST(IrText, TheTextIsReadAsWritten) {
    Module m;
    ASSERT_FALSE(parse(every_instruction(), m));
    EXPECT_EQ(m.entry.stage, Stage::Fragment);
    EXPECT_TRUE(m.entry.depth_replacing);
    EXPECT_EQ(m.entry.depth_layout, DepthLayout::Greater);
    EXPECT_EQ(m.variables[4].name, "a \"quoted\" name;");
    EXPECT_EQ(m.variables[4].image.sampled, Scalar::U32);
    EXPECT_TRUE(m.variables[4].image.sampled_is_signed);
    EXPECT_EQ(m.variables[5].sample_location, SampleLocation::Centroid);
    EXPECT_EQ(m.variables[5].array[0], 3u);
    EXPECT_EQ(m.image_ops[1].sampler, 3u);
    EXPECT_TRUE(m.image_ops[2].sparse);
    EXPECT_EQ(m.functions[1].blocks[1].merge, Merge::Loop);
    EXPECT_EQ(m.functions[1].blocks[1].merge_block, 7u);
    EXPECT_EQ(m.functions[1].blocks[1].continue_block, 6u);
}

TEST(IrText, ConstantsKeepTheirBits) {
    const std::string text = R"(entry Vertex f0
$0 = StorageBuffer u32
function f0 "" () -> void {
b0:
  Store $0[u32(0)], f32x4(-0, 1e-45, 0x7fc00001, 0xff800000)
  Store $0[u32(1)], f64x2(0.1, 0x7ff8000000000001)
  Store $0[u32(2)], f32x2(3.4028235e+38, 0.1)
  Return
}
)";
    Module m;
    ASSERT_FALSE(parse(text, m));
    EXPECT_EQ(print(m), text);
    EXPECT_THAT(m.constants[1].words, testing::ElementsAre(0x80000000, 1, 0x7fc00001, 0xff800000, 0, 0, 0, 0));
    EXPECT_THAT(m.constants[3].words, testing::ElementsAre(0x9999999a, 0x3fb99999, 1, 0x7ff80000, 0, 0, 0, 0));
}

TEST(IrText, LinesArePrintedOnRequest) {
    Module m;
    ASSERT_FALSE(parse("function f0 \"\" () -> void {\nb0:\n  Return !line(17)\n}\n", m));
    EXPECT_EQ(m.functions[0].instructions[0].offset_plus_one, 17u);
    EXPECT_THAT(print(m, {.lines = true}), testing::HasSubstr("Return !line(17)\n"));
    EXPECT_THAT(print(m), testing::HasSubstr("Return\n"));
}

TEST(IrText, MistakesHaveALineAndASentence) {
    struct {
        const char* body;
        const char* expected;
    } const table[] = {
        {"  %0 = FAdd f32 f32(1), %1", "4: %1 does not exist in this function"},
        {"  %0 = FAdd f32 f32(1) f32(2)", "4: unexpected 'f32(2)'"},
        {"  %0 = FAd f32 f32(1), f32(2)", "4: unknown instruction 'FAd'"},
        {"  %0 = FAdd f33 f32(1), f32(2)", "4: unknown type 'f33'"},
        {"  %0 = FAdd f32 f32(1, f32(2)", "4: expected ')' before ', f32(2)'"},
        {"  %0 = FAdd f32 f32(x), f32(2)", "4: expected a number before 'x), f32(2)'"},
        {"  %0 = Undef f32\n  %0 = Undef f32", "5: duplicate value %0"},
        {"  Branch b7", "4: b7 does not exist in this function"},
        {"b0:", "4: duplicate block b0"},
        {"  %0 = Compose f32 f32(1).q", "4: expected one to four components x, y, z or w"},
        {"  %0 = Atomic u32 Add $0", "4: unknown name 'Add'"},
        {"  Return\n}\n$0 = Local f32 name=\"a name of a few bytes more than a name may ever have\"",
         "6: a name can have at most 47 bytes"},
        {"  Return\n}\n$0 = Local f32 size=3", "6: unknown field 'size'"},
        {"  Return", "4: expected '}' at the end of the function"},
    };
    for (const auto& [body, expected] : table) {
        Module m;
        const auto error = parse(std::string("entry Vertex f0\nfunction f0 () -> void {\nb0:\n") + body +
                                     (std::string(expected).find("'}'") == std::string::npos ? "\n}\n" : ""),
                                 m);
        ASSERT_TRUE(error) << body;
        EXPECT_EQ(std::to_string(error->line) + ": " + error->text, expected);
    }
}

}  // namespace
}  // namespace tgsi2spv::ir

// For each rule, a module that keeps it and one that breaks only this rule.
#include "ir/verify.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/every_instruction.h"
#include "ir/parse.h"
#include "ir/print.h"

namespace tgsi2spv::ir {
namespace {

struct Case {
    const char* rule;
    const char* accepted;
    const char* rejected;
};

constexpr const char* kHead = R"(entry Fragment f0
$0 = StorageBuffer u32
$1 = Input f32x4 array0=3
$2 = Output f32x4
$3 = CombinedImage void
$4 = SampledImage void
$5 = Sampler void
$6 = StorageImage void
$7 = ConstantBuffer f32x4 array1=4
#0 = image $3
#1 = image $3 lod
#2 = image $4
#3 = image $4 sampler $5
#4 = image $6
#5 = image $3 lod grad
#6 = image $3 const_offset
)";
constexpr const char* kMain = "function f0 \"main\" () -> void {\nb0:\n";
constexpr const char* kEnd = "  Return\n}\n";
constexpr const char* kInputs = "  %c = IsHelper bool\n  %x = Load u32 $0[u32(0)]\n";

// `!entry …` is a whole module, `!…` comes after an empty main, anything else is the body of main.
constexpr Case kCases[] = {
    {"entry-function", "!entry Vertex f0\nfunction f0 () -> void {\nb0:\n  Return\n}\n",
     "!entry Vertex f0\nfunction f0 (u32) -> void {\nb0:\n  %0 = Param u32 0\n  Return\n}\n"},
    {"variable-element", "!$8 = Private f32", "!$8 = Sampler f32"},
    {"variable-function", "!$8 = Local u32 function=0", "!$8 = Local u32 function=7"},
    {"constant-type", "  Store $0[u32(0)], spec(1)u32(2)", "  %0 = Any bool spec(1)boolx2(true, true)"},
    {"image-op-variable", "!#7 = image $4 sampler $5", "!#7 = image $5 sampler $4"},
    {"recursion",
     "!function f1 () -> void {\nb0:\n  Call void f2()\n  Return\n}\nfunction f2 () -> void {\nb0:\n  Return\n}",
     "!function f1 () -> void {\nb0:\n  Call void f2()\n  Return\n}\nfunction f2 () -> void {\nb0:\n  Call void "
     "f1()\n  Return\n}"},
    {"block-range", "!function f1 () -> void {\nb0:\n  Return\n}", "!function f1 () -> void {\n}"},
    {"block-id", "  Branch b1\nb1:", "  Branch b0\nb1:"},
    {"argument-id", "  Store $0[u32(0)], %x", "  Store $0[u32(0)], %none"},
    {"argument-count", "  %0 = FAdd f32 f32(1), f32(2)", "  %0 = FAdd f32 f32(1)"},
    {"variable-id", "  Store $0[u32(0)], %x", "  Store $99[u32(0)], %x"},
    {"image-op-id", "  %0 = ImageSample f32x4 #0 f32x2(0, 0)", "  %0 = ImageSample f32x4 #99 f32x2(0, 0)"},
    {"function-id", "!function f1 () -> void {\nb0:\n  Call void f0()\n  Return\n}",
     "!function f1 () -> void {\nb0:\n  Call void f9()\n  Return\n}"},
    {"one-terminator", "  Branch b1\nb1:", "  Return"},
    {"phi-first", "  Branch b1\nb1:\n  %0 = Phi u32 [%x, b0]", "  Branch b1\nb1:\n  Demote\n  %0 = Phi u32 [%x, b0]"},
    {"param-first", "!function f1 (u32, u32) -> void {\nb0:\n  %0 = Param u32 0\n  %1 = Param u32 1\n  Return\n}",
     "!function f1 (u32, u32) -> void {\nb0:\n  %0 = Param u32 1\n  %1 = Param u32 0\n  Return\n}"},
    {"operand-type", "  %0 = IAdd u32 %x, u32(1)", "  %0 = IAdd u32 %x, f32(1)"},
    {"operand-type", "  %0 = Shl u64 u64(1), u32(1)", "  %0 = Shl u64 u64(1), u64(1)"},
    {"operand-type", "  %0 = Select u32x2 boolx2(true, false), u32x2(0, 1), u32x2(1, 0)",
     "  %0 = Select u32x2 boolx3(true, false, true), u32x2(0, 1), u32x2(1, 0)"},
    {"operand-type", "  %0 = Any bool boolx2(true, false)", "  %0 = Any bool %c"},
    {"operand-type", "  %0 = FSin f32 f32(1)", "  %0 = FSin f64 f64(1)"},
    {"operand-type", "  %0 = UMulExt u32 %x, %x\n  %1 = Second u32 %0", "  %0 = IAdd u32 %x, %x\n  %1 = Second u32 %0"},
    {"result-type", "  %0 = FOLt boolx2 f32x2(1, 2), f32x2(1, 2)", "  %0 = FOLt bool f32x2(1, 2), f32x2(1, 2)"},
    {"result-type", "  %0 = FDot f32 f32x2(1, 2), f32x2(1, 2)", "  %0 = FDot f32x2 f32x2(1, 2), f32x2(1, 2)"},
    {"result-type", "  %0 = Bitcast f64x2 u32x4(1, 2, 3, 4)", "  %0 = Bitcast f64x2 u32x2(1, 2)"},
    {"result-type", "  %0 = Bitcast f32 %x", "  %0 = Bitcast bool %x"},
    {"result-type", "  %0 = FToU u32x2 f32x2(1, 2)", "  %0 = FToU u32 f32x2(1, 2)"},
    {"result-type", "  %0 = UConvert u64 %x", "  %0 = UConvert u32 %x"},
    {"component", "  %0 = Compose f32x2 f32(1).x, f32x2(1, 2).y", "  %0 = Compose f32x2 f32(1).y, f32x2(1, 2).y"},
    {"precise", "  %0 = FAdd f32 f32(1), f32(2) !precise", "  %0 = IAdd u32 u32(1), u32(2) !precise"},
    {"dominance", "  %0 = IAdd u32 %x, %x\n  %1 = IAdd u32 %0, %0", "  %1 = IAdd u32 %0, %0\n  %0 = IAdd u32 %x, %x"},
    {"dominance", "b1: merge b3\n  BranchIf %c, b2, b3\nb2:\n  %0 = Not u32 %x\n  %1 = Not u32 %0\n  Branch b3\nb3:",
     "b1: merge b3\n  BranchIf %c, b2, b3\nb2:\n  %0 = Not u32 %x\n  Branch b3\nb3:\n  %1 = Not u32 %0"},
    {"phi-edges", "b1: merge b3\n  BranchIf %c, b2, b3\nb2:\n  Branch b3\nb3:\n  %0 = Phi u32 [%x, b1], [%x, b2]",
     "b1: merge b3\n  BranchIf %c, b2, b3\nb2:\n  Branch b3\nb3:\n  %0 = Phi u32 [%x, b2]"},
    {"phi-edges", "b1: merge b2\n  BranchIf %c, b2, b2\nb2:\n  %0 = Phi u32 [%x, b1]",
     "b1: merge b2\n  BranchIf %c, b2, b2\nb2:\n  %0 = Phi u32 [%x, b1], [%x, b1]"},
    {"phi-edges", "b1:\n  Branch b2\nb2:\n  %0 = Phi u32 [%x, b1]", "b1:\n  Branch b2\nb2:\n  %0 = Phi u32 [%x, b0]"},
    {"phi-dominance",
     "b1: merge b3\n  BranchIf %c, b2, b3\nb2:\n  %0 = Not u32 %x\n  Branch b3\nb3:\n  %1 = Phi u32 [%x, b1], [%0, b2]",
     "b1: merge b3\n  BranchIf %c, b2, b3\nb2:\n  %0 = Not u32 %x\n  Branch b3\nb3:\n  %1 = Phi u32 [%0, b1], [%x, "
     "b2]"},
    // Structure. In loops, b1 is the header, b2 the body, b3 the continue target, b4 the merge block.
    {"block-order", "  Branch b2\nb2:\n  Branch b1\nb1:",
     "  Branch b2\nb1: loop b4 continue b3\n  BranchIf %c, b3, b4\nb3:\n  Branch b1\nb2:\n  Branch b1\nb4:"},
    {"merge-once", "b1: merge b4\n  BranchIf %c, b2, b4\nb2: merge b3\n  BranchIf %c, b3, b3\nb3:\n  Branch b4\nb4:",
     "b1: merge b4\n  BranchIf %c, b2, b4\nb2: merge b4\n  BranchIf %c, b3, b4\nb3:\n  Branch b4\nb4:"},
    {"nesting",
     "b1: merge b5\n  BranchIf %c, b2, b5\nb2: merge b4\n  BranchIf %c, b3, b4\nb3:\n  Branch b4\nb4:\n  "
     "Branch b5\nb5:",
     "b1: merge b4\n  BranchIf %c, b2, b4\nb2: merge b5\n  BranchIf %c, b3, b4\nb3:\n  Branch b4\nb4:\n  Branch "
     "b5\nb5:"},
    {"selection-header", "b1: merge b2\n  BranchIf %c, b2, b2\nb2:", "b1: merge b2\n  Branch b2\nb2:"},
    {"loop-header", "b1: loop b4 continue b3\n  Branch b3\nb3:\n  BranchIf %c, b1, b4\nb4:",
     "b1: loop b4 continue b3\n  Return\nb3:\n  BranchIf %c, b1, b4\nb4:"},
    {"switch-merge", "b1: merge b3\n  Switch %x, b3, 1: b2\nb2:\n  Branch b3\nb3:",
     "b1:\n  Switch %x, b3, 1: b2\nb2:\n  Branch b3\nb3:"},
    {"selection-merge", "b1: loop b4 continue b3\n  Branch b2\nb2:\n  BranchIf %c, b3, b4\nb3:\n  Branch b1\nb4:",
     "b1: loop b4 continue b3\n  Branch b2\nb2:\n  BranchIf %c, b5, b6\nb5:\n  Branch b3\nb6:\n  Branch b4\nb3:\n  "
     "Branch b1\nb4:"},
    {"continue-target",
     "b1: loop b4 continue b1\n  BranchIf %c, b1, b4\nb4:", "b1: loop b4 continue b4\n  BranchIf %c, b1, b4\nb4:"},
    {"continue-target",
     "b1: loop b4 continue b3\n  Branch b2\nb2: merge b5\n  BranchIf %c, b4, b5\nb5:\n  Branch b3\nb3:\n  Branch "
     "b1\nb4:",
     "b1: loop b4 continue b3\n  Branch b2\nb2: merge b5\n  BranchIf %c, b3, b5\nb3:\n  Branch b1\nb5:\n  Branch "
     "b4\nb4:"},
    {"back-edge", "b1: loop b4 continue b3\n  BranchIf %c, b3, b4\nb3:\n  Branch b1\nb4:",
     "b1: loop b4 continue b3\n  BranchIf %c, b3, b4\nb3:\n  BranchIf %c, b5, b1\nb5:\n  Branch b1\nb4:"},
    {"back-edge", "b1: loop b4 continue b3\n  BranchIf %c, b3, b4\nb3:\n  Branch b1\nb4:",
     "b1: loop b4 continue b3\n  Branch b2\nb2:\n  BranchIf %c, b1, b3\nb3:\n  Branch b1\nb4:"},
    {"back-edge", "b1:\n  Branch b2\nb2:", "b1:\n  BranchIf %c, b1, b2\nb2:"},
    {"construct-entry", "b1: merge b3\n  BranchIf %c, b2, b3\nb2:\n  Branch b3\nb3:",
     "b1: merge b6\n  BranchIf %c, b2, b4\nb2: merge b5\n  BranchIf %c, b4, b5\nb4:\n  Branch b5\nb5:\n  Branch "
     "b6\nb6:"},
    {"construct-exit",
     "b1: loop b4 continue b3\n  Branch b2\nb2: merge b5\n  BranchIf %c, b6, b5\nb6:\n  Branch b4\nb5:\n  Branch "
     "b3\nb3:\n  Branch b1\nb4:",
     "b1: merge b4\n  BranchIf %c, b2, b4\nb2: merge b5\n  BranchIf %c, b6, b5\nb6:\n  Branch b4\nb5:\n  Branch "
     "b4\nb4:"},
    {"construct-exit",
     "b1: merge b5\n  Switch %x, b5, 1: b2\nb2: merge b4\n  BranchIf %c, b3, b4\nb3:\n  Branch b5\nb4:\n  Branch "
     "b5\nb5:",
     "b1: merge b6\n  BranchIf %c, b5, b6\nb5: loop b4 continue b3\n  BranchIf %c, b6, b3\nb3:\n  Branch b5\nb4:\n  "
     "Branch b6\nb6:"},
    {"continue-exit", "b1: loop b4 continue b3\n  Branch b3\nb3:\n  BranchIf %c, b1, b4\nb4:",
     "b1: loop b4 continue b3\n  Branch b3\nb3:\n  BranchIf %c, b5, b4\nb5:\n  Branch b1\nb4:"},
    {"continue-exit",
     "b1: loop b4 continue b3\n  Branch b3\nb3: merge b6\n  BranchIf %c, b5, b6\nb5:\n  Branch b6\nb6:\n  Branch "
     "b1\nb4:",
     "b1: loop b4 continue b3\n  Branch b3\nb3: merge b6\n  BranchIf %c, b5, b6\nb5:\n  Return\nb6:\n  Branch b1\nb4:"},
    {"case-target", "b1: merge b3\n  Switch %x, b3, 1: b2\nb2:\n  Branch b3\nb3:",
     "b1: loop b4 continue b3\n  Branch b2\nb2: merge b5\n  Switch %x, b5, 1: b3\nb5:\n  Branch b3\nb3:\n  Branch "
     "b1\nb4:"},
    {"case-order",
     "b1: merge b5\n  Switch %x, b4, 1: b2, 2: b3\nb2:\n  Branch b3\nb3:\n  Branch b4\nb4:\n  Branch b5\nb5:",
     "b1: merge b5\n  Switch %x, b4, 1: b2, 2: b3\nb2:\n  Branch b4\nb3:\n  Branch b4\nb4:\n  Branch b5\nb5:"},
    // Variables and images.
    {"access-kind", "  Store $2, f32x4(0, 0, 0, 0)", "  Store $1[u32(0)], f32x4(0, 0, 0, 0)"},
    {"access-kind", "  %0 = InterpCentroid f32x4 $1[u32(0)]", "  %0 = InterpCentroid f32x4 $2"},
    {"access-indices", "  %0 = Load f32x4 $1[%x]", "  %0 = Load f32x4 $1"},
    {"access-indices", "  %0 = Load f32 $1[%x, u32(3)]", "  %0 = Load f32 $1[%x, u32(4)]"},
    {"access-indices", "  %9 = And u32 %x, u32(3)\n  %0 = Load f32 $1[%x, %9]",
     "  %9 = And u32 %x, u32(4)\n  %0 = Load f32 $1[%x, %9]"},
    {"access-indices", "  %9 = And u32 %x, u32(3)\n  %0 = Load f32 $1[%x, %9]",
     "  %9 = Or u32 %x, u32(3)\n  %0 = Load f32 $1[%x, %9]"},
    {"access-indices", "  %9 = Select u32 %c, u32(3), u32(0)\n  %0 = Load f32 $1[%x, %9]",
     "  %9 = Select u32 %c, u32(3), u32(4)\n  %0 = Load f32 $1[%x, %9]"},
    {"access-indices", "  %0 = Load f32x4 $7[u32(3)]", "  %0 = Load f32x4 $7[f32(3)]"},
    {"access-indices", "  %0 = ArrayLength u32 $0", "  %0 = ArrayLength u32 $0[u32(0)]"},
    {"access-type", "  Store $2[u32(1)], f32(0)", "  Store $2[u32(1)], u32(0)"},
    {"access-type", "  %0 = Atomic u32 IAdd $0[%x], %x", "  %0 = Atomic u32 IAdd $0[%x], f32(0)"},
    {"image-kind", "  %0 = ImageRead f32x4 #4 u32x2(0, 0)", "  %0 = ImageRead f32x4 #0 u32x2(0, 0)"},
    {"image-sampler", "  %0 = ImageSample f32x4 #3 f32x2(0, 0)", "  %0 = ImageSample f32x4 #2 f32x2(0, 0)"},
    {"image-operands", "  %0 = ImageSampleLod f32x4 #1 f32x2(0, 0), f32(0)",
     "  %0 = ImageSampleLod f32x4 #5 f32x2(0, 0), f32(0), f32x2(0, 0), f32x2(0, 0)"},
    {"image-coordinate", "  %0 = ImageSample f32x4 #0 f32x2(0, 0)", "  %0 = ImageSample f32x4 #0 f32(0)"},
    {"image-coordinate", "  %0 = ImageFetch f32x4 #2 u32x2(0, 0)", "  %0 = ImageFetch f32x4 #2 f32x2(0, 0)"},
    {"image-operand", "  %0 = ImageSampleLod f32x4 #1 f32x2(0, 0), f32(0)",
     "  %0 = ImageSampleLod f32x4 #1 f32x2(0, 0), u32(0)"},
    {"image-constant", "  %0 = ImageSample f32x4 #6 f32x2(0, 0), u32x2(1, 1)",
     "  %p = Compose u32x2 %x.x, %x.x\n  %0 = ImageSample f32x4 #6 f32x2(0, 0), %p"},
};

std::string whole(const char* part) {
    const std::string_view text = part;
    if (text.starts_with("!entry")) return std::string(text.substr(1));
    std::string result = kHead;
    if (text.starts_with("!")) return result.append(kMain).append(kEnd).append(text.substr(1)).append("\n");
    result.append(kMain).append(kInputs);
    if (text.starts_with("b")) result += "  Branch b1\n";  // the body starts with a block of its own
    return result.append(text).append("\n").append(kEnd);
}

std::string verdict(const std::string& text) {
    Module m;
    if (const auto error = parse(text, m)) return "line " + std::to_string(error->line) + ": " + error->text;
    const auto broken = verify(m);
    return broken ? describe(m, *broken) : "";
}

TEST(IrVerify, EachRuleAcceptsAndRejects) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(c.rule);
        EXPECT_EQ(verdict(whole(c.accepted)), "") << c.accepted;
        Module m;
        const auto error = parse(whole(c.rejected), m);
        ASSERT_FALSE(error) << error->line << ": " << error->text << "\n" << whole(c.rejected);
        const auto broken = verify(m);
        ASSERT_TRUE(broken) << c.rejected;
        EXPECT_STREQ(broken->rule, c.rule) << describe(m, *broken) << "\n" << c.rejected;
    }
}

// Broken data that no text can express.
constexpr struct {
    const char* rule;
    void (*damage)(Module&);
} kDamages[] = {
    {"block-range", [](Module& m) { m.functions[1].blocks.back().count++; }},
    {"block-range", [](Module& m) { m.functions[1].instructions.push_back({}); }},
    {"block-range", [](Module& m) { m.functions[1].blocks[2].count = 0; }},
    {"block-id", [](Module& m) { m.functions[1].blocks[1].merge_block = 99; }},
    {"opcode", [](Module& m) { m.functions[1].instructions[5].op = static_cast<Op>(250); }},
    {"argument-range", [](Module& m) { m.functions[1].instructions[5].first_arg = 0xfffffff0; }},
    {"argument-range", [](Module& m) { m.functions[1].instructions[5].num_args = 0xffffffff; }},
    {"argument-id", [](Module& m) { m.functions[1].args[3] = 0x7fffffff; }},
    {"argument-id", [](Module& m) { m.functions[1].args[3] = 0x80ffffff; }},
    {"result-type", [](Module& m) { m.functions[1].instructions[5].type.components = 9; }},
    {"atomic-op",
     [](Module& m) {
         for (Instruction& i : m.functions[1].instructions)
             if (i.op == Op::Atomic) i.sub = 77;
     }},
};

TEST(IrVerify, RejectsDataThatNoTextMakes) {
    for (const auto& [rule, damage] : kDamages) {
        Module m;
        ASSERT_FALSE(parse(kEveryInstruction, m));
        damage(m);
        const auto broken = verify(m);
        ASSERT_TRUE(broken) << rule;
        EXPECT_STREQ(broken->rule, rule) << describe(m, *broken);
    }
}

TEST(IrVerify, EachRuleHasACase) {
    std::set<std::string> tested;
    for (const Case& c : kCases) tested.insert(c.rule);
    for (const auto& d : kDamages) tested.insert(d.rule);
    std::set<std::string> listed;
    for (const VerifyRule& r : verify_rules()) listed.insert(r.name);
    EXPECT_EQ(tested, listed);
}

// A seeded walk over broken modules: verify() must return for any words. Its result does not matter.
TEST(IrVerify, TakesAnyBits) {
    Module good;
    ASSERT_FALSE(parse(kEveryInstruction, good));
    uint64_t state = 1;
    auto random = [&](uint64_t below) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<uint32_t>((state >> 33) % below);
    };
    const uint32_t words[] = {0, 1, 2, 3, 7, 0xff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff};
    int rejected = 0;
    for (int round = 0; round < 4000; round++) {
        Module m = good;
        Function& f = m.functions[1];
        const uint32_t word = words[random(std::size(words))];
        Instruction& i = f.instructions[random(f.instructions.size())];
        Block& b = f.blocks[random(f.blocks.size())];
        switch (random(14)) {
            case 0:
                i.op = static_cast<Op>(word);
                break;
            case 1:
                i.type.components = static_cast<uint8_t>(word);
                break;
            case 2:
                i.type.scalar = static_cast<Scalar>(word);
                break;
            case 3:
                i.num_args = word;
                break;
            case 4:
                i.first_arg = word;
                break;
            case 5:
                i.aux = word;
                break;
            case 6:
                i.aux2 = word;
                break;
            case 7:
                i.sub = static_cast<uint8_t>(word);
                break;
            case 8:
                f.args[random(f.args.size())] = word;
                break;
            case 9:
                b.first = word;
                break;
            case 10:
                b.count = word;
                break;
            case 11:
                b.merge = static_cast<Merge>(word % 3);
                break;
            case 12:
                b.merge_block = word;
                break;
            default:
                b.continue_block = word;
                break;
        }
        if (const auto broken = verify(m)) {
            rejected++;
            EXPECT_FALSE(describe(m, *broken).empty());
        }
    }
    EXPECT_GT(rejected, 2000);
}

TEST(IrVerify, AcceptsEveryInstruction) {
    EXPECT_EQ(verdict(kEveryInstruction), "");
}

}  // namespace
}  // namespace tgsi2spv::ir

// For each rule, a module that keeps it and one that breaks only this rule.
#include "ir/verify.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/text_cases.h"

namespace tgsi2spv::ir {
namespace {

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

std::string whole(std::string_view text) {
    if (text.starts_with("!entry")) return std::string(text.substr(1));
    std::string result = kHead;
    if (text.starts_with("!")) return result.append(kMain).append(kEnd).append(text.substr(1));
    result.append(kMain).append(kInputs);
    if (text.starts_with("b")) result += "  Branch b1\n";  // the body starts with a block of its own
    return result.append(text).append(kEnd);
}

std::string verdict(const std::string& text) {
    Module m;
    if (const auto error = parse(text, m)) return "line " + std::to_string(error->line) + ": " + error->text;
    const auto broken = verify(m);
    return broken ? describe(m, *broken) : "";
}

TEST(IrVerify, EachRuleAcceptsAndRejects) {
    for (const TextCase& c : text_cases("ir/data/verify")) {
        SCOPED_TRACE(c.name);
        EXPECT_EQ(verdict(whole(c.before)), "") << c.before;
        Module m;
        const auto error = parse(whole(c.after), m);
        ASSERT_FALSE(error) << error->line << ": " << error->text << "\n" << whole(c.after);
        const auto broken = verify(m);
        ASSERT_TRUE(broken) << c.after;
        EXPECT_EQ(broken->rule, c.name) << describe(m, *broken) << "\n" << c.after;
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
        ASSERT_FALSE(parse(every_instruction(), m));
        damage(m);
        const auto broken = verify(m);
        ASSERT_TRUE(broken) << rule;
        EXPECT_STREQ(broken->rule, rule) << describe(m, *broken);
    }
}

TEST(IrVerify, EachRuleHasACase) {
    std::set<std::string> tested;
    for (const TextCase& c : text_cases("ir/data/verify")) tested.insert(c.name);
    for (const auto& d : kDamages) tested.insert(d.rule);
    std::set<std::string> listed;
    for (const VerifyRule& r : verify_rules()) listed.insert(r.name);
    EXPECT_EQ(tested, listed);
}

// A seeded walk over broken modules: verify() must return for any words. Its result does not matter.
TEST(IrVerify, TakesAnyBits) {
    Module good;
    ASSERT_FALSE(parse(every_instruction(), good));
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
        uint32_t* const places[] = {
            &i.num_args, &i.first_arg, &i.aux,         &i.aux2,          &f.args[random(f.args.size())],
            &b.first,    &b.count,     &b.merge_block, &b.continue_block};
        const uint32_t place = random(std::size(places) + 5);
        if (place < std::size(places)) *places[place] = word;
        if (place == std::size(places)) i.op = static_cast<Op>(word);
        if (place == std::size(places) + 1) i.type.components = static_cast<uint8_t>(word);
        if (place == std::size(places) + 2) i.type.scalar = static_cast<Scalar>(word);
        if (place == std::size(places) + 3) i.sub = static_cast<uint8_t>(word);
        if (place == std::size(places) + 4) b.merge = static_cast<Merge>(word % 3);
        if (const auto broken = verify(m)) {
            rejected++;
            EXPECT_FALSE(describe(m, *broken).empty());
        }
    }
    EXPECT_GT(rejected, 2000);
}

TEST(IrVerify, AcceptsEveryInstruction) {
    EXPECT_EQ(verdict(every_instruction()), "");
}

}  // namespace
}  // namespace tgsi2spv::ir

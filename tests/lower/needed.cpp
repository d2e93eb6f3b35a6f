// Texts with loops give the same with and without their unneeded values. data/flow.txt has what is dropped.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "ir/verify.h"
#include "lower/lowered.h"
#include "tgsi/parse/parse.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::test {
namespace {

constexpr std::string_view kHead =
    R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[7]
DCL CONST[0..7]
DCL TEMP[0..63]
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
)";

tgsi::Program parsed(std::string_view body) {
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    EXPECT_TRUE(tgsi::parse(std::string(kHead) + std::string(body) + "\nEND\n", {}, program, diagnostics)) << body;
    return program;
}

/// Returns a loop that counts TEMP[41] up to IN[0].x and sums it up in TEMP[43]. In it, a tree of selections, five
/// levels deep, adds the counter to one of TEMP[0] to TEMP[31]. `reader` comes after the loop.
std::string tree(std::string_view reader) {
    std::string text = "BGNLOOP\nUSGE TEMP[40].x, TEMP[41], IN[0]\nBREAKC TEMP[40].xxxx\n";
    int next = 0;
    const auto level = [&](const auto& self, int bit) -> void {
        if (bit < 0) {
            text += fmt::format("UADD TEMP[{0}].x, TEMP[{0}], TEMP[41]\n", next++);
            return;
        }
        text += fmt::format(
            "USHR TEMP[42].x, TEMP[41], IMM[0].{0}{0}{0}{0}\nAND TEMP[42].x, TEMP[42], IMM[0].yyyy\n"
            "UIF TEMP[42].xxxx\n",
            "xyzw"[bit & 3]);
        self(self, bit - 1);
        text += "ELSE\n";
        self(self, bit - 1);
        text += "ENDIF\n";
    };
    level(level, 4);
    return text + "UADD TEMP[43].x, TEMP[43], TEMP[41]\nUADD TEMP[41].x, TEMP[41], IMM[0].yyyy\nENDLOOP\n" +
           std::string(reader);
}

ir::Module lowered(std::string_view body, bool drop_unneeded) {
    const tgsi::Program program = parsed(body);
    std::vector<tgsi::Diagnostic> diagnostics;
    lower::Options options;
    options.drop_unneeded = drop_unneeded;
    ir::Module module;
    const lower::WorkspacePtr workspace = lower::make_workspace();
    EXPECT_TRUE(lower::lower({program, tgsi::gather(program), {}, options, {}, *workspace, module, diagnostics}));
    EXPECT_FALSE(ir::verify(module).has_value()) << body;
    return module;
}

TEST(LowerNeeded, LoweredTextsGiveTheSameWithAndWithout) {
    // The readers need only the sum of the counter; that and one leaf; nothing; any register.
    const struct {
        std::string_view reader;
        bool smaller;
    } kCases[] = {{"MOV OUT[0], TEMP[43].xxxx", true},
                  {"UADD OUT[0], TEMP[43].xxxx, TEMP[5].xxxx", true},
                  {"MOV OUT[0], IN[0]", true},
                  {"UARL ADDR[0].x, IN[0].yyyy\nMOV OUT[0], TEMP[ADDR[0].x]", false}};
    for (const auto& c : kCases) {
        const std::string text = tree(c.reader);
        const ir::Module with = lowered(text, true), without = lowered(text, false);
        EXPECT_EQ(with.functions[0].blocks.size() < without.functions[0].blocks.size(), c.smaller) << c.reader;
        for (const uint32_t turns : {0u, 1u, 7u, 33u}) {
            const Evaluation a = evaluate(with, {{0, {turns, 5, 6, 7}}});
            const Evaluation b = evaluate(without, {{0, {turns, 5, 6, 7}}});
            ASSERT_EQ(a.error + b.error, "") << c.reader;
            EXPECT_EQ(a.outputs.at(7), b.outputs.at(7)) << c.reader << ", " << turns;
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::test

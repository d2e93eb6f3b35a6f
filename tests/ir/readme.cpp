// docs/ir.md lists the same instructions and rules as the code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "ir/verify.h"
#include "places.h"

namespace tgsi2spv::ir {
namespace {

std::string operands(const OpInfo& row) {
    std::string text;
    for (const char letter : std::string_view(row.operands)) {
        if (!text.empty()) text += ", ";
        switch (letter) {
            case 'v':
                text += "any";
                break;
            case 'f':
                text += "float";
                break;
            case 'i':
                text += "int";
                break;
            case 'u':
                text += "u32";
                break;
            case 'b':
                text += "bool";
                break;
            default:
                text += "…";
                break;
        }
    }
    return text.empty() ? "–" : text;
}

const char* result(ResultRule rule) {
    switch (rule) {
        case ResultRule::same:
            return "as operand 0";
        case ResultRule::rel:
            return "bool × n";
        case ResultRule::red:
            return "bool";
        case ResultRule::sca:
            return "scalar of operand 0";
        case ResultRule::own:
            return "own";
        case ResultRule::none:
            return "–";
    }
    return "";
}

const char* trait(Trait t) {
    switch (t) {
        case Trait::pure:
            return "pure";
        case Trait::conv:
            return "convergent";
        case Trait::read:
            return "reads";
        case Trait::effect:
            return "effect";
        case Trait::term:
            return "terminator";
        case Trait::head:
            return "head";
    }
    return "";
}

/// Escapes bars, which would end the cell.
std::string cell(std::string_view text) {
    std::string result;
    for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

/// A Markdown table: one row for each instruction, in the order of instructions.def.
std::string instruction_table() {
    std::string text = "| instruction | operands | result | trait | meaning |\n|---|---|---|---|---|\n";
    for (int n = 0; n < kOpCount; n++) {
        const OpInfo& row = info(static_cast<Op>(n));
        text += fmt::format("| {} | {} | {} | {} | {} |\n", row.name, operands(row), result(row.result),
                            trait(row.trait), cell(row.doc));
    }
    return text;
}

/// A Markdown table: one row for each rule of the verifier.
std::string rule_table() {
    std::string text = "| rule | meaning |\n|---|---|\n";
    for (const VerifyRule& rule : verify_rules()) text += fmt::format("| {} | {} |\n", rule.name, cell(rule.meaning));
    return text;
}

/// Replaces the text between `<!-- name -->` and `<!-- end -->`.
std::string with_table(std::string text, const std::string& name, const std::string& table) {
    const std::string start = "<!-- " + name + " -->\n", end = "<!-- end -->";
    const size_t from = text.find(start);
    if (from == std::string::npos) return "no " + start;
    const size_t first = from + start.size();
    return text.replace(first, text.find(end, first) - first, table);
}

TEST(IrReadme, ListsEveryInstructionAndEveryRule) {
    const std::string path = test::source_path("docs/ir.md");
    std::stringstream stream;
    stream << std::ifstream(path).rdbuf();
    const std::string is = stream.str();
    const std::string should_be =
        with_table(with_table(is, "instructions", instruction_table()), "rules", rule_table());
    if (std::getenv("TGSI2SPV_WRITE_README") != nullptr) std::ofstream(path) << should_be;
    EXPECT_EQ(is, should_be) << "written anew by TGSI2SPV_WRITE_README=1 " << test::build_path("tests/test-ir")
                             << " --gtest_filter='IrReadme.*'";
}

TEST(IrReadme, EveryInstructionIsDocumented) {
    for (int op = 0; op < kOpCount; op++) {
        const OpInfo& row = info(static_cast<Op>(op));
        EXPECT_STRNE(row.doc, "") << row.name;
    }
}

}  // namespace
}  // namespace tgsi2spv::ir

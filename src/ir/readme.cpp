#include "ir/readme.h"

#include <fmt/format.h>

#include "ir/module.h"
#include "ir/verify.h"

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

}  // namespace

std::string instruction_table() {
    std::string text = "| instruction | operands | result | trait | meaning |\n|---|---|---|---|---|\n";
    for (int n = 0; n < kOpCount; n++) {
        const OpInfo& row = info(static_cast<Op>(n));
        text += fmt::format("| {} | {} | {} | {} | {} |\n", row.name, operands(row), result(row.result),
                            trait(row.trait), cell(row.doc));
    }
    return text;
}

std::string rule_table() {
    std::string text = "| rule | meaning |\n|---|---|\n";
    for (const VerifyRule& rule : verify_rules()) text += fmt::format("| {} | {} |\n", rule.name, cell(rule.meaning));
    return text;
}

}  // namespace tgsi2spv::ir

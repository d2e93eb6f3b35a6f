#include "texts/formula.h"

#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tgsi2spv::test {
namespace {

using namespace std::string_view_literals;

/// The binary operators, from the loosest.
const std::vector<std::vector<std::string_view>> kLevels = {
    {"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};

double apply(std::string_view op, double a, double b) {
    switch (op[0]) {
        case '|':
            return a != 0 || b != 0;
        case '&':
            return a != 0 && b != 0;
        case '=':
            return a == b;
        case '!':
            return a != b;
        case '<':
            return op == "<" ? a < b : a <= b;
        case '>':
            return op == ">" ? a > b : a >= b;
        case '+':
            return a + b;
        case '-':
            return a - b;
        case '*':
            return a * b;
        case '/':
            return a / b;
        default:
            return std::fmod(a, b);
    }
}

struct Reader {
    std::string_view text;
    const Variables& variables;
    size_t at = 0;

    bool take(std::string_view token) {
        at = std::min(text.find_first_not_of(' ', at), text.size());
        if (!text.substr(at).starts_with(token)) return false;
        at += token.size();
        return true;
    }
    void expect(std::string_view token) {
        if (!take(token)) ADD_FAILURE() << "expected " << token << " at " << at << " of " << text;
    }
    Four choice() {
        const Four condition = binary(0);
        if (!take("?")) return condition;
        const Four yes = choice();
        expect(":");
        const Four no = choice();
        return condition[0] != 0 ? yes : no;
    }
    Four binary(size_t level) {
        if (level == kLevels.size()) return postfix();
        Four left = binary(level + 1);
        for (bool more = true; more;) {
            more = false;
            for (const std::string_view op : kLevels[level]) {
                if (!take(op)) continue;
                const Four right = binary(level + 1);
                for (size_t c = 0; c < 4; c++) left[c] = apply(op, left[c], right[c]);
                more = true;
                break;
            }
        }
        return left;
    }
    Four postfix() {
        Four of = primary();
        if (!take(".")) return of;
        Four swizzled{};
        const size_t letters = std::min(text.find_first_not_of("xyzw", at), text.size()) - at;
        for (size_t c = 0; c < 4; c++) swizzled[c] = of["xyzw"sv.find(text[at + std::min(c, letters - 1)])];
        at += letters;
        return swizzled;
    }
    static Four all(double x) { return {x, x, x, x}; }
    Four primary() {
        if (take("-")) {
            const Four of = postfix();
            return {-of[0], -of[1], -of[2], -of[3]};
        }
        if (take("!")) return all(postfix()[0] == 0);
        if (take("bit(")) {
            const auto value = static_cast<uint64_t>(choice()[0]);
            expect(",");
            const auto n = static_cast<unsigned>(choice()[0]);
            expect(")");
            return all(static_cast<double>(value >> n & 1));
        }
        const bool bits = take("bits(");
        if (bits || take("(")) {
            Four of = choice();
            for (size_t c = 1; take(","); c++) of[c % 4] = choice()[0];
            expect(")");
            for (double& c : of) c = bits ? std::bit_cast<uint32_t>(static_cast<float>(c)) : c;
            return of;
        }
        const size_t end = std::min(text.find_first_of(" +-*/%()=!<>&|?:,", at), text.size());
        std::string word(text.substr(at, end - at));
        if (const size_t dot = word.find('.'); dot != std::string::npos && std::isdigit(word[0]) == 0) word.resize(dot);
        at += word.size();
        if (word == "_") return all(std::numeric_limits<double>::quiet_NaN());
        if (const auto variable = variables.find(word); variable != variables.end()) return all(variable->second);
        char* rest = nullptr;
        const double number = std::strtod(word.c_str(), &rest);
        if (word.empty() || *rest != 0) ADD_FAILURE() << "expected a value at " << at << " of " << text;
        return all(number);
    }
};

}  // namespace

Four evaluate(const std::string& formula, const Variables& variables) {
    Reader reader{formula, variables};
    const Four value = reader.choice();
    if (!reader.take("") || reader.at != formula.size())
        ADD_FAILURE() << "expected no more at " << reader.at << " of " << formula;
    return value;
}

}  // namespace tgsi2spv::test

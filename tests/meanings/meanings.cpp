#include "meanings/meanings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "places.h"

namespace tgsi2spv::meanings {
namespace {

using tables::Expect;

std::filesystem::path folder() {
    return test::source_path("tests/meanings");
}

/// Empty: it is no word.
std::optional<uint32_t> parse_word(const std::string& token) {
    char* end = nullptr;
    const bool is_float = token.find_first_of(".nf") != std::string::npos && !token.starts_with("0x");
    const uint32_t word = is_float ? tables::f(std::strtof(token.c_str(), &end))
                                   : static_cast<uint32_t>(std::strtoll(token.c_str(), &end, 0));
    if (token.empty() || *end != '\0') return std::nullopt;
    return word;
}

std::optional<Expect> parse_expectation(const std::string& token) {
    if (token == "_") return tables::free();
    if (token == "nan") return tables::any_nan();
    if (const size_t at = token.find('@'); at != std::string::npos) {
        const auto near = parse_word(token.substr(0, at));
        if (!near) return std::nullopt;
        return Expect{Expect::Kind::Near, {*near}, std::strtof(token.c_str() + at + 1, nullptr)};
    }
    Expect e{Expect::Kind::Words, {}};
    std::istringstream words(token);
    for (std::string word; std::getline(words, word, '/');) {
        const auto value = parse_word(word);
        if (!value) return std::nullopt;
        e.words.push_back(*value);
    }
    return e;
}

/// The registers of one side of a row: four items, or one for all components.
template <class Item, class Parse>
bool parse_registers(const std::string& text, std::vector<std::array<Item, 4>>& out, Parse parse) {
    std::istringstream registers(text);
    for (std::string one; std::getline(registers, one, '|');) {
        std::istringstream tokens(one);
        std::vector<Item> items;
        for (std::string token; tokens >> token;) {
            const auto item = parse(token);
            if (!item) return false;
            items.push_back(*item);
        }
        if (items.size() == 1) items.resize(4, items[0]);
        if (items.size() != 4) return false;
        out.push_back({items[0], items[1], items[2], items[3]});
    }
    return true;
}

bool parse_row(const std::string& text, Row& row) {
    const size_t arrow = text.find("->");
    if (arrow == std::string::npos || !parse_registers(text.substr(0, arrow), row.in, parse_word)) return false;
    const std::string out = text.substr(arrow + 2);
    row.killed = out.find("KILLED") != std::string::npos;
    return row.killed || (parse_registers(out, row.out, parse_expectation) && !row.out.empty());
}

int64_t order(uint32_t w) {
    return (w & 0x80000000) != 0 ? -static_cast<int64_t>(w & 0x7fffffff) : static_cast<int64_t>(w);
}

}  // namespace

std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
        if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

std::vector<Rule> rules(const std::string& file) {
    std::ifstream stream(folder() / (file + ".txt"));
    EXPECT_TRUE(stream) << file;
    std::vector<Rule> all;
    std::string head, line;
    bool in_head = false;
    for (int number = 1; std::getline(stream, line); number++) {
        const auto wrong = [&](const char* why) { ADD_FAILURE() << file << ".txt:" << number << ": " << why; };
        if (line.empty() || line[0] == '#') continue;
        if (line == "head") {
            head.clear();
            in_head = true;
        } else if (line.starts_with("rule ")) {
            in_head = false;
            all.push_back({line.substr(5), head, {}, {}});
        } else if (in_head) {
            head += line + "\n";
        } else if (all.empty()) {
            wrong("a line before the first rule");
        } else if (line.starts_with("! ")) {
            const size_t colon = line.find(": ");
            if (colon == std::string::npos) wrong("no reason");
            all.back().wrong_on.emplace_back(line.substr(2, colon - 2), line.substr(colon + 2));
        } else if (line[0] == ':') {
            Row row;
            row.line = number;
            if (!parse_row(line.substr(1), row)) wrong("no row");
            all.back().rows.push_back(std::move(row));
        } else {
            if (!all.back().rows.empty()) wrong("code after the rows");
            all.back().text += line + "\n";
        }
    }
    for (const Rule& rule : all) EXPECT_FALSE(rule.rows.empty()) << file << ": '" << rule.name << "' has no rows";
    return all;
}

bool permitted(const Expect& e, uint32_t got, uint32_t upper) {
    const float value = std::bit_cast<float>(got);
    switch (e.kind) {
        case Expect::Kind::Words:
            return std::ranges::find(e.words, got) != e.words.end();
        case Expect::Kind::Nan:
            return std::isnan(value);
        case Expect::Kind::Near:
            // The expected word is itself rounded, by half an ULP; values beyond a power of two have larger ULPs.
            return std::abs(order(got) - order(e.words[0])) <= static_cast<int64_t>(e.ulps + 0.5f);
        case Expect::Kind::Between:
            return value >= std::bit_cast<float>(e.words[0]) && value <= std::bit_cast<float>(e.words[1]);
        case Expect::Kind::Double: {
            // Strictly, Vulkan requires no more precision of a double than of a float. Whatever has doubles keeps to
            // the precision of the type.
            const auto of = [](uint32_t l, uint32_t h) { return static_cast<int64_t>(uint64_t{h} << 32 | l); };
            return std::abs(of(got, upper) - of(e.words[0], e.words[1])) <= static_cast<int64_t>(e.ulps + 0.5f);
        }
        case Expect::Kind::Free:
        case Expect::Kind::Upper:
            return true;
    }
    return false;
}

}  // namespace tgsi2spv::meanings

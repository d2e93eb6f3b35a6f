#include "meanings/meanings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "texts/number.h"

namespace tgsi2spv::meanings {
namespace {

using tgsi::Dialect;

using test::parse_number;
using test::split;

/// One word, or the two of a pair; empty: it is neither.
std::vector<uint32_t> parse_words(const std::string& token) {
    test::Number number;
    return parse_number(token, number) ? number.words() : std::vector<uint32_t>{};
}

std::vector<Expect> parse_expectations(const std::string& token) {
    using Kind = Expect::Kind;
    if (token == "_") return {{Kind::Skipped, {}}};
    if (token == "?") return {{Kind::Free, {}}};
    if (token == "nan") return {{Kind::Nan, {}}};
    if (const size_t at = token.find('@'); at != std::string::npos) {
        const auto near = parse_words(token.substr(0, at));
        const float ulps = std::strtof(token.c_str() + at + 1, nullptr);
        if (near.size() == 2) return {{Kind::Double, near, ulps}, {Kind::Upper, {}}};
        return near.empty() ? std::vector<Expect>{} : std::vector<Expect>{{Kind::Near, near, ulps}};
    }
    if (const size_t at = token.find(".."); at != std::string::npos) {
        const auto least = parse_words(token.substr(0, at)), most = parse_words(token.substr(at + 2));
        if (least.size() != 1 || most.size() != 1) return {};
        return {{Kind::Between, {least[0], most[0]}}};
    }
    std::vector<Expect> all;
    for (const std::string& one : split(token, '/')) {
        const auto words = parse_words(one);
        if (words.empty()) return {};
        all.resize(words.size());
        for (size_t i = 0; i < words.size(); i++) all[i].words.push_back(words[i]);
    }
    return all;
}

/// The registers of one side of a row: of `components` words, or of as many as there are if that is 0.
template <class Item, class Parse>
bool parse_registers(const std::string& text, size_t components, std::vector<std::vector<Item>>& out, Parse parse) {
    for (const std::string& one : split(text, '|')) {
        std::vector<Item> items;
        const auto tokens = test::words_of(one);
        const size_t count = tokens.size();
        for (const std::string& token : tokens) {
            const auto parsed = parse(token);
            if (parsed.empty()) return false;
            items.insert(items.end(), parsed.begin(), parsed.end());
        }
        if (count == 0) continue;
        for (const size_t given = items.size(); count == 1 && items.size() < components;)
            items.push_back(items[items.size() % given]);
        if (components != 0 && items.size() != components) return false;
        out.push_back(std::move(items));
    }
    return true;
}

bool parse_row(const std::string& text, size_t components, Row& row) {
    const size_t arrow = text.find("->");
    if (arrow == std::string::npos || !parse_registers(text.substr(0, arrow), components, row.in, parse_words))
        return false;
    const std::string out = text.substr(arrow + 2);
    row.killed = out.find("KILLED") != std::string::npos;
    return row.killed || (parse_registers(out, components, row.out, parse_expectations) && !row.out.empty());
}

/// The editions before the colon of a row; `auto` if there are none. Empty: it is no row.
std::vector<Dialect> editions_of(const std::string& line) {
    if (line[0] == ':') return {Dialect::Auto};
    const std::pair<const char*, Dialect> kNames[] = {
        {"auto", Dialect::Auto}, {"oldest", Dialect::Oldest}, {"middle", Dialect::Middle}, {"newest", Dialect::Newest}};
    std::vector<Dialect> all;
    for (const std::string& name : test::words_of(line.substr(0, line.find(':')))) {
        const auto* found = std::ranges::find(kNames, name, [](const auto& n) { return n.first; });
        if (found == std::end(kNames)) return {};
        all.push_back(found->second);
    }
    return all;
}

/// Writes the text of one instruction, whose rows say how many sources it has.
void write_op(Rule& rule) {
    const size_t sources = rule.rows.empty() ? 0 : rule.rows[0].in.size();
    rule.text = "VERT\n" + rule.properties;
    if (sources > 0) rule.text += "DCL IN[0.." + std::to_string(sources - 1) + "]\n";
    rule.text += "DCL OUT[0], GENERIC[0]\n" + rule.op + " OUT[0]" + rule.mask;
    for (size_t s = 0; s < sources; s++) rule.text += ", IN[" + std::to_string(s) + "]";
    rule.text += "\nEND\n";
}

class Reader {
  public:
    explicit Reader(const test::Case& of) : of_(of) {
        rule_.id = of.id;
        rule_.name = of.label;
    }
    std::vector<Rule> read() {
        for (const auto& [line, number] : of_.lines) {
            number_ = number;
            take(line);
        }
        if (rows_.empty()) wrong("no rows");
        const auto words = test::words_of(of_.id.name);
        if (!has_code_) {
            rule_.op = words.at(0);
            if (words.size() > 1 && words[1][0] == '.') rule_.mask = words[1];
            rule_.properties = std::exchange(rule_.text, {});
        }
        std::vector<Rule> all;
        for (auto& [edition, rows] : rows_) {
            Rule& rule = all.emplace_back(rule_);
            rule.dialect = edition;
            rule.rows = std::move(rows);
            if (!has_code_) write_op(rule);
        }
        return all;
    }

  private:
    const test::Case& of_;
    Rule rule_;
    std::map<Dialect, std::vector<Row>> rows_;
    int number_ = 0;  ///< of the line
    bool has_code_ = false;

    void wrong(const char* why) const { of_.wrong(number_, why); }

    void take(const std::string& line) {
        if (const auto editions = editions_of(line); !editions.empty()) {
            take_row(editions, line.substr(line.find(':') + 1));
        } else if (line.starts_with("! ")) {
            take_device(line.substr(2));
        } else if (line.starts_with("CONST[")) {
            take_words(line, rule_.constants);
        } else if (line.starts_with("HWATOMIC[")) {
            take_words(line, rule_.counters);
        } else if (const auto [word, rest] = test::first_word(line); word == "set") {
            const auto [name, number] = test::first_word(rest);
            if (name != "max_iterations") wrong("no such setting");
            rule_.max_iterations = static_cast<uint32_t>(std::strtoul(number.c_str(), nullptr, 10));
        } else {
            if (!rows_.empty()) wrong("code after the rows");
            rule_.text += line + "\n";
            has_code_ = has_code_ || word != "PROPERTY";
        }
    }
    void take_words(const std::string& line, std::map<uint32_t, std::vector<uint32_t>>& buffers) {
        std::vector<std::vector<uint32_t>> words;
        if (!parse_registers(line.substr(line.find(']') + 1), 0, words, parse_words)) wrong("no words");
        buffers[static_cast<uint32_t>(std::strtoul(line.c_str() + line.find('[') + 1, nullptr, 10))] = words.at(0);
    }
    void take_row(const std::vector<Dialect>& editions, const std::string& text) {
        Row row;
        row.line = number_;
        if (!parse_row(text, rule_.is_compute() ? 0 : 4, row)) wrong("no row");
        for (const Dialect edition : editions) rows_[edition].push_back(row);
    }
    void take_device(const std::string& text) {
        const size_t colon = text.find(": ");
        if (colon == std::string::npos || rows_.empty()) return wrong("no reason, or no row");
        for (auto& [edition, rows] : rows_)
            if (rows.back().line == number_ - 1)
                rows.back().wrong_on.emplace_back(text.substr(0, colon), text.substr(colon + 2));
    }
};

int64_t order(uint32_t w) {
    return (w & 0x80000000) != 0 ? -static_cast<int64_t>(w & 0x7fffffff) : static_cast<int64_t>(w);
}

}  // namespace

std::vector<Rule> rules_of(const test::CaseId& id) {
    std::vector<Rule> all;
    for (const test::Case& of : test::expand(id)) std::ranges::move(Reader(of).read(), std::back_inserter(all));
    return all;
}

std::vector<Rule> all_rules() {
    std::vector<Rule> all;
    for (const std::string& file : test::files_of(kFolder))
        for (const test::Case& of : test::expand_all(std::string(kFolder) + "/" + file + ".txt"))
            std::ranges::move(Reader(of).read(), std::back_inserter(all));
    return all;
}

bool Row::is_wrong_on(const std::string& device) const {
    return std::ranges::any_of(wrong_on, [&](const auto& w) { return device.find(w.first) != std::string::npos; });
}

std::string literal_text(const Rule& op, size_t first, size_t count, bool by_call) {
    std::string immediates, code, moves;
    size_t literals = 0;
    for (size_t k = 0; k < count; ++k) {
        code += op.op + " OUT[" + std::to_string(k) + "]" + op.mask;
        for (const auto& words : op.rows[first + k].in) {
            const std::string number = "[" + std::to_string(literals++) + "]";
            code += (by_call ? ", TEMP" : ", IMM") + number;
            moves += "MOV TEMP" + number + ", IMM" + number + "\n";
            immediates += "IMM" + number + " UINT32 {";
            for (size_t c = 0; c < 4; ++c) immediates += (c == 0 ? "" : ", ") + std::to_string(words[c]);
            immediates += "}\n";
        }
        code += "\n";
    }
    const std::string head = "VERT\n" + op.properties + "DCL OUT[0.." + std::to_string(count - 1) + "], GENERIC[0]\n";
    if (!by_call) return head + immediates + code + "END\n";
    return head + "DCL TEMP[0.." + std::to_string(literals) + "]\n" + immediates + "CAL :" + std::to_string(count + 2) +
           "\n" + code + "END\nBGNSUB\n" + moves + "ENDSUB\n";
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
        case Expect::Kind::Skipped:
        case Expect::Kind::Upper:
            return true;
    }
    return false;
}

}  // namespace tgsi2spv::meanings

#include "meanings/meanings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "places.h"
#include "row_file.h"

namespace tgsi2spv::meanings {
namespace {

using tgsi::Dialect;

std::filesystem::path folder() {
    return test::source_path("tests/meanings");
}

/// A number as strtod() reads it, or ±2^n.
double parse_number(const std::string& token, char** end) {
    const size_t power = token.find("2^");
    if (power > 1) return std::strtod(token.c_str(), end);
    return std::ldexp(power == 1 ? -1 : 1, static_cast<int>(std::strtol(token.c_str() + power + 2, end, 10)));
}

/// One word, or the two of a pair; empty: it is neither.
std::vector<uint32_t> parse_words(const std::string& token) {
    const bool hex = token.starts_with("0x"), is_float = !hex && token.find_first_of(".nf^") != std::string::npos;
    const bool is_double = !hex && token.ends_with('d'), is_pair = is_double || token.ends_with('q');
    char* end = nullptr;
    uint64_t bits = 0;
    if (is_double)
        bits = std::bit_cast<uint64_t>(parse_number(token, &end));
    else if (is_float)
        bits = std::bit_cast<uint32_t>(static_cast<float>(parse_number(token, &end)));
    else
        bits = token.starts_with('-') ? static_cast<uint64_t>(std::strtoll(token.c_str(), &end, 0))
                                      : std::strtoull(token.c_str(), &end, 0);
    if (token.empty() || end != token.c_str() + token.size() - is_pair) return {};
    if (!is_pair) return {static_cast<uint32_t>(bits)};
    return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
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
    std::istringstream alternatives(token);
    for (std::string one; std::getline(alternatives, one, '/');) {
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
    std::istringstream registers(text);
    for (std::string one; std::getline(registers, one, '|');) {
        std::istringstream tokens(one);
        std::vector<Item> items;
        size_t count = 0;
        for (std::string token; tokens >> token; count++) {
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
    std::istringstream names(line.substr(0, line.find(':')));
    for (std::string name; names >> name;) {
        const auto* found = std::ranges::find(kNames, name, [](const auto& n) { return n.first; });
        if (found == std::end(kNames)) return {};
        all.push_back(found->second);
    }
    return all;
}

/// `rule NAME`, or `op OPCODE .mask`
Rule rule_of(const std::string& line) {
    Rule rule;
    rule.name = line;
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "op") words >> rule.op >> rule.mask;
    return rule;
}

/// Writes the text of an `op`, whose rows say how many sources it has.
void finish_op(Rule& rule) {
    const size_t sources = rule.rows.empty() ? 0 : rule.rows[0].in.size();
    rule.text = "VERT\n" + rule.properties;
    if (sources > 0) rule.text += "DCL IN[0.." + std::to_string(sources - 1) + "]\n";
    rule.text += "DCL OUT[0], GENERIC[0]\n" + rule.op + " OUT[0]" + rule.mask;
    for (size_t s = 0; s < sources; s++) rule.text += ", IN[" + std::to_string(s) + "]";
    rule.text += "\nEND\n";
}

class Reader {
  public:
    explicit Reader(const std::string& file) : file_(folder() / (file + ".txt")) {}
    std::vector<Rule> read() {
        for (std::string line; file_.next(line);) take(line);
        end_rule();
        return std::move(all_);
    }

  private:
    test::RowFile file_;
    std::vector<Rule> all_;
    std::string head_;
    bool in_head_ = false;
    std::optional<Rule> rule_;
    std::map<Dialect, std::vector<Row>> rows_;  ///< of `rule_`

    void wrong(const char* why) const { file_.wrong(why); }

    void take(const std::string& line) {
        if (line == "head") {
            end_rule();
            head_.clear();
            in_head_ = true;
        } else if (line.starts_with("rule ") || line.starts_with("op ")) {
            end_rule();
            in_head_ = false;
            rule_ = rule_of(line);
            if (rule_->op.empty()) rule_->text = head_;
        } else if (in_head_) {
            head_ += line + "\n";
        } else if (!rule_) {
            wrong("a line before the first rule");
        } else if (const auto editions = editions_of(line); !editions.empty()) {
            take_row(editions, line.substr(line.find(':') + 1));
        } else if (line.starts_with("! ")) {
            take_device(line.substr(2));
        } else if (!rows_.empty()) {
            wrong("code after the rows");
        } else if (line.starts_with("CONST[")) {
            take_words(line, rule_->constants);
        } else if (line.starts_with("HWATOMIC[")) {
            take_words(line, rule_->counters);
        } else if (line.starts_with("budget ")) {
            rule_->max_iterations = static_cast<uint32_t>(std::strtoul(line.c_str() + 7, nullptr, 10));
        } else if (line.starts_with("each ")) {
            std::istringstream texts(line.substr(5));
            for (std::string one; std::getline(texts >> std::ws, one, ';');) rule_->each.push_back(one);
        } else {
            (rule_->op.empty() ? rule_->text : rule_->properties) += line + "\n";
        }
    }
    void take_words(const std::string& line, std::map<uint32_t, std::vector<uint32_t>>& buffers) {
        std::vector<std::vector<uint32_t>> words;
        if (!parse_registers(line.substr(line.find(']') + 1), 0, words, parse_words)) wrong("no words");
        buffers[static_cast<uint32_t>(std::strtoul(line.c_str() + line.find('[') + 1, nullptr, 10))] = words.at(0);
    }
    void take_row(const std::vector<Dialect>& editions, const std::string& text) {
        Row row;
        row.line = file_.line;
        if (!parse_row(text, rule_->is_compute() ? 0 : 4, row)) wrong("no row");
        for (const Dialect edition : editions) rows_[edition].push_back(row);
    }
    void take_device(const std::string& text) {
        const size_t colon = text.find(": ");
        if (colon == std::string::npos || rows_.empty()) return wrong("no reason, or no row");
        for (auto& [edition, rows] : rows_)
            if (rows.back().line == file_.line - 1)
                rows.back().wrong_on.emplace_back(text.substr(0, colon), text.substr(colon + 2));
    }
    void end_rule() {
        if (!rule_) return;
        if (rows_.empty()) wrong("the rule above has no rows");
        for (auto& [edition, rows] : rows_) {
            Rule rule = *rule_;
            rule.dialect = edition;
            rule.rows = std::move(rows);
            if (!rule.op.empty()) finish_op(rule);
            if (rule.each.empty()) all_.push_back(rule);
            for (const std::string& text : rule.each) {
                all_.push_back(rule);
                std::string& to = all_.back().text;
                for (size_t at; (at = to.find('$')) != std::string::npos;) to.replace(at, 1, text);
            }
        }
        rule_.reset();
        rows_.clear();
    }
};

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
    return Reader(file).read();
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

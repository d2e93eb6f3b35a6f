#include "texts/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "places.h"

namespace tgsi2spv::test {
namespace {

/// In a line. More mean that a name's value has the name itself.
constexpr int kMostNames = 100;

/// Values of names after $.
using Names = std::map<std::string, std::string>;

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// What follows `with`, or a row of a table.
struct Variant {
    std::string name;
    int line = 0;
    Lines lines;
    bool is_row = false;
};
struct Section {
    std::string name;
    int line = 0;
    Lines head, lines;
    std::vector<Variant> variants, rows;

    /// It is a test itself, not only its variants.
    bool has_test() const { return variants.empty() || !rows.empty(); }
};
struct File {
    std::string path;
    std::map<std::string, Lines> texts;
    Names lets;
    std::vector<Section> sections;

    void wrong(int line, const std::string& why) const { ADD_FAILURE_AT(path.c_str(), line) << why; }
};

/// `: TEXT => LINE`
Variant row_of(const std::string& line, size_t arrow, int number) {
    Variant row{trimmed(line.substr(1, arrow - 1)), number, {}, true};
    if (arrow + 3 < line.size()) row.lines.push_back({line.substr(arrow + 1), number});
    return row;
}

File read(const std::string& path) {
    std::ifstream in(source_path(path));
    EXPECT_TRUE(in) << path;
    File file{path, {}, {}, {}};
    Lines head;
    Lines* to = nullptr;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        number++;
        const int first = number;
        for (std::string more; line.ends_with('\\') && std::getline(in, more); number++)
            line.replace(line.size() - 1, 1, more.substr(std::min(more.find_first_not_of(' '), more.size())));
        line.erase(0, line.find_first_not_of(' '));
        if (line.empty() || line.starts_with('#')) continue;
        const auto [word, rest] = first_word(line);
        if (line == "head") {
            head.clear();
            to = &head;
        } else if (word == "text") {
            to = &file.texts[rest];
            if (!to->empty()) file.wrong(first, "a second text of this name");
        } else if (word == "case") {
            to = &file.sections.emplace_back(Section{rest, first, head, {}, {}, {}}).lines;
        } else if (word == "with" && file.sections.empty()) {
            file.wrong(first, "a variant before the first case");
        } else if (word == "with") {
            to = &file.sections.back().variants.emplace_back(Variant{rest, first, {}, false}).lines;
        } else if (word == "let" && file.sections.empty()) {
            const auto [let, value] = first_word(rest);
            file.lets[let] = value;
        } else if (const size_t arrow = line.find(" =>"); line.starts_with(": ") && arrow != std::string::npos) {
            if (file.sections.empty() || to != &file.sections.back().lines) file.wrong(first, "a row outside a case");
            if (!file.sections.empty()) file.sections.back().rows.push_back(row_of(line, arrow, first));
        } else if (to == nullptr) {
            file.wrong(first, "a line before the first case");
        } else {
            to->push_back({line, first});
        }
    }
    if (file.sections.empty()) file.wrong(number, "no case");
    return file;
}

/// What formulas may name: not the texts of variants ($, and $1 for a column), which would stand for numbers.
Variables numbers(const Names& names) {
    Variables all;
    for (const auto& [name, value] : names) {
        if (name.empty() || std::isdigit(name[0]) != 0) continue;
        char* end = nullptr;
        const double number = std::strtod(value.c_str(), &end);
        if (!value.empty() && *end == 0) all[name] = number;
    }
    return all;
}

/// The end of what begins with the parenthesis at `at`.
size_t closing(const std::string& line, size_t at) {
    int depth = 0;
    for (; at < line.size(); at++)
        if (line[at] == '(')
            depth++;
        else if (line[at] == ')' && --depth == 0)
            break;
    return at;
}

/// The lines of one case, for one value of each loop.
struct Expander {
    const File& file;
    const Variant* variant;  ///< nullptr: it has none
    Names names;
    Lines lines{};
    bool has_hole = false;

    /// Puts values for $name and $(formula), and $ for $$; values may have names in them.
    std::string substituted(const Line& of) const {
        std::string line = of.text;
        int replaced = 0;
        for (size_t at = 0; (at = line.find('$', at)) != std::string::npos;) {
            if (line[at + 1] == '(') {
                const size_t end = closing(line, at + 1);
                const std::string formula = line.substr(at + 1, end - at);
                line.replace(at, end - at + 1, fmt::format("{}", evaluate(formula, numbers(names))[0]));
                continue;
            }
            if (line[at + 1] == '$') {
                line.erase(at++, 1);
                continue;
            }
            size_t end = at + 1;
            while (end < line.size() && (std::isalnum(line[end]) != 0 || line[end] == '_')) end++;
            const auto found = names.find(line.substr(at + 1, end - at - 1));
            if (found == names.end() || replaced++ == kMostNames) {
                file.wrong(of.number, "no such name: " + line.substr(at, end - at));
                return line;
            }
            line.replace(at, end - at, found->second);
        }
        return line;
    }

    void append(const Lines& from) {
        for (size_t at = 0; at < from.size(); at++) {
            const Line& line = from[at];
            const auto [word, rest] = first_word(line.text);
            if (word == "repeat")
                at = repeat(from, at, substituted({rest, line.number}));
            else if (word == "done")
                file.wrong(line.number, "nothing is repeated");
            else if (word == "use")
                use(substituted({rest, line.number}), line.number);
            else if (word == "include")
                include(rest, line.number);
            else if (word.starts_with('?'))
                append_if(word.substr(1), {rest, line.number});
            else if (line.text == "...")
                fill_hole(line.number);
            else
                lines.push_back({substituted(line), line.number});
        }
    }
    /// Appends the lines of a loop, which begins at `at`. Returns the place of its `done`.
    size_t repeat(const Lines& from, size_t at, const std::string& loop) {
        size_t end = at + 1;
        for (int open = 1; end < from.size(); end++) {
            const std::string word = first_word(from[end].text).first;
            open += word == "repeat" ? 1 : word == "done" ? -1 : 0;
            if (open == 0) break;
        }
        if (end == from.size()) file.wrong(from[at].number, "repeat without done");
        const Lines body(from.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                         from.begin() + static_cast<std::ptrdiff_t>(end));
        std::istringstream in(loop);
        std::string name;
        int first = 0, last = -1;
        in >> name >> first >> last;
        if (names.contains(name)) file.wrong(from[at].number, "a second value of this name");
        for (int i = first; i <= last; i++) {
            names[name] = std::to_string(i);
            append(body);
        }
        names.erase(name);
        return end;
    }
    void use(const std::string& name, int line) {
        const auto text = file.texts.find(name);
        if (text == file.texts.end()) return file.wrong(line, "no such text: " + name);
        append(text->second);
    }
    void include(const std::string& path, int line) {
        std::ifstream in(source_path(path));
        if (!in) file.wrong(line, "no such file");
        for (std::string included; std::getline(in, included);)
            if (!included.starts_with('#'))
                lines.push_back({included.substr(std::min(included.find_first_not_of(' '), included.size())), line});
    }
    void append_if(const std::string& condition, const Line& line) {
        if (evaluate(substituted({condition, line.number}), numbers(names))[0] != 0) append({line});
    }
    void fill_hole(int line) {
        has_hole = true;
        if (variant == nullptr) return file.wrong(line, "nothing fills the hole");
        if (variant->is_row) return append({{"$", line}});
        append(variant->lines);
    }
};

/// Takes lets and loops out of the lines: they are names for all of them.
Lines take_names(const Lines& lines, std::vector<Names>& all, std::map<std::string, bool>& loops) {
    Lines rest;
    for (const Line& line : lines) {
        const auto [word, more] = first_word(line.text);
        const auto [name, values] = first_word(more);
        if (word == "let") {
            for (Names& names : all) names[name] = values;
        } else if (word == "for") {
            loops[name] = true;
            std::vector<Names> longer;
            for (const Names& names : all)
                for (const std::string& value : words_of(values)) (longer.emplace_back(names))[name] = value;
            all = std::move(longer);
            if (all.empty()) ADD_FAILURE() << "no values of " << name << " in line " << line.number;
        } else {
            rest.push_back(line);
        }
    }
    return rest;
}

std::vector<Case> expand(const File& file, const Section& of, const Variant* variant) {
    std::vector<Names> all{file.lets};
    std::map<std::string, bool> loops;
    const Lines head = take_names(of.head, all, loops), lines = take_names(of.lines, all, loops);
    Variant own;
    CaseId id{file.path, of.name, "", of.line};
    if (variant != nullptr) {
        own = {variant->name, variant->line, take_names(variant->lines, all, loops), variant->is_row};
        id.variant = own.name;
        id.line = own.line;
    }
    std::vector<std::string> columns;
    for (size_t at = 0; variant != nullptr && at <= own.name.size(); at += 2) {
        const size_t end = std::min(own.name.find("||", at), own.name.size());
        columns.push_back(trimmed(own.name.substr(at, end - at)));
        at = end;
    }
    std::vector<Case> cases;
    for (Names& names : all) {
        if (variant != nullptr) names[""] = own.name;
        for (size_t i = 0; i < columns.size(); i++) names[std::to_string(i + 1)] = columns[i];
        Case& one = cases.emplace_back(Case{id, of.name, numbers(names), {}});
        if (variant != nullptr) one.label += ": " + own.name;
        for (const auto& [name, unused] : loops) one.label += fmt::format(", {} {}", name, names[name]);
        Expander expander{file, variant == nullptr ? nullptr : &own, names};
        for (const Lines* part : {&head, &lines}) expander.append(*part);
        if (variant != nullptr && (!expander.has_hole || own.is_row)) expander.append(own.lines);
        one.lines = std::move(expander.lines);
    }
    return cases;
}

/// The case without its variants: itself, or each row of its table.
std::vector<Case> expand_case(const File& file, const Section& of) {
    std::vector<Case> all;
    if (of.rows.empty()) all = expand(file, of, nullptr);
    for (const Variant& row : of.rows) std::ranges::move(expand(file, of, &row), std::back_inserter(all));
    return all;
}

void append_names(const File& file, std::vector<CaseId>& to) {
    for (const Section& of : file.sections) {
        if (of.has_test()) to.push_back({file.path, of.name, "", of.line});
        for (const Variant& v : of.variants) to.push_back({file.path, of.name, v.name, v.line});
    }
}

/// The words of a name, joined by underscores, as gtest wants them; the modifiers of operands are words, too.
std::string identifier(const std::string& name) {
    std::string all;
    const auto add = [&](std::string_view word) {
        if (!all.empty() && all.back() != '_') all += '_';
        all += word;
    };
    for (size_t i = 0; i < name.size(); i++) {
        const char c = name[i];
        const bool begins = i == 0 || name[i - 1] == ' ' || name[i - 1] == '-';
        if (std::isalnum(c) != 0)
            all += c;
        else
            add(begins && c == '-' ? "minus_" : begins && c == '|' ? "abs_" : "");
    }
    if (all.ends_with('_')) all.pop_back();
    return all;
}

}  // namespace

void Case::wrong(int line, const std::string& why) const {
    ADD_FAILURE_AT(id.path.c_str(), line) << label << ": " << why;
}

testing::ScopedTrace Case::trace(int line) const {
    return {id.path.c_str(), line == 0 ? id.line : line, label};
}

std::vector<std::string> files_of(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(source_path(folder)))
        if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

std::vector<CaseId> cases_of(const std::string& path) {
    std::vector<CaseId> all;
    if (path.ends_with(".txt"))
        append_names(read(path), all);
    else
        for (const std::string& file : files_of(path)) append_names(read(path + "/" + file + ".txt"), all);
    return all;
}

std::vector<Case> expand(const CaseId& id) {
    const File file = read(id.path);
    for (const Section& of : file.sections) {
        if (of.line == id.line) return expand_case(file, of);
        for (const Variant& v : of.variants)
            if (v.line == id.line) return expand(file, of, &v);
    }
    return {};
}

std::vector<Case> expand_all(const std::string& path) {
    const File file = read(path);
    std::vector<Case> all;
    for (const Section& of : file.sections) {
        if (of.has_test()) std::ranges::move(expand_case(file, of), std::back_inserter(all));
        for (const Variant& v : of.variants) std::ranges::move(expand(file, of, &v), std::back_inserter(all));
    }
    return all;
}

std::string test_name(const testing::TestParamInfo<CaseId>& info) {
    const CaseId& id = info.param;
    const std::string name = identifier(std::filesystem::path(id.path).stem().string() + " " + id.name);
    return id.variant.empty() ? name : name + "__" + identifier(id.variant);
}

std::pair<std::string, std::string> first_word(const std::string& line) {
    const size_t end = std::min(line.find(' '), line.size()),
                 rest = std::min(line.find_first_not_of(' ', end), line.size());
    return {line.substr(0, end), line.substr(rest)};
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace tgsi2spv::test

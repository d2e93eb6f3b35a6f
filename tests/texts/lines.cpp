#include "texts/lines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "places.h"

namespace tgsi2spv::test {
namespace {

Variables numbers(const Names& names) {
    Variables all;
    for (const auto& [name, value] : names) {
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

/// Puts values for $name and $(formula).
std::string substituted(std::string line, const Names& names) {
    for (size_t at = 0; (at = line.find('$', at)) != std::string::npos;) {
        if (line[at + 1] == '(') {
            const size_t end = closing(line, at + 1);
            const std::string formula = line.substr(at + 1, end - at);
            line.replace(at, end - at + 1, fmt::format("{}", evaluate(formula, numbers(names))[0]));
            continue;
        }
        size_t end = at + 1;
        while (end < line.size() && (std::isalnum(line[end]) != 0 || line[end] == '_')) end++;
        const auto found = names.find(line.substr(at + 1, end - at - 1));
        if (found == names.end()) {
            ADD_FAILURE() << "no such name: " << line;
            return line;
        }
        line.replace(at, end - at, found->second);
    }
    return line;
}

/// Appends the lines from `at` on to `to`, up to the end, or to `done`. Returns the place after that.
size_t expand(const Lines& lines, size_t at, const TextFile& file, Names& names, Lines& to) {
    while (at < lines.size()) {
        const std::string& line = lines[at++];
        const auto [word, rest] = first_word(line);
        if (word == "done") return at;
        if (word == "repeat") {
            std::istringstream in(substituted(rest, names));
            std::string name;
            int first = 0, last = 0;
            in >> name >> first >> last;
            size_t end = at;
            for (int i = first; i <= last; i++) {
                names[name] = std::to_string(i);
                end = expand(lines, at, file, names, to);
            }
            at = end;
            names.erase(name);
        } else if (word == "use") {
            const auto text = file.texts.find(substituted(rest, names));
            EXPECT_NE(text, file.texts.end()) << line;
            if (text != file.texts.end()) expand(text->second, 0, file, names, to);
        } else if (word.starts_with('?')) {
            if (evaluate(substituted(word.substr(1), names), numbers(names))[0] != 0)
                expand({rest}, 0, file, names, to);
        } else {
            to.push_back(substituted(line, names));
        }
    }
    return at;
}

Expanded expanded(const Lines& lines, const TextFile& file, Names names) {
    Expanded e;
    for (const auto& [name, value] : names)
        if (!file.lets.contains(name)) e.label += fmt::format("{} {} ", name, value);
    e.variables = numbers(names);
    for (const Lines* part : {&file.head, &lines}) expand(*part, 0, file, names, e.lines);
    return e;
}

}  // namespace

std::pair<std::string, std::string> first_word(const std::string& line) {
    const size_t end = std::min(line.find(' '), line.size()),
                 rest = std::min(line.find_first_not_of(' ', end), line.size());
    return {line.substr(0, end), line.substr(rest)};
}

/// Lets and loops first: they are names for all lines.
std::vector<Expanded> expand_section(const Lines& lines, TextFile file) {
    std::vector<Names> all{file.lets};
    Lines rest;
    for (const std::string& line : lines) {
        const auto [word, more] = first_word(line);
        if (word == "let") {
            const auto [name, value] = first_word(more);
            for (Names& names : all) names[name] = value;
            file.lets[name] = value;
        } else if (word == "for") {
            const auto [name, values] = first_word(more);
            std::vector<Names> longer;
            for (const Names& names : all) {
                std::istringstream in(values);
                for (std::string value; in >> value;) {
                    longer.push_back(names);
                    longer.back()[name] = value;
                }
            }
            all = std::move(longer);
        } else {
            rest.push_back(line);
        }
    }
    std::vector<Expanded> variants;
    for (const Names& names : all) variants.push_back(expanded(rest, file, names));
    return variants;
}

TextFile read_text_file(const std::string& path, std::string_view section) {
    std::ifstream in(source_path(path));
    EXPECT_TRUE(in) << path;
    TextFile file;
    Lines* to = &file.head;
    for (std::string line; std::getline(in, line);) {
        line.erase(0, line.find_first_not_of(' '));
        if (line.empty() || line.starts_with('#')) continue;
        const auto [word, rest] = first_word(line);
        if (word == "text") {
            to = &file.texts[rest];
        } else if (word == section) {
            to = &file.sections.emplace_back(rest, Lines{}).second;
        } else if (word == "let" && file.sections.empty()) {
            const auto [let, value] = first_word(rest);
            file.lets[let] = value;
        } else {
            to->push_back(line);
        }
    }
    return file;
}

}  // namespace tgsi2spv::test

// Reads the files of draws/: puts values for names, repeats and drops lines, and separates shaders from directives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "draw/draws.h"
#include "places.h"

namespace tgsi2spv::test {
namespace {

/// What a name after $ stands for: the value of a loop or of `repeat`, or the text of a `let`.
using Names = std::map<std::string, std::string>;

struct File {
    Lines head;  ///< directives of every draw
    std::map<std::string, Lines> texts;
    Names lets;
};

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

std::pair<std::string, std::string> first_word(const std::string& line) {
    const size_t end = std::min(line.find(' '), line.size()),
                 rest = std::min(line.find_first_not_of(' ', end), line.size());
    return {line.substr(0, end), line.substr(rest)};
}

/// Appends the lines from `at` on to `to`, up to the end, or to `done`. Returns the place after that.
size_t expand(const Lines& lines, size_t at, const File& file, Names& names, Lines& to) {
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

Variant variant_of(const Lines& lines, const File& file, Names names) {
    Variant v;
    for (const auto& [name, value] : names)
        if (!file.lets.contains(name)) v.label += fmt::format("{} {} ", name, value);
    v.variables = numbers(names);
    Lines expanded;
    for (const Lines* part : {&file.head, &lines}) expand(*part, 0, file, names, expanded);
    bool inside = false;
    for (const std::string& line : expanded) {
        if (line == "VERT" || line == "TESS_CTRL" || line == "TESS_EVAL" || line == "GEOM" || line == "FRAG") {
            v.shaders.emplace_back();
            inside = true;
        }
        inside = inside || line == "BGNSUB";  // after END
        if (inside)
            v.shaders.back() += line + "\n";
        else
            v.directives.push_back(line);
        inside = inside && line != "END" && line != "ENDSUB";
    }
    return v;
}

/// Lets and loops first: they are names for all lines.
std::vector<Variant> variants_of(const Lines& lines, File file) {
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
    std::vector<Variant> variants;
    for (const Names& names : all) variants.push_back(variant_of(rest, file, names));
    return variants;
}

}  // namespace

std::vector<NamedDraw> read_draws(const std::string& name) {
    std::ifstream in(source_path("tests/draw/draws/" + name));
    File file;
    std::vector<std::pair<std::string, Lines>> draws;
    Lines* to = &file.head;
    for (std::string line; std::getline(in, line);) {
        line.erase(0, line.find_first_not_of(' '));
        if (line.empty() || line.starts_with('#')) continue;
        const auto [word, rest] = first_word(line);
        if (word == "text") {
            to = &file.texts[rest];
        } else if (word == "draw") {
            to = &draws.emplace_back(rest, Lines{}).second;
        } else if (word == "let" && draws.empty()) {
            const auto [let, value] = first_word(rest);
            file.lets[let] = value;
        } else {
            to->push_back(line);
        }
    }
    std::vector<NamedDraw> all;
    for (const auto& [of, lines] : draws) all.push_back({of, variants_of(lines, file)});
    return all;
}

}  // namespace tgsi2spv::test

#include "lower/texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "places.h"
#include "row_file.h"

namespace tgsi2spv::test {
namespace {

std::filesystem::path folder() {
    return source_path("tests/lower/data");
}

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// `: text { settings } => checks`
TextRow row_of(const std::string& line, int number) {
    TextRow row;
    row.line = number;
    const size_t arrow = line.find("=>");
    if (arrow != std::string::npos) row.checks = trimmed(line.substr(arrow + 2));
    row.text = trimmed(line.substr(1, arrow == std::string::npos ? arrow : arrow - 1));
    if (const size_t brace = row.text.rfind("{ "); brace != std::string::npos && row.text.ends_with(" }")) {
        row.settings = row.text.substr(brace + 2, row.text.size() - brace - 4);
        row.text = trimmed(row.text.substr(0, brace));
    }
    return row;
}

}  // namespace

std::vector<std::string> text_files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
        names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

std::vector<TextCase> text_cases(const std::string& file) {
    RowFile rows(folder() / (file + ".txt"));
    std::vector<TextCase> all;
    std::string head;
    bool in_head = false;
    for (std::string line; rows.next(line);) {
        if (line == "head") {
            head.clear();
            in_head = true;
        } else if (line.starts_with("case ")) {
            all.push_back({.name = line.substr(5), .text = head, .line = rows.line});
            in_head = false;
        } else if (in_head) {
            head += line + "\n";
        } else if (all.empty()) {
            rows.wrong("a line before the first case");
        } else if (line.starts_with("with ")) {
            all.back().settings = line.substr(5);
        } else if (line.starts_with("=> ")) {
            all.back().checks += (all.back().checks.empty() ? "" : "; ") + line.substr(3);
        } else if (line.starts_with(":")) {
            all.back().rows.push_back(row_of(line, rows.line));
        } else {
            if (!all.back().rows.empty()) rows.wrong("text after the rows");
            all.back().text += line + "\n";
        }
    }
    for (TextCase& c : all) {
        if (c.rows.empty() && c.checks.empty()) ADD_FAILURE() << file << ": no checks: " << c.name;
        if (c.rows.empty()) c.rows.push_back({.line = c.line});
    }
    EXPECT_FALSE(all.empty()) << file;
    return all;
}

}  // namespace tgsi2spv::test

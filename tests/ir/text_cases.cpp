#include "ir/text_cases.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "places.h"

namespace tgsi2spv::ir {

std::vector<TextCase> text_cases(const std::string& name) {
    std::ifstream stream(test::source_path("tests/" + name + ".txt"));
    std::vector<TextCase> all;
    TextCase current;
    bool in_result = false;
    const auto finish = [&] {
        if (in_result) all.push_back(current);
        if (!in_result && !current.before.empty()) ADD_FAILURE() << name << ": no => after line " << current.line;
        current = {};
        in_result = false;
    };
    std::string line;
    for (int number = 1; std::getline(stream, line); number++) {
        if (line.empty()) {
            finish();
        } else if (line.starts_with("# ")) {
            current.name += (current.name.empty() ? "" : "\n") + line.substr(2);
        } else if (const size_t arrow = line.find("=>"); arrow != std::string::npos) {
            current.line = number;
            in_result = true;
            current.before += line.substr(0, arrow == 0 ? 0 : arrow - 1);
            if (arrow + 2 == line.size()) continue;
            current.after = line.substr(arrow + 3);
            finish();
        } else {
            (in_result ? current.after : current.before) += line + "\n";
        }
    }
    finish();
    EXPECT_FALSE(all.empty()) << name;
    return all;
}

std::string every_instruction() {
    std::ifstream stream(test::source_path("tests/ir/data/every_instruction.txt"));
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace tgsi2spv::ir

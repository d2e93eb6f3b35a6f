// Texts with mistakes, and what is said of them, as lines of a file: a text, then `! ` and the message.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "places.h"

namespace tgsi2spv::test {

/// The pairs of a file of the project. A text may have several lines; # begins a comment.
inline std::vector<std::pair<std::string, std::string>> read_mistakes(const std::string& path) {
    std::ifstream in(source_path(path));
    EXPECT_TRUE(in) << path;
    std::vector<std::pair<std::string, std::string>> all(1);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("! ")) {
            all.back().second = line.substr(2);
            all.emplace_back();
        } else if (!line.starts_with('#')) {
            all.back().first += line;
        }
    all.pop_back();
    return all;
}

}  // namespace tgsi2spv::test

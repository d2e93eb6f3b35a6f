// A file of rows: its lines without blank ones and comments, and the place of the current one in failures.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tgsi2spv::test {

struct RowFile {
    std::filesystem::path path;
    std::ifstream stream;
    int line = 0;  ///< of the row that was read last

    explicit RowFile(const std::filesystem::path& the_path) : path(the_path), stream(the_path) {
        EXPECT_TRUE(stream) << path;
    }
    /// False: the file ends.
    bool next(std::string& row) {
        while (std::getline(stream, row)) {
            line++;
            if (!row.empty() && row[0] != '#') return true;
        }
        return false;
    }
    void wrong(const std::string& why) const {
        ADD_FAILURE() << path.filename().string() << ":" << line << ": " << why;
    }
};

}  // namespace tgsi2spv::test

// Each construct, damaged in each way that a person might: the intended message at the intended place.
#include <gtest/gtest.h>

#include "cases.h"

namespace {

TEST(Broken, TextsHaveTheirMessages) {
    constexpr std::pair<const char*, size_t> kFiles[] = {
        {"statements.txt", 30}, {"declarations.txt", 50}, {"values.txt", 40}, {"operands.txt", 70},
        {"flow.txt", 40},       {"textures.txt", 40},     {"stages.txt", 15}};
    for (const auto& [file, least] : kFiles) {
        const auto cases = read_cases(std::string("broken/") + file);
        EXPECT_GE(cases.size(), least) << file;
        for (const Case& c : cases) {
            EXPECT_FALSE(c.diagnostics.empty()) << c.name << " expects nothing";
            EXPECT_EQ(diagnostics_of(c.text), c.diagnostics) << file << ": " << c.name << '\n' << c.text;
        }
    }
}

}  // namespace

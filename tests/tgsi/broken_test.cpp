// Each construct, damaged in each way that a person might: the intended message at the intended place.
#include <gtest/gtest.h>

#include "cases.h"

namespace {

size_t expect_messages(const std::string& file) {
    const auto cases = read_cases("broken/" + file);
    for (const Case& c : cases) {
        EXPECT_FALSE(c.diagnostics.empty()) << c.name << " expects nothing";
        EXPECT_EQ(diagnostics_of(c.text), c.diagnostics) << file << ": " << c.name << '\n' << c.text;
    }
    return cases.size();
}

TEST(Broken, StatementsAndStages) {
    EXPECT_GE(expect_messages("statements.txt"), 30u);
}
TEST(Broken, Declarations) {
    EXPECT_GE(expect_messages("declarations.txt"), 50u);
}
TEST(Broken, ImmediatesAndProperties) {
    EXPECT_GE(expect_messages("values.txt"), 40u);
}
TEST(Broken, Operands) {
    EXPECT_GE(expect_messages("operands.txt"), 70u);
}
TEST(Broken, Flow) {
    EXPECT_GE(expect_messages("flow.txt"), 40u);
}
TEST(Broken, TexturesAndMemory) {
    EXPECT_GE(expect_messages("textures.txt"), 40u);
}
TEST(Broken, OpcodesOfAnotherStage) {
    EXPECT_GE(expect_messages("stages.txt"), 15u);
}

}  // namespace

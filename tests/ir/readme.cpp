// docs/ir.md lists the same instructions and rules as the code.
#include "ir/readme.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "ir/module.h"
#include "places.h"

namespace tgsi2spv::ir {
namespace {

/// Replaces the text between `<!-- name -->` and `<!-- end -->`.
std::string with_table(std::string text, const std::string& name, const std::string& table) {
    const std::string start = "<!-- " + name + " -->\n", end = "<!-- end -->";
    const size_t from = text.find(start);
    if (from == std::string::npos) return "no " + start;
    const size_t first = from + start.size();
    return text.replace(first, text.find(end, first) - first, table);
}

TEST(IrReadme, ListsEveryInstructionAndEveryRule) {
    const std::string path = test::source_path("docs/ir.md");
    std::stringstream stream;
    stream << std::ifstream(path).rdbuf();
    const std::string is = stream.str();
    const std::string should_be =
        with_table(with_table(is, "instructions", instruction_table()), "rules", rule_table());
    if (std::getenv("TGSI2SPV_WRITE_README") != nullptr) std::ofstream(path) << should_be;
    EXPECT_EQ(is, should_be) << "written anew by TGSI2SPV_WRITE_README=1 " << test::build_path("tests/test-ir")
                             << " --gtest_filter='IrReadme.*'";
}

TEST(IrReadme, EveryInstructionIsDocumented) {
    for (int op = 0; op < kOpCount; op++) {
        const OpInfo& row = info(static_cast<Op>(op));
        EXPECT_STRNE(row.doc, "") << row.name;
    }
}

}  // namespace
}  // namespace tgsi2spv::ir

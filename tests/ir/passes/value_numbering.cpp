#include "ir/passes/value_numbering.h"

#include <gtest/gtest.h>

#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"

namespace tgsi2spv::ir {
namespace {

void number_and_clean(Module& m, PassMemory& memory) {
    for (Function& f : m.functions) number_values(m, f, memory);
    remove_dead_code(m, memory);
}

int count(const std::string& text, const std::string& what) {
    int n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) n++;
    return n;
}

TEST(ValueNumbering, EqualInstructionsBecomeOne) {
    for (const TextCase& c : text_cases("ir/data/numbering")) {
        const std::string result = run_pass(pass_module(c.before + "Store $2[u32(0)], %r\n"), number_and_clean);
        EXPECT_EQ(count(result, c.after.substr(2)), c.after[0] - '0') << c.before << result;
    }
}

TEST(ValueNumbering, InBlocks) {
    expect_cases("numbering_blocks", number_and_clean);
}

}  // namespace
}  // namespace tgsi2spv::ir

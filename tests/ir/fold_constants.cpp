#include "ir/fold_constants.h"

#include <gtest/gtest.h>

#include "ir/fold.h"
#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"
#include "ir/text_cases.h"

namespace tgsi2spv::ir {
namespace {

/// Returns the constant that `expression` folds to, as text, or `stays` if it does not fold.
std::string folded(const std::string& expression) {
    Module m;
    const size_t type_at = expression.find(' ') + 1;
    const std::string type = expression.substr(type_at, expression.find(' ', type_at) - type_at);
    const std::string module = "entry Vertex f0\n$0 = Private " + type +
                               "\nfunction f0 () -> void {\nb0:\n  %0 = " + expression +
                               "\n  Store $0, %0\n  Return\n}\n";
    if (const std::string wrong = read_module(module, m); !wrong.empty()) return wrong;
    PassMemory memory;
    memory.constants.fill(m);
    fold(m, m.functions[0], memory);
    const std::string result = print(m, m.functions[0], 1);
    const std::string value = result.substr(result.find(", ") + 2);
    return value.starts_with("%") ? "stays" : value;
}

TEST(FoldConstants, WhereTheResultIsExactAndDefined) {
    for (const TextCase& c : text_cases("ir/data/folds")) EXPECT_EQ(folded(c.before), c.after) << "line " << c.line;
}

}  // namespace
}  // namespace tgsi2spv::ir

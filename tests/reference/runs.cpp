// The runs of runs/*.txt.
#include "reference/runs.h"

#include <gtest/gtest.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

const std::string kFolder = "tests/reference/runs";

class Runs : public testing::TestWithParam<std::string> {};

TEST_P(Runs, GiveThePermittedAnswers) {
    const auto cases = read_cases(kFolder, GetParam());
    EXPECT_FALSE(cases.empty());
    for (const Case& one : cases) {
        const Shader s = shader(one.text);
        const Result r = s.error.empty() ? run(s.program, s.registers, one.inputs, one.options) : Result{};
        judge(GetParam(), one, r, s.error + r.error);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, Runs, testing::ValuesIn(case_files(kFolder)), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace tgsi2spv::reference

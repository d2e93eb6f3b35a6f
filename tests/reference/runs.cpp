// The runs of runs/*.txt.
#include "reference/runs.h"

#include <gtest/gtest.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

class Runs : public testing::TestWithParam<test::CaseId> {};

TEST_P(Runs, GiveThePermittedAnswers) {
    for (const test::Case& of : test::expand(GetParam()))
        for (const auto& one : runs_of(of)) {
            const Shader s = shader(one.text);
            const Result r = s.error.empty() ? run(s.program, s.registers, one.inputs, one.options) : Result{};
            judge(of, one, r, s.error + r.error);
        }
}

INSTANTIATE_TEST_SUITE_P(Cases, Runs, testing::ValuesIn(test::cases_of("tests/reference/runs")), test::test_name);

}  // namespace
}  // namespace tgsi2spv::reference

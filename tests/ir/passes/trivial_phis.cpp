#include "ir/passes/trivial_phis.h"

#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"

namespace tgsi2spv::ir {
namespace {

TEST(TrivialPhis, OfTheTexts) {
    expect_cases("trivial_phis", [](Module& m, PassMemory& memory) {
        for (Function& f : m.functions) remove_trivial_phis(f, memory);
        remove_dead_code(m, memory);
    });
}

}  // namespace
}  // namespace tgsi2spv::ir

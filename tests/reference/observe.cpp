// The results that an observer sees.
#include "reference/observe.h"

#include <gtest/gtest.h>

#include <set>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

struct Event {
    uint32_t instruction, lane;
    int component;
    uint32_t word;
    auto operator<=>(const Event&) const = default;
};

std::set<Event> seen_of(std::string_view text, const Inputs& inputs, Result& result) {
    const Shader s = shader(text);
    EXPECT_EQ(s.error, "");
    std::set<Event> events;
    result = observe(s.program, s.registers, inputs, {}, [&](const Seen& seen) {
        for (const uint32_t lane : seen.lanes)
            events.insert({seen.instruction, lane, seen.component, seen.column[lane].value});
    });
    return events;
}

constexpr const char* kText =
    R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
IMM[0] UINT32 {5, 0, 0, 0}
USEQ TEMP[0].xy, IN[0], IMM[0].xxxx
UIF TEMP[0].xxxx
UADD TEMP[0].y, IN[0].yyyy, IMM[0].xxxx
ENDIF
UMAX OUT[0].x, TEMP[0].yyyy, IN[0].xxxx
END
)";

TEST(Observe, ShowsResultsLaneByLane) {
    Inputs in;
    in.lanes = 2;
    in.inputs[{0, 0}] = {{5, 7, 0, 0}, {6, 5, 0, 0}};
    Result result;
    const auto events = seen_of(kText, in, result);
    const auto has = [&](const Event& e) { return events.contains(e); };
    EXPECT_TRUE(has({0, 0, 0, ~0u}));
    EXPECT_TRUE(has({0, 1, 1, ~0u}));
    EXPECT_TRUE(has({2, 0, 1, 12}));
    // Lane 1 does not enter the UIF.
    for (const Event& e : events) EXPECT_FALSE(e.instruction == 2 && e.lane == 1);
    EXPECT_TRUE(has({4, 0, 0, 12}));
    EXPECT_TRUE(has({4, 1, 0, ~0u}));
}

TEST(Observe, TakesTheInstructionsOfARun) {
    Inputs in;
    in.lanes = 1;
    in.inputs[{0, 0}] = {{6, 2, 0, 0}};
    Result observed;
    seen_of(kText, in, observed);
    EXPECT_EQ(observed.instructions, run(kText, in).instructions);
}

}  // namespace
}  // namespace tgsi2spv::reference

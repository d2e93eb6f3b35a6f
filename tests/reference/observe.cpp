// The events of an execution that an observer sees.
#include "reference/observe.h"

#include <gtest/gtest.h>

#include <set>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

struct Event {
    Seen::What what;
    uint32_t instruction, lane;
    int component;
    uint32_t a, b;
    bool operator<(const Event& o) const {
        return std::tie(what, instruction, lane, component, a, b) <
               std::tie(o.what, o.instruction, o.lane, o.component, o.a, o.b);
    }
};

std::set<Event> seen_of(std::string_view text, const Inputs& inputs, Result& result) {
    const Shader s = shader(text);
    EXPECT_EQ(s.error, "");
    std::set<Event> events;
    result = observe(s.program, s.registers, inputs, {}, [&](const Seen& seen) {
        for (const uint32_t lane : seen.lanes)
            events.insert({seen.what, seen.instruction, lane, seen.component, seen.a[lane].value,
                           seen.b != nullptr ? seen.b[lane].value : 0});
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

TEST(Observe, ShowsComparisonsAndResultsLaneByLane) {
    Inputs in;
    in.lanes = 2;
    in.inputs[{0, 0}] = {{5, 7, 0, 0}, {6, 5, 0, 0}};
    Result result;
    const auto events = seen_of(kText, in, result);
    using What = Seen::What;
    const auto has = [&](const Event& e) { return events.contains(e); };
    EXPECT_TRUE(has({What::Compared, 0, 0, 0, 5, 5}));
    EXPECT_TRUE(has({What::Compared, 0, 0, 1, 7, 5}));
    EXPECT_TRUE(has({What::Compared, 0, 1, 0, 6, 5}));
    EXPECT_TRUE(has({What::Wrote, 0, 1, 1, ~0u, 0}));
    EXPECT_TRUE(has({What::Compared, 1, 0, 0, ~0u, 0}));
    EXPECT_TRUE(has({What::Wrote, 2, 0, 1, 12, 0}));
    EXPECT_TRUE(has({What::Compared, 4, 0, 0, 12, 5}));
    // Lane 1 does not enter the UIF.
    for (const Event& e : events) EXPECT_FALSE(e.instruction == 2 && e.lane == 1);
    EXPECT_TRUE(has({What::Wrote, 4, 0, 0, 12, 0}));
}

TEST(Observe, TakesTheInstructionsOfARun) {
    Inputs in;
    in.lanes = 1;
    in.inputs[{0, 0}] = {{6, 2, 0, 0}};
    Result observed;
    seen_of(kText, in, observed);
    EXPECT_EQ(observed.instructions, run(kText, in).instructions);
}

TEST(Observe, ShowsKillsSwitchesAndDoubles) {
    Inputs in;
    in.lanes = 4;
    in.inputs[{0, 0}] = std::vector<Vec4>(4, {0, 0x3ff00000, 0, 0x40000000});
    Result result;
    const auto events = seen_of(
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
IMM[0] UINT32 {3, 0, 0, 0}
DSLT TEMP[0].x, IN[0].xyxy, IN[0].zwzw
SWITCH IN[0].xxxx
CASE IMM[0].xxxx
BRK
DEFAULT
BRK
ENDSWITCH
KILL_IF IN[0].yyyy
MOV OUT[0], TEMP[0].xxxx
END
)",
        in, result);
    const auto compared = [&](uint32_t instruction, uint32_t a, uint32_t b) {
        for (const Event& e : events)
            if (e.what == Seen::What::Compared && e.instruction == instruction && e.a == a && e.b == b) return true;
        return false;
    };
    EXPECT_TRUE(compared(0, 0x3ff00000, 0x40000000));
    EXPECT_TRUE(compared(2, 0, 3));
    EXPECT_TRUE(compared(7, 0x3ff00000, 0));
}

}  // namespace
}  // namespace tgsi2spv::reference

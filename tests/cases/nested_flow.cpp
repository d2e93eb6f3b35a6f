// Every pair of nested flow constructs with every early exit inside, divergent between lanes: the devices and the
// reference must take the same path. Each lane records its path as a number that depends on the order of its steps.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cases/compare.h"
#include "cases/devices.h"
#include "cases/run/run_vulkan.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {
namespace {

enum class Construct { If, Else, Loop, Case, FallsThrough, Default, Call, Count };
enum class Exit { None, Brk, Cont, Ret, Kill, Demote, Count };
constexpr std::string_view kConstructs[] = {"If", "Else", "Loop", "Case", "FallsThrough", "Default", "Call"};
constexpr std::string_view kExits[] = {"", "BRK", "CONT", "RET", "KILL", "DEMOTE"};
/// Which lanes take the exit: all, or those that an UIF around it or a predicate before it lets through.
enum class Takers { All, UnderIf, UnderPredicate };
constexpr std::string_view kTakers[] = {" always", "", " under a predicate"};

/// Writes a program. TEMP[0].x is the path so far, TEMP[1].xy are the loops' counters, TEMP[2] is scratch; IN[0].x and
/// .y select the paths of the outer and the inner construct, .z decides which lanes leave.
class Writer {
  public:
    std::string program(Construct outer, Construct inner, Exit exit, Takers takers) {
        step();
        open(outer, 0);
        step();
        open(inner, 1);
        step();
        leave(exit, takers);
        step();
        close(inner);
        step();
        close(outer);
        step();
        line("MOV OUT[0].x, TEMP[0].xxxx");
        line("END");
        // Subroutines come after END; a call inside a call has a subroutine of its own.
        for (auto& body : subroutines_) lines_.insert(lines_.end(), body.begin(), body.end());
        return R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..2]
DCL PRED[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {31, 7, 0, 0}
)" + text();
    }

  private:
    std::vector<std::string> lines_;
    std::vector<std::vector<std::string>> subroutines_;
    std::vector<std::vector<std::string>> callers_;  ///< the code that was being written when a subroutine was opened
    int steps_ = 0;

    void line(std::string s) { lines_.push_back(std::move(s)); }
    void step() {
        line("UMAD TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx, IMM[1].yyyy");
        line("UADD TEMP[0].x, TEMP[0].xxxx, IMM[0]." + std::string(4, "xyzw"[steps_++ % 4]));
    }
    static std::string key(int depth) { return depth == 0 ? "IN[0].xxxx" : "IN[0].yyyy"; }
    static std::string counter(int depth) { return depth == 0 ? "TEMP[1].x" : "TEMP[1].y"; }
    static std::string counted(int depth) { return depth == 0 ? "TEMP[1].xxxx" : "TEMP[1].yyyy"; }

    void open(Construct c, int depth) {
        switch (c) {
            case Construct::If:
            case Construct::Else:
                line("AND TEMP[2].x, " + key(depth) + ", IMM[0].yyyy");
                line("UIF TEMP[2].xxxx");
                if (c == Construct::Else) {
                    step();
                    line("ELSE");
                }
                break;
            case Construct::Loop:
                line("MOV " + counter(depth) + ", IMM[0].xxxx");
                line("BGNLOOP");
                line("USLT TEMP[2].x, " + key(depth) + ", " + counted(depth));
                line("UIF TEMP[2].xxxx");
                line("BRK");
                line("ENDIF");
                line("UADD " + counter(depth) + ", " + counted(depth) + ", IMM[0].yyyy");
                break;
            case Construct::Case:
            case Construct::FallsThrough:
            case Construct::Default:
                line("SWITCH " + key(depth));
                line("CASE IMM[0].xxxx");
                step();
                if (c != Construct::FallsThrough) line("BRK");
                line(c == Construct::Default ? "DEFAULT" : "CASE IMM[0].yyyy");
                break;
            case Construct::Call:
                // The label is filled in once the subroutine's position is known.
                line("CAL @" + std::to_string(subroutines_.size()));
                subroutines_.emplace_back();
                callers_.push_back(std::move(lines_));
                lines_ = {"BGNSUB"};
                break;
            case Construct::Count:
                break;
        }
    }
    void close(Construct c) {
        switch (c) {
            case Construct::If:
                line("ELSE");
                step();
                line("ENDIF");
                break;
            case Construct::Else:
                line("ENDIF");
                break;
            case Construct::Loop:
                line("ENDLOOP");
                break;
            case Construct::Case:
                line("BRK");
                line("CASE IMM[0].zzzz");
                step();
                line("ENDSWITCH");
                break;
            case Construct::FallsThrough:
                line("CASE IMM[0].zzzz");
                step();
                line("BRK");
                line("DEFAULT");
                step();
                line("ENDSWITCH");
                break;
            case Construct::Default:
                line("CASE IMM[0].wwww");
                step();
                line("ENDSWITCH");
                break;
            case Construct::Call:
                line("ENDSUB");
                subroutines_[callers_.size() - 1] = std::move(lines_);
                lines_ = std::move(callers_.back());
                callers_.pop_back();
                break;
            case Construct::Count:
                break;
        }
    }
    void leave(Exit exit, Takers takers) {
        if (exit == Exit::None) return;
        const std::string opcode(kExits[static_cast<size_t>(exit)]);
        if (takers != Takers::All) {
            line("XOR TEMP[2].x, IN[0].zzzz, TEMP[1].xxxx");
            line("XOR TEMP[2].x, TEMP[2].xxxx, TEMP[1].yyyy");
            line("AND TEMP[2].x, TEMP[2].xxxx, IMM[0].yyyy");
        }
        if (takers == Takers::UnderIf) line("UIF TEMP[2].xxxx");
        if (takers == Takers::UnderPredicate) line("USNE PRED[0].y, TEMP[2].xxxx, IMM[0].xxxx");
        line(takers == Takers::UnderPredicate ? "(PRED[0].yyyy) " + opcode : opcode);
        if (takers == Takers::UnderIf) line("ENDIF");
    }
    std::string text() const {
        std::vector<size_t> places;
        for (size_t i = 0; i < lines_.size(); ++i)
            if (lines_[i] == "BGNSUB") places.push_back(i);
        std::string out;
        for (const auto& l : lines_) {
            const auto at = l.find('@');
            out += at == std::string::npos
                       ? l
                       : l.substr(0, at) + ":" + std::to_string(places.at(std::stoul(l.substr(at + 1))));
            out += '\n';
        }
        return out;
    }
};

bool is_switch(Construct c) {
    return c == Construct::Case || c == Construct::FallsThrough || c == Construct::Default;
}
/// Whether BRK or CONT have a construct to leave in the same function; other exits always have.
bool has_place(Construct outer, Construct inner, Exit exit) {
    const bool outside_counts = inner != Construct::Call;
    const auto any = [&](auto&& test) { return test(inner) || (outside_counts && test(outer)); };
    if (exit == Exit::Brk) return any([](Construct c) { return c == Construct::Loop || is_switch(c); });
    if (exit == Exit::Cont) return any([](Construct c) { return c == Construct::Loop; });
    return true;
}

struct NestedFlow : OnDevices {
    /// All values of x and y in 0..3 and z in 0..1, so that quads diverge.
    static reference::Inputs inputs() {
        reference::Inputs in;
        in.lanes = 32;
        auto& words = in.inputs[{0, 0}];
        for (uint32_t lane = 0; lane < in.lanes; ++lane) words.push_back({lane & 3, lane >> 2 & 3, lane >> 4 & 1, 0});
        return in;
    }
    void hold(Construct outer) {
        const auto in = inputs();
        int programs = 0;
        for (size_t inner = 0; inner < static_cast<size_t>(Construct::Count); ++inner)
            for (size_t exit = 0; exit < static_cast<size_t>(Exit::Count); ++exit)
                for (const Takers takers : {Takers::UnderIf, Takers::All, Takers::UnderPredicate}) {
                    const auto i = static_cast<Construct>(inner);
                    const auto e = static_cast<Exit>(exit);
                    if (!has_place(outer, i, e) || (e == Exit::None && takers != Takers::All)) continue;
                    SCOPED_TRACE(std::string(kConstructs[static_cast<size_t>(outer)]) + " " +
                                 std::string(kConstructs[inner]) + " " + std::string(kExits[exit]) +
                                 std::string(kTakers[static_cast<size_t>(takers)]));
                    hold(Writer().program(outer, i, e, takers), in);
                    ++programs;
                }
        EXPECT_GE(programs, 50);
    }
    void hold(const std::string& text, const reference::Inputs& in) {
        ASSERT_TRUE(api::parse(context, text, {})) << text << context.diagnostics.at(0).message;
        const auto judged = reference::run(context.program, context.registers, in, {});
        ASSERT_EQ(judged.error, "");
        for (auto& device : devices) {
            const auto ran = run_vulkan(*device, context, in, {});
            ASSERT_TRUE(ran) << text << ran.error().message;
            const auto compared = compare(judged, *ran, in.lanes);
            EXPECT_EQ(compared.unknown, 0u) << text;
            EXPECT_EQ(compared.wrong, 0u) << device->report().info.name << "\n" << text;
            for (const auto& m : compared.mismatches) ADD_FAILURE() << describe(m);
        }
    }
};

TEST_F(NestedFlow, InIf) {
    hold(Construct::If);
}
TEST_F(NestedFlow, InElse) {
    hold(Construct::Else);
}
TEST_F(NestedFlow, InLoops) {
    hold(Construct::Loop);
}
TEST_F(NestedFlow, InCases) {
    hold(Construct::Case);
}
TEST_F(NestedFlow, InCasesThatFallThrough) {
    hold(Construct::FallsThrough);
}
TEST_F(NestedFlow, InDefault) {
    hold(Construct::Default);
}
TEST_F(NestedFlow, InSubroutines) {
    hold(Construct::Call);
}

}  // namespace
}  // namespace tgsi2spv::difftest

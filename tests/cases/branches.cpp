// BRA to anywhere in the main program or a subroutine: random programs of constructs with branches into, out of and
// between them, divergent between lanes. The judge follows each lane on its own while the translator makes the flow
// structured; both must take the same path. A lane records its path as a number that depends on the order of its steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cases/compare.h"
#include "cases/devices.h"
#include "inputs/random.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {
namespace {

/// Writes a program. TEMP[0].x is the path so far, .y the remaining budget for loops and branches; TEMP[1] is scratch.
/// IN[0] starts the path.
class Writer {
  public:
    explicit Writer(uint64_t seed) : random_(seed) {}

    std::string program() {
        const bool subroutine = random_.below(3) == 0;
        sealed_ = true;  // no branch may go back here and refill the budget
        line("MOV TEMP[0].x, IN[0].xxxx");
        line("MOV TEMP[0].y, IMM[0].wwww");
        sealed_ = false;
        block(2, subroutine);
        line("MOV OUT[0].xy, TEMP[0].xyyy");
        line("END");
        place_branches(0, lines_.size());
        if (subroutine) {
            const size_t first = lines_.size();
            for (size_t at : calls_) lines_[at] += fmt::format(" :{}", first);
            line("BGNSUB");
            block(1, false);
            line("RET");
            line("ENDSUB");
            place_branches(first, lines_.size());
        }
        std::string text =
            R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4294967295, 24}
IMM[1] UINT32 {31, 7, 13, 3}
IMM[2] UINT32 {1, 2, 4, 8}
)";
        for (size_t i = 0; i < lines_.size(); ++i) text += fmt::format("{}: {}\n", i, lines_[i]);
        return text;
    }

  private:
    Random random_;
    std::vector<std::string> lines_;
    std::vector<size_t> branches_, calls_;
    std::vector<bool> target_;  ///< by line: whether a branch may go there without skipping a deduction from the budget
    bool sealed_ = false;
    int steps_ = 0;

    void line(std::string s) {
        lines_.push_back(std::move(s));
        target_.push_back(!sealed_);
    }
    void step() {
        line(fmt::format("UMAD TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx, IMM[1].{0}{0}{0}{0}", "xyzw"[steps_++ % 4]));
    }
    /// Computes a condition from one bit of the path.
    void condition() {
        line(fmt::format("USHR TEMP[1].x, TEMP[0].xxxx, IMM[2].{0}{0}{0}{0}", "xyzw"[random_.below(4)]));
        line("AND TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy");
    }
    /// Deducts from the budget; ends the invocation (or returns from the subroutine) when nothing is left.
    void spend() {
        line("UIF TEMP[0].yyyy");
        sealed_ = true;
        line("UADD TEMP[0].y, TEMP[0].yyyy, IMM[0].zzzz");
        line("ELSE");
        line("MOV OUT[0].xy, TEMP[0].xyyy");
        line("RET");
        line("ENDIF");
        sealed_ = false;
    }
    void branch() {
        spend();
        sealed_ = true;
        const bool conditional = random_.below(4) != 0;
        if (conditional) condition(), line("UIF TEMP[1].xxxx");
        branches_.push_back(lines_.size());
        line("BRA");
        sealed_ = false;
        if (conditional) line("ENDIF");
    }
    void block(int depth, bool calls, bool in_loop = false, bool in_switch = false) {
        const uint32_t statements = 1 + random_.below(3);
        for (uint32_t s = 0; s < statements; ++s) {
            step();
            switch (random_.below(depth > 0 ? 8 : 3)) {
                case 0:
                    branch();
                    break;
                case 1:
                    if (!in_loop && !in_switch) break;
                    condition();
                    line("UIF TEMP[1].xxxx");
                    line(in_loop && random_.below(2) == 0 ? "CONT" : "BRK");
                    line("ENDIF");
                    break;
                case 2:
                    if (!calls) break;
                    calls_.push_back(lines_.size());
                    line("CAL");
                    break;
                case 3:
                case 4:
                    condition();
                    line("UIF TEMP[1].xxxx");
                    block(depth - 1, calls, in_loop, in_switch);
                    if (random_.below(2) == 0) {
                        line("ELSE");
                        block(depth - 1, calls, in_loop, in_switch);
                    }
                    line("ENDIF");
                    break;
                case 5:
                case 6:
                    line("BGNLOOP");
                    spend();
                    block(depth - 1, calls, true, false);
                    condition();
                    line("BREAKC TEMP[1].xxxx");
                    line("ENDLOOP");
                    break;
                default:
                    condition();
                    line("SWITCH TEMP[1].xxxx");
                    line("CASE IMM[0].yyyy");
                    block(depth - 1, calls, in_loop, true);
                    if (random_.below(2) == 0) line("BRK");
                    line("DEFAULT");
                    block(depth - 1, calls, in_loop, true);
                    line("ENDSWITCH");
                    break;
            }
        }
        step();
    }
    /// Sends each branch to a random instruction of its own function from which no cycle avoids the budget.
    void place_branches(size_t first, size_t last) {
        for (size_t at : branches_) {
            size_t to = first;
            do to = first + random_.below(static_cast<uint32_t>(last - first));
            while (!target_[to]);
            lines_[at] += fmt::format(" :{}", to);
        }
        branches_.clear();
    }
};

TEST_F(OnDevices, BranchesTakeThePathOfTheReference) {
    reference::Inputs inputs;
    inputs.lanes = 16;
    for (uint32_t lane = 0; lane < inputs.lanes; ++lane) inputs.inputs[{0, 0}].push_back({lane * 0x9e3779b9u, 0, 0, 0});
    uint32_t with_branches = 0;
    uint64_t words = 0, unknown = 0;
    for (uint64_t seed = 0; seed < 24; ++seed) {
        const std::string text = Writer(seed).program();
        SCOPED_TRACE(text);
        ASSERT_TRUE(api::parse(context, text, {}));
        with_branches += text.find("BRA") != std::string::npos;
        const auto permitted = reference::run(context.program, context.registers, inputs, {});
        ASSERT_EQ(permitted.error, "");
        for (auto& device : devices) {
            const auto got = run_vulkan(*device, context, inputs, {});
            ASSERT_TRUE(got) << device->report().info.name << ": " << got.error().message;
            const Comparison c = compare(permitted, *got, inputs.lanes);
            words += c.words;
            unknown += c.unknown;
            for (const Mismatch& m : c.mismatches) ADD_FAILURE() << device->report().info.name << ": " << describe(m);
        }
    }
    EXPECT_GT(with_branches, 12u);
    EXPECT_EQ(unknown, 0u) << "of " << words;
}

}  // namespace
}  // namespace tgsi2spv::difftest

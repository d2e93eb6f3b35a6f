// Branches that may go either way, in lanes whose ways are not followed one by one: each side is certain in itself.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

/// TEMP[1].x is whether 1/x is below a third; for x = 3, a division correct to 2.5 ULP leaves that open. TEMP[0] is 7.
constexpr std::string_view kHead =
    R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0..1], COLOR[0]
DCL TEMP[0..31]
DCL ADDR[0]
DCL PRED[0]
DCL BUFFER[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {7, 8, 9, 0x3eaaaaab}
RCP TEMP[2].x, IN[0].xxxx
FSLT TEMP[1].x, TEMP[2].xxxx, IMM[1].wwww
MOV TEMP[0], IMM[1].xxxx
)";
constexpr int kHeadInstructions = 3;
constexpr std::string_view kTail =
    R"(MOV OUT[0], TEMP[0]
MOV OUT[1].x, TEMP[4].xxxx
MOV OUT[1].y, TEMP[5].xxxx
MOV OUT[1].z, TEMP[6].xxxx
MOV OUT[1].w, TEMP[7].xxxx
)";
/// A STORE lets lanes share memory, so that their ways are not followed.
constexpr std::string_view kStore = "STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].xxxx\n";

Inputs open_lane() {
    Inputs in;
    in.lanes = 1;
    in.inputs[{0, 0}].push_back({0x40400000u, 0, 0, 0});
    return in;
}
/// Random structured programs that end.
class Programs {
  public:
    explicit Programs(uint32_t seed) : random_(seed) {}
    std::string make() {
        lines_.clear();
        loops_ = 0;
        block(0, false);
        std::string text;
        for (const std::string& line : lines_) text += line + "\n";
        return text;
    }
    /// The text with its subroutine, which begins at that instruction.
    static std::string placed(std::string text, int subroutine) {
        for (size_t at; (at = text.find('@')) != std::string::npos;)
            text.replace(at, 1, fmt::format(":{}", subroutine));
        return text;
    }

  private:
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
    void line(std::string text) { lines_.push_back(std::move(text)); }
    char component() { return "xyzw"[below(4)]; }
    std::string condition() {
        if (below(3) != 0) return "TEMP[1].xxxx";
        line(fmt::format("USEQ TEMP[3].x, TEMP[0].{}, IMM[{}].{}", std::string(4, component()), below(2),
                         std::string(4, "xyz"[below(3)])));
        return "TEMP[3].xxxx";
    }
    void write() {
        const std::string from = std::string(4, "xyz"[below(3)]), of = std::string(4, component());
        switch (below(5)) {
            case 0:
                return line(fmt::format("UADD TEMP[0].{}, TEMP[0].{}, IMM[0].{}", component(), of, from));
            case 1:
                line("USNE PRED[0].x, " + condition() + ", IMM[0].xxxx");
                return line(fmt::format("(PRED[0].x) MOV TEMP[0].{}, IMM[0].{}", component(), from));
            case 2:
                line(fmt::format("AND TEMP[3].y, TEMP[0].{}, IMM[0].wwww", of));
                line("UARL ADDR[0].x, TEMP[3].yyyy");
                return line(fmt::format("MOV TEMP[ADDR[0].x+4].x, IMM[1].{}", from));
            default:
                return line(fmt::format("MOV TEMP[0].{}, IMM[{}].{}", component(), below(2), from));
        }
    }
    void block(int depth, bool in_loop) {
        for (uint32_t n = 1 + below(3); n > 0; --n) statement(depth, in_loop);
    }
    void statement(int depth, bool in_loop) {
        const uint32_t kind = depth < 3 ? below(9) : 0;
        if (kind < 3) return write();
        if (kind < 6) {
            line("UIF " + condition());
            block(depth + 1, in_loop);
            if (in_loop && below(3) == 0) line(below(2) != 0 ? "BRK" : "CONT");
            if (below(3) != 0) {
                line("ELSE");
                block(depth + 1, in_loop);
                if (in_loop && below(4) == 0) line(below(2) != 0 ? "BRK" : "CONT");
            }
            return line("ENDIF");
        }
        if (kind == 6) {
            const int counter = 8 + loops_++ % 16;
            line(fmt::format("MOV TEMP[{}].x, IMM[0].xxxx", counter));
            line("BGNLOOP");
            line(fmt::format("UADD TEMP[{0}].x, TEMP[{0}].xxxx, IMM[0].yyyy", counter));
            line(fmt::format("USGE TEMP[3].z, TEMP[{}].xxxx, IMM[0].wwww", counter));
            line("UIF TEMP[3].zzzz");
            line("BRK");
            line("ENDIF");
            block(depth + 1, true);
            return line("ENDLOOP");
        }
        if (kind == 7) {
            line("AND TEMP[3].w, TEMP[1].xxxx, IMM[0].yyyy");
            line("SWITCH TEMP[3].wwww");
            line("CASE IMM[0].xxxx");
            block(depth + 1, false);
            if (below(2) != 0) line("BRK");
            line("DEFAULT");
            block(depth + 1, false);
            return line("ENDSWITCH");
        }
        line(below(2) != 0 ? "CAL @" : "CALLNZ TEMP[1].xxxx @");
    }

    std::minstd_rand random_;
    std::vector<std::string> lines_;
    int loops_ = 0;
};

/// Everything that some way gives is permitted if the sides are joined.
TEST(Sides, PermitTheResultOfEachPath) {
    int compared = 0, wider = 0;
    for (uint32_t seed = 1; seed <= 200; ++seed) {
        std::string body = Programs(seed * 7919).make();
        std::string sub = "BGNSUB\nUIF TEMP[1].xxxx\nMOV TEMP[0].x, IMM[0].zzzz\n" +
                          std::string(seed % 2 == 0 ? "RET\n" : "") + "ELSE\nMOV TEMP[0].y, IMM[1].yyyy\n" +
                          std::string(seed % 3 == 0 ? "RET\n" : "") +
                          "ENDIF\nMOV TEMP[0].x, IMM[1].zzzz\nRET\nENDSUB\n";
        const auto count = static_cast<int>(std::count(body.begin(), body.end(), '\n')) + kHeadInstructions;
        const auto text = [&](std::string_view last, int more) {
            return Programs::placed(std::string(kHead) + body + std::string(kTail) + std::string(last) + "END\n" + sub,
                                    count + 6 + more);
        };
        const Shader ways = shader(text("", 0)), sides = shader(text(kStore, 1));
        ASSERT_EQ(ways.error, "") << text("", 0);
        ASSERT_EQ(sides.error, "");
        const Result each = run(ways.program, ways.registers, open_lane(), {}),
                     all = run(sides.program, sides.registers, open_lane(), {});
        ASSERT_EQ(each.error, "");
        for (const int32_t reg : {0, 1})
            for (size_t c = 0; c < 4; ++c) {
                const Value& one = out(each, 0, c, reg);
                const Value& both = out(all, 0, c, reg);
                ASSERT_EQ(one.value, both.value) << text("", 0);
                WordList words;
                if (!enumerate(one, words, 16)) continue;
                ++compared;
                for (int i = 0; i < words.count; ++i)
                    ASSERT_TRUE(permits(both, words.words[static_cast<size_t>(i)]))
                        << reg << c << text_of(one) << text_of(both) << "\n"
                        << text("", 0);
                WordList others;
                wider += !enumerate(both, others, 16) || others.count > words.count;
            }
    }
    EXPECT_GT(compared, 600);
    EXPECT_LT(wider, compared / 3);
}

}  // namespace
}  // namespace tgsi2spv::reference

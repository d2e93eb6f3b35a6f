// Alternatives with a gap: words between them are refused, and permitted ones stay permitted.
#include "reference/numbers/parts.h"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <map>
#include <random>

#include "generated_rounds.h"
#include "reference/bench.h"
#include "reference/numbers/float_math.h"

namespace tgsi2spv::reference {
namespace {

Value alternatives(std::initializer_list<std::pair<float, float>> ranges) {
    Hull h;
    for (const auto& [lo, hi] : ranges) h.add_interval(lo, hi);
    return h.finish(as_word(ranges.begin()->first));
}
bool permits_float(const Value& v, float x) {
    return permits(v, as_word(x));
}

TEST(Parts, AHullKeepsItsTwoWidestGaps) {
    const Value v = alternatives({{8.0f, 8.5f}, {1.0f, 1.25f}, {1.5f, 2.0f}, {-3.0f, -2.0f}});
    EXPECT_EQ(v.gaps, 2);
    for (const float x : {-3.0f, -2.5f, -2.0f, 1.0f, 1.25f, 1.75f, 2.0f, 8.0f, 8.25f, 8.5f})
        EXPECT_TRUE(permits_float(v, x)) << x;
    for (const float x : {-3.5f, -1.0f, -0.0f, 0.0f, 0.5f, 2.5f, 7.5f, 9.0f}) EXPECT_FALSE(permits_float(v, x)) << x;
    // The ends of a gap are permitted, and their neighbours in it are not.
    EXPECT_FALSE(permits(v, next_up(as_word(2.0f))) || permits(v, next_down(as_word(8.0f))));
    EXPECT_TRUE(permits_float(filled(v), 5.0f));
    const Value mirrored = flipped(v);
    for (const float x : {-8.5f, -8.0f, -2.0f, -1.0f, 2.0f, 3.0f}) EXPECT_TRUE(permits_float(mirrored, x)) << x;
    for (const float x : {-5.0f, 0.0f, 1.0f, 4.0f}) EXPECT_FALSE(permits_float(mirrored, x)) << x;
    // In any order, and with more alternatives than it keeps.
    Hull h;
    for (const int i : {7, 0, 5, 2, 6, 1, 4, 3}) {
        h.add_interval(std::exp2(static_cast<float>(3 * i)), 1.5f * std::exp2(static_cast<float>(3 * i)));
        h.add_word(as_word(-std::exp2(static_cast<float>(40 + i))));
    }
    const Value many = h.finish(kOne);
    for (int i = 0; i < 8; ++i) {
        EXPECT_TRUE(permits_float(many, 1.25f * std::exp2(static_cast<float>(3 * i)))) << i;
        EXPECT_TRUE(permits_float(many, -std::exp2(static_cast<float>(40 + i)))) << i;
    }
    EXPECT_FALSE(permits_float(many, 0.0f)) << text_of(many);
}

TEST(Parts, RoundingMakesNoGaps) {
    Hull h;
    for (const uint32_t w : {0u, 5u, 9u, 20u, 40u, 99u, 1000u}) h.add_word(kOne + w);
    EXPECT_EQ(h.finish(kOne).gaps, 0);
    // A sum that cancels has many roundings, which lie far apart as floats; they are not alternatives.
    Context c;
    c.round_to_even = false;
    const Value a = exact(1.0f), b = exact(0.1f), m = exact(-1.1f), one = exact(1.0f), t = exact(0x1p-24f);
    const Term terms[4] = {{&a, &one, false}, {&b, &one, false}, {&m, &one, false}, {&t, &b, false}};
    EXPECT_EQ(sum(c, terms, 4).gaps, 0);
}

TEST(Parts, EverythingWithAGapIsNotFree) {
    Hull h;
    h.add_nan();
    h.add_interval(-INFINITY, -1.0f);
    h.add_interval(1.0f, INFINITY);
    EXPECT_FALSE(is_free(h.finish(kOne)));
    h.add_interval(-1.0f, 1.0f);
    EXPECT_TRUE(is_free(h.finish(kOne)));
}

/// runs/numbers.txt has others.
TEST(Parts, TheFractionOfADenormalMayBeAWhole) {
    Context c;
    const Value tiny = interval(0x80000100, 0x80000001, 0x80000001);
    const Value f = fract(c, tiny);
    EXPECT_TRUE(permits_float(f, 0.0f) && permits_float(f, -0.0f) && permits_float(f, 1.0f)) << text_of(f);
    EXPECT_FALSE(permits_float(f, 0.5f)) << text_of(f);
}

// ---- programs whose answers are chosen at random, instruction by instruction

/// A word that `v` permits, the ends of parts more often than others. `inset`: not one of that many floats at the ends.
uint32_t some_of(const Value& v, std::mt19937& random, int32_t inset) {
    if (is_unknown(v)) {
        static constexpr float kAny[] = {0.0f, 1.0f, -1.0f, 0.5f, 1e-20f, 3e30f, INFINITY, NAN};
        return as_word(kAny[random() % std::size(kAny)]);
    }
    if (v.maybe_nan && random() % 4 == 0) return kNan | (static_cast<uint32_t>(random()) & 0x803fffff);
    if (v.kind == Kind::Words) return v.words[random() % v.count];
    Part p = part_of(v, random() % (v.gaps + 1u));
    inset = static_cast<int32_t>(std::min<int64_t>(inset, (int64_t{order(p.hi)} - order(p.lo)) / 2));
    p = {from_order(order(p.lo) + inset), from_order(order(p.hi) - inset)};
    const uint64_t many = static_cast<uint64_t>(int64_t{order(p.hi)} - order(p.lo)) + 1;
    switch (random() % 4) {
        case 0:
            return p.lo;
        case 1:
            return p.hi;
        default:
            return from_order(static_cast<int32_t>(order(p.lo) + static_cast<int64_t>(random() % many)));
    }
}

/// Words near whole numbers, ties and powers of two.
uint32_t awkward_word(std::mt19937& random) {
    static constexpr float kBase[] = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -4.0f, 0.5f, 8.0f, 1.5f, 0.25f, 100.0f};
    const auto any = static_cast<uint32_t>(random());
    if (random() % 24 == 0) return random() % 2 == 0 ? 0x00400000 | (any & kSign) : any % 5;
    const uint32_t w = as_word(kBase[random() % std::size(kBase)]);
    return random() % 4 != 0 || is_zero(w) ? w : w + any % 3 - 1;
}

constexpr size_t kRegisters = 5;
using Registers = std::array<Vec4, kRegisters>;

struct Operation {
    const char* name;
    int operands;
};
/// Not POW: near powers of two, its bounds for a word take a little more than those for a range.
constexpr Operation kOperations[] = {
    {"ADD", 2},  {"MUL", 2},  {"MAD", 3},  {"DIV", 2},  {"RCP", 1},   {"RSQ", 1},   {"SQRT", 1},  {"EX2", 1},
    {"LG2", 1},  {"FLR", 1},  {"CEIL", 1}, {"FRC", 1},  {"FRC", 1},   {"TRUNC", 1}, {"ROUND", 1}, {"SSG", 1},
    {"MIN", 2},  {"MAX", 2},  {"SLT", 2},  {"SGE", 2},  {"SEQ", 2},   {"SNE", 2},   {"CMP", 3},   {"UCMP", 3},
    {"LRP", 3},  {"DP2", 2},  {"DP3", 2},  {"DP4", 2},  {"EXP", 1},   {"LOG", 1},   {"LIT", 1},   {"MOV", 1},
    {"FMA", 3},  {"F2I", 1},  {"I2F", 1},  {"FSLT", 2}, {"AND", 2},   {"XOR", 2},   {"OR", 2},    {"UADD", 2},
    {"IMAX", 2}, {"ISHR", 2}, {"SIN", 1},  {"SUB", 2},  {"CLAMP", 3}, {"NRM", 1},   {"UMUL", 2},  {"LDEXP", 2},
    {"USEQ", 2}, {"DST", 2},  {"ABS", 1},  {"ISLT", 2}, {"IDIV", 2},  {"U2F", 1},   {"NOT", 1}};

/// An instruction of TEMP registers.
struct Drawn {
    Operation operation{};
    bool saturates = false;
    size_t to = 0;
    std::array<size_t, 3> from{};
    std::array<std::string, 3> before, after;  ///< modifiers and swizzles around each operand

    static Drawn draw(std::mt19937& random) {
        static constexpr const char* kSwizzles[] = {"", ".xxxx", ".yzwx", ".wwyx"};
        Drawn d;
        d.operation = kOperations[random() % std::size(kOperations)];
        d.to = random() % kRegisters;
        const std::string name = d.operation.name;
        const tgsi::OpcodeInfo* info = nullptr;
        for (const tgsi::OpcodeInfo& i : tgsi::kOpcodes)
            if (i.mnemonic == name) info = &i;
        d.saturates = info->can_saturate && random() % 6 == 0;
        const bool is_float = info->family == tgsi::Family::arithmetic || name == "SLT" || name == "SGE";
        for (size_t i = 0; i < 3; ++i) {
            d.from[i] = random() % kRegisters;
            d.after[i] = kSwizzles[random() % std::size(kSwizzles)];
            if (is_float && random() % 3 == 0) d.before[i] = "-";
            if (is_float && random() % 8 == 0) d.before[i] += "|", d.after[i] += "|";
        }
        return d;
    }
    /// `names`: of the registers.
    std::string text(const char* file, const std::string& destination) const {
        std::string s = std::string(operation.name) + (saturates ? "_SAT " : " ") + destination;
        for (size_t i = 0; i < static_cast<size_t>(operation.operands); ++i)
            s += ", " + before[i] + file + "[" + std::to_string(from[i]) + "]" + after[i];
        return s + "\n";
    }
};

class Drawing {
  public:
    Drawing(uint32_t seed, const Options& options) : random_(seed), options_(options) {}

    void hold() {
        const size_t length = 3 + random_() % 8;
        for (size_t i = 0; i < length; ++i) {
            if (random_() % 5 == 0) {
                const Drawn yes = Drawn::draw(random_), no = Drawn::draw(random_);
                const size_t condition = random_() % kRegisters;
                steps_.push_back({condition, yes, no});
            } else {
                steps_.push_back({kRegisters, Drawn::draw(random_), {}});
            }
        }
        std::string text = R"(VERT
DCL IN[0..4]
DCL OUT[0..4], GENERIC[0]
DCL TEMP[0..4]
)";
        const auto name = [](const char* file, size_t i) { return file + ("[" + std::to_string(i)) + "]"; };
        for (size_t i = 0; i < kRegisters; ++i) text += "MOV " + name("TEMP", i) + ", " + name("IN", i) + "\n";
        for (const Step& s : steps_) {
            if (s.condition == kRegisters) {
                text += s.yes.text("TEMP", name("TEMP", s.yes.to));
                continue;
            }
            text += "IF " + name("TEMP", s.condition) + ".xxxx\n" + s.yes.text("TEMP", name("TEMP", s.yes.to)) +
                    "ELSE\n" + s.no.text("TEMP", name("TEMP", s.no.to)) + "ENDIF\n";
        }
        for (size_t i = 0; i < kRegisters; ++i) text += "MOV " + name("OUT", i) + ", " + name("TEMP", i) + "\n";
        const Shader s = shader(text + "END\n");
        ASSERT_EQ(s.error, "") << text;
        constexpr uint32_t kLanes = 8, kChoices = 6;
        Inputs in;
        in.lanes = kLanes;
        std::array<Registers, kLanes> given;
        for (auto& registers : given)
            for (size_t i = 0; i < kRegisters; ++i) {
                for (uint32_t& w : registers[i]) w = awkward_word(random_);
                in.inputs[{0, static_cast<int32_t>(i)}].push_back(registers[i]);
            }
        const Result all = run(s.program, s.registers, in, options_);
        for (uint32_t lane = 0; lane < kLanes; ++lane)
            for (uint32_t choice = 0; choice < kChoices; ++choice) {
                const Registers left = choose(given[lane]);
                for (size_t i = 0; i < kRegisters; ++i)
                    for (size_t c = 0; c < 4; ++c) {
                        const Value v = out(all, lane, c, static_cast<int32_t>(i));
                        gaps += v.gaps;
                        ASSERT_TRUE(permits(v, left[i][c]))
                            << text << "OUT[" << i << "]." << c << " may be " << std::hex << left[i][c] << " ("
                            << as_number(left[i][c]) << "), but is" << text_of(v) << trace_;
                    }
            }
    }
    size_t gaps = 0;

  private:
    struct Step {
        size_t condition;  ///< kRegisters: only `yes`
        Drawn yes, no;
    };

    /// Executes the steps one by one; each gives any answer that is permitted for its operands.
    Registers choose(Registers r) {
        trace_.clear();
        for (const Step& s : steps_) {
            bool first = true;
            if (s.condition != kRegisters) {
                const uint32_t w = r[s.condition][0];
                first = !is_zero(w);
            }
            execute(first ? s.yes : s.no, r);
        }
        return r;
    }
    void execute(const Drawn& d, Registers& r) {
        const std::string text = d.text("IN", "OUT[0]");
        auto [found, is_new] = shaders_.try_emplace(text);
        if (is_new) found->second = shader("VERT\nDCL IN[0..4]\nDCL OUT[0], GENERIC[0]\n" + text + "END\n");
        Inputs in;
        in.lanes = 1;
        for (size_t i = 0; i < kRegisters; ++i) in.inputs[{0, static_cast<int32_t>(i)}] = {r[i]};
        const Result one = run(found->second.program, found->second.registers, in, options_);
        trace_ += "\n" + text;
        // LOG and NRM divide by ranges, LIT has a POW. Their bounds take a little more for words, near powers of two.
        // Sums of words permit the exact sum, too; those of ranges have only sums that are made of roundings.
        const std::string name = d.operation.name;
        const int32_t inset = name == "LOG" || name == "NRM" || name == "LIT" ? 64 : 0;
        const bool sums = name == "LRP" || name.starts_with("DP");
        for (size_t c = 0; c < 4; ++c) {
            const Value v = out(one, 0, c);
            r[d.to][c] = sums ? v.value : some_of(v, random_, inset);
            trace_ += text_of(v) + " chosen " + std::to_string(as_number(r[d.to][c])) + ";";
        }
    }

    std::mt19937 random_;
    Options options_;
    std::vector<Step> steps_;
    std::map<std::string, Shader> shaders_;
    std::string trace_;
};

TEST(Parts, AllResultsOfASequenceArePermitted) {
    const uint32_t programs = is_full() ? 4'000 : 400;
    size_t gaps = 0;
    for (uint32_t seed = 0; seed < programs; ++seed) {
        Options o;
        o.round_to_even = seed % 8 != 1;
        o.preserves_nan_inf_zero = seed % 8 != 2;
        o.exact = seed % 8 != 3;
        o.functions_keep_nan = seed % 8 < 4;
        Drawing drawing(seed, o);
        ASSERT_NO_FATAL_FAILURE(drawing.hold()) << "seed " << seed;
        gaps += drawing.gaps;
    }
    EXPECT_GT(gaps, 0u);
}

}  // namespace
}  // namespace tgsi2spv::reference

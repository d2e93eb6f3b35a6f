// The shapes that generated programs have: each statement of flow in every pair of constructs, and each exit with all
// that may matter before and after it. A shape that no program has is a blind spot: lowering could translate it
// wrongly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/convert.h"
#include "generate/generate.h"
#include "generated_rounds.h"
#include "inputs/random.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::difftest {
namespace {

using tgsi::Opcode;

/// The part of the text that is directly around a statement.
enum class Place : uint8_t { Main, Then, Else, Loop, Case, Subroutine };
std::string name_of(Place place) {
    constexpr std::array kNames{"main", "then", "else", "loop", "case", "sub"};
    return kNames[static_cast<size_t>(place)];
}

struct Construct {
    Place place{};
    bool calls = false;            ///< a subroutine, or main: what RET leaves
    uint32_t first = 0, last = 0;  ///< instructions
    uint32_t part_last = 0;        ///< the end of the open part: an ELSE, the next label of a SWITCH, or `last`
};

/// A program's instructions with the constructs around each.
struct Walk {
    const tgsi::Program& program;
    std::vector<uint32_t> closer{};                    ///< where the construct of each instruction that opens one ends
    std::vector<uint32_t> next_part{};                 ///< where the part ends that each ELSE, label or opener begins
    std::map<int32_t, std::vector<uint32_t>> reads{};  ///< of each TEMP
    uint32_t end = 0;                                  ///< of main

    explicit Walk(const tgsi::Program& p) : program(p) {
        const auto count = static_cast<uint32_t>(p.instructions.size());
        closer.assign(count, count - 1);
        next_part.assign(count, count - 1);
        std::vector<std::pair<uint32_t, uint32_t>> open;  // openers, and the beginnings of their parts
        for (uint32_t pc = 0; pc < count; pc++) {
            const auto& i = p.instructions[pc];
            const bool is_label = i.op == Opcode::ELSE || i.op == Opcode::CASE || i.op == Opcode::DEFAULT;
            const bool closes = tgsi::closes_construct(i.op) || i.op == Opcode::ENDSUB;
            if (i.op == Opcode::END) end = pc;
            if (is_label || closes) next_part[open.back().second] = pc;
            if (is_label) open.back().second = pc;
            if (closes) closer[open.back().first] = pc, open.pop_back();
            if (tgsi::opens_construct(i.op) || i.op == Opcode::BGNSUB) open.emplace_back(pc, pc);
            for (const auto& o : p.all_operands(i).subspan(i.num_dst))
                if (o.file == tgsi::File::Temp) reads[o.index].push_back(pc);
        }
    }
};

/// Whether the values that an instruction writes may matter after the construct `left`, with `outer` around it.
bool matters(const Walk& walk, uint32_t pc, const Construct& left, const std::vector<Construct>& outer, bool goes_on) {
    const auto& i = walk.program.instructions[pc];
    const auto family = tgsi::info(i.op).family;
    if (family == tgsi::Family::flow) return false;
    if (i.num_dst == 0 || family == tgsi::Family::memory) return true;
    for (const auto& o : walk.program.dsts(i)) {
        if (o.file == tgsi::File::Address || o.file == tgsi::File::Predicate) continue;
        if (o.file != tgsi::File::Temp) return true;
        const auto at = walk.reads.find(o.index);
        if (at == walk.reads.end()) continue;
        for (const uint32_t r : at->second) {
            if (r > left.last || (goes_on && r >= left.first)) return true;
            for (const Construct& c : outer)
                if ((c.place == Place::Loop && c.first <= r && r <= c.last) ||
                    (c.place == Place::Subroutine && (r < c.first || r > c.last)))
                    return true;
        }
    }
    return false;
}

std::string place_shape(const std::string& what, Place inner, std::optional<Place> outer) {
    return fmt::format("{} in {}{}", what, name_of(inner), outer ? " in " + name_of(*outer) : "");
}

/// Names an exit without its place.
std::string exit_name(const tgsi::Instruction& i) {
    const std::string under = i.has_predicate ? "(PRED) " : "";
    switch (i.op) {
        case Opcode::BRK:
        case Opcode::BREAKC:
        case Opcode::CONT:
        case Opcode::RET:
            return under + std::string(tgsi::info(i.op).mnemonic);
        case Opcode::KILL:
        case Opcode::DEMOTE:
        case Opcode::KILP:
            return under + "KILL";
        case Opcode::KIL:
        case Opcode::KILL_IF:
            return "KILL_IF";
        default:
            return "";
    }
}

/// The construct that an exit leaves, as its place in `open`.
size_t left_by(Opcode op, const std::vector<Construct>& open) {
    size_t k = open.size() - 1;
    const auto is_left = [&](const Construct& c) {
        if (op == Opcode::CONT) return c.place == Place::Loop;
        if (op == Opcode::BRK || op == Opcode::BREAKC) return c.place == Place::Loop || c.place == Place::Case;
        return c.calls;
    };
    while (k > 0 && !is_left(open[k])) k--;
    return k;
}

/// Names an exit by what matters after the construct that it leaves: values written in it before (`carries`), in the
/// rest of the part around the exit, and in the rest of the construct.
std::string exit_shape(const std::string& what, Place left, Place inner, bool carries, bool skips, bool skips_more) {
    const bool leaves_function = left == Place::Main || left == Place::Subroutine;
    return fmt::format("{}{} in {}:{}{}{}", what, leaves_function ? "" : fmt::format(" of {}", name_of(left)),
                       name_of(inner), carries && !leaves_function ? " carries" : "", skips ? " skips" : "",
                       skips_more ? " skips-more" : "");
}

void note_exit(const Walk& walk, uint32_t pc, const std::string& what, const std::vector<Construct>& open,
               std::set<std::string>& seen) {
    const auto& i = walk.program.instructions[pc];
    const size_t at = left_by(i.op, open);
    const Construct& left = open[at];
    const std::vector<Construct> outer(open.begin(), open.begin() + static_cast<ptrdiff_t>(at));
    // All later text of a function matters to RET and KILL, if anything reads it.
    const bool goes_on = i.op == Opcode::CONT || left.calls;
    const auto any = [&](uint32_t from, uint32_t to) {
        for (uint32_t k = from; k < to; k++)
            if (matters(walk, k, left, outer, goes_on)) return true;
        return false;
    };
    const uint32_t end_of_part = open.back().part_last;
    seen.insert(exit_shape(what, left.place, open.back().place, any(left.first + 1, pc), any(pc + 1, end_of_part),
                           end_of_part < left.last && any(end_of_part, left.last)));
}

/// The shapes of a program.
std::set<std::string> shapes(const tgsi::Program& program) {
    const Walk walk(program);
    std::set<std::string> seen;
    std::vector<Construct> open{{Place::Main, true, 0, walk.end, walk.end}};
    for (uint32_t pc = 0; pc < program.instructions.size(); pc++) {
        const auto& i = program.instructions[pc];
        const auto note = [&](const std::string& what) {
            if (open.empty()) return;
            seen.insert(place_shape(what, open.back().place,
                                    open.size() == 1 ? std::nullopt : std::optional(open[open.size() - 2].place)));
        };
        if (const std::string what = exit_name(i); !what.empty() && !open.empty()) {
            note(what);
            note_exit(walk, pc, what, open, seen);
        } else if (i.op == Opcode::CAL || i.op == Opcode::CALLNZ) {
            note(std::string(tgsi::info(i.op).mnemonic));
        } else if (tgsi::opens_construct(i.op) || i.op == Opcode::BGNSUB) {
            const Place place = i.op == Opcode::BGNLOOP  ? Place::Loop
                                : i.op == Opcode::SWITCH ? Place::Case
                                : i.op == Opcode::BGNSUB ? Place::Subroutine
                                                         : Place::Then;
            if (i.op != Opcode::BGNSUB) note(place == Place::Then ? "IF" : std::string(tgsi::info(i.op).mnemonic));
            open.push_back({place, i.op == Opcode::BGNSUB, pc, walk.closer[pc], walk.next_part[pc]});
        } else if (i.op == Opcode::ELSE || i.op == Opcode::CASE || i.op == Opcode::DEFAULT) {
            if (i.op == Opcode::ELSE) open.back().place = Place::Else;
            open.back().part_last = walk.next_part[pc];
        } else if (tgsi::closes_construct(i.op) || i.op == Opcode::ENDSUB || i.op == Opcode::END) {
            open.pop_back();
        }
    }
    return seen;
}

constexpr std::array kEnds{"BRK", "(PRED) BRK", "BREAKC"};
constexpr std::array kTurns{"CONT", "(PRED) CONT"};
constexpr std::array kLeaves{"RET", "(PRED) RET", "KILL", "(PRED) KILL", "KILL_IF"};
constexpr std::array kOthers{"CAL", "CALLNZ", "IF", "BGNLOOP", "SWITCH"};
constexpr std::array kInner{Place::Then, Place::Else, Place::Loop, Place::Case};

/// Each statement of flow in each pair of constructs that TGSI permits.
void expect_places(std::set<std::string>& all) {
    const auto is_function = [](Place p) { return p == Place::Main || p == Place::Subroutine; };
    const auto is_if = [](Place p) { return p == Place::Then || p == Place::Else; };
    const std::array outer{Place::Main, Place::Then, Place::Else, Place::Loop, Place::Case, Place::Subroutine};
    for (const Place in : kInner)
        for (const Place out : outer) {
            for (const char* what : kEnds)
                if (!is_if(in) || !is_function(out)) all.insert(place_shape(what, in, out));
            for (const char* what : kTurns)
                if (in == Place::Loop || !is_function(out)) all.insert(place_shape(what, in, out));
            for (const char* what : kLeaves) all.insert(place_shape(what, in, out));
            for (const char* what : kOthers) all.insert(place_shape(what, in, out));
        }
    for (const Place in : {Place::Main, Place::Subroutine}) {
        for (const char* what : kLeaves) all.insert(place_shape(what, in, {}));
        for (const char* what : kOthers) all.insert(place_shape(what, in, {}));
    }
}

void expect_exits(std::set<std::string>& all) {
    constexpr uint32_t kCarries = 1, kSkips = 2, kSkipsMore = 4;
    const auto each = [&](const auto& list, Place left, Place inner, uint32_t always) {
        for (const char* what : list)
            for (uint32_t bits = 0; bits < 8; bits++) {
                const bool has_more = inner != left || left == Place::Case;
                if ((bits & always) != always || ((bits & kSkipsMore) != 0 && !has_more)) continue;
                all.insert(exit_shape(what, left, inner, (bits & kCarries) != 0, (bits & kSkips) != 0,
                                      (bits & kSkipsMore) != 0));
            }
    };
    for (const Place left : {Place::Loop, Place::Case})
        for (const Place inner : {Place::Then, Place::Else, left}) each(kEnds, left, inner, 0);
    for (const Place inner : kInner) {
        each(kTurns, Place::Loop, inner, kCarries);     // the counter: without it the loop would not end
        each(kLeaves, Place::Main, inner, kSkipsMore);  // the end of the function
    }
    for (const Place f : {Place::Main, Place::Subroutine}) each(kLeaves, f, f, kSkips);
}

/// Counts the shapes of 20,000 drafts. TGSI2SPV_GENERATED above 1: those of 2,000 whole programs for each round, and
/// prints how many of them have each.
TEST(Generate, WritesEveryExitInEveryPairOfConstructs) {
    std::set<std::string> expected;
    expect_places(expected);
    expect_exits(expected);
    // KILL outside all constructs of main leaves no lane whose answer could be wrong.
    std::erase_if(expected, [](const std::string& s) { return s.starts_with("KILL in main"); });
    std::map<std::string, uint32_t> programs;
    for (const auto& shape : expected) programs[shape] = 0;
    api::Context context;
    GenerateOptions options;
    options.draft = generated_rounds() == 1;
    const uint64_t count = options.draft ? 20'000 : uint64_t{2000} * generated_rounds();
    for (uint64_t seed = 0; seed < count; seed++) {
        ASSERT_TRUE(api::parse(context, generate_program(seed, options), {})) << seed;
        for (const auto& shape : shapes(context.program)) programs[shape]++;
    }
    std::string missing;
    for (const auto& [shape, number] : programs) {
        if (generated_rounds() > 1)
            fmt::print("{:7} {}{}\n", number, shape, expected.contains(shape) ? "" : " (extra)");
        if (number == 0) missing += shape + "\n";
    }
    EXPECT_EQ(missing, "") << "of " << expected.size() << " shapes";
}

}  // namespace
}  // namespace tgsi2spv::difftest

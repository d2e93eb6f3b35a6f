// Programs with inputs and the answers that the documents permit. Three engines run each of them: the evaluator of the
// IR (tests/lower), the reference (tests/reference) and the devices (tests/cases). tests/texts/README.md has the
// language of the files; these are the words of its cases:
//
//     case UIF is true for any bit
//     UIF IN[0].xxxx
//     MOV OUT[0].x, IN[0].yyyy
//     ENDIF
//     END
//     : 0 1 2 3 -> 0 _ _ _
//     : -0.0 1 2 3 -> 1 _ _ _
//
// A row has the registers IN[0], IN[1], … with | between them, then OUT[0], OUT[1], …. In COMP, it has the words of
// BUFFER[0], BUFFER[1], … before and after. A register is four words, or one for all components, or one pair for both:
// words are integers or floats, pairs doubles or integers of 64 bits (texts/number.h). In an output, a/b permits both
// words, a..b is a float between them, x@n is within n ULPs of x, nan is any NaN, ? is left open by the documents, and
// _ is not compared; KILLED means that the lane is killed. A row that begins with names of editions (`oldest middle:
// …`) holds in these, others where the edition is not named.
//
// A case without code is of one instruction, which begins its name: `case F2I .xy` has the code F2I OUT[0].xy, IN[0]
// and END. Properties may follow. `CONST[n] words` are the constants of buffer n, `HWATOMIC[n] words` its counters,
// `set max_iterations n` limits turns and calls. `! DEVICE: reason` after a row names a device that gets it wrong
// (docs/driver-bugs.md), `! literals on DEVICE: reason` one that gets it wrong only where the inputs are immediates.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "texts/cases.h"
#include "tgsi/tables/types.h"

namespace tgsi2spv::meanings {

struct Expect {
    enum class Kind : uint8_t {
        Words,    ///< one of `words`
        Nan,      ///< any NaN
        Near,     ///< within `ulps` of the float words[0]
        Between,  ///< a float from words[0] to words[1]
        Free,     ///< the documents leave it open
        Skipped,  ///< not compared
        Double,   ///< with the next component within `ulps` of the double words[0], words[1]
        Upper,    ///< that next component, which is judged together with the one before
    };
    Kind kind = Kind::Words;
    std::vector<uint32_t> words;
    float ulps = 0;
};

struct Row {
    std::vector<std::vector<uint32_t>> in;
    std::vector<std::vector<Expect>> out;
    bool killed = false;
    int line = 0;
    std::vector<std::pair<std::string, std::string>> wrong_on;  ///< parts of devices' names, and reasons

    bool is_wrong_on(const std::string& device) const;
    std::array<uint32_t, 4> input(size_t i) const { return {in[i][0], in[i][1], in[i][2], in[i][3]}; }
};

struct Rule {
    test::CaseId id;
    std::string name;  ///< with the values of loops
    std::string text;
    std::vector<Row> rows;
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    uint32_t max_iterations = 0;
    std::map<uint32_t, std::vector<uint32_t>> constants, counters;
    std::string op, mask, properties;  ///< of a case of one instruction

    bool is_compute() const { return text.starts_with("COMP"); }
    /// Adds the row's place, the name and the text to failures.
    testing::ScopedTrace trace(const Row& row) const { return {id.path.c_str(), row.line, name + "\n" + text}; }
};

inline constexpr const char* kFolder = "tests/meanings";

/// The rules of a case, one for each edition that its rows name, or of all cases. Bad syntax is a test failure that
/// names the line.
std::vector<Rule> rules_of(const test::CaseId& id);
std::vector<Rule> all_rules();

/// `count` rows of an instruction on immediates: `OP OUT[0], IMM[0], IMM[1], …`, then the next row to OUT[1]. If
/// `by_call`, a subroutine moves them to TEMPs first: then only code that inlines subroutines sees them.
std::string literal_text(const Rule& op, size_t first, size_t count, bool by_call);

/// Whether a word that an engine computed is among the answers. `upper`: the next component, of a double.
bool permitted(const Expect& e, uint32_t got, uint32_t upper = 0);

}  // namespace tgsi2spv::meanings

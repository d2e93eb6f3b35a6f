// Runs of shaders with the answers that the reference must permit: runs/*.txt, and those of tests/cases, which devices
// run too. tests/texts/README.md has their language; these are the words of its cases:
//
//     case NAME
//     RCP TEMP[0].x, IN[0].xxxx
//     $ OUT[0], TEMP[0]
//     END
//     IN[0] 3.0 4.0
//
//     with FLR
//     -> OUT[0].x 0/1 {0,1,!2}
//     set exact 0
//     : 3.0 -> ?
//
// An input after answers begins the next run of the same shader, with answers of its own. A case with a hole has its
// inputs before the hole.
//
// Inputs: IN[r] or IN[vertex][r] and SV[r] have a word for each lane in all components, or, after `.x`, in that one, or
// registers of up to four words between |. BUFFER[i], CONST[i], HWATOMIC[i], RGLOBAL, RINPUT, COLOR[i] have words;
// `8x9` are eight nines. `texture[i]` and `image[i]` have a target, a size, `layers`, `levels`, `samples`, a format,
// and after = the words of each level, between |; without them texels are numbered (texture_bench.h). `sampler[i]` has
// names and values, `view[i]` a texture and a swizzle of xyzw01. `set` gives options and the other members of Inputs.
//
// Answers: `: IN[0] | IN[1] -> OUT[0] | OUT[1]` is a lane. `-> NAME tokens` is of OUT[r].x and OUT[vertex][r].x (a
// token for each lane or patch), BUFFER[i], IMAGE[i], RGLOBAL (for each word, or one for all), `emitted[lane]`
// (stream/primitive:x, or y of stream 1 and so on), `lost`, `killed`, `undecided` (a digit for each lane),
// `written[r]`, `error` (a part of its text), `place` (of the error: an instruction).
//
// A token is all permitted words a/b, a@ulps, a..b, nan or _ as in tests/meanings; ? is anything, and ?a has the
// nominal answer a; a~w is an interval around a of at most that width. Else {a,b,!c,=d} permits a and b, perhaps
// others, refuses c, and d is the nominal answer. Doubles take two components.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/run.h"
#include "texts/cases.h"

namespace tgsi2spv::reference {

/// How many components of `values` the token judges; says in `wrong` what it expects of them.
size_t judge(const std::string& token, const Value* values, size_t count, std::string& wrong);

/// A lane's registers, or the tokens after a name.
struct Expectation {
    int line = 0;
    std::string name;  ///< empty: a row
    std::vector<std::vector<std::string>> tokens;
};

struct Run {
    int line = 0;  ///< of its first answer
    std::string text;
    Inputs inputs;
    Options options;
    std::vector<Expectation> expected;
};

/// The runs of a case. Bad syntax is a test failure that names the line.
std::vector<Run> runs_of(const test::Case& of);

/// Expects the result, or the error, of a run.
void judge(const test::Case& of, const Run& run, const Result& result, const std::string& error);

}  // namespace tgsi2spv::reference

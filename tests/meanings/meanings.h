// Programs with inputs and the answers that the documents permit, as rows of text files. Three engines run each of
// them: the evaluator of the IR (tests/lower), the reference (tests/reference) and the devices (tests/cases).
//
// A file has heads and rules. A head is the declarations of all rules after it; a rule is code, and rows.
//
//     head
//     VERT
//     DCL IN[0]
//     DCL OUT[0], GENERIC[0]
//
//     rule UIF is true for any bit
//     UIF IN[0].xxxx
//     MOV OUT[0].x, IN[0].yyyy
//     ENDIF
//     END
//     : 0 1 2 3 -> 0 _ _ _
//     : -0.0 1 2 3 -> 1 _ _ _
//
// A row has the registers IN[0], IN[1], … with | between them, then OUT[0], OUT[1], …. A register is four words or one
// for all components; a word is an integer, or a float with a point, inf or nan. In an output, a/b permits both words,
// x@n is within n ULPs of the float x, nan is any NaN, and _ is not compared; KILLED means that the lane is killed.
// Lines with # are comments; `! DEVICE: reason` after a rule names a device that gets it wrong (docs/driver-bugs.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/tables/table.h"

namespace tgsi2spv::meanings {

struct Row {
    std::vector<tables::Register> in;
    std::vector<std::array<tables::Expect, 4>> out;
    bool killed = false;
    int line = 0;
};

struct Rule {
    std::string name;
    std::string text;
    std::vector<Row> rows;
    std::vector<std::pair<std::string, std::string>> wrong_on;  ///< parts of devices' names, and reasons
};

/// The names of all files, without their extension, and the rules of one. Bad syntax is a test failure that names the
/// line.
std::vector<std::string> files();
std::vector<Rule> rules(const std::string& file);

/// Whether a word that an engine computed is among the answers. `upper`: the next component, of a double.
bool permitted(const tables::Expect& e, uint32_t got, uint32_t upper = 0);

}  // namespace tgsi2spv::meanings

// Cases as data: texts and the expected diagnostics of the parser and the checker.
//   # name            begins a case
//   ! 3:7 code: …     a diagnostic, in order: line, column, code, message
//   ? …               its hint
//   = …               a line of the canonical text
// Every other line belongs to the text, except blank lines before the next case.
#pragma once

#include <string>
#include <vector>

struct Case {
    std::string name;
    std::string text;
    std::string diagnostics;  ///< the lines with '!' and '?'
    std::string printed;      ///< the lines with '=', without the '='
};

/// Returns the cases of a file under tests/tgsi/data.
std::vector<Case> read_cases(const std::string& file);

/// Returns the diagnostics of parse() and, if it succeeds, check() for a text, in the notation of the cases.
std::string diagnostics_of(const std::string& text);

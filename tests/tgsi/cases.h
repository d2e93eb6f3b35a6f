// Cases as data: texts with what is to be said about them.
//   # name            begins a case
//   ! 3:7 code: …     a diagnostic, in order: line, column, code, message
//   ? …               its hint
//   = …               a line of the canonical text
// Every other line is the text; blank lines before the next case are not.
#pragma once

#include <string>
#include <vector>

struct Case {
    std::string name;
    std::string text;
    std::string diagnostics;  ///< the lines with '!' and '?'
    std::string printed;      ///< the lines with '=', without it
};

/// The cases of a file under tests/tgsi/data.
std::vector<Case> read_cases(const std::string& file);

/// What parse() and, if that is content, check() say about a text, as the cases have it.
std::string diagnostics_of(const std::string& text);

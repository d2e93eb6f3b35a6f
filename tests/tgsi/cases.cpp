#include "cases.h"

#include <fstream>

#include "places.h"
#include "tgsi/check/check.h"
#include "tgsi/prepare.h"

namespace tgsi = tgsi2spv::tgsi;

std::vector<Case> read_cases(const std::string& file) {
    std::ifstream in(tgsi2spv::test::source_path("tests/tgsi/data/" + file));
    std::vector<Case> cases;
    std::string blanks;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("# ")) {
            cases.push_back({line.substr(2), {}, {}, {}});
            blanks.clear();
        } else if (cases.empty()) {
            continue;
        } else if (line.starts_with("! ") || line.starts_with("? ")) {
            cases.back().diagnostics += line + '\n';
        } else if (line.starts_with("= ")) {
            cases.back().printed += line.substr(2) + '\n';
        } else if (line.empty()) {
            blanks += '\n';
        } else {
            cases.back().text += blanks + line + '\n';
            blanks.clear();
        }
    }
    return cases;
}

namespace {

std::string printed(const std::string& text, const std::vector<tgsi::Diagnostic>& diagnostics) {
    std::string out;
    for (const tgsi::Diagnostic& d : diagnostics) {
        const tgsi::LineColumn place = tgsi::line_column_of(text, d.offset);
        out += "! " + std::to_string(place.line) + ':' + std::to_string(place.column) + ' ' +
               std::string(d.code.name()) + ": " + d.message + '\n';
        if (!d.hint.empty()) out += "? " + d.hint + '\n';
    }
    return out;
}

}  // namespace

std::string diagnostics_of(const std::string& text) {
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    tgsi::Survey survey;
    const bool parsed = tgsi::parse(text, {}, program, survey, diagnostics);
    std::vector<tgsi::Diagnostic> thorough = diagnostics;
    if (parsed) {
        tgsi::Registers registers;
        tgsi::prepare(program, survey, registers);
        tgsi::Program again = program;  // check() changes it
        tgsi::check(program, registers, survey, {}, diagnostics);
        tgsi::check(again, {}, thorough);
    }
    const std::string said = printed(text, diagnostics), at_length = printed(text, thorough);
    return said == at_length ? said : "with what the parser saw:\n" + said + "without it:\n" + at_length;
}

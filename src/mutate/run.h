// Runs the mutants of one shader on one device, in a process of its own: a broken module may crash it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cases/judge.h"
#include "mutate/mutate.h"

namespace tgsi2spv::difftest {

struct MutationRun {
    CaseSpec spec;            ///< a file, or a generated program
    std::string device;       ///< name, number or UUID; empty: the default device
    RunSettings judging;      ///< seed, dialect, limits
    uint32_t inputs = 12;     ///< input sets that may distinguish a mutant from the module
    uint32_t searched = 200;  ///< and at most this many that a search finds (search.h)
    /// The module is written as text to `modules`.spvasm, to look up survivors, and cases on which it fails to
    /// `modules`-1.case and so on; empty: nothing is written.
    std::string modules;
    uint32_t limit = 0;       ///< how many mutants of the shader to run, chosen evenly; 0: all
    uint32_t from = 0;        ///< the first one to run: the previous process died here
    bool permissions = true;  ///< report decorations that have no effect, too
};

/// What such a process reports, one line each.
struct MutationLine {
    enum class What : uint8_t {
        Skip,       ///< the shader cannot be used: `text` says why
        NotScored,  ///< `number` of what `text` says: not part of the score
        Begin,      ///< mutant `number`, of `kind`, `text`
        Caught,     ///< that mutant
        Survived,
        Invalid,  ///< SPIRV-Tools rejects it: not counted
        Equal,    ///< optimised, it is the module: not counted
        NotRun,   ///< could not be run, which says nothing about it: not counted, and reported separately
        Error,    ///< the module could not be written: `text` has the file and the reason
        Done,
    } what{};
    uint32_t number = 0;
    MutationKind kind{};
    std::string text;
};
std::string write(const MutationLine& line);
/// False if the line is none of these.
bool read(const std::string& text, MutationLine& line);

void run_mutants(const MutationRun& run, const std::function<void(const MutationLine&)>& say);

}  // namespace tgsi2spv::difftest

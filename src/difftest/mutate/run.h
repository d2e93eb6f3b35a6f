// The mutants of one shader on one device, in a process of their own: a broken module may take it down.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "difftest/judge.h"
#include "difftest/mutate/mutate.h"

namespace tgsi2spv::difftest {

struct MutationRun {
    CaseSpec spec;            ///< a file, or a generated program
    std::string device;       ///< name, number or UUID; empty: lavapipe, or the first
    JudgeOptions judging;     ///< seed, dialect, limits
    uint32_t inputs = 12;     ///< input sets that may tell a mutant from the module
    uint32_t searched = 200;  ///< and at most as many that a search finds (search.h)
    std::string modules;      ///< a folder for the module as text, so that survivors can be looked up; empty: none
    uint32_t limit = 0;       ///< mutants of the shader, evenly chosen; 0: all
    uint32_t from = 0;        ///< the first to run: where a process before this one died
    bool permissions = true;  ///< report decorations that have no effect, too
};

/// What such a process says, a line each.
struct MutationLine {
    enum class What : uint8_t {
        Skip,    ///< the shader cannot be used: `text` says why
        Apart,   ///< `number` of what `text` says: no part of the score
        Begin,   ///< mutant `number`, of `kind`, `text`
        Caught,  ///< that mutant
        Survived,
        Invalid,  ///< SPIRV-Tools does not take it: not counted
        Equal,    ///< proven to be the module: not counted
        Open,     ///< the module but for what Vulkan leaves open: not counted either, and said apart
        Refuted,  ///< caught, and yet a proof takes it for the module: the proof is wrong
        Proving,  ///< the device has had its say of that mutant: what ends now is our own mistake
        Done,
    } what{};
    uint32_t number = 0;
    MutationKind kind{};
    std::string text;
};
std::string write(const MutationLine& line);
/// False where the line is none of these.
bool read(const std::string& text, MutationLine& line);

void run_mutants(const MutationRun& run, const std::function<void(const MutationLine&)>& say);

}  // namespace tgsi2spv::difftest

// Input sets that reach more of a program than those that are drawn: seeded, the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/run.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::difftest {

struct SearchOptions {
    uint64_t seed = 0;
    uint32_t most_sets = 200;          ///< kept
    uint32_t most_runs = 2000;         ///< of the reference
    uint64_t most_work = 150'000'000;  ///< instructions, over all lanes of all runs
    uint32_t most_steps = 40'000;      ///< of one run: drivers end longer loops by themselves
    reference::Options judging;        ///< what the device promises: what nobody can judge reaches nothing
    /// Where sets go that end but do nothing new, as far as the search can see; null: nowhere.
    std::vector<reference::Inputs>* others = nullptr;
    size_t most_other_words = 12'000'000;  ///< of all of them together
};

/// Changes the sets of `first` word by word and keeps what does something new in the reference: a comparison that goes
/// the other way or comes closer to doing so, a result of another magnitude. Words are taken from the program, from the
/// other side of its comparisons, and from between two that part them. Never empty `first`.
std::vector<reference::Inputs> search_inputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                             const std::vector<reference::Inputs>& first, const SearchOptions& options);

}  // namespace tgsi2spv::difftest

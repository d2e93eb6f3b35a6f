// Input sets that reach more of a program than drawn ones; seeded, and the same on every machine.
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
    uint32_t most_returned = ~0u;      ///< the most of these that are returned: the ones that together do most
    uint32_t most_runs = 2000;         ///< runs of the reference
    uint64_t most_work = 150'000'000;  ///< instructions, over all lanes of all runs
    uint32_t most_steps = 40'000;      ///< steps of one run: drivers stop longer loops on their own
    reference::Options judging;        ///< the device's promises: results that cannot be judged do not count
};

/// Changes the sets of `first` word by word and keeps those that do something new in the reference: a comparison that
/// goes the other way or comes closer to it, a result of another magnitude. New words come from the program, from the
/// other side of its comparisons, and from between two words that a comparison separates. `first` must not be empty.
std::vector<reference::Inputs> search_inputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                             const std::vector<reference::Inputs>& first, const SearchOptions& options);

}  // namespace tgsi2spv::difftest

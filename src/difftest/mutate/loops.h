// What loops keep as it is, turn after turn. Internal to mutate_values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "difftest/mutate/nodes.h"

namespace tgsi2spv::difftest {

struct Surroundings;

namespace mutation {

struct Module;

/// Where a phi stands, and which of its components.
using PhiPlace = std::pair<uint32_t, uint32_t>;

/// Of a component that comes round in a loop.
struct LoopFact {
    bool constant = true;  ///< in each turn what it was before the first
    PhiPlace like{};       ///< the first one of the header that holds the same in each turn; itself, maybe
    Range range{};         ///< what it holds in all turns
    int grown = 0;         ///< times that the range was too narrow; as an integer
    int grown_number = 0;  ///< and as a float
};
struct LoopFacts {
    std::map<PhiPlace, LoopFact> of{};
    std::set<uint32_t> turning{};  ///< headers of loops that may have more than one turn
};

/// By induction over turns: all is supposed to stay as it was before the loop and what does not is given up, until each
/// turn leaves to the next what was supposed of it.
LoopFacts loop_facts(const Module& m, const Surroundings& around,
                     const std::optional<std::array<uint32_t, 3>>& invocation);

}  // namespace mutation
}  // namespace tgsi2spv::difftest

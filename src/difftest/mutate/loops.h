// Loop invariants. Internal to values.cpp.
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

/// A phi, by its place, and one of its components.
using PhiPlace = std::pair<uint32_t, uint32_t>;

/// About a component that a loop carries.
struct LoopFact {
    bool constant = true;  ///< in each iteration it has the value from before the first
    PhiPlace like{};       ///< this header's first one with the same value in each iteration, maybe itself
    Range range{};         ///< its values in all iterations
    int grown = 0;         ///< how often the range was too narrow, as an integer
    int grown_number = 0;  ///< and as a float
};
struct LoopFacts {
    std::map<PhiPlace, LoopFact> of{};
    std::set<uint32_t> turning{};  ///< headers of loops that may have more than one iteration
};

/// By induction over iterations: assumes that everything keeps its value from before the loop, and gives up what does
/// not, until each iteration hands on to the next what was assumed about it.
LoopFacts loop_facts(const Module& m, const Surroundings& around,
                     const std::optional<std::array<uint32_t, 3>>& invocation);

}  // namespace mutation
}  // namespace tgsi2spv::difftest

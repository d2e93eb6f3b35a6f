// Simpler neighbours of a program and of inputs: what a reduction tries. Each edit has a number from 0 on; nothing
// comes back where it would change nothing or is not possible. Whether the result is a valid shader, the checker says.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "reference/run.h"
#include "tgsi/program.h"

namespace tgsi2spv::difftest {

/// A case on its way to a smaller one.
struct Candidate {
    tgsi::Program program;
    reference::Inputs inputs;
};

/// One way to make a case simpler: how many edits it has, and each of them.
struct Simplification {
    const char* name;
    size_t (*count)(const Candidate& c, size_t granularity);
    std::optional<Candidate> (*edit)(const Candidate& c, size_t granularity, size_t number);
    /// Edits take pieces of this many things, then of half as many, down to one; 0: pieces of one at once.
    size_t (*pieces)(const Candidate& c);
};

/// In the order in which they pay.
std::span<const Simplification> program_simplifications();
std::span<const Simplification> input_simplifications();

}  // namespace tgsi2spv::difftest

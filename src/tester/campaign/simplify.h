// Simpler neighbours of a program and of inputs, for a reduction to try. Edits are numbered from 0. An edit gives
// nothing if it would change nothing or is not possible. The checker decides whether the result is a valid shader.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "reference/case/inputs.h"
#include "tgsi/program/program.h"

namespace tgsi2spv::difftest {

/// A case on its way to a smaller one.
struct Candidate {
    tgsi::Program program;
    reference::Inputs inputs;
};

/// One way to make a case simpler: the number of its edits, and each edit.
struct Simplification {
    const char* name;
    size_t (*count)(const Candidate& c, size_t granularity);
    std::optional<Candidate> (*edit)(const Candidate& c, size_t granularity, size_t number);
    /// Edits take pieces of this many things, then of half as many, down to one; 0: start with pieces of one.
    size_t (*pieces)(const Candidate& c);
};

/// In the order of how much they gain.
std::span<const Simplification> program_simplifications();
std::span<const Simplification> input_simplifications();

}  // namespace tgsi2spv::difftest

// What a module knows of its lanes: which of them speak with each other, and which are none of the case's. Internal to
// mutate_equal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "difftest/mutate/module.h"

namespace tgsi2spv::difftest::mutation {

/// Something is read of the lanes of the quad: derivatives, samples with implicit levels.
bool reads_neighbours(const Module& m);
/// Or of others.
bool reads_subgroup(const Module& m);
/// Elections, votes, ballots, shuffles: what lanes of a subgroup tell each other.
bool is_of_subgroup(spv::Op op);

/// The work group's shape, where it has more than one invocation, and few enough to look at each.
std::optional<std::array<uint32_t, 3>> small_group(const Module& m);

/// What main asks in its first block, and stores under: with `io=buffers`, whether the lane is one of the case's. 0:
/// nothing.
uint32_t lane_condition(const Module& m);

/// Whether the condition is the same in all lanes of a quad: it holds the number of a pixel's lane, four numbers a quad
/// (lower, io_buffers), against a limit that is a multiple of four (design, JSON: lanes of FRAG come in quads).
bool is_same_in_quad(const Module& m, uint32_t condition);

}  // namespace tgsi2spv::difftest::mutation

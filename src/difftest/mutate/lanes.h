// What a module says about its lanes: which of them communicate, and which do not belong to the case. Internal to
// equal.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "difftest/mutate/module.h"

namespace tgsi2spv::difftest::mutation {

/// Whether the module reads something from other lanes of the quad: derivatives, samples with implicit levels.
bool reads_neighbours(const Module& m);
/// Whether it reads something from other lanes of the subgroup.
bool reads_subgroup(const Module& m);
/// Elections, votes, ballots, shuffles: operations in which lanes of a subgroup communicate.
bool is_of_subgroup(spv::Op op);

/// The shape of the work group, if it has more than one invocation, and few enough to look at each.
std::optional<std::array<uint32_t, 3>> small_group(const Module& m);

/// The condition that main checks in its first block and stores under: with `io=buffers`, whether the lane belongs to
/// the case. 0: there is none.
uint32_t lane_condition(const Module& m);

/// Whether the condition is the same in all lanes of a quad: it compares the number of a pixel's lane, four numbers per
/// quad (lower, io_buffers), with a limit that is a multiple of four (design, JSON: lanes of FRAG come in quads).
bool is_same_in_quad(const Module& m, uint32_t condition);

}  // namespace tgsi2spv::difftest::mutation

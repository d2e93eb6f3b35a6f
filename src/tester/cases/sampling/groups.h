// The states of the sampling matrix by pipelines: each group is a case.
#pragma once

#include <cstdint>
#include <vector>

#include "cases/sampling/forms.h"

namespace tgsi2spv::difftest {

/// The states of a form in one pipeline: `count` of states_of(form), starting at `first`.
struct SamplingGroup {
    uint32_t number = 0;  ///< its number in the id
    uint32_t first = 0, count = 0;
};
/// Returns at least one group; a form that cannot be translated has an empty one.
std::vector<SamplingGroup> groups_of(const Form& form, uint32_t number);

}  // namespace tgsi2spv::difftest

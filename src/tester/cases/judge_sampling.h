// The sampling matrix as cases: every form of both texture pages with every texel kind, filter and wrap mode. A form
// that a device cannot run is still translated, validated and judged, and its skip says so.
#pragma once

#include <cstdint>
#include <vector>

#include "cases/judge.h"
#include "cases/sampling/forms.h"

namespace tgsi2spv::difftest {

/// The states of a form in one pipeline: `count` of states_of(form), starting at `first`.
struct SamplingGroup {
    uint32_t number = 0;  ///< its number in the id
    uint32_t first = 0, count = 0;
};
/// Returns at least one group; a form that cannot be translated has an empty one.
std::vector<SamplingGroup> groups_of(const Form& form, uint32_t number);

/// make_case() and judge_case() for CaseKind::Sampling.
void make_sampling_case(MadeCase& made, const RunSettings& options, Workplace& workplace);
CaseResult judge_sampling_case(const MadeCase& made, size_t device, const RunSettings& options, Workplace& workplace,
                               const ModuleHook& hook);

}  // namespace tgsi2spv::difftest

// The sampling matrix as cases: every form of both texture pages on every kind, filter and wrap mode. A form that a
// device cannot run is still translated, validated and judged, and its skip says so.
#pragma once

#include <cstdint>
#include <vector>

#include "difftest/judge.h"
#include "difftest/sampling/forms.h"

namespace tgsi2spv::difftest {

/// States of a form that stand in one pipeline: `count` of states_of(form) from `first` on.
struct SamplingGroup {
    uint32_t number = 0;  ///< what the id calls it
    uint32_t first = 0, count = 0;
};
/// At least one; of a form that nothing can translate, one that is empty.
std::vector<SamplingGroup> groups_of(const Form& form, uint32_t number);

/// The parts of judge.h's functions for CaseKind::Sampling.
void make_sampling_case(MadeCase& made, const JudgeOptions& options, Workplace& workplace);
CaseResult judge_sampling_case(const MadeCase& made, size_t device, const JudgeOptions& options, Workplace& workplace,
                               const ModuleHook& hook);

}  // namespace tgsi2spv::difftest

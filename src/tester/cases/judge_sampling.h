// The sampling matrix as cases: every form of both texture pages with every texel kind, filter and wrap mode. A form
// that a device cannot run is still translated, validated and judged, and its skip says so.
#pragma once

#include "cases/made_case.h"
#include "cases/run/run_vulkan.h"
#include "cases/run/settings.h"

namespace tgsi2spv::difftest {

/// make_case() and judge_case() for CaseKind::Sampling.
void make_sampling_case(MadeCase& made, const RunSettings& options, Workplace& workplace);
CaseResult judge_sampling_case(const MadeCase& made, size_t device, const RunSettings& options, Workplace& workplace,
                               const ModuleHook& hook);

}  // namespace tgsi2spv::difftest

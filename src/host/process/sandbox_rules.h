// The system calls of a confined process.
#pragma once

#include <seccomp.h>

#include <cstdint>
#include <vector>

namespace tgsi2spv::process {

/// An argument of a call, of which a mask leaves one of some values.
struct Condition {
    unsigned argument;
    uint64_t mask;
    std::vector<uint64_t> values;
    scmp_compare compare = SCMP_CMP_MASKED_EQ;
};

struct Rule {
    std::vector<int> calls;
    std::vector<Condition> conditions;  ///< all of them hold
    uint32_t action;                    ///< SCMP_ACT_…
};

/// The calls that the process `self` may make. No two rules match the same call; what none matches fails with EPERM.
std::vector<Rule> sandbox_rules(uint32_t self);
/// Further calls that it may make if Landlock, in this version, limits the files that can be opened.
std::vector<Rule> rules_for_files(int landlock_version);

}  // namespace tgsi2spv::process

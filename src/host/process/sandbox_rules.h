// The system calls of a confined process, and the kernel's filter for them.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

namespace tgsi2spv::process {

/// A word of a call's arguments, of which a mask leaves one of some values.
struct Condition {
    uint8_t word;
    uint32_t mask;
    std::vector<uint32_t> values;
};
constexpr uint8_t low_word(unsigned argument) {
    return static_cast<uint8_t>(2 * argument);
}
constexpr uint8_t high_word(unsigned argument) {
    return static_cast<uint8_t>(2 * argument + 1);
}

struct Rule {
    std::vector<uint32_t> calls;
    std::vector<Condition> conditions;  ///< all of them hold
    uint32_t result;                    ///< SECCOMP_RET_…
};

/// The calls that the process `self` may make. The first matching rule decides; everything else fails with EPERM.
std::vector<Rule> sandbox_rules(uint32_t self);
/// Further calls that it may make if Landlock, in this version, limits the files that can be opened.
std::vector<Rule> rules_for_files(int landlock_version);

/// The architecture that this program is built for (AUDIT_ARCH_…); 0: one that the rules do not know.
uint32_t sandbox_architecture();
std::vector<sock_filter> filter_of(const std::vector<Rule>& rules);

}  // namespace tgsi2spv::process

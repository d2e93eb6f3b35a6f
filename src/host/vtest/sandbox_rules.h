// The system calls of a confined process, and the filter of the kernel that they become.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

namespace tgsi2spv::vtest {

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

/// What the process `self` may call. The first rule that fits decides; everything else fails with EPERM.
std::vector<Rule> sandbox_rules(uint32_t self);
/// What it may call beside that where Landlock, in this version, says which files can be opened.
std::vector<Rule> rules_for_files(int landlock_version);

/// The architecture that this program is built for (AUDIT_ARCH_…); 0: one that the rules do not know.
uint32_t sandbox_architecture();
std::vector<sock_filter> filter_of(const std::vector<Rule>& rules);

}  // namespace tgsi2spv::vtest

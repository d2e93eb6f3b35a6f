#include "cases/sampling/groups.h"

#include "cases/sampling/case.h"
#include "cases/sampling/states.h"

namespace tgsi2spv::difftest {

std::vector<SamplingGroup> groups_of(const Form& form, uint32_t number) {
    if (!form.impossible.empty()) return {{}};
    const auto states = states_of(form);
    const uint32_t most = states_a_case(form);
    const bool one_kind = lanes_choose(form);  // lanes choose among descriptors of one type
    std::vector<SamplingGroup> groups;
    uint32_t counted = 0;
    for (uint32_t first = 0; first < states.size(); ++counted) {
        uint32_t n = 1;
        while (n < most && first + n < states.size() && (!one_kind || states[first + n].kind == states[first].kind))
            ++n;
        // If few states fit into a pipeline, the form runs only on every third group; the form decides which.
        if (!one_kind || (counted + number) % 3 == 0) groups.push_back({counted, first, n});
        first += n;
    }
    if (groups.empty()) groups.push_back({0, 0, 1});
    return groups;
}

}  // namespace tgsi2spv::difftest

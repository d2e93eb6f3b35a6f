// Every form of the two texture pages: op × surface × modifier, as a line of TGSI where an opcode reaches it, else as a
// message by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sampling/message.h"
#include "tgsi/types.h"

namespace tgsi2spv::difftest {

struct Form {
    std::string name;  ///< as the page writes it: `sample_b.cps 2D_ARRAY`, `TLD4.G.AOFFI.DC CUBE`
    sampling::Message message;
    tgsi::Target target{};
    /// The line of TGSI that means the same: `{0}` is its destination, `{1}` the number of texture and sampler. Offsets
    /// are in IMM[0..3], the component of a gather in IMM[5].x. Empty: none does.
    std::string line;
    /// The page has it, and no translation can: why.
    std::string impossible;
    bool sampler_by_lane = false, texture_by_lane = false;
};

/// All forms, in the order of the pages: 3D_SAMPLE, then TLD4. The same list on every call.
std::vector<Form> sampling_forms();

}  // namespace tgsi2spv::difftest

// Every form of the two texture pages: op × surface × modifier, as a line of TGSI if an opcode expresses it, otherwise
// as a message alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sampling/message.h"
#include "tgsi/tables/types.h"

namespace tgsi2spv::difftest {

struct Form {
    std::string name;  ///< name in the page's notation: `sample_b.cps 2D_ARRAY`, `TLD4.G.AOFFI.DC CUBE`
    sampling::Message message;
    tgsi::Target target{};
    /// The equivalent line of TGSI: `{0}` is its destination, `{1}` the index of texture and sampler. Offsets are in
    /// IMM[0..3], the component of a gather in IMM[5].x. Empty: there is none.
    std::string line;
    /// Not empty: why no translation is possible, although the page has the form.
    std::string impossible;
    bool sampler_by_lane = false, texture_by_lane = false;
};

/// Returns all forms, in the order of the pages: 3D_SAMPLE, then TLD4. Every call returns the same list.
std::vector<Form> sampling_forms();

}  // namespace tgsi2spv::difftest

// The inputs of a rule for the reference, and for the devices that run its cases.
#pragma once

#include <span>

#include "meanings/meanings.h"
#include "reference/case/inputs.h"

namespace tgsi2spv::meanings {

/// The lanes are rows.
inline reference::Inputs inputs_of(const Rule& rule, std::span<const Row> rows) {
    reference::Inputs inputs;
    inputs.lanes = static_cast<uint32_t>(rows.size());
    inputs.constants = rule.constants;
    inputs.hwatomics = rule.counters;
    for (const Row& row : rows)
        for (size_t i = 0; i < row.in.size(); i++)
            if (rule.is_compute())
                inputs.buffers[static_cast<uint32_t>(i)] = row.in[i];
            else
                inputs.inputs[{0, static_cast<int32_t>(i)}].push_back(row.input(i));
    return inputs;
}

}  // namespace tgsi2spv::meanings

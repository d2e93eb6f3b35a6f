// The results of each executed instruction, for the generator, which counts instructions that change nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "reference/run.h"

namespace tgsi2spv::reference {

/// The results of one component of an instruction, in all lanes that execute it.
struct Seen {
    uint32_t instruction = 0;
    uint8_t component = 0;
    std::span<const uint32_t> lanes;  ///< into the column
    const Value* column = nullptr;
};
using Observer = std::function<void(const Seen&)>;

/// run(), but the program is executed only once: no path is followed again. `observer` sees this execution, and the
/// result has no outputs and no memory. The other contents of the column, besides its nominal values, depend on
/// `options`.
Result observe(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
               const Options& options, const Observer& observer);

}  // namespace tgsi2spv::reference

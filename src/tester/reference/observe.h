// Events of an execution, for callers that search for inputs that reach more of a program.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "reference/run.h"

namespace tgsi2spv::reference {

/// One component of one instruction, in all lanes that execute it.
struct Seen {
    enum class What : uint8_t {
        Wrote,     ///< `a` is its result
        Compared,  ///< `a` with `b`: the result, or the flow, depends on which is larger, or whether they differ
    } what{};
    uint32_t instruction = 0;
    uint8_t component = 0;
    uint32_t first_lane = 0;          ///< COMP: invocations of the work groups before this one
    std::span<const uint32_t> lanes;  ///< into the columns
    const Value* a = nullptr;
    const Value* b = nullptr;
};
using Observer = std::function<void(const Seen&)>;

/// run(), but the program is executed only once: no path is followed again. `observer` sees this execution, and the
/// result has no outputs and no memory. The other contents of the columns, besides their nominal values, depend on
/// `options`.
Result observe(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
               const Options& options, const Observer& observer);

}  // namespace tgsi2spv::reference

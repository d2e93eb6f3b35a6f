// Text to Program.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tgsi/diagnostic.h"
#include "tgsi/program.h"
#include "tgsi/survey.h"

namespace tgsi2spv::tgsi {

/// An upper bound, even if the limit of registers is set higher: indices stay far from the limits of 32 bits.
inline constexpr uint32_t kMaxRegisters = 1u << 20;

/// Every limit has its own message; all can be set (0 does not mean "unlimited": it refuses everything).
struct Limits {
    uint32_t text_bytes = 16u << 20;
    uint32_t instructions = 1'000'000;
    uint32_t nesting = 256;
    uint32_t registers = 65'536;  ///< most registers in one file (and dimension), at most kMaxRegisters
    uint32_t errors = 20;         ///< most errors, and most warnings: further ones are dropped
};

/// Parses one shader. `program` is overwritten and its memory reused. Returns true if there were no errors; diagnostics
/// (warnings too) are appended. Throws only if memory runs out; time is linear in the text.
bool parse(std::string_view text, const Limits& limits, Program& program, std::vector<Diagnostic>& diagnostics);
/// The same for callers that pass the Survey on to gather() and check().
bool parse(std::string_view text, const Limits& limits, Program& program, Survey& survey,
           std::vector<Diagnostic>& diagnostics);

}  // namespace tgsi2spv::tgsi

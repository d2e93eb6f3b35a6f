// Random programs: every opcode, stage, register file and flow construct, typed so that values stay meaningful and
// nothing is left undefined. The same seed gives the same text on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tgsi/opcode.h"
#include "tgsi/types.h"

namespace tgsi2spv::difftest {

struct GenerateOptions {
    std::optional<tgsi::Stage> stage;    ///< absent: the seed decides
    std::optional<tgsi::Opcode> opcode;  ///< one that the text shall have; absent: each in turn, by the seed
    uint32_t statements = 4;  ///< at least, and up to three times as many; the constructs of flow not counted
};

/// Text that parses and passes the checker.
std::string generate_program(uint64_t seed, const GenerateOptions& options = {});

/// What a seed's program is made around: seeds that follow one another go through all opcodes.
tgsi::Opcode featured_opcode(uint64_t seed);

}  // namespace tgsi2spv::difftest

// Generates random programs over every opcode, stage, register file and flow construct. They are typed, so that values
// stay meaningful and nothing is undefined. The same seed gives the same text on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tgsi/tables/opcode.h"
#include "tgsi/tables/types.h"

namespace tgsi2spv::difftest {

struct GenerateOptions {
    std::optional<tgsi::Stage> stage;    ///< absent: follows from the seed
    std::optional<tgsi::Opcode> opcode;  ///< an opcode that the text should contain; absent: follows from the seed,
                                         ///< each opcode in turn
    bool draft = false;                  ///< keep the first attempt at each statement: quick, for counts of shapes
    uint32_t statements = 4;  ///< minimum number of statements, without nested ones; the maximum is three times as many
};

/// Returns a text that parses and passes the checker.
std::string generate_program(uint64_t seed, const GenerateOptions& options = {});

/// Returns the opcode on which a seed's program centres. Consecutive seeds go through all opcodes.
tgsi::Opcode featured_opcode(uint64_t seed);

}  // namespace tgsi2spv::difftest

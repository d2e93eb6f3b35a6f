// The tables of words that the parser meets at every turn, for who looks them up in line.
#pragma once

#include "tgsi/opcode.h"
#include "tgsi/words.h"

namespace tgsi2spv::tgsi {

using MnemonicTable = WordTable<2, kOpcodeCount, 1024>;
extern const MnemonicTable kMnemonics;  ///< Opcode by its mnemonic, without suffixes; in opcode.cpp

/// Of up to seven letters, as nearly all text has them: in capitals, without a suffix.
using ShortMnemonicTable = ShortWordTable<1024>;
extern const ShortMnemonicTable kShortMnemonics;

using FileTable = WordTable<1, kFileCount, 64>;
extern const FileTable kFileWords;  ///< File by its name; in parse_operand.cpp

}  // namespace tgsi2spv::tgsi

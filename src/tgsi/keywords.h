// The word tables that the parser uses most, for inline lookup.
#pragma once

#include "tgsi/opcode.h"
#include "tgsi/words.h"

namespace tgsi2spv::tgsi {

using MnemonicTable = WordTable<2, kOpcodeCount, 1024>;
extern const MnemonicTable kMnemonics;  ///< Opcode by mnemonic, without suffixes; in opcode.cpp

/// Mnemonics of up to seven letters in capitals without a suffix, as in nearly all text.
using ShortMnemonicTable = ShortWordTable<1024>;
extern const ShortMnemonicTable kShortMnemonics;

using FileTable = WordTable<1, kFileCount, 64>;
extern const FileTable kFileWords;  ///< File by name; in parse_operand.cpp

}  // namespace tgsi2spv::tgsi

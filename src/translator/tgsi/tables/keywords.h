// The word tables that the parser uses most, for inline lookup.
#pragma once

#include "tgsi/tables/opcode.h"
#include "tgsi/text/words.h"

namespace tgsi2spv::tgsi {

inline constexpr size_t kOldMnemonics = 2;  ///< names of earlier editions, which are only read
using MnemonicTable = WordTable<2, kOpcodeCount + kOldMnemonics, 1024>;
extern const MnemonicTable kMnemonics;  ///< Opcode by mnemonic, without suffixes; in opcode.cpp

/// In the order of the enumeration.
inline constexpr std::array<std::string_view, kFileCount> kFileNames = {
    "NULL", "CONST", "IN",    "OUT",     "TEMP",   "SAMP",     "ADDR",     "IMM",
    "SV",   "IMAGE", "SVIEW", "BUFFER",  "MEMORY", "CONSTBUF", "HWATOMIC", "PRED",
    "RES",  "IMMX",  "TEMPX", "RGLOBAL", "RLOCAL", "RPRIVATE", "RINPUT"};

}  // namespace tgsi2spv::tgsi

// The word tables that the parser uses most, for inline lookup.
#pragma once

#include "tgsi/opcode.h"
#include "tgsi/words.h"

namespace tgsi2spv::tgsi {

inline constexpr size_t kOldMnemonics = 2;  ///< names of earlier editions, which are only read
using MnemonicTable = WordTable<2, kOpcodeCount + kOldMnemonics, 1024>;
extern const MnemonicTable kMnemonics;  ///< Opcode by mnemonic, without suffixes; in opcode.cpp

/// The part of an opcode's row that the parser needs. It is next to the mnemonic, so that reading an instruction loads
/// one cache line, not two.
struct OpcodeHead {
    Opcode op{};
    uint8_t num_dst = 0, num_src = 0;
    uint8_t stages = 0;
    Family family{};
    Form form{};
    bool is_fixed : 1 = false;  ///< it takes num_src sources, never fewer or more
    bool can_saturate : 1 = false;
};
constexpr OpcodeHead head_of(Opcode op, const OpcodeInfo& info) {
    return {op,
            info.num_dst,
            info.num_src,
            info.stages,
            info.family,
            info.form,
            info.min_src == info.max_src,
            info.can_saturate};
}

/// Mnemonics of up to seven letters in capitals without a suffix, as in nearly all text.
using ShortMnemonicTable = ShortWordTable<OpcodeHead, 1024>;
extern const ShortMnemonicTable kShortMnemonics;

/// In the order of the enumeration.
inline constexpr std::array<std::string_view, kFileCount> kFileNames = {
    "NULL", "CONST", "IN",    "OUT",     "TEMP",   "SAMP",     "ADDR",     "IMM",
    "SV",   "IMAGE", "SVIEW", "BUFFER",  "MEMORY", "CONSTBUF", "HWATOMIC", "PRED",
    "RES",  "IMMX",  "TEMPX", "RGLOBAL", "RLOCAL", "RPRIVATE", "RINPUT"};

}  // namespace tgsi2spv::tgsi

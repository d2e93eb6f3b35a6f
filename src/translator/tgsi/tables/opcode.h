// The opcode table as data: the properties of an opcode that the other parts need. The rows are in opcodes.def; this
// file only gives them names and types.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tgsi/tables/types.h"

namespace tgsi2spv::tgsi {

enum class Opcode : uint16_t {
#define TGSI_OPCODE(mnemonic, editions, signature, shape, family, form, stages) mnemonic,
#include "tgsi/tables/opcodes.def"
#undef TGSI_OPCODE
};
inline constexpr int kOpcodeCount = 0
#define TGSI_OPCODE(mnemonic, editions, signature, shape, family, form, stages) +1
#include "tgsi/tables/opcodes.def"
#undef TGSI_OPCODE
    ;

/// How an operand's 32-bit words are read (or how a result's are written).
enum class OperandType : uint8_t {
    None,
    Float,
    Int,
    Uint,
    Double,
    Int64,
    Uint64,
    Untyped,
    Sampler,
    SamplerView,
    Resource,
};

enum class Shape : uint8_t { component, scalar, dot, pair, special, none };
enum class Family : uint8_t {
    arithmetic,
    compare,
    integer,
    convert,
    wide,
    texture,
    memory,
    io,
    flow,
    subgroup,
    legacy,
};
enum class Form : uint8_t { plain, tex, sample, memory, branch };

inline constexpr uint8_t kEditionOldest = 1, kEditionMiddle = 2, kEditionNewest = 4;

/// One row of the table.
struct OpcodeInfo {
    std::string_view mnemonic;
    uint8_t editions;  ///< kEdition* bits; 0: in no document's list (END)
    uint8_t num_dst;
    uint8_t num_src;
    std::array<OperandType, 2> dst;
    std::array<OperandType, 5> src;
    Shape shape;
    Family family;
    Form form;
    uint8_t stages;  ///< bit 1 << Stage
    uint8_t min_src;
    uint8_t max_src;
    bool is_wide;       ///< some operand is 64 bits wide
    bool can_saturate;  ///< there is a result, and it may be a float
};

extern const std::array<OpcodeInfo, kOpcodeCount> kOpcodes;  ///< rows in the order of Opcode
inline const OpcodeInfo& info(Opcode op) {
    return kOpcodes[static_cast<size_t>(op)];
}

/// IF, IFC, UIF, BGNLOOP, SWITCH.
inline bool opens_construct(Opcode op) {
    switch (op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
        case Opcode::BGNLOOP:
        case Opcode::SWITCH:
            return true;
        default:
            return false;
    }
}
inline bool closes_construct(Opcode op) {
    return op == Opcode::ENDIF || op == Opcode::ENDLOOP || op == Opcode::ENDSWITCH;
}

/// Matching ignores case; the name has no suffixes.
std::optional<Opcode> opcode_from_name(std::string_view name);

/// The same, faster, for a word that consists of letters, digits and '_' and is part of a text that ends at `text_end`.
std::optional<Opcode> opcode_from_word(std::string_view word, const char* text_end);

/// The nearest mnemonic within a small edit distance, for hints; empty if there is none.
std::string_view nearest_mnemonic(std::string_view name);

/// Other source counts in real text (semantics: "Operand counts where sources differ"): the smallest accepted count.
/// The table's num_src and every count between are always accepted.
inline int min_sources(Opcode op) {
    return info(op).min_src;
}
/// The largest accepted count (SFL and STR take two ignored sources, BRA one).
inline int max_sources(Opcode op) {
    return info(op).max_src;
}

}  // namespace tgsi2spv::tgsi

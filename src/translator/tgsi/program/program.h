// A shader as flat data: the parser writes it, lowering and the reference read it. No tree and no strings; positions
// are byte offsets into the source text.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "tgsi/tables/opcode.h"
#include "tgsi/tables/types.h"

namespace tgsi2spv::tgsi {

/// The register component inside an indirect index: the `ADDR[0].x` of `TEMP[ADDR[0].x+2]`.
struct Relative {
    File file = File::Null;
    uint8_t component = 0;  ///< 0..3; x if the text has none
    bool has_dim = false;
    int32_t index = 0;
    int32_t dim = 0;  ///< first bracket of a two-dimensional index register (`CONST[0][3].x`)
    bool operator==(const Relative&) const = default;
};

/// A register operand. One bracket: `file[index]`. Two: `file[dim][index]`. A source uses swizzle and the modifiers, a
/// destination uses write_mask.
struct Operand {
    File file = File::Null;
    uint8_t write_mask = 0xf;     ///< destinations: bit c is set if component c is written; may be 0
    uint8_t swizzle = 0xe4;       ///< sources: two bits per component, x lowest; 0xe4 is .xyzw
    uint8_t swizzle_letters = 4;  ///< letters written in the text; 0 if none (TG4 needs this)
    bool negate = false;
    bool absolute = false;  ///< applied before the negation
    bool has_dim = false;
    bool index_is_relative = false;
    bool dim_is_relative = false;
    uint16_t array_id = 0;      ///< ARRAY id after the last bracket; 0 if none
    uint16_t dim_array_id = 0;  ///< ARRAY id after the first bracket; 0 if none
    int32_t index = 0;          ///< direct index, or the offset added to the relative part
    int32_t dim = 0;
    uint32_t relative = 0;  ///< first entry in Program::relatives; the dim's entry comes before the index's
    uint32_t position = 0;  ///< byte offset in the text; not compared
    bool operator==(const Operand& operand) const;

    /// The register component that component c of this source reads.
    int component(int c) const { return swizzle >> (2 * c) & 3; }
};

/// Operands are consecutive in Program::operands: destinations, sources, texture offsets, then the predicate if there
/// is one.
struct Instruction {
    Opcode op{};
    bool saturate = false;
    bool saturate_signed = false;  ///< _SATNV of old texts, which saturates to −1..1; `saturate` is set too
    bool precise = false;
    uint8_t num_dst = 0;
    uint8_t num_src = 0;
    uint8_t num_offsets = 0;
    bool has_predicate = false;
    bool predicate_inverted = false;  ///< `(!PRED[0].x)`
    bool has_label = false;
    Target target = Target::None;  ///< the target of texture and image operations, if written
    uint8_t qualifiers = 0;        ///< qualifier:: bits
    uint16_t format = 0;           ///< a PIPE_FORMAT (formats.h); 0 if none is written
    uint32_t label = 0;            ///< instruction number after ':'
    uint32_t first_operand = 0;
    uint32_t position = 0;  ///< byte offset of the mnemonic; not compared
    bool operator==(const Instruction& instruction) const;
};

struct Declaration {
    File file = File::Null;
    uint8_t usage_mask = 0xf;
    bool has_dim = false;       ///< `[d][first..last]`
    bool dim_is_empty = false;  ///< `[][first..last]`: one array per vertex
    bool has_semantic = false;
    bool invariant = false;
    bool local = false;
    bool has_stream = false;
    bool writable = false;  ///< WR
    bool raw = false;       ///< RAW
    bool atomic = false;    ///< BUFFER, ATOMIC
    MemoryKind memory_kind = MemoryKind::Unwritten;
    uint8_t cylwrap = 0;      ///< mask; parsed, ignored with a warning
    uint8_t streams[4] = {};  ///< STREAM(x, y, z, w)
    Semantic semantic = Semantic::None;
    Interpolation interpolation = Interpolation::Unwritten;
    Location location = Location::Center;
    Target target = Target::None;
    ReturnType returns[4] = {};
    uint16_t format = 0;  ///< IMAGE: a PIPE_FORMAT
    uint16_t array_id = 0;
    int32_t dim = 0;
    uint32_t semantic_index = 0;
    int32_t first = 0;
    int32_t last = 0;
    uint32_t immediates = 0;  ///< IMMX: first row in Program::immediate_rows, last-first+1 rows
    uint32_t position = 0;    ///< place in the text; not compared
    bool operator==(const Declaration& declaration) const;
};

/// Four words as registers hold them; 64-bit values have the low word first.
struct Immediate {
    ImmediateType type{};
    uint32_t words[4] = {};
    uint32_t position = 0;  ///< place in the text; not compared
    bool operator==(const Immediate& immediate) const;
};

struct PropertyValue {
    Property name{};
    uint32_t value = 0;
    uint32_t position = 0;  ///< place in the text; not compared
    bool operator==(const PropertyValue& value) const;
};

/// A byte offset that is not compared.
struct Position {
    uint32_t offset = 0;
    bool operator==(const Position&) const { return true; }
};

/// IMM[i] is immediates[i]: the parser puts immediates with an index at that index.
struct Program {
    Program() = default;
    /// Its lists use `memory`; copies use the default resource.
    explicit Program(std::pmr::memory_resource* memory)
        : properties(memory),
          declarations(memory),
          immediates(memory),
          immediate_rows(memory),
          instructions(memory),
          operands(memory),
          relatives(memory) {}

    Stage stage{};
    Position stage_position;
    uint16_t version = 0;  ///< `FRAG1.1` is 0x101; 0 if none is written
    /// The number of the instruction where main begins. The text does not say it; a caller that runs one piece of an
    /// old compute text sets it after parsing and before check().
    uint32_t entry = 0;
    std::pmr::vector<PropertyValue> properties;
    std::pmr::vector<Declaration> declarations;
    std::pmr::vector<Immediate> immediates;
    std::pmr::vector<Immediate> immediate_rows;  ///< rows of IMMX declarations
    std::pmr::vector<Instruction> instructions;
    std::pmr::vector<Operand> operands;
    std::pmr::vector<Relative> relatives;
    bool operator==(const Program&) const = default;

    std::span<const Operand> dsts(const Instruction& instruction) const {
        return {operands.data() + instruction.first_operand, instruction.num_dst};
    }
    std::span<const Operand> srcs(const Instruction& instruction) const {
        return {operands.data() + instruction.first_operand + instruction.num_dst, instruction.num_src};
    }
    std::span<const Operand> offsets(const Instruction& instruction) const {
        return {operands.data() + instruction.first_operand + instruction.num_dst + instruction.num_src,
                instruction.num_offsets};
    }
    std::span<const Operand> all_operands(const Instruction& instruction) const {
        return {operands.data() + instruction.first_operand, size_t{instruction.num_dst} + instruction.num_src +
                                                                 instruction.num_offsets + instruction.has_predicate};
    }
    const Operand* predicate(const Instruction& instruction) const {
        return instruction.has_predicate ? operands.data() + instruction.first_operand + instruction.num_dst +
                                               instruction.num_src + instruction.num_offsets
                                         : nullptr;
    }
    const Relative* dim_relative(const Operand& operand) const {
        return operand.dim_is_relative ? &relatives[operand.relative] : nullptr;
    }
    const Relative* index_relative(const Operand& operand) const {
        return operand.index_is_relative ? &relatives[operand.relative + (operand.dim_is_relative ? 1 : 0)] : nullptr;
    }
    /// The line that sets the property (the last one wins), or nullptr.
    const PropertyValue* written(Property name) const;
    /// The property's value, or `otherwise` if the text does not set it.
    uint32_t property(Property name, uint32_t otherwise = 0) const;
};

}  // namespace tgsi2spv::tgsi

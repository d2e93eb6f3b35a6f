// A Program decoded for blocks of lanes in lockstep: flat steps over columns of words, and the flow around them.
//
// A column holds one register component, or an intermediate result, for the lanes of a block. With bounds it has three
// planes: the plainest word and two ends. If the ends have the same bits, the component is that word and nothing else;
// otherwise it is every float between the ends, or what a mark in their place says (entry.h). After the planes, a word
// says what the column holds (Holds): most columns hold words, and need only the first plane. A uniform is a word that
// all lanes share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference/context.h"
#include "reference/value.h"

namespace tgsi2spv::reference::columns {

/// Lanes of a block, so that a mask of lanes is one word of 64 bits.
inline constexpr uint32_t kLanes = 64;
/// The widest vector that the kernels use. A uniform is stored this many times.
inline constexpr uint32_t kWidest = 16;

using Bits = uint64_t;
inline constexpr Bits kEveryLane = ~Bits{0};

/// What a step computes. Its operands are in Step::from. The kernels are in plain-inl.h and bounds-inl.h.
enum class Action : uint8_t {
    Move,
    // Modifiers.
    Negate,
    Absolute,
    Saturate,
    // Floats.
    LightExponent,  ///< light_exponent() of float_math.h
    Add,
    Subtract,
    Multiply,
    Square,  ///< one component times itself
    MultiplyAdd,
    Fused,
    Lerp,
    Divide,
    Minimum,
    Maximum,
    Reciprocal,
    ReciprocalRoot,
    Root,
    Exp2,
    Log2,
    Sine,
    Cosine,
    Power,
    Floor,
    Ceil,
    Truncate,
    Round,
    Fraction,
    Sign,
    Dot,  ///< `terms` products: from[0]·from[1] + from[2]·from[3] + …
    // Comparisons of floats, which give ~0 or 0.
    Less,
    LessEqual,
    Equal,
    NotEqual,
    NotZero,
    BelowZero,
    // Words.
    SelectBelowZero,  ///< CMP
    SelectAnyBit,     ///< UCMP
    AddWords,
    MultiplyWords,
    NegateWords,
    And,
    Or,
    Xor,
    Not,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    SameWords,
    LessSigned,
    LessUnsigned,
    AnyBit,
    ToInt,
    ToUint,
    FloorToInt,
    FromInt,
    FromUint,
    Word,    ///< `word` applied to the operands' words
    Float,   ///< `function` applied to the operands' Values
    Lookup,  ///< tables[table] at from[0]
};

/// The location of an operand: at + (lane & mask). The mask of a uniform is 0.
struct Source {
    uint32_t at = 0;
    uint32_t mask = ~0u;
    bool is_uniform() const { return mask == 0; }
    bool operator==(const Source&) const = default;
};

/// What a column holds if there are bounds.
enum class Holds : uint32_t {
    Words,         ///< a word in every lane: only the first plane is valid
    UsualNumbers,  ///< the same, and all words are zeros or normal numbers
    Ends,          ///< three planes
};
/// The position of a column's Holds, in words from its start.
inline constexpr uint32_t kHolds = 3 * kLanes;
inline Holds held_by(const uint32_t* column) {
    return static_cast<Holds>(column[kHolds]);
}
inline void set_holds(uint32_t* column, Holds holds) {
    column[kHolds] = static_cast<uint32_t>(holds);
}
/// Returns the distance of a column's planes; if it holds words, all planes are the first one.
inline uint32_t plane_of(const uint32_t* column) {
    return held_by(column) == Holds::Ends ? kLanes : 0;
}

using WordFunction = uint32_t (*)(const uint32_t* words);
using FloatFunction = Value (*)(const Context& c, const Value* values);

struct Step {
    Action action{};
    uint8_t operands = 0;
    uint8_t terms = 0;
    bool keeps = false;     ///< writes a register: lanes that do not execute it keep their values
    bool contract = false;  ///< products may be fused into sums
    uint32_t to = 0;
    uint32_t table = 0;   ///< Lookup
    uint32_t offset = 0;  ///< Lookup: added to the index
    uint32_t origin = 0;  ///< origin_of() of results that it cannot determine
    WordFunction word = nullptr;
    FloatFunction function = nullptr;
    std::array<Source, 8> from{};
};

/// One component of a file that is the same in all lanes, by index. Out of range it is 0.
struct Table {
    std::vector<uint32_t> words;      ///< the last one is 0, for indices out of range
    std::vector<uint32_t> undecided;  ///< by word: ~0 if it may be the word or 0 (a constant between two declared
                                      ///< ranges)
    bool any_undecided = false;
};

struct Flow {
    enum class Kind : uint8_t { Run, If, Else, EndIf, Loop, EndLoop, Break, Continue, Return, Kill, End };
    Kind kind{};
    bool conditional = false;       ///< Break, Kill: only for lanes in which `condition` holds
    bool last = false;              ///< Return: it ends the program for all lanes that reach it
    uint32_t condition = 0;         ///< a column of ~0 or 0
    uint32_t partner = 0;           ///< If: the Else or EndIf; Else: the EndIf; EndLoop: the Loop; Loop: the EndLoop
    uint32_t first = 0, count = 0;  ///< Run: steps
    uint32_t instructions = 0;      ///< number of the text's instructions
};

/// A register component that is filled or read outside of the code.
struct Port {
    int32_t index = 0;
    uint8_t component = 0;
    uint32_t column = 0;  ///< in words from the start of the block
};

struct Code {
    Context context;
    bool bounds = false;
    std::vector<Step> steps;
    std::vector<Flow> flow;
    std::vector<Table> tables;
    std::vector<Port> inputs, system_values, outputs;
    std::vector<uint32_t> zeroed;    ///< columns that are read, or partly written, before they are written
    std::vector<uint32_t> uniforms;  ///< words
    uint32_t uniforms_at = 0;        ///< in words from the start of the block
    uint32_t spare = 0;              ///< a column for results on their way to a masked write
    uint32_t bad = 0;                ///< one plane: ~0 in lanes whose result the current step cannot determine
    uint32_t mask = 0;               ///< one plane: ~0 in lanes that execute
    uint32_t words = 0;              ///< words of a block
    /// Returns the size of a column. Columns with bounds are aligned for vectors.
    uint32_t column_words() const { return bounds ? kHolds + 16 : kLanes; }
};

}  // namespace tgsi2spv::reference::columns

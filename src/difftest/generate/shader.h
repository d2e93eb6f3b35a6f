// A program that is being written: its text so far, its registers and what they hold. Internal to this folder.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "difftest/generate/generate.h"
#include "difftest/generate/value.h"
#include "difftest/random.h"

namespace tgsi2spv::difftest::generate {

using Values = std::array<Value, 4>;

/// A register, or all registers of an array that is addressed indirectly: they hold the same kinds.
struct Register {
    std::string file;  ///< "TEMP", "IN[0]" with a vertex, "CONST[1]" with a buffer
    int index = 0;
    int count = 1;  ///< above 1: an array
    int array_id = 0;
    bool writable = false;
    int owner = -1;  ///< the subroutine that alone may write it; -1: main
};

/// By register. Kept and joined where flow parts and meets.
using State = std::vector<Values>;

struct Immediate {
    Kind kind{};  ///< Float, Int, Double, Long
    std::array<uint32_t, 4> words{};
    int used = 0;  ///< words
};

/// A construct that is open.
struct Loop {
    bool is_switch = false;
    bool uniform = false;      ///< all lanes leave it together
    bool no_continue = false;  ///< a CONT would pass by the test
    bool left = false;         ///< some BRK is there
    State exit;                ///< joined over every BRK
};

/// What stands behind a SAMP, with its view.
struct Texture {
    tgsi::Target target{};
    tgsi::ReturnType type = tgsi::ReturnType::Float;
    bool resource = false;  ///< the view is RES
    bool twin = false;      ///< the next one is like it, and an index may choose
};

struct Subroutine {
    std::vector<int> parameters;  ///< registers that a caller fills
    std::vector<std::string> code;
    State exit;
};

struct Shader {
    Shader(uint64_t seed, const GenerateOptions& o) : random(seed), options(o) {}

    /// Draws, and all that writes, are statements of their own: which argument is evaluated first is the compiler's.
    Random random;
    GenerateOptions options;
    tgsi::Stage stage{};
    tgsi::Opcode featured{};

    std::vector<std::string> properties, declarations;
    std::vector<Immediate> immediates;
    std::vector<std::string> code;

    std::vector<Register> registers;
    State state;
    std::vector<State> heads;  ///< what must still hold where a loop's or a subroutine's text begins again
    std::vector<Loop> loops;
    bool ended = false;   ///< nothing reaches this place
    bool uniform = true;  ///< all lanes are here
    int depth = 0;        ///< of constructs
    uint32_t turns = 1;   ///< of the loops around, multiplied
    int subroutine = -1;  ///< whose text is written
    std::vector<Subroutine> subroutines;
    State returns;  ///< of the subroutine, where it has `returned`
    bool returned = false, may_return = false, may_kill = false;
    int temps = 0;                        ///< declared
    std::vector<std::string> raw_floats;  ///< operands with any bits at all, read as floats: `IN[1].yyyy`
    bool featured_done = false;
    std::vector<Texture> textures;                      ///< by SAMP and SVIEW
    std::optional<tgsi::Opcode> shared_atomic;          ///< what changes the words that all lanes share
    std::array<std::vector<int>, 2> outputs_of_stream;  ///< GEOM
    bool two_streams = false, emitted_before = false;
    int patch_vertices = 0;                    ///< TESS_CTRL
    bool exchanged = false;                    ///< TESS_CTRL: OUT[v][3] has been handed over
    int constant_input = -1;                   ///< FRAG: an input of integers that is not interpolated
    std::optional<tgsi::Opcode> image_way;     ///< how image 0 is written: STORE, or IMG2HND first
    size_t image_format = 0;                   ///< of memory.cpp
    size_t written_image = 0, read_image = 0;  ///< targets, of memory.cpp
    bool by_name = false;                      ///< RLOCAL and its like, where MEMORY would do
    int vertices = 0;                          ///< stages with inputs of several: those that are always there
    bool wide = false;                         ///< has opcodes of 64 bits
    /// What would be lost goes into this register (`show`); a register to take signs away in.
    int witness = -1, scratch = -1;
    bool shows_all = false;                     ///< not only what would be lost, but all that instructions give
    std::vector<std::array<bool, 4>> unread{};  ///< by register: nothing has been made of the component
    std::vector<std::pair<int, int>> read{};    ///< components that sources were taken from, since somebody looked
    bool left_early = false;                    ///< main has an end before its end: all outputs are written in both
    int group = 8, lanes = 64;                  ///< COMP: invocations of a work group, and of all; lanes else, at most
    int lane_register = -1;                     ///< x the lane, y its address in buffers; -1: not known

    bool chance(uint32_t one_in) { return random.below(one_in) == 0; }
    template <class T>
    const T& any_of(const std::vector<T>& list) {
        return list[random.below(list.size())];
    }
};

/// One written line; where it stands in `code` is its number for labels.
void emit(Shader& s, std::string line);
/// What a load gave in a loop that lanes leave apart is lost behind it (README, lavapipe and SwiftShader).
bool may_load(const Shader& s);
inline bool is_fragment(const Shader& s) {
    return s.stage == tgsi::Stage::Fragment;
}

/// Operands of literals: `IMM[2].yyyy`, or for pairs `IMM[3].zwzw`.
std::string imm_float(Shader& s, double value);
std::string imm_float_bits(Shader& s, uint32_t word);
std::string imm_int(Shader& s, uint32_t word);
std::string imm_double(Shader& s, double value);
std::string imm_long(Shader& s, uint64_t value);

/// A TEMP that nothing uses yet.
int fresh_temp(Shader& s);
int add_register(Shader& s, std::string file, int index, bool writable, const Values& values);
std::string name(const Shader& s, int reg);

// ---- reading

/// An operand and what each of the components that are read holds.
struct Source {
    std::string text;
    Values values{};
};
/// Components of one register by a swizzle; those in `mask` answer the need. Instructions may be written before it.
Source source(Shader& s, const Need& need, uint8_t mask);
/// Of a pair of components: xy by the swizzle's first two letters, zw by the others.
Source pair_source(Shader& s, const Need& need, uint8_t mask);
/// `IN[1].zzzz`
Source scalar(Shader& s, const Need& need);
/// An integer of at least so many values as are asked for, or of some.
Source many_valued(Shader& s, uint32_t most);
/// A word that holds `v`, cut to [0, most], most one less than a power of two.
void mask_bits(Shader& s, const std::string& to, const std::string& from, const Value& v, uint32_t most);

/// A component that selects one of `count`, or none. `beyond` also knows some that select nothing: see `reference`.
std::string selector(Shader& s, int count, bool beyond = false);
/// `TEMP[3]`; of an array any element, by number or behind an index, which may miss it (0 is read, nothing written);
/// of an input of several vertices any vertex.
std::string reference(Shader& s, int reg);

// ---- writing

/// What follows, up to an ENDIF, happens only in lanes that may be killed: some are left, to show something.
void begin_spare(Shader& s);

/// Where an instruction writes: a register and a mask that is never empty.
struct Dest {
    int reg = 0;
    uint8_t mask = 0;
    std::string text(const Shader& s) const;
};
bool may_write(const Shader& s, int reg, int component, const Value& v);
/// A register that may take these values in some of the components of `mask`; what it may not take is taken away.
Dest dest(Shader& s, uint8_t mask, const Values& values);
/// The state behind the instruction.
void written(Shader& s, const Dest& d, const Values& values);
std::string mask_text(uint8_t mask);
void write_component(Shader& s, int reg, int component, const Value& v);

// ---- showing

/// Makes the witness depend on the components, where the judge will know them to the word; else does nothing.
void show(Shader& s, int reg, uint8_t mask);
/// The same of any operand that holds `values`.
void show_components(Shader& s, const std::string& from, const Values& values, uint8_t mask);
/// All that nothing was made of and that is lost where this way meets one on which registers hold `other`.
void show_lost(Shader& s, const State& other);

// ---- statements

/// An instruction of the table, with sources that suit it; false: it needs what its own file writes.
bool plain_instruction(Shader& s, tgsi::Opcode op);
bool texture_instruction(Shader& s, tgsi::Opcode op);
bool memory_instruction(Shader& s, tgsi::Opcode op);
bool special_instruction(Shader& s, tgsi::Opcode op);
/// `IMM[1].xxx`: offsets of a texel or two
std::string offset(Shader& s);
/// Arrays that an index selects from: TEMP, TEMPX, IMMX.
void begin_arrays(Shader& s);
/// To an element of an array that can be written, where there is one.
bool store_to_array(Shader& s);
/// On operands of any bits at all and literals at the edges of floats: what comes of them is only shown.
bool edge_instruction(Shader& s);
void statement(Shader& s);
void statements(Shader& s, int count);

// ---- the text

/// As it stands: what is not closed is left so.
std::string text_of(const Shader& s);
/// Components that instructions of the text so far write and that tell nothing: no lane comes there, or it is the same
/// word in all lanes of some input sets, or the same as in another component. Literals may be.
size_t idle_components(const Shader& s);

/// A construct, by a number below kConstructs.
inline constexpr uint32_t kConstructs = 9;
void flow(Shader& s, uint32_t construct);
bool flow_instruction(Shader& s, tgsi::Opcode op);
void write_subroutines(Shader& s);

/// A word that is zero in some lanes and not in others, for UIF.
Source condition(Shader& s);

/// What was read of late is now known: a way was chosen by it. Behind the construct that is as it was before.
void ask(Shader& s);
void forget(Shader& s, const State& before);

State join(const State& a, const State& b);

/// Declarations, registers that come from outside, and at the end what is left in registers to where it can be seen.
void begin_stage(Shader& s);
void end_stage(Shader& s);
/// Where main ends before its end: what was computed until then.
void show_early(Shader& s);

// ---- GEOM and TESS_*

bool is_primitive_stage(const Shader& s);
void begin_primitives(Shader& s);
/// EMIT, ENDPRIM; the BARRIER of TESS_CTRL.
bool primitive_instruction(Shader& s, tgsi::Opcode op);
/// A register with a value in every component: what has none shows another one's.
std::string whole(const Shader& s, int reg);
void end_geometry(Shader& s, const std::vector<int>& results);
void end_control(Shader& s, const std::vector<int>& results);

}  // namespace tgsi2spv::difftest::generate

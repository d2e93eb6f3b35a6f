// A program under construction: its text so far, its registers and their contents. Internal to this folder.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generate/generate.h"
#include "generate/value.h"
#include "inputs/random.h"

namespace tgsi2spv::difftest::generate {

using Values = std::array<Value, 4>;

/// A register, or all registers of an array that is addressed indirectly, which hold the same kinds.
struct Register {
    std::string file;  ///< "TEMP", "IN[0]" with a vertex, "CONST[1]" with a buffer
    int index = 0;
    int count = 1;  ///< above 1: an array
    int array_id = 0;
    bool writable = false;
    int owner = -1;  ///< the only subroutine that may write it; -1: main
};

/// Values by register. Saved where flow splits, and joined where it merges.
using State = std::vector<Values>;

struct Immediate {
    Kind kind{};  ///< Float, Int, Double, Long
    std::array<uint32_t, 4> words{};
    int used = 0;  ///< words
};

/// An open construct.
struct Loop {
    bool is_switch = false;
    bool uniform = false;      ///< all lanes leave it together
    bool no_continue = false;  ///< a CONT would skip the test
    bool left = false;         ///< it has a BRK
    State exit;                ///< join of the states at every BRK
};

/// The texture of a SAMP, with its view.
struct GeneratedTexture {
    tgsi::Target target{};
    tgsi::ReturnType type = tgsi::ReturnType::Float;
    bool resource = false;  ///< the view is RES
    bool twin = false;      ///< the next texture is like it, and an index may choose between them
};

struct Subroutine {
    std::vector<int> parameters;  ///< registers that the caller sets
    std::vector<std::string> code;
    State exit;
    bool kills = false;  ///< every lane that calls it
};

/// The formats of images in memory.cpp: all, and the first ones, which include those with atomics.
inline constexpr uint32_t kImageFormats = 14, kFirstImageFormats = 6;

/// The text so far, and the state on which the next line may depend. Many members: the next statement may depend on
/// everything emitted so far.
struct Shader {
    Shader(uint64_t seed, const GenerateOptions& o) : random(seed), options(o) {}

    /// Random draws, and all other calls that change the shader, must be separate statements: the order in which
    /// arguments are evaluated depends on the compiler.
    Random random;
    GenerateOptions options;
    tgsi::Stage stage{};
    tgsi::Opcode featured{};

    std::vector<std::string> properties, declarations;
    std::vector<Immediate> immediates;
    std::vector<std::string> code;

    std::vector<Register> registers;
    State state;
    std::vector<State> heads;  ///< the state that must still hold where the text of a loop or subroutine starts again
    std::vector<Loop> loops;
    bool ended = false;   ///< this point is unreachable
    bool uniform = true;  ///< all lanes are active
    int depth = 0;        ///< nesting depth of constructs
    uint32_t turns = 1;   ///< product of the iterations of the enclosing loops
    int subroutine = -1;  ///< the subroutine being written; -1: main
    std::vector<Subroutine> subroutines;
    State returns;  ///< join of the subroutine's states at RET, if it has `returned`
    bool returned = false, may_return = false, may_kill = false;
    int temps = 0;                        ///< number of declared TEMPs
    std::vector<std::string> raw_floats;  ///< operands with arbitrary bits, read as floats: `IN[1].yyyy`
    bool featured_done = false;
    std::vector<GeneratedTexture> textures;             ///< textures of SAMP and SVIEW, by index
    std::optional<tgsi::Opcode> shared_atomic;          ///< the atomic that changes the words shared by all lanes
    std::array<std::vector<int>, 2> outputs_of_stream;  ///< GEOM
    bool two_streams = false, emitted_before = false;
    int patch_vertices = 0;                    ///< TESS_CTRL
    bool exchanged = false;                    ///< TESS_CTRL: OUT[v][3] has been exchanged
    int constant_input = -1;                   ///< FRAG: an integer input without interpolation
    std::optional<tgsi::Opcode> image_way;     ///< the way to write image 0: STORE, or IMG2HND and STORE
    size_t image_format = 0;                   ///< index in memory.cpp, below kImageFormats
    size_t written_image = 0, read_image = 0;  ///< indices of targets in memory.cpp
    bool by_name = false;                      ///< use RLOCAL and the like instead of MEMORY
    int vertices = 0;                          ///< stages with per-vertex inputs: the number of vertices that always
                                               ///< exist
    bool wide = false;                         ///< may have 64-bit opcodes
    /// Values that would be lost are added to the witness register (`show`). The scratch register is for removing signs
    /// of zero.
    int witness = -1, scratch = -1;
    bool shows_all = false;                     ///< show all results of instructions, not only those that would be lost
    bool nests_calls = false;                   ///< and calls of subroutines in them
    bool nests = false;                         ///< mostly constructs in constructs, with few statements each
    std::vector<std::array<bool, 4>> unread{};  ///< components of each register that nothing has read yet
    std::vector<std::pair<int, int>> read{};    ///< components recently read as sources; cleared by code that needs to
                                                ///< know them
    bool left_early = false;                    ///< main has an early exit: all outputs are written at both exits
    int group = 8, lanes = 64;                  ///< COMP: invocations of a work group, and in total; other stages: the
                                                ///< maximum number of lanes
    int lane_register = -1;                     ///< x is the lane, y its address in buffers; -1: unknown

    bool chance(uint32_t one_in) { return random.below(one_in) == 0; }
    template <class T>
    const T& any_of(const std::vector<T>& list) {
        return list[random.below(list.size())];
    }
};

/// Appends a line. Its index in `code` is its number for labels.
void emit(Shader& shader, std::string line);
/// Whether loads are allowed here. The result of a load in a loop that lanes leave at different times is lost after the
/// loop (driver-bugs.md, lavapipe and SwiftShader).
bool may_load(const Shader& shader);
inline bool is_fragment(const Shader& shader) {
    return shader.stage == tgsi::Stage::Fragment;
}

/// Returns operands of literals: `IMM[2].yyyy`, or for pairs `IMM[3].zwzw`.
std::string imm_float(Shader& shader, double value);
std::string imm_float_bits(Shader& shader, uint32_t word);
std::string imm_int(Shader& shader, uint32_t word);
std::string imm_double(Shader& shader, double value);
std::string imm_long(Shader& shader, uint64_t value);

/// Adds an unused TEMP.
int fresh_temp(Shader& shader);
int add_register(Shader& shader, std::string file, int index, bool writable, const Values& values);
std::string name(const Shader& shader, int reg);

// ---- reading

/// An operand, and the values of the components that are read.
struct Source {
    std::string text;
    Values values{};
};
/// Returns components of one register with a swizzle; those in `mask` satisfy the need. May emit instructions that
/// compute them.
Source source(Shader& shader, const Need& need, uint8_t mask);
/// As source(), for pairs: xy from the swizzle's first two letters, zw from the others.
Source pair_source(Shader& shader, const Need& need, uint8_t mask);
/// Returns one component, replicated: `IN[1].zzzz`.
Source scalar(Shader& shader, const Need& need);
/// Returns an integer with enough values for the range [0, most] if there is one, otherwise any integer.
Source many_valued(Shader& shader, uint32_t most);
/// Sets `to` to `from`, which holds `v`, masked to [0, most]; `most` is one less than a power of two.
void mask_bits(Shader& shader, const std::string& to, const std::string& from, const Value& v, uint32_t most);

/// Returns a component that selects one of `count`, or an empty string. If `beyond`, it may also be out of range: see
/// `reference`.
std::string selector(Shader& shader, int count, bool beyond = false);
/// Returns `TEMP[3]`. For an array, an element selected by number or by an index, which may be out of range (reads give
/// 0, writes are dropped). For an input with several vertices, any vertex.
std::string reference(Shader& shader, int reg);

// ---- writing

/// Opens an IF, up to its ENDIF, for lanes that may be killed: other lanes are spared, so that something is shown.
void begin_spare(Shader& shader);

/// The destination of an instruction: a register and a mask that is never empty.
struct Dest {
    int reg = 0;
    uint8_t mask = 0;
    std::string text(const Shader& shader) const;
};
bool may_write(const Shader& shader, int reg, int component, const Value& v);
/// Returns a register that may hold these values in some of the components of `mask`; the mask is reduced to these.
Dest dest(Shader& shader, uint8_t mask, const Values& values);
/// Updates the state after an instruction.
void written(Shader& shader, const Dest& dest, const Values& values);
std::string mask_text(uint8_t mask);
void write_component(Shader& shader, int reg, int component, const Value& v);

// ---- showing

/// Adds the components to the witness, if the judge will know them to the word; otherwise does nothing.
void show(Shader& shader, int reg, uint8_t mask);
/// The same for any operand that holds `values`.
void show_components(Shader& shader, const std::string& from, const Values& values, uint8_t mask);
/// Shows everything that nothing has read and that is lost where this path merges with one on which registers hold
/// `other`.
void show_lost(Shader& shader, const State& other);

// ---- statements

/// Emits an instruction that has a rule, with suitable sources. These return false if they cannot emit one.
bool plain_instruction(Shader& shader, tgsi::Opcode op);
bool texture_instruction(Shader& shader, tgsi::Opcode op);
bool memory_instruction(Shader& shader, tgsi::Opcode op);
bool special_instruction(Shader& shader, tgsi::Opcode op);
/// Returns a texture offset of up to two texels: `IMM[1].xxx`.
std::string offset(Shader& shader);
/// Declares arrays that an index selects from: TEMP, TEMPX, IMMX.
void begin_arrays(Shader& shader);
/// Stores to an element of a writable array, if there is one.
bool store_to_array(Shader& shader);
/// Emits an instruction on operands with arbitrary bits and on literals at the edges of floats. Its result is only
/// shown.
bool edge_instruction(Shader& shader);
void statement(Shader& shader);
void statements(Shader& shader, int count);

// ---- the text

/// Returns the current text, without closing open constructs.
std::string text_of(const Shader& shader);
/// Returns the number of components that instructions of the current text write and that test nothing: no lane reaches
/// them, or they are the same word in all lanes, or the same as another component. Instructions on literals do not
/// count.
size_t idle_components(const Shader& shader);

/// Emits a construct, selected by a number below kConstructs.
inline constexpr uint32_t kConstructs = 11;
void flow(Shader& shader, uint32_t construct);
bool flow_instruction(Shader& shader, tgsi::Opcode op);
inline constexpr int kMaxDepth = 4;  ///< most nested constructs
inline int max_depth(const Shader& shader) {
    return shader.nests ? kMaxDepth + 2 : kMaxDepth;
}
/// Draws the number of statements in a construct.
inline int body(Shader& shader) {
    return 1 + static_cast<int>(shader.random.below(shader.nests ? 2 : 4));
}

/// Calls a subroutine, of which there may be none yet, in lanes that satisfy a condition or in all (subroutines.cpp).
void call(Shader& shader, bool conditional);
/// Writes all after main, and their places into the calls.
void write_subroutines(Shader& shader);

/// Emits a loop whose values nothing reads, with so many registers and exits that lowering looks for unneeded values in
/// the whole text, and skips this loop (exits.cpp).
void unneeded_loop(Shader& shader);
/// Emits a RET of all lanes after everything else, perhaps with text after it (exits.cpp).
void return_at_end(Shader& shader);

/// Returns a word for UIF that is zero in some lanes and not in others.
Source condition(Shader& shader);

/// Sets PRED to whether a word is not zero, and returns the predicate that goes before an instruction (special.cpp).
std::string under(Shader& shader, const std::string& word);

/// Marks the components read recently as decided by a branch. After the construct, forget() restores the marks of
/// `before`.
void ask(Shader& shader);
void forget(Shader& shader, const State& before);

State join(const State& a, const State& b);

/// begin_stage() declares registers and inputs; end_stage() moves the contents of registers to where they can be seen.
void begin_stage(Shader& shader);
void end_stage(Shader& shader);
/// Writes the results so far before an early exit of main.
void show_early(Shader& shader);

// ---- GEOM and TESS_*

bool is_primitive_stage(const Shader& shader);
void begin_primitives(Shader& shader);
/// Emits EMIT or ENDPRIM, or the BARRIER of TESS_CTRL.
bool primitive_instruction(Shader& shader, tgsi::Opcode op);
/// Returns a register as a source with a value in every component: components without a value show another one.
std::string whole(const Shader& shader, int reg);
void end_geometry(Shader& shader, const std::vector<int>& results);
void end_control(Shader& shader, const std::vector<int>& results);

}  // namespace tgsi2spv::difftest::generate

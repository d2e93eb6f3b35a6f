// The state of one conversion: where each register component is, which constructs are open, what was loaded.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "lower/lower.h"
#include "lower/operation.h"
#include "lower/plan.h"

namespace tgsi2spv::lower {

/// PUSHA and POPA: entries per lane.
inline constexpr uint32_t kStackEntries = 8;

/// Where a register component is: a component of an SSA value.
using Ref = ir::Component;

/// An edge into a merge block: the values of the registers that the construct writes, in the order of its writes.
struct Edge {
    ir::BlockId block = 0;
    uint32_t values = 0;  ///< in Workspace::edge_values
    uint32_t next = kNoIndex;
};
struct EdgeList {
    uint32_t first = kNoIndex, last = kNoIndex, count = 0;
};

/// An open construct.
struct Frame {
    uint32_t construct = 0;
    uint32_t outer_region = 0;
    ir::BlockId merge = 0;
    ir::BlockId other = 0;           ///< If: the ELSE block; Loop: the continue block
    ir::BlockId header = 0;          ///< Loop, Switch
    uint32_t next_label = kNoIndex;  ///< Switch: the next label in the text
    ir::Value counter = ir::kNone;   ///< Loop with a guard
    EdgeList merge_edges{}, continue_edges{};
};

/// What the walk keeps for each entry of Plan::writes.
struct Join {
    ir::Scalar merge = ir::Scalar::Void;  ///< type of the merge block's phi, from the first edge that is not constant
    ir::Scalar other = ir::Scalar::Void;  ///< the same for the continue block, or for a case
    ir::Value entry = ir::kNone;          ///< Loop: the header's phi; Switch: the value at its header
    std::array<Ref, 4> saved;             ///< the components on entry to the construct
};

/// Registers that live in memory, in an array variable of f32 x4.
struct Segment {
    uint32_t first = 0;  ///< slot (or register) of element 0
    uint32_t count = 0;
    uint32_t variable = kNoIndex;
    bool padded = false;  ///< one extra element takes out-of-range writes
};

/// A value from a load or computation, and the region of the structured flow where it can be used again.
struct Cached {
    ir::Value value = ir::kNone;
    uint32_t region = 0;
};

/// The last test of whether an index is within the declared registers of a file.
struct RangeTest {
    ir::Value index = ir::kNone;
    tgsi::File file{};
    int32_t dim = 0;
    Cached inside{};
};

/// The registers of a file that are values, or may be: four cells each.
struct FileCells {
    Ref* cells = nullptr;
    uint32_t count = 0;
    const uint32_t* segment_of = nullptr;  ///< by register, for files that are written: kNoIndex: a value
};

/// From the first to the last IMAGE register declared BUFFER, or from the first to the last of the others.
struct ImageSpan {
    int32_t first = 0, last = -1;
    bool known = false;
};

/// A storage buffer viewed as floats, and the variable that views it as words.
struct FloatBuffer {
    uint32_t words = 0, floats = 0;
};

/// A descriptor variable made for an operand: see resources.cpp.
struct Descriptor {
    uint32_t variable = 0;
    uint32_t next = kNoIndex;
    tgsi::File file = tgsi::File::Buffer;
};

/// Part of a GEOM varying whose components go to several streams: components first .. first + count − 1.
struct StreamPart {
    uint32_t reg = 0;
    uint32_t variable = 0;
    uint8_t first = 0, count = 0;
};

struct Workspace {
    using Indices = ir::Array<uint32_t>;
    explicit Workspace(std::pmr::memory_resource* from) : memory(from) {}

    std::pmr::memory_resource* const memory;  ///< for the workspace and everything below
    ir::Builder builder{memory};
    Plan plan{memory};
    std::pmr::vector<Ref> cells{memory};  ///< by slot and component
    /// By IMM register and component: the constant as u32 and as f32, once it has been read.
    std::pmr::vector<std::array<ir::Value, 2>> immediates{memory};
    std::pmr::vector<Ref> inputs{memory}, systems{memory};  ///< by register and component, for the open function
    std::pmr::vector<uint32_t> segment_of{memory};          ///< by slot; kNoIndex: SSA
    std::pmr::vector<Segment> segments{memory};
    std::pmr::vector<Frame> frames{memory};
    std::pmr::vector<Join> joins{memory};
    std::pmr::vector<Edge> edges{memory};
    std::pmr::vector<ir::Value> edge_values{memory};
    std::pmr::vector<ir::Incoming> incoming{memory};
    std::pmr::vector<ir::SwitchCase> cases{memory};
    std::pmr::vector<ir::Value> case_operands{memory};
    std::pmr::vector<ir::BlockId> label_blocks{memory};  ///< by Plan::labels
    std::pmr::vector<std::pair<uint32_t, uint32_t>> literals{memory};
    std::pmr::vector<uint8_t> region_open{memory};
    RangeTest range_tests[8];
    std::pmr::vector<uint32_t> const_base{memory};    ///< by constant buffer: its first place in `consts`
    std::pmr::vector<uint32_t> const_counts{memory};  ///< and its number of elements: Registers::count
    std::pmr::vector<Cached> consts{memory};
    std::pmr::vector<uint32_t> const_variables{memory}, input_variables{memory}, output_variables{memory};
    std::pmr::vector<uint32_t> output_before{memory};  ///< by OUT register: an earlier one with the same variable
    std::pmr::vector<uint8_t> output_joined{memory};   ///< and whether a later one stores its value
    std::array<Indices, 5> descriptors_of{Indices(memory), Indices(memory), Indices(memory), Indices(memory),
                                          Indices(memory)};
    std::pmr::vector<Descriptor> descriptors{memory};
    std::pmr::vector<FloatBuffer> float_buffers{memory};
    std::pmr::vector<uint32_t> memory_objects{memory};  ///< variables: buffers and images
    uint32_t emit_functions[4] = {};                    ///< GEOM, by stream: Plan::emit_functions
    uint32_t attachments[8] = {};                       ///< FBFETCH: by colour
    std::pmr::vector<StreamPart> stream_parts{memory};
    std::pmr::vector<uint32_t> candidates{memory};  ///< interface registers that an index may select
    std::pmr::vector<std::pair<uint32_t, uint32_t>> memory_variables{memory};  ///< MEMORY register, variable
    std::pmr::vector<uint32_t> system_slots{memory};  ///< by SV register: its slot of the input buffer (io=buffers)
    std::pmr::vector<uint32_t> ir_functions{memory};
    // branches.cpp: for the current function.
    std::pmr::vector<uint32_t> pieces{memory}, open_flat{memory};
    std::pmr::vector<std::pair<ir::Value, uint32_t>> flat_cases{memory};
    sampling::Views views{memory};
};

struct Walk {
    const tgsi::Program& program;
    const tgsi::Registers& registers;
    const Options& options;
    const Capabilities& capabilities;
    Workspace& m;
    ir::Builder& b;
    const Plan& plan;
    std::vector<tgsi::Diagnostic>& diagnostics;
    std::span<const sampling::Message> messages{};  ///< by instruction, for a carrier

    bool ok = true;
    bool reachable = true;
    bool legacy_math = false;
    bool in_main = true;
    uint32_t push_variable = kNoIndex, push_words = 0;
    size_t operations_before = 0;  ///< instructions made in completed functions
    uint32_t next_construct = 0;
    uint32_t position = 0;      ///< of the instruction, in the text
    bool float_result = false;  ///< whether the instruction's result is float: what PRED keeps of it
    uint32_t warnings = 0;
    bool warned_of_view = false, warned_of_comparison = false;
    const tgsi::Instruction* predicate = nullptr;  ///< the instruction, if PRED says where it writes its destinations
    const Ref* predicate_words = nullptr;          ///< PRED's xyzw, if it may have been written since
    uint32_t region = 0;
    uint32_t helper_variable = kNoIndex;  ///< HELPER_INVOCATION, for subroutines
    uint32_t clip_variable = kNoIndex, cull_variable = kNoIndex, point_size_variable = kNoIndex;
    uint32_t num_clip = 0, num_cull = 0;
    // For Options::state: the OUT register tested against the user planes, their number, BCOLOR's variables.
    uint32_t clip_source = kNoIndex, num_planes = 0, back_colors[2] = {kNoIndex, kNoIndex};
    uint32_t stipple_variable = kNoIndex;  ///< State::line_stipple
    uint32_t state_variable = kNoIndex, sample_mask_variable = kNoIndex;
    uint32_t clip_in_variable = kNoIndex, cull_in_variable = kNoIndex;  ///< for IN[v][i]
    uint32_t num_clip_in = 0, num_cull_in = 0;
    ImageSpan image_spans[2]{};    ///< for images, for texel buffers
    uint32_t all_targets[8] = {};  ///< FS_COLOR0_WRITES_ALL_CBUFS: copies of COLOR
    Segment input_array{}, system_array{}, immediate_array{}, immediate_rows_array{};  ///< copies for indirect reads
    uint32_t builtin_variables[64] = {};  ///< by ir::BuiltIn: variable + 1, for inputs
    uint32_t io_variables[3] = {kNoIndex, kNoIndex, kNoIndex};
    uint32_t io_levels = kNoIndex;  ///< TESS_CTRL: the outer levels that discard its patches
    uint32_t io_input_slots = 0, io_output_slots = 0;
    Segment temp_arrays{};                                       ///< TEMPX
    uint32_t temp_array_length = 0;                              ///< elements in each
    uint32_t stack_variable = kNoIndex, stack_depth = kNoIndex;  ///< PUSHA, POPA
    /// For the open function: bool, lane number, first word of its inputs.
    ir::Value io_inside = ir::kNone, io_lane = ir::kNone, io_input_base = ir::kNone;
    ir::Value io_output_base = ir::kNone;    ///< first word of its outputs: GEOM, TESS_CTRL
    ir::Value opaque_zero = ir::kNone;       ///< likewise; kNone without Workarounds::opaque_immediates
    FileCells files[tgsi::kFileCount] = {};  ///< empty for files that are read and written in other ways
};

/// What an access of this class does when it is out of range.
inline OutOfRange policy(const Options& options, OutOfRange Bounds::*access) {
    return options.trust_indices ? OutOfRange::Trust : options.bounds.*access;
}

/// Adds an error at a byte offset; the walk ends. This and all functions that refuse are cold, so that the compiler
/// keeps the message code out of the way.
[[gnu::cold]] void fail(Walk& w, std::string_view code, uint32_t position, std::string_view message);
/// Adds a warning; the walk goes on.
[[gnu::cold]] void warn(Walk& w, std::string_view code, uint32_t position, std::string_view message);

// ---- values (values.cpp)
/// Combines the components into one value of `scalar` (Void: the type of the first component that is not constant).
ir::Value gather(Walk& w, std::span<const Ref> refs, ir::Scalar scalar);

// ---- registers (registers.cpp)
void prepare_registers(Walk& w);
/// Sets TEMP, ADDR and OUT to zero.
void clear_registers(Walk& w);
[[gnu::cold]] bool refuse_two_indices(Walk& w, const tgsi::Operand& operand);
/// The four cells of a register, if it is named directly and is a value; nullptr if more has to be done.
inline Ref* cells_of(Walk& w, const tgsi::Operand& o) {
    if (o.index_is_relative || o.dim_is_relative || o.has_dim) return nullptr;
    const FileCells& file = w.files[static_cast<size_t>(o.file)];
    const auto index = static_cast<uint32_t>(o.index);
    if (index >= file.count) return nullptr;
    if (file.segment_of != nullptr && file.segment_of[index] != kNoIndex) return nullptr;
    return file.cells + size_t{4} * index;
}
/// The same for a register that the instruction writes unconditionally, so that its cells can simply be set.
inline Ref* written_cells(Walk& w, const tgsi::Operand& o) {
    const bool plain = w.files[static_cast<size_t>(o.file)].segment_of != nullptr && o.file != tgsi::File::Predicate;
    return plain && w.predicate == nullptr ? cells_of(w, o) : nullptr;
}
/// Reads components `comps` of a register of any file, unswizzled; false after an error.
bool read(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// The same through the operand's swizzle: what its components `comps` select. Modifiers are not applied.
bool read_swizzled(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Writes refs[k] to the k-th component in `mask`.
bool write(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
Ref constant_ref(Walk& w, uint32_t bits);
/// A component of IMM[index] as a scalar (`scalar`: U32 or F32), for uses that need not be opaque.
ir::Value known_immediate(Walk& w, size_t index, int component, ir::Scalar scalar);
void read_slot(Walk& w, uint32_t slot, std::span<const uint8_t> comps, Ref* out);
void write_slot(Walk& w, uint32_t slot, uint8_t mask, const Ref* refs);
/// Stores refs[k] to the k-th component in `mask` of one element of an array in memory.
void store_memory(Walk& w, const Segment& segment, ir::Value element, uint8_t mask, const Ref* refs);

// ---- addressing (addressing.cpp)
/// TEMPX (temp_arrays.cpp).
void prepare_temp_arrays(Walk& w);
bool read_temp_array(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_temp_array(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// A per-lane array of f32 x4.
uint32_t array_variable(Walk& w, uint32_t elements, bool zeroed, std::string_view name);
/// The index of an indirect access, as u32.
ir::Value relative_index(Walk& w, const tgsi::Relative& relative, int32_t offset);
/// A bool: `index` is within the declared registers of the file. kNone if it always is, or if Options::bounds asks for
/// no test.
ir::Value in_range(Walk& w, tgsi::File file, int32_t dim, uint16_t array_id, ir::Value index);
bool read_indirect(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_indirect(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// Writes both destinations of an instruction; the first may be the register that indexes the second.
bool write_two(Walk& w, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
               const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs);

// ---- constant buffers (constants.cpp)
void prepare_constants(Walk& w);
bool read_constant(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Where the load of a vector is kept; nullptr for vectors that the text names only through an index.
inline Cached* kept_constant(Walk& w, int32_t dim, int32_t index) {
    const auto d = static_cast<size_t>(dim);
    if (d >= w.plan.const_counts.size() || index >= w.plan.const_counts[d]) return nullptr;
    return &w.m.consts[w.m.const_base[d] + static_cast<uint32_t>(index)];
}
/// The vector, if it was loaded before and that load can be used again; otherwise kNone.
inline ir::Value known_constant(const Walk& w, const Cached* kept) {
    return kept != nullptr && kept->value != ir::kNone && w.m.region_open[kept->region] ? kept->value : ir::kNone;
}
/// The same for a register that the operand names directly.
inline ir::Value known_constant(Walk& w, const tgsi::Operand& o) {
    if (o.file != tgsi::File::Const || o.index_is_relative || o.dim_is_relative) return ir::kNone;
    return known_constant(w, kept_constant(w, o.has_dim ? o.dim : 0, o.index));
}

/// The variable of constant buffer `dim`, as a whole, for use as a resource.
uint32_t constant_buffer(Walk& w, int32_t dim);

// ---- buffers (resources.cpp)
/// The storage buffer `index`, outside any array, for a file that shares its numbering with BUFFER (HWATOMIC, MEMORY).
/// `uses` are access:: bits.
uint32_t storage_buffer(Walk& w, tgsi::File file, uint32_t index, uint8_t uses);
/// The same storage buffer viewed as floats.
uint32_t as_floats(Walk& w, uint32_t words);
/// Marks which buffers and images may alias each other, once all are known.
void mark_aliases(Walk& w);

// ---- instructions (lower.cpp)
void lower_instruction(Walk& w, uint32_t pc);
/// Sets what is attached to everything emitted for an instruction: its place in the text, its precision.
Operation begin_instruction(Walk& w, const tgsi::Instruction& instruction);

// ---- flow (flow.cpp, joins.cpp)
void lower_flow(Operation& op);
/// The conditions of IF, IFC, UIF, and of BREAKC and CALLNZ, as bools.
ir::Value if_condition(Operation& op);
ir::Value bits_of_x(Operation& op);
/// RET, and the end of a function's text.
void lower_exit(Walk& w);
/// What main does before it returns.
void finish_invocation(Walk& w);
void enter_region(Walk& w);
void leave_region(Walk& w, uint32_t outer);
/// The target of an edge: a construct's merge block, or a loop's continue block.
enum class Way : uint8_t { Merge, Continue };
void add_edge(Walk& w, const Construct& c, EdgeList& list, Way way);
/// Starts `block`, and sets the registers to the values that the edges bring. No edge: the block is not reachable.
/// Registers that are not read from there on become 0.
void join(Walk& w, const Construct& c, const EdgeList& list, Way way, ir::BlockId block);
/// The written components of a register as one value, and the reverse.
ir::Value composed(Walk& w, const Write& write, ir::Scalar scalar);
void set_cells(Walk& w, const Write& write, ir::Value value);
inline bool is_plain_constant(Walk& w, ir::Value value) {
    return ir::is_constant(value) && w.b.constant(value).spec_id < 0;
}
void save(Walk& w, const Construct& c);
void restore(Walk& w, const Construct& c);

/// Per shader; the same number as when a text is checked (tgsi::Limits::errors).
inline constexpr uint32_t kMostWarnings = 20;

// ---- predicates (predicates.cpp)
/// What a PRED register keeps of each value: ~0 if it is not zero, otherwise 0.
void truth_values(Walk& w, uint8_t mask, const Ref* refs, Ref* out);
/// xyzw of the register.
bool read_predicate(Walk& w, const tgsi::Instruction& instruction, Ref* out);
/// The values that a destination has after an instruction under Walk::predicate: refs[k] where the predicate holds.
bool keep_where_predicated(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs, Ref* out);
/// For outputs of TESS_CTRL, which other invocations may be writing: stored where the predicate holds, never read.
bool write_where_predicated(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// A bool: whether an instruction without a destination is executed.
ir::Value predicate_condition(Walk& w, const tgsi::Instruction& instruction);
[[gnu::cold]] bool refuse_predicate(Walk& w, const tgsi::Instruction& instruction);
/// Code that a lane may skip, and that changes only registers in memory; it may leave a construct.
struct Conditional {
    ir::BlockId merge = 0;
    uint32_t outer_region = 0;
};
Conditional begin_conditional(Walk& w, ir::Value condition);
void end_conditional(Walk& w, const Conditional& conditional);

// ---- BRA (branches.cpp)
/// The body of a function that has BRA.
void lower_branches(Walk& w, const FunctionPlan& f);

// ---- results (destinations.cpp)
/// Saturates and writes the result of an instruction; a scalar goes to every component of the mask.
bool write_result(Operation& op, ir::Value value);

// ---- stage interface (io.cpp, system_values.cpp, io_buffers.cpp)
/// Makes the interface variables; false if one of them has no place.
bool prepare_interface(Walk& w);
/// At the start of each function: loads the inputs and system values that it reads.
void load_interface(Walk& w, const FunctionPlan& f);
/// At an exit of main.
void store_outputs(Walk& w);
/// Loads a system value, declared as SV or (`as_input`) as IN: four components. False if no system value has that
/// meaning.
bool load_system_value(Walk& w, tgsi::Semantic semantic, bool as_input, Ref* out);
bool is_system_value(tgsi::Stage stage, tgsi::Semantic semantic);
/// COMP: the size of a work group.
void set_block_size(Walk& w);
ir::Value load_builtin(Walk& w, ir::BuiltIn builtin, ir::Type type);
void prepare_io_buffers(Walk& w);
void enter_io_buffers(Walk& w);
/// Word `component` of this lane's input slot `slot` (a u32 value).
ir::Value load_io_word(Walk& w, ir::Value slot, int component);
/// Word `word` of the parameters.
ir::Value load_io_parameter(Walk& w, uint32_t word);
void store_io_outputs(Walk& w);
/// TESS_CTRL: word `component` of this patch's output slot `slot`.
ir::Value load_io_output(Walk& w, ir::Value slot, int component);
void store_io_output(Walk& w, ir::Value slot, int component, ir::Value value);
/// GEOM: vertex number `vertex` of this invocation, with its stream and primitive.
void store_io_vertex(Walk& w, ir::Value vertex, uint32_t stream, ir::Value primitive);

// ---- vertices of GEOM (geometry.cpp)
/// Declares and fills the functions of Plan::emit_functions, one for each stream that the text emits to.
void declare_emit_functions(Walk& w);
void fill_emit_functions(Walk& w);

// ---- arrays over vertices, outputs of TESS_CTRL (vertices.cpp)
/// True if the operand is loaded and stored directly in the interface; the walk keeps no value for it.
bool stands_in_interface(const Walk& w, const tgsi::Operand& operand);
bool read_interface(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_interface(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);

}  // namespace tgsi2spv::lower

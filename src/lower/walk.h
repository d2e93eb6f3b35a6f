// The state of one conversion: where each register component stands, which constructs are open, what was loaded.
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

/// PUSHA and POPA: entries a lane.
inline constexpr uint32_t kStackEntries = 8;

/// Where a register component stands: a component of an SSA value.
using Ref = ir::Component;

/// A way into a merge block: the values of the construct's written registers, in the order of its writes.
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
    ir::BlockId other = 0;           ///< If: the block of ELSE; Loop: the continue block
    ir::BlockId header = 0;          ///< Loop, Switch
    uint32_t next_label = kNoIndex;  ///< Switch: the label that comes next in the text
    ir::Value counter = ir::kNone;   ///< Loop with a guard
    EdgeList merge_edges{}, continue_edges{};
};

/// What the walk keeps for each entry of Plan::writes.
struct Join {
    ir::Scalar merge = ir::Scalar::Void;  ///< type of the merge's phi, set by the first edge that is not constant
    ir::Scalar other = ir::Scalar::Void;  ///< of the continue block's, or of a case's
    ir::Value entry = ir::kNone;          ///< Loop: the header's phi; Switch: the value at its header
    std::array<Ref, 4> saved;             ///< the components as the construct was entered
};

/// Registers in memory, an array variable of f32 x4.
struct Segment {
    uint32_t first = 0;  ///< slot (or register) of element 0
    uint32_t count = 0;
    uint32_t variable = kNoIndex;
    bool padded = false;  ///< one more element takes what is written out of range
};

/// A value that a load or computation gave, and the region of the structured flow in which it can be used again.
struct Cached {
    ir::Value value = ir::kNone;
    uint32_t region = 0;
};

/// Whether an index stands in the declared registers of a file, as it was asked last.
struct RangeTest {
    ir::Value index = ir::kNone;
    tgsi::File file{};
    int32_t dim = 0;
    Cached inside{};
};

/// The registers of a file that stand as values or may do so: four cells each.
struct FileCells {
    Ref* cells = nullptr;
    uint32_t count = 0;
    const uint32_t* segment_of = nullptr;  ///< by register, of files that are written: kNoIndex: it is a value
};

/// From the first to the last IMAGE register that is declared BUFFER, or that is not.
struct ImageSpan {
    int32_t first = 0, last = -1;
    bool known = false;
};

/// A storage buffer as floats, beside the variable of its words.
struct FloatBuffer {
    uint32_t words = 0, floats = 0;
};

/// A descriptor variable made for an operand: see resources.cpp.
struct Descriptor {
    uint32_t variable = 0;
    uint32_t next = kNoIndex;
    tgsi::File file = tgsi::File::Buffer;
};

/// A varying of GEOM whose components go to several streams: components first .. first + count − 1.
struct StreamPart {
    uint32_t reg = 0;
    uint32_t variable = 0;
    uint8_t first = 0, count = 0;
};

struct Workspace {
    using Indices = ir::Array<uint32_t>;
    explicit Workspace(std::pmr::memory_resource* from) : memory(from) {}

    std::pmr::memory_resource* const memory;  ///< of the workspace and of all that follows
    ir::Builder builder{memory};
    Plan plan{memory};
    std::pmr::vector<Ref> cells{memory};  ///< by slot and component
    /// By IMM register and component: the constant, once it was read, as u32 and as f32.
    std::pmr::vector<std::array<ir::Value, 2>> immediates{memory};
    std::pmr::vector<Ref> inputs{memory}, systems{memory};  ///< by register and component, of the function that is open
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
    std::pmr::vector<uint32_t> const_counts{memory};  ///< and its elements: Registers::count
    std::pmr::vector<Cached> consts{memory};
    std::pmr::vector<uint32_t> const_variables{memory}, input_variables{memory}, output_variables{memory};
    std::pmr::vector<uint32_t> output_before{memory};  ///< by OUT register: an earlier one with the same variable
    std::pmr::vector<uint8_t> output_joined{memory};   ///< and whether a later one stores what it holds
    std::array<Indices, 5> descriptors_of{Indices(memory), Indices(memory), Indices(memory), Indices(memory),
                                          Indices(memory)};
    std::pmr::vector<Descriptor> descriptors{memory};
    std::pmr::vector<FloatBuffer> float_buffers{memory};
    std::pmr::vector<uint32_t> memory_objects{memory};  ///< variables: buffers and images
    uint32_t emit_functions[4] = {};                    ///< GEOM, by stream: Plan::emit_functions
    uint32_t attachments[8] = {};                       ///< FBFETCH: by colour
    std::pmr::vector<StreamPart> stream_parts{memory};
    std::pmr::vector<uint32_t> candidates{memory};  ///< registers of the interface that an index may select
    std::pmr::vector<std::pair<uint32_t, uint32_t>> memory_variables{memory};  ///< MEMORY register, variable
    std::pmr::vector<uint32_t> system_slots{memory};  ///< by SV register: its slot of the input buffer (io=buffers)
    std::pmr::vector<uint32_t> ir_functions{memory};
    // branches.cpp: of the function under way.
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
    std::span<const sampling::Message> messages{};  ///< by instruction, of a carrier

    bool ok = true;
    bool reachable = true;
    bool legacy_math = false;
    bool in_main = true;
    uint32_t push_variable = kNoIndex, push_words = 0;
    size_t operations_before = 0;  ///< made in functions that are done
    uint32_t next_construct = 0;
    uint32_t position = 0;      ///< of the instruction, in the text
    bool float_result = false;  ///< of the instruction: what PRED keeps of it
    uint32_t warnings = 0;
    bool warned_of_view = false, warned_of_comparison = false;
    const tgsi::Instruction* predicate = nullptr;  ///< the instruction, if destinations are written where PRED says
    const Ref* predicate_words = nullptr;          ///< PRED's xyzw, where it may have been written since
    uint32_t region = 0;
    uint32_t helper_variable = kNoIndex;  ///< HELPER_INVOCATION, for subroutines
    uint32_t clip_variable = kNoIndex, cull_variable = kNoIndex, point_size_variable = kNoIndex;
    uint32_t num_clip = 0, num_cull = 0;
    // Of Options::state: OUT register that user planes are held against, their number, BCOLOR's variables.
    uint32_t clip_source = kNoIndex, num_planes = 0, back_colors[2] = {kNoIndex, kNoIndex};
    uint32_t stipple_variable = kNoIndex;  ///< State::line_stipple
    uint32_t state_variable = kNoIndex, sample_mask_variable = kNoIndex;
    uint32_t clip_in_variable = kNoIndex, cull_in_variable = kNoIndex;  ///< of IN[v][i]
    uint32_t num_clip_in = 0, num_cull_in = 0;
    ImageSpan image_spans[2]{};    ///< of images, of texel buffers
    uint32_t all_targets[8] = {};  ///< FS_COLOR0_WRITES_ALL_CBUFS: copies of COLOR
    Segment input_array{}, system_array{}, immediate_array{}, immediate_rows_array{};  ///< copies for indirect reads
    uint32_t builtin_variables[64] = {};  ///< by ir::BuiltIn: variable + 1, of inputs
    uint32_t io_variables[3] = {kNoIndex, kNoIndex, kNoIndex};
    uint32_t io_levels = kNoIndex;  ///< TESS_CTRL: the outer levels that drop its patches
    uint32_t io_input_slots = 0, io_output_slots = 0;
    Segment temp_arrays{};                                       ///< TEMPX
    uint32_t temp_array_length = 0;                              ///< elements of each
    uint32_t stack_variable = kNoIndex, stack_depth = kNoIndex;  ///< PUSHA, POPA
    /// Of the function that is open: bool, lane number, first word of its inputs.
    ir::Value io_inside = ir::kNone, io_lane = ir::kNone, io_input_base = ir::kNone;
    ir::Value io_output_base = ir::kNone;    ///< first word of its outputs: GEOM, TESS_CTRL
    ir::Value opaque_zero = ir::kNone;       ///< likewise; none without Workarounds::opaque_immediates
    FileCells files[tgsi::kFileCount] = {};  ///< empty for files that are read and written otherwise
};

/// What an access of a class does out of range.
inline OutOfRange policy(const Options& options, OutOfRange Bounds::*access) {
    return options.trust_indices ? OutOfRange::Trust : options.bounds.*access;
}

/// Adds an error at a byte offset; the walk ends. Cold, like all that refuses: so the compiler keeps messages out of
/// the way.
[[gnu::cold]] void fail(Walk& w, std::string_view code, uint32_t position, std::string_view message);
/// Adds a warning; the walk goes on.
[[gnu::cold]] void warn(Walk& w, std::string_view code, uint32_t position, std::string_view message);

// ---- values (values.cpp)
/// The components as one value of `scalar` (Void: what the first that is not constant has).
ir::Value gather(Walk& w, std::span<const Ref> refs, ir::Scalar scalar);

// ---- registers (registers.cpp)
void prepare_registers(Walk& w);
/// Zeros TEMP, ADDR and OUT.
void clear_registers(Walk& w);
[[gnu::cold]] bool refuse_two_indices(Walk& w, const tgsi::Operand& operand);
/// The four components of a register named directly that is a value; nullptr where there is more to do.
inline Ref* cells_of(Walk& w, const tgsi::Operand& o) {
    if (o.index_is_relative || o.dim_is_relative || o.has_dim) return nullptr;
    const FileCells& file = w.files[static_cast<size_t>(o.file)];
    const auto index = static_cast<uint32_t>(o.index);
    if (index >= file.count) return nullptr;
    if (file.segment_of != nullptr && file.segment_of[index] != kNoIndex) return nullptr;
    return file.cells + size_t{4} * index;
}
/// The same of a register that the instruction writes as a whole, so that its cells may just be set.
inline Ref* written_cells(Walk& w, const tgsi::Operand& o) {
    const bool plain = w.files[static_cast<size_t>(o.file)].segment_of != nullptr && o.file != tgsi::File::Predicate;
    return plain && w.predicate == nullptr ? cells_of(w, o) : nullptr;
}
/// Components `comps` of a register as they stand, whatever its file; false after an error.
bool read(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// The same behind the operand's swizzle: what its components `comps` are; modifiers are not applied.
bool read_swizzled(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Writes component refs[k] to the k-th component in `mask`.
bool write(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
Ref constant_ref(Walk& w, uint32_t bits);
/// A component of IMM[index] as a scalar (`scalar`: U32 or F32), where nothing asks that it be opaque.
ir::Value known_immediate(Walk& w, size_t index, int component, ir::Scalar scalar);
void read_slot(Walk& w, uint32_t slot, std::span<const uint8_t> comps, Ref* out);
void write_slot(Walk& w, uint32_t slot, uint8_t mask, const Ref* refs);
/// Stores refs[k] to the k-th component in `mask` of an element of an array in memory.
void store_memory(Walk& w, const Segment& segment, ir::Value element, uint8_t mask, const Ref* refs);

// ---- addressing (addressing.cpp)
/// TEMPX (temp_arrays.cpp).
void prepare_temp_arrays(Walk& w);
bool read_temp_array(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_temp_array(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// An array of f32 x4 of each lane.
uint32_t array_variable(Walk& w, uint32_t elements, bool zeroed, std::string_view name);
/// The index of an indirect access, as u32.
ir::Value relative_index(Walk& w, const tgsi::Relative& relative, int32_t offset);
/// True (a bool value, or kNone where it always is, or nobody asks: Options::bounds) if `index` stands in the declared
/// registers of the file.
ir::Value in_range(Walk& w, tgsi::File file, int32_t dim, uint16_t array_id, ir::Value index);
bool read_indirect(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_indirect(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// Both destinations of an instruction, of which the first may be what indexes the second.
bool write_two(Walk& w, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
               const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs);

// ---- constant buffers (constants.cpp)
void prepare_constants(Walk& w);
bool read_constant(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
/// Where the load of a vector is kept; nullptr for those that the text names through an index alone.
inline Cached* kept_constant(Walk& w, int32_t dim, int32_t index) {
    const auto d = static_cast<size_t>(dim);
    if (d >= w.plan.const_counts.size() || index >= w.plan.const_counts[d]) return nullptr;
    return &w.m.consts[w.m.const_base[d] + static_cast<uint32_t>(index)];
}
/// The vector, where it was loaded before and that can be used again; else kNone.
inline ir::Value known_constant(const Walk& w, const Cached* kept) {
    return kept != nullptr && kept->value != ir::kNone && w.m.region_open[kept->region] ? kept->value : ir::kNone;
}
/// The same of a register that the operand names directly.
inline ir::Value known_constant(Walk& w, const tgsi::Operand& o) {
    if (o.file != tgsi::File::Const || o.index_is_relative || o.dim_is_relative) return ir::kNone;
    return known_constant(w, kept_constant(w, o.has_dim ? o.dim : 0, o.index));
}

/// The variable of constant buffer `dim`, whole, as a resource.
uint32_t constant_buffer(Walk& w, int32_t dim);

// ---- buffers (resources.cpp)
/// The storage buffer `index`, not part of an array, of a file that shares the numbers with BUFFER (HWATOMIC, MEMORY);
/// `uses` are access:: bits.
uint32_t storage_buffer(Walk& w, tgsi::File file, uint32_t index, uint8_t uses);
/// The same storage buffer as floats.
uint32_t as_floats(Walk& w, uint32_t words);
/// Says of buffers and images which may be one another's memory, when all are known.
void mark_aliases(Walk& w);

// ---- instructions (lower.cpp)
void lower_instruction(Walk& w, uint32_t pc);
/// Sets what is emitted for an instruction apart: its place in the text, its precision.
Operation begin_instruction(Walk& w, const tgsi::Instruction& instruction);

// ---- flow (flow.cpp, joins.cpp)
void lower_flow(Operation& op);
/// Of IF, IFC, UIF; of BREAKC and CALLNZ: bools.
ir::Value if_condition(Operation& op);
ir::Value bits_of_x(Operation& op);
/// RET, and the end of a function's text.
void lower_exit(Walk& w);
/// What main does before it returns.
void finish_invocation(Walk& w);
void enter_region(Walk& w);
void leave_region(Walk& w, uint32_t outer);
/// To a construct's merge block, or to a loop's continue block.
enum class Way : uint8_t { Merge, Continue };
void add_edge(Walk& w, const Construct& c, EdgeList& list, Way way);
/// Starts `block`, and sets the registers to what the edges bring. No edge: the block is not reachable.
/// Registers that nobody reads from there on are 0.
void join(Walk& w, const Construct& c, const EdgeList& list, Way way, ir::BlockId block);
/// The written components of a register as one value, and back.
ir::Value composed(Walk& w, const Write& write, ir::Scalar scalar);
void set_cells(Walk& w, const Write& write, ir::Value value);
inline bool is_plain_constant(Walk& w, ir::Value value) {
    return ir::is_constant(value) && w.b.constant(value).spec_id < 0;
}
void save(Walk& w, const Construct& c);
void restore(Walk& w, const Construct& c);

/// Of one shader, as of a text's check (tgsi::Limits::errors).
inline constexpr uint32_t kMostWarnings = 20;

// ---- predicates (predicates.cpp)
/// What a PRED register keeps of each value: ~0 where it is not zero, else 0.
void truth_values(Walk& w, uint8_t mask, const Ref* refs, Ref* out);
/// xyzw of the register.
bool read_predicate(Walk& w, const tgsi::Instruction& instruction, Ref* out);
/// The values that a destination has after an instruction under Walk::predicate: refs[k] where it happens.
bool keep_where_predicated(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs, Ref* out);
/// Outputs of TESS_CTRL, which other invocations may be writing: stored where the predicate holds, not read.
bool write_where_predicated(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// A bool: whether an instruction without destination happens.
ir::Value predicate_condition(Walk& w, const tgsi::Instruction& instruction);
[[gnu::cold]] bool refuse_predicate(Walk& w, const tgsi::Instruction& instruction);
/// Code that a lane may pass over and that changes no register outside memory; it may leave a construct.
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
/// Makes the interface variables; false if something has no place.
bool prepare_interface(Walk& w);
/// At the start of each function: loads the inputs and system values that it reads.
void load_interface(Walk& w, const FunctionPlan& f);
/// At an exit of main.
void store_outputs(Walk& w);
/// A system value, declared as SV or (`as_input`) as IN: four components. False if there is none of that meaning.
bool load_system_value(Walk& w, tgsi::Semantic semantic, bool as_input, Ref* out);
bool is_system_value(tgsi::Stage stage, tgsi::Semantic semantic);
/// COMP: the size of a work group.
void set_block_size(Walk& w);
ir::Value load_builtin(Walk& w, ir::BuiltIn builtin, ir::Type type);
void prepare_io_buffers(Walk& w);
void enter_io_buffers(Walk& w);
/// Word `component` of input slot `slot` (a u32 value) of this lane.
ir::Value load_io_word(Walk& w, ir::Value slot, int component);
/// Word `word` of the parameters.
ir::Value load_io_parameter(Walk& w, uint32_t word);
void store_io_outputs(Walk& w);
/// TESS_CTRL: word `component` of output slot `slot` of this patch.
ir::Value load_io_output(Walk& w, ir::Value slot, int component);
void store_io_output(Walk& w, ir::Value slot, int component, ir::Value value);
/// GEOM: vertex number `vertex` of this invocation, with its stream and primitive.
void store_io_vertex(Walk& w, ir::Value vertex, uint32_t stream, ir::Value primitive);

// ---- vertices of GEOM (geometry.cpp)
/// Declares and fills the functions of Plan::emit_functions, one for each stream that the text emits to.
void declare_emit_functions(Walk& w);
void fill_emit_functions(Walk& w);

// ---- arrays over vertices, outputs of TESS_CTRL (vertices.cpp)
/// The operand is loaded and stored where it stands in the interface, not a value that the walk keeps.
bool stands_in_interface(const Walk& w, const tgsi::Operand& operand);
bool read_interface(Walk& w, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_interface(Walk& w, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);

}  // namespace tgsi2spv::lower

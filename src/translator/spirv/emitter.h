// The shared state of emission: the module being emitted, its sections, and the ids of everything already emitted.
// emit.cpp drives; types.cpp, constants.cpp, variables.cpp, instructions.cpp, compose.cpp, memory.cpp, images.cpp and
// control.cpp each write one kind of thing; requirements.cpp derives the requirements.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "spirv/emit.h"
#include "spirv/interner.h"
#include "spirv/requirements.h"
#include "spirv/words.h"

namespace tgsi2spv::spirv {

/// SPIR-V's universal limits (2.17) that no option lowers.
inline constexpr uint32_t kMaxGlobalVariables = 65'535;
inline constexpr uint32_t kMaxLocalVariables = 524'287;
inline constexpr uint32_t kMaxFunctionParameters = 255;
inline constexpr uint32_t kMaxSwitchCases = 16'383;
inline constexpr uint32_t kMaxStringBytes = 65'535;

/// A resource of the module.
struct Placed {
    Binding at;
    uint32_t variable = 0;  ///< index in Module::variables
};

struct Workspace {
    explicit Workspace(std::pmr::memory_resource* from) : memory(from) {}

    std::pmr::memory_resource* const memory;  ///< the memory of the workspace and of everything below
    // The sections of a module in order; head and modes are written last.
    WordBuffer head{memory}, modes{memory}, names{memory}, annotations{memory}, globals{memory}, code{memory};
    Interner interner{memory};
    Requirements requirements;

    std::array<std::array<Id, 5>, 6> type_ids{};                     ///< types by scalar and number of components
    std::array<Id, 64> small_constants{};                            ///< u32: indices, scopes, members
    std::array<std::array<std::array<Id, 5>, 6>, 13> pointer_ids{};  ///< pointers to IR types, by storage class
    std::pmr::vector<Id> constant_ids{memory};                       ///< ids of Module::constants, by index
    std::pmr::vector<Id> variable_ids{memory};                       ///< ids of Module::variables, by index
    std::pmr::vector<Id> function_ids{memory};
    std::pmr::vector<Id> value_ids{memory};     ///< values of the current function
    std::pmr::vector<Id> pair_ids{memory};      ///< same index: the struct of two results, or the int before its cast
    std::pmr::vector<uint32_t> locals{memory};  ///< Local variables, by function
    std::pmr::vector<uint32_t> first_local{memory};     ///< each function's index in `locals`, and one at the end
    std::pmr::vector<ir::BlockId> open_merges{memory};  ///< merge blocks of the constructs around the current block
    std::pmr::vector<Id> interface { memory };          ///< variables of the entry point
    std::pmr::vector<Placed> placed{memory};            ///< resources
    std::pmr::vector<uint32_t> line_starts{memory};     ///< offsets of lines in the source text
};

class Emitter {
  public:
    Emitter(const ir::Module& m, const EmitOptions& o, Workspace& workspace, EmitError& e)
        : module(m), options(o), w(workspace), error(e) {}

    const ir::Module& module;
    const EmitOptions& options;
    Workspace& w;
    EmitError& error;
    bool failed = false;

    uint32_t version = kSpirv10;
    Id next_id = 1;
    Id glsl = 0;           ///< GLSL.std.450; 0 until needed
    Id file_name = 0;      ///< OpString for OpLine
    uint32_t globals = 0;  ///< variables of module scope
    bool streams = false;  ///< GEOM with streams other than 0
    bool has_demote = false;
    bool looked_for_demote = false;
    Id helper_variable = 0;
    Id size_constant = 0;

    // The current function.
    const ir::Function* function = nullptr;
    const Id* ids[2] = {};  ///< Workspace::value_ids and constant_ids
    Id first_label = 0, first_parameter = 0;
    uint32_t offset_plus_one = 0;  ///< place of the last OpLine of the block

    Id new_id() { return next_id++; }
    Id glsl_set() { return glsl ? glsl : glsl = new_id(); }
    Id label(ir::BlockId block) const { return first_label + block; }

    /// Only the first error is kept.
    [[gnu::cold]] void fail(std::string_view code, std::string message, uint32_t at = 0);
    void check_ids();  ///< fails if there are more than EmitOptions::max_id

    ir::Type type_of(ir::Value v) const { return ir::type_of(module, *function, v); }
    Id id_of(ir::Value v) {
        // No branch: which arguments are constants is unpredictable.
        const Id id = ids[v >> 31][v & ~ir::kConstantBit];
        return id ? id : make_id(v);
    }
    /// The id of the instruction being emitted; only a phi can have named it before.
    Id result_id(ir::Value self) {
        Id& id = w.value_ids[self];
        if (id == 0) id = new_id();
        return id;
    }

    // ---- types.cpp: each is declared once
    Id type(ir::Type t) {
        const Id id = w.type_ids[static_cast<size_t>(t.scalar)][t.components];
        return id ? id : make_type(t);
    }
    Id signed_type(int components, int bits = 32);  ///< int, ivec2..4: where signedness depends on the type
    Id array_type(Id element, uint32_t length);
    Id pair_type(Id first, Id second);  ///< struct of two, without layout
    Id pointer_type(spv::StorageClass storage, ir::Type pointee);
    /// A pointer to a type that the IR does not have.
    Id pointer_type(spv::StorageClass storage, Id pointee);
    Id function_type(const ir::Function& function);
    Id image_type(const ir::ImageType& image, bool storage);
    Id sampled_image_type(Id image);
    Id sampler_type();
    /// Struct of one array of `element` with stride `stride`, decorated as a block. length 0: run-time sized.
    struct Block {
        ir::Type element;
        uint32_t length = 0;
        uint32_t stride = 0;
        bool buffer_block = false;
        bool non_readable = false, non_writable = false, coherent = false, is_volatile = false;
    };
    Id block_type(const Block& block);

    // ---- bindings.cpp
    void check_bindings();

    // ---- constants.cpp
    Id constant(uint32_t index) {
        const Id id = w.constant_ids[index];
        return id ? id : make_constant(index);
    }
    Id u32_constant(uint32_t word) {
        const Id id = word < w.small_constants.size() ? w.small_constants[word] : 0;
        return id ? id : make_u32_constant(word);
    }
    Id scalar_constant(ir::Scalar scalar, std::span<const uint32_t> words);
    Id signed_constant(std::span<const uint32_t> words);  ///< int or vector of int
    Id composite_constant(Id type, std::span<const Id> parts);
    /// The u32 specialization constant; the module's own if it has one with this id.
    Id spec_constant(uint32_t spec_id, uint32_t standard);
    Id null_constant(Id type);
    Id undef(Id type);

    // ---- variables.cpp
    Id variable(uint32_t index) {
        const Id id = w.variable_ids[index];
        return id ? id : make_variable(index);
    }
    spv::StorageClass storage_class(const ir::Variable& variable) const;
    /// The pointee type of a pointer to one descriptor's contents, or to a whole plain variable.
    Id variable_type(const ir::Variable& variable);
    /// A pointer to `type`, which is variable_type(v) or an array of it.
    Id variable_pointer(const ir::Variable& variable, Id type);
    Id helper_invocation();  ///< the builtin variable
    /// COMP: the work group size as a vector of three constants; if it contains specialization constants, it overrides
    /// the mode.
    Id work_group_size();
    void emit_locals(uint32_t function);

    // ---- one file each
    void emit_function(uint32_t index);
    void emit_instruction(const ir::Instruction& instruction, ir::Value self);
    void emit_compose(const ir::Instruction& instruction, ir::Value self);
    void emit_memory(const ir::Instruction& instruction, ir::Value self);
    void emit_image(const ir::Instruction& instruction, ir::Value self);
    void emit_interpolation(const ir::Instruction& instruction, ir::Value self);
    void emit_subgroup(const ir::Instruction& instruction, ir::Value self);
    void emit_subgroup_read(const ir::Instruction& instruction, ir::Value self, Id lane);
    void emit_stage_operation(const ir::Instruction& instruction, ir::Value self);
    void emit_terminator(const ir::Instruction& instruction, const ir::Block& block);

    // ---- helpers of these
    /// A pointer into variable `index`: its indices, then perhaps a component.
    struct Access {
        Id pointer = 0;
        ir::Type type;  ///< the pointee's type
    };
    Access access(const ir::Instruction& instruction, std::span<const uint32_t> indices);
    Id splat(Id scalar, ir::Type type);
    Id component_of(ir::Value v, uint32_t component);
    /// OpCompositeConstruct.
    void construct(Id result_type, Id result, std::span<const Id> parts);
    Id bitcast(Id type, Id value);
    /// An integer as int or ivec: constants become such constants, other values are cast if nothing has done it.
    Id as_signed(ir::Value v);
    void atomic(const ir::Instruction& instruction, Id result_type, Id result, Id pointer, ir::VariableKind kind,
                std::span<const Id> operands);
    /// The result equals another value: nothing is emitted, unless a phi already requested an id.
    void alias(ir::Value self, Id value);

    void decorate(Id target, spv::Decoration d) { put(w.annotations, spv::Op::OpDecorate, {target, d}); }
    void decorate(Id target, spv::Decoration d, uint32_t operand) {
        put(w.annotations, spv::Op::OpDecorate, {target, d, operand});
    }
    void name(Id target, std::string_view text);

    /// Finishes an instruction of unknown length, which is in w.code from `start` on: writes its first word, refuses
    /// instructions that are too long.
    void close(size_t start, spv::Op op, uint32_t line, std::string_view what);

  private:
    /// The id of a value that nothing has named before.
    [[gnu::noinline]] Id make_id(ir::Value v) {
        return ir::is_constant(v) ? make_constant(v & ~ir::kConstantBit) : w.value_ids[v] = new_id();
    }
    Id make_type(ir::Type type);
    Id make_u32_constant(uint32_t word);
    Id make_constant(uint32_t index);
    Id make_variable(uint32_t index);
    void decorate_interface(const ir::Variable& variable, Id id);
};

// ---- debug.cpp
void begin_lines(Emitter& emitter);
void emit_line(Emitter& emitter, uint32_t offset_plus_one);

}  // namespace tgsi2spv::spirv

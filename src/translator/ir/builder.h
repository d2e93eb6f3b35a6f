// Builds an ir::Module, instruction by instruction, in final order.
//
// One function is open at a time, and one of its blocks; new instructions go to the end of that block. Block ids are
// handles until end_function(): create_block() returns a handle, start_block() gives the block its place, and
// end_function() rewrites the handles to places. By then, every block that is named must have been started. A guest's
// text must never reach these functions unchecked: wrong use is an assertion, not an error value.
#pragma once

#include <array>
#include <cassert>
#include <initializer_list>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>

#include "ir/compose.h"
#include "ir/constants.h"
#include "ir/dominators.h"
#include "ir/flat_table.h"
#include "ir/module.h"

namespace tgsi2spv::ir {

/// A phi's argument: the value that arrives along the edge from `block`.
struct Incoming {
    Value value = kNone;
    BlockId block = 0;
};

class Builder {
  public:
    /// Works in `memory`; modules have their own.
    explicit Builder(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : place_(memory),
          dominators_(memory),
          numbers_(memory),
          handles_(memory),
          spare_(memory),
          constants_(memory),
          image_ops_(memory) {}

    // ---- module and functions
    /// Empties `module`, keeping its memory, and builds into it until the next call. With `simplify`, each appended
    /// instruction is folded (fold.h) and numbered at once: if it reduces to an earlier value, it is not
    /// created, and that value is returned instead.
    void begin_module(Module& module, bool simplify = false);
    Module& module() { return *module_; }
    const Module& module() const { return *module_; }

    /// Declares a function that can be called at once; begin_function() fills it.
    uint32_t declare_function(Type result, std::span<const Type> params, std::string_view name = {});
    /// Opens a declared function, starts its entry block, and emits its Params: values 0 to n - 1. About `expected`
    /// instructions will follow.
    void begin_function(uint32_t function, size_t expected = 0);
    /// Gives every block its place. All started blocks must be terminated.
    void end_function();
    uint32_t current_function() const { return function_index_; }
    Function& function() { return *function_; }

    // ---- variables
    uint32_t add_variable(const Variable& variable);

    // ---- state that applies to each emitted instruction
    /// NoContraction on float arithmetic.
    void set_precise(bool precise) { precise_ = precise; }
    bool precise() const { return precise_; }
    /// Byte offset in the source text; kNone: none.
    void set_offset(uint32_t offset) { offset_plus_one_ = offset + 1; }

    // ---- blocks
    BlockId create_block();
    /// The previous block must be terminated. Phis come first.
    void start_block(BlockId block);
    BlockId create_and_start_block();
    BlockId current_block() const { return block_; }
    bool is_started(BlockId block) const { return place_[block] != kNone; }
    /// Its index in Function::blocks.
    uint32_t place_of(BlockId block) const { return place_[block]; }
    /// The current block becomes the header of a construct; call it before the terminator.
    void set_selection_merge(BlockId merge);
    void set_loop_merge(BlockId merge, BlockId continue_target);

    // ---- terminators
    void branch(BlockId target);
    void branch_if(Value condition, BlockId if_true, BlockId if_false);
    void switch_on(Value selector, BlockId default_block, std::span<const SwitchCase> cases);
    void ret();
    void ret(Value value);
    void kill();
    void unreachable();

    // ---- phis: at the start of a block, before anything else
    /// Reserves room for `expected` edges in all, so that add_incoming() need not move them.
    Value phi(Type type, std::span<const Incoming> edges, uint32_t expected = 0);
    /// Completes a phi of a loop header, once the value along the back-edge is known.
    void add_incoming(Value phi, Incoming edge);

    // ---- instructions
    /// Appends an instruction of any kind. `args` must not point into the function.
    Value emit(Op op, Type type, std::span<const Value> args, uint32_t aux = 0, uint8_t sub = 0);
    template <size_t N>
    Value emit(Op op, Type type, const Value (&args)[N], uint32_t aux = 0, uint8_t sub = 0) {
        return emit_some(op, type, std::span(args), aux, sub);
    }
    /// Appends an operation whose row gives the result type (same, rel, red, sca).
    Value op(Op o, Value a) { return emit(o, result_type(o, a), {a}); }
    Value op(Op o, Value a, Value b) { return emit(o, result_type(o, a), {a, b}); }
    Value op(Op o, Value a, Value b, Value c) { return emit(o, result_type(o, a), {a, b, c}); }
    Value op(Op o, Value a, Value b, Value c, Value d) { return emit(o, result_type(o, a), {a, b, c, d}); }

    Type type_of(Value value) const { return ir::type_of(*module_, *function_, value); }
    /// Whether the value is known now: a specialization constant is not.
    bool is_plain_constant(Value value) const { return is_constant(value) && constant(value).spec_id < 0; }
    /// The result type of an operation whose row gives it.
    Type result_type(Op op, Value first) const {
        const Type type = type_of(first);
        const ResultRule rule = result_rule_of(op);
        assert(rule != ResultRule::own && rule != ResultRule::none && "use emit");
        const bool truth = rule == ResultRule::rel || rule == ResultRule::red;
        const bool one = rule == ResultRule::red || rule == ResultRule::sca;
        return {truth ? Scalar::Bool : type.scalar, one ? uint8_t{1} : type.components};
    }
    const Instruction& instruction(Value value) const { return function_->instructions[value]; }
    std::span<const uint32_t> args_of(Value value) const {
        return std::as_const(*function_).args_of(function_->instructions[value]);
    }
    const Constant& constant(Value value) const { return module_->constant(value); }

    // float
    Value fadd(Value a, Value b) { return op(Op::FAdd, a, b); }
    Value fsub(Value a, Value b) { return op(Op::FSub, a, b); }
    Value fmul(Value a, Value b) { return op(Op::FMul, a, b); }
    Value fdiv(Value a, Value b) { return op(Op::FDiv, a, b); }
    Value fneg(Value a) { return op(Op::FNegate, a); }
    Value fabs(Value a) { return op(Op::FAbs, a); }
    Value fma(Value a, Value b, Value c) { return op(Op::Fma, a, b, c); }
    Value fmin(Value a, Value b) { return op(Op::FMin, a, b); }
    Value fmax(Value a, Value b) { return op(Op::FMax, a, b); }
    Value fclamp(Value x, Value lo, Value hi) { return op(Op::FClamp, x, lo, hi); }
    Value ffloor(Value a) { return op(Op::FFloor, a); }
    Value fdot(Value a, Value b) { return op(Op::FDot, a, b); }
    Value foeq(Value a, Value b) { return op(Op::FOEq, a, b); }
    Value fune(Value a, Value b) { return op(Op::FUNe, a, b); }
    Value folt(Value a, Value b) { return op(Op::FOLt, a, b); }
    Value fole(Value a, Value b) { return op(Op::FOLe, a, b); }
    Value fogt(Value a, Value b) { return op(Op::FOGt, a, b); }
    Value foge(Value a, Value b) { return op(Op::FOGe, a, b); }
    Value is_nan(Value a) { return op(Op::IsNan, a); }
    // integer
    Value iadd(Value a, Value b) { return op(Op::IAdd, a, b); }
    Value isub(Value a, Value b) { return op(Op::ISub, a, b); }
    Value imul(Value a, Value b) { return op(Op::IMul, a, b); }
    Value udiv(Value a, Value b) { return op(Op::UDiv, a, b); }
    Value ineg(Value a) { return op(Op::INegate, a); }
    Value smin(Value a, Value b) { return op(Op::SMin, a, b); }
    Value smax(Value a, Value b) { return op(Op::SMax, a, b); }
    Value umin(Value a, Value b) { return op(Op::UMin, a, b); }
    Value umax(Value a, Value b) { return op(Op::UMax, a, b); }
    Value bit_and(Value a, Value b) { return op(Op::And, a, b); }
    Value bit_or(Value a, Value b) { return op(Op::Or, a, b); }
    Value bit_xor(Value a, Value b) { return op(Op::Xor, a, b); }
    Value shl(Value a, Value count) { return op(Op::Shl, a, count); }
    Value lshr(Value a, Value count) { return op(Op::LShr, a, count); }
    Value ashr(Value a, Value count) { return op(Op::AShr, a, count); }
    Value ieq(Value a, Value b) { return op(Op::IEq, a, b); }
    Value ine(Value a, Value b) { return op(Op::INe, a, b); }
    Value sge(Value a, Value b) { return op(Op::SGe, a, b); }
    Value ult(Value a, Value b) { return op(Op::ULt, a, b); }
    Value uge(Value a, Value b) { return op(Op::UGe, a, b); }
    /// Whether x, an integer or a float, differs from zero (FUNe: NaN does, the float −0 does not).
    Value is_nonzero(Value x);
    /// Whether a bit other than the sign of an f32 is set: true for denormals, which comparisons of floats may flush.
    Value has_magnitude(Value x);
    // bool
    Value land(Value a, Value b) { return op(Op::LAnd, a, b); }
    Value lor(Value a, Value b) { return op(Op::LOr, a, b); }
    Value lnot(Value a) { return op(Op::LNot, a); }
    /// For a bool or a vector of bools; a scalar is returned unchanged.
    Value any(Value a) { return type_of(a).components == 1 ? a : op(Op::Any, a); }
    Value all(Value a) { return type_of(a).components == 1 ? a : op(Op::All, a); }

    /// condition ? a : b; a scalar condition selects whole vectors.
    Value select(Value condition, Value a, Value b);
    /// FToS to UnpackHalf: the caller gives the result type.
    Value convert(Op o, Value a, Type to) { return emit(o, to, {a}); }
    /// Same bits. Emits nothing for the same type, for a cast back, or for a constant.
    Value bitcast(Value value, Type to) { return type_of(value) == to ? value : cast(value, to); }
    /// Casts all components to `scalar`, which has the same width.
    Value bitcast(Value value, Scalar scalar) { return bitcast(value, type_of(value).of(scalar)); }
    /// A vector (or scalar) of these components, all of one scalar type; looks through Compose if that costs less.
    Value compose(std::span<const Component> components);
    Value compose(std::initializer_list<Component> components) {
        return compose(std::span(components.begin(), components.size()));
    }
    /// The same from one non-constant value: `n` of its components, selected like Instruction::aux of a Compose.
    Value select_components(Value value, int n, uint32_t selector);
    Value extract(Value value, int component);
    /// A scalar, n times.
    Value splat(Value scalar, int n);
    /// The second result of a two-result instruction.
    Value second(Value value, Type type);
    Value undef(Type type) { return emit(Op::Undef, type, {}); }

    // memory
    Value load(uint32_t variable, std::span<const Value> indices, Type type);
    template <size_t N>
    Value load(uint32_t variable, const Value (&indices)[N], Type type) {
        return emit(Op::Load, type, indices, variable);
    }
    void store(uint32_t variable, std::span<const Value> indices, Value value);
    void store(uint32_t variable, std::initializer_list<Value> indices, Value value) {
        store(variable, std::span(indices.begin(), indices.size()), value);
    }
    Value call(uint32_t function, std::span<const Value> args);
    /// An image instruction; image_arguments() gives the order of its arguments.
    Value image(Op o, Type type, const ImageOp& image, std::span<const Value> args, uint8_t sub = 0);
    Value image(Op o, Type type, const ImageOp& image_op, std::initializer_list<Value> args, uint8_t sub = 0) {
        return image(o, type, image_op, std::span(args.begin(), args.size()), sub);
    }

    // ---- constants, deduplicated by type and bits
    Value constant_of(const Constant& constant);
    Value const_u32(uint32_t x) { return constants_.find_or_add(*module_, x); }
    Value const_f32(float x);  ///< the number with the same bits
    Value const_f32_bits(uint32_t bits);
    Value const_bool(bool x);
    Value const_u64(uint64_t x);
    /// A vector (or scalar) of 32-bit words; `type` is u32 or f32 (or bool: 0 or 1) and has words.size() components.
    Value const_words(Type type, std::span<const uint32_t> words);
    /// Sets every component to the word `bits` (32-bit types and bools).
    Value const_splat(Type type, uint32_t bits);
    Value zero(Type type) {
        Value& known = zeros_[4 * static_cast<size_t>(type.scalar) + type.components - 1];
        if (known == kNone) known = constant_of({.type = type});
        return known;
    }
    /// A scalar specialization constant.
    Value spec_constant(Type type, uint32_t id, uint32_t default_bits);

  private:
    /// The condition of a truth value in a register (~0 or 1.0 for true), so that a test of it needs no instruction;
    /// laws would find the same (peepholes.h). kNone: x is not one.
    Value truth_of(Value x);
    Module* module_ = nullptr;
    Function* function_ = nullptr;
    uint32_t function_index_ = 0;
    BlockId block_ = 0;
    uint32_t offset_plus_one_ = 0;
    bool precise_ = false;
    bool terminated_ = true;
    bool simplify_ = false;
    std::pmr::vector<uint32_t> place_;   ///< index in Function::blocks of each block handle
    Dominators dominators_;              ///< dominators of block handles; only with `simplify_`
    FlatTable numbers_;                  ///< earlier instructions that later ones may equal; at most kMaxNumbered
    std::pmr::vector<BlockId> handles_;  ///< the handle of each block in its place; only with `simplify_`
    std::pmr::vector<Function> spare_;   ///< memory of functions of earlier modules
    ConstantTable constants_;
    FlatTable image_ops_;
    std::array<Value, 24> zeros_{};  ///< zeros of each scalar type, in vectors of one to four; kNone: not yet created

    Block& block() { return function_->blocks.back(); }
    Value cast(Value value, Type to);
    void terminate();
    // append.cpp: `kind` as in equal.h.
    template <size_t N>
    Value append(uint64_t kind, uint32_t aux, std::span<const Value, N> args);
    /// `N` is the number of arguments if the caller knows it.
    template <size_t N>
    Value emit_some(Op op, Type type, std::span<const Value, N> args, uint32_t aux, uint8_t sub);
    template <size_t N>
    Value numbered(uint64_t kind, uint32_t aux, std::span<const Value, N> args);
    Value folded(uint64_t kind, uint32_t aux, std::span<const Value> args);
    void take_back(uint32_t args_before);
    bool stands_above(Value value) const;
};

}  // namespace tgsi2spv::ir

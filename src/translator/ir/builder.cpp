#include "ir/builder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "ir/cfg.h"
#include "ir/equal.h"
#include "ir/fold.h"

namespace tgsi2spv::ir {

// ---- module and functions

void Builder::begin_module(Module& module, bool simplify) {
    module_ = &module;
    simplify_ = simplify;
    module.entry = {};
    module.variables.clear();
    module.constants.clear();
    module.image_ops.clear();
    // The first function that is declared reuses the memory of the first one here.
    for (auto f = module.functions.rbegin(); f != module.functions.rend(); ++f) spare_.push_back(std::move(*f));
    module.functions.clear();
    constants_.clear();
    zeros_.fill(kNone);
    image_ops_.clear();
    function_ = nullptr;
    terminated_ = true;
    precise_ = false;
    offset_plus_one_ = 0;
}

uint32_t Builder::declare_function(Type result, std::span<const Type> params, std::string_view name) {
    const auto index = static_cast<uint32_t>(module_->functions.size());
    if (spare_.empty()) {
        module_->functions.emplace_back(module_->memory());
    } else {
        module_->functions.push_back(std::move(spare_.back()));
        spare_.pop_back();
    }
    if (function_ != nullptr) function_ = &module_->functions[function_index_];
    Function& f = module_->functions.back();
    f.simplified = simplify_;
    f.result = result;
    f.params.assign(params.begin(), params.end());
    f.blocks.clear();
    f.instructions.clear();
    f.args.clear();
    f.name = Name();
    f.name.append(name);
    return index;
}

void Builder::begin_function(uint32_t function, size_t expected) {
    assert(function_ == nullptr && "the previous function is still open");
    function_index_ = function;
    function_ = &module_->functions[function];
    assert(function_->blocks.empty());
    place_.clear();
    handles_.clear();
    dominators_.clear(0);
    if (simplify_) numbers_.clear(std::min(expected, kMaxNumbered));
    terminated_ = true;
    create_and_start_block();
    for (uint32_t i = 0; i < function_->params.size(); i++) emit(Op::Param, function_->params[i], {}, i);
}

void Builder::end_function() {
    assert(terminated_);
    Function& f = *function_;
    auto place = [&](uint32_t& handle) {
        assert(place_[handle] != kNone && "a block was created but never started");
        handle = place_[handle];
    };
    for (Block& b : f.blocks) {
        if (b.merge != Merge::None) place(b.merge_block);
        if (b.merge == Merge::Loop) place(b.continue_block);
        for (uint32_t i = b.first; f.instructions[i].op == Op::Phi; i++) {
            const auto args = f.args_of(f.instructions[i]);
            for (size_t a = 1; a < args.size(); a += 2) place(args[a]);
            f.instructions[i].aux = 0;  // it held the room for edges
        }
        Instruction& last = f.instructions[b.first + b.count - 1];
        if (last.op == Op::Branch || last.op == Op::BranchIf || last.op == Op::Switch) place(last.aux);
        if (last.op == Op::BranchIf) place(last.aux2);
        if (last.op == Op::Switch) {
            const auto args = f.args_of(last);
            for (size_t a = 2; a < args.size(); a += 2) place(args[a]);
        }
    }
    function_ = nullptr;
}

uint32_t Builder::add_variable(const Variable& variable) {
    module_->variables.push_back(variable);
    return static_cast<uint32_t>(module_->variables.size() - 1);
}

// ---- blocks

BlockId Builder::create_block() {
    place_.push_back(kNone);
    if (simplify_) dominators_.add_block();
    return static_cast<BlockId>(place_.size() - 1);
}

void Builder::start_block(BlockId block) {
    assert(terminated_ && "the previous block has no terminator");
    assert(place_[block] == kNone && "block started twice");
    place_[block] = static_cast<uint32_t>(function_->blocks.size());
    function_->blocks.push_back({.first = static_cast<uint32_t>(function_->instructions.size())});
    block_ = block;
    terminated_ = false;
    if (!simplify_) return;
    dominators_.place(block);
    handles_.push_back(block);
}

BlockId Builder::create_and_start_block() {
    const BlockId block = create_block();
    start_block(block);
    return block;
}

void Builder::set_selection_merge(BlockId merge) {
    assert(!terminated_ && block().merge == Merge::None);
    block().merge = Merge::Selection;
    block().merge_block = merge;
}

void Builder::set_loop_merge(BlockId merge, BlockId continue_target) {
    assert(!terminated_ && block().merge == Merge::None);
    block().merge = Merge::Loop;
    block().merge_block = merge;
    block().continue_block = continue_target;
}

// ---- terminators

void Builder::terminate() {
    block().count = static_cast<uint32_t>(function_->instructions.size()) - block().first;
    terminated_ = true;
    if (!simplify_) return;
    visit_targets(*function_, function_->instructions.back(), [&](BlockId target) {
        if (!is_started(target)) dominators_.add_edge(block_, target);
    });
}

void Builder::branch(BlockId target) {
    emit(Op::Branch, kVoid, {}, target);
    terminate();
}

void Builder::branch_if(Value condition, BlockId if_true, BlockId if_false) {
    emit(Op::BranchIf, kVoid, {condition}, if_true);
    function_->instructions.back().aux2 = if_false;
    if (simplify_)
        fold_instruction(*module_, *function_, static_cast<Value>(function_->instructions.size() - 1), constants_);
    terminate();
}

void Builder::switch_on(Value selector, BlockId default_block, std::span<const SwitchCase> cases) {
    emit(Op::Switch, kVoid, {selector}, default_block);
    for (const SwitchCase& c : cases) {
        function_->args.push_back(c.literal);
        function_->args.push_back(c.block);
    }
    function_->instructions.back().num_args = static_cast<uint32_t>(1 + 2 * cases.size());
    terminate();
}

void Builder::ret() {
    emit(Op::Return, kVoid, {});
    terminate();
}

void Builder::ret(Value value) {
    emit(Op::Return, kVoid, {value});
    terminate();
}

void Builder::kill() {
    emit(Op::Kill, kVoid, {});
    terminate();
}

void Builder::unreachable() {
    emit(Op::Unreachable, kVoid, {});
    terminate();
}

// ---- phis

void Builder::add_incoming(Value phi, Incoming edge) {
    Instruction& i = function_->instructions[phi];
    assert(i.op == Op::Phi);
    auto& args = function_->args;
    if (i.num_args == 2 * i.aux) {  // no room: move to the end, with twice the room
        const auto from = i.first_arg;
        i.first_arg = static_cast<uint32_t>(args.size());
        i.aux = std::max(2u, 2 * i.aux);
        args.resize(args.size() + 2 * i.aux, kNone);
        std::copy_n(args.begin() + from, i.num_args, args.begin() + i.first_arg);
    }
    args[i.first_arg + i.num_args] = edge.value;
    args[i.first_arg + i.num_args + 1] = edge.block;
    i.num_args += 2;
}

// ---- instructions

Value Builder::select(Value condition, Value a, Value b) {
    if (a == b) return a;
    return emit(Op::Select, type_of(a), {condition, a, b});
}

Value Builder::truth_of(Value x) {
    const Type type = type_of(x);
    if (!simplify_ || type.components != 1 || type.is_wide() || is_constant(x) || instruction(x).op != Op::Select)
        return kNone;
    const auto is_zero = [&](Value v) {
        return is_plain_constant(v) && (constant(v).words[0] << (type.is_float() ? 1 : 0)) == 0;
    };
    const auto args = args_of(x);
    return is_zero(args[2]) && is_plain_constant(args[1]) && !is_zero(args[1]) ? args[0] : kNone;
}

Value Builder::is_nonzero(Value x) {
    if (const Value condition = truth_of(x); condition != kNone) return condition;
    const Type type = type_of(x);
    return op(type.is_float() ? Op::FUNe : Op::INe, x, zero(type));
}

Value Builder::has_magnitude(Value x) {
    if (const Value condition = truth_of(x); condition != kNone) return condition;
    // A sum, product or quotient may be flushed already, so a comparison that flushes it hides nothing.
    constexpr Op kFlushing[] = {Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::Fma, Op::FDot};
    if (simplify_ && !is_constant(x) && std::ranges::count(kFlushing, instruction(x).op) != 0) return is_nonzero(x);
    const Type bits = type_of(x).of(Scalar::U32);
    return is_nonzero(emit(Op::And, bits, {bitcast(x, bits), const_u32(0x7fffffff)}));
}

Value Builder::cast(Value value, Type to) {
    if (is_plain_constant(value)) {
        Constant c = constant(value);  // the words of a constant are its bits
        c.type = to;
        return constant_of(c);
    }
    if (!is_constant(value) && instruction(value).op == Op::Bitcast) {
        const Value source = args_of(value)[0];
        if (type_of(source) == to) return source;
        value = source;
    }
    return emit(Op::Bitcast, to, {value});
}

Value Builder::extract(Value value, int component) {
    // Looks through a Compose to something that costs no more (compose.h); each was resolved when it was made.
    if (!is_constant(value) && instruction(value).op == Op::Compose) {
        const Instruction& i = instruction(value);
        value = args_of(value)[static_cast<size_t>(component)];
        component = static_cast<int>(i.aux >> 2 * component & 3);
    }
    const Type type = type_of(value);
    if (type.components == 1) return value;
    if (is_constant(value)) return compose({{value, static_cast<uint8_t>(component)}});
    return emit(Op::Compose, type.with(1), {value}, static_cast<uint32_t>(component));
}

Value Builder::splat(Value scalar, int n) {
    const Component c{scalar, 0};
    const Component all[4] = {c, c, c, c};
    return compose(std::span(all, static_cast<size_t>(n)));
}

Value Builder::second(Value value, Type type) {
    function_->instructions[value].second = true;
    return emit(Op::Second, type, {value});
}

Value Builder::load(uint32_t variable, std::span<const Value> indices, Type type) {
    return emit(Op::Load, type, indices, variable);
}

void Builder::store(uint32_t variable, std::span<const Value> indices, Value value) {
    emit(Op::Store, kVoid, indices, variable);
    function_->args.push_back(value);
    function_->instructions.back().num_args++;
}

Value Builder::call(uint32_t function, std::span<const Value> args) {
    return emit(Op::Call, module_->functions[function].result, args, function);
}

Value Builder::image(Op o, Type type, const ImageOp& image, std::span<const Value> args, uint8_t sub) {
    auto& all = module_->image_ops;
    uint64_t hash = hash_word(image_ops_.seed(), uint64_t{image.image} << 32 | image.sampler);
    const bool flags[] = {image.dref,         image.bias,   image.lod,           image.grad,
                          image.const_offset, image.offset, image.const_offsets, image.sample,
                          image.min_lod,      image.sparse, image.non_uniform};
    uint64_t bits = image.component;
    for (const bool flag : flags) bits = bits << 1 | static_cast<uint64_t>(flag);
    hash = hash_word(hash, bits);
    const auto next = static_cast<uint32_t>(all.size());
    const uint32_t index = image_ops_.find_or_insert(hash, next, [&](uint32_t i) { return all[i] == image; });
    if (index == next) all.push_back(image);
    return emit(o, type, args, index, sub);
}

// ---- constants

Value Builder::constant_of(const Constant& constant) {
    return constants_.find_or_add(*module_, constant);
}

Value Builder::const_f32(float x) {
    return const_f32_bits(std::bit_cast<uint32_t>(x));
}

Value Builder::const_f32_bits(uint32_t bits) {
    return constants_.find_or_add(*module_, f32(), bits);
}

Value Builder::const_bool(bool x) {
    return constants_.find_or_add(*module_, boolean(), x);
}

Value Builder::const_u64(uint64_t x) {
    return constant_of({.type = u64(), .words = {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)}});
}

Value Builder::const_words(Type type, std::span<const uint32_t> words) {
    assert(words.size() == type.components && !type.is_wide());
    if (words.size() == 1) return constants_.find_or_add(*module_, type, words[0]);
    Constant c{.type = type};
    std::copy(words.begin(), words.end(), c.words.begin());
    return constant_of(c);
}

Value Builder::const_splat(Type type, uint32_t bits) {
    assert(!type.is_wide());
    if (type.components == 1) return constants_.find_or_add(*module_, type, bits);
    Constant c{.type = type};
    std::fill_n(c.words.begin(), type.components, bits);
    return constant_of(c);
}

Value Builder::spec_constant(Type type, uint32_t id, uint32_t default_bits) {
    return constant_of({.type = type, .spec_id = static_cast<int32_t>(id), .words = {default_bits}});
}

}  // namespace tgsi2spv::ir

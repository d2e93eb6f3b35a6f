#include "lower/invocation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ir/print.h"

namespace tgsi2spv::test {

using ir::Op;

namespace {

float as_float(uint32_t w) {
    return std::bit_cast<float>(w);
}
uint32_t as_word(float f) {
    return std::bit_cast<uint32_t>(f);
}
int32_t as_int(uint32_t w) {
    return static_cast<int32_t>(w);
}

uint32_t to_half(float f) {
    if (f == 0 || std::isnan(f) || std::isinf(f) || std::fabs(f) >= 65520.0f) {
        const uint32_t sign = as_word(f) >> 16 & 0x8000;
        return sign | (f == 0 ? 0 : std::isnan(f) ? 0x7e00 : 0x7c00);
    }
    int exponent = 0;
    std::frexp(f, &exponent);
    const int scale = std::max(exponent - 1, -14);  // exponent of the leading bit
    const float mantissa = std::nearbyint(std::ldexp(std::fabs(f), 10 - scale));
    return (as_word(f) >> 16 & 0x8000) + (static_cast<uint32_t>(scale + 14) << 10) + static_cast<uint32_t>(mantissa);
}
float from_half(uint32_t h) {
    const int exponent = static_cast<int>(h >> 10 & 31);
    const auto mantissa = static_cast<float>(h & 0x3ff);
    const float sign = h & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31) return mantissa != 0 ? std::nanf("") : sign * std::numeric_limits<float>::infinity();
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

/// The word that an atomic operation leaves; `last` is the new word of a CompareExchange, otherwise the operand.
uint32_t after_atomic(ir::AtomicOp op, uint32_t old, uint32_t operand, uint32_t last) {
    using enum ir::AtomicOp;
    switch (op) {
        case IAdd:
            return old + operand;
        case SMin:
            return as_int(old) < as_int(operand) ? old : operand;
        case SMax:
            return as_int(old) > as_int(operand) ? old : operand;
        case UMin:
            return std::min(old, operand);
        case UMax:
            return std::max(old, operand);
        case And:
            return old & operand;
        case Or:
            return old | operand;
        case Xor:
            return old ^ operand;
        case Exchange:
            return operand;
        case CompareExchange:
            return old == operand ? last : old;
        case FAdd:
            return as_word(as_float(old) + as_float(operand));
    }
    return 0;
}

constexpr uint32_t kResident = 1;  // as a residency code

/// A component of any width among the words of a vector.
void set(Words& words, ir::Type type, uint32_t c, uint64_t bits) {
    words[type.is_wide() ? 2 * c : c] = static_cast<uint32_t>(bits);
    if (type.is_wide()) words[2 * c + 1] = static_cast<uint32_t>(bits >> 32);
}

bool is_memory(const ir::Variable& v) {
    return v.kind == ir::VariableKind::Private || v.kind == ir::VariableKind::Local ||
           v.kind == ir::VariableKind::Shared;
}

/// Whether the instruction needs other invocations.
bool is_shared(const ir::Instruction& i) {
    const bool interpolates = i.op >= Op::InterpCentroid && i.op <= Op::InterpOffset;
    return i.op == Op::ControlBarrier ||
           (ir::trait_of(i.op) == ir::Trait::conv && !ir::is_image_op(i.op) && !interpolates);
}

uint64_t sign_of(ir::Type type) {
    return type.is_wide() ? uint64_t{1} << 63 : uint64_t{1} << 31;
}

}  // namespace

std::optional<Answer> Arithmetic::component(const ir::Instruction& i, ir::Type from, const Operands& x) {
    return test::component(i.op, from, i.type, x);
}

uint32_t Arithmetic::dot(std::span<const uint32_t> a, std::span<const uint32_t> b) {
    float total = as_float(a[0]) * as_float(b[0]);
    for (size_t c = 1; c < a.size(); c++) {
        const float product = as_float(a[c]) * as_float(b[c]);
        total += product;
    }
    return as_word(total);
}

uint32_t Arithmetic::pack_half(uint32_t number) {
    return to_half(as_float(number));
}

uint32_t Arithmetic::unpack_half(uint32_t half) {
    return as_word(from_half(half));
}

Invocation::Invocation(const ir::Module& module, const std::map<uint32_t, Words>& inputs,
                       const Surroundings& surroundings, SharedMemory& memory, Elements& of_work_group,
                       Arithmetic& arithmetic)
    : module_(module),
      inputs_(inputs),
      surroundings_(surroundings),
      memory_(memory),
      of_work_group_(of_work_group),
      arithmetic_(arithmetic) {
    call(module.entry.function, {});
}

void Invocation::call(uint32_t function, std::vector<Words> parameters) {
    Frame& callee = frames_.emplace_back();
    callee.id = function;
    callee.function = &module_.functions[function];
    callee.parameters = std::move(parameters);
    callee.values.resize(callee.function->instructions.size());
    callee.at = callee.function->blocks[0].first;
}

void Invocation::enter(ir::BlockId block, ir::BlockId from) {
    Frame& f = frame();
    const ir::Block& b = f.function->blocks[block];
    std::vector<Words> phis;
    uint32_t at = b.first;
    for (; f.function->instructions[at].op == Op::Phi; at++) {
        const auto args = f.function->args_of(f.function->instructions[at]);
        for (size_t a = 0; a < args.size(); a += 2)
            if (args[a + 1] == from) phis.push_back(value(args[a]));
    }
    std::copy(phis.begin(), phis.end(), f.values.begin() + b.first);
    f.block = block;
    f.at = at;
}

void Invocation::leave(const Words& returned) {
    const uint32_t id = frame().id;
    frames_.pop_back();
    if (frames_.empty()) {
        state_ = State::Ended;
        return;
    }
    std::erase_if(own_, [&](const auto& m) {
        const ir::Variable& v = module_.variables[m.first];
        return v.kind == ir::VariableKind::Local && v.function == id;
    });
    resume(returned);
}

void Invocation::resume(const Words& result) {
    frame().values[frame().at++] = result;
    state_ = State::Running;
}

void Invocation::fail(std::string why) {
    error = std::move(why);
    state_ = State::Ended;
}

Invocation::State Invocation::run(uint32_t steps) {
    for (; steps > 0 && state_ == State::Running; steps--) {
        const uint32_t index = frame().at;
        const ir::Instruction& i = frame().function->instructions[index];
        if (ir::trait_of(i.op) == ir::Trait::term)
            terminate(i);
        else if (is_shared(i))
            state_ = State::Waiting;
        else if (i.op == Op::Call) {
            std::vector<Words> parameters;
            for (const ir::Value v : frame().function->args_of(i)) parameters.push_back(value(v));
            call(i.aux, std::move(parameters));
        } else {
            step(index);
            frame().at++;
        }
    }
    return state_;
}

const ir::Instruction& Invocation::waiting_at() const {
    return frame().function->instructions[frame().at];
}

Words Invocation::operand(size_t number) const {
    return value(frame().function->args_of(waiting_at())[number]);
}

bool Invocation::waits_with(const Invocation& other) const {
    return state_ == State::Waiting && other.state_ == State::Waiting && &waiting_at() == &other.waiting_at() &&
           frames_.size() == other.frames_.size();
}

bool Invocation::is_behind(const Invocation& other) const {
    const auto before = [](const Frame& a, const Frame& b) { return a.at < b.at; };
    return std::ranges::lexicographical_compare(frames_, other.frames_, before);
}

void Invocation::terminate(const ir::Instruction& last) {
    const ir::BlockId from = frame().block;
    const auto args = frame().function->args_of(last);
    switch (last.op) {
        case Op::Branch:
            return enter(last.aux, from);
        case Op::BranchIf:
            return enter(value(args[0])[0] != 0 ? last.aux : last.aux2, from);
        case Op::Switch: {
            ir::BlockId to = last.aux;
            for (size_t a = args.size(); a > 1; a -= 2)
                if (args[a - 2] == value(args[0])[0]) to = args[a - 1];
            return enter(to, from);
        }
        case Op::Kill:
            killed = true;
            state_ = State::Ended;
            return;
        case Op::Return:
            return leave(args.empty() ? Words{} : value(args[0]));
        default:
            fail("it ends in " + std::string(ir::info(last.op).name));
    }
}

/// Returns the element of a variable in memory; if the variable is an array, the first index selects it.
Words& Invocation::element(const ir::Variable& v, uint32_t variable, std::span<const uint32_t>& indices) {
    auto& words = v.kind == ir::VariableKind::Shared ? of_work_group_[variable] : own_[variable];
    while (words.size() < std::max(1u, v.array[0])) {
        Words& initial = words.emplace_back();
        if (!v.zero_initialised)
            for (uint32_t& word : initial) word = arithmetic_.undefined_word();
    }
    uint32_t index = 0;
    if (v.array[0] != 0) {
        index = value(indices[0])[0];
        indices = indices.subspan(1);
    }
    undefined_if(index >= words.size());
    return words[std::min<size_t>(index, words.size() - 1)];
}

Words Invocation::value(ir::Value v) const {
    if (!ir::is_constant(v)) return frame().values[v];
    const ir::Constant& c = module_.constant(v);
    const auto specialized = surroundings_.specialized.find(c.spec_id);
    if (specialized != surroundings_.specialized.end()) return {specialized->second};
    return {c.words[0], c.words[1], c.words[2], c.words[3]};
}

/// Returns component c of any width; a scalar repeats its only component.
uint64_t Invocation::wide(ir::Value v, uint32_t c) const {
    const ir::Type type = type_of(v);
    if (type.components == 1) c = 0;
    const Words words = value(v);
    return type.is_wide() ? words[2 * c] | uint64_t{words[2 * c + 1]} << 32 : words[c];
}

void Invocation::undefined_if(bool condition) {
    if (condition) undefined.push_back(ir::print(module_, *frame().function, frame().at));
}

void Invocation::step(uint32_t index) {
    const ir::Instruction& i = frame().function->instructions[index];
    const auto args = frame().function->args_of(i);
    Words& out = frame().values[index];
    switch (i.op) {
        case Op::Param:
            out = frame().parameters[i.aux];
            return;
        case Op::Demote:
            killed = true;
            return;
        case Op::Load:
            return load(i, args, out);
        case Op::Store:
            return store(i, args);
        case Op::Atomic:
            return atomic(i, args, out);
        case Op::MemoryBarrier:
            return;
        case Op::IsHelper:
            out[0] = killed;
            return;
        case Op::Undef:
            for (uint32_t& word : out) word = i.type.scalar == ir::Scalar::Bool ? 0 : arithmetic_.undefined_word();
            return;
        case Op::Compose:
            for (uint32_t c = 0; c < i.type.components; c++) set(out, i.type, c, wide(args[c], i.aux >> (2 * c) & 3));
            return;
        case Op::Bitcast:
            out = value(args[0]);
            return;
        case Op::Select:
            for (uint32_t c = 0; c < i.type.components; c++) {
                const bool yes = value(args[0])[width(args[0]) == 1 ? 0 : c] != 0;
                set(out, i.type, c, wide(args[yes ? 1 : 2], c));
            }
            return;
        case Op::Second:
            out = frame().seconds[args[0]];
            return;
        case Op::All:
        case Op::Any: {
            const Words words = value(args[0]);
            const auto all = std::span(words).first(static_cast<size_t>(width(args[0])));
            const auto is_true = [](uint32_t word) { return word != 0; };
            out[0] = i.op == Op::All ? std::ranges::all_of(all, is_true) : std::ranges::any_of(all, is_true);
            return;
        }
        case Op::SparseResident:
            out[0] = value(args[0])[0] == kResident;
            return;
        case Op::ArrayLength:
            out[0] = static_cast<uint32_t>(buffer(i.aux, args).size());
            return;
        case Op::FDot: {
            const Words a = value(args[0]), b = value(args[1]);
            const auto n = static_cast<size_t>(width(args[0]));
            out[0] = arithmetic_.dot(std::span(a).first(n), std::span(b).first(n));
            return;
        }
        case Op::PackHalf:
            out[0] = arithmetic_.pack_half(value(args[0])[0]) | arithmetic_.pack_half(value(args[0])[1]) << 16;
            return;
        case Op::UnpackHalf:
            out[0] = arithmetic_.unpack_half(value(args[0])[0] & 0xffff);
            out[1] = arithmetic_.unpack_half(value(args[0])[0] >> 16);
            return;
        case Op::BitInsert:
        case Op::SBitExtract:
        case Op::UBitExtract:
            return bit_field(i, args, out);
        default:
            break;
    }
    if (ir::is_image_op(i.op) && surroundings_.image) return image(i, args, out);
    for (uint32_t c = 0; c < i.type.components; c++) {
        const std::optional<Answer> answer = args.empty() ? std::nullopt : component_of(i, args, c);
        if (!answer) return fail("unknown: " + ir::print(module_, *frame().function, index));
        undefined_if(answer->undefined);
        set(out, i.type, c, answer->bits);
    }
}

/// The factors of a component that is a product, perhaps negated. What defines a value dominates its use, so operands
/// still have the values of that time.
std::optional<Factors> Invocation::factors_of(ir::Value v, uint32_t c) const {
    bool negative = false;
    while (!ir::is_constant(v)) {
        const ir::Instruction& i = frame().function->instructions[v];
        const auto args = frame().function->args_of(i);
        if (i.type.components == 1) c = 0;
        if (i.op == Op::FMul) {
            if (i.precise) return std::nullopt;
            const uint64_t a = wide(args[0], c);
            return Factors{negative ? a ^ sign_of(i.type) : a, wide(args[1], c)};
        }
        if (i.op == Op::FNegate) {
            negative = !negative;
        } else if (i.op == Op::Compose) {
            const uint32_t selected = i.aux >> (2 * c) & 3;
            v = args[c];
            c = selected;
            continue;
        } else {
            return std::nullopt;
        }
        v = args[0];
    }
    return std::nullopt;
}

/// A sum or difference of which one operand is a product, as one operation.
std::optional<uint64_t> Invocation::contracted(const ir::Instruction& i, std::span<const uint32_t> args, uint32_t c) {
    if (i.precise || (i.op != Op::FAdd && i.op != Op::FSub)) return std::nullopt;
    const uint64_t minus = i.op == Op::FSub ? sign_of(i.type) : 0;
    if (const auto product = factors_of(args[0], c))
        if (const auto sum = arithmetic_.contracted(i.type, *product, wide(args[1], c) ^ minus)) return sum;
    if (const auto product = factors_of(args[1], c))
        return arithmetic_.contracted(i.type, {product->a ^ minus, product->b}, wide(args[0], c));
    return std::nullopt;
}

std::optional<Answer> Invocation::component_of(const ir::Instruction& i, std::span<const uint32_t> args, uint32_t c) {
    if (const auto sum = contracted(i, args, c)) return Answer{*sum};
    uint64_t x[3] = {};
    for (size_t a = 0; a < args.size() && a < 3; a++) x[a] = wide(args[a], c);
    if (i.op != Op::UMulExt && i.op != Op::SMulExt) return arithmetic_.component(i, type_of(args[0]), x);
    const uint64_t product =
        i.op == Op::UMulExt
            ? x[0] * x[1]
            : static_cast<uint64_t>(int64_t{as_int(static_cast<uint32_t>(x[0]))} * as_int(static_cast<uint32_t>(x[1])));
    frame().seconds[frame().at][c] = static_cast<uint32_t>(product >> 32);
    return Answer{product & 0xffff'ffff};
}

void Invocation::load(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
    const ir::Variable& v = module_.variables[i.aux];
    if (is_memory(v)) {
        const Words& words = element(v, i.aux, args);
        out = words;
        if (!args.empty()) out[0] = words[value(args[0])[0] & 3];
        return;
    }
    if (v.kind == ir::VariableKind::StorageBuffer) {
        const std::vector<uint32_t>& words = buffer(i.aux, args);
        const uint32_t word = value(args.back())[0];
        undefined_if(word != 0 && word >= words.size());
        out[0] = word < words.size() ? words[word] : 0;
        return;
    }
    if (v.kind == ir::VariableKind::IoBuffer) {
        const std::vector<uint32_t>& words = v.index == 0 ? surroundings_.io_inputs : surroundings_.io_parameters;
        const uint32_t word = value(args[0])[0];
        if (v.index == 1)
            out[0] = memory_.io_outputs[word];
        else
            out[0] = word < words.size() ? words[word] : 0;
        return;
    }
    if (v.kind == ir::VariableKind::ConstantBuffer) return constant(i, args, out);
    for (const auto* known : std::array<const std::map<ir::BuiltIn, Words>*, 2>{&builtins, &surroundings_.builtins}) {
        const auto builtin = known->find(v.builtin);
        if (v.builtin == ir::BuiltIn::None || builtin == known->end()) continue;
        out = builtin->second;
        if (!args.empty()) out[0] = builtin->second[value(args[0])[0] & 3];
        return;
    }
    const auto at = inputs_.find(v.location);
    if (v.kind != ir::VariableKind::Input || v.builtin != ir::BuiltIn::None || at == inputs_.end())
        return fail("load of something else: " + ir::print(module_, *frame().function, frame().at));
    out = at->second;
    if (!args.empty()) out[0] = at->second[value(args[0])[0] & 3];
}

/// The register of a resource: an array has consecutive ones.
uint32_t Invocation::selected(uint32_t variable, ir::Value index) {
    const ir::Variable& v = module_.variables[variable];
    if (v.array[0] == 0) return v.index;
    undefined_if(value(index)[0] >= v.array[0]);
    return v.index + value(index)[0];
}

std::vector<uint32_t>& Invocation::buffer(uint32_t variable, std::span<const uint32_t> args) {
    return memory_.buffers[selected(variable, args.empty() ? ir::kNone : args[0])];
}

/// The word of a buffer or of memory that an instruction writes.
uint32_t& Invocation::written(uint32_t variable, std::span<const uint32_t> indices) {
    const ir::Variable& v = module_.variables[variable];
    if (is_memory(v)) {
        Words& words = element(v, variable, indices);
        return words[indices.empty() ? 0 : value(indices[0])[0] & 3];
    }
    std::vector<uint32_t>& words = buffer(variable, indices);
    const uint32_t word = value(indices.back())[0];
    undefined_if(word >= words.size());
    return word < words.size() ? words[word] : nowhere_;
}

void Invocation::atomic(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
    const auto what = static_cast<ir::AtomicOp>(i.sub);
    const auto operands = args.last(static_cast<size_t>(ir::atomic_operands(what)));
    uint32_t& word = written(i.aux, args.first(args.size() - operands.size()));
    out[0] = word;
    if (killed) return;
    word = after_atomic(what, word, value(operands[0])[0], value(operands.back())[0]);
}

void Invocation::constant(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
    const ir::Variable& v = module_.variables[i.aux];
    const auto buffer = surroundings_.constants.find(selected(i.aux, args[0]));
    if (v.array[0] != 0) args = args.subspan(1);
    const uint32_t element = value(args[0])[0];
    undefined_if(element >= v.array[1]);
    const bool is_given = buffer != surroundings_.constants.end() && element < buffer->second.size();
    const Words words = is_given ? buffer->second[element] : Words{};
    out = words;
    if (args.size() > 1) out[0] = words[value(args[1])[0] & 3];
}

void Invocation::image(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
    const ir::ImageOp& what = module_.image_ops[i.aux];
    ImageAccess access;
    access.op = i.op;
    access.image = &what;
    access.at = ir::image_arguments(module_, i);
    for (const ir::Value v : args) access.args.push_back(value(v));
    const auto index = [&](int where) { return where < 0 ? ir::kNone : args[static_cast<size_t>(where)]; };
    access.texture = selected(what.image, index(access.at.image_index));
    if (what.sampler != ir::kNone) access.sampler = selected(what.sampler, index(access.at.sampler_index));
    const ImageAnswer answer = surroundings_.image(access);
    out = answer.words;
    frame().seconds[frame().at] = {answer.resident ? kResident : 0};
}

void Invocation::store(const ir::Instruction& i, std::span<const uint32_t> args) {
    const ir::Variable& v = module_.variables[i.aux];
    const Words words = value(args.back());
    if (is_memory(v)) {
        auto indices = args.first(args.size() - 1);
        Words& to = element(v, i.aux, indices);
        if (indices.empty())
            to = words;
        else
            to[value(indices[0])[0] & 3] = words[0];
        return;
    }
    const bool is_buffer = v.kind == ir::VariableKind::StorageBuffer || v.kind == ir::VariableKind::IoBuffer;
    if (is_buffer && killed) return;
    if (v.kind == ir::VariableKind::StorageBuffer) {
        written(i.aux, args.first(args.size() - 1)) = words[0];
        return;
    }
    if (v.kind == ir::VariableKind::IoBuffer) {
        memory_.io_outputs[value(args[0])[0]] = words[0];
        return;
    }
    if (v.kind != ir::VariableKind::Output || v.builtin != ir::BuiltIn::None) return;
    Words& to = outputs[v.semantic_index];
    if (args.size() == 1)
        to = words;
    else
        to[value(args[0])[0] & 3] = words[0];
}

void Invocation::bit_field(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
    const size_t first = i.op == Op::BitInsert ? 2 : 1;
    const uint32_t offset = value(args[first])[0], count = value(args[first + 1])[0];
    undefined_if(offset > 32 || count > 32 || offset + count > 32);
    const uint64_t field = ((uint64_t{1} << (count & 63)) - 1) << (offset & 31);
    const auto mask = static_cast<uint32_t>(field);
    for (uint32_t c = 0; c < i.type.components; c++) {
        const uint32_t base = value(args[0])[c];
        if (i.op == Op::BitInsert) {
            out[c] = (base & ~mask) | ((value(args[1])[c] << (offset & 31)) & mask);
            continue;
        }
        uint32_t bits = (base & mask) >> (offset & 31);
        const bool negative = count != 0 && (bits >> (count - 1) & 1) != 0;
        if (i.op == Op::SBitExtract && negative && count < 32) bits |= ~0u << count;
        out[c] = bits;
    }
}

}  // namespace tgsi2spv::test

#include "lower/evaluate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/operations.h"
#include "ir/print.h"

namespace tgsi2spv::test {
namespace {

using ir::Op;

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

class Evaluator {
  public:
    Evaluator(const ir::Module& module, const std::map<uint32_t, Words>& inputs, const Surroundings& surroundings,
              uint32_t function, std::vector<Words> parameters = {})
        : module_(module),
          inputs_(inputs),
          surroundings_(surroundings),
          function_(module.functions[function]),
          parameters_(std::move(parameters)) {
        result_.buffers = surroundings.buffers;
    }

    Evaluation run() {
        values_.resize(function_.instructions.size());
        ir::BlockId block = 0, from = 0;
        for (int turns = 0; block != kLeft && result_.error.empty(); turns++) {
            if (turns > kMaxBlocks) result_.error = "it does not end";
            const ir::BlockId next = run_block(block, from);
            from = block;
            block = next;
        }
        return std::move(result_);
    }
    const Words& returned() const { return returned_; }

  private:
    const ir::Module& module_;
    const std::map<uint32_t, Words>& inputs_;
    const Surroundings& surroundings_;
    const ir::Function& function_;
    const std::vector<Words> parameters_;
    Words returned_{};
    std::vector<Words> values_;
    std::map<uint32_t, Words> seconds_;
    Evaluation result_;
    std::map<uint32_t, std::vector<Words>> memory_;  ///< Private, Local and Shared variables, initially zero
    uint32_t current_ = 0, nowhere_ = 0;
    bool ended_ = false;  ///< by a Kill, here or in a callee
    static constexpr ir::BlockId kLeft = 0xffff'ffff;
    static constexpr int kMaxBlocks = 100'000;
    static constexpr uint32_t kResident = 1;  ///< as a residency code

    ir::BlockId run_block(ir::BlockId block, ir::BlockId from) {
        const ir::Block& b = function_.blocks[block];
        const uint32_t end = b.first + b.count;
        uint32_t at = b.first;
        std::vector<Words> phis;
        for (; function_.instructions[at].op == Op::Phi; at++) {
            const auto args = function_.args_of(function_.instructions[at]);
            for (size_t a = 0; a < args.size(); a += 2)
                if (args[a + 1] == from) phis.push_back(value(args[a]));
        }
        std::copy(phis.begin(), phis.end(), values_.begin() + b.first);
        for (; at + 1 < end && result_.error.empty() && !ended_; at++) step(at);
        if (ended_) return kLeft;
        const ir::Instruction& last = function_.instructions[end - 1];
        const auto args = function_.args_of(last);
        switch (last.op) {
            case Op::Branch:
                return last.aux;
            case Op::BranchIf:
                return value(args[0])[0] != 0 ? last.aux : last.aux2;
            case Op::Switch:
                for (size_t a = 1; a < args.size(); a += 2)
                    if (args[a] == value(args[0])[0]) return args[a + 1];
                return last.aux;
            case Op::Kill:
                result_.killed = ended_ = true;
                return kLeft;
            case Op::Return:
                if (!args.empty()) returned_ = value(args[0]);
                return kLeft;
            default:
                result_.error = "it ends in " + ir::print(module_, function_, end - 1);
                return kLeft;
        }
    }

    /// Returns the element of a variable in memory; if the variable is an array, the first index selects it.
    Words& element(const ir::Variable& v, uint32_t variable, std::span<const uint32_t>& indices) {
        auto& words = memory_[variable];
        words.resize(std::max(1u, v.array[0]));
        uint32_t index = 0;
        if (v.array[0] != 0) {
            index = value(indices[0])[0];
            indices = indices.subspan(1);
        }
        undefined_if(index >= words.size());
        return words[std::min<size_t>(index, words.size() - 1)];
    }
    static bool is_memory(const ir::Variable& v) {
        return v.kind == ir::VariableKind::Private || v.kind == ir::VariableKind::Local ||
               v.kind == ir::VariableKind::Shared;
    }

    Words value(ir::Value v) const {
        if (!ir::is_constant(v)) return values_[v];
        const ir::Constant& c = module_.constant(v);
        const auto specialized = surroundings_.specialized.find(c.spec_id);
        if (specialized != surroundings_.specialized.end()) return {specialized->second};
        return {c.words[0], c.words[1], c.words[2], c.words[3]};
    }
    ir::Type type_of(ir::Value v) const { return ir::type_of(module_, function_, v); }
    int width(ir::Value v) const { return type_of(v).components; }
    /// Returns component c of any width; a scalar repeats its only component.
    uint64_t wide(ir::Value v, uint32_t c) const {
        const ir::Type type = type_of(v);
        if (type.components == 1) c = 0;
        const Words words = value(v);
        return type.is_wide() ? words[2 * c] | uint64_t{words[2 * c + 1]} << 32 : words[c];
    }
    static void set(Words& words, ir::Type type, uint32_t c, uint64_t bits) {
        words[type.is_wide() ? 2 * c : c] = static_cast<uint32_t>(bits);
        if (type.is_wide()) words[2 * c + 1] = static_cast<uint32_t>(bits >> 32);
    }
    void undefined_if(bool condition) {
        if (condition) result_.undefined.push_back(ir::print(module_, function_, current_));
    }

    void step(uint32_t index) {
        current_ = index;
        const ir::Instruction& i = function_.instructions[index];
        const auto args = function_.args_of(i);
        Words& out = values_[index];
        switch (i.op) {
            case Op::Param:
                out = parameters_[i.aux];
                return;
            case Op::Call:
                return call(i, args, out);
            case Op::Demote:
                result_.killed = true;
                return;
            case Op::Load:
                return load(i, args, out);
            case Op::Store:
                return store(i, args);
            case Op::Atomic:
                return atomic(i, args, out);
            case Op::MemoryBarrier:
            case Op::ControlBarrier:
                return;
            case Op::Compose:
                for (uint32_t c = 0; c < i.type.components; c++)
                    set(out, i.type, c, wide(args[c], i.aux >> (2 * c) & 3));
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
                out = seconds_[args[0]];
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
                float total = 0;
                for (int c = 0; c < width(args[0]); c++) {
                    const float p = as_float(value(args[0])[c]) * as_float(value(args[1])[c]);
                    total = c == 0 ? p : total + p;
                }
                out[0] = as_word(total);
                return;
            }
            case Op::PackHalf:
                out[0] = to_half(as_float(value(args[0])[0])) | to_half(as_float(value(args[0])[1])) << 16;
                return;
            case Op::UnpackHalf:
                out[0] = as_word(from_half(value(args[0])[0] & 0xffff));
                out[1] = as_word(from_half(value(args[0])[0] >> 16));
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
            uint64_t x[3] = {};
            for (size_t a = 0; a < args.size() && a < 3; a++) x[a] = wide(args[a], c);
            const std::optional<Answer> answer = args.empty() ? std::nullopt : component_of(i, args, x, c);
            if (!answer) {
                result_.error = "unknown: " + ir::print(module_, function_, index);
                return;
            }
            undefined_if(answer->undefined);
            set(out, i.type, c, answer->bits);
        }
    }

    void call(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
        std::vector<Words> parameters;
        for (const ir::Value v : args) parameters.push_back(value(v));
        Evaluator callee(module_, inputs_, surroundings_, i.aux, std::move(parameters));
        callee.result_ = std::move(result_);
        callee.memory_ = std::move(memory_);
        result_ = callee.run();
        memory_ = std::move(callee.memory_);
        std::erase_if(memory_, [&](const auto& m) {
            const ir::Variable& v = module_.variables[m.first];
            return v.kind == ir::VariableKind::Local && v.function == i.aux;
        });
        ended_ = callee.ended_;
        out = callee.returned();
    }

    std::optional<Answer> component_of(const ir::Instruction& i, std::span<const uint32_t> args, const Operands& x,
                                       uint32_t c) {
        if (i.op != Op::UMulExt && i.op != Op::SMulExt) return component(i.op, type_of(args[0]), i.type, x);
        const uint64_t product = i.op == Op::UMulExt
                                     ? x[0] * x[1]
                                     : static_cast<uint64_t>(int64_t{as_int(static_cast<uint32_t>(x[0]))} *
                                                             as_int(static_cast<uint32_t>(x[1])));
        seconds_[current_][c] = static_cast<uint32_t>(product >> 32);
        return Answer{product & 0xffff'ffff};
    }

    void load(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
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
            out[0] = word < words.size() ? words[word] : 0;
            return;
        }
        if (v.kind == ir::VariableKind::ConstantBuffer) return constant(i, args, out);
        const auto builtin = surroundings_.builtins.find(v.builtin);
        if (v.builtin != ir::BuiltIn::None && builtin != surroundings_.builtins.end()) {
            out = builtin->second;
            if (!args.empty()) out[0] = builtin->second[value(args[0])[0] & 3];
            return;
        }
        const auto at = inputs_.find(v.location);
        if (v.kind != ir::VariableKind::Input || v.builtin != ir::BuiltIn::None || at == inputs_.end()) {
            result_.error = "load of something else: " + ir::print(module_, function_, current_);
            return;
        }
        out = at->second;
        if (!args.empty()) out[0] = at->second[value(args[0])[0] & 3];
    }

    /// The register of a resource: an array has consecutive ones.
    uint32_t selected(uint32_t variable, ir::Value index) {
        const ir::Variable& v = module_.variables[variable];
        if (v.array[0] == 0) return v.index;
        undefined_if(value(index)[0] >= v.array[0]);
        return v.index + value(index)[0];
    }
    template <typename Element>
    static const std::vector<Element>& found(const std::map<uint32_t, std::vector<Element>>& all, uint32_t index) {
        static const std::vector<Element> kEmpty;
        const auto at = all.find(index);
        return at == all.end() ? kEmpty : at->second;
    }
    std::vector<uint32_t>& buffer(uint32_t variable, std::span<const uint32_t> args) {
        return result_.buffers[selected(variable, args.empty() ? ir::kNone : args[0])];
    }
    /// The word of a buffer or of memory that an instruction writes.
    uint32_t& written(uint32_t variable, std::span<const uint32_t> indices) {
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
    void atomic(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
        const auto what = static_cast<ir::AtomicOp>(i.sub);
        const auto operands = args.last(static_cast<size_t>(ir::atomic_operands(what)));
        uint32_t& word = written(i.aux, args.first(args.size() - operands.size()));
        out[0] = word;
        word = after_atomic(what, word, value(operands[0])[0], value(operands.back())[0]);
    }
    void constant(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
        const ir::Variable& v = module_.variables[i.aux];
        const std::vector<Words>& elements = found(surroundings_.constants, selected(i.aux, args[0]));
        if (v.array[0] != 0) args = args.subspan(1);
        const uint32_t element = value(args[0])[0];
        undefined_if(element >= v.array[1]);
        const Words words = element < elements.size() ? elements[element] : Words{};
        out = words;
        if (args.size() > 1) out[0] = words[value(args[1])[0] & 3];
    }
    void image(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
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
        seconds_[current_] = {answer.resident ? kResident : 0};
    }

    void store(const ir::Instruction& i, std::span<const uint32_t> args) {
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
        if (v.kind == ir::VariableKind::StorageBuffer) {
            written(i.aux, args.first(args.size() - 1)) = words[0];
            return;
        }
        if (v.kind == ir::VariableKind::IoBuffer) {
            result_.io_outputs[value(args[0])[0]] = words[0];
            return;
        }
        if (v.kind != ir::VariableKind::Output || v.builtin != ir::BuiltIn::None) return;
        Words& to = result_.outputs[v.semantic_index];
        if (args.size() == 1)
            to = words;
        else
            to[value(args[0])[0] & 3] = words[0];
    }

    void bit_field(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
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
};

}  // namespace

Evaluation evaluate(const ir::Module& module, const std::map<uint32_t, Words>& inputs,
                    const Surroundings& surroundings) {
    return Evaluator(module, inputs, surroundings, module.entry.function).run();
}

}  // namespace tgsi2spv::test

#include "lower/evaluate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "ir/print.h"
#include "lower/evaluate_wide.h"

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

/// NMin and NMax: if one operand is NaN, the result is the other one.
float number_min(float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b);
}
float number_max(float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
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

class Evaluator {
  public:
    Evaluator(const ir::Module& module, const std::map<uint32_t, Words>& inputs)
        : module_(module), inputs_(inputs), function_(module.functions[module.entry.function]) {}

    Evaluation run() {
        values_.resize(function_.instructions.size());
        ir::BlockId block = 0, from = 0;
        for (int turns = 0; block != kLeft && result_.error.empty(); turns++) {
            if (turns > kMostBlocks) result_.error = "it does not end";
            const ir::BlockId next = run_block(block, from);
            from = block;
            block = next;
        }
        return std::move(result_);
    }

  private:
    const ir::Module& module_;
    const std::map<uint32_t, Words>& inputs_;
    const ir::Function& function_;
    std::vector<Words> values_;
    std::map<uint32_t, Words> seconds_;
    Evaluation result_;
    std::map<uint32_t, std::vector<Words>> memory_;  ///< Private and Local variables, initially zero
    uint32_t current_ = 0;
    static constexpr ir::BlockId kLeft = 0xffff'ffff;
    static constexpr int kMostBlocks = 10'000;

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
        for (; at + 1 < end && result_.error.empty(); at++) step(at);
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
            case Op::Return:
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
        return v.kind == ir::VariableKind::Private || v.kind == ir::VariableKind::Local;
    }

    Words value(ir::Value v) const {
        if (!ir::is_constant(v)) return values_[v];
        const ir::Constant& c = module_.constants[v & ~ir::kConstantBit];
        return {c.words[0], c.words[1], c.words[2], c.words[3]};
    }
    ir::Type type_of(ir::Value v) const {
        return ir::is_constant(v) ? module_.constants[v & ~ir::kConstantBit].type : function_.instructions[v].type;
    }
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
            case Op::Load:
                return load(i, args, out);
            case Op::Store:
                return store(i, args);
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
        if (!args.empty() && (i.type.is_wide() || type_of(args[0]).is_wide())) return step_wide(i, args, out);
        for (uint32_t c = 0; c < i.type.components; c++) {
            uint32_t w[3] = {};
            for (size_t a = 0; a < args.size() && a < 3; a++) w[a] = value(args[a])[c];
            const std::optional<uint32_t> word = component(i.op, w, index, c);
            if (!word) {
                result_.error = "unknown: " + ir::print(module_, function_, index);
                return;
            }
            out[c] = *word;
        }
    }

    void step_wide(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
        for (uint32_t c = 0; c < i.type.components; c++) {
            uint64_t x[3] = {};
            for (size_t a = 0; a < args.size() && a < 3; a++) x[a] = wide(args[a], c);
            const std::optional<Wide> word = wide_component(i.op, type_of(args[0]), i.type, x);
            if (!word) {
                result_.error = "unknown: " + ir::print(module_, function_, current_);
                return;
            }
            undefined_if(word->undefined);
            set(out, i.type, c, word->bits);
        }
    }

    void load(const ir::Instruction& i, std::span<const uint32_t> args, Words& out) {
        const ir::Variable& v = module_.variables[i.aux];
        if (is_memory(v)) {
            const Words& words = element(v, i.aux, args);
            out = words;
            if (!args.empty()) out[0] = words[value(args[0])[0] & 3];
            return;
        }
        const auto at = inputs_.find(v.location);
        if (v.kind != ir::VariableKind::Input || at == inputs_.end()) {
            result_.error = "load of something else: " + ir::print(module_, function_, current_);
            return;
        }
        out = at->second;
        if (!args.empty()) out[0] = at->second[value(args[0])[0] & 3];
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

    std::optional<uint32_t> component(Op op, const uint32_t* w, uint32_t index, uint32_t c) {
        if (const auto x = of_float(op, w)) return x;
        if (const auto x = of_int(op, w)) return x;
        if (op != Op::UMulExt && op != Op::SMulExt) return std::nullopt;
        const uint64_t product = op == Op::UMulExt
                                     ? uint64_t{w[0]} * w[1]
                                     : static_cast<uint64_t>(int64_t{as_int(w[0])} * int64_t{as_int(w[1])});
        seconds_[index][c] = static_cast<uint32_t>(product >> 32);
        return static_cast<uint32_t>(product);
    }

    std::optional<uint32_t> of_float(Op op, const uint32_t* w) {
        const float a = as_float(w[0]), b = as_float(w[1]), c = as_float(w[2]);
        switch (op) {
            case Op::FAdd:
                return as_word(a + b);
            case Op::FSub:
                return as_word(a - b);
            case Op::FMul:
                return as_word(a * b);
            case Op::FDiv:
                return as_word(a / b);
            case Op::FNegate:
                return w[0] ^ 0x8000'0000;
            case Op::FAbs:
                return w[0] & 0x7fff'ffff;
            case Op::Fma:
                return as_word(std::fma(a, b, c));
            case Op::FMin:
                return as_word(number_min(a, b));
            case Op::FMax:
                return as_word(number_max(a, b));
            case Op::FClamp:
                return as_word(number_min(number_max(a, b), c));
            case Op::FFloor:
                return as_word(std::floor(a));
            case Op::FCeil:
                return as_word(std::ceil(a));
            case Op::FTrunc:
                return as_word(std::trunc(a));
            case Op::FRoundEven:
                return as_word(std::nearbyint(a));
            case Op::FFract:
                return as_word(a - std::floor(a));
            case Op::FSqrt:
                return as_word(std::sqrt(a));
            case Op::FRsqrt:
                return as_word(1.0f / std::sqrt(a));
            case Op::FExp2:
                return as_word(std::exp2(a));
            case Op::FLog2:
                return as_word(std::log2(a));
            case Op::FSin:
            case Op::FCos:  // undefined outside [-pi, pi]; lowering passes on only angles beyond 2^15
                undefined_if(std::fabs(static_cast<double>(a)) > std::numbers::pi && std::fabs(a) <= 32768);
                return as_word(op == Op::FSin ? std::sin(a) : std::cos(a));
            case Op::FPow:
                return as_word(std::pow(a, b));
            case Op::FOEq:
                return a == b;
            case Op::FUNe:
                return !(a == b);
            case Op::FOLt:
                return a < b;
            case Op::FOLe:
                return a <= b;
            case Op::FOGt:
                return a > b;
            case Op::FOGe:
                return a >= b;
            case Op::IsNan:
                return std::isnan(a);
            case Op::FToS:
                undefined_if(!(a > -2147483904.0f && a < 2147483648.0f));
                return std::isfinite(a) ? static_cast<uint32_t>(static_cast<int64_t>(std::fmod(a, 4294967296.0f))) : 0;
            case Op::FToU:
                undefined_if(!(a > -1.0f && a < 4294967296.0f));
                return std::isfinite(a) ? static_cast<uint32_t>(static_cast<int64_t>(std::fmod(a, 4294967296.0f))) : 0;
            default:
                return std::nullopt;
        }
    }

    std::optional<uint32_t> of_int(Op op, const uint32_t* w) {
        const uint32_t a = w[0], b = w[1];
        const int32_t sa = as_int(a), sb = as_int(b);
        switch (op) {
            case Op::IAdd:
                return a + b;
            case Op::ISub:
                return a - b;
            case Op::IMul:
                return a * b;
            case Op::INegate:
                return 0u - a;
            case Op::UDiv:
            case Op::UMod:
                undefined_if(b == 0);
                if (b == 0) return 0xdead'beef;
                return op == Op::UDiv ? a / b : a % b;
            case Op::SDiv:
                undefined_if(b == 0 || (a == 0x8000'0000 && sb == -1));
                if (b == 0 || (a == 0x8000'0000 && sb == -1)) return 0xdead'beef;
                return static_cast<uint32_t>(sa / sb);
            case Op::SAbs:
                return sa < 0 ? 0u - a : a;
            case Op::SSign:
                return sa < 0 ? 0xffff'ffff : sa > 0;
            case Op::SMin:
                return sa < sb ? a : b;
            case Op::SMax:
                return sa < sb ? b : a;
            case Op::UMin:
                return std::min(a, b);
            case Op::UMax:
                return std::max(a, b);
            case Op::And:
            case Op::LAnd:
                return a & b;
            case Op::Or:
            case Op::LOr:
                return a | b;
            case Op::Xor:
                return a ^ b;
            case Op::Not:
                return ~a;
            case Op::LNot:
                return a ^ 1;
            case Op::Shl:
            case Op::LShr:
            case Op::AShr:
                undefined_if(b >= 32);
                if (op == Op::Shl) return a << (b & 31);
                return op == Op::LShr ? a >> (b & 31) : static_cast<uint32_t>(sa >> (b & 31));
            case Op::BitReverse: {
                uint32_t r = 0;
                for (int i = 0; i < 32; i++) r |= (a >> i & 1) << (31 - i);
                return r;
            }
            case Op::BitCount:
                return static_cast<uint32_t>(std::popcount(a));
            case Op::FindLsb:
                return a == 0 ? 0xffff'ffff : static_cast<uint32_t>(std::countr_zero(a));
            case Op::FindUMsb:
                return static_cast<uint32_t>(31 - std::countl_zero(a));
            case Op::FindSMsb:
                return static_cast<uint32_t>(31 - std::countl_zero(sa < 0 ? ~a : a));
            case Op::IEq:
                return a == b;
            case Op::INe:
                return a != b;
            case Op::SLt:
                return sa < sb;
            case Op::SLe:
                return sa <= sb;
            case Op::SGt:
                return sa > sb;
            case Op::SGe:
                return sa >= sb;
            case Op::ULt:
                return a < b;
            case Op::ULe:
                return a <= b;
            case Op::UGt:
                return a > b;
            case Op::UGe:
                return a >= b;
            case Op::SToF:
                return as_word(static_cast<float>(sa));
            case Op::UToF:
                return as_word(static_cast<float>(a));
            default:
                return std::nullopt;
        }
    }
};

}  // namespace

Evaluation evaluate(const ir::Module& module, const std::map<uint32_t, Words>& inputs) {
    return Evaluator(module, inputs).run();
}

}  // namespace tgsi2spv::test

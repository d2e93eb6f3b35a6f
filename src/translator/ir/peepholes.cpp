// Each law is written before its code. It holds for every bit pattern: NaN, both zeros, infinities, INT_MIN. Float
// arithmetic may flush denormals where the law does not: Vulkan permits both.
#include "ir/peepholes.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "ir/compose.h"
#include "ir/fold_constants.h"
#include "ir/plain_laws.h"

namespace tgsi2spv::ir {
namespace {

constexpr uint32_t kOne = 0x3f80'0000u, kMinusZero = 0x8000'0000u, kAllBits = 0xffff'ffffu;

struct Laws {
    Module& m;
    Function& f;
    uint32_t index;
    ConstantTable& constants;

    Instruction& self() { return f.instructions[index]; }
    Value arg(size_t n) { return f.args[self().first_arg + n]; }
    Type type_of(Value v) const { return ir::type_of(m, f, v); }

    // ---- looking at operands
    const Constant* constant(Value v) const {
        if (!is_constant(v)) return nullptr;
        const Constant& c = m.constant(v);
        return c.spec_id < 0 ? &c : nullptr;
    }
    /// Whether every component is `bits`: a 32-bit word or bool; for 64-bit types the value 0, 1 or ~0.
    bool is_all(Value v, uint32_t bits) const {
        const Constant* c = constant(v);
        if (c == nullptr) return false;
        const size_t n = c->type.components;
        if (!c->type.is_wide())
            return std::all_of(c->words.begin(), c->words.begin() + n, [&](uint32_t w) { return w == bits; });
        if (c->type.is_float()) return false;
        for (size_t i = 0; i < n; i++)
            if (c->words[2 * i] != bits || c->words[2 * i + 1] != (bits == kAllBits ? kAllBits : 0)) return false;
        return true;
    }
    bool is_f32(Value v, uint32_t bits) const { return type_of(v).scalar == Scalar::F32 && is_all(v, bits); }
    const Instruction* defined_by(Value v, Op op) const {
        if (is_constant(v) || f.instructions[v].op != op) return nullptr;
        return &f.instructions[v];
    }
    Value operand(const Instruction& instruction, size_t n) const { return f.args[instruction.first_arg + n]; }

    // ---- results
    static Peephole none() { return {}; }
    static Peephole is(Value v) { return {.kind = Peephole::Kind::IsValue, .value = v}; }
    Peephole is(const Constant& constant) { return is(intern(constant)); }
    Peephole is_splat(uint32_t bits) {
        Constant c{.type = self().type};
        const size_t words = c.type.components * (c.type.is_wide() ? 2u : 1u);
        for (size_t i = 0; i < words; i++) c.words[i] = c.type.is_wide() && i % 2 == 1 && bits != kAllBits ? 0 : bits;
        return is(c);
    }
    Value intern(const Constant& constant) { return constants.find_or_add(m, constant); }
    Peephole rewrite(Op op, std::initializer_list<Value> args) {
        // `args` may point to the arguments that are overwritten: they are already copied.
        Instruction& i = self();
        if (args.size() > i.num_args) {
            i.first_arg = static_cast<uint32_t>(f.args.size());
            f.args.resize(f.args.size() + args.size());
        }
        std::copy(args.begin(), args.end(), f.args.begin() + i.first_arg);
        i.op = op;
        i.num_args = static_cast<uint32_t>(args.size());
        i.aux = 0;
        i.precise = i.precise && is_float_arithmetic(op);
        return {.kind = Peephole::Kind::Rewritten};
    }

    // ---- float
    Peephole float_sum(bool subtract) {
        const Value a = arg(0), b = arg(1);
        // x + -0 = x, x - +0 = x, for -0 and +0 too. (x + +0 is not: -0 + +0 = +0.)
        if (is_f32(b, subtract ? 0 : kMinusZero)) return is(a);
        // x + -y = x - y, x - -y = x + y: the definition of subtraction.
        if (const auto* n = defined_by(b, Op::FNegate))
            return rewrite(subtract ? Op::FAdd : Op::FSub, {a, operand(*n, 0)});
        // -x + y = y - x.
        if (const auto* n = subtract ? nullptr : defined_by(a, Op::FNegate))
            return rewrite(Op::FSub, {b, operand(*n, 0)});
        return none();
    }
    Peephole float_product() {
        const Value a = arg(0), b = arg(1);
        // x * 1 = x.
        if (is_f32(b, kOne)) return is(a);
        const auto *m0 = defined_by(a, Op::FNegate), *m1 = defined_by(b, Op::FNegate);
        // -x * -y = x * y: signs and magnitudes multiply separately.
        if (m0 != nullptr && m1 != nullptr) return rewrite(Op::FMul, {operand(*m0, 0), operand(*m1, 0)});
        // -x * c = x * -c.
        if (const Constant* c = constant(b); m0 != nullptr && c != nullptr && c->type.scalar == Scalar::F32) {
            const Value x = operand(*m0, 0);
            Constant negated = *c;
            for (size_t i = 0; i < c->type.components; i++) negated.words[i] ^= kMinusZero;
            return rewrite(Op::FMul, {x, intern(negated)});
        }
        return none();
    }

    // ---- integer
    /// (x op c) op d = x op (c op d), for IAdd, IMul, And, Or, Xor.
    Peephole chain() {
        const Op op = self().op;
        const auto* inner = defined_by(arg(0), op);
        const Constant* outer = constant(arg(1));
        if (inner == nullptr || outer == nullptr) return none();
        const Constant* nearer = constant(operand(*inner, 1));
        if (nearer == nullptr) return none();
        const Constant* both[] = {nearer, outer};
        const auto folded = fold_constants(op, self().type, both);
        return folded ? rewrite(op, {operand(*inner, 0), intern(*folded)}) : none();
    }
    /// The largest that this component of a u32 may be, as its definition tells.
    uint32_t largest(Value v, size_t component, int depth = 4) const {
        if (const Constant* c = constant(v)) return c->words[component];
        if (is_constant(v) || depth == 0) return kAllBits;
        const Instruction& i = f.instructions[v];
        const auto arg = [&](size_t n) { return largest(operand(i, n), component, depth - 1); };
        switch (i.op) {
            case Op::Compose:
                return largest(operand(i, component), i.aux >> 2 * component & 3, depth - 1);
            case Op::Bitcast:
                return type_of(operand(i, 0)).is_wide() ? kAllBits : arg(0);
            case Op::Select:
            case Op::UMax:
                return std::max(arg(i.num_args - 2), arg(i.num_args - 1));
            case Op::And:
            case Op::UMin:
                return std::min(arg(0), arg(1));
            case Op::UMod:
                return std::max(arg(1), 1u) - 1;
            case Op::LShr:
                return constant(operand(i, 1)) != nullptr ? arg(0) >> (arg(1) & 31) : kAllBits;
            case Op::IAdd:
                return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{arg(0)} + arg(1), kAllBits));
            default:
                return kAllBits;
        }
    }
    /// min(x, c) = x, and x < c is true, where x cannot be larger: guests test indices that they have limited.
    Peephole limit() {
        const Constant* c = constant(arg(1));
        if (c == nullptr || c->type.is_wide()) return none();
        const bool tests = self().op == Op::ULt;
        for (size_t n = 0; n < c->type.components; n++)
            if (uint64_t{largest(arg(0), n)} + (tests ? 1 : 0) > c->words[n]) return none();
        return tests ? is_splat(1) : is(arg(0));
    }
    /// If v is condition ? ~0 : 0: the condition.
    Value mask_condition(Value v) const {
        const auto* s = defined_by(v, Op::Select);
        if (s == nullptr || !is_all(operand(*s, 1), kAllBits) || !is_all(operand(*s, 2), 0)) return kNone;
        const Value c = operand(*s, 0);
        return type_of(c).components == type_of(v).components ? c : kNone;
    }
    /// (mask op mask) != 0 is the same operation on the conditions.
    Peephole mask_test() {
        if (!is_all(arg(1), 0) || is_constant(arg(0))) return none();
        const Instruction& i = f.instructions[arg(0)];
        if (i.op != Op::And && i.op != Op::Or && i.op != Op::Xor) return none();
        const Value a = mask_condition(operand(i, 0)), b = mask_condition(operand(i, 1));
        if (a == kNone || b == kNone) return none();
        return rewrite(i.op == Op::And ? Op::LAnd : i.op == Op::Or ? Op::LOr : Op::LNe, {a, b});
    }

    // ---- bool
    static Op inverse(Op op) {
        switch (op) {
            case Op::IEq:
                return Op::INe;
            case Op::INe:
                return Op::IEq;
            case Op::SLt:
                return Op::SGe;
            case Op::SGe:
                return Op::SLt;
            case Op::SLe:
                return Op::SGt;
            case Op::SGt:
                return Op::SLe;
            case Op::ULt:
                return Op::UGe;
            case Op::UGe:
                return Op::ULt;
            case Op::ULe:
                return Op::UGt;
            case Op::UGt:
                return Op::ULe;
            case Op::FOEq:
                return Op::FUNe;  // the only such pair for floats: !(a < b) is true for NaN, a >= b is not
            case Op::FUNe:
                return Op::FOEq;
            case Op::LEq:
                return Op::LNe;
            case Op::LNe:
                return Op::LEq;
            default:
                return Op::LNot;
        }
    }
    Peephole logical_not() {
        if (const auto* n = defined_by(arg(0), Op::LNot)) return is(operand(*n, 0));
        if (is_constant(arg(0))) return none();
        const Instruction& i = f.instructions[arg(0)];
        const Op op = inverse(i.op);
        if (op == Op::LNot) return none();
        return rewrite(op, {operand(i, 0), operand(i, 1)});
    }

    // ---- selections
    Peephole select() {
        const Value c = arg(0), a = arg(1), b = arg(2);
        if (a == b) return is(a);
        if (is_all(c, 1)) return is(a);
        if (is_all(c, 0)) return is(b);
        // !c ? a : b = c ? b : a.
        if (const auto* n = defined_by(c, Op::LNot)) return rewrite(Op::Select, {operand(*n, 0), b, a});
        // c ? (c ? a : x) : b = c ? a : b, and so for the other arm.
        if (const auto* s = defined_by(a, Op::Select); s != nullptr && operand(*s, 0) == c)
            return rewrite(Op::Select, {c, operand(*s, 1), b});
        if (const auto* s = defined_by(b, Op::Select); s != nullptr && operand(*s, 0) == c)
            return rewrite(Op::Select, {c, a, operand(*s, 2)});
        const bool is_bool = self().type.scalar == Scalar::Bool && type_of(c) == self().type;
        if (is_bool && is_all(a, 1) && is_all(b, 0)) return is(c);
        if (is_bool && is_all(a, 0) && is_all(b, 1)) return rewrite(Op::LNot, {c});
        return none();
    }
    /// op(c ? k : l, constants) = c ? op(k, constants) : op(l, constants): a comparison that TGSI stores as ~0 or 1.0
    /// becomes a comparison again where it is tested.
    Peephole over_select() {
        const auto args = std::as_const(f).args_of(self());
        if (args.empty() || args.size() > 3) return none();
        size_t at = args.size();
        for (size_t n = 0; n < args.size(); n++) {
            if (constant(args[n]) != nullptr) continue;
            if (at != args.size() || defined_by(args[n], Op::Select) == nullptr) return none();
            at = n;
        }
        if (at == args.size()) return none();
        const Instruction& s = f.instructions[args[at]];
        const Constant *k = constant(operand(s, 1)), *l = constant(operand(s, 2));
        const Value condition = operand(s, 0);
        const Type type = self().type;
        const int width = type_of(condition).components;
        if (k == nullptr || l == nullptr || (width != 1 && (width != type.components || width != s.type.components)))
            return none();
        std::array<const Constant*, 3> values{};
        auto fold_with = [&](const Constant* chosen) {
            for (size_t n = 0; n < args.size(); n++) values[n] = n == at ? chosen : constant(args[n]);
            return fold_constants(self().op, type, std::span(values.data(), args.size()));
        };
        const auto if_true = fold_with(k), if_false = fold_with(l);
        if (!if_true || !if_false) return none();
        if (*if_true == *if_false) return is(*if_true);
        const Value first = intern(*if_true);
        return rewrite(Op::Select, {condition, first, intern(*if_false)});
    }

    // ---- same bits
    Peephole bitcast() {
        if (type_of(arg(0)) == self().type) return is(arg(0));
        if (const auto* b = defined_by(arg(0), Op::Bitcast)) {
            const Value source = operand(*b, 0);
            return type_of(source) == self().type ? is(source) : rewrite(Op::Bitcast, {source});
        }
        return none();
    }
    Peephole compose() {
        const auto args = std::as_const(f).args_of(self());
        std::array<Component, 4> parts, sources;
        const size_t n = args.size();
        bool bitcasts = true;
        for (size_t i = 0; i < n; i++) {
            parts[i] = {args[i], static_cast<uint8_t>(self().aux >> 2 * i & 3)};
            const auto* b = defined_by(args[i], Op::Bitcast);
            const Type type = type_of(args[i]);
            bitcasts =
                bitcasts && b != nullptr && !type.is_wide() && type_of(operand(*b, 0)).components == type.components;
            if (bitcasts) sources[i] = {operand(*b, 0), parts[i].component};
        }
        // Components of bitcasts of one value: the bitcast of that value.
        for (size_t i = 0; bitcasts && i < n; i++)
            bitcasts = type_of(sources[i].value).scalar == type_of(sources[0].value).scalar;
        if (bitcasts) {
            const Composition of_sources = resolve(m, f, std::span(sources.data(), n));
            if (of_sources.single != kNone) return rewrite(Op::Bitcast, {of_sources.single});
        }
        // A component of c ? k : l with one condition: the same condition selects the component.
        const auto* s = n == 1 ? defined_by(args[0], Op::Select) : nullptr;
        if (s != nullptr && type_of(operand(*s, 0)).components == 1) {
            const Constant *k = constant(operand(*s, 1)), *l = constant(operand(*s, 2));
            if (k != nullptr && l != nullptr) {
                const Value condition = operand(*s, 0);
                const Constant if_true = component_of(*k, parts[0].component);
                const Constant if_false = component_of(*l, parts[0].component);
                const Value first = intern(if_true);
                return rewrite(Op::Select, {condition, first, intern(if_false)});
            }
        }
        const Composition c = resolve(m, f, std::span(parts.data(), n));
        if (c.single != kNone) return is(c.single);
        if (c.constant) return is(constant_words(m, c));
        std::copy_n(c.values.begin(), n, f.args.begin() + self().first_arg);
        self().aux = c.selector;
        return none();
    }
    static Constant component_of(const Constant& constant, size_t n) {
        Constant result{.type = constant.type.with(1)};
        const size_t width = constant.type.is_wide() ? 2 : 1;
        for (size_t w = 0; w < width; w++) result.words[w] = constant.words[n * width + w];
        return result;
    }

    Peephole plain_result(PlainLaws::Result result) {
        switch (result) {
            case PlainLaws::Result::X:
                return is(arg(0));
            case PlainLaws::Result::NotX:
                return rewrite(Op::LNot, {arg(0)});
            case PlainLaws::Result::Zero:
                return is_splat(0);
            case PlainLaws::Result::One:
                return is_splat(1);
            case PlainLaws::Result::AllBits:
                return is_splat(kAllBits);
            case PlainLaws::Result::Unknown:
                break;
        }
        return none();
    }
    Peephole plain_law() {
        const PlainLaws& laws = kPlainLaws[static_cast<size_t>(self().op)];
        constexpr auto kUnknown = PlainLaws::Result::Unknown;
        if (laws.same != kUnknown && arg(0) == arg(1)) return plain_result(laws.same);
        if (laws.zero != kUnknown && is_all(arg(1), 0)) return plain_result(laws.zero);
        if (laws.one != kUnknown && is_all(arg(1), 1)) return plain_result(laws.one);
        if (laws.all_bits != kUnknown && is_all(arg(1), kAllBits)) return plain_result(laws.all_bits);
        return none();
    }
    Peephole law() {
        const Op op = self().op;
        switch (op) {
            case Op::Compose:
                return compose();
            case Op::Bitcast:
                return bitcast();
            case Op::Select:
                return select();
            case Op::FAdd:
                return float_sum(false);
            case Op::FSub:
                return float_sum(true);
            case Op::FMul:
                return float_product();
            // x / 1 = x.
            case Op::FDiv:
                return is_f32(arg(1), kOne) ? is(arg(0)) : none();
            // ||x|| = |x|, |-x| = |x|.
            case Op::FAbs:
                if (defined_by(arg(0), Op::FAbs) != nullptr) return is(arg(0));
                if (const auto* n = defined_by(arg(0), Op::FNegate)) return rewrite(Op::FAbs, {operand(*n, 0)});
                return none();
            // max(x, -x) = |x|: of two zeros NMax may give either, and 0 is one. (Guests write absolute values so, and
            // look at the bits of the result.)
            case Op::FMax:
                for (const size_t n : {0, 1})
                    if (const auto* i = defined_by(arg(n), Op::FNegate); i != nullptr && operand(*i, 0) == arg(1 - n))
                        return rewrite(Op::FAbs, {arg(1 - n)});
                return none();
            // --x = x, for both minuses, and ~~x = x.
            case Op::FNegate:
            case Op::INegate:
            case Op::Not:
                if (const auto* n = defined_by(arg(0), op)) return is(operand(*n, 0));
                return none();
            case Op::IAdd:
            case Op::IMul:
            case Op::And:
            case Op::Or:
            case Op::Xor:
                return chain();
            case Op::UMin:
            case Op::ULt:
                return limit();
            case Op::INe:
                return mask_test();
            case Op::LNot:
                return logical_not();
            default:
                return none();
        }
    }
};

}  // namespace

Peephole try_peephole(Module& module, Function& function, uint32_t index, ConstantTable& constants) {
    Laws laws{module, function, index, constants};
    Peephole result = laws.plain_law();
    if (result.kind == Peephole::Kind::None) result = laws.law();
    return result.kind == Peephole::Kind::None ? laws.over_select() : result;
}

}  // namespace tgsi2spv::ir

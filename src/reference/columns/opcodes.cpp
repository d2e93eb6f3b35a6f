// The actions that implement each opcode. Opcodes that are not here, or not in the current dialect, are left to the
// interpreter.
#include <bit>

#include "reference/columns/emitter.h"
#include "reference/float_math.h"

namespace tgsi2spv::reference::columns {
namespace {

using tgsi::Opcode;

int32_t s(uint32_t w) {
    return static_cast<int32_t>(w);
}
uint32_t u(int64_t i) {
    return static_cast<uint32_t>(i);
}
uint32_t highest_bit(uint32_t w) {
    return w ? 31u - static_cast<uint32_t>(std::countl_zero(w)) : ~0u;
}

/// Returns the function of an integer opcode without a vector form (semantics: Integer), or nullptr for other opcodes.
WordFunction word_function_of(Opcode op) {
    using P = const uint32_t*;
    switch (op) {
        case Opcode::UMAX:
            return [](P x) { return x[0] > x[1] ? x[0] : x[1]; };
        case Opcode::UMIN:
            return [](P x) { return x[0] < x[1] ? x[0] : x[1]; };
        case Opcode::IMAX:
            return [](P x) { return s(x[0]) > s(x[1]) ? x[0] : x[1]; };
        case Opcode::IMIN:
            return [](P x) { return s(x[0]) < s(x[1]) ? x[0] : x[1]; };
        case Opcode::UDIV:
            return [](P x) { return x[1] ? x[0] / x[1] : ~0u; };
        case Opcode::UMOD:
            return [](P x) { return x[1] ? x[0] % x[1] : ~0u; };
        case Opcode::IDIV:
            return [](P x) { return x[1] ? u(int64_t{s(x[0])} / s(x[1])) : 0u; };
        case Opcode::MOD:
            return [](P x) { return x[1] ? u(int64_t{s(x[0])} % s(x[1])) : ~0u; };
        case Opcode::UMUL_HI:
            return [](P x) { return static_cast<uint32_t>(uint64_t{x[0]} * x[1] >> 32); };
        case Opcode::IMUL_HI:
            return [](P x) { return u(int64_t{s(x[0])} * s(x[1]) >> 32); };
        case Opcode::UMAD:
            return [](P x) { return x[0] * x[1] + x[2]; };
        case Opcode::IABS:
            return [](P x) { return s(x[0]) < 0 ? 0 - x[0] : x[0]; };
        case Opcode::ISSG:
            return [](P x) { return s(x[0]) < 0 ? ~0u : x[0] ? 1u : 0u; };
        case Opcode::POPC:
            return [](P x) { return static_cast<uint32_t>(std::popcount(x[0])); };
        case Opcode::LSB:
            return [](P x) { return x[0] ? static_cast<uint32_t>(std::countr_zero(x[0])) : ~0u; };
        case Opcode::UMSB:
            return [](P x) { return highest_bit(x[0]); };
        case Opcode::IMSB:
            return [](P x) { return highest_bit(s(x[0]) < 0 ? ~x[0] : x[0]); };
        default:
            return nullptr;
    }
}

/// Returns the action of an opcode that is a single action on all its sources, per component or on .x replicated.
std::optional<Action> action_of(Opcode op) {
    switch (op) {
        case Opcode::MOV:
        case Opcode::UARL:
            return Action::Move;
        case Opcode::ABS:
            return Action::Absolute;
        case Opcode::ADD:
            return Action::Add;
        case Opcode::SUB:
            return Action::Subtract;
        case Opcode::MUL:
            return Action::Multiply;
        case Opcode::MAD:
            return Action::MultiplyAdd;
        case Opcode::FMA:
            return Action::Fused;
        case Opcode::LRP:
            return Action::Lerp;
        case Opcode::DIV:
            return Action::Divide;
        case Opcode::MIN:
            return Action::Minimum;
        case Opcode::MAX:
            return Action::Maximum;
        case Opcode::RCP:
            return Action::Reciprocal;
        case Opcode::RSQ:
            return Action::ReciprocalRoot;
        case Opcode::SQRT:
            return Action::Root;
        case Opcode::EX2:
            return Action::Exp2;
        case Opcode::LG2:
            return Action::Log2;
        case Opcode::SIN:
            return Action::Sine;
        case Opcode::COS:
            return Action::Cosine;
        case Opcode::POW:
            return Action::Power;
        case Opcode::FLR:
            return Action::Floor;
        case Opcode::CEIL:
            return Action::Ceil;
        case Opcode::TRUNC:
            return Action::Truncate;
        case Opcode::ROUND:
            return Action::Round;
        case Opcode::FRC:
            return Action::Fraction;
        case Opcode::SSG:
            return Action::Sign;
        case Opcode::FSLT:
            return Action::Less;
        case Opcode::FSEQ:
            return Action::Equal;
        case Opcode::FSNE:
            return Action::NotEqual;
        case Opcode::CMP:
            return Action::SelectBelowZero;
        case Opcode::UCMP:
            return Action::SelectAnyBit;
        case Opcode::UADD:
            return Action::AddWords;
        case Opcode::UMUL:
            return Action::MultiplyWords;
        case Opcode::INEG:
            return Action::NegateWords;
        case Opcode::AND:
            return Action::And;
        case Opcode::OR:
            return Action::Or;
        case Opcode::XOR:
            return Action::Xor;
        case Opcode::NOT:
            return Action::Not;
        case Opcode::SHL:
            return Action::ShiftLeft;
        case Opcode::USHR:
            return Action::ShiftRight;
        case Opcode::ISHR:
        case Opcode::SHR:
            return Action::ShiftRightSigned;
        case Opcode::USEQ:
            return Action::SameWords;
        case Opcode::ISLT:
            return Action::LessSigned;
        case Opcode::USLT:
            return Action::LessUnsigned;
        case Opcode::F2I:
            return Action::ToInt;
        case Opcode::F2U:
            return Action::ToUint;
        case Opcode::ARL:
            return Action::FloorToInt;
        case Opcode::I2F:
            return Action::FromInt;
        case Opcode::U2F:
            return Action::FromUint;
        default:
            return std::nullopt;
    }
}

/// Comparisons that give 1.0 (SLT and the like), and those that are another one with swapped operands or negated
/// result.
struct Comparison {
    Action action;
    bool swapped, negated, gives_one;
};
std::optional<Comparison> comparison_of(Opcode op) {
    switch (op) {
        case Opcode::SLT:
            return Comparison{Action::Less, false, false, true};
        case Opcode::SGE:
            return Comparison{Action::LessEqual, true, false, true};
        case Opcode::SGT:
            return Comparison{Action::Less, true, false, true};
        case Opcode::SLE:
            return Comparison{Action::LessEqual, false, false, true};
        case Opcode::SEQ:
            return Comparison{Action::Equal, false, false, true};
        case Opcode::SNE:
            return Comparison{Action::NotEqual, false, false, true};
        case Opcode::FSGE:
            return Comparison{Action::LessEqual, true, false, false};
        case Opcode::USNE:
            return Comparison{Action::SameWords, false, true, false};
        case Opcode::ISGE:
            return Comparison{Action::LessSigned, false, true, false};
        case Opcode::USGE:
            return Comparison{Action::LessUnsigned, false, true, false};
        default:
            return std::nullopt;
    }
}

/// Returns the number of products of a dot product; 0 for other opcodes.
int products_of(Opcode op) {
    switch (op) {
        case Opcode::DP2:
            return 2;
        case Opcode::DP3:
        case Opcode::DP2A:
            return 3;
        case Opcode::DP4:
        case Opcode::DPH:
            return 4;
        default:
            return 0;
    }
}

bool shares_count(Opcode op, const Context& c) {
    return c.old_dialect() && (op == Opcode::SHL || op == Opcode::SHR);
}

}  // namespace

bool Emitter::compute(const tgsi::Instruction& in, std::array<std::optional<Source>, 4>& result) {
    const tgsi::OpcodeInfo& info = tgsi::info(in.op);
    const uint8_t mask = program_.dsts(in)[0].write_mask;
    const Context& c = code_.context;
    const auto each = [&](auto make) {
        if (info.shape == tgsi::Shape::scalar) {
            result.fill(make(0));
            return;
        }
        for (int i = 0; i < 4; ++i)
            if (mask >> i & 1) result[static_cast<size_t>(i)] = make(i);
    };
    const auto sources = [&](int component) {
        std::array<Source, 4> x{};
        for (int k = 0; k < in.num_src; ++k) {
            const bool first = k == 1 && shares_count(in.op, c);
            x[static_cast<size_t>(k)] = source(in, k, first ? 0 : component);
        }
        return x;
    };
    if (info.is_wide || in.num_src != info.num_src) return false;
    if (const auto action = action_of(in.op)) {
        each([&](int i) {
            std::array<Source, 4> x = sources(i);
            if (in.op == Opcode::RSQ && c.old_dialect()) x[0] = emit(Action::Absolute, {x[0]});
            const bool same = in.op == Opcode::MUL && x[0] == x[1] && x[0].mask != 0;
            return same ? emit(Action::Square, {x[0]}) : emit(*action, std::span(x.data(), in.num_src));
        });
        return true;
    }
    if (const auto comparison = comparison_of(in.op)) {
        each([&](int i) {
            const std::array<Source, 4> x = sources(i);
            const Source a = x[comparison->swapped ? 1 : 0], b = x[comparison->swapped ? 0 : 1];
            Source holds = emit(comparison->action, {a, b});
            if (comparison->negated) holds = emit(Action::Not, {holds});
            return comparison->gives_one ? emit(Action::And, {holds, uniform(kOne)}) : holds;
        });
        return true;
    }
    if (const WordFunction f = word_function_of(in.op)) {
        each([&](int i) {
            const std::array<Source, 4> x = sources(i);
            return word_function(f, std::span(x.data(), in.num_src));
        });
        return true;
    }
    if (const int n = products_of(in.op)) {
        std::array<Source, 8> x{};
        for (int i = 0; i < n; ++i) {
            const bool single = (in.op == Opcode::DP2A && i == 2) || (in.op == Opcode::DPH && i == 3);
            x[static_cast<size_t>(2 * i)] = single && in.op == Opcode::DPH ? uniform(1.0f)
                                            : single                       ? source(in, 2, 0)
                                                                           : source(in, 0, i);
            x[static_cast<size_t>(2 * i + 1)] = single && in.op == Opcode::DP2A ? uniform(1.0f) : source(in, 1, i);
        }
        const Source sum = emit(Action::Dot, std::span(x.data(), static_cast<size_t>(2 * n)));
        code_.steps.back().terms = static_cast<uint8_t>(n);
        result.fill(sum);
        return true;
    }
    switch (in.op) {
        case Opcode::SFL:
            result.fill(uniform(0u));
            return true;
        case Opcode::STR:
            result.fill(uniform(kOne));
            return true;
        case Opcode::LDEXP:
            each([&](int i) {
                const std::array<Source, 4> x = sources(i);
                return float_function([](const Context& k, const Value* v) { return ldexp(k, v[0], v[1]); },
                                      std::span(x.data(), 2));
            });
            return true;
        case Opcode::CND:
            each([&](int i) {
                const std::array<Source, 4> x = sources(i);
                return emit(Action::SelectAnyBit, {emit(Action::Less, {uniform(0.5f), x[2]}), x[0], x[1]});
            });
            return true;
        case Opcode::SCS:
            if (mask & 1) result[0] = emit(Action::Cosine, {source(in, 0, 0)});
            if (mask & 2) result[1] = emit(Action::Sine, {source(in, 0, 0)});
            result[2] = uniform(0u);
            result[3] = uniform(kOne);
            return true;
        case Opcode::DST:
            result[0] = uniform(kOne);
            if (mask & 2) result[1] = emit(Action::Multiply, {source(in, 0, 1), source(in, 1, 1)});
            if (mask & 4) result[2] = emit(Action::Move, {source(in, 0, 2)});
            if (mask & 8) result[3] = emit(Action::Move, {source(in, 1, 3)});
            return true;
        case Opcode::LIT: {
            // (1, max(x, 0), x > 0 ? pow(max(y, 0), clamp(w, -128, 128)) : 0, 1)
            const Source x = source(in, 0, 0), zero = uniform(0.0f);
            result[0] = result[3] = uniform(kOne);
            if (mask & 2) result[1] = emit(Action::Maximum, {x, zero});
            if (mask & 4) {
                const Source base = emit(Action::Maximum, {source(in, 0, 1), zero});
                const Source power = emit(Action::Power, {base, emit(Action::LightExponent, {source(in, 0, 3)})});
                result[2] = emit(Action::SelectAnyBit, {emit(Action::Less, {zero, x}), power, zero});
            }
            return true;
        }
        case Opcode::EXP:
            if (mask & 1) result[0] = emit(Action::Exp2, {emit(Action::Floor, {source(in, 0, 0)})});
            if (mask & 2) result[1] = emit(Action::Fraction, {source(in, 0, 0)});
            if (mask & 4) result[2] = emit(Action::Exp2, {source(in, 0, 0)});
            result[3] = uniform(kOne);
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::reference::columns

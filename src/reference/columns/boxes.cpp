// Values in boxes, and the interpreter's functions, which execute a lane at a time.
#include "reference/columns/boxes.h"
#include "reference/frame.h"

namespace tgsi2spv::reference::columns {
bool evaluate(const Step& step, Context c, const Value* operands, Value& result) {
    c.contract = step.contract;
    if (step.action == Action::Dot) {
        Term terms[4];
        for (size_t i = 0; i < step.terms; ++i) {
            const bool square = step.from[2 * i] == step.from[2 * i + 1] && step.from[2 * i].mask != 0;
            terms[i] = {&operands[2 * i], &operands[2 * i + (square ? 0 : 1)], false};
        }
        result = sum(c, terms, step.terms);
        return true;
    }
    if (step.function == nullptr) return false;
    result = step.function(c, operands);
    // These functions handle only words that can be listed; the interpreter knows more (and_words() and the like).
    const bool of_words = step.action == Action::And || step.action == Action::Or || step.action == Action::Not;
    return !of_words || !is_unknown(result);
}

FloatFunction function_of(Action action) {
    switch (action) {
        case Action::Negate:
            return [](const Context& c, const Value* v) { return neg(c, v[0]); };
        case Action::Absolute:
            return [](const Context& c, const Value* v) { return abs(c, v[0]); };
        case Action::Saturate:
            return [](const Context& c, const Value* v) { return saturate(c, v[0]); };
        case Action::LightExponent:
            return [](const Context& c, const Value* v) { return light_exponent(c, v[0]); };
        case Action::Add:
            return [](const Context& c, const Value* v) { return add(c, v[0], v[1]); };
        case Action::Subtract:
            return [](const Context& c, const Value* v) { return sub(c, v[0], v[1]); };
        case Action::Multiply:
            return [](const Context& c, const Value* v) { return mul(c, v[0], v[1]); };
        case Action::Square:
            return [](const Context& c, const Value* v) { return square(c, v[0]); };
        case Action::MultiplyAdd:
            return [](const Context& c, const Value* v) { return mad(c, v[0], v[1], v[2]); };
        case Action::Fused:
            return [](const Context& c, const Value* v) { return fma(c, v[0], v[1], v[2]); };
        case Action::Lerp:
            return [](const Context& c, const Value* v) { return lerp(c, v[0], v[1], v[2]); };
        case Action::Divide:
            return [](const Context& c, const Value* v) { return div(c, v[0], v[1]); };
        case Action::Reciprocal:
            return [](const Context& c, const Value* v) { return rcp(c, v[0]); };
        case Action::ReciprocalRoot:
            return [](const Context& c, const Value* v) { return rsq(c, v[0]); };
        case Action::Minimum:
            return [](const Context& c, const Value* v) { return min(c, v[0], v[1]); };
        case Action::Maximum:
            return [](const Context& c, const Value* v) { return max(c, v[0], v[1]); };
        case Action::Floor:
            return [](const Context& c, const Value* v) { return floor(c, v[0]); };
        case Action::Ceil:
            return [](const Context& c, const Value* v) { return ceil(c, v[0]); };
        case Action::Truncate:
            return [](const Context& c, const Value* v) { return trunc(c, v[0]); };
        case Action::Round:
            return [](const Context& c, const Value* v) { return round_even(c, v[0]); };
        case Action::Less:
            return [](const Context& c, const Value* v) { return all_bits(compare(c, kLess, v[0], v[1])); };
        case Action::LessEqual:
            return [](const Context& c, const Value* v) { return all_bits(compare(c, kLessEqual, v[0], v[1])); };
        case Action::Equal:
            return [](const Context& c, const Value* v) { return all_bits(compare(c, kEqual, v[0], v[1])); };
        case Action::NotEqual:
            return [](const Context& c, const Value* v) { return all_bits(compare(c, kNotEqual, v[0], v[1])); };
        case Action::SelectBelowZero:
            return [](const Context& c, const Value* v) {
                return select(compare(c, kLess, v[0], exact(0.0f)), v[1], v[2]);
            };
        case Action::Root:
            return [](const Context& c, const Value* v) { return sqrt(c, v[0]); };
        case Action::Exp2:
            return [](const Context& c, const Value* v) { return exp2(c, v[0]); };
        case Action::Log2:
            return [](const Context& c, const Value* v) { return log2(c, v[0]); };
        case Action::Sine:
            return [](const Context& c, const Value* v) { return sin(c, v[0]); };
        case Action::Cosine:
            return [](const Context& c, const Value* v) { return cos(c, v[0]); };
        case Action::Power:
            return [](const Context& c, const Value* v) { return pow(c, v[0], v[1]); };
        case Action::Fraction:
            return [](const Context& c, const Value* v) { return fract(c, v[0]); };
        case Action::Sign:
            return [](const Context& c, const Value* v) { return sign(c, v[0]); };
        case Action::NotZero:
            return [](const Context&, const Value* v) { return all_bits(not_zero(v[0])); };
        case Action::AnyBit:
            return [](const Context&, const Value* v) { return all_bits(any_bit(v[0])); };
        case Action::SelectAnyBit:
            return [](const Context&, const Value* v) { return select(any_bit(v[0]), v[1], v[2]); };
        case Action::And:
            return [](const Context& c, const Value* v) {
                return words2(c, v[0], v[1], [](uint32_t x, uint32_t y) { return x & y; });
            };
        case Action::Or:
            return [](const Context& c, const Value* v) {
                return words2(c, v[0], v[1], [](uint32_t x, uint32_t y) { return x | y; });
            };
        case Action::Not:
            return [](const Context& c, const Value* v) { return words1(c, v[0], [](uint32_t x) { return ~x; }); };
        default:
            return nullptr;
    }
}

Value Boxes::value_of(const Entry& e) const {
    if (!is_boxed(e)) return reference::value_of(e);
    Value boxed = values_[e.hi - kMarks];
    boxed.value = e.value;
    return boxed;
}

void Boxes::clear() {
    values_.clear();
    Value zeros = exact(0u);
    zeros.words[zeros.count++] = kSign;
    values_.push_back(zeros);
}

bool Boxes::put(const Value& v, uint32_t origin, Entry& e) {
    if (make_entry(v, e)) {
        if (is_unknown(v) && origin_of(v) == 0) e.hi = kMarks + origin;
        return true;
    }
    if (values_.size() == kMax) return false;
    e.lo = kBoxed;
    e.hi = kMarks + static_cast<uint32_t>(values_.size());
    values_.push_back(v);
    return true;
}

}  // namespace tgsi2spv::reference::columns

#include "search/sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>

#include "tgsi/opcode.h"

namespace tgsi2spv::difftest::searching {

using tgsi::File;
using tgsi::Opcode;

namespace {

/// Deeper nodes are not worth the time: by then it is only a guess.
constexpr int kMaxVisits = 400;
constexpr size_t kMaxNodes = 20'000;

/// A register component: file, first bracket, second bracket, component.
using Key = std::tuple<File, int32_t, int32_t, int>;

Key key_of(const InputWord& word) {
    if (word.what == InputWord::What::Input)
        return {File::Input, word.input.first, word.input.second, static_cast<int>(word.word)};
    return {word.what == InputWord::What::Constant ? File::Const : File::Buffer, static_cast<int32_t>(word.index),
            static_cast<int32_t>(word.word / 4), static_cast<int>(word.word % 4)};
}

/// A word whose product with `by` is `to`, if there is one.
std::optional<uint32_t> divided(uint32_t to, uint32_t by) {
    const int zeros = std::countr_zero(by);
    if (by == 0 || (to & ((1u << zeros) - 1)) != 0) return std::nullopt;
    const uint32_t odd = by >> zeros;
    uint32_t inverse = odd;  // correct in its last three bits; each step doubles their number
    for (int i = 0; i < 4; i++) inverse *= 2 - odd * inverse;
    return (to >> zeros) * inverse;
}

float scaled(float x, uint32_t by) {
    return std::ldexp(x, std::clamp(static_cast<int32_t>(by), -500, 500));
}

float root_of(float x) {
    return x > 0 ? std::sqrt(x) : 0;
}

}  // namespace

/// One walk over the text; maps each register component to the node that it holds.
struct SumScan {
    Sums& sums;
    const tgsi::Program& program;
    std::map<Key, uint32_t> leaves{}, held{};
    std::map<std::pair<uint32_t, size_t>, uint32_t> texels{};  ///< texture and component: place

    using Op = Sums::Op;

    uint32_t source(const tgsi::Operand& operand, int c, bool integer) {
        if (operand.index_is_relative || operand.dim_is_relative) return 0;
        const int from = operand.component(c);
        uint32_t node = 0;
        if (operand.file == File::Immediate) {
            if (operand.index >= 0 && static_cast<size_t>(operand.index) < program.immediates.size())
                node = sums.make(Op::Word, program.immediates[static_cast<size_t>(operand.index)].words[from]);
        } else {
            const Key key{operand.file, operand.has_dim ? operand.dim : 0, operand.index, from};
            if (const auto h = held.find(key); h != held.end())
                node = h->second;
            else if (const auto l = leaves.find(key); l != leaves.end())
                node = sums.make(Op::Leaf, l->second);
            else if (operand.file == File::Input) {
                sums.fixed_.push_back({{operand.has_dim ? operand.dim : 0, operand.index}, static_cast<size_t>(from)});
                node = sums.make(Op::Fixed, static_cast<uint32_t>(sums.fixed_.size() - 1));
            }
        }
        if (integer) return operand.negate || operand.absolute ? 0 : node;
        if (operand.absolute) node = sums.make(Op::Absolute, node);
        return operand.negate ? sums.make(Op::Negate, node) : node;
    }

    uint32_t product_sum(std::span<const tgsi::Operand> s, int count) {
        uint32_t sum = 0;
        for (int c = 0; c < count; c++) {
            const uint32_t p = sums.make(Op::Multiply, source(s[0], c, false), source(s[1], c, false));
            sum = c == 0 ? p : sums.make(Op::Add, sum, p);
        }
        return sum;
    }

    void sum(uint32_t a, uint32_t b) {
        if (sums.nodes_[a].leaves || sums.nodes_[b].leaves) sums.cancelled_.push_back({a, b, true});
    }

    uint32_t shifted(uint32_t a, uint32_t by) {
        const auto& amount = sums.nodes_[by];
        if (amount.op != Op::Word) return 0;
        return sums.make(Op::IntMultiply, a, sums.make(Op::Word, 1u << (amount.a & 31)));
    }

    /// A sample, if all texels are equal.
    uint32_t sampled(const tgsi::Instruction& in, std::span<const tgsi::Operand> s, int c) {
        const auto family = tgsi::info(in.op).family;
        if (family != tgsi::Family::texture) return 0;
        const tgsi::Operand* from = nullptr;
        for (const auto& o : s)
            if ((o.file == File::SamplerView || (o.file == File::Sampler && from == nullptr)) && !o.index_is_relative)
                from = &o;
        if (from == nullptr || from->index < 0) return 0;
        const auto place = texels.find({static_cast<uint32_t>(from->index), static_cast<size_t>(c)});
        return place == texels.end() ? 0 : sums.make(Op::Leaf, place->second);
    }

    uint32_t result(const tgsi::Instruction& in, std::span<const tgsi::Operand> s, int c) {
        const auto f = [&](int i) { return source(s[static_cast<size_t>(i)], c, false); };
        const auto w = [&](int i) { return source(s[static_cast<size_t>(i)], c, true); };
        switch (in.op) {
            case Opcode::MOV:
                return f(0);
            case Opcode::ABS:
                return sums.make(Op::Absolute, f(0));
            case Opcode::ADD:
                sum(f(0), f(1));
                return sums.make(Op::Add, f(0), f(1));
            case Opcode::SUB: {
                const uint32_t b = sums.make(Op::Negate, f(1));
                sum(f(0), b);
                return sums.make(Op::Add, f(0), b);
            }
            case Opcode::MUL:
                return sums.make(Op::Multiply, f(0), f(1));
            case Opcode::MAD: {
                const uint32_t p = sums.make(Op::Multiply, f(0), f(1));
                sum(p, f(2));
                return sums.make(Op::Add, p, f(2));
            }
            case Opcode::DP2:
                return product_sum(s, 2);
            case Opcode::DP3:
                return product_sum(s, 3);
            case Opcode::DP4:
                return product_sum(s, 4);
            case Opcode::SQRT:
                return sums.make(Op::Root, source(s[0], 0, false));
            case Opcode::RSQ:
                return sums.make(Op::InverseRoot, source(s[0], 0, false));
            case Opcode::RCP:
                return sums.make(Op::Reciprocal, source(s[0], 0, false));
            case Opcode::FLR:
                return sums.make(Op::Floor, f(0));
            case Opcode::FRC:
                return sums.make(Op::Fraction, f(0));
            case Opcode::DIV:
                return sums.make(Op::Multiply, f(0), sums.make(Op::Reciprocal, f(1)));
            case Opcode::LRP: {
                const uint32_t rest = sums.make(Op::Add, sums.make(Op::Word, as_word(1)), sums.make(Op::Negate, f(0)));
                return sums.make(Op::Add, sums.make(Op::Multiply, f(0), f(1)), sums.make(Op::Multiply, rest, f(2)));
            }
            case Opcode::EX2:
                return sums.make(Op::Exponential, source(s[0], 0, false));
            case Opcode::LG2:
                return sums.make(Op::Logarithm, source(s[0], 0, false));
            case Opcode::SIN:
                return sums.make(Op::Sine, source(s[0], 0, false));
            case Opcode::COS:
                return sums.make(Op::Cosine, source(s[0], 0, false));
            case Opcode::LDEXP:
                return sums.make(Op::Scale, f(0), w(1));
            case Opcode::CMP:
                return sums.make(Op::Either, f(1), f(2));
            case Opcode::MIN:
            case Opcode::MAX:
                return f(0);  // either will do if they are equal
            case Opcode::IMIN:
            case Opcode::IMAX:
            case Opcode::UMIN:
            case Opcode::UMAX:
            case Opcode::I64MIN:
            case Opcode::I64MAX:
            case Opcode::U64MIN:
            case Opcode::U64MAX:
            case Opcode::DMIN:
            case Opcode::DMAX:
                return sums.make(Op::Either, w(0), w(1));
            case Opcode::UADD:
                return sums.make(Op::IntAdd, w(0), w(1));
            case Opcode::UMUL:
                return sums.make(Op::IntMultiply, w(0), w(1));
            case Opcode::UMAD:
                return sums.make(Op::IntAdd, sums.make(Op::IntMultiply, w(0), w(1)), w(2));
            case Opcode::SHL:
                return shifted(w(0), w(1));
            case Opcode::I2F:
            case Opcode::U2F:
                return sums.make(Op::ToFloat, w(0));
            case Opcode::F2I:
            case Opcode::F2U:
                return sums.make(Op::ToInt, f(0));
            default:
                return sampled(in, s, c);
        }
    }

    void compared(const tgsi::Instruction& in, const tgsi::OpcodeInfo& info, std::span<const tgsi::Operand> s,
                  uint8_t mask) {
        const bool extremum = in.op == Opcode::MIN || in.op == Opcode::MAX || in.op == Opcode::UMIN ||
                              in.op == Opcode::UMAX || in.op == Opcode::IMIN || in.op == Opcode::IMAX;
        if (info.is_wide && s.size() == 2 && info.dst[0] == tgsi::OperandType::Uint) {
            for (int c = 0; c < 4; c += 2) {
                if ((mask >> c & 3) == 0) continue;
                const uint32_t low[] = {source(s[0], c, true), source(s[1], c, true)};
                const uint32_t high[] = {source(s[0], c + 1, true), source(s[1], c + 1, true)};
                if (sums.nodes_[low[0]].leaves || sums.nodes_[low[1]].leaves)
                    sums.compared_.push_back({low[0], low[1], false, high[0], high[1]});
            }
            return;
        }
        // Operands without a quotient.
        if (in.op == Opcode::IDIV || in.op == Opcode::MOD) {
            constexpr uint32_t kWords[] = {0x80000000, ~0u};
            for (int c = 0; c < 4; c++)
                for (size_t k = 0; k < 2; k++) {
                    const uint32_t a = (mask >> c & 1) != 0 ? source(s[k], c, true) : 0;
                    if (sums.nodes_[a].leaves) sums.compared_.push_back({a, sums.make(Op::Word, kWords[k]), false});
                }
            return;
        }
        if ((info.family != tgsi::Family::compare && !extremum) || s.size() < 2 || info.is_wide) return;
        const bool floats = info.src[0] == tgsi::OperandType::Float;
        for (int c = 0; c < 4; c++) {
            if ((mask >> c & 1) == 0) continue;
            const uint32_t a = source(s[0], c, !floats), b = source(s[1], c, !floats);
            if (sums.nodes_[a].leaves || sums.nodes_[b].leaves) sums.compared_.push_back({a, b, floats});
        }
    }

    void walk() {
        for (size_t i = 0; i < sums.places_.size(); i++)
            if (sums.places_[i].what == InputWord::What::Texel)
                texels.emplace(std::pair(sums.places_[i].index, sums.places_[i].word), static_cast<uint32_t>(i));
            else if (sums.places_[i].what != InputWord::What::Buffer)
                leaves.emplace(key_of(sums.places_[i]), static_cast<uint32_t>(i));
        for (const auto& in : program.instructions) {
            if (sums.nodes_.size() > kMaxNodes) return;
            const auto& info = tgsi::info(in.op);
            const auto s = program.srcs(in);
            const auto d = program.dsts(in);
            if (d.empty()) continue;
            compared(in, info, s, d[0].write_mask);
            std::array<uint32_t, 4> results{};
            for (int c = 0; c < 4; c++)
                if ((d[0].write_mask >> c & 1) != 0 && d.size() == 1) {
                    const uint32_t node = result(in, s, c);
                    results[static_cast<size_t>(c)] =
                        in.saturate && !in.saturate_signed ? sums.make(Op::Saturate, node) : node;
                }
            for (const auto& to : d) {
                if (to.index_is_relative || to.dim_is_relative) continue;
                for (int c = 0; c < 4; c++)
                    if ((to.write_mask >> c & 1) != 0)
                        held[{to.file, to.has_dim ? to.dim : 0, to.index, c}] = results[static_cast<size_t>(c)];
            }
        }
    }
};

Sums::Sums(const tgsi::Program& program, const std::vector<InputWord>& places) : places_(places) {
    SumScan{*this, program}.walk();
    find_forms();
}

bool Sums::add_terms(uint32_t node, double times, Form& form) const {
    const Node& n = nodes_[node];
    switch (n.op) {
        case Op::Word:
            form.constant += times * static_cast<double>(as_float(n.a));
            return std::isfinite(form.constant);
        case Op::Leaf:
            form.terms[n.a] += times;
            return places_[n.a].use == Use::Float;
        case Op::Negate:
            return add_terms(n.a, -times, form);
        case Op::Add:
            return add_terms(n.a, times, form) && add_terms(n.b, times, form);
        case Op::Multiply: {
            const bool first = nodes_[n.a].op == Op::Word;
            if (!first && nodes_[n.b].op != Op::Word) return false;
            const double factor = static_cast<double>(as_float(nodes_[first ? n.a : n.b].a));
            return std::isfinite(factor) && add_terms(first ? n.b : n.a, times * factor, form);
        }
        default:
            return false;
    }
}

void Sums::find_forms() {
    constexpr size_t kMax = 64;
    // For sums of sums, only the outermost.
    std::vector<bool> inner(nodes_.size());
    for (const Node& n : nodes_)
        if (n.op == Op::Add || n.op == Op::Negate) inner[n.a] = inner[n.op == Op::Add ? n.b : n.a] = true;
    for (uint32_t i = 0; i < nodes_.size() && forms_.size() < kMax; i++) {
        Form form;
        if (nodes_[i].op != Op::Add || inner[i] || !add_terms(i, 1, form)) continue;
        std::erase_if(form.terms, [](const auto& t) { return t.second == 0; });
        const auto same = [&](const Form& f) { return f.terms == form.terms && f.constant == form.constant; };
        if (!form.terms.empty() && std::none_of(forms_.begin(), forms_.end(), same)) forms_.push_back(std::move(form));
    }
}

void Sums::single_out(Inputs& in, size_t number, uint32_t lane, float apart, Random& random) {
    // Gaussian elimination: a row says that the terms plus the constant make the wanted sum.
    std::vector<Form> rows = forms_;
    for (size_t i = 0; i < rows.size(); i++) rows[i].constant -= i == number ? static_cast<double>(apart) : 0;
    std::vector<std::pair<uint32_t, size_t>> solved;  // place, row
    for (size_t i = 0; i < rows.size(); i++) {
        for (const auto& [place, row] : solved) {
            const auto found = rows[i].terms.find(place);
            if (found == rows[i].terms.end()) continue;
            const double times = found->second / rows[row].terms.at(place);
            for (const auto& [p, t] : rows[row].terms) rows[i].terms[p] -= times * t;
            rows[i].constant -= times * rows[row].constant;
            std::erase_if(rows[i].terms, [](const auto& t) { return std::abs(t.second) < 1e-9; });
        }
        // A sum that follows from others has the value that they give it.
        if (rows[i].terms.empty()) continue;
        solved.emplace_back(rows[i].terms.begin()->first, i);
    }
    // Free places get small numbers, so that sums are exact; or zeros, if numbers would hide the value to be added.
    // Then the others follow, the last first.
    const bool hidden = std::abs(apart) < 0x1p-20f;
    std::map<uint32_t, double> chosen;
    for (const Form& f : forms_)
        for (const auto& [place, times] : f.terms) chosen[place] = hidden ? 0 : random.between(-8, 8) * 0.25;
    for (size_t k = solved.size(); k-- > 0;) {
        const auto& [place, row] = solved[k];
        double rest = -rows[row].constant;
        for (const auto& [p, t] : rows[row].terms)
            if (p != place) rest -= t * chosen[p];
        chosen[place] = rest / rows[row].terms.at(place);
    }
    for (const auto& [place, value_chosen] : chosen) {
        if (!shared_ && places_[place].what != InputWord::What::Input) continue;
        if (uint32_t* word = find_word(in, places_[place], lane)) *word = as_word(static_cast<float>(value_chosen));
    }
}

uint32_t Sums::make(Op op, uint32_t a, uint32_t b) {
    const bool ends = op == Op::Word || op == Op::Leaf || op == Op::Fixed;
    const bool joins = op == Op::Add || op == Op::Multiply || op == Op::IntAdd || op == Op::IntMultiply ||
                       op == Op::Either || op == Op::Scale;
    if ((!ends && a == 0) || (joins && b == 0)) return 0;
    Node n{op, a, b, op == Op::Leaf};
    if (!ends) n.leaves = nodes_[a].leaves || nodes_[b].leaves;
    nodes_.push_back(n);
    return static_cast<uint32_t>(nodes_.size() - 1);
}

std::optional<uint32_t> Sums::value(uint32_t node) {
    const Node& n = nodes_[node];
    if (n.op == Op::Unknown || budget_-- <= 0) return std::nullopt;
    if (n.op == Op::Word) return n.a;
    if (n.op == Op::Leaf) {
        const uint32_t* word = find_word(*in_, places_[n.a], lane_);
        return word == nullptr ? std::nullopt : std::optional(*word);
    }
    if (n.op == Op::Fixed) {
        const auto& [key, component] = fixed_[n.a];
        const auto found = in_->inputs.find(key);
        if (found == in_->inputs.end() || lane_ >= found->second.size()) return std::nullopt;
        return found->second[lane_][component];
    }
    if (n.op == Op::Either) return value(second_ ? n.b : n.a);
    const auto a = value(n.a);
    if (!a) return std::nullopt;
    std::optional<uint32_t> b;
    if (n.op == Op::Add || n.op == Op::Multiply || n.op == Op::IntAdd || n.op == Op::IntMultiply || n.op == Op::Scale) {
        b = value(n.b);
        if (!b) return std::nullopt;
    }
    switch (n.op) {
        case Op::Negate:
            return *a ^ 0x80000000;
        case Op::Absolute:
            return *a & 0x7fffffff;
        case Op::Add:
            return as_word(as_float(*a) + as_float(*b));
        case Op::Multiply:
            return as_word(as_float(*a) * as_float(*b));
        case Op::IntAdd:
            return *a + *b;
        case Op::IntMultiply:
            return *a * *b;
        case Op::InverseRoot:
            return as_word(1 / root_of(as_float(*a)));
        case Op::Reciprocal:
            return as_word(1 / as_float(*a));
        case Op::Floor:
            return as_word(std::floor(as_float(*a)));
        case Op::Fraction:
            return as_word(as_float(*a) - std::floor(as_float(*a)));
        case Op::Saturate:
            return as_word(std::clamp(as_float(*a), 0.0f, 1.0f));
        case Op::Exponential:
            return as_word(std::exp2(as_float(*a)));
        case Op::Logarithm:
            return as_word(std::log2(as_float(*a)));
        case Op::Sine:
            return as_word(std::sin(as_float(*a)));
        case Op::Cosine:
            return as_word(std::cos(as_float(*a)));
        case Op::Scale:
            return as_word(scaled(as_float(*a), *b));
        case Op::ToFloat:
            return as_word(static_cast<float>(static_cast<int32_t>(*a)));
        case Op::ToInt: {
            const float f = as_float(*a);
            if (!(std::abs(f) < 0x1p31f)) return std::nullopt;
            return static_cast<uint32_t>(static_cast<int32_t>(f));
        }
        default:
            return as_word(root_of(as_float(*a)));
    }
}

/// Makes the node give `to`, by changing the words below it.
bool Sums::solve(uint32_t node, uint32_t to) {
    const Node& n = nodes_[node];
    if (!n.leaves) return false;
    const float t = as_float(to);
    switch (n.op) {
        case Op::Leaf: {
            uint32_t* word = find_word(*in_, places_[n.a], lane_);
            if (word == nullptr || (!shared_ && places_[n.a].what != InputWord::What::Input)) return false;
            *word = to;
            return true;
        }
        case Op::Either:
            return solve(second_ ? n.b : n.a, to);
        case Op::Negate:
            return solve(n.a, to ^ 0x80000000);
        case Op::Absolute:
            return to >> 31 == 0 && solve(n.a, (choice_ & 1) != 0 ? to : to ^ 0x80000000);
        case Op::Root:
            return t >= 0 && solve(n.a, as_word(t * t));
        case Op::InverseRoot:
            return t > 0 && solve(n.a, as_word(1 / (t * t)));
        case Op::Reciprocal:
            return t != 0 && solve(n.a, as_word(1 / t));
        case Op::Floor:
        case Op::Saturate:
            return solve(n.a, to);
        case Op::Fraction:
            return t >= 0 && t < 1 && solve(n.a, to);
        case Op::Exponential:
            return t > 0 && solve(n.a, as_word(std::log2(t)));
        case Op::Logarithm:
            return std::abs(t) < 120 && solve(n.a, as_word(std::exp2(t)));
        case Op::Sine:
            return std::abs(t) <= 1 && solve(n.a, as_word(std::asin(t)));
        case Op::Cosine:
            return std::abs(t) <= 1 && solve(n.a, as_word(std::acos(t)));
        case Op::Scale: {
            const auto by = value(n.b);
            return by && solve(n.a, as_word(scaled(t, ~*by + 1)));
        }
        case Op::ToFloat:
            return std::abs(t) < 0x1p31f && solve(n.a, static_cast<uint32_t>(static_cast<int32_t>(t)));
        case Op::ToInt:
            return solve(n.a, as_word(static_cast<float>(static_cast<int32_t>(to))));
        default:
            break;
    }
    // One of the two operands makes up for the other.
    const bool second = (choice_ & 1) != 0;
    choice_ >>= 1;
    for (const bool swap : {second, !second}) {
        const uint32_t free = swap ? n.b : n.a, other = swap ? n.a : n.b;
        if (!nodes_[free].leaves) continue;
        const auto rest = value(other);
        if (!rest) continue;
        const float r = as_float(*rest);
        if (n.op == Op::IntAdd) {
            if (solve(free, to - *rest)) return true;
            continue;
        }
        if (n.op == Op::IntMultiply) {
            const auto quotient = divided(to, *rest);
            if (quotient && solve(free, *quotient)) return true;
            continue;
        }
        if (n.op == Op::Add) return solve(free, as_word(t - r));
        // A square: both operands are the same.
        if (nodes_[free].op == nodes_[other].op && nodes_[free].a == nodes_[other].a &&
            nodes_[free].b == nodes_[other].b)
            return solve(free, as_word(root_of(t)));
        if (r == 0 || !std::isfinite(t / r)) continue;
        return solve(free, as_word(t / r));
    }
    return false;
}

bool Sums::solve(Inputs& in, const Pair& pair, bool sum, uint32_t lane, float apart, uint32_t choice) {
    in_ = &in;
    lane_ = lane;
    second_ = (choice & 2) != 0;
    choice_ = choice >> 2;
    budget_ = kMaxVisits;
    for (const bool swap : {(choice & 1) != 0, (choice & 1) == 0}) {
        const uint32_t free = swap ? pair.b : pair.a, other = swap ? pair.a : pair.b;
        if (!nodes_[free].leaves) continue;
        const auto rest = value(other);
        if (!rest) continue;
        const float r = as_float(*rest);
        uint32_t to = *rest;
        if (sum)
            to = apart == 0 ? *rest ^ 0x80000000 : as_word(apart - r);
        else if (apart != 0)
            to = pair.floats ? as_word(swap ? r - apart : r + apart) : *rest + (apart > 0 ? 1 : ~0u);
        if (pair.floats && !std::isfinite(as_float(to))) continue;
        if (solve(free, to)) return true;
    }
    return false;
}

bool Sums::cancel(Inputs& in, size_t number, uint32_t lane, float apart, uint32_t choice) {
    return solve(in, cancelled_[number], true, lane, apart, choice);
}

bool Sums::meet(Inputs& in, size_t number, uint32_t lane, float apart, uint32_t choice) {
    const Pair& p = compared_[number];
    // For 64 bits: both halves, in the same way; the lower one may differ.
    if (p.high_a != 0 && !solve(in, {p.high_a, p.high_b, false}, false, lane, 0, choice)) return false;
    return solve(in, p, false, lane, apart, choice);
}

}  // namespace tgsi2spv::difftest::searching

#include "plain_interpreter.h"

#include <bit>
#include <cmath>

namespace tgsi2spv::bench {
namespace {

using tgsi::File;
using tgsi::Opcode;

float f(uint32_t w) {
    return std::bit_cast<float>(w);
}
uint32_t w(float x) {
    return std::bit_cast<uint32_t>(x);
}
uint32_t truth(bool b) {
    return b ? ~0u : 0u;
}
uint32_t one(bool b) {
    return w(b ? 1.0f : 0.0f);
}
int32_t s(uint32_t x) {
    return static_cast<int32_t>(x);
}
uint32_t to_int(float x) {
    if (std::isnan(x)) return 0;
    if (x <= -0x1p31f) return 0x80000000u;
    if (x >= 0x1p31f) return 0x7fffffffu;
    return static_cast<uint32_t>(static_cast<int32_t>(x));
}

}  // namespace

PlainInterpreter::PlainInterpreter(const tgsi::Program& program, const tgsi::Registers& registers,
                                   const std::map<uint32_t, Words>& constants)
    : program_(program), constants_(constants) {
    const auto size = [&](File file) { return static_cast<size_t>(registers.count(file)); };
    inputs.resize(size(File::Input));
    outputs.resize(size(File::Output));
    temps_.resize(size(File::Temp));
    addresses_.resize(size(File::Address));
    if (const auto it = constants.find(0); it != constants.end()) first_constants_ = &it->second;
    partner_.resize(program.instructions.size());
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < program.instructions.size(); ++i) {
        const Opcode op = program.instructions[i].op;
        if (op == Opcode::ELSE || op == Opcode::ENDIF || op == Opcode::ENDLOOP) {
            partner_[open.back()] = i;
            partner_[i] = open.back();
            open.pop_back();
        }
        if (op == Opcode::IF || op == Opcode::UIF || op == Opcode::ELSE || op == Opcode::BGNLOOP) open.push_back(i);
    }
}

PlainInterpreter::Lanes PlainInterpreter::fetch_direct(File file, int32_t dim, int32_t index, int component) const {
    const auto c = static_cast<size_t>(component);
    const auto at = static_cast<size_t>(index);
    const auto all = [](uint32_t word) { return Lanes{word, word, word, word}; };
    const auto from = [&](const std::vector<Register>& registers) {
        return index >= 0 && at < registers.size() ? registers[at][c] : Lanes{};
    };
    switch (file) {
        case File::Const: {
            const Words* words = dim == 0 ? first_constants_ : nullptr;
            if (dim != 0)
                if (const auto it = constants_.find(static_cast<uint32_t>(dim)); it != constants_.end())
                    words = &it->second;
            return index >= 0 && words && at * 4 + c < words->size() ? all((*words)[at * 4 + c]) : Lanes{};
        }
        case File::Immediate:
            return index >= 0 && at < program_.immediates.size() ? all(program_.immediates[at].words[c]) : Lanes{};
        case File::Input:
            return from(inputs);
        case File::Output:
            return from(outputs);
        case File::Temp:
            return from(temps_);
        case File::Address:
            return from(addresses_);
        default:
            return {};
    }
}

PlainInterpreter::Lanes PlainInterpreter::fetch(const tgsi::Instruction& in, int source, int component) const {
    const tgsi::Operand& o = program_.srcs(in)[static_cast<size_t>(source)];
    const int32_t dim = o.has_dim ? o.dim : 0;
    Lanes x{};
    if (const tgsi::Relative* r = program_.index_relative(o)) {
        const Lanes index = fetch_direct(r->file, 0, r->index, r->component);
        for (size_t k = 0; k < 4; ++k)
            x[k] = fetch_direct(o.file, dim, o.index + s(index[k]), o.component(component))[k];
    } else {
        x = fetch_direct(o.file, dim, o.index, o.component(component));
    }
    if (o.absolute)
        for (uint32_t& word : x) word &= 0x7fffffff;
    if (o.negate) {
        const tgsi::OperandType type = tgsi::info(in.op).src[static_cast<size_t>(source)];
        const bool words = type == tgsi::OperandType::Int || type == tgsi::OperandType::Uint;
        for (uint32_t& word : x) word = words ? 0 - word : word ^ 0x80000000;
    }
    return x;
}

void PlainInterpreter::store(const tgsi::Instruction& in, int component, const Lanes& value, unsigned exec) {
    const tgsi::Operand& o = program_.dsts(in)[0];
    std::vector<Register>& file = o.file == File::Output ? outputs : o.file == File::Address ? addresses_ : temps_;
    if (o.index < 0 || static_cast<size_t>(o.index) >= file.size()) return;
    Lanes& to = file[static_cast<size_t>(o.index)][static_cast<size_t>(component)];
    for (size_t k = 0; k < 4; ++k) {
        if (!(exec >> k & 1)) continue;
        uint32_t word = value[k];
        if (in.saturate) word = w(f(word) > 0 ? std::fmin(f(word), 1.0f) : 0.0f);
        to[k] = word;
    }
}

// Computes all components before it writes any.
template <class F>
void PlainInterpreter::each1(const tgsi::Instruction& in, unsigned exec, F function) {
    const uint8_t mask = program_.dsts(in)[0].write_mask;
    std::array<Lanes, 4> out{};
    for (int c = 0; c < 4; ++c) {
        if (!(mask >> c & 1)) continue;
        const Lanes a = fetch(in, 0, c);
        for (size_t k = 0; k < 4; ++k) out[static_cast<size_t>(c)][k] = function(a[k]);
    }
    for (int c = 0; c < 4; ++c)
        if (mask >> c & 1) store(in, c, out[static_cast<size_t>(c)], exec);
}

template <class F>
void PlainInterpreter::each2(const tgsi::Instruction& in, unsigned exec, F function) {
    const uint8_t mask = program_.dsts(in)[0].write_mask;
    std::array<Lanes, 4> out{};
    for (int c = 0; c < 4; ++c) {
        if (!(mask >> c & 1)) continue;
        const Lanes a = fetch(in, 0, c), b = fetch(in, 1, c);
        for (size_t k = 0; k < 4; ++k) out[static_cast<size_t>(c)][k] = function(a[k], b[k]);
    }
    for (int c = 0; c < 4; ++c)
        if (mask >> c & 1) store(in, c, out[static_cast<size_t>(c)], exec);
}

template <class F>
void PlainInterpreter::each3(const tgsi::Instruction& in, unsigned exec, F function) {
    const uint8_t mask = program_.dsts(in)[0].write_mask;
    std::array<Lanes, 4> out{};
    for (int c = 0; c < 4; ++c) {
        if (!(mask >> c & 1)) continue;
        const Lanes a = fetch(in, 0, c), b = fetch(in, 1, c), d = fetch(in, 2, c);
        for (size_t k = 0; k < 4; ++k) out[static_cast<size_t>(c)][k] = function(a[k], b[k], d[k]);
    }
    for (int c = 0; c < 4; ++c)
        if (mask >> c & 1) store(in, c, out[static_cast<size_t>(c)], exec);
}

template <class F>
void PlainInterpreter::scalar1(const tgsi::Instruction& in, unsigned exec, F function) {
    const Lanes a = fetch(in, 0, 0);
    Lanes out{};
    for (size_t k = 0; k < 4; ++k) out[k] = w(function(f(a[k])));
    for (int c = 0; c < 4; ++c)
        if (program_.dsts(in)[0].write_mask >> c & 1) store(in, c, out, exec);
}

void PlainInterpreter::dot(const tgsi::Instruction& in, unsigned exec, int products) {
    Lanes sum{};
    for (int i = 0; i < products; ++i) {
        const Lanes a = fetch(in, 0, i), b = fetch(in, 1, i);
        for (size_t k = 0; k < 4; ++k) sum[k] = w(i == 0 ? f(a[k]) * f(b[k]) : f(sum[k]) + f(a[k]) * f(b[k]));
    }
    for (int c = 0; c < 4; ++c)
        if (program_.dsts(in)[0].write_mask >> c & 1) store(in, c, sum, exec);
}

bool PlainInterpreter::compute(const tgsi::Instruction& in, unsigned exec) {
    using U = uint32_t;
    switch (in.op) {
        case Opcode::MOV:
        case Opcode::UARL:
            return each1(in, exec, [](U a) { return a; }), true;
        case Opcode::FLR:
            return each1(in, exec, [](U a) { return w(std::floor(f(a))); }), true;
        case Opcode::CEIL:
            return each1(in, exec, [](U a) { return w(std::ceil(f(a))); }), true;
        case Opcode::TRUNC:
            return each1(in, exec, [](U a) { return w(std::trunc(f(a))); }), true;
        case Opcode::ROUND:
            return each1(in, exec, [](U a) { return w(std::nearbyint(f(a))); }), true;
        case Opcode::FRC:
            return each1(in, exec, [](U a) { return w(f(a) - std::floor(f(a))); }), true;
        case Opcode::SSG:
            return each1(in, exec, [](U a) { return w(f(a) > 0 ? 1.0f : f(a) < 0 ? -1.0f : 0.0f); }), true;
        case Opcode::ARL:
            return each1(in, exec, [](U a) { return to_int(std::floor(f(a))); }), true;
        case Opcode::F2I:
            return each1(in, exec, [](U a) { return to_int(f(a)); }), true;
        case Opcode::I2F:
            return each1(in, exec, [](U a) { return w(static_cast<float>(s(a))); }), true;
        case Opcode::U2F:
            return each1(in, exec, [](U a) { return w(static_cast<float>(a)); }), true;
        case Opcode::INEG:
            return each1(in, exec, [](U a) { return 0 - a; }), true;
        case Opcode::NOT:
            return each1(in, exec, [](U a) { return ~a; }), true;
        case Opcode::ADD:
            return each2(in, exec, [](U a, U b) { return w(f(a) + f(b)); }), true;
        case Opcode::MUL:
            return each2(in, exec, [](U a, U b) { return w(f(a) * f(b)); }), true;
        case Opcode::DIV:
            return each2(in, exec, [](U a, U b) { return w(f(a) / f(b)); }), true;
        case Opcode::MIN:
            return each2(in, exec, [](U a, U b) { return w(std::fmin(f(a), f(b))); }), true;
        case Opcode::MAX:
            return each2(in, exec, [](U a, U b) { return w(std::fmax(f(a), f(b))); }), true;
        case Opcode::SLT:
            return each2(in, exec, [](U a, U b) { return one(f(a) < f(b)); }), true;
        case Opcode::SGE:
            return each2(in, exec, [](U a, U b) { return one(f(a) >= f(b)); }), true;
        case Opcode::SGT:
            return each2(in, exec, [](U a, U b) { return one(f(a) > f(b)); }), true;
        case Opcode::SLE:
            return each2(in, exec, [](U a, U b) { return one(f(a) <= f(b)); }), true;
        case Opcode::SEQ:
            return each2(in, exec, [](U a, U b) { return one(f(a) == f(b)); }), true;
        case Opcode::SNE:
            return each2(in, exec, [](U a, U b) { return one(f(a) != f(b)); }), true;
        case Opcode::FSLT:
            return each2(in, exec, [](U a, U b) { return truth(f(a) < f(b)); }), true;
        case Opcode::FSGE:
            return each2(in, exec, [](U a, U b) { return truth(f(a) >= f(b)); }), true;
        case Opcode::FSEQ:
            return each2(in, exec, [](U a, U b) { return truth(f(a) == f(b)); }), true;
        case Opcode::FSNE:
            return each2(in, exec, [](U a, U b) { return truth(f(a) != f(b)); }), true;
        case Opcode::UADD:
            return each2(in, exec, [](U a, U b) { return a + b; }), true;
        case Opcode::UMUL:
            return each2(in, exec, [](U a, U b) { return a * b; }), true;
        case Opcode::AND:
            return each2(in, exec, [](U a, U b) { return a & b; }), true;
        case Opcode::OR:
            return each2(in, exec, [](U a, U b) { return a | b; }), true;
        case Opcode::XOR:
            return each2(in, exec, [](U a, U b) { return a ^ b; }), true;
        case Opcode::SHL:
            return each2(in, exec, [](U a, U b) { return a << (b & 31); }), true;
        case Opcode::USHR:
            return each2(in, exec, [](U a, U b) { return a >> (b & 31); }), true;
        case Opcode::ISHR:
            return each2(in, exec, [](U a, U b) { return static_cast<U>(s(a) >> (b & 31)); }), true;
        case Opcode::IMIN:
            return each2(in, exec, [](U a, U b) { return s(a) < s(b) ? a : b; }), true;
        case Opcode::IMAX:
            return each2(in, exec, [](U a, U b) { return s(a) > s(b) ? a : b; }), true;
        case Opcode::ISGE:
            return each2(in, exec, [](U a, U b) { return truth(s(a) >= s(b)); }), true;
        case Opcode::ISLT:
            return each2(in, exec, [](U a, U b) { return truth(s(a) < s(b)); }), true;
        case Opcode::USEQ:
            return each2(in, exec, [](U a, U b) { return truth(a == b); }), true;
        case Opcode::USNE:
            return each2(in, exec, [](U a, U b) { return truth(a != b); }), true;
        case Opcode::USGE:
            return each2(in, exec, [](U a, U b) { return truth(a >= b); }), true;
        case Opcode::USLT:
            return each2(in, exec, [](U a, U b) { return truth(a < b); }), true;
        case Opcode::MAD:
            return each3(in, exec, [](U a, U b, U c) { return w(f(a) * f(b) + f(c)); }), true;
        case Opcode::LRP:
            return each3(in, exec, [](U a, U b, U c) { return w(f(a) * f(b) + (1 - f(a)) * f(c)); }), true;
        case Opcode::CMP:
            return each3(in, exec, [](U a, U b, U c) { return f(a) < 0 ? b : c; }), true;
        case Opcode::UCMP:
            return each3(in, exec, [](U a, U b, U c) { return a ? b : c; }), true;
        case Opcode::DP2:
            return dot(in, exec, 2), true;
        case Opcode::DP3:
            return dot(in, exec, 3), true;
        case Opcode::DP4:
            return dot(in, exec, 4), true;
        case Opcode::RCP:
            return scalar1(in, exec, [](float x) { return 1 / x; }), true;
        case Opcode::RSQ:
            return scalar1(in, exec, [](float x) { return 1 / std::sqrt(x); }), true;
        case Opcode::SQRT:
            return scalar1(in, exec, [](float x) { return std::sqrt(x); }), true;
        case Opcode::EX2:
            return scalar1(in, exec, [](float x) { return std::exp2(x); }), true;
        case Opcode::LG2:
            return scalar1(in, exec, [](float x) { return std::log2(x); }), true;
        case Opcode::SIN:
            return scalar1(in, exec, [](float x) { return std::sin(x); }), true;
        case Opcode::COS:
            return scalar1(in, exec, [](float x) { return std::cos(x); }), true;
        case Opcode::POW: {
            const Lanes a = fetch(in, 0, 0), b = fetch(in, 1, 0);
            Lanes out{};
            for (size_t k = 0; k < 4; ++k) out[k] = w(std::pow(f(a[k]), f(b[k])));
            for (int c = 0; c < 4; ++c)
                if (program_.dsts(in)[0].write_mask >> c & 1) store(in, c, out, exec);
            return true;
        }
        default:
            return false;
    }
}

bool PlainInterpreter::run(uint64_t most) {
    for (auto* file : {&temps_, &addresses_, &outputs}) std::fill(file->begin(), file->end(), Register{});
    constexpr unsigned kAll = 0xf;
    unsigned condition = kAll, loop = kAll, proceed = kAll, function = kAll;
    struct If {
        unsigned saved, otherwise;
    };
    struct Loop {
        unsigned loop, proceed;
    };
    std::vector<If> ifs;
    std::vector<Loop> loops;
    for (uint32_t pc = 0; pc < program_.instructions.size(); ++pc) {
        const tgsi::Instruction& in = program_.instructions[pc];
        const unsigned exec = condition & loop & proceed & function;
        if (most-- == 0) return false;
        if (exec == 0 && tgsi::info(in.op).family != tgsi::Family::flow) continue;
        lane_instructions += static_cast<unsigned>(std::popcount(exec));
        switch (in.op) {
            case Opcode::IF:
            case Opcode::UIF: {
                const Lanes x = fetch(in, 0, 0);
                unsigned holds = 0;
                for (size_t k = 0; k < 4; ++k)
                    if (in.op == Opcode::UIF ? x[k] != 0 : f(x[k]) != 0) holds |= 1u << k;
                ifs.push_back({condition, condition & ~holds});
                condition &= holds;
                break;
            }
            case Opcode::ELSE:
                condition = ifs.back().otherwise;
                break;
            case Opcode::ENDIF:
                condition = ifs.back().saved;
                ifs.pop_back();
                break;
            case Opcode::BGNLOOP:
                loops.push_back({loop, proceed});
                break;
            case Opcode::ENDLOOP:
                proceed = loops.back().proceed;
                if ((condition & loop & proceed & function) != 0) {
                    pc = partner_[pc];
                    break;
                }
                loop = loops.back().loop;
                loops.pop_back();
                break;
            case Opcode::BRK:
                loop &= ~exec;
                break;
            case Opcode::CONT:
                proceed &= ~exec;
                break;
            case Opcode::RET:
                function &= ~exec;
                break;
            case Opcode::END:
                return true;
            default:
                compute(in, exec);
        }
    }
    return true;
}

bool PlainInterpreter::knows(const tgsi::Program& program) {
    if (program.stage != tgsi::Stage::Vertex && program.stage != tgsi::Stage::Fragment) return false;
    std::map<uint32_t, Words> nothing;
    PlainInterpreter probe(program, {}, nothing);
    for (const tgsi::Instruction& in : program.instructions) {
        if (in.has_predicate) return false;
        switch (in.op) {
            case Opcode::IF:
            case Opcode::UIF:
            case Opcode::ELSE:
            case Opcode::ENDIF:
            case Opcode::BGNLOOP:
            case Opcode::ENDLOOP:
            case Opcode::BRK:
            case Opcode::CONT:
            case Opcode::RET:
            case Opcode::END:
                continue;
            default:
                break;
        }
        for (const tgsi::Operand& o : program.all_operands(in))
            if (o.dim_is_relative || o.file == File::SystemValue) return false;
        if (in.num_dst != 1 || program.dsts(in)[0].index_is_relative || !probe.compute(in, 0)) return false;
    }
    return true;
}

}  // namespace tgsi2spv::bench

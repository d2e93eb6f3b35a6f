// Decides with which operands an opcode reveals its effect.
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "generate/rules.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;
using enum Opcode;

/// Words compared for equality have at most this many values.
constexpr double kEqualOneIn = 32;
/// The same for words compared by size, if one is the same in all lanes.
constexpr double kMeetOneIn = 256;
constexpr double kFewBits = 7, kDivisor = 255;

void limit(Need& need, double lo, double hi) {
    need.lo = std::max(need.lo, lo);
    need.hi = std::min(need.hi, hi);
}

double size(const Value& v) {
    return std::max(std::abs(v.lo), std::abs(v.hi));
}

bool overlap(const Value& a, const Value& b) {
    return a.lo < b.hi && b.lo < a.hi;
}

/// Whether the values are close in some lane: not if one is the same for all lanes and the other is one of very many.
bool meet(const Value& a, const Value& b) {
    const auto apart = [](const Value& one, const Value& many) { return one.uniform && count_of(many) > kMeetOneIn; };
    return overlap(a, b) && !apart(a, b) && !apart(b, a);
}

/// The known values of the first three sources.
struct Operands {
    const Value &a, &b, &c;
};

/// Opcodes that the same relation between operands reveals.
struct Class {
    std::initializer_list<Opcode> opcodes;
    bool (*reveals)(const Operands&);
    void (*narrow)(Needs&) = nullptr;  ///< narrows to operands that are more likely to reveal it
};

constexpr Class kClasses[] = {
    {{FLR,   CEIL, TRUNC, ROUND,  FRC,    F2I,   F2U, ARL, ARR,   PK2H, F2I64,
      F2U64, DFLR, DCEIL, DTRUNC, DROUND, DFRAC, D2I, D2U, D2I64, D2U64},
     [](const Operands& o) { return o.a.grid < 0; },
     [](Needs& n) { n[0].fraction = n[0].grid = true; }},
    {{ABS, DABS, IABS, I64ABS, SSG, ISSG, DSSG, I64SSG}, [](const Operands& o) { return o.a.lo < 0 && o.a.hi > 0; }},
    {{MIN, MAX, DMIN, DMAX, IMIN, IMAX, UMIN, UMAX, I64MIN, I64MAX, U64MIN, U64MAX},
     [](const Operands& o) { return meet(o.a, o.b); }},
    {{CLAMP}, [](const Operands& o) { return meet(o.a, o.b) && meet(o.a, o.c); }},
    {{SLT, SGE, SGT, SLE, FSLT, FSGE, DSLT, DSGE, ISLT, ISGE, USLT, USGE, I64SLT, I64SGE, U64SLT, U64SGE},
     [](const Operands& o) { return meet(o.a, o.b); }},
    {{SEQ, SNE, FSEQ, FSNE, DSEQ, DSNE, USEQ, USNE, U64SEQ, U64SNE},
     [](const Operands& o) {
         return o.a.lo <= o.b.hi && o.b.lo <= o.a.hi && count_of(o.a) <= kEqualOneIn && count_of(o.b) <= kEqualOneIn;
     },
     [](Needs& needs) {
         const bool floats = needs[0].kind == Kind::Float || needs[0].kind == Kind::Double;
         for (Need& n : needs) limit(n, floats ? -4 : 0, floats ? 4 : 7);
     }},
    {{CMP}, [](const Operands& o) { return o.a.lo < 0 && o.a.hi >= 0; }},
    {{CND}, [](const Operands& o) { return o.c.lo <= 0.5 && o.c.hi > 0.5; }},
    {{UCMP},
     [](const Operands& o) { return o.a.lo <= 0 && o.a.hi >= 0 && count_of(o.a) <= kEqualOneIn; },
     [](Needs& n) { limit(n[0], -1, kFewBits); }},
    {{UDIV, UMOD, IDIV, MOD, I64DIV, I64MOD, U64DIV, U64MOD},
     [](const Operands& o) { return size(o.a) > size(o.b); },
     [](Needs& n) { limit(n[1], 0, kDivisor); }},
    {{SHR, USHR, ISHR, I64SHR, U64SHR},
     [](const Operands& o) { return size(o.a) > std::exp2(std::min(31.0, o.b.hi) / 2); },
     [](Needs& n) { limit(n[1], 0, kFewBits); }},
    {{UMUL_HI, IMUL_HI}, [](const Operands& o) { return size(o.a) * size(o.b) > 0x1p36; }},
    {{UBFE, IBFE}, [](const Operands& o) { return size(o.a) > 0xffff; }},
    {{PK4B, PK2US, PK4UB},
     [](const Operands& o) { return o.a.grid < 0 && size(o.a) <= 2; },
     [](Needs& n) {
         limit(n[0], -1.5, 1.5);
         n[0].fraction = true;
     }},
    {{SIN, COS, SCS}, [](const Operands& o) { return size(o.a) > 2 * std::numbers::pi; }},
};

/// Null: any operands reveal the opcode.
const Class* class_of(Opcode op) {
    static constexpr auto kByOpcode = [] {
        std::array<const Class*, tgsi::kOpcodeCount> all{};
        for (const Class& c : kClasses)
            for (const Opcode o : c.opcodes) all[static_cast<size_t>(o)] = &c;
        return all;
    }();
    return kByOpcode[static_cast<size_t>(op)];
}

}  // namespace

Needs telling_needs(Opcode op, Needs needs) {
    const Class* const its = class_of(op);
    if (its != nullptr && its->narrow != nullptr) its->narrow(needs);
    return needs;
}

bool reveals(Opcode op, const std::array<Values, 4>& sources, int c) {
    const Class* const its = class_of(op);
    const auto at = static_cast<size_t>(c);
    return its == nullptr || its->reveals({sources[0][at], sources[1][at], sources[2][at]});
}

}  // namespace tgsi2spv::difftest::generate

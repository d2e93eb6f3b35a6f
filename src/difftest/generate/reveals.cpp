// Decides with which operands an opcode reveals what it does.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "difftest/generate/rules.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

/// Classes of opcodes by the relation between operands that reveals them.
enum class Like : uint8_t {
    Other,
    Rounds,
    DropsSign,
    Extremum,
    Orders,
    Equals,
    ChoosesBySign,
    ChoosesByHalf,
    ChoosesByWord,
    Divides,
    ShiftsRight,
    HighProduct,
    Field,
    Packs,
    Turns,
};

Like like(Opcode op) {
    switch (op) {
        case Opcode::FLR:
        case Opcode::CEIL:
        case Opcode::TRUNC:
        case Opcode::ROUND:
        case Opcode::FRC:
        case Opcode::F2I:
        case Opcode::F2U:
        case Opcode::ARL:
        case Opcode::ARR:
        case Opcode::PK2H:
        case Opcode::F2I64:
        case Opcode::F2U64:
        case Opcode::DFLR:
        case Opcode::DCEIL:
        case Opcode::DTRUNC:
        case Opcode::DROUND:
        case Opcode::DFRAC:
        case Opcode::D2I:
        case Opcode::D2U:
        case Opcode::D2I64:
        case Opcode::D2U64:
            return Like::Rounds;
        case Opcode::ABS:
        case Opcode::DABS:
        case Opcode::IABS:
        case Opcode::I64ABS:
        case Opcode::SSG:
        case Opcode::ISSG:
        case Opcode::DSSG:
        case Opcode::I64SSG:
            return Like::DropsSign;
        case Opcode::MIN:
        case Opcode::MAX:
        case Opcode::CLAMP:
        case Opcode::DMIN:
        case Opcode::DMAX:
        case Opcode::IMIN:
        case Opcode::IMAX:
        case Opcode::UMIN:
        case Opcode::UMAX:
        case Opcode::I64MIN:
        case Opcode::I64MAX:
        case Opcode::U64MIN:
        case Opcode::U64MAX:
            return Like::Extremum;
        case Opcode::SLT:
        case Opcode::SGE:
        case Opcode::SGT:
        case Opcode::SLE:
        case Opcode::FSLT:
        case Opcode::FSGE:
        case Opcode::DSLT:
        case Opcode::DSGE:
        case Opcode::ISLT:
        case Opcode::ISGE:
        case Opcode::USLT:
        case Opcode::USGE:
        case Opcode::I64SLT:
        case Opcode::I64SGE:
        case Opcode::U64SLT:
        case Opcode::U64SGE:
            return Like::Orders;
        case Opcode::SEQ:
        case Opcode::SNE:
        case Opcode::FSEQ:
        case Opcode::FSNE:
        case Opcode::DSEQ:
        case Opcode::DSNE:
        case Opcode::USEQ:
        case Opcode::USNE:
        case Opcode::U64SEQ:
        case Opcode::U64SNE:
            return Like::Equals;
        case Opcode::CMP:
            return Like::ChoosesBySign;
        case Opcode::CND:
            return Like::ChoosesByHalf;
        case Opcode::UCMP:
            return Like::ChoosesByWord;
        case Opcode::UDIV:
        case Opcode::UMOD:
        case Opcode::IDIV:
        case Opcode::MOD:
        case Opcode::I64DIV:
        case Opcode::I64MOD:
        case Opcode::U64DIV:
        case Opcode::U64MOD:
            return Like::Divides;
        case Opcode::SHR:
        case Opcode::USHR:
        case Opcode::ISHR:
        case Opcode::I64SHR:
        case Opcode::U64SHR:
            return Like::ShiftsRight;
        case Opcode::UMUL_HI:
        case Opcode::IMUL_HI:
            return Like::HighProduct;
        case Opcode::UBFE:
        case Opcode::IBFE:
            return Like::Field;
        case Opcode::PK4B:
        case Opcode::PK2US:
        case Opcode::PK4UB:
            return Like::Packs;
        case Opcode::SIN:
        case Opcode::COS:
        case Opcode::SCS:
            return Like::Turns;
        default:
            return Like::Other;
    }
}

/// Words compared for equality have at most this many values.
constexpr double kEqualOneIn = 32;
/// The same for words compared by size, if one is the same in all lanes.
constexpr double kMeetOneIn = 256;
constexpr double kFewBits = 7, kDivisor = 255;

void narrow(Need& need, double lo, double hi) {
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

}  // namespace

Needs telling_needs(Opcode op, Needs needs) {
    const bool floats = needs[0].kind == Kind::Float || needs[0].kind == Kind::Double;
    switch (like(op)) {
        case Like::Rounds:
            needs[0].fraction = needs[0].grid = true;
            break;
        case Like::Equals:
            for (Need& n : needs) narrow(n, floats ? -4 : 0, floats ? 4 : 7);
            break;
        case Like::ChoosesByWord:
            narrow(needs[0], -1, kFewBits);
            break;
        case Like::Divides:
            narrow(needs[1], 0, kDivisor);
            break;
        case Like::ShiftsRight:
            narrow(needs[1], 0, kFewBits);
            break;
        case Like::Packs:
            narrow(needs[0], -1.5, 1.5);
            needs[0].fraction = true;
            break;
        default:
            break;
    }
    return needs;
}

bool reveals(Opcode op, const std::array<Values, 4>& s, int c) {
    const auto at = static_cast<size_t>(c);
    const Value &a = s[0][at], &b = s[1][at], &d = s[2][at];
    switch (like(op)) {
        case Like::Rounds:
            return a.grid < 0;
        case Like::DropsSign:
            return a.lo < 0 && a.hi > 0;
        case Like::Extremum:
            return meet(a, b) && (op != Opcode::CLAMP || meet(a, d));
        case Like::Orders:
            return meet(a, b);
        case Like::Equals:
            return a.lo <= b.hi && b.lo <= a.hi && count_of(a) <= kEqualOneIn && count_of(b) <= kEqualOneIn;
        case Like::ChoosesBySign:
            return a.lo < 0 && a.hi >= 0;
        case Like::ChoosesByHalf:
            return d.lo <= 0.5 && d.hi > 0.5;
        case Like::ChoosesByWord:
            return a.lo <= 0 && a.hi >= 0 && count_of(a) <= kEqualOneIn;
        case Like::Divides:
            return size(a) > size(b);
        case Like::ShiftsRight:
            return size(a) > std::exp2(std::min(31.0, b.hi) / 2);
        case Like::HighProduct:
            return size(a) * size(b) > 0x1p36;
        case Like::Field:
            return size(a) > 0xffff;
        case Like::Packs:
            return a.grid < 0 && size(a) <= 2;
        case Like::Turns:
            return size(a) > 2 * std::numbers::pi;
        default:
            return true;
    }
}

}  // namespace tgsi2spv::difftest::generate

#include <algorithm>
#include <cmath>

#include "generate/rules.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

Need word(double lo = kMinInt, double hi = kMaxUint) {
    return {Kind::Int, lo, hi, 0, false, false};
}

/// Returns the range, or all words if it could wrap.
Value ranged(double lo, double hi, bool uniform) {
    const bool fits = lo >= kMinInt && hi <= kMaxUint && (lo >= 0 || hi < 0x1p31);
    return fits ? int_of(lo, hi, uniform) : any_int(uniform);
}

/// Returns a mask of as many ones as the value has bits.
double ones(double hi) {
    double m = 1;
    while (m <= hi) m *= 2;
    return m - 1;
}

}  // namespace

std::optional<Needs> integer_needs(Opcode op) {
    using enum Opcode;
    const Need w = word(), small = word(0, 0x1p31 - 1), sign = word(kMinInt, 0x1p31 - 1);
    static const NeedsRule kRules[] = {
        {{UADD, UMUL, UMAX, UMIN, UDIV, UMOD, UMUL_HI, UMAD, IMUL_HI, AND,  OR,  XOR,  NOT, BREV,
          POPC, LSB,  UMSB, IMSB, USEQ, USNE, USGE,    USLT, ISGE,    ISLT, SAD, UARL, ARA},
         {w, w, w, w}},
        {{IDIV, MOD, IMAX, IMIN, IABS, INEG, ISSG}, {sign, sign, w, w}},
        // Counts may exceed 31: only their low five bits matter.
        {{SHL, SHR, USHR, ISHR}, {w, small, w, w}},
        {{UBFE, IBFE}, {w, word(0, 15), word(0, 16), w}},
        {{BFI}, {w, w, word(0, 15), word(0, 16)}},
    };
    return find_needs(kRules, op);
}

Value integer_result(Opcode op, const std::array<Values, 4>& s, int c) {
    const Value &a = s[0][c], &b = s[1][c], &d = s[2][c];
    bool uniform = a.uniform;
    const int sources = tgsi::info(op).num_src;
    for (int i = 1; i < sources; i++) uniform &= s[i][c].uniform;
    const bool natural = a.lo >= 0 && (sources < 2 || b.lo >= 0);
    switch (op) {
        case Opcode::UADD:
            return ranged(a.lo + b.lo, a.hi + b.hi, uniform);
        case Opcode::UMUL:
            return natural ? ranged(a.lo * b.lo, a.hi * b.hi, uniform) : any_int(uniform);
        case Opcode::UMAD:
            return natural && d.lo >= 0 ? ranged(a.lo * b.lo + d.lo, a.hi * b.hi + d.hi, uniform) : any_int(uniform);
        case Opcode::UMAX:
            return natural ? int_of(std::max(a.lo, b.lo), std::max(a.hi, b.hi), uniform) : any_int(uniform);
        case Opcode::UMIN:
            if (!natural && b.lo >= 0) return int_of(0, b.hi, uniform);
            return natural ? int_of(std::min(a.lo, b.lo), std::min(a.hi, b.hi), uniform) : any_int(uniform);
        case Opcode::UDIV:
            return natural && b.lo > 0 ? int_of(0, a.hi, uniform) : any_int(uniform);
        case Opcode::UMOD:
            return b.lo > 0 ? int_of(0, b.hi - 1, uniform) : any_int(uniform);
        case Opcode::IDIV:
        case Opcode::IMUL_HI:
        case Opcode::MOD:
            return ranged(kMinInt, 0x1p31 - 1, uniform);
        case Opcode::IMAX:
            return int_of(std::max(a.lo, b.lo), std::max(a.hi, b.hi), uniform);
        case Opcode::IMIN:
            return int_of(std::min(a.lo, b.lo), std::min(a.hi, b.hi), uniform);
        case Opcode::ISSG:
            return int_of(-1, 1, uniform);
        case Opcode::INEG:
            return a.lo > kMinInt ? int_of(-a.hi, -a.lo, uniform) : any_int(uniform);
        case Opcode::AND:
            if (a.lo >= 0 || b.lo >= 0)
                return int_of(0, std::min(a.lo >= 0 ? a.hi : kMaxUint, b.lo >= 0 ? b.hi : kMaxUint), uniform);
            return any_int(uniform);
        case Opcode::OR:
        case Opcode::XOR:
            return natural ? int_of(0, ones(std::max(a.hi, b.hi)), uniform) : any_int(uniform);
        case Opcode::POPC:
            return int_of(0, 32, uniform);
        case Opcode::LSB:
        case Opcode::UMSB:
        case Opcode::IMSB:
            return int_of(-1, 31, uniform);
        case Opcode::USEQ:
        case Opcode::USNE:
        case Opcode::USGE:
        case Opcode::USLT:
        case Opcode::ISGE:
        case Opcode::ISLT:
            return mask_of(0, uniform);
        case Opcode::UARL:
            return a;
        case Opcode::UBFE:
            return int_of(0, 0xffff, uniform);
        case Opcode::IBFE:
            return int_of(-0x8000, 0x7fff, uniform);
        case Opcode::ARA: {
            const int from = c & 1;
            return ranged(s[0][from].lo + s[0][from + 2].lo, s[0][from].hi + s[0][from + 2].hi,
                          s[0][from].uniform && s[0][from + 2].uniform);
        }
        default:
            return any_int(uniform);
    }
}

}  // namespace tgsi2spv::difftest::generate

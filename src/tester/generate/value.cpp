#include "generate/value.h"

#include <algorithm>

namespace tgsi2spv::difftest::generate {

Value join(const Value& a, const Value& b) {
    if (a.kind != b.kind) return {};
    Value v = a;
    v.lo = std::min(a.lo, b.lo);
    v.hi = std::max(a.hi, b.hi);
    v.fuzz = std::max(a.fuzz, b.fuzz);
    v.grid = std::min(a.grid, b.grid);
    v.uniform = a.uniform && b.uniform;
    v.asked = a.asked && b.asked;
    return v;
}

bool contains(const Value& a, const Value& b) {
    if (a.kind == Kind::None) return true;
    return a.kind == b.kind && a.lo <= b.lo && b.hi <= a.hi && b.fuzz <= a.fuzz && a.grid <= b.grid &&
           (b.uniform || !a.uniform);
}

bool satisfies(const Value& v, const Need& need) {
    return v.kind == need.kind && need.lo <= v.lo && v.hi <= need.hi && v.fuzz <= need.most_fuzz &&
           (!need.grid || v.grid != kNoGrid) && (!need.uniform || v.uniform) && (!need.fraction || v.grid < 0);
}

}  // namespace tgsi2spv::difftest::generate

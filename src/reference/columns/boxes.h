// With bounds: what stands in a lane of a column as a Value of the other engine, and that engine's functions.
#pragma once

#include <vector>

#include "reference/columns/code.h"

namespace tgsi2spv::reference::columns {

/// A lane of a column with bounds: `value`, and both ends the same bits (a word), or every float between finite ends
/// that are no denormals, or a mark: `lo` says which, `hi` is kMarks and a number.
struct Entry {
    uint32_t value = 0, lo = 0, hi = 0;
};
inline Entry entry_of(const uint32_t* column, size_t lane) {
    const uint32_t plane = plane_of(column);
    return {column[lane], column[plane + lane], column[2 * plane + lane]};
}
inline bool is_marked(const Entry& e) {
    return e.lo != e.hi && is_nan(e.lo);
}
inline constexpr uint32_t kUnknown = ~0u;       ///< the number: origin_of()
inline constexpr uint32_t kBoxed = ~0u - 1;     ///< the number: of a box
inline constexpr uint32_t kMarks = 0xff800001;  ///< all marks are NaN, so that arithmetic finds them out
inline constexpr uint32_t kBothZeros = kMarks;  ///< with kBoxed: the first box is the set of both, +0 the plainest

/// Values that are neither: short sets, ends that are denormal or infinite, what may be NaN. Boxes are written once, so
/// that a copy of an entry is a copy of the Value. They last for a block of lanes.
class Boxes {
  public:
    Boxes() { clear(); }
    void clear();
    Value value_of(const Entry& e) const;
    /// What a mark stands for if that is words alone, else nullptr.
    const Value* set(const Entry& e) const {
        if (e.lo != kBoxed) return nullptr;
        const Value& v = values_[e.hi - kMarks];
        return v.kind == Kind::Words && !v.maybe_nan ? &v : nullptr;
    }
    /// `origin`: of a result that is unknown although its operands are not. False where there are too many boxes.
    bool put(const Value& v, uint32_t origin, Entry& e);

  private:
    static constexpr size_t kMost = 1u << 16;  ///< a loop makes more and more of them
    std::vector<Value> values_;
};

/// The ends of a set of words, none of them NaN.
inline void ends_of_set(const Value& v, uint32_t& lo, uint32_t& hi) {
    lo = hi = v.words[0];
    for (size_t i = 1; i < v.count; ++i) {
        if (order(v.words[i]) < order(lo)) lo = v.words[i];
        if (order(v.words[i]) > order(hi)) hi = v.words[i];
    }
}
/// Of an interval: ends that only a box can hold.
inline bool is_unfit_end(uint32_t w) {
    return is_inf(w) || is_denormal(w);
}

/// The other engine's function for an action; nullptr: a lane whose operands need it escapes.
FloatFunction function_of(Action action);
/// The same with the lane's operands, for sums too. False where it cannot tell what the other engine would say.
bool evaluate(const Step& step, Context c, const Value* operands, Value& result);

}  // namespace tgsi2spv::reference::columns

// With bounds: what stands in a lane of a column as a Value of the other engine, and that engine's functions.
#pragma once

#include <vector>

#include "reference/columns/code.h"
#include "reference/entry.h"

namespace tgsi2spv::reference::columns {

inline Entry entry_of(const uint32_t* column, size_t lane) {
    const uint32_t plane = plane_of(column);
    return {column[lane], column[plane + lane], column[2 * plane + lane]};
}
inline constexpr uint32_t kBothZeros = kMarks;  ///< with kBoxed: the first box is the set of both, +0 the plainest

/// Values that no entry holds: sets of words far from each other, ends that are denormal or infinite, what may be NaN.
/// Boxes are written once, so that a copy of an entry is a copy of the Value. They last for a block of lanes.
class Boxes {
  public:
    Boxes() { clear(); }
    void clear();
    Value value_of(const Entry& e) const;
    /// What a mark stands for if that is words alone.
    ShortSet set_of(const Entry& e) const {
        if (e.lo == kSet && e.hi != kSet) return marked_set(e);
        if (!is_boxed(e)) return {};
        const Value& v = values_[e.hi - kMarks];
        if (v.kind != Kind::Words || v.maybe_nan) return {};
        return {v.count, v.words};
    }
    /// `origin`: of a result that is unknown although its operands are not. False where there are too many boxes.
    bool put(const Value& v, uint32_t origin, Entry& e);

  private:
    static constexpr size_t kMost = 1u << 16;  ///< a loop makes more and more of them
    std::vector<Value> values_;
};

/// The ends of a set of words, none of them NaN.
inline void ends_of_set(const ShortSet& set, uint32_t& lo, uint32_t& hi) {
    lo = hi = set.words[0];
    for (size_t i = 1; i < set.count; ++i) {
        if (order(set.words[i]) < order(lo)) lo = set.words[i];
        if (order(set.words[i]) > order(hi)) hi = set.words[i];
    }
}

/// The other engine's function for an action; nullptr: a lane whose operands need it escapes.
FloatFunction function_of(Action action);
/// The same with the lane's operands, for sums too. False where it cannot tell what the other engine would say.
bool evaluate(const Step& step, Context c, const Value* operands, Value& result);

}  // namespace tgsi2spv::reference::columns

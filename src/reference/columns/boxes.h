// For bounds: entries of a column that are Values of the interpreter, and its functions.
#pragma once

#include <vector>

#include "reference/columns/code.h"
#include "reference/entry.h"
#include "reference/parts.h"

namespace tgsi2spv::reference::columns {

inline Entry entry_of(const uint32_t* column, size_t lane) {
    const uint32_t plane = plane_of(column);
    return {column[lane], column[plane + lane], column[2 * plane + lane]};
}
inline constexpr uint32_t kBothZeros = kMarks;  ///< with kBoxed: the first box, the set of both zeros with +0 as the
                                                ///< plainest

/// Values that no entry can hold: sets of words far from each other, intervals with denormal or infinite ends, and
/// values that may be NaN. A box is written only once, so copying an entry copies its Value. Boxes last for one block
/// of lanes.
class Boxes {
  public:
    Boxes() { clear(); }
    void clear();
    Value value_of(const Entry& e) const;
    /// Returns the words that a mark stands for, or none if it stands for anything else.
    ShortSet set_of(const Entry& e) const {
        if (e.lo == kSet && e.hi != kSet) return marked_set(e);
        if (!is_boxed(e)) return {};
        const Value& v = values_[e.hi - kMarks];
        if (v.kind != Kind::Words || v.maybe_nan) return {};
        return {v.count, v.words};
    }
    /// Stores a Value as an entry. `origin`: for a result that is unknown although its operands are not. Returns false
    /// if there are too many boxes.
    bool put(const Value& v, uint32_t origin, Entry& e);

  private:
    static constexpr size_t kMax = 1u << 16;  ///< a loop can fill more and more of them
    std::vector<Value> values_;
};

/// Computes the ends of a set of words, none of which is NaN.
inline void ends_of_set(const ShortSet& set, uint32_t& lo, uint32_t& hi) {
    lo = hi = set.words[0];
    for (size_t i = 1; i < set.count; ++i) {
        if (order(set.words[i]) < order(lo)) lo = set.words[i];
        if (order(set.words[i]) > order(hi)) hi = set.words[i];
    }
}

/// Whether the interpreter keeps gaps between some words of the set, none of which is NaN (parts.h).
inline bool is_apart(const ShortSet& set) {
    Value v;
    v.count = static_cast<uint8_t>(set.count);
    v.words = set.words;
    return set.count > 1 && reference::is_apart(v);
}

/// Returns the interpreter's function for an action. nullptr: lanes whose operands need it escape.
FloatFunction function_of(Action action);
/// Applies that function to a lane's operands; supports sums too. Returns false if the interpreter's result is not
/// known.
bool evaluate(const Step& step, Context c, const Value* operands, Value& result);

}  // namespace tgsi2spv::reference::columns

// Values with alternatives: the ranges between their wide gaps, and operations on each of them by itself.
//
// The result of an operation is the union over the parts of its operands. An operation of one step passes each range of
// its operands to one Hull, which keeps the gaps (steps.h). Operations of several steps go through for_each_part():
// they run for each part, and results that differ only by rounding have no gaps.
#pragma once

#include <initializer_list>

#include "reference/numbers/wide_value.h"

namespace tgsi2spv::reference {

/// The alternatives of a value. Only the first one may be NaN.
template <class Range>
struct RangesOf {
    std::array<Range, 4> all;
    size_t count = 0;
    const Range* begin() const { return all.data(); }
    const Range* end() const { return all.data() + count; }
};
/// False if the value is unknown.
bool parts_of(const Value& v, RangesOf<FloatRange>& parts);
inline bool parts_of(const Wide& v, RangesOf<DoubleRange>& parts) {
    parts.count = 1;
    return float_range(v, parts.all[0]);
}

/// Whether it has several parts.
bool is_apart(const Value& v);
inline bool any_apart(std::initializer_list<const Value*> values) {
    return std::any_of(values.begin(), values.end(), [](const Value* v) { return is_apart(*v); });
}

/// The operands of an operation, part by part.
class Parts {
  public:
    static constexpr size_t kOperands = 10;
    explicit Parts(std::initializer_list<const Value*> operands) {
        for (const Value* v : operands) add(*v);
    }
    Parts() = default;
    /// Beyond 16 combinations an operand is taken as a whole.
    void add(const Value& v);
    /// Operand i of the current combination.
    const Value& operator[](size_t i) const { return operands_[i].all[operands_[i].at]; }
    bool next();

  private:
    struct Operand {
        std::array<Value, 4> all;
        size_t count = 1, at = 0;
    };
    std::array<Operand, kOperands> operands_;
    size_t count_ = 0, combinations_ = 1;
};

/// The union of `run(parts)` over all combinations of the operands' parts.
template <class Run>
Value for_each_part(Parts parts, uint32_t nominal, Run run) {
    Hull h;
    do {
        h.add(filled(run(parts)));
    } while (parts.next());
    return h.finish(nominal);
}

}  // namespace tgsi2spv::reference

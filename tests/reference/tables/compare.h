// Comparisons and selections (docs: Core ISA, Integer ISA; semantics: Integer, Float).
#pragma once

#include "reference/tables/table.h"

namespace tgsi2spv::tables {

/// Returns rows of a float comparison, given its results for less, equal, greater and unordered operands.
inline std::vector<Row> relation_rows(bool less, bool equal, bool greater, bool unordered, uint32_t yes) {
    auto w = [&](bool b) { return b ? yes : 0u; };
    std::vector<Row> rows{
        row({f(1), f(2)}, w(less)),
        row({f(2), f(1)}, w(greater)),
        row({f(-1), f(1)}, w(less)),
        row({f(3), f(3)}, w(equal)),
        row({kZero, kMinusZero}, w(equal)),
        row({kMinusInfinity, kInfinity}, w(less)),
        row({kInfinity, kInfinity}, w(equal)),
        row({kQuietNan, f(1)}, w(unordered)),
        row({f(1), kQuietNan}, w(unordered)),
        row({kQuietNan, kQuietNan}, w(unordered)),
    };
    // A denormal may be flushed before the comparison.
    rows.push_back(row({kZero, kLeastDenormal}, less == equal ? word(w(less)) : either({yes, 0})));
    return rows;
}

inline std::vector<Table> compare() {
    const uint32_t one = kOneF, t = kTrue;
    return {
        {"SLT", relation_rows(true, false, false, false, one), {}},
        {"SGE", relation_rows(false, true, true, false, one), {}},
        {"SEQ", relation_rows(false, true, false, false, one), {}},
        {"SNE", relation_rows(true, false, true, true, one), {}},
        {"SGT", relation_rows(false, false, true, false, one), {}},
        {"SLE", relation_rows(true, true, false, false, one), {}},
        {"FSLT", relation_rows(true, false, false, false, t), {}},
        {"FSGE", relation_rows(false, true, true, false, t), {}},
        {"FSEQ", relation_rows(false, true, false, false, t), {}},
        {"FSNE", relation_rows(true, false, true, true, t), {}},
        {"ISGE",
         {row({i(1), i(2)}, 0u), row({i(-1), i(1)}, 0u), row({i(1), i(-1)}, t), row({kIntMin, kIntMax}, 0u),
          row({kIntMin, kIntMin}, t)},
         {}},
        {"ISLT",
         {row({i(1), i(2)}, t), row({i(-1), i(1)}, t), row({i(1), i(-1)}, 0u), row({kIntMin, kIntMax}, t),
          row({kIntMin, kIntMin}, 0u)},
         {}},
        {"USGE",
         {row({i(1), i(2)}, 0u), row({i(-1), i(1)}, t), row({i(1), i(-1)}, 0u), row({kIntMin, kIntMax}, t),
          row({5, 5}, t)},
         {}},
        {"USLT",
         {row({i(1), i(2)}, t), row({i(-1), i(1)}, 0u), row({i(1), i(-1)}, t), row({kIntMin, kIntMax}, 0u),
          row({5, 5}, 0u)},
         {}},
        {"USEQ", {row({5, 5}, t), row({5, 6}, 0u), row({kZero, kMinusZero}, 0u), row({kQuietNan, kQuietNan}, t)}, {}},
        {"USNE", {row({5, 5}, 0u), row({5, 6}, t), row({kZero, kMinusZero}, t), row({kQuietNan, kQuietNan}, 0u)}, {}},
        {"CMP",
         {row({f(-1), 11, 22}, 11), row({f(1), 11, 22}, 22), row({kZero, 11, 22}, 22), row({kMinusZero, 11, 22}, 22),
          row({kQuietNan, 11, 22}, 22), row({0xffc00000, 11, 22}, 22), row({kMinusInfinity, 11, 22}, 11),
          row({kMinusDenormal, 11, 22}, either({11, 22})), row({f(-1), 0x7fc12345, 22}, 0x7fc12345)},
         {}},
        {"UCMP",
         {row({1, 11, 22}, 11), row({kMinusZero, 11, 22}, 11), row({kZero, 11, 22}, 22), row({kTrue, 11, 22}, 11),
          row({kLeastDenormal, 0x7fc12345, 22}, 0x7fc12345)},
         {}},
    };
}

}  // namespace tgsi2spv::tables

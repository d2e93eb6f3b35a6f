// Compares values of the reference with expectations of tests/meanings.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "meanings/meanings.h"
#include "reference/bench.h"
#include "reference/numbers/wide_value.h"

namespace tgsi2spv::reference {

using meanings::Expect;

inline int64_t distance(uint32_t a, uint32_t b) {
    return std::abs(int64_t{order(a)} - order(b));
}

/// Whether the double is known within the given number of ULPs of its own type, not of a float.
inline testing::AssertionResult agrees(const Value& low, const Value& high, const Expect& e) {
    if (!is_pair(low, high)) return testing::AssertionFailure() << "no pair";
    const Wide v = join_halves(low, high);
    const uint64_t expected = uint64_t{e.words[1]} << 32 | e.words[0];
    // The expected double and the reference's own are both rounded, and the bounds are then rounded outwards.
    const auto near = static_cast<uint64_t>(e.ulps - 0.5f), far = static_cast<uint64_t>(e.ulps) + 4;
    for (const uint64_t word : {expected, expected - near, expected + near})
        if (!permits(v, word)) return testing::AssertionFailure() << "does not permit " << std::hex << word;
    for (const uint64_t word : {expected - far, expected + far})
        if (permits(v, word)) return testing::AssertionFailure() << "permits " << std::hex << word;
    return testing::AssertionSuccess();
}

/// Whether the reference permits exactly the answers that a rule expects. Double and Upper are judged as pairs.
inline testing::AssertionResult agrees(const Value& v, const Expect& e) {
    auto failure = [&] { return testing::AssertionFailure() << "permits" << text_of(v); };
    if (!permits(v, v.value)) return failure() << ", not its own value " << std::hex << v.value;
    switch (e.kind) {
        case Expect::Kind::Words: {
            WordList list;
            if (!enumerate(v, list)) return failure() << ", expected words";
            std::vector<uint32_t> got(list.words.begin(), list.words.begin() + list.count), want = e.words;
            std::sort(got.begin(), got.end());
            std::sort(want.begin(), want.end());
            if (got != want) return failure() << ", expected " << testing::PrintToString(want);
            break;
        }
        case Expect::Kind::Nan:
            if (!permits(v, 0x7fc00000) || !permits(v, 0xff800001) || permits(v, 0) || permits(v, kInf))
                return failure() << ", expected any NaN";
            break;
        case Expect::Kind::Near: {
            const uint32_t w = e.words[0];
            const auto reach = static_cast<int64_t>(e.ulps + 0.5f);  // the expected word is itself rounded
            if (!permits(v, w)) return failure() << ", not " << as_number(w);
            if (!permits(v, next_up(w)) || !permits(v, next_down(w))) return failure() << ", not a neighbour";
            // precision.cpp tests the exact ends of the bounds.
            FloatRange r;
            if (!float_range(v, r) || r.nan || distance(as_word(r.lo), w) > reach || distance(as_word(r.hi), w) > reach)
                return failure() << ", too far from " << as_number(w);
            break;
        }
        case Expect::Kind::Between: {
            FloatRange r;
            if (!float_range(v, r) || r.nan || r.empty || r.lo < as_number(e.words[0]) || r.hi > as_number(e.words[1]))
                return failure() << ", expected from " << as_number(e.words[0]) << " to " << as_number(e.words[1]);
            break;
        }
        case Expect::Kind::Free:
            if (!is_free(v)) return failure() << ", expected unknown";
            break;
        case Expect::Kind::Skipped:
        case Expect::Kind::Double:
        case Expect::Kind::Upper:
            break;
    }
    return testing::AssertionSuccess();
}

}  // namespace tgsi2spv::reference

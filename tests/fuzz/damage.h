// Ways to damage a text, all selected by a seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

/// A small generator that gives the same numbers on every machine.
struct Random {
    uint64_t state;
    explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint64_t next();
    /// Returns 0 .. below - 1, or 0 if `below` is 0.
    size_t below(size_t n) { return n == 0 ? 0 : static_cast<size_t>(next() % n); }
};

/// Returns the text with one to five mutations: bytes, words, numbers and lines are changed, dropped, duplicated,
/// swapped, or taken from `other`.
std::string mutate(std::string_view text, std::string_view other, Random& random);

}  // namespace fuzz

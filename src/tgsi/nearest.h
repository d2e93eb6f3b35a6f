// The nearest of a few words to one that is unknown, for hints.
#pragma once

#include <cstddef>
#include <string_view>

namespace tgsi2spv::tgsi {

/// What it costs to make one word of the other by swaps of neighbours, insertions, deletions and changes of letters,
/// without regard to case. A swap is the likeliest slip and costs 9, an insertion or deletion 10, a change 11.
/// Words above 32 bytes cost more than any limit.
int edit_cost(std::string_view a, std::string_view b);

/// Keeps the nearest word that it is shown, the first of equally near ones: at most a few slips away. A word that the
/// name is the beginning of is nearer than one two slips away.
struct Nearest {
    std::string_view name;
    std::string_view word = {};  ///< empty if none is near
    int cost = 0;                ///< of the word, or what one may cost
    explicit Nearest(std::string_view n) : name(n), cost(n.size() <= 3 ? 11 : n.size() <= 7 ? 22 : 33) {}
    void offer(std::string_view candidate);
};

}  // namespace tgsi2spv::tgsi

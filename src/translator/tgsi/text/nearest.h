// Finds the known word that is nearest to an unknown one, for hints.
#pragma once

#include <cstddef>
#include <string_view>

namespace tgsi2spv::tgsi {

/// The cost to change one word into the other by swaps of neighbours, insertions, deletions and changes of letters,
/// ignoring case. A swap is the likeliest slip and costs 9, an insertion or deletion 10, a change 11. Words above 32
/// bytes cost more than any limit.
int edit_cost(std::string_view a, std::string_view b);

/// Keeps the nearest of the words that it is shown, or the first of equally near ones, if it is at most a few slips
/// away. A word that begins with the name is nearer than a word two slips away.
struct Nearest {
    std::string_view name;
    std::string_view word = {};  ///< empty if none is near
    int cost = 0;                ///< cost of the word; before there is one, the highest accepted cost
    explicit Nearest(std::string_view n) : name(n), cost(n.size() <= 3 ? 11 : n.size() <= 7 ? 22 : 33) {}
    void offer(std::string_view candidate);
};

}  // namespace tgsi2spv::tgsi

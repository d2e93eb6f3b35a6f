// The nearest of a few words to one that is unknown, for hints.
#pragma once

#include <cstddef>
#include <string_view>

namespace tgsi2spv::tgsi {

/// Insertions, deletions, changes and swaps of neighbours between two words, without regard to case. Stops counting
/// above `limit` and then returns more than `limit`. Words above 32 bytes are never near.
int edit_distance(std::string_view a, std::string_view b, int limit);

/// Keeps the nearest word that it is shown. Equally near words: one of the same length wins, then the first.
struct Nearest {
    std::string_view name;
    std::string_view word = {};  ///< empty if none is near
    int distance = 0;
    explicit Nearest(std::string_view n) : name(n), distance(n.size() <= 3 ? 1 : n.size() <= 7 ? 2 : 3) {}
    void offer(std::string_view candidate);
};

}  // namespace tgsi2spv::tgsi

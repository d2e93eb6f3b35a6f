#include "tgsi/text/nearest.h"

#include <algorithm>
#include <array>

namespace tgsi2spv::tgsi {
namespace {

constexpr int kLongest = 32;
constexpr size_t kShortestStem = 4;
constexpr int kSwap = 9, kGap = 10, kChange = 11, kStem = 12, kNever = 1 << 20;

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace

int edit_cost(std::string_view a, std::string_view b) {
    const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
    if (n > kLongest || m > kLongest) return kNever;
    // Three rows of the optimal-string-alignment table: the last two and the one being filled.
    std::array<std::array<int, kLongest + 1>, 3> rows{};
    for (int j = 0; j <= m; ++j) rows[0][j] = kGap * j;
    for (int i = 1; i <= n; ++i) {
        auto& row = rows[i % 3];
        const auto& above = rows[(i + 2) % 3];
        const auto& above2 = rows[(i + 1) % 3];
        row[0] = kGap * i;
        for (int j = 1; j <= m; ++j) {
            const char x = upper(a[i - 1]), y = upper(b[j - 1]);
            row[j] = std::min({above[j] + kGap, row[j - 1] + kGap, above[j - 1] + (x == y ? 0 : kChange)});
            if (i > 1 && j > 1 && x == upper(b[j - 2]) && upper(a[i - 2]) == y)
                row[j] = std::min(row[j], above2[j - 2] + kSwap);
        }
    }
    return rows[n % 3][m];
}

void Nearest::offer(std::string_view candidate) {
    if (candidate.empty()) return;
    int d = edit_cost(name, candidate);
    if (name.size() >= kShortestStem && candidate.size() > name.size() &&
        edit_cost(name, candidate.substr(0, name.size())) == 0)
        d = std::min(d, kStem);
    // If nothing of the word would be left, it is not a slip.
    if (d >= kGap * static_cast<int>(name.size())) return;
    if (d < cost || (d == cost && word.empty())) {
        word = candidate;
        cost = d;
    }
}

}  // namespace tgsi2spv::tgsi

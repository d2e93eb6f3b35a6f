#include "tgsi/nearest.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tgsi2spv::tgsi {
namespace {

constexpr int kLongest = 32;

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b, int limit) {
    const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
    if (n > kLongest || m > kLongest || std::abs(n - m) > limit) return limit + 1;
    // Three rows of the optimal-string-alignment table: the last two and the one being filled.
    std::array<std::array<int, kLongest + 1>, 3> rows{};
    for (int j = 0; j <= m; ++j) rows[0][j] = j;
    for (int i = 1; i <= n; ++i) {
        auto& row = rows[i % 3];
        const auto& above = rows[(i + 2) % 3];
        const auto& above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; ++j) {
            const char x = upper(a[i - 1]), y = upper(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (x == y ? 0 : 1)});
            if (i > 1 && j > 1 && x == upper(b[j - 2]) && upper(a[i - 2]) == y)
                row[j] = std::min(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void Nearest::offer(std::string_view candidate) {
    if (candidate.empty()) return;
    const int d = edit_distance(name, candidate, distance);
    if (d > distance || d >= static_cast<int>(name.size())) return;
    const bool same_length = candidate.size() == name.size() && word.size() != name.size();
    if (d < distance || word.empty() || same_length) {
        word = candidate;
        distance = d;
    }
}

}  // namespace tgsi2spv::tgsi

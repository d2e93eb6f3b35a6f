#include "ir/flat_table.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace tgsi2spv::ir {
namespace {

/// The entries are the words themselves: index i means `stored[i]`.
struct Numbering {
    FlatTable table;
    std::vector<uint32_t> stored;
    uint32_t find(uint32_t word, uint64_t hash) {
        const auto next = static_cast<uint32_t>(stored.size());
        const uint32_t found = table.find_or_insert(hash, next, [&](uint32_t i) { return stored[i] == word; });
        if (found == next) stored.push_back(word);
        return found;
    }
};

TEST(FlatTable, FindsItsEntriesWhileItGrows) {
    Numbering w;
    for (uint32_t n = 0; n < 10000; n++) EXPECT_EQ(w.find(n * 7, hash_word(0, n * 7)), n);
    for (uint32_t n = 0; n < 10000; n++) EXPECT_EQ(w.find(n * 7, hash_word(0, n * 7)), n);
}

TEST(FlatTable, EqualHashesAreDistinguishedByTheEntries) {
    Numbering w;
    for (uint32_t n = 0; n < 200; n++) EXPECT_EQ(w.find(n, 42), n);
    for (uint32_t n = 0; n < 200; n++) EXPECT_EQ(w.find(n, 42), n);
}

/// The author of a text must not be able to choose objects that collide in one slot.
TEST(FlatTable, TablesHashDifferently) {
    const FlatTable first, second;
    EXPECT_NE(first.seed(), second.seed());
}

TEST(FlatTable, ClearForgetsEverything) {
    Numbering w;
    for (uint32_t n = 0; n < 1000; n++) w.find(n, hash_word(0, n));
    w.table.clear();
    w.stored.clear();
    EXPECT_EQ(w.find(999, hash_word(0, 999)), 0u);
    EXPECT_EQ(w.find(0, hash_word(0, 0)), 1u);
    w.table.clear(5000);
    w.stored.clear();
    for (uint32_t n = 0; n < 5000; n++) EXPECT_EQ(w.find(n, hash_word(0, n)), n);
}

TEST(FlatTable, APlaceCanBeGivenToAnotherEqualThing) {
    FlatTable table;
    table.find_or_insert(1, 10, [](uint32_t) { return true; }) = 11;
    EXPECT_EQ(table.find_or_insert(1, 12, [](uint32_t i) { return i == 11; }), 11u);
}

/// A fixed arena puts tables at known addresses: the seed comes from elsewhere.
TEST(FlatTable, SeedsDifferAtOnePlace) {
    std::set<uint64_t> seeds;
    std::optional<FlatTable> table;
    for (int i = 0; i < 10; i++) seeds.insert(table.emplace().seed());
    EXPECT_EQ(seeds.size(), 10u);
}

}  // namespace
}  // namespace tgsi2spv::ir

#include "reference/numbers/packed.h"

#include <algorithm>

namespace tgsi2spv::reference {
namespace {

void add_code(WordList& codes, uint32_t code) {
    const auto end = codes.words.begin() + codes.count;
    if (std::find(codes.words.begin(), end, code) == end) codes.words[static_cast<size_t>(codes.count++)] = code;
}

/// How many consecutive codes a sorted list has from `at` on, wrapping at its end.
int run_from(const WordList& codes, int at, uint32_t mask) {
    const auto code = [&](int i) { return codes.words[static_cast<size_t>(i % codes.count)]; };
    int n = 1;
    while (n < codes.count && code(at + n) == ((code(at + n - 1) + 1) & mask)) ++n;
    return n;
}

}  // namespace

FieldSet set_around(const WordList& list, int bits) {
    const uint32_t mask = largest_code(bits);
    WordList codes{};
    for (int i = 0; i < list.count; ++i) add_code(codes, list.words[static_cast<size_t>(i)]);
    const int count = codes.count;
    std::sort(codes.words.begin(), codes.words.begin() + count);
    const auto code = [&](int i) { return codes.words[static_cast<size_t>(i % count)]; };
    int start = 0, behind_gap = 0;
    for (int i = 1; i < count; ++i) {
        if (run_from(codes, i, mask) > run_from(codes, start, mask)) start = i;
        const auto gap = [&](int at) { return (code(at) - code(at + count - 1)) & mask; };
        if (gap(i) > gap(behind_gap)) behind_gap = i;
    }
    const int run = run_from(codes, start, mask);
    if (count - run > 2) return codes_between(code(behind_gap), code(behind_gap + count - 1));
    FieldSet set = codes_between(code(start), code(start + run - 1));
    for (int i = run; i < count; ++i) set.others[static_cast<size_t>(i - run)] = code(start + i);
    return set;
}

bool enumerate(const FieldSet& set, int bits, WordList& codes, int limit) {
    const uint32_t mask = largest_code(bits), beyond_first = (set.last - set.first) & mask;
    codes.count = 0;
    if (beyond_first + 3 > codes.words.size()) return false;
    for (uint32_t i = 0; i <= beyond_first; ++i) add_code(codes, (set.first + i) & mask);
    for (const uint32_t other : set.others) add_code(codes, other);
    return codes.count <= limit;
}

Value pack_fields(const FieldSet* sets, int fields, uint32_t value) {
    constexpr int kFew = 4;  // the most words that a Value lists
    const int bits = 32 / fields;
    std::array<WordList, 4> codes{};
    int words = 1;
    bool few = true;
    for (int i = 0; i < fields && few; ++i) {
        WordList& list = codes[static_cast<size_t>(i)];
        few = enumerate(sets[i], bits, list, kFew) && (words *= list.count) <= kFew;
    }
    if (few) {
        Hull h;
        for (int k = 0; k < words; ++k) {
            uint32_t word = 0;
            int rest = k;
            for (int i = 0; i < fields; ++i) {
                const WordList& list = codes[static_cast<size_t>(i)];
                word |= list.words[static_cast<size_t>(rest % list.count)] << (i * bits);
                rest /= list.count;
            }
            h.add_word(word);
        }
        return h.finish(value);
    }
    Value v = unknown(value);
    for (int i = 0; i < fields; ++i) {
        const FieldSet& s = sets[i];
        const std::array<uint32_t, 4> parts{s.first, s.last, s.others[0], s.others[1]};
        for (size_t k = 0; k < parts.size(); ++k) v.words[k] |= parts[k] << (i * bits);
        if (((s.last - s.first) & largest_code(bits)) != largest_code(bits)) v.fields = static_cast<uint8_t>(fields);
    }
    return v;
}

}  // namespace tgsi2spv::reference

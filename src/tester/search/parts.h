// Input sets and their effects, as the search for inputs keeps them. Internal to search.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "inputs/random.h"
#include "inputs/uses.h"
#include "reference/run.h"
#include "search/search.h"

namespace tgsi2spv::difftest::searching {

using reference::as_number;
using reference::as_word;
using reference::Inputs;

/// The place of a word of the inputs.
struct InputWord {
    enum class What : uint8_t { Input, Constant, Buffer, Texel } what{};
    reference::RegisterKey input{};
    uint32_t index = 0;  ///< number of the constant buffer, buffer or texture
    size_t word = 0;     ///< within that; the component of an input, or of all texels if these are equal
    Use use = Use::Integer;
    /// Whether it may be any word: it is not an index, address or coordinate.
    bool any() const { return use == Use::Float || use == Use::Integer || is_double(); }
    bool is_double() const { return use == Use::DoubleLow || use == Use::DoubleHigh; }
};

size_t texel_components(const reference::Texture& texture);
/// Whether the second, the third and the last texel are equal; they will all become the first one.
bool has_texels_alike(const reference::Texture& texture, size_t components);
/// If texels are equal, copies the first one to all, as the format can hold it.
void spread_texels(Inputs& in);

/// The words of a place, by lane: one for each, or one for all. They stay where they are until a vector of the inputs
/// changes its size.
struct Column {
    uint32_t* first = nullptr;
    uint32_t step = 0, lanes = 0;
    /// Null: the set has no such word.
    uint32_t* at(uint32_t lane) const { return lane < lanes ? first + size_t{lane} * step : nullptr; }
};
Column column_of(Inputs& in, const InputWord& word);
inline uint32_t* find_word(Inputs& in, const InputWord& word, uint32_t lane) {
    return column_of(in, word).at(lane);
}

/// Another word for a place: from the program, an edge value, a neighbour, or another size.
uint32_t some_word(const tgsi::Program& program, const InputWord& word, uint32_t old, Random& random);
/// Makes textures of one colour: a word of such a texture is then like a word of constants. False: there is none.
bool make_textures_even(Inputs& in, const tgsi::Program& program, const std::vector<InputWord>& places, Random& random);
/// Takes some words of the other set, by place, to combine the effects of both.
void cross_sets(Inputs& in, const Inputs& from, const std::vector<InputWord>& places, Random& random);

struct Comparison {
    uint32_t instruction;
    uint32_t lane;  ///< a lane of the case
    uint8_t component;
    uint32_t a, b;
};

/// The trace of one run.
struct Trace {
    std::unordered_set<uint64_t> outcomes, magnitudes;
    std::vector<Comparison> comparisons;
    bool usable = false;
};

/// A set of inputs and its effects.
struct Known {
    Inputs inputs;
    std::shared_ptr<const Trace> trace;
};

/// Adds the executed steps to `work`.
Trace watch(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& in,
            const SearchOptions& options, uint32_t group, uint64_t& work);

inline uint64_t feature(uint32_t instruction, uint32_t component, uint32_t what) {
    return uint64_t{instruction} << 32 | component << 24 | what;
}

/// The difference of two words, as floats and as integers, in a few steps.
inline uint32_t outcome(uint32_t a, uint32_t b) {
    // Words that are equal because both are 0 say less than others.
    if (a == b) return a == 0 ? 0 : a == ~0u ? 0x400 : 0x401;
    const float x = as_number(a), y = as_number(b);
    const auto i = static_cast<int32_t>(a), j = static_cast<int32_t>(b);
    uint32_t nearness = 0;
    if (const float largest = std::max(std::abs(x), std::abs(y)); std::isfinite(largest) && largest > 0) {
        const float part = std::abs(x - y) / largest;
        for (const float step : {0x1p-3f, 0x1p-7f, 0x1p-11f, 0x1p-16f}) nearness += part < step ? 1u : 0u;
    }
    const uint32_t order = x < y ? 0u : x > y ? 1u : x == y ? 2u : 3u;
    return 1 + (nearness << 4 | order << 2 | (i < j ? 2u : 0u) | (a - b + 1 <= 2 ? 1u : 0u));
}

/// Whether all permitted values compare in the same way.
inline bool decided(const reference::Value& a, const reference::Value& b) {
    if (reference::is_exact(a) && reference::is_exact(b)) return true;
    reference::FloatRange x, y;
    if (!reference::float_range(a, x) || !reference::float_range(b, y) || x.nan || y.nan) return false;
    return x.hi < y.lo || y.hi < x.lo;
}

/// Sign and magnitude of a word, seen as a float or as a small integer.
inline uint32_t magnitude(uint32_t w) {
    const uint32_t sign = w >> 31, exponent = w >> 23 & 0xff;
    if (exponent == 0) return sign << 8 | static_cast<uint32_t>(std::bit_width(w & 0x7fffffu));
    if (w == ~0u || exponent == 0xff) return sign << 8 | (w << 9 == 0 ? 32u : 33u);
    return sign << 8 | (64u + exponent / 4) | (w << 9 == 0 ? 128u : 0u);
}

}  // namespace tgsi2spv::difftest::searching

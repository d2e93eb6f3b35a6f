// The locations of memory accesses; shared by memory.cpp and memory_images.cpp.
#pragma once

#include "reference/memory/words.h"
#include "reference/numbers/context.h"

namespace tgsi2spv::reference {

/// `components` words of one copy of a region, starting at `word`; none if it is out of range.
struct WordRun {
    uint64_t word = 0;
    uint32_t components = 0;
    uint64_t stride = 1;  ///< words from one component to the next
};
/// The possible locations of an access, and the nominal one.
struct PossibleRuns {
    std::array<WordRun, 4> list{};
    int count = 0;
    bool known = true;
    WordRun nominal{};
    void add(const WordRun& at) {
        if (count == 4)
            known = false;
        else
            list[static_cast<size_t>(count++)] = at;
    }
};

/// Calls f(location, presence) for every possible location of a write by an invocation that is present as `here`.
template <class F>
void each_place(const PossibleRuns& where, Presence here, F f) {
    if (where.known && where.count == 1) return f(where.list[0], here);
    const auto part = [&](uint8_t bits) { return static_cast<Presence>(here & bits); };
    if (where.known && part(kMay))
        for (int i = 0; i < where.count; ++i) f(where.list[static_cast<size_t>(i)], part(kMay));
    if (part(kNominal)) f(where.nominal, part(kNominal));
}

// memory_images.cpp

/// Returns the texel at a coordinate (semantics: Memory; RESQ and image coordinates), or the words in a row of a raw
/// image.
PossibleRuns image_locations(const Region& region, tgsi::Target target, bool raw,
                             const std::array<const Value*, 4>& address, uint32_t lane);
/// Returns component c of a texel if the format lacks it or the texel is out of range.
Value missing_component(const Region& region, const WordRun& at, uint32_t c);
/// Returns component c of a texel after `v` was stored to it.
Value converted(const Context& context, const Region& region, int component, const Value& v);
/// Returns the result of RESQ: width, height, depth or layers, samples.
std::array<uint32_t, 4> image_size(const Texture& texture, tgsi::Target target);

}  // namespace tgsi2spv::reference

// Where memory instructions go: what memory.cpp and memory_images.cpp share.
#pragma once

#include "reference/memory_words.h"

namespace tgsi2spv::reference {

/// `components` words from `word` on, of a copy; none where it is outside.
struct Location {
    uint64_t word = 0;
    uint32_t components = 0;
};
/// The locations that an access may have, and the plainest.
struct Locations {
    std::array<Location, 4> list{};
    int count = 0;
    bool known = true;
    Location plain{};
    void add(const Location& at) {
        if (count == 4)
            known = false;
        else
            list[static_cast<size_t>(count++)] = at;
    }
};

/// f(location, presence) for every place that a write of an invocation that is `here` may have.
template <class F>
void each_place(const Locations& where, Presence here, F f) {
    if (where.known && where.count == 1) return f(where.list[0], here);
    const auto part = [&](uint8_t bits) { return static_cast<Presence>(here & bits); };
    if (where.known && part(kMay))
        for (int i = 0; i < where.count; ++i) f(where.list[static_cast<size_t>(i)], part(kMay));
    if (part(kPlain)) f(where.plain, part(kPlain));
}

// memory_images.cpp

/// The texel that a coordinate names (semantics: Memory; RESQ and image coordinates), or words of a raw image's row.
Locations image_locations(const Region& r, tgsi::Target target, bool raw, const std::array<const Value*, 4>& address,
                          uint32_t lane);
/// Component c of a texel where the format has none, or of one outside.
Value missing_component(const Region& r, const Location& at, uint32_t c);
/// What component c of a texel is after `v` was stored to it.
Value converted(const Context& c, const Region& r, int component, const Value& v);
/// RESQ: width, height, depth or layers, samples.
std::array<uint32_t, 4> image_size(const Texture& t, tgsi::Target target);

}  // namespace tgsi2spv::reference

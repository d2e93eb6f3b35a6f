// Wrong words: near to the right one, at the edges of numbers, or another thing's.
#include <array>
#include <bit>

#include "stream.h"

namespace tgsi2spv::fuzz {
namespace {

constexpr uint32_t kEdges[] = {0,          1,
                               2,          3,
                               4,          5,
                               7,          16,
                               63,         255,
                               256,        4096,
                               0x3fff,     0x4000,
                               0x7fff,     0xffff,
                               0x10000,    0x00ffffff,
                               0x7ffffffe, 0x7fffffff,
                               1U << 31,   (1U << 31) + 1,
                               0xfffffff0, 0xfffffffc,
                               0xfffffffe, ~0U};
constexpr uint32_t kFloats[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 0x00000001, 0x7f7fffff, 0xff7fffff,
                                0x4f000000, 0xcf000000, 0x47800000, 0xc7800000, 0x3f800001, 0xbf800000, 0x42c80000};
/// Draws of more take minutes, and end as the guest's time does.
constexpr uint32_t kWork[] = {0, 1, 2, 5, 7, 64, 300, 1000};
/// Likewise: a few, and more than any device takes.
constexpr uint32_t kGrids[] = {0, 1, 16, 65536, ~0U};

uint32_t number(Random& random, uint32_t right, std::span<const uint32_t> others) {
    switch (random.below(8)) {
        case 0:
            return right + 1;
        case 1:
            return right - 1;
        case 2:
            return right + 1 + random.below(16);
        case 3:
            return 0 - right;
        case 4:
            return right * 2;
        case 5:
            return others.empty() ? right + 1 : random.pick(others);
        default:
            return random.pick(kEdges);
    }
}

uint32_t handle(Stream& s) {
    const auto& of_type = s.objects[1 + s.random.below(s.objects.size() - 1)];
    if (of_type.empty() || s.random.one_in(4)) return s.random.one_in(2) ? 0 : s.random.below(1024);
    return s.random.pick(of_type).first;
}

uint32_t resource(Stream& s) {
    if (s.resources.empty() || s.random.one_in(6)) return s.random.one_in(2) ? 0 : 64 + s.random.below(64);
    const auto& [handle, one] = s.random.pick(s.resources);
    return one.arguments ? 0 : handle;
}

}  // namespace

uint32_t wrong_word(Stream& s, Kind kind, uint32_t right, std::span<const uint32_t> others) {
    Random& random = s.random;
    switch (wrong_of(kind)) {
        case Wrong::Fixed:
            return right;
        case Wrong::Handle:
            return handle(s);
        case Wrong::Resource:
            return resource(s);
        case Wrong::Format: {
            const uint32_t number = random.one_in(4) ? random.below(520) : random.pick(s.offers.sampled);
            return (right & 0xff000000) | number;
        }
        case Wrong::Number:
            return number(random, right, others);
        case Wrong::Packed: {
            // One of two halves, or all of it.
            if (random.one_in(3)) return number(random, right, others);
            const uint32_t shift = random.one_in(2) ? 0 : random.one_in(4) ? 8 : 16;
            const uint32_t half = number(random, right >> shift & 0xffff, others) & 0xffff;
            return (right & ~(0xffffU << shift)) | half << shift;
        }
        case Wrong::Work:
            return random.pick(kWork);
        case Wrong::Grid:
            return random.pick(kGrids);
        case Wrong::Bits:
            return random.one_in(3) ? random.word() : right ^ 1U << random.below(32);
        case Wrong::Float:
            return random.pick(kFloats);
    }
    return right;
}

}  // namespace tgsi2spv::fuzz

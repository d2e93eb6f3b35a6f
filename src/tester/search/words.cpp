// New words for input sets: one at a time, from another set, or the same one in all texels.
#include <bit>
#include <cmath>

#include "search/parts.h"

namespace tgsi2spv::difftest::searching {

uint32_t some_word(const tgsi::Program& program, const InputWord& word, uint32_t old, Random& random) {
    if (word.use == Use::DoubleHigh && random.below(8) != 0) {
        constexpr uint32_t kSpecial[] = {0, 0x80000000, 0x3ff00000, 0x7ff00000, 0x7ff80000, 0x7fefffff};
        switch (random.below(4)) {
            case 0:
                return old ^ 0x80000000;
            case 1:
                return old + (static_cast<uint32_t>(random.between(-3, 3)) << 20);
            case 2:
                return old ^ (static_cast<uint32_t>(random.next()) & 0xfffff);
            default:
                return kSpecial[random.below(std::size(kSpecial))];
        }
    }
    switch (random.below(10)) {
        case 0:
        case 1:
            if (!program.immediates.empty())
                return program.immediates[random.below(program.immediates.size())].words[random.below(4)];
            [[fallthrough]];
        case 2:
            return random.below(3) != 0 ? random.below(20)
                                        : static_cast<uint32_t>(random.next() >> 32) >> random.below(32);
        case 3:
            return old ^ 0x80000000;
        case 4:
            return old + (random.below(2) != 0 ? 1 : ~0u);
        case 5:
            return as_word(static_cast<float>(random.between(-4, 4)));
        case 6:
            return as_word(as_number(old) * static_cast<float>(std::ldexp(1, random.between(-6, 6))));
        case 7: {
            // Mostly ordinary numbers; also angles of many turns, and numbers that rounding makes 0.
            const int32_t size = random.below(3) != 0 ? random.between(-3, 8) : random.between(-20, 20);
            return as_word(static_cast<float>(std::ldexp(random.unit() * 2 - 1, size)));
        }
        case 8:
            return old ^ 1u << random.below(32);
        default: {
            constexpr uint32_t kSpecial[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                             0x7fc00000, 0x00000001, 0x7f7fffff, 0xffffffff, 0x7fffffff, 0x3f000000};
            return kSpecial[random.below(std::size(kSpecial))];
        }
    }
}

bool make_textures_even(Inputs& in, const tgsi::Program& program, const std::vector<InputWord>& places,
                        Random& random) {
    bool any = false;
    for (const InputWord& p : places) {
        if (p.what != InputWord::What::Texel) continue;
        auto& texture = in.textures.at(p.index);
        const auto components = texel_components(texture);
        uint32_t word = texture.data[0][p.word];
        if (p.use == Use::Integer)
            word = random.below(2) != 0 ? random.below(8) : word;
        else if (random.below(3) == 0)
            word = as_word(static_cast<float>(random.between(-3, 3)));
        else if (random.below(2) == 0)
            word = some_word(program, p, word, random);
        for (auto& level : texture.data)
            for (size_t w = p.word; w < level.size(); w += components) level[w] = word;
        any = true;
    }
    return any;
}

void cross_sets(Inputs& in, const Inputs& from, const std::vector<InputWord>& places, Random& random) {
    const bool by_register = random.below(2) != 0;
    const uint64_t seed = random.next();
    for (const InputWord& p : places) {
        if (p.what == InputWord::What::Texel) continue;
        const uint64_t where = by_register
                                   ? p.word / 4 * 64 + p.index + static_cast<uint64_t>(p.input.second)
                                   : p.word + uint64_t{p.index} * 64 + static_cast<uint64_t>(p.input.second) * 8;
        if ((Random(seed + static_cast<uint64_t>(p.what) * 4096 + where).next() & 1) != 0) continue;
        for (uint32_t lane = 0; lane < (p.what == InputWord::What::Input ? in.lanes : 1); lane++) {
            const uint32_t* w = find_word(const_cast<Inputs&>(from), p, lane);
            uint32_t* to = find_word(in, p, lane);
            if (w != nullptr && to != nullptr) *to = *w;
        }
    }
}

}  // namespace tgsi2spv::difftest::searching

#include "search/parts.h"

#include "inputs/texels.h"
#include "tgsi/formats.h"

namespace tgsi2spv::difftest::searching {

size_t texel_components(const reference::Texture& t) {
    return std::max<size_t>(1, tgsi::format_info(t.format).components);
}

bool has_texels_alike(const reference::Texture& t, size_t components) {
    if (t.data.empty() || t.data[0].size() < 4 * components) return false;
    const auto& words = t.data[0];
    const auto texel = words.begin() + static_cast<std::ptrdiff_t>(components);
    const auto same = [&](std::vector<uint32_t>::const_iterator other) {
        return std::equal(texel, texel + static_cast<std::ptrdiff_t>(components), other);
    };
    return same(texel + static_cast<std::ptrdiff_t>(components)) &&
           same(words.end() - static_cast<std::ptrdiff_t>(components));
}

void spread_texels(Inputs& in) {
    for (auto& [index, texture] : in.textures) {
        const auto components = texel_components(texture);
        if (!has_texels_alike(texture, components)) continue;
        const std::vector<uint32_t> first(texture.data[0].begin(),
                                          texture.data[0].begin() + static_cast<std::ptrdiff_t>(components));
        for (auto& level : texture.data) {
            for (size_t w = 0; w < level.size(); w++) level[w] = first[w % components];
            level = decode_texels(texture.format, encode_texels(texture.format, level));
        }
    }
}

uint32_t* find_word(Inputs& in, const InputWord& p, uint32_t lane) {
    if (p.what == InputWord::What::Input) {
        auto& lanes = in.inputs.at(p.input);
        return lane < lanes.size() ? &lanes[lane][p.word] : nullptr;
    }
    if (p.what == InputWord::What::Texel) {
        const auto found = in.textures.find(p.index);
        if (found == in.textures.end()) return nullptr;
        auto& t = found->second;
        return has_texels_alike(t, texel_components(t)) ? &t.data[0][p.word] : nullptr;
    }
    auto& words = (p.what == InputWord::What::Constant ? in.constants : in.buffers).at(p.index);
    return p.word < words.size() ? &words[p.word] : nullptr;
}

size_t words_of(const Inputs& in) {
    size_t words = 64;
    for (const auto& [key, lanes] : in.inputs) words += 4 * lanes.size();
    for (const auto* all : {&in.constants, &in.buffers, &in.framebuffer_colors})
        for (const auto& [index, list] : *all) words += list.size();
    for (const auto* all : {&in.textures, &in.images})
        for (const auto& [index, texture] : *all)
            for (const auto& level : texture.data) words += level.size();
    return words;
}

}  // namespace tgsi2spv::difftest::searching

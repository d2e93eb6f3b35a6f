#include "search/parts.h"

#include "inputs/texels.h"
#include "tgsi/formats.h"

namespace tgsi2spv::difftest::searching {

size_t texel_components(const reference::Texture& texture) {
    return std::max<size_t>(1, tgsi::format_info(texture.format).components);
}

bool has_texels_alike(const reference::Texture& texture, size_t components) {
    if (texture.data.empty() || texture.data[0].size() < 4 * components) return false;
    const auto& words = texture.data[0];
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

Column column_of(Inputs& in, const InputWord& word) {
    constexpr uint32_t kAnyLane = ~0u;
    if (word.what == InputWord::What::Input) {
        auto& lanes = in.inputs.at(word.input);
        return lanes.empty() ? Column{} : Column{&lanes[0][word.word], 4, static_cast<uint32_t>(lanes.size())};
    }
    if (word.what == InputWord::What::Texel) {
        const auto found = in.textures.find(word.index);
        if (found == in.textures.end()) return {};
        auto& t = found->second;
        const size_t components = texel_components(t);  // of this set's format: the word may be of another set's
        if (word.word >= components || !has_texels_alike(t, components)) return {};
        return {&t.data[0][word.word], 0, kAnyLane};
    }
    auto& words = (word.what == InputWord::What::Constant ? in.constants : in.buffers).at(word.index);
    return word.word < words.size() ? Column{&words[word.word], 0, kAnyLane} : Column{};
}

}  // namespace tgsi2spv::difftest::searching

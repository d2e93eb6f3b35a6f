#include "cases/run/texel_margins.h"

#include <algorithm>
#include <bit>

#include "inputs/texels.h"
#include "tgsi/formats.h"

namespace tgsi2spv::difftest {

namespace {

struct Extent {
    uint32_t width, height, depth;  ///< size of a level; depth: slices or layers
    explicit Extent(const reference::Texture& texture, uint32_t level)
        : width(std::max(1u, texture.width >> level)),
          height(std::max(1u, texture.height >> level)),
          depth(std::max(1u, texture.depth >> level) * texture.layers) {}
};

uint32_t components_of(const reference::Texture& texture) {
    const auto& info = tgsi::format_info(texture.format);
    return info.numeric == tgsi::Numeric::Depth ? 1 : info.components;
}

reference::Texture sized(const reference::Texture& texture, const ir::ImageType& image, bool deeper) {
    reference::Texture larger = texture;
    larger.data.clear();
    larger.width <<= kPlaneMargin;
    if (image.dim != ir::ImageDim::D1 && image.dim != ir::ImageDim::Buffer) larger.height <<= kPlaneMargin;
    if (image.dim == ir::ImageDim::D3) larger.depth <<= kDepthMargin;
    if (image.array) larger.layers <<= kDepthMargin;
    if (deeper) larger.levels++;
    return larger;
}

/// Returns a level whose words are all marks, as the format can hold them.
std::vector<uint32_t> marks(const reference::Texture& texture, uint32_t level) {
    const bool integer = tgsi::is_integer(tgsi::format_info(texture.format).numeric);
    const Extent e(texture, level);
    std::vector<uint32_t> words(size_t{e.width} * e.height * e.depth * texture.samples * components_of(texture));
    for (size_t w = 0; w < words.size(); w++) {
        const auto number = static_cast<uint32_t>(w % 31);
        words[w] = integer ? 91 + number : std::bit_cast<uint32_t>(0.25f + static_cast<float>(number) * 0x1p-6f);
    }
    return decode_texels(texture.format, encode_texels(texture.format, words));
}

/// Calls f(offset in t, offset in larger, number of words) for each row of the smaller level.
template <class F>
void each_row(const reference::Texture& texture, const reference::Texture& larger, uint32_t level, F&& f) {
    const Extent small(texture, level), large(larger, level);
    const size_t texel = size_t{texture.samples} * components_of(texture);
    for (uint32_t z = 0; z < small.depth; z++)
        for (uint32_t y = 0; y < small.height; y++)
            f((size_t{z} * small.height + y) * small.width * texel,
              (size_t{z} * large.height + y) * large.width * texel, small.width * texel);
}

}  // namespace

reference::Texture with_margins(const reference::Texture& texture, const ir::ImageType& image, bool deeper) {
    reference::Texture larger = sized(texture, image, deeper);
    for (uint32_t level = 0; level < larger.levels; level++) {
        auto words = marks(larger, level);
        if (level < texture.data.size())
            each_row(texture, larger, level, [&](size_t from, size_t to, size_t count) {
                for (size_t w = 0; w < count && from + w < texture.data[level].size(); w++)
                    words[to + w] = texture.data[level][from + w];
            });
        else if (level < texture.levels)  // levels that the case does not give are zero
            each_row(texture, larger, level, [&](size_t, size_t to, size_t count) {
                std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(to), count, 0);
            });
        larger.data.push_back(std::move(words));
    }
    return larger;
}

std::optional<std::vector<uint32_t>> without_margins(const std::vector<uint32_t>& words,
                                                     const reference::Texture& texture, const ir::ImageType& image,
                                                     uint32_t level) {
    const reference::Texture larger = sized(texture, image, false);
    auto expected = marks(larger, level);
    if (words.size() != expected.size()) return std::nullopt;
    std::vector<uint32_t> own;
    each_row(texture, larger, level, [&](size_t, size_t at, size_t count) {
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at),
                   end = begin + static_cast<std::ptrdiff_t>(count);
        own.insert(own.end(), begin, end);
        std::copy(begin, end, expected.begin() + static_cast<std::ptrdiff_t>(at));
    });
    if (words != expected) return std::nullopt;
    return own;
}

}  // namespace tgsi2spv::difftest

// The reference's picture of a scene: the colours that a device may draw, pixel by pixel. The reference executes the
// shaders; the state around them is written from the documents of gallium and Vulkan, never from the translator.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "scene/scene.h"

namespace tgsi2spv::scene {

/// For a normalised target 0 to 1; for an integer target the byte.
struct ChannelRange {
    double lo = 0, hi = 0;
    bool operator==(const ChannelRange&) const = default;
};
using Color = std::array<ChannelRange, 4>;

/// Any one of several colours: for example before and after a fragment that the device may leave out.
struct Pixel {
    std::vector<Color> colors;
    bool free = false;  ///< any colour at all
};

struct Picture {
    uint32_t width = 0, height = 0;
    bool integers = false;
    std::vector<Pixel> pixels;  ///< row by row from the top
};

/// `state`: Scene::state or Scene::neutral.
tl::expected<Picture, std::string> render(const Scene& scene, const State& state);

/// The verdict on a device's picture: RGBA, one byte each. A normalised channel may be either byte next to its value
/// (Vulkan, "Conversion From Floating-Point to Normalized Fixed-Point": it should be the nearest one).
struct Verdict {
    size_t wrong = 0;
    size_t loose = 0;    ///< pixels of which the reference knows little: is_loose()
    size_t unknown = 0;  ///< pixels that may have any colour: these were not compared
    std::string first;   ///< the first wrong pixel
};
Verdict compare(const Picture& picture, const std::vector<uint8_t>& rgba);

/// The nominal picture, as bytes: the middle of the last colour of each pixel.
std::vector<uint8_t> plain_bytes(const Picture& picture);

/// True if the pixel is free, has several colours, or has one that is not known to 1/16 of the range.
bool is_loose(const Picture& picture, const Pixel& pixel);
/// Number of pixels that no device may draw the same in both: how much of the effect of a state is visible.
size_t surely_different(const Picture& a, const Picture& b);

}  // namespace tgsi2spv::scene

// Draws a picture through the unmodified interface (vertex attributes, interpolated varyings, a colour attachment), and
// computes the same picture with the reference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "reference/run.h"
#include "vulkan/device.h"

namespace tgsi2spv::difftest {

/// RGBA pixels of four bytes, in rows from the top.
struct Picture {
    uint32_t width = 0, height = 0;
    std::vector<uint8_t> rgba;
    std::vector<bool> unknown = {};  ///< by pixel: the reference does not know its colour; empty: all are known
};

/// Returns a channel of a pixel: a float word, as a byte that is 255 for 1 and more, 0 for 0 and less, and for NaN.
uint8_t to_byte(uint32_t word);

/// A square that fills the picture. IN[0] of the vertex shader is its corner (−1 or 1, −1 or 1, 0, 1), IN[1] its
/// texture coordinate (0 or 1, 0 or 1, 0, 1), with (0, 0) at the top left.
struct Scene {
    std::string_view vertex;                                                            ///< TGSI text of a VERT shader
    std::string_view fragment;                                                          ///< TGSI text of a FRAG shader
    std::string_view vertex_name = "vertex shader", fragment_name = "fragment shader";  ///< for errors
    reference::Inputs inputs = {};  ///< textures, samplers, constants of the fragment shader
    uint32_t size = 256;            ///< width and height in pixels; even
};

/// Draws the scene on a device. An error is one sentence, with the position in the text if a shader does not convert.
tl::expected<Picture, std::string> draw(vulkan::Device& device, const Scene& scene);
/// Computes the picture with the reference. With `bounds` it fills Picture::unknown, which takes several times as long;
/// without, words that the reference does not know get their plainest value, which means nothing.
tl::expected<Picture, std::string> compute(const Scene& scene, bool bounds = true);

/// Returns the largest difference of a channel, in steps of 1/255, over the pixels that `expected` knows.
uint32_t difference(const Picture& expected, const Picture& got);
size_t unknown_pixels(const Picture& picture);

/// Returns an RGBA8 texture to look at: a smooth colour gradient over a checkerboard.
reference::Texture example_texture(uint32_t size);

}  // namespace tgsi2spv::difftest

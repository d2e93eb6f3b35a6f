// A picture of a real draw through the unmodified interface, beside the reference's: vertex attributes, interpolated
// varyings, a colour attachment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "reference/run.h"
#include "vulkan/device.h"

namespace tgsi2spv::difftest {

/// Rows from the top, four bytes a pixel: R G B A.
struct Picture {
    uint32_t width = 0, height = 0;
    std::vector<uint8_t> rgba;
    std::vector<bool> unknown = {};  ///< by pixel: the reference cannot tell its colour; none, if empty
};

/// What is drawn: a square that fills the picture. IN[0] of the vertex shader is its corner (−1 or 1, −1 or 1, 0, 1),
/// IN[1] its texture coordinate (0 or 1, 0 or 1, 0, 1), (0, 0) at the top left.
struct Scene {
    std::string_view vertex;                                                            ///< TGSI text of a VERT shader
    std::string_view fragment;                                                          ///< TGSI text of a FRAG shader
    std::string_view vertex_name = "vertex shader", fragment_name = "fragment shader";  ///< for errors
    reference::Inputs inputs = {};  ///< textures, samplers, constants of the fragment shader
    uint32_t size = 256;            ///< pixels a side; even
};

/// The errors are one sentence each, with a place for text that does not convert.
tl::expected<Picture, std::string> draw(vulkan::Device& device, const Scene& scene);
/// `bounds`: with Picture::unknown, which takes several times as long. Without it a word that the reference cannot tell
/// is its plain value, which is no answer.
tl::expected<Picture, std::string> compute(const Scene& scene, bool bounds = true);

/// Largest difference of a channel, in steps of 1/255, over the pixels that `expected` knows.
uint32_t difference(const Picture& expected, const Picture& got);
size_t unknown_pixels(const Picture& picture);

/// A texture to look at: a smooth colour wheel over a chequered ground, RGBA8.
reference::Texture example_texture(uint32_t size);

/// The bytes of a PNG; none where memory ran out.
std::vector<uint8_t> png_bytes(const Picture& picture);

}  // namespace tgsi2spv::difftest

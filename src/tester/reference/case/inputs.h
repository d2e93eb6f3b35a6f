// The case of a shader: the contents of its lanes, and the resources around them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tgsi/program/program.h"

namespace tgsi2spv::reference {

using Vec4 = std::array<uint32_t, 4>;

enum class Wrap : uint8_t {
    Repeat,
    ClampToEdge,
    ClampToBorder,
    MirrorRepeat,
    MirrorClampToEdge,
    Clamp,  ///< GL_CLAMP with linear filters; Vulkan has none
    MirrorClamp,
    MirrorClampToBorder
};
enum class Filter : uint8_t { Nearest, Linear };
enum class MipFilter : uint8_t { None, Nearest, Linear };
enum class Compare : uint8_t { Never, Less, Equal, LEqual, Greater, NotEqual, GEqual, Always, None };

struct SamplerState {
    Wrap wrap[3] = {Wrap::Repeat, Wrap::Repeat, Wrap::Repeat};  ///< s t r
    Filter min_filter = Filter::Nearest;
    Filter mag_filter = Filter::Nearest;
    MipFilter mip_filter = MipFilter::None;
    Compare compare = Compare::None;  ///< None: no comparison mode (the JSON field is absent)
    float lod_bias = 0, min_lod = 0, max_lod = 1000;
    float max_anisotropy = 1;
    /// Numbers. Where a view is of integers, they are integers (border.h).
    std::array<float, 4> border_color{};
    bool unnormalized = false;
};

/// A texture or storage image. Texels have the components of the format itself (depth, A, L, I: one; LA: two), each
/// widened to 32 bits: floats for float, normalised and depth formats, integers for integer formats. The levels are in
/// order; each is stored row by row, slice or layer by slice; cubes have 6 layers each.
struct Texture {
    tgsi::Target target{};
    uint16_t format = 0;  ///< tgsi/tables/formats.h
    uint32_t width = 1, height = 1, depth = 1, layers = 1, levels = 1, samples = 1;
    std::vector<std::vector<uint32_t>> data;
};

struct View {
    uint32_t texture = 0;
    std::array<uint8_t, 4> swizzle{0, 1, 2, 3};  ///< 0..3 x..w, 4 zero, 5 one
};

/// (vertex, register); vertex 0 if the stage has one vertex per lane.
using RegisterKey = std::pair<int32_t, int32_t>;

/// The change of an interpolated input around the lane's place: x and y pixels from there it is
/// (value + x · along_x + y · along_y) / (1 + x · weight_x + y · weight_y).
struct Slope {
    std::array<double, 4> along_x{}, along_y{};
    double weight_x = 0, weight_y = 0;
};

/// The contents of a lane and its surroundings. Absent entries are zero.
struct Inputs {
    uint32_t lanes = 1;  ///< FRAG: quads (x,y) (x+1,y) (x,y+1) (x+1,y+1); a multiple of 4 after padding
    std::map<RegisterKey, std::vector<Vec4>> inputs;
    std::map<int32_t, std::vector<Slope>> slopes;        ///< FRAG, by IN register, for INTERP_OFFSET; absent: not known
    std::map<int32_t, std::vector<Vec4>> system_values;  ///< values of SV registers; absent: computed by the engine
    std::map<uint32_t, std::vector<uint32_t>> constants;
    std::map<uint32_t, std::vector<uint32_t>> buffers;
    std::map<uint32_t, std::vector<uint32_t>> hwatomics;
    std::map<uint32_t, Texture> textures;
    std::map<uint32_t, View> views;
    std::map<uint32_t, SamplerState> samplers;
    std::map<uint32_t, Texture> images;
    uint32_t shared_words = 4096, private_words = 2048;  ///< size of each MEMORY register
    std::array<uint32_t, 3> grid{1, 1, 1};
    uint32_t patches = 0;
    uint32_t base_vertex = 0, base_instance = 0;  ///< VERT: where the draw begins; it has no indices
    uint32_t framebuffer_width = 64, framebuffer_height = 64;
    /// By COLOR semantic index: the pixels that FBFETCH reads, four words each, row by row from the top. Absent words
    /// are zero.
    std::map<uint32_t, std::vector<uint32_t>> framebuffer_colors;
};

/// The length of the arrays of descriptors that handles select from: up to the last texture and image. The handle of an
/// image beyond them reads 0 and stores nothing; one of no image within them guarantees nothing.
uint32_t handles_of(const Inputs& inputs);

}  // namespace tgsi2spv::reference

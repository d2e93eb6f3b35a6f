// A draw as data: shaders in TGSI, their inputs, and gallium's other state. It knows no translator and no Vulkan:
// tests/draw/draw_job.* draws it with both, render.h with the reference.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scene/tessellator.h"
#include "tgsi/tables/types.h"

namespace tgsi2spv::scene {

enum class Topology : uint8_t { Points, Lines, LineStrip, Triangles, TriangleStrip, TriangleFan, Patches };

/// The contents of a vertex buffer or a target.
enum class NumericType : uint8_t { Float, UInt, SInt, UScaled, SScaled, Fixed, UNorm32, SNorm32, Double };

/// GLClamp: OpenGL's GL_CLAMP, which clamps the coordinate to 0..1 and mixes in the border if it filters linearly.
/// MirrorClamp does so on both sides of a mirror at 0.
enum class Wrap : uint8_t { Repeat, ClampToEdge, GLClamp, MirrorClamp, MirrorClampToBorder };

struct SceneTexture {
    uint32_t width = 1, height = 1;
    std::vector<float> rgba{1, 1, 1, 1};  ///< texels row by row, from the top
    bool linear = false;
    Wrap wrap = Wrap::Repeat;
};

struct Shader {
    tgsi::Stage stage{};
    std::string name;  ///< used in messages: its place in the scene, or its file
    std::string text;
    std::map<uint32_t, std::vector<float>> constants;  ///< by buffer, as many as are declared
    bool clamps_constants = false;                     ///< CONST beyond the last one is the last one, not 0
    std::map<uint32_t, SceneTexture> textures;         ///< by SAMP or SVIEW
};

/// State that a module is prepared for and that a specialization constant then selects, with gallium's meaning
/// (pipe_rasterizer_state and its neighbours). The defaults change nothing.
struct State {
    uint32_t alpha_func =
        7;  ///< PIPE_FUNC: 0 NEVER, 1 LESS, 2 EQUAL, 3 LEQUAL, 4 GREATER, 5 NOTEQUAL, 6 GEQUAL, 7 ALWAYS
    float alpha_ref = 0;
    bool two_sided = false;       ///< light_twoside
    bool depth_halfz = false;     ///< clip_halfz: depth is 0..1 before the viewport, not −1..1
    bool flip_y = false;          ///< the viewport's y scale has the other sign
    bool coord_origin = false;    ///< FS_COORD_ORIGIN is the opposite of the text's
    bool pixel_center = false;    ///< FS_COORD_PIXEL_CENTER is the opposite of the text's
    uint32_t clip_enable = 0xff;  ///< clip_plane_enable, for distances that the text writes
    uint32_t plane_enable = 0;    ///< clip_plane_enable, for Scene::clip_planes
    bool clamp_vertex_color = false, clamp_fragment_color = false;
    bool alpha_to_one = false;
    uint32_t sample_mask = ~0u;
    float point_size = 1;
    bool point_size_per_vertex = true;
    uint32_t sprite_mask = 0;  ///< sprite_coord_enable
    bool sprite_lower_left = false;
    uint32_t bgra_attributes = 0;  ///< bit n: IN[n] is stored as B, G, R, A
    uint32_t bgra_targets = 0;
    bool polygon_stipple = false;
    uint32_t unnormalized = 0;                            ///< bit n: coordinates for SAMP[n] are in texels
    std::map<uint32_t, uint32_t> compare;                 ///< by SAMP: PIPE_FUNC
    std::map<uint32_t, std::array<uint8_t, 4>> swizzles;  ///< by SAMP: 0 to 3 x y z w, 4 zero, 5 one
};

/// The state that the modules are prepared for: the members of State that a scene names.
struct Prepared {
    bool alpha_test = false, two_sided = false, depth_range = false, flip_y = false, coord_origin = false,
         pixel_center = false, clip_enable = false, clip_planes = false, clamp_vertex_color = false,
         clamp_fragment_color = false, alpha_to_one = false, sample_mask = false, point_size = false,
         bgra_attributes = false, bgra_targets = false, polygon_stipple = false;
    bool sprites = false, sprites_are_texcoords = false;
    uint32_t unnormalized = 0, compare = 0, swizzles = 0;  ///< bit n: SAMP[n]
};

/// Factors of blending; a subset of PIPE_BLENDFACTOR.
enum class Factor : uint8_t { Zero, One, SrcAlpha, InvSrcAlpha, Src1Color, InvSrc1Color, Src1Alpha, InvSrc1Alpha };

struct Blend {
    Factor source = Factor::One, target = Factor::Zero;  ///< summed
};

/// State that is fixed in a module.
struct Fixed {
    bool flat_shade = false;
    std::array<NumericType, 32> attributes{};
    uint32_t widened_attributes = 0;          ///< bit n: IN[n] has no w in the buffer; it is 1
    uint32_t gl_clamp = 0;                    ///< bit n: the textures in SAMP[n] have Wrap::GLClamp
    uint32_t mirror = 0;                      ///< bit n: Wrap::MirrorClampToBorder, or with gl_clamp Wrap::MirrorClamp
    bool alpha_target = false;                ///< the target's x is the alpha of COLOR[0], as in A8 formats
    NumericType target = NumericType::Float;  ///< for COLOR[0]: Float (normalised), UInt, SInt
    bool dual_source = false;
};

enum class ResourceKind : uint8_t { ConstantBuffer, CombinedImage, SampledImage, Sampler };

/// Where the modules of all stages have their resources, if the scene does not want the library's table.
struct Layout {
    struct Binding {
        ResourceKind kind{};
        uint32_t index = 0, set = 0, binding = 0;
    };
    std::vector<Binding> bindings;
    std::map<uint32_t, uint32_t> push_constants;  ///< by constant buffer: its first byte
    bool separate_samplers = false;
};

/// The precision of the device that draws; if none is named, the least that Vulkan allows. VkPhysicalDeviceLimits has
/// both.
struct Precision {
    uint32_t sub_texel_bits = 4, mipmap_bits = 4;
};

struct Scene {
    uint32_t width = 64, height = 64;
    std::array<float, 4> clear{0, 0, 0, 1};
    Topology topology = Topology::Triangles;
    uint32_t patch_vertices = 3;
    std::vector<Shader> shaders;                    ///< in the order of the pipeline
    std::vector<std::vector<uint32_t>> attributes;  ///< by IN register, four words per vertex, as in the
                                                    ///< buffer; doubles as floats
    std::vector<uint32_t> indices;                  ///< none: the vertices in their order
    bool primitive_restart = false;                 ///< at index ~0
    std::vector<std::array<float, 4>> clip_planes;  ///< eight at most
    std::array<uint32_t, 32> stipple{};             ///< rows from the top, bit 31 is the left pixel
    std::optional<Blend> blend;
    Prepared prepared;
    State state;    ///< as the scene gives it
    State neutral;  ///< every specialization constant at its default
    Fixed fixed;
    Layout layout;
    Freedom freedom;             ///< of the tessellator
    Precision precision;         ///< of textures
    bool state_is_data = false;  ///< its values are in the state buffer, not in specialization constants
    bool has_without = false;    ///< the scene also describes itself without its state (read_scene)
    bool has_options = false;    ///< and that state is fixed in the modules
    uint32_t vertices() const { return attributes.empty() ? 3 : static_cast<uint32_t>(attributes[0].size() / 4); }
};

}  // namespace tgsi2spv::scene

// A scene: what its features decide before anything is made, and what they do between its draws.
//
// OpenGL defines each word that a scene reads. Positions are in pixels and have exact binary fractions, no edge comes
// near a pixel's centre, and FRAG computes with whole numbers: what it interpolates is half a unit away from the next
// one.
#pragma once

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

namespace scenes {

constexpr int kWidth = 32, kHeight = 16;  // powers of two: exact in clip coordinates
constexpr int kMostTargets = 4;

enum class Kind { Norm, Float, Signed, Unsigned };
struct Format {
    GLenum internal, format, type;
    Kind kind;
    int bytes;                     ///< of a pixel
    std::array<uint32_t, 4> most;  ///< the greatest value of each component that FRAG writes; 2^n - 1
    const char* image = nullptr;   ///< the layout of images, if images may have the format
};
struct DepthFormat {
    GLenum internal, format, type;
    bool stencil;
    int bytes;
};

/// Place: x, y in pixels; depth of 0 to 1; w.
struct Vertex {
    std::array<float, 4> place;
    std::array<uint32_t, 4> value;
};
struct Draw {
    std::vector<Vertex> vertices;
    std::vector<uint32_t> indices;  ///< empty: the vertices in order
    int instances = 1;
    int base_instance = 0;
    std::array<uint32_t, 4> tone;
};

struct Scene;
struct Feature {
    const char* name;
    const char* group;     ///< of features that exclude each other, or ""
    const char* needs;     ///< extensions, or ""
    const char* excludes;  ///< names and groups
    void (*add)(Scene&);
};

/// Pieces of the shaders. `c`, a uvec4, is what FRAG computes, `p` and `v` the place and the value in VERT.
struct Texts {
    std::string vert_head, vert_body, vert_end;
    std::string control, evaluation;  ///< whole shaders, or empty
    bool geom = false;
    std::string geom_head, geom_body;  ///< for each emitted vertex, before it is emitted
    int geom_copies = 1;
    std::string frag_head, frag_body, frag_end;
    std::string where = "smooth";  ///< the interpolation of the place
    bool reads_value = false;
    bool second_source = false;
};

struct Scene {
    uint64_t seed = 0;
    std::vector<const Feature*> features;

    std::vector<Format> targets;
    const DepthFormat* depth = nullptr;
    GLenum layout = GL_TEXTURE_2D;                  ///< of the targets
    int layers = 1, samples = 1, layer_drawn = -1;  ///< layer: the only one that is a target, or -1
    bool blends = false;                            ///< results of FRAG are added up: they must be small

    GLenum mode = GL_TRIANGLES;
    bool whole_pixels = false;  ///< edges are on edges of pixels
    std::vector<Draw> draws;
    uint32_t drawn = ~0U;  ///< bits of the draws that are not left out
    Texts texts;
    std::vector<std::string> captured;  ///< outputs
    int units = 0;                      ///< samplers that are taken

    std::function<void(size_t)> call;  ///< draws, in place of glDrawArrays or glDrawElements
    std::vector<std::function<void(size_t)>> before_draw, after_draw;
    std::vector<std::function<void()>> with_program;  ///< after it was linked, and before the first draw
    std::vector<std::function<void()>> at_end;        ///< before the targets are read

    GLuint program = 0, framebuffer = 0, vertex_buffer = 0, index_buffer = 0;
    std::vector<GLuint> colours;
    GLuint depth_texture = 0;

    bool prints = false;
    uint64_t hash = 0xCBF29CE484222325;

    Random random(std::string_view feature, uint64_t operation = 0) const { return {seed, feature, operation}; }
    bool has(std::string_view feature) const;
    void read(const char* what, const void* bytes, size_t size);
    GLint uniform(const char* name) const { return glGetUniformLocation(program, name); }
};

/// Makes, draws and reads the scene. False, with the reason on standard error: something of it is not offered, or
/// failed.
bool run(Scene& scene);

// program.cpp
GLuint link_stages(const Scene& scene);
GLuint compute_program(const std::string& text);
/// A program beside the scene's.
GLuint program_of(const std::vector<std::pair<GLenum, const char*>>& stages, std::vector<const char*> captured);
/// The class of what the rasterizer gets: GL_POINTS, GL_LINES or GL_TRIANGLES.
GLenum rasterized(const Scene& scene);

// shapes.cpp
std::vector<Vertex> shape(const Scene& scene, Random random);
float some_depth(Random& random);

/// Pixels of the first target.
struct PixelBox {
    int x, y, width, height;
};
/// Up to 12 x 8 of them, and at least `least` in each direction.
PixelBox some_pixels(Random& random, int least);

// targets.cpp
GLuint make_texture(GLenum layout, GLenum internal, int layers, int samples);
void attach(GLenum attachment, GLuint texture, GLenum layout, int layer);
void make_targets(Scene& scene);
void clear_targets(Scene& scene);
void read_targets(Scene& scene);
/// Switches off what of the drawing would change the reading.
void reset_state();
extern const Format kRgba8;
/// The words of a target's pixel that has these values.
void clear_target(const Format& format, int index, const std::array<uint32_t, 4>& values);

}  // namespace scenes

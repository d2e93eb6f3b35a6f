// Features: formats, layouts, depth and stencil of the targets.
#include "features.h"

namespace scenes {

const Format kRgba8{GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, Kind::Norm, 4, {255, 255, 255, 255}, "rgba8"};

namespace {

constexpr uint32_t kAll = 0xFFFFFFFF;
const Format kNorm[] = {
    {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, Kind::Norm, 4, {1023, 1023, 1023, 3}, "rgb10_a2"},
    {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, Kind::Norm, 8, {65535, 65535, 65535, 65535}, "rgba16"},
    {GL_RG16, GL_RG, GL_UNSIGNED_SHORT, Kind::Norm, 4, {65535, 65535, 0, 0}, "rg16"},
    {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, Kind::Norm, 2, {255, 255, 0, 0}, "rg8"},
    {GL_R8, GL_RED, GL_UNSIGNED_BYTE, Kind::Norm, 1, {255, 0, 0, 0}, "r8"},
    {GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, Kind::Norm, 2, {31, 63, 31, 0}},
    {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, Kind::Norm, 2, {15, 15, 15, 15}},
    {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, Kind::Norm, 2, {31, 31, 31, 1}},
};
const Format kFloat[] = {
    {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, Kind::Float, 8, {31, 31, 31, 31}, "rgba16f"},
    {GL_RGBA32F, GL_RGBA, GL_FLOAT, Kind::Float, 16, {31, 31, 31, 31}, "rgba32f"},
    {GL_R32F, GL_RED, GL_FLOAT, Kind::Float, 4, {31, 0, 0, 0}, "r32f"},
    {GL_RG16F, GL_RG, GL_HALF_FLOAT, Kind::Float, 4, {31, 31, 0, 0}, "rg16f"},
    {GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV, Kind::Float, 4, {31, 31, 31, 0}},
};
const Format kInteger[] = {
    {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE, Kind::Unsigned, 4, {255, 255, 255, 255}, "rgba8ui"},
    {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, Kind::Unsigned, 4, {kAll, 0, 0, 0}, "r32ui"},
    {GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, Kind::Unsigned, 4, {65535, 65535, 0, 0}, "rg16ui"},
    {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, Kind::Unsigned, 16, {kAll, kAll, kAll, kAll}, "rgba32ui"},
    {GL_RGB10_A2UI,
     GL_RGBA_INTEGER,
     GL_UNSIGNED_INT_2_10_10_10_REV,
     Kind::Unsigned,
     4,
     {1023, 1023, 1023, 3},
     "rgb10_a2ui"},
    {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, Kind::Signed, 4, {255, 255, 255, 255}, "rgba8i"},
    {GL_R16I, GL_RED_INTEGER, GL_SHORT, Kind::Signed, 2, {65535, 0, 0, 0}, "r16i"},
    {GL_RG32I, GL_RG_INTEGER, GL_INT, Kind::Signed, 8, {65535, 65535, 0, 0}, "rg32i"},
    {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, Kind::Signed, 16, {65535, 65535, 65535, 65535}, "rgba32i"},
};

const DepthFormat kDepth[] = {
    {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, false, 2},
    {GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, false, 4},
    {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, false, 4},
    {GL_DEPTH24_STENCIL8, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, true, 4},
    {GL_DEPTH32F_STENCIL8, GL_DEPTH_COMPONENT, GL_FLOAT, true, 4},
};

const GLenum kComparisons[] = {GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};

}  // namespace

void add_norm_target(Scene& scene) {
    scene.targets[0] = scene.random("norm_target").of(kNorm);
}
void add_integer_target(Scene& scene) {
    scene.targets[0] = scene.random("integer_target").of(kInteger);
}
void add_float_target(Scene& scene) {
    scene.targets[0] = scene.random("float_target").of(kFloat);
}

/// FRAG decodes what it writes where OpenGL encodes it.
void add_srgb_target(Scene& scene) {
    scene.targets[0] = kRgba8;
    scene.targets[0].internal = GL_SRGB8_ALPHA8;
    scene.targets[0].image = nullptr;
    scene.texts.frag_head += R"(uniform bool encodes;
vec4 decoded(vec4 c) {
    if (!encodes) return c;
    return vec4(mix(pow((c.rgb + 0.055) / 1.055, vec3(2.4)), c.rgb / 12.92, lessThanEqual(c.rgb, vec3(0.04045))), c.a);
}
)";
    scene.texts.frag_end += "    out0 = decoded(out0);\n";
    scene.before_draw.emplace_back([&scene](size_t n) {
        const bool encodes = !scene.random("srgb_target", n).one_in(3);
        glUniform1i(scene.uniform("encodes"), encodes ? 1 : 0);
        if (encodes) glEnable(GL_FRAMEBUFFER_SRGB);
    });
    scene.after_draw.emplace_back([](size_t) { glDisable(GL_FRAMEBUFFER_SRGB); });
}

void add_several_targets(Scene& scene) {
    Random random = scene.random("several_targets");
    for (int n = random.between(1, 3); n > 0; n--) {
        const int kind = random.below(4);
        scene.targets.push_back(kind == 0   ? kRgba8
                                : kind == 1 ? random.of(kNorm)
                                : kind == 2 ? random.of(kFloat)
                                            : random.of(kInteger));
    }
}

void add_layered_target(Scene& scene) {
    static constexpr GLenum kLayouts[] = {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
                                          GL_TEXTURE_CUBE_MAP_ARRAY};
    Random random = scene.random("layered_target");
    scene.layout = random.of(kLayouts);
    scene.layers = scene.layout == GL_TEXTURE_CUBE_MAP         ? 6
                   : scene.layout == GL_TEXTURE_CUBE_MAP_ARRAY ? 12
                                                               : random.between(2, 5);
    scene.texts.geom = true;
    scene.texts.geom_body +=
        "            gl_Layer = (gl_PrimitiveIDIn + copy) % " + std::to_string(scene.layers) + ";\n";
    if (random.one_in(2)) scene.texts.frag_body += "    c.y += uint(gl_Layer) * 17u;\n";
}

void add_slice_target(Scene& scene) {
    static constexpr GLenum kLayouts[] = {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP,
                                          GL_TEXTURE_CUBE_MAP_ARRAY};
    Random random = scene.random("slice_target");
    scene.layout = random.of(kLayouts);
    scene.layers = scene.layout == GL_TEXTURE_CUBE_MAP ? 6 : scene.layout == GL_TEXTURE_CUBE_MAP_ARRAY ? 12 : 3;
    scene.layer_drawn = random.below(scene.layers);
}

void add_renderbuffers(Scene& scene) {
    scene.layout = GL_RENDERBUFFER;
}

void add_samples(Scene& scene) {
    scene.layout = GL_TEXTURE_2D_MULTISAMPLE;
    scene.samples = 4;
    scene.whole_pixels = true;
    static constexpr const char* kWays[] = {"smooth", "centroid", "sample"};
    scene.texts.where = scene.random("samples").of(kWays);
}

void add_depth(Scene& scene) {
    scene.depth = &scene.random("depth").of(kDepth);
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("depth", n + 1);
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(random.one_in(2) ? random.of(kComparisons) : GL_LEQUAL);
        glDepthMask(!random.one_in(4));
        static constexpr double kRanges[][2] = {{0, 1}, {0, 1}, {0.5, 1}, {0.25, 0}};
        const auto& range = random.of(kRanges);
        glDepthRange(range[0], range[1]);
    });
}

void add_stencil(Scene& scene) {
    if (scene.depth == nullptr || !scene.depth->stencil) scene.depth = &kDepth[scene.random("stencil").between(3, 4)];
    scene.before_draw.emplace_back([&scene](size_t n) {
        static constexpr GLenum kOperations[] = {GL_KEEP, GL_ZERO,      GL_REPLACE,   GL_INCR,
                                                 GL_DECR, GL_INCR_WRAP, GL_DECR_WRAP, GL_INVERT};
        Random random = scene.random("stencil", n + 1);
        glEnable(GL_STENCIL_TEST);
        const bool both = random.one_in(2);
        for (const GLenum face : {GL_FRONT, GL_BACK}) {
            const GLenum faces = both ? GL_FRONT_AND_BACK : face;
            const GLenum function = random.one_in(2) ? GL_ALWAYS : random.of(kComparisons);
            const int reference = random.below(256);
            glStencilFuncSeparate(faces, function, reference, random.next() & 0xFF);
            const GLenum fail = random.of(kOperations), depth_fail = random.of(kOperations);
            glStencilOpSeparate(faces, fail, depth_fail, random.of(kOperations));
            glStencilMaskSeparate(faces, random.one_in(2) ? 0xFF : random.next() & 0xFF);
        }
    });
}

void add_outside_depth(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        if (scene.random("outside_depth", n).one_in(2))
            glEnable(GL_DEPTH_CLAMP);
        else
            glDisable(GL_DEPTH_CLAMP);
    });
}

}  // namespace scenes

// Features: the rasterizer, FRAG's results, and the tests and operations after it.

#include <EGL/egl.h>

#include "features.h"

namespace scenes {

namespace {

const GLenum kComparisons[] = {GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
const GLenum kEquations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};

/// Few bits, so that sums and products of some draws are exact.
void write_small_numbers(Scene& scene) {
    for (Format& format : scene.targets)
        for (uint32_t& most : format.most)
            if (format.kind == Kind::Float && most != 0) most = 3;
}

}  // namespace

void add_faces(Scene& scene) {
    if (scene.random("faces").one_in(2)) scene.texts.frag_body += "    c.w += gl_FrontFacing ? 101u : 7u;\n";
    scene.before_draw.emplace_back([&scene](size_t n) {
        static constexpr GLenum kFaces[] = {GL_FRONT, GL_BACK, GL_BACK, GL_FRONT_AND_BACK};
        Random random = scene.random("faces", n + 1);
        glFrontFace(random.one_in(2) ? GL_CW : GL_CCW);
        glCullFace(random.of(kFaces));
        if (random.one_in(2))
            glEnable(GL_CULL_FACE);
        else
            glDisable(GL_CULL_FACE);
    });
}

void add_scissor(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("scissor", n);
        glEnable(GL_SCISSOR_TEST);
        const int x = random.between(-4, 16), y = random.between(-4, 8), width = random.between(0, kWidth);
        glScissor(x, y, width, random.between(0, kHeight));
    });
}

void add_discard(Scene& scene) {
    const std::string by = std::to_string(scene.random("discard").between(2, 5));
    scene.texts.frag_body += "    if ((c.x + c.y) % " + by + "u == 0u) discard;\n";
}

void add_frag_depth(Scene& scene) {
    scene.texts.frag_body += "    gl_FragDepth = float(1u + (c.x & 3u)) / 16.0;\n";
}

/// Factors that are not 0 or 1 need floats of 32 bits.
void add_blend(Scene& scene) {
    write_small_numbers(scene);
    bool exact = true;
    for (const Format& format : scene.targets)
        exact &= format.kind == Kind::Float && format.type == GL_FLOAT && format.most[3] != 0;
    scene.before_draw.emplace_back([&scene, exact](size_t n) {
        static constexpr GLenum kFactors[] = {GL_ZERO,
                                              GL_ONE,
                                              GL_SRC_COLOR,
                                              GL_DST_COLOR,
                                              GL_SRC_ALPHA,
                                              GL_DST_ALPHA,
                                              GL_ONE_MINUS_SRC_COLOR,
                                              GL_ONE_MINUS_DST_COLOR,
                                              GL_ONE_MINUS_SRC_ALPHA,
                                              GL_ONE_MINUS_DST_ALPHA,
                                              GL_CONSTANT_COLOR,
                                              GL_ONE_MINUS_CONSTANT_COLOR,
                                              GL_CONSTANT_ALPHA,
                                              GL_ONE_MINUS_CONSTANT_ALPHA,
                                              GL_SRC_ALPHA_SATURATE};
        Random random = scene.random("blend", n);
        glBlendColor(0.5F, 0.25F, 1, 0.75F);
        for (GLuint target = 0; target < scene.targets.size(); target++) {
            const auto factor = [&] { return kFactors[random.below(exact ? 15 : 2)]; };
            const GLenum source = factor(), destination = factor(), source_alpha = factor();
            glBlendFuncSeparatei(target, source, destination, source_alpha, factor());
            const GLenum equation = random.of(kEquations);
            glBlendEquationSeparatei(target, equation, random.of(kEquations));
            if (random.one_in(4))
                glDisablei(GL_BLEND, target);
            else
                glEnablei(GL_BLEND, target);
        }
    });
}

void add_two_sources(Scene& scene) {
    scene.targets = {{GL_RGBA32F, GL_RGBA, GL_FLOAT, Kind::Float, 16, {3, 3, 3, 3}, "rgba32f"}};
    scene.texts.second_source = true;
    scene.texts.frag_end += "    second = vec4(c.wzyx & 3u) * 0.25;\n";
    scene.before_draw.emplace_back([&scene](size_t n) {
        static constexpr GLenum kFactors[] = {GL_ZERO,       GL_ONE,       GL_SRC1_COLOR, GL_ONE_MINUS_SRC1_COLOR,
                                              GL_SRC1_ALPHA, GL_SRC_COLOR, GL_DST_COLOR,  GL_ONE_MINUS_SRC1_ALPHA};
        Random random = scene.random("two_sources", n);
        glEnable(GL_BLEND);
        const GLenum source = random.of(kFactors), destination = random.of(kFactors), alpha = random.of(kFactors);
        glBlendFuncSeparate(source, destination, alpha, random.of(kFactors));
        const GLenum equation = random.of(kEquations);
        glBlendEquationSeparate(equation, random.of(kEquations));
    });
}

void add_logic_operation(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        glEnable(GL_COLOR_LOGIC_OP);
        glLogicOp(GL_CLEAR + static_cast<GLenum>(scene.random("logic_operation", n).below(16)));
    });
}

void add_colour_mask(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("colour_mask", n);
        for (GLuint target = 0; target < scene.targets.size(); target++) {
            const int bits = random.below(16);
            glColorMaski(target, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0);
        }
    });
}

/// Alpha is 0 or the most: drivers may compare with the bits of the target.
void add_alpha_test(Scene& scene) {
    scene.texts.frag_body += "    c.w = (c.w & 2u) != 0u ? 0xFFFFFFFFu : 0u;\n";
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("alpha_test", n);
        glEnable(GL_ALPHA_TEST);
        glAlphaFunc(random.of(kComparisons), 1.0F / 3);
    });
}

void add_polygon_stipple(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("polygon_stipple", n);
        std::array<GLubyte, 128> pattern;
        for (GLubyte& byte : pattern) byte = static_cast<GLubyte>(random.below(256));
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glEnable(GL_POLYGON_STIPPLE);
        glPolygonStipple(pattern.data());
    });
}

/// Shape has triangles whose sides are safe as lines.
void add_polygon_mode(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("polygon_mode", n);
        glPolygonMode(GL_FRONT_AND_BACK, random.one_in(3) ? GL_POINT : random.one_in(4) ? GL_FILL : GL_LINE);
    });
}

/// By 1/64: so many units that the clamp decides, as OpenGL leaves a unit to the driver. Sums stay between 0 and 1, and
/// away from halves of depths of 16 and 24 bits.
void add_polygon_offset(Scene& scene) {
    const auto offset = reinterpret_cast<PFNGLPOLYGONOFFSETCLAMPEXTPROC>(eglGetProcAddress("glPolygonOffsetClampEXT"));
    scene.before_draw.emplace_back([&scene, offset](size_t n) {
        Random random = scene.random("polygon_offset", n);
        for (const GLenum name : {GL_POLYGON_OFFSET_FILL, GL_POLYGON_OFFSET_LINE, GL_POLYGON_OFFSET_POINT})
            if (random.one_in(2))
                glEnable(name);
            else
                glDisable(name);
        const float sign = random.one_in(2) ? 1 : -1;
        offset(0, sign * 0x1p30F, sign / 64);
    });
}

void add_sample_mask(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        Random random = scene.random("sample_mask", n);
        glEnable(GL_SAMPLE_MASK);
        const GLbitfield first = random.one_in(2) ? 1 : 0;
        glSampleMaski(0, random.next() | first);
    });
}

void add_alpha_to_one(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        if (scene.random("alpha_to_one", n).one_in(2))
            glEnable(GL_SAMPLE_ALPHA_TO_ONE);
        else
            glDisable(GL_SAMPLE_ALPHA_TO_ONE);
    });
}

void add_rasterizer_discard(Scene& scene) {
    scene.before_draw.emplace_back([&scene](size_t n) {
        if (n > 0 && scene.random("rasterizer_discard", n).one_in(2)) glEnable(GL_RASTERIZER_DISCARD);
    });
    scene.after_draw.emplace_back([](size_t) { glDisable(GL_RASTERIZER_DISCARD); });
}

}  // namespace scenes

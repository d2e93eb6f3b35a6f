// Features: OpenGL's first pipeline, which draws boxes of the target after each draw. Colours are made of zeros and
// ones, or of fractions that are away from halves in each format.
#include <algorithm>

#include "features.h"

namespace scenes {

namespace {

/// Draws in pixels, by calls or by a list of them.
void draw_old(Scene& scene, const char* feature, const std::function<void(Random&)>& draw) {
    scene.after_draw.emplace_back([&scene, feature, draw](size_t n) {
        Random random = scene.random(feature, n);
        glPushAttrib(GL_ALL_ATTRIB_BITS);
        glUseProgram(0);
        reset_state();
        glViewport(0, 0, kWidth, kHeight);
        glDepthRange(0, 1);
        glMatrixMode(GL_PROJECTION);
        glLoadIdentity();
        glOrtho(0, kWidth, 0, kHeight, -8, 8);
        glMatrixMode(GL_MODELVIEW);
        glLoadIdentity();
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        if (random.one_in(2)) {
            draw(random);
        } else {
            const GLuint list = glGenLists(1);
            glNewList(list, GL_COMPILE);
            draw(random);
            glEndList();
            glCallList(list);
            glDeleteLists(list, 1);
        }
        glPopAttrib();
        glUseProgram(scene.program);
    });
}

void put_box(const PixelBox& box, float z, bool turned = false) {
    const int right = box.x + box.width, top = box.y + box.height;
    glBegin(GL_QUADS);
    glVertex3f(static_cast<float>(box.x), static_cast<float>(box.y), z);
    glVertex3f(static_cast<float>(turned ? box.x : right), static_cast<float>(turned ? top : box.y), z);
    glVertex3f(static_cast<float>(right), static_cast<float>(top), z);
    glVertex3f(static_cast<float>(turned ? right : box.x), static_cast<float>(turned ? box.y : top), z);
    glEnd();
}

void set_colour(Random& random) {
    const int bits = random.below(8);
    glColor4f(static_cast<float>(bits & 1), static_cast<float>(bits >> 1 & 1), static_cast<float>(bits >> 2), 1);
}

std::vector<GLubyte> zeros_and_ones(Random& random, int count) {
    std::vector<GLubyte> bytes(static_cast<size_t>(count));
    for (GLubyte& byte : bytes) byte = random.one_in(2) ? 255 : 0;
    return bytes;
}

}  // namespace

/// By quarters of a coordinate: the distance of a fragment may be its depth or that from the eye.
void add_fog(Scene& scene) {
    draw_old(scene, "fog", [](Random& random) {
        static constexpr float kDistances[] = {0, 1, 3, 4, 6};
        static constexpr GLfloat kColour[] = {0, 1, 1, 0};
        glEnable(GL_FOG);
        glFogi(GL_FOG_MODE, GL_LINEAR);
        glFogf(GL_FOG_START, 0);
        glFogf(GL_FOG_END, 4);
        glFogfv(GL_FOG_COLOR, kColour);
        glFogi(GL_FOG_COORD_SRC, GL_FOG_COORD);
        glFogCoordf(random.of(kDistances));
        glColor4f(1, 0, 1, 1);
        put_box(some_pixels(random, 2), 0);
    });
}

void add_texgen(Scene& scene) {
    GLuint texture = 0;
    Random random = scene.random("texgen", 1000);
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, zeros_and_ones(random, 256).data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    draw_old(scene, "texgen", [texture](Random& each) {
        const GLfloat across[] = {1.0F / 8, 0, 0, static_cast<float>(each.below(8)) / 8};
        const GLfloat up[] = {0, 1.0F / 8, 0, static_cast<float>(each.below(8)) / 8};
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, texture);
        glEnable(GL_TEXTURE_2D);
        glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, each.one_in(2) ? GL_REPLACE : GL_MODULATE);
        glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR);
        glTexGenfv(GL_S, GL_OBJECT_PLANE, across);
        glTexGeni(GL_T, GL_TEXTURE_GEN_MODE, GL_EYE_LINEAR);
        glTexGenfv(GL_T, GL_EYE_PLANE, up);
        glEnable(GL_TEXTURE_GEN_S);
        glEnable(GL_TEXTURE_GEN_T);
        set_colour(each);
        put_box(some_pixels(each, 2), 0);
    });
}

/// A light along the normal, on both sides.
void add_lighting(Scene& scene) {
    draw_old(scene, "lighting", [](Random& random) {
        static constexpr GLfloat kNone[] = {0, 0, 0, 1}, kFront[] = {1, 0, 0, 1}, kBack[] = {0, 1, 0, 1},
                                 kGlow[] = {0, 0, 1, 1};
        const GLfloat direction[] = {0, 0, random.one_in(2) ? 1.0F : -1.0F, 0};
        glEnable(GL_LIGHTING);
        glEnable(GL_LIGHT0);
        glLightfv(GL_LIGHT0, GL_POSITION, direction);
        glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, random.one_in(3) ? 0 : 1);
        glLightModelfv(GL_LIGHT_MODEL_AMBIENT, kNone);
        glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT, kNone);
        glMaterialfv(GL_FRONT, GL_DIFFUSE, kFront);
        glMaterialfv(GL_BACK, GL_DIFFUSE, kBack);
        glMaterialfv(GL_BACK, GL_EMISSION, kGlow);
        glFrontFace(random.one_in(2) ? GL_CW : GL_CCW);
        glNormal3f(0, 0, 1);
        put_box(some_pixels(random, 2), 0, random.one_in(2));
    });
}

/// Along the axes, from outside of a pixel's diamond.
void add_line_stipple(Scene& scene) {
    draw_old(scene, "line_stipple", [](Random& random) {
        glEnable(GL_LINE_STIPPLE);
        const int factor = random.between(1, 3);
        glLineStipple(factor, static_cast<GLushort>(random.next()));
        set_colour(random);
        glBegin(GL_LINES);
        for (int n = 0; n < 3; n++) {
            const float x = static_cast<float>(random.below(16)) + 0.125F;
            const float y = static_cast<float>(random.below(8)) + 0.125F;
            const bool upright = random.one_in(2);
            glVertex2f(x, y);
            glVertex2f(upright ? x : x + static_cast<float>(random.between(1, 15)),
                       upright ? y + static_cast<float>(random.between(1, 7)) : y);
        }
        glEnd();
    });
}

/// Along edges of pixels.
void add_user_planes(Scene& scene) {
    draw_old(scene, "user_planes", [](Random& random) {
        for (int n = random.between(1, 3), i = 0; i < n; i++) {
            const bool across = random.one_in(2);
            const double sign = random.one_in(2) ? 1 : -1, edge = random.between(4, across ? 24 : 12);
            const GLdouble plane[] = {across ? sign : 0, across ? 0 : sign, 0, -sign * edge};
            glClipPlane(GL_CLIP_PLANE0 + static_cast<GLenum>(i), plane);
            glEnable(GL_CLIP_PLANE0 + static_cast<GLenum>(i));
        }
        set_colour(random);
        put_box({2, 2, 28, 12}, 0);
        for (GLenum i = 0; i < 3; i++) glDisable(GL_CLIP_PLANE0 + i);
    });
}

void add_pixel_rectangles(Scene& scene) {
    draw_old(scene, "pixel_rectangles", [](Random& random) {
        const PixelBox box = some_pixels(random, 2);
        const int kind = random.below(3);
        const auto bytes = zeros_and_ones(random, 512);
        set_colour(random);
        glWindowPos2i(kind == 2 ? 16 + box.x / 2 : box.x, box.y);
        if (kind == 0) {
            const auto zoom = static_cast<float>(random.between(1, 2));
            glPixelZoom(zoom, zoom);
            glDrawPixels(box.width, box.height, GL_RGBA, GL_UNSIGNED_BYTE, bytes.data());
        } else if (kind == 1) {
            std::vector<GLubyte> bits(64);
            for (GLubyte& byte : bits) byte = static_cast<GLubyte>(random.below(256));
            glBitmap(box.width, box.height, 0, 0, 3, 0, bits.data());
            glBitmap(box.width, box.height, 0, 0, 0, 0, bits.data() + 16);
        } else {
            glCopyPixels(random.below(4), box.y, std::min(box.width, 12), box.height, GL_COLOR);
        }
    });
}

}  // namespace scenes

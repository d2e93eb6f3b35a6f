/* SPDX-License-Identifier: MIT */
/* Draws with each of the advanced blend equations, into targets with one and with four samples, and reads the pixels,
 * of which it writes a file: the guest's own llvmpipe must write the same, but for roundings by one. cc
 * blend-equations.c -o blend-equations -lEGL -lGLESv2; its argument is the file. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl32.h>
#include <stdio.h>

enum { kSize = 16 };
static const GLenum equations[] = {GL_MULTIPLY,   GL_SCREEN,    GL_OVERLAY,        GL_DARKEN,    GL_LIGHTEN,
                                   GL_COLORDODGE, GL_COLORBURN, GL_HARDLIGHT,      GL_SOFTLIGHT, GL_DIFFERENCE,
                                   GL_EXCLUSION,  GL_HSL_HUE,   GL_HSL_SATURATION, GL_HSL_COLOR, GL_HSL_LUMINOSITY};

static int has_context(void) {
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 2, EGL_NONE};
    eglInitialize(display, NULL, NULL);
    eglBindAPI(EGL_OPENGL_ES_API);
    return eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                          eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes));
}

static void add_shader(GLuint program, GLenum stage, const char* text) {
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

static void use_program(void) {
    const GLuint program = glCreateProgram();
    add_shader(program, GL_VERTEX_SHADER,
               "#version 320 es\n"
               "layout(location = 0) in vec4 place; layout(location = 1) in vec4 given; out vec4 color;\n"
               "void main() { gl_Position = place; color = given; }");
    add_shader(program, GL_FRAGMENT_SHADER,
               "#version 320 es\n"
               "layout(blend_support_all_equations) out; precision highp float;\n"
               "in vec4 color; layout(location = 0) out vec4 target; void main() { target = color; }");
    glLinkProgram(program);
    glUseProgram(program);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
}

static void draw(float left, float bottom, float right, float top, float r, float g, float b, float a) {
    const float places[] = {left, bottom, right, bottom, left, top, right, top};
    const float colors[] = {r, g, b, a, g, b, r, a, b, r, g, 1, a, a, b, a};
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, places);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, colors);
    glBlendBarrier();
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* A framebuffer for drawing. */
static void make_target(int samples) {
    GLuint framebuffer, buffer;
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &buffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, kSize, kSize);
    glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
}

static void draw_with(GLenum equation) {
    glViewport(0, 0, kSize, kSize);
    glDisable(GL_SCISSOR_TEST);
    glClearColor(.2f, .6f, .4f, .8f);
    glClear(GL_COLOR_BUFFER_BIT);
    glEnable(GL_BLEND);
    glBlendEquation(equation);
    draw(-1, -1, .5f, .5f, .9f, .1f, .5f, .7f);
    glEnable(GL_SCISSOR_TEST);
    glScissor(5, 5, 9, 10);
    draw(-.5f, -.5f, 1, 1, .3f, .8f, .2f, .4f);
    draw(-.7f, -.9f, .8f, .97f, .6f, .6f, .1f, .9f);
    glDisable(GL_SCISSOR_TEST);
}

int main(int count, char** arguments) {
    FILE* file = count == 2 && has_context() ? fopen(arguments[1], "wb") : NULL;
    if (file == NULL) return 1;
    use_program();
    for (int samples = 0; samples <= 4; samples += 4)
        for (size_t i = 0; i < sizeof equations / sizeof *equations; i++) {
            unsigned char pixels[kSize * kSize * 4];
            GLint drawn = 0;
            make_target(samples);
            draw_with(equations[i]);
            glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawn);
            glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)drawn);
            if (samples != 0) {
                make_target(0);
                glBlitFramebuffer(0, 0, kSize, kSize, 0, 0, kSize, kSize, GL_COLOR_BUFFER_BIT, GL_NEAREST);
                glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &drawn);
                glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)drawn);
            }
            glReadPixels(0, 0, kSize, kSize, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
            fwrite(pixels, 1, sizeof pixels, file);
        }
    return glGetError() != GL_NO_ERROR || fclose(file) != 0;
}

// Features: objects of which another context knows.
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>

#include "features.h"

namespace scenes {

/// A second context clears a part of the target between draws.
void add_shared_context(Scene& scene) {
    const auto other = std::make_shared<EGLContext>(EGL_NO_CONTEXT);
    scene.after_draw.emplace_back([&scene, other](size_t n) {
        Random random = scene.random("shared_context", n);
        const EGLDisplay display = eglGetCurrentDisplay();
        const EGLContext own = eglGetCurrentContext();
        if (*other == EGL_NO_CONTEXT) *other = eglCreateContext(display, nullptr, own, nullptr);
        glFinish();
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, *other);
        GLuint framebuffer = 0;
        glGenFramebuffers(1, &framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        attach(GL_COLOR_ATTACHMENT0, scene.colours[0], scene.layout, random.below(scene.layers));
        glEnable(GL_SCISSOR_TEST);
        const int x = random.below(16), y = random.below(8), width = random.between(1, 16);
        glScissor(x, y, width, random.between(1, 8));
        clear_target(scene.targets[0], 0, {random.next(), random.next(), random.next(), random.next()});
        glDeleteFramebuffers(1, &framebuffer);
        glFinish();
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, own);
        glBindFramebuffer(GL_FRAMEBUFFER, scene.framebuffer);
        attach(GL_COLOR_ATTACHMENT0, scene.colours[0], scene.layout, scene.layer_drawn);  // OpenGL 4.6, 5.3.3: rule 4
    });
    scene.at_end.emplace_back([other] { eglDestroyContext(eglGetCurrentDisplay(), *other); });
}

}  // namespace scenes

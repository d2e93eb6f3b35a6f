// Textures that FRAG reads: what their features share.
#pragma once

#include <span>

#include "scene.h"

namespace scenes {

/// A sampler's unit, after the texture was bound there. Reading and drawing use unit 0.
int bind(Scene& scene, const char* name, GLenum target, GLuint texture);
std::vector<uint32_t> words(Random& random, int count);
void be_nearest(GLenum target, GLenum minify = GL_NEAREST);
/// Bound to unit 0.
GLuint new_texture(GLenum target);
/// 8 x 8 depths of one of the formats, which are compared by one of the functions. Bound to unit 0.
GLuint new_compared_texture(Random& random, std::span<const GLint> formats, std::span<const GLint> functions);

}  // namespace scenes

#version 450
// Signed integers to unsigned ones, as OpenGL's conversions clamp them.
layout(set = 0, binding = 0) uniform isampler2DArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int samples;
};
layout(location = 0) in vec2 at;
layout(location = 0) out uvec4 color;

void main() {
    color = uvec4(max(texelFetch(image, ivec3(at, slice), 0), 0));
}

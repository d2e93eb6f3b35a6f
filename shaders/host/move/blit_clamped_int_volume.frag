#version 450
// Unsigned integers to signed ones, as OpenGL's conversions clamp them.
layout(set = 0, binding = 0) uniform usampler3D image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int samples;
};
layout(location = 0) in vec2 at;
layout(location = 0) out ivec4 color;

void main() {
    color = ivec4(min(texelFetch(image, ivec3(at, slice + 0.5), 0), 0x7fffffffu));
}

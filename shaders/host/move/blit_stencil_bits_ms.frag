#version 450
// As blit_stencil_bits.frag, of one sample.
layout(set = 0, binding = 0) uniform usampler2DMSArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int number;
    uint bit;
};
layout(location = 0) in vec2 at;

void main() {
    if (bit != 0 && (texelFetch(image, ivec3(at, slice), number).x & bit) == 0) discard;
}

#version 450
// Integers have no mean: each sample on its own, and sample 0 alone for targets with one.
layout(set = 0, binding = 0) uniform usampler2DMSArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int number;
};
layout(location = 0) in vec2 at;
layout(location = 0) out uvec4 color;

void main() {
    color = texelFetch(image, ivec3(at, slice), number);
}

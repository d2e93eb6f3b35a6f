#version 450
// Between images with equal sample counts: each sample on its own, not the mean.
layout(set = 0, binding = 0) uniform sampler2DMSArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int number;
};
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
    color = texelFetch(image, ivec3(at, slice), number);
}

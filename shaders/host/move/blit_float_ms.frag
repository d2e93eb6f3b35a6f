#version 450
// Several samples become their mean.
layout(set = 0, binding = 0) uniform sampler2DMSArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int samples;
};
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
    vec4 sum = vec4(0);
    for (int i = 0; i < samples; i++) sum += texelFetch(image, ivec3(at, slice), i);
    color = sum / samples;
}

#version 450
layout(set = 0, binding = 0) uniform sampler2DMSArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int number;
};
layout(location = 0) in vec2 at;

void main() {
    gl_FragDepth = texelFetch(image, ivec3(at, slice), number).x;
}

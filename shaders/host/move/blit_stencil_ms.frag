#version 450
#extension GL_ARB_shader_stencil_export : require
layout(set = 0, binding = 0) uniform usampler2DMSArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int number;
};
layout(location = 0) in vec2 at;

void main() {
    gl_FragStencilRefARB = int(texelFetch(image, ivec3(at, slice), number).x);
}

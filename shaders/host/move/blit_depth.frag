#version 450
// Programs may not filter depths, but drivers make mipmaps with it.
layout(set = 0, binding = 0) uniform sampler2DArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int samples;
};
layout(location = 0) in vec2 at;

void main() {
    gl_FragDepth = textureLod(image, vec3(at / textureSize(image, 0).xy, slice), 0).x;
}

#version 450
layout(set = 0, binding = 0) uniform sampler2DArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int samples;
};
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
    color = textureLod(image, vec3(at / textureSize(image, 0).xy, slice), 0);
}

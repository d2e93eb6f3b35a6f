#version 450
// Without VK_EXT_shader_stencil_export: a draw clears the stencil, then one for each bit sets it where the source has
// it. The stencil's write mask is that bit, or all.
layout(set = 0, binding = 0) uniform usampler2DArray image;
layout(push_constant) uniform Push {
    vec4 source;
    float slice;
    int samples;
    uint bit;  // 0: no texel is left out
};
layout(location = 0) in vec2 at;

void main() {
    if (bit != 0 && (texelFetch(image, ivec3(at, slice), 0).x & bit) == 0) discard;
}

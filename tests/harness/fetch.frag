#version 450
// Texels of level 1 of a combined texture, and a texel of a buffer.
layout(set = 0, binding = 2) uniform sampler2DArray image;
layout(set = 0, binding = 3) uniform samplerBuffer texels;
layout(std430, set = 0, binding = 4) buffer Out { vec4 values[]; } result;
void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    result.values[p.y * 4 + p.x] = texelFetch(image, ivec3(p, 1), 1) + texelFetch(texels, 1);
}

#version 450
// Every pixel stores its coordinates and the derivatives of a value that it loads by its own lane.
layout(std430, set = 1, binding = 0) readonly buffer In { float values[]; } source;
layout(std430, set = 1, binding = 1) buffer Out { vec4 values[]; } result;
layout(constant_id = 0) const uint width = 2;
void main() {
    uvec2 p = uvec2(gl_FragCoord.xy);
    uint lane = ((p.y / 2) * (width / 2) + p.x / 2) * 4 + (p.y & 1) * 2 + (p.x & 1);
    float v = source.values[lane];
    result.values[lane] = vec4(gl_FragCoord.xy, dFdxFine(v), dFdyFine(v));
}

#version 450
// Words in, words out, and the numbers that a vertex has.
layout(std430, set = 0, binding = 0) readonly buffer In { uint words[]; } source;
layout(std430, set = 0, binding = 7) buffer Out { uint words[]; } result;
layout(constant_id = 3) const uint factor = 1;
layout(push_constant) uniform Push { uint count; } push;
void main() {
    if (uint(gl_VertexIndex) < push.count) {
        result.words[2 * gl_VertexIndex] = source.words[gl_VertexIndex];
        result.words[2 * gl_VertexIndex + 1] = uint(gl_VertexIndex) * factor;
    }
    gl_Position = vec4(0);
}

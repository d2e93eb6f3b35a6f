#version 450
// Two triangles over the viewport, which is the destination's box. The source's corners are texels.
layout(push_constant) uniform Push {
    vec4 source;  // x0, y0, x1, y1
    float slice;
    int samples;
};
layout(location = 0) out vec2 at;

void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    at = mix(source.xy, source.zw, corner);
    gl_Position = vec4(corner * 2 - 1, 0, 1);
}

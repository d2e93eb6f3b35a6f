#version 450
// Covers the lower left corner of the viewport with one triangle that lies inside it: nothing is clipped, so every
// pixel of a quad belongs to the same triangle and helper lanes are ordinary ones.
void main() {
    vec2 corner[3] = vec2[](vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(-1.0, 1.0));
    gl_Position = vec4(corner[gl_VertexIndex % 3], 0.5, 1.0);
}

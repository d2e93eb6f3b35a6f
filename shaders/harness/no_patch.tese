#version 450
// Behind a control shader under test, which drops its patches: never runs.
layout(triangles) in;
void main() {
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}

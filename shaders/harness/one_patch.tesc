#version 450
// A patch of one vertex, divided as little as its domain allows.
layout(vertices = 1) out;
void main() {
    gl_TessLevelOuter = float[4](1.0, 1.0, 1.0, 1.0);
    gl_TessLevelInner = float[2](1.0, 1.0);
}

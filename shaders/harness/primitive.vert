#version 450
// Vertices without a meaning: the stage behind reads what it needs from buffers.
void main() {
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
}

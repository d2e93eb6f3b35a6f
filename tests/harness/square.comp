#version 450
layout(local_size_x = 4) in;
layout(std430, set = 0, binding = 0) buffer Words { uint words[]; } data;
void main() { data.words[gl_GlobalInvocationID.x] *= data.words[gl_GlobalInvocationID.x]; }

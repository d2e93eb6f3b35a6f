// `glslangValidator -V --target-env vulkan1.1`, then `compute-one-texture MODULE`.
// Expected: 1 1. lavapipe 26.2.6: SIGSEGV; with the first statement alone 0 0, or with the validation layer 1 0.
#version 450
#extension GL_ARB_sparse_texture2 : require
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) buffer Results {
    float sampled, gathered;
};
void main() {
    vec4 texel;
    sampled = float(sparseTexelsResidentARB(sparseTextureLodARB(image, vec2(0.5), 0, texel)));
    gathered = float(sparseTexelsResidentARB(sparseTextureGatherARB(image, vec2(0.5), texel)));
}

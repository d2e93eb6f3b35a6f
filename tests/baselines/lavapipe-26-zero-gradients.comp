// `glslangValidator -V --target-env vulkan1.1`, then `compute-one-texture MODULE 0.5` (the sampler's mipLodBias).
// Expected: 1 1, since the level is log2(0) + 0.5, limited to minLod = 0. lavapipe 26.2.6: 1.5 1, half of level 1.
#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) buffer Results {
    float constant, loaded;
    vec2 zero;
};
void main() {
    constant = textureGrad(image, vec2(0.5), vec2(0), vec2(0)).x;
    loaded = textureGrad(image, vec2(0.5), zero, zero).x;
}

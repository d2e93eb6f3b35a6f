#version 450
// Writes the samples of an image from tightly packed texels: copies cannot. The view has a format of unsigned words
// as wide as the texels.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Texels { uint words[]; };
layout(set = 0, binding = 1) writeonly uniform uimage2DMSArray image;
layout(push_constant) uniform Shape { uint width, height, layers, samples, texel_bytes; };

void main() {
    uint texel = gl_GlobalInvocationID.x;
    if (texel >= width * height * layers * samples) return;
    uint at = texel * texel_bytes;
    uvec4 value = uvec4(0);
    if (texel_bytes < 4)
        value.x = words[at / 4] >> 8 * (at % 4) & (1u << 8 * texel_bytes) - 1;
    else
        for (uint c = 0; c < texel_bytes / 4; c++) value[c] = words[at / 4 + c];
    uint pixel = texel / samples;
    imageStore(image, ivec3(pixel % width, pixel / width % height, pixel / width / height), int(texel % samples),
               value);
}

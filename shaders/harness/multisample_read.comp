#version 450
#extension GL_EXT_samplerless_texture_functions : require
// The way back of multisample_write: an invocation makes one word of the buffer, or one texel where that is larger.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer Texels { uint words[]; };
layout(set = 0, binding = 1) uniform utexture2DMSArray image;
layout(push_constant) uniform Shape { uint width, height, layers, samples, texel_bytes; };

uvec4 fetch(uint texel) {
    uint pixel = texel / samples;
    return texelFetch(image, ivec3(pixel % width, pixel / width % height, pixel / width / height), int(texel % samples));
}

void main() {
    uint texels = width * height * layers * samples;
    uint unit = gl_GlobalInvocationID.x;
    if (texel_bytes >= 4) {
        if (unit >= texels) return;
        uvec4 value = fetch(unit);
        for (uint c = 0; c < texel_bytes / 4; c++) words[unit * (texel_bytes / 4) + c] = value[c];
        return;
    }
    uint each = 4 / texel_bytes;
    if (unit * each >= texels) return;
    uint word = 0;
    for (uint k = 0; k < each && unit * each + k < texels; k++)
        word |= fetch(unit * each + k).x << 8 * texel_bytes * k;
    words[unit] = word;
}

// One attribute of the vertices of an emulated draw, as its VERT reads it: four words in the record of each invocation
// (library.md, Without geometry shaders). What is beyond the end of the buffer is zeros.
#version 450

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Source { uint source[]; };
layout(std430, binding = 1) writeonly buffer Inputs { uint inputs[]; };
layout(std430, binding = 2) readonly buffer List { uint list[]; };  // vertices of an instance, counted from the first one
layout(push_constant) uniform Push {
    uvec4 bits, shifts;           // of the components; no bits: missing
    uint invocations, listed;     // in all, and of an instance
    uint slot, slots;             // of a record
    uint first, first_instance;   // an element, and an instance for those that advance by instance
    uint divisor;                 // 0: by vertex
    uint start, stride, most;     // bytes; elements that are there
    uint one;                     // w, if the format lacks it
};
// Drivers that run all branches of an invocation do so only for one type.
layout(constant_id = 0) const uint type = 0;  // AttributeType

const uint kUnorm = 0, kSnorm = 1, kUscaled = 2, kSscaled = 3, kUint = 4, kSint = 5, kFloat = 6, kFixed = 7, kDouble = 8,
           kWords = 9;

// 1 to 32 bits, from a bit of the buffer on.
uint raw_bits(uint byte, uint shift, uint count) {
    byte += shift >> 3;
    const uint bit = (byte & 3) * 8 + (shift & 7);
    uint word = source[byte >> 2] >> bit;
    if (bit + count > 32) word |= source[(byte >> 2) + 1] << (32 - bit);
    return count == 32 ? word : word & ((1u << count) - 1);
}

// Rounded to even; what is too small for a normal float becomes a zero.
uint from_double(uint low, uint high) {
    const uint sign = high & 0x80000000u, biased = high >> 20 & 0x7ff;
    if (biased == 0x7ff) return sign | 0x7f800000u | ((high & 0xfffff) != 0 || low != 0 ? 0x400000u : 0u);
    if (biased < 897) return sign;
    if (biased > 1150) return sign | 0x7f800000u;
    const uint cut = biased - 896 << 23 | (high & 0xfffff) << 3 | low >> 29, rest = low & 0x1fffffff;
    return sign | (cut + (rest > 0x10000000u || (rest == 0x10000000u && (cut & 1) != 0) ? 1u : 0u));
}

uint small_float(uint raw, uint count) {
    if (count == 32) return raw;
    return floatBitsToUint(unpackHalf2x16(count == 16 ? raw : raw << (15 - count)).x);  // 11 and 10 bits have no sign
}

uint component(uint byte, uint shift, uint count) {
    if (type == kWords) return source[(byte + (shift >> 3)) >> 2];
    if (type == kDouble) return from_double(raw_bits(byte, shift, 32), raw_bits(byte, shift + 32, 32));
    const uint raw = raw_bits(byte, shift, count);
    const int signed_raw = int(raw << (32 - count)) >> (32 - count);
    const float most_signed = float((1u << (count - 1)) - 1);
    if (type == kUnorm) return floatBitsToUint(float(raw) / float(0xffffffffu >> (32 - count)));
    if (type == kSnorm) return floatBitsToUint(max(float(signed_raw) / most_signed, -1.0));
    if (type == kUscaled) return floatBitsToUint(float(raw));
    if (type == kSscaled) return floatBitsToUint(float(signed_raw));
    if (type == kFixed) return floatBitsToUint(float(signed_raw) * (1.0 / 65536.0));
    if (type == kFloat) return small_float(raw, count);
    return type == kSint ? uint(signed_raw) : raw;
}

void main() {
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint invocation = group * 64 + gl_LocalInvocationIndex;
    if (invocation >= invocations) return;
    const uint instance = invocation / listed;
    const uint element = first + (divisor == 0 ? list[invocation - instance * listed] : (first_instance + instance) / divisor);
    const bool is_there = element < most;
    const uint byte = start + (is_there ? element * stride : 0);
    for (uint c = 0; c < 4; c++) {
        uint word = c == 3 && bits[c] == 0 ? one : 0;
        if (is_there && bits[c] != 0) word = component(byte, shifts[c], bits[c]);
        inputs[(invocation * slots + slot) * 4 + c] = word;
    }
}

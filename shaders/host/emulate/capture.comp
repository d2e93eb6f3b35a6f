// Stream output of listed primitives: what fits is found, then each buffer is written, then it is counted.
#version 450

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Records { uint records[]; };
layout(std430, binding = 1) writeonly buffer Target { uint target[]; };
layout(std430, binding = 2) readonly buffer List { uint list[]; };
layout(std430, binding = 3) readonly buffer Totals {
    uint totals[4];  // primitives of a stream
    uint first[4];   // word of the list
};
layout(std430, binding = 4) buffer Captured {
    uint captured[4];  // bytes in a buffer
};
layout(std430, binding = 5) buffer Results {
    uint needed[4], written[4];  // primitives of a stream
};
layout(std430, binding = 6) readonly buffer Outputs { uint outputs[]; };  // pairs: word of the record, of the vertex
layout(constant_id = 0) const uint pass = 0;     // 0 finds what fits, 1 writes a buffer, 2 counts
layout(constant_id = 1) const uint corners = 1;  // of a primitive
layout(push_constant) uniform Push {
    uint words;        // of a record
    uint buffer_;      // that is written
    uint offset;       // words, of the target in it
    uint output_count;
    uvec4 sizes;       // bytes of the targets; 0: none
    uvec4 strides;     // words of a vertex
    uvec4 streams;     // that the buffers capture
};

void find_room() {
    for (uint s = 0; s < 4; s++) {
        needed[s] = totals[s];
        written[s] = totals[s];
    }
    for (uint b = 0; b < 4; b++)
        if (sizes[b] != 0 && strides[b] != 0) {
            const uint room = (sizes[b] - min(captured[b], sizes[b])) / (strides[b] * corners * 4);
            written[streams[b]] = min(written[streams[b]], room);
        }
}

// `from`: the first vertex in the list; `to`: of the target.
void write(uint from, uint to, uint stride) {
    uint vertices[3];
    for (uint v = 0; v < corners; v++) vertices[v] = list[from + v] * words;
    for (uint i = 0; i < output_count; i++) {
        const uint word = outputs[2 * i], place = to + outputs[2 * i + 1];
        for (uint v = 0; v < corners; v++) target[place + v * stride] = records[vertices[v] + word];
    }
}

void main() {
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint invocation = group * 64 + gl_LocalInvocationIndex;
    if (pass == 0) {
        if (invocation == 0) find_room();
    } else if (pass == 1) {
        // What all have in common is loaded first: so drivers that run several at once load it once.
        const uint step = gl_NumWorkGroups.x * gl_NumWorkGroups.y * 64, stride = strides[buffer_];
        const uint s = streams[buffer_], count = written[s], start = first[s], to = offset + captured[buffer_] / 4;
        for (uint p = invocation; p < count; p += step) write(start + p * corners, to + p * corners * stride, stride);
    } else if (invocation < 4) {
        if (sizes[invocation] != 0) captured[invocation] += written[streams[invocation]] * corners * strides[invocation] * 4;
    }
}

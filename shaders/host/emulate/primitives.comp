// The primitives that invocations of an emulated GEOM have emitted (library.md, Without geometry shaders), as lists of
// records: first they are counted, then the first one of each invocation is found, then the lists are written. Streams
// follow one another in the list.
#version 450

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Records { uint records[]; };
layout(std430, binding = 1) buffer Counts { uint counts[]; };  // by stream, by invocation: how many; then which is first
layout(std430, binding = 2) writeonly buffer List { uint list[]; };
layout(std430, binding = 3) buffer Totals {
    uint totals[4];   // primitives of a stream
    uint first[4];    // word of the list
    uint draw[5];     // VkDrawIndexedIndirectCommand of stream 0
};
// Drivers that run all branches of an invocation do so only for one pass.
layout(constant_id = 0) const uint pass = 0;     // 0 counts, 1 adds up, 2 lists
layout(constant_id = 1) const uint corners = 1;  // of a primitive
layout(push_constant) uniform Push {
    uint invocations;
    uint vertices;     // at most, of an invocation
    uint words;        // of a record
    uint streams;      // that somebody asks for, from 0 on; what others have is left out
    uint provoking;    // vertex of a primitive: 0 the first, 1 the last, 2 the last, which comes first in the list
};

shared uint sums[64];

void write(uint to, uint run, uint a, uint b, uint c) {
    if (corners == 1) {
        list[to] = c;
    } else if (corners == 2) {
        list[to] = provoking == 2 ? c : b;
        list[to + 1] = provoking == 2 ? b : c;
    } else {
        // Every second triangle of a strip turns the other way; the provoking vertex keeps its place.
        const bool turned = (run & 1) == 0;
        uvec3 all = uvec3(a, b, c);
        if (turned) all = provoking == 0 ? uvec3(a, c, b) : uvec3(b, a, c);
        if (provoking == 2) all = all.zxy;
        list[to] = all.x;
        list[to + 1] = all.y;
        list[to + 2] = all.z;
    }
}

void walk(uint stream, uint invocation, bool writes) {
    uint number = 0, run = 0, primitive = 0, older = 0, newer = 0, to = 0;
    if (writes) to = first[stream] + counts[stream * invocations + invocation] * corners;
    for (uint k = 0; k < vertices; k++) {
        const uint record = invocation * vertices + k, at = record * words + words - 4;
        const uint mark = records[at];
        if (mark == 0) break;
        if (mark - 1 != stream) continue;
        const uint of = records[at + 1];
        run = primitive == of ? run + 1 : 1;
        primitive = of;
        if (run >= corners) {
            if (writes) write(to + number * corners, run, older, newer, record);
            number++;
        }
        older = newer;
        newer = record;
    }
    if (!writes) counts[stream * invocations + invocation] = number;
}

// One group: each invocation adds up a part.
void add_up() {
    const uint me = gl_LocalInvocationIndex, part = (invocations + 63) / 64;
    const uint begin = min(me * part, invocations), end = min(begin + part, invocations);
    uint total = 0;
    for (uint s = 0; s < streams; s++) {
        uint sum = 0;
        for (uint i = begin; i < end; i++) sum += counts[s * invocations + i];
        sums[me] = sum;
        barrier();
        uint before = 0, all = 0;
        for (uint i = 0; i < 64; i++) {
            if (i == me) before = all;
            all += sums[i];
        }
        for (uint i = begin; i < end; i++) {
            const uint own = counts[s * invocations + i];
            counts[s * invocations + i] = before;
            before += own;
        }
        if (me == 0) {
            totals[s] = all;
            first[s] = total * corners;
            if (s == 0) {
                draw[0] = all * corners;
                draw[1] = 1;
                draw[2] = draw[3] = draw[4] = 0;
            }
        }
        total += all;
        barrier();
    }
    if (me == 0)
        for (uint s = streams; s < 4; s++) totals[s] = 0;
}

void main() {
    const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint invocation = group * 64 + gl_LocalInvocationIndex;
    if (pass == 1)
        add_up();
    else if (invocation < invocations)
        for (uint s = 0; s < streams; s++) walk(s, invocation, pass == 2);
}

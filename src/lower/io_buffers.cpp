#include "lower/io_buffers.h"

#include "lower/walk.h"

namespace tgsi2spv::lower {

using tgsi::File;

ir::Value load_io_parameter(Walk& w, uint32_t word) {
    return w.b.load(w.io_variables[2], {w.b.const_u32(word)}, ir::u32());
}

namespace {

constexpr uint32_t kInputs = 0, kOutputs = 1;

/// FRAG: four lanes a quad, quads row by row.
ir::Value lane_of_pixel(Walk& w) {
    ir::Builder& b = w.b;
    const ir::Value position = load_builtin(w, ir::BuiltIn::FragCoord, ir::f32(4));
    const ir::Value x = b.convert(ir::Op::FToU, b.extract(position, 0), ir::u32());
    const ir::Value y = b.convert(ir::Op::FToU, b.extract(position, 1), ir::u32());
    const ir::Value one = b.const_u32(1), two = b.const_u32(2);
    const ir::Value row = b.lshr(y, one);
    const ir::Value quads = b.lshr(load_io_parameter(w, 1), one);
    const ir::Value before = b.imul(row, quads);
    const ir::Value quad = b.iadd(before, b.lshr(x, one));
    const ir::Value lower = b.shl(b.bit_and(y, one), one);
    const ir::Value in_quad = b.bit_or(lower, b.bit_and(x, one));
    return b.iadd(b.shl(quad, two), in_quad);
}

}  // namespace

void prepare_io_buffers(Walk& w) {
    static constexpr const char* kNames[3] = {"io inputs", "io outputs", "io parameters"};
    for (uint32_t k = 0; k < 3; ++k)
        w.io_variables[k] = w.b.add_variable({.kind = ir::VariableKind::IoBuffer,
                                              .element = ir::u32(),
                                              .index = k,
                                              .non_writable = k != kOutputs,
                                              .name = kNames[k]});
    w.io_input_slots = static_cast<uint32_t>(w.registers.count(File::Input));
    w.io_output_slots = static_cast<uint32_t>(w.registers.count(File::Output));
    if (w.program.stage == tgsi::Stage::Fragment) ++w.io_output_slots;
}

void enter_io_buffers(Walk& w) {
    ir::Builder& b = w.b;
    if (w.program.stage == tgsi::Stage::Fragment) {
        w.io_lane = lane_of_pixel(w);
    } else {
        const ir::Value vertex = load_builtin(w, ir::BuiltIn::VertexIndex, ir::u32());
        w.io_lane = b.isub(vertex, load_io_parameter(w, 0));
    }
    const ir::Value lanes = load_io_parameter(w, 2);
    w.io_inside = b.ult(w.io_lane, lanes);
    const ir::Value lane = b.select(w.io_inside, w.io_lane, b.const_u32(0));
    w.io_input_base = b.imul(lane, b.const_u32(4 * w.io_input_slots));
    if (w.options.opaque_immediates) w.opaque_zero = load_io_parameter(w, 4);
}

ir::Value load_io_word(Walk& w, ir::Value slot, int component) {
    ir::Builder& b = w.b;
    ir::Value word = b.const_u32(static_cast<uint32_t>(component));
    if (ir::is_constant(slot))
        word = b.const_u32(4 * b.constant(slot).words[0] + static_cast<uint32_t>(component));
    else
        word = b.iadd(b.shl(slot, b.const_u32(2)), word);
    return b.load(w.io_variables[kInputs], {b.iadd(w.io_input_base, word)}, ir::u32());
}

void store_io_outputs(Walk& w) {
    ir::Builder& b = w.b;
    const ir::BlockId then = b.create_block(), merge = b.create_block();
    b.set_selection_merge(merge);
    b.branch_if(w.io_inside, then, merge);
    b.start_block(then);
    const ir::Value base = b.imul(w.io_lane, b.const_u32(4 * w.io_output_slots));
    auto store = [&](uint32_t slot, uint32_t component, ir::Value value) {
        b.store(w.io_variables[kOutputs], {b.iadd(base, b.const_u32(4 * slot + component))}, value);
    };
    for (uint32_t i = 0; i < w.plan.output_masks.size(); ++i) {
        const uint8_t mask = w.plan.output_masks[i];
        uint8_t comps[4];
        size_t n = 0;
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) comps[n++] = c;
        if (n == 0) continue;
        Ref refs[4];
        read_slot(w, w.plan.slots.output + i, std::span<const uint8_t>(comps, n), refs);
        for (size_t k = 0; k < n; ++k)
            store(i, comps[k], gather(w, std::span<const Ref>(&refs[k], 1), ir::Scalar::U32));
    }
    if (w.program.stage == tgsi::Stage::Fragment) store(w.io_output_slots - 1, 0, b.const_u32(1));
    b.branch(merge);
    b.start_block(merge);
}

}  // namespace tgsi2spv::lower

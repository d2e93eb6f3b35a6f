// Arrays over vertices with io=buffers: words in storage buffers.
#include <algorithm>

#include "lower/addressing.h"
#include "lower/guarded.h"
#include "lower/io_buffers.h"
#include "lower/values.h"
#include "lower/vertex_operand.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

bool is_plain_constant_index(Walk& w, ir::Value value, uint32_t& index) {
    if (!w.b.is_plain_constant(value)) return false;
    index = w.b.constant(value).words[0];
    return true;
}

/// The slot of IN or OUT register `reg` (constant or not) of a vertex. Each vertex has one block with all registers;
/// PATCH data and levels are in vertex 0's block.
ir::Value slot_of_vertex(Walk& w, File file, ir::Value vertex, ir::Value reg) {
    ir::Builder& b = w.b;
    const auto block = static_cast<uint32_t>(w.registers.count(file));
    uint32_t v = 0, r = 0;
    if (vertex == ir::kNone || (is_plain_constant_index(w, vertex, v) && v == 0)) return reg;
    if (is_plain_constant_index(w, vertex, v)) {
        if (is_plain_constant_index(w, reg, r)) return b.const_u32(v * block + r);
        return b.iadd(reg, b.const_u32(v * block));
    }
    return b.iadd(b.imul(vertex, b.const_u32(block)), reg);
}

/// The register that the second bracket names, and whether it is declared. If it is not, register 0 is used.
Index register_of(Walk& w, const tgsi::Operand& o) {
    ir::Builder& b = w.b;
    const tgsi::Relative* relative = w.program.index_relative(o);
    if (relative == nullptr) return {b.const_u32(static_cast<uint32_t>(o.index)), ir::kNone};
    Index at{relative_index(w, *relative, o.index), ir::kNone};
    at.inside = in_range(w, o.file, 0, o.array_id, at.value);
    if (at.inside != ir::kNone) at.value = b.select(at.inside, at.value, b.const_u32(0));
    at.value = selected_element(w, o, at.value, 0, static_cast<uint32_t>(std::max(1, w.registers.count(o.file))));
    return at;
}

}  // namespace

bool read_vertex_buffer(Walk& w, const tgsi::Operand& o, std::span<const uint8_t> comps, Ref* out) {
    const Index vertex = o.has_dim ? vertex_of(w, o) : Index{};
    const Index reg = register_of(w, o);
    if (!w.ok) return false;
    const ir::Value slot = slot_of_vertex(w, o.file, vertex.value, reg.value);
    for (size_t k = 0; k < comps.size(); ++k)
        out[k] = {o.file == File::Input ? load_io_word(w, slot, comps[k]) : load_io_output(w, slot, comps[k]), 0};
    zero_outside(w, both(w.b, vertex.inside, reg.inside), comps.size(), out);
    return true;
}

bool write_vertex_buffer(Walk& w, const tgsi::Operand& o, uint8_t mask, const Ref* refs) {
    const Index vertex = o.has_dim ? vertex_of(w, o) : Index{};
    const Index reg = register_of(w, o);
    if (!w.ok) return false;
    where(w.b, both(w.b, vertex.inside, reg.inside), ir::kVoid, [&] {
        const ir::Value slot = slot_of_vertex(w, File::Output, vertex.value, reg.value);
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) store_io_output(w, slot, c, gather(w, std::span(refs++, 1), ir::Scalar::U32));
        return ir::kNone;
    });
    return true;
}

}  // namespace tgsi2spv::lower

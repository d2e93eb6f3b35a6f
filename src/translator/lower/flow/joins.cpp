// Where control flow merges: the registers that a construct writes get phis for the values that differ. Every edge into
// a merge block carries its values, composed into one vector per register while the edge's block is open.
#include "lower/flow/joins.h"

#include <algorithm>
#include <cassert>

#include "lower/context/values.h"
#include "lower/operands/operation.h"
#include "lower/registers/cells.h"

namespace tgsi2spv::lower {

using ir::Scalar;

namespace {

std::span<const Write> writes_of(Context& context, const Construct& construct) {
    return std::span(context.plan.writes).subspan(construct.writes, construct.num_writes);
}

bool is_read(const Write& write, EdgeTarget target) {
    return target == EdgeTarget::Merge ? write.is_read_after() : write.is_read_in_loop();
}
Scalar& type_of(Join& join, EdgeTarget target) {
    return target == EdgeTarget::Merge ? join.merge : join.other;
}

/// For values that nothing reads: a zero, which dominates everything that follows.
void forget(Context& context, const Write& write) {
    const Ref zero{context.b.zero(ir::f32()), 0};
    Ref* const cells = &context.cells.slots[size_t{4} * write.slot];
    for (const uint8_t c : components_of(write.mask)) cells[c] = zero;
}

}  // namespace

ir::Value composed(Context& context, const Write& write, Scalar scalar) {
    const Ref* const cells = &context.cells.slots[size_t{4} * write.slot];
    const auto comps = components_of(write.mask);
    return gather_at(
        context.b, comps.size(), [&](size_t k) -> const Ref& { return cells[comps[k]]; }, scalar);
}

void set_cells(Context& context, const Write& write, ir::Value value) {
    Ref* const cells = &context.cells.slots[size_t{4} * write.slot];
    uint8_t n = 0;
    for (const uint8_t c : components_of(write.mask)) cells[c] = {value, n++};
}

void save(Context& context, const Construct& construct) {
    for (uint32_t k = 0; k < construct.num_writes; ++k) {
        const Ref* const cells = &context.cells.slots[size_t{4} * context.plan.writes[construct.writes + k].slot];
        context.joins.of_writes[construct.writes + k].saved = {cells[0], cells[1], cells[2], cells[3]};
    }
}

void restore(Context& context, const Construct& construct) {
    for (uint32_t k = 0; k < construct.num_writes; ++k) {
        Ref* const cells = &context.cells.slots[size_t{4} * context.plan.writes[construct.writes + k].slot];
        const auto saved = context.joins.of_writes[construct.writes + k].saved;
        for (size_t n = 0; n < saved.size(); ++n) cells[n] = saved[n];
    }
}

void add_edge(Context& context, const Construct& construct, EdgeList& list, EdgeTarget target) {
    const auto values = static_cast<uint32_t>(context.joins.values.size());
    Join* join = context.joins.of_writes.data() + construct.writes;
    for (const Write& write : writes_of(context, construct)) {
        Scalar& scalar = type_of(*join++, target);
        if (!is_read(write, target)) continue;
        const ir::Value value = composed(context, write, scalar);
        if (scalar == Scalar::Void && !context.b.is_plain_constant(value)) scalar = context.b.type_of(value).scalar;
        context.joins.values.push_back(value);
    }
    const auto edge = static_cast<uint32_t>(context.joins.edges.size());
    context.joins.edges.push_back({context.b.current_block(), values});
    if (list.count++ == 0)
        list.first = edge;
    else
        context.joins.edges[list.last].next = edge;
    list.last = edge;
}

void join(Context& context, const Construct& construct, const EdgeList& list, EdgeTarget target, ir::BlockId block) {
    ir::Builder& b = context.b;
    b.start_block(block);
    context.reachable = list.count != 0;
    if (!context.reachable) return;
    uint32_t k = 0;
    Join* join = context.joins.of_writes.data() + construct.writes;
    for (const Write& write : writes_of(context, construct)) {
        Scalar scalar = type_of(*join++, target);
        if (!is_read(write, target)) {
            forget(context, write);
            continue;
        }
        // Only constants, perhaps of several types: use the type of the first.
        if (scalar == Scalar::Void)
            scalar = b.type_of(context.joins.values[context.joins.edges[list.first].values + k]).scalar;
        auto& incoming = context.joins.incoming;
        incoming.clear();
        bool same = true;
        for (uint32_t e = list.first; e != kNoIndex; e = context.joins.edges[e].next) {
            ir::Value value = context.joins.values[context.joins.edges[e].values + k];
            // A constant that was added before the type was known.
            if (context.b.is_plain_constant(value)) value = b.bitcast(value, scalar);
            incoming.push_back({value, context.joins.edges[e].block});
            same &= value == incoming[0].value;
        }
        set_cells(context, write, same ? incoming[0].value : b.phi(b.type_of(incoming[0].value), incoming));
        ++k;
    }
}

}  // namespace tgsi2spv::lower

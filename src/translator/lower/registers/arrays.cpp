#include "lower/registers/arrays.h"

#include <span>

#include "lower/context/values.h"

namespace tgsi2spv::lower {

uint32_t array_variable(Context& context, uint32_t elements, bool by_index, std::string_view name, ir::Type element) {
    const bool shared = context.plan.functions.size() > 1 || context.plan.wrap || context.plan.emit_functions;
    // Where no index selects, drivers split the array, which the index of a loop would prevent.
    const bool in_loop = by_index && elements > kMostInitialised;
    const uint32_t variable =
        context.b.add_variable({.kind = shared ? ir::VariableKind::Private : ir::VariableKind::Local,
                                .element = element,
                                .array = {elements, 0},
                                .function = context.ir_functions[0],
                                .zero_initialised = !in_loop,
                                .name = name});
    if (in_loop) context.arrays.cleared_by_loops.push_back(variable);
    return variable;
}

void clear_in_loop(Context& context, uint32_t variable, ir::Value start, ir::Value step) {
    ir::Builder& b = context.b;
    const ir::Variable& v = b.module().variables[variable];
    const ir::Type element = v.element;
    const uint32_t elements = v.array[0];
    const ir::Incoming first{start, b.current_block()};
    const ir::BlockId header = b.create_block(), body = b.create_block(), again = b.create_block(),
                      merge = b.create_block();
    b.branch(header);
    b.start_block(header);
    const ir::Value index = b.phi(ir::u32(), std::span(&first, 1), 2);
    b.set_loop_merge(merge, again);
    b.branch_if(b.ult(index, b.const_u32(elements)), body, merge);
    b.start_block(body);
    b.store(variable, {index}, b.zero(element));
    b.branch(again);
    b.start_block(again);
    b.add_incoming(index, {b.iadd(index, step), again});
    b.branch(header);
    b.start_block(merge);
}

void store_memory(Context& context, const Segment& segment, ir::Value element, uint8_t mask, const Ref* refs) {
    const int n = segment.components;
    const int all = (1 << n) - 1;
    if ((mask & all) == all) {
        context.b.store(segment.variable, {element},
                        gather(context.b, std::span(refs, static_cast<size_t>(n)), ir::Scalar::F32));
        return;
    }
    for (int c = 0; c < n; ++c) {
        if ((mask >> c & 1) == 0) continue;
        const ir::Value component = context.b.const_u32(static_cast<uint32_t>(c));
        context.b.store(segment.variable, {element, component},
                        gather(context.b, std::span(refs++, 1), ir::Scalar::F32));
    }
}

}  // namespace tgsi2spv::lower

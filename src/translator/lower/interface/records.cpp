#include "lower/interface/records.h"

#include <algorithm>
#include <string>

#include "lower/context/guarded.h"
#include "lower/context/values.h"
#include "lower/interface/io_buffers.h"
#include "lower/interface/record_loads.h"
#include "lower/interface/system_values.h"
#include "lower/options/facts.h"
#include "lower/options/linkage.h"
#include "lower/registers/cells.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Stage;

bool check_records(Context& context) {
    if (!context.options.records ||
        (context.program.stage != Stage::Fragment && context.program.stage != Stage::Compute))
        return true;
    fail(context, "unsupported-property", 0,
         std::string(tgsi::name(context.program.stage)) +
             " has no records: expected VERT, TESS_CTRL, TESS_EVAL or GEOM");
    return false;
}

namespace {

/// The IN registers of the stage that reads the records; null: there is none.
const std::pmr::vector<RecordSlot>* reader_of(const Context& context) {
    const Linkage* const linkage = context.options.linkage;
    const bool is_read =
        linkage != nullptr && !linkage->before_rasterizer && context.program.stage != Stage::TessControl;
    return is_read ? &linkage->record : nullptr;
}

/// The number of this group of a compute shader.
ir::Value group_number(Context& context) {
    ir::Builder& b = context.b;
    const ir::Value group = load_builtin(context, ir::BuiltIn::WorkgroupId, ir::u32(3));
    const ir::Value groups = load_builtin(context, ir::BuiltIn::NumWorkgroups, ir::u32(3));
    const ir::Value row = b.extract(group, 1), columns = b.extract(groups, 0);
    const ir::Value before = b.imul(row, columns);
    return b.iadd(before, b.extract(group, 0));
}

/// The number of this invocation of a compute shader.
ir::Value invocation_number(Context& context) {
    ir::Builder& b = context.b;
    const ir::Value first = b.imul(group_number(context), b.const_u32(kRecordGroup));
    return b.iadd(first, load_builtin(context, ir::BuiltIn::LocalInvocationIndex, ir::u32()));
}

/// Leaves main if there is no such patch, point or primitive.
void return_beyond_last(Context& context, ir::Value number) {
    ir::Builder& b = context.b;
    if (b.current_function() == b.module().entry.function)
        return_unless(context, b.ult(number, load_io_parameter(context, 2)));
}

/// Sets the places of the vertices of a primitive or patch, whose number is io.lane.
void find_vertices(Context& context, ir::Value vertices) {
    ir::Builder& b = context.b;
    const ir::Value of_instance = load_io_parameter(context, 1);
    const ir::Value instance = b.udiv(context.io.lane, of_instance);
    const ir::Value primitive = b.isub(context.io.lane, b.imul(instance, of_instance));
    context.io.primitive = b.iadd(primitive, load_io_parameter(context, 0));
    context.io.first_vertex = b.imul(primitive, vertices);
    context.io.first_record = b.imul(instance, load_io_parameter(context, 3));
}

/// Parameters are loaded before the branch: drivers that run many invocations at once do that once for all.
void enter_vertex(Context& context) {
    ir::Builder& b = context.b;
    const ir::Value number = invocation_number(context), listed = load_io_parameter(context, kListedVertices);
    const ir::Value first = load_io_parameter(context, 0), first_instance = load_io_parameter(context, 1);
    const ir::Value records = load_io_parameter(context, 3);
    const ir::Value by_invocation = b.imul(number, load_io_parameter(context, kInvocationWords));
    const ir::Value by_vertex = load_io_parameter(context, kVertexWords);
    context.io.places.fill(ir::kNone);
    for (uint32_t i = 0; i < std::min(context.plan.input_masks.size(), context.io.places.size()); ++i)
        if (context.plan.input_masks[i] != 0) context.io.places[i] = load_io_parameter(context, kPlaces + i);
    return_beyond_last(context, number);
    const ir::Value instance = b.udiv(number, listed), in_list = b.isub(number, b.imul(instance, listed));
    const ir::Value vertex = b.load(context.io.variables[3], {in_list}, ir::u32());
    context.io.vertex = b.iadd(vertex, first);
    context.io.instance = b.iadd(instance, first_instance);
    context.io.input_base = b.iadd(by_invocation, b.imul(vertex, by_vertex));
    context.io.lane = b.iadd(b.imul(instance, records), vertex);
    context.io.inside = ir::kNone;
}

void enter_geometry(Context& context) {
    ir::Builder& b = context.b;
    const ir::Value number = invocation_number(context), count = b.const_u32(invocations(context.program));
    context.io.lane = b.udiv(number, count);
    context.io.invocation = b.op(ir::Op::UMod, number, count);
    context.io.inside = ir::kNone;
    const uint32_t vertices = input_vertices(context.program);
    find_vertices(context, b.const_u32(vertices));
    return_beyond_last(context, context.io.lane);
    for (uint32_t v = 0; v < vertices; ++v) context.io.places[v] = find_record(context, b.const_u32(v));
    const uint32_t words = 4 * record_slots(context) * most_emitted_vertices(context.program);
    context.io.output_base = b.imul(number, b.const_u32(words));
}

/// A group is a patch, so all of its invocations stay or leave: there may be barriers.
void enter_control(Context& context) {
    ir::Builder& b = context.b;
    context.io.lane = group_number(context);
    context.io.invocation = load_builtin(context, ir::BuiltIn::LocalInvocationIndex, ir::u32());
    context.io.inside = ir::kNone;
    find_vertices(context, load_io_parameter(context, kPatchVertices));
    return_beyond_last(context, context.io.lane);
    const uint32_t words = 4 * record_slots(context) * output_vertices(context.program);
    context.io.output_base = b.imul(context.io.lane, b.const_u32(words));
}

void enter_evaluation(Context& context) {
    ir::Builder& b = context.b;
    context.io.lane = invocation_number(context);
    context.io.inside = ir::kNone;
    return_beyond_last(context, context.io.lane);
    const ir::Value patch = load_point_word(context, 3);
    context.io.primitive =
        b.iadd(b.op(ir::Op::UMod, patch, load_io_parameter(context, 1)), load_io_parameter(context, 0));
    const ir::Value vertex_words = b.const_u32(4 * slots_before(context));
    context.io.first_record = b.imul(patch, b.imul(load_io_parameter(context, kPatchVertices), vertex_words));
}

/// The component of a register that the reader has, as VERT leaves it.
ir::Value value_for(Context& context, const RecordSlot& slot, uint8_t component) {
    for (size_t k = context.outputs.written.size(); k-- > 0;) {
        const uint32_t reg = context.outputs.written[k];
        const Declared d = declared_as(context, File::Output, static_cast<int32_t>(reg));
        if (d.declaration == nullptr || d.semantic != slot.semantic || d.index != slot.index ||
            (context.plan.output_masks[reg] >> component & 1) == 0)
            continue;
        Ref ref;
        read_slot(context, context.plan.slots.output + reg, std::span(&component, 1), &ref);
        return gather(context.b, std::span<const Ref>(&ref, 1), ir::Scalar::U32);
    }
    return context.b.const_u32(unwritten(component));
}

void store_for_reader(Context& context, const std::pmr::vector<RecordSlot>& reader, ir::Value base) {
    for (uint32_t slot = 0; slot < reader.size(); ++slot)
        if (reader[slot].semantic != tgsi::Semantic::None)
            for (uint8_t c = 0; c < 4; ++c) {
                const ir::Value word = context.b.iadd(base, context.b.const_u32(4 * slot + c));
                context.b.store(context.io.variables[1], {word}, value_for(context, reader[slot], c));
            }
}

}  // namespace

uint32_t record_slots(const Context& context) {
    const auto* const reader = reader_of(context);
    return reader != nullptr ? static_cast<uint32_t>(reader->size())
                             : io_slots(context.program, context.registers).output;
}

void enter_records(Context& context) {
    switch (context.program.stage) {
        case Stage::TessControl:
            return enter_control(context);
        case Stage::TessEval:
            return enter_evaluation(context);
        case Stage::Geometry:
            return enter_geometry(context);
        default:
            return enter_vertex(context);
    }
}

void store_records(Context& context) {
    ir::Builder& b = context.b;
    const uint32_t words = 4 * record_slots(context);
    if (context.program.stage == Stage::TessControl) return;  // each write is a store
    if (context.program.stage == Stage::Geometry) {
        const uint32_t most = most_emitted_vertices(context.program);
        const ir::Value emitted = emitted_vertices(context);
        where(b, b.ult(emitted, b.const_u32(most)), ir::kVoid, [&] {
            const ir::Value base = b.iadd(context.io.output_base, b.imul(emitted, b.const_u32(words)));
            b.store(context.io.variables[1], {b.iadd(base, b.const_u32(words - 4))}, b.const_u32(0));
            return ir::kNone;
        });
        return;
    }
    where(b, context.io.inside, ir::kVoid, [&] {
        const ir::Value base = b.imul(context.io.lane, b.const_u32(words));
        if (const auto* const reader = reader_of(context))
            store_for_reader(context, *reader, base);
        else
            store_io_record(context, base, 0);
        return ir::kNone;
    });
}

}  // namespace tgsi2spv::lower

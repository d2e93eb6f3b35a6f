#include "lower/interface/records.h"

#include <algorithm>
#include <string>

#include "lower/interface/io_buffers.h"
#include "lower/interface/record_loads.h"
#include "lower/interface/system_values.h"
#include "lower/options/facts.h"
#include "lower/options/linkage.h"
#include "lower/registers/cells.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"
#include "lower/walk/guarded.h"
#include "lower/walk/values.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Stage;

bool check_records(Walk& walk) {
    if (!walk.options.records || (walk.program.stage != Stage::Fragment && walk.program.stage != Stage::Compute))
        return true;
    fail(walk, "unsupported-property", 0,
         std::string(tgsi::name(walk.program.stage)) + " has no records: expected VERT, TESS_CTRL, TESS_EVAL or GEOM");
    return false;
}

namespace {

/// The IN registers of the stage that reads the records; null: there is none.
const std::pmr::vector<RecordSlot>* reader_of(const Walk& walk) {
    const Linkage* const linkage = walk.options.linkage;
    const bool is_read = linkage != nullptr && !linkage->before_rasterizer && walk.program.stage != Stage::TessControl;
    return is_read ? &linkage->record : nullptr;
}

/// The number of this group of a compute shader.
ir::Value group_number(Walk& walk) {
    ir::Builder& b = walk.b;
    const ir::Value group = load_builtin(walk, ir::BuiltIn::WorkgroupId, ir::u32(3));
    const ir::Value groups = load_builtin(walk, ir::BuiltIn::NumWorkgroups, ir::u32(3));
    const ir::Value row = b.extract(group, 1), columns = b.extract(groups, 0);
    const ir::Value before = b.imul(row, columns);
    return b.iadd(before, b.extract(group, 0));
}

/// The number of this invocation of a compute shader.
ir::Value invocation_number(Walk& walk) {
    ir::Builder& b = walk.b;
    const ir::Value first = b.imul(group_number(walk), b.const_u32(kRecordGroup));
    return b.iadd(first, load_builtin(walk, ir::BuiltIn::LocalInvocationIndex, ir::u32()));
}

/// Leaves main if there is no such patch, point or primitive.
void return_beyond_last(Walk& walk, ir::Value number) {
    ir::Builder& b = walk.b;
    if (b.current_function() == b.module().entry.function)
        return_unless(walk, b.ult(number, load_io_parameter(walk, 2)));
}

/// Sets the places of the vertices of a primitive or patch, whose number is io.lane.
void find_vertices(Walk& walk, ir::Value vertices) {
    ir::Builder& b = walk.b;
    const ir::Value of_instance = load_io_parameter(walk, 1);
    const ir::Value instance = b.udiv(walk.io.lane, of_instance);
    const ir::Value primitive = b.isub(walk.io.lane, b.imul(instance, of_instance));
    walk.io.primitive = b.iadd(primitive, load_io_parameter(walk, 0));
    walk.io.first_vertex = b.imul(primitive, vertices);
    walk.io.first_record = b.imul(instance, load_io_parameter(walk, 3));
}

/// Parameters are loaded before the branch: drivers that run many invocations at once do that once for all.
void enter_vertex(Walk& walk) {
    ir::Builder& b = walk.b;
    const ir::Value number = invocation_number(walk), listed = load_io_parameter(walk, kListedVertices);
    const ir::Value first = load_io_parameter(walk, 0), first_instance = load_io_parameter(walk, 1);
    const ir::Value records = load_io_parameter(walk, 3);
    const ir::Value by_invocation = b.imul(number, load_io_parameter(walk, kInvocationWords));
    const ir::Value by_vertex = load_io_parameter(walk, kVertexWords);
    walk.io.places.fill(ir::kNone);
    for (uint32_t i = 0; i < std::min(walk.plan.input_masks.size(), walk.io.places.size()); ++i)
        if (walk.plan.input_masks[i] != 0) walk.io.places[i] = load_io_parameter(walk, kPlaces + i);
    return_beyond_last(walk, number);
    const ir::Value instance = b.udiv(number, listed), in_list = b.isub(number, b.imul(instance, listed));
    const ir::Value vertex = b.load(walk.io.variables[3], {in_list}, ir::u32());
    walk.io.vertex = b.iadd(vertex, first);
    walk.io.instance = b.iadd(instance, first_instance);
    walk.io.input_base = b.iadd(by_invocation, b.imul(vertex, by_vertex));
    walk.io.lane = b.iadd(b.imul(instance, records), vertex);
    walk.io.inside = ir::kNone;
}

void enter_geometry(Walk& walk) {
    ir::Builder& b = walk.b;
    const ir::Value number = invocation_number(walk), count = b.const_u32(invocations(walk.program));
    walk.io.lane = b.udiv(number, count);
    walk.io.invocation = b.op(ir::Op::UMod, number, count);
    walk.io.inside = ir::kNone;
    const uint32_t vertices = input_vertices(walk.program);
    find_vertices(walk, b.const_u32(vertices));
    return_beyond_last(walk, walk.io.lane);
    for (uint32_t v = 0; v < vertices; ++v) walk.io.places[v] = find_record(walk, b.const_u32(v));
    const uint32_t words = 4 * record_slots(walk) * most_emitted_vertices(walk.program);
    walk.io.output_base = b.imul(number, b.const_u32(words));
}

/// A group is a patch, so all of its invocations stay or leave: there may be barriers.
void enter_control(Walk& walk) {
    ir::Builder& b = walk.b;
    walk.io.lane = group_number(walk);
    walk.io.invocation = load_builtin(walk, ir::BuiltIn::LocalInvocationIndex, ir::u32());
    walk.io.inside = ir::kNone;
    find_vertices(walk, load_io_parameter(walk, kPatchVertices));
    return_beyond_last(walk, walk.io.lane);
    const uint32_t words = 4 * record_slots(walk) * output_vertices(walk.program);
    walk.io.output_base = b.imul(walk.io.lane, b.const_u32(words));
}

void enter_evaluation(Walk& walk) {
    ir::Builder& b = walk.b;
    walk.io.lane = invocation_number(walk);
    walk.io.inside = ir::kNone;
    return_beyond_last(walk, walk.io.lane);
    const ir::Value patch = load_point_word(walk, 3);
    walk.io.primitive = b.iadd(b.op(ir::Op::UMod, patch, load_io_parameter(walk, 1)), load_io_parameter(walk, 0));
    const ir::Value vertex_words = b.const_u32(4 * slots_before(walk));
    walk.io.first_record = b.imul(patch, b.imul(load_io_parameter(walk, kPatchVertices), vertex_words));
}

/// The component of a register that the reader has, as VERT leaves it.
ir::Value value_for(Walk& walk, const RecordSlot& slot, uint8_t component) {
    for (size_t k = walk.outputs.written.size(); k-- > 0;) {
        const uint32_t reg = walk.outputs.written[k];
        const Declared d = declared_as(walk, File::Output, static_cast<int32_t>(reg));
        if (d.declaration == nullptr || d.semantic != slot.semantic || d.index != slot.index ||
            (walk.plan.output_masks[reg] >> component & 1) == 0)
            continue;
        Ref ref;
        read_slot(walk, walk.plan.slots.output + reg, std::span(&component, 1), &ref);
        return gather(walk.b, std::span<const Ref>(&ref, 1), ir::Scalar::U32);
    }
    return walk.b.const_u32(unwritten(component));
}

void store_for_reader(Walk& walk, const std::pmr::vector<RecordSlot>& reader, ir::Value base) {
    for (uint32_t slot = 0; slot < reader.size(); ++slot)
        if (reader[slot].semantic != tgsi::Semantic::None)
            for (uint8_t c = 0; c < 4; ++c) {
                const ir::Value word = walk.b.iadd(base, walk.b.const_u32(4 * slot + c));
                walk.b.store(walk.io.variables[1], {word}, value_for(walk, reader[slot], c));
            }
}

}  // namespace

uint32_t record_slots(const Walk& walk) {
    const auto* const reader = reader_of(walk);
    return reader != nullptr ? static_cast<uint32_t>(reader->size()) : io_slots(walk.program, walk.registers).output;
}

void enter_records(Walk& walk) {
    switch (walk.program.stage) {
        case Stage::TessControl:
            return enter_control(walk);
        case Stage::TessEval:
            return enter_evaluation(walk);
        case Stage::Geometry:
            return enter_geometry(walk);
        default:
            return enter_vertex(walk);
    }
}

void store_records(Walk& walk) {
    ir::Builder& b = walk.b;
    const uint32_t words = 4 * record_slots(walk);
    if (walk.program.stage == Stage::TessControl) return;  // each write is a store
    if (walk.program.stage == Stage::Geometry) {
        const uint32_t most = most_emitted_vertices(walk.program);
        const ir::Value emitted = emitted_vertices(walk);
        where(b, b.ult(emitted, b.const_u32(most)), ir::kVoid, [&] {
            const ir::Value base = b.iadd(walk.io.output_base, b.imul(emitted, b.const_u32(words)));
            b.store(walk.io.variables[1], {b.iadd(base, b.const_u32(words - 4))}, b.const_u32(0));
            return ir::kNone;
        });
        return;
    }
    where(b, walk.io.inside, ir::kVoid, [&] {
        const ir::Value base = b.imul(walk.io.lane, b.const_u32(words));
        if (const auto* const reader = reader_of(walk))
            store_for_reader(walk, *reader, base);
        else
            store_io_record(walk, base, 0);
        return ir::kNone;
    });
}

}  // namespace tgsi2spv::lower

#include "lower/interface/records.h"

#include <algorithm>
#include <string>

#include "lower/interface/geometry.h"
#include "lower/interface/interface.h"
#include "lower/interface/io_buffers.h"
#include "lower/interface/link.h"
#include "lower/interface/outputs.h"
#include "lower/interface/system_values.h"
#include "lower/registers/registers.h"
#include "lower/walk/guarded.h"
#include "lower/walk/values.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Stage;

bool check_records(Walk& walk) {
    if (!walk.options.records || walk.program.stage == Stage::Vertex || walk.program.stage == Stage::Geometry)
        return true;
    fail(walk, "unsupported-property", 0,
         std::string(tgsi::name(walk.program.stage)) + " has no records: expected VERT or GEOM");
    return false;
}

namespace {

/// The IN registers of the stage that reads the records; null: there is none.
const std::pmr::vector<RecordSlot>* reader_of(const Walk& walk) {
    const Linkage* const linkage = walk.options.linkage;
    return linkage != nullptr && !linkage->before_rasterizer ? &linkage->record : nullptr;
}

void enter_vertex(Walk& walk) {
    ir::Builder& b = walk.b;
    if (b.current_function() == b.module().entry.function) b.store(walk.outputs.point_size, {}, b.const_f32(1.0f));
    const ir::Value index = load_builtin(walk, ir::BuiltIn::VertexIndex, ir::u32());
    const ir::Value vertex = b.isub(index, load_io_parameter(walk, 0));
    const ir::Value drawn = load_builtin(walk, ir::BuiltIn::InstanceIndex, ir::u32());
    const ir::Value instance = b.isub(drawn, load_io_parameter(walk, 1));
    const ir::Value of_instance = load_io_parameter(walk, 3);
    walk.io.lane = b.iadd(b.imul(instance, of_instance), vertex);
    const ir::Value in_instance = b.ult(vertex, of_instance);
    walk.io.inside = b.land(in_instance, b.ult(walk.io.lane, load_io_parameter(walk, 2)));
}

/// The number of this invocation of a compute shader.
ir::Value invocation_number(Walk& walk) {
    ir::Builder& b = walk.b;
    const ir::Value group = load_builtin(walk, ir::BuiltIn::WorkgroupId, ir::u32(3));
    const ir::Value groups = load_builtin(walk, ir::BuiltIn::NumWorkgroups, ir::u32(3));
    const ir::Value rows = b.imul(b.extract(group, 1), b.extract(groups, 0));
    const ir::Value number = b.iadd(rows, b.extract(group, 0));
    const ir::Value first = b.imul(number, b.const_u32(kRecordGroup));
    return b.iadd(first, load_builtin(walk, ir::BuiltIn::LocalInvocationIndex, ir::u32()));
}

void enter_geometry(Walk& walk) {
    ir::Builder& b = walk.b;
    const ir::Value number = invocation_number(walk), count = b.const_u32(invocations(walk.program));
    walk.io.lane = b.udiv(number, count);
    walk.io.invocation = b.op(ir::Op::UMod, number, count);
    walk.io.inside = ir::kNone;
    if (b.current_function() == b.module().entry.function)
        return_unless(walk, b.ult(walk.io.lane, load_io_parameter(walk, 2)));
    const ir::Value of_instance = load_io_parameter(walk, 1);
    const ir::Value primitive = b.op(ir::Op::UMod, walk.io.lane, of_instance),
                    instance = b.udiv(walk.io.lane, of_instance);
    walk.io.primitive = b.iadd(primitive, load_io_parameter(walk, 0));
    walk.io.first_vertex = b.imul(primitive, b.const_u32(input_vertices(walk.program)));
    walk.io.first_record = b.imul(instance, load_io_parameter(walk, 3));
    const uint32_t words = 4 * record_slots(walk) * most_emitted_vertices(walk.program);
    walk.io.output_base = b.imul(number, b.const_u32(words));
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
    return walk.b.const_u32(component == 3 ? 0x3f80'0000 : 0);
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
    if (walk.program.stage == Stage::Vertex)
        enter_vertex(walk);
    else
        enter_geometry(walk);
}

ir::Value load_record_word(Walk& walk, ir::Value vertex, ir::Value reg, int component) {
    ir::Builder& b = walk.b;
    const ir::Value place = b.iadd(walk.io.first_vertex, vertex);
    const ir::Value in_instance = b.load(walk.io.variables[3], {place}, ir::u32());
    const ir::Value record = b.iadd(walk.io.first_record, in_instance);
    const ir::Value base = b.imul(record, b.const_u32(4 * static_cast<uint32_t>(walk.registers.count(File::Input))));
    const ir::Value in_record = b.iadd(b.shl(reg, b.const_u32(2)), b.const_u32(static_cast<uint32_t>(component)));
    return b.load(walk.io.variables[0], {b.iadd(base, in_record)}, ir::u32());
}

void store_records(Walk& walk) {
    ir::Builder& b = walk.b;
    const uint32_t words = 4 * record_slots(walk);
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

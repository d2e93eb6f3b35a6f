#include "lower/interface/record_loads.h"

#include <algorithm>

#include "lower/context/values.h"
#include "lower/interface/vertex_operand.h"
#include "lower/options/linkage.h"
#include "lower/variables/inputs.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Stage;

uint32_t slots_before(const Context& context) {
    if (context.options.linkage == nullptr) return static_cast<uint32_t>(context.registers.count(File::Input));
    return static_cast<uint32_t>(context.options.linkage->record_before.size());
}

ir::Value find_record(Context& context, ir::Value vertex) {
    ir::Builder& b = context.b;
    const ir::Value in_instance = b.load(context.io.variables[3], {b.iadd(context.io.first_vertex, vertex)}, ir::u32());
    const ir::Value record = b.iadd(context.io.first_record, in_instance);
    return b.imul(record, b.const_u32(4 * static_cast<uint32_t>(context.registers.count(File::Input))));
}

ir::Value load_point_word(Context& context, uint32_t word) {
    ir::Builder& b = context.b;
    const ir::Value point = b.shl(context.io.lane, b.const_u32(2));
    return b.load(context.io.variables[3], {b.iadd(point, b.const_u32(word))}, ir::u32());
}

namespace {

/// Word `component` of a slot of a vertex of TESS_EVAL's patch; kNone: of the patch.
ir::Value load_patch_word(Context& context, ir::Value vertex, ir::Value slot, uint32_t component) {
    ir::Builder& b = context.b;
    ir::Value word = b.iadd(b.shl(slot, b.const_u32(2)), b.const_u32(component));
    if (vertex != ir::kNone) {
        const ir::Value count = load_io_parameter(context, kPatchVertices);
        const ir::Value last = b.isub(count, b.const_u32(1));
        word = b.iadd(b.imul(b.umin(vertex, last), b.const_u32(4 * slots_before(context))), word);
    }
    return b.load(context.io.variables[0], {b.iadd(context.io.first_record, word)}, ir::u32());
}

constexpr uint32_t kNoSlot = ~0U;

uint32_t slot_before(const Context& context, const RecordSlot& wanted) {
    const auto& before = context.options.linkage->record_before;
    const auto at = std::ranges::find(before, wanted);
    return at == before.end() ? kNoSlot : static_cast<uint32_t>(at - before.begin());
}

/// The slot of what IN[reg] names.
uint32_t slot_of_input(const Context& context, uint32_t reg) {
    if (context.options.linkage == nullptr) return reg;
    const Declared d = declared_as(context, File::Input, static_cast<int32_t>(reg));
    return d.declaration == nullptr ? kNoSlot : slot_before(context, {d.semantic, d.index});
}

}  // namespace

ir::Value record_builtin(Context& context, ir::BuiltIn builtin) {
    if (!context.options.records) return ir::kNone;
    switch (builtin) {
        case ir::BuiltIn::VertexIndex:
            return context.io.vertex;
        case ir::BuiltIn::InstanceIndex:
            return context.io.instance;
        case ir::BuiltIn::BaseVertex:
            return load_io_parameter(context, kBaseVertex);
        case ir::BuiltIn::BaseInstance:
            return load_io_parameter(context, kBaseInstance);
        case ir::BuiltIn::DrawIndex:
            return load_io_parameter(context, kDraw);
        case ir::BuiltIn::PrimitiveId:
            return context.io.primitive;
        case ir::BuiltIn::InvocationId:
            return context.io.invocation;
        case ir::BuiltIn::PatchVertices:
            return load_io_parameter(context, kPatchVertices);
        case ir::BuiltIn::TessCoord: {
            Ref words[3];
            for (uint8_t c = 0; c < 3; ++c) words[c] = {load_point_word(context, c), 0};
            return gather(context.b, words, ir::Scalar::F32);
        }
        default:
            return ir::kNone;
    }
}

void load_record_levels(Context& context, tgsi::Semantic semantic, std::span<Ref> out) {
    const uint32_t slot = context.options.linkage == nullptr ? kNoSlot : slot_before(context, {semantic, 0});
    if (slot == kNoSlot) return;
    for (uint32_t c = 0; c < out.size(); ++c)
        out[c] = {load_patch_word(context, ir::kNone, context.b.const_u32(slot), c), 0};
}

void load_patch_data(Context& context, uint32_t reg, Ref* out) {
    const uint32_t slot = slot_of_input(context, reg);
    for (uint32_t c = 0; c < 4; ++c)
        out[c] = slot == kNoSlot ? constant_ref(context.b, unwritten(c))
                                 : Ref{load_patch_word(context, ir::kNone, context.b.const_u32(slot), c), 0};
}

namespace {

/// TESS_EVAL's input, where TESS_CTRL has left it.
ir::Value load_patch_input(Context& context, const tgsi::Operand& operand, ir::Value vertex, ir::Value reg,
                           uint32_t component) {
    ir::Builder& b = context.b;
    if (context.options.linkage == nullptr) return load_patch_word(context, vertex, reg, component);
    if (b.is_plain_constant(reg)) {
        const uint32_t slot = slot_of_input(context, b.constant(reg).words[0]);
        return slot == kNoSlot ? b.const_u32(unwritten(component))
                               : load_patch_word(context, vertex, b.const_u32(slot), component);
    }
    if (!candidates(context, operand, context.indexed.candidates)) return b.const_u32(0);
    ir::Value slot = b.const_u32(kNoSlot);
    for (const uint32_t r : context.indexed.candidates)
        slot = b.select(b.ieq(reg, b.const_u32(r)), b.const_u32(slot_of_input(context, r)), slot);
    const ir::Value missing = b.ieq(slot, b.const_u32(kNoSlot));
    const ir::Value word = load_patch_word(context, vertex, b.select(missing, b.const_u32(0), slot), component);
    return b.select(missing, b.const_u32(unwritten(component)), word);
}

}  // namespace

ir::Value load_record_word(Context& context, const tgsi::Operand& operand, ir::Value vertex, ir::Value reg,
                           int component) {
    ir::Builder& b = context.b;
    if (context.program.stage == Stage::TessEval)
        return load_patch_input(context, operand, vertex, reg, static_cast<uint32_t>(component));
    if (vertex == ir::kNone) vertex = b.const_u32(0);
    if (context.program.stage == Stage::TessControl) {
        const ir::Value count = load_io_parameter(context, kPatchVertices);
        const ir::Value last = b.isub(count, b.const_u32(1));
        vertex = b.umin(vertex, last);
    }
    const bool is_known = context.program.stage == Stage::Geometry && b.is_plain_constant(vertex) &&
                          b.constant(vertex).words[0] < input_vertices(context.program);
    const ir::Value base = is_known ? context.io.places[b.constant(vertex).words[0]] : find_record(context, vertex);
    const ir::Value in_record = b.iadd(b.shl(reg, b.const_u32(2)), b.const_u32(static_cast<uint32_t>(component)));
    return b.load(context.io.variables[0], {b.iadd(base, in_record)}, ir::u32());
}

ir::Value load_attribute_word(Context& context, ir::Value slot, uint32_t component) {
    ir::Builder& b = context.b;
    ir::Value place = ir::kNone;
    if (b.is_plain_constant(slot) && b.constant(slot).words[0] < context.io.places.size())
        place = context.io.places[b.constant(slot).words[0]];
    if (place == ir::kNone) place = b.load(context.io.variables[2], {b.iadd(slot, b.const_u32(kPlaces))}, ir::u32());
    const ir::Value first = b.iadd(context.io.input_base, b.bit_and(place, b.const_u32(0xff'ffff)));
    if (component == 0) return b.load(context.io.variables[0], {first}, ir::u32());
    const ir::Value count = b.lshr(place, b.const_u32(24)), wanted = b.const_u32(component), none = b.const_u32(0);
    const ir::Value is_there = b.ult(wanted, count);
    const ir::Value at = b.iadd(first, b.select(is_there, wanted, none));
    const ir::Value word = b.load(context.io.variables[0], {at}, ir::u32());
    return b.select(is_there, word, b.const_u32(unwritten(component)));
}

}  // namespace tgsi2spv::lower

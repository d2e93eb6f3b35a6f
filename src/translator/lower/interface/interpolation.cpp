// FRAG: inputs interpolated at other places than declared, and the contents of the framebuffer.
#include "lower/interface/interpolation.h"

#include <algorithm>

#include "lower/context/names.h"
#include "lower/context/values.h"
#include "lower/interface/system_values.h"
#include "lower/operands/operation.h"
#include "lower/registers/addressing.h"
#include "lower/registers/arrays.h"
#include "lower/registers/cells.h"
#include "lower/registers/read.h"
#include "lower/state/state_context.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"
#include "tgsi/program/resource_numbers.h"

namespace tgsi2spv::lower {

using ir::Op;
using ir::VariableKind;
using tgsi::File;
using tgsi::Opcode;

namespace {

/// The most inputs that an index selects among.
constexpr size_t kMaxIndexedInputs = 64;

/// Where INTERP_* evaluates: kNone for the centroid, the number of a sample, or an offset in pixels (x2).
ir::Value place_of(Operation& op) {
    if (op.instruction.op == Opcode::INTERP_CENTROID) return ir::kNone;
    if (op.instruction.op == Opcode::INTERP_SAMPLE) return source_component(op, 1, ir::Scalar::U32, 0);
    static constexpr uint8_t kXy[2] = {0, 1};
    return source(op, 1, ir::Scalar::F32, kXy);
}

ir::Value interpolated(Operation& op, uint32_t variable, ir::Value place) {
    const ir::Type type = op.b.module().variables[variable].element;
    switch (op.instruction.op) {
        case Opcode::INTERP_CENTROID:
            return op.b.emit(Op::InterpCentroid, type, {}, variable);
        case Opcode::INTERP_SAMPLE:
            return op.b.emit(Op::InterpSample, type, {place}, variable);
        default:
            return op.b.emit(Op::InterpOffset, type, {place}, variable);
    }
}

/// Input `reg` as declared. A subroutine has loaded those that it names; main has copied those that an index may name.
void read_declared(Context& context, uint32_t reg, bool is_indexed, Ref* out) {
    if (context.in_main || !is_indexed) {
        std::copy_n(&context.cells.inputs[size_t{4} * reg], 4, out);
        return;
    }
    const ir::Value copied =
        context.b.load(context.arrays.copies.inputs.variable, {context.b.const_u32(reg)}, ir::f32(4));
    for (uint8_t c = 0; c < 4; ++c) out[c] = {copied, c};
}

/// Input `reg` at the place. Values that are the same everywhere, or that only the stage knows, are returned unchanged
/// (semantics: Textures, INTERP_*).
void read_at(Operation& op, uint32_t reg, ir::Value place, Ref* out) {
    Context& w = op.context;
    read_declared(w, reg, op.program.srcs(op.instruction)[0].index_is_relative, out);
    const uint32_t variable = w.inputs.variables[reg];
    if (variable == kNoIndex || w.b.module().variables[variable].interpolation == ir::Interpolation::Flat) return;
    const ir::Value value = interpolated(op, variable, place);
    const Declared d = declared_as(w, File::Input, static_cast<int32_t>(reg));
    // In the older dialects, the last components of FOG are constants: those stay.
    const bool is_scalar = d.semantic == tgsi::Semantic::Fog && fog_is_scalar(w);
    for (uint8_t c = 0; c < (is_scalar ? 1 : w.b.type_of(value).components); ++c) out[c] = {value, c};
    if (d.semantic == tgsi::Semantic::Color && d.index < 2 && w.state.back_colors[d.index] != kNoIndex)
        choose_facing_color(w, interpolated(op, w.state.back_colors[d.index], place), out);
    replace_by_sprite(w, d, out);
}

/// Indexed: reads every input that the index may name, and selects one.
bool read_indexed(Operation& op, const tgsi::Operand& operand, ir::Value place, Ref* out) {
    Context& w = op.context;
    ir::Builder& b = w.b;
    const ir::Value index = relative_index(w, *w.program.index_relative(operand), operand.index);
    const tgsi::Range* range = operand.array_id != 0 ? w.registers.array(File::Input, operand.array_id) : nullptr;
    const auto read = [&](int32_t i) {
        Ref refs[4];
        read_at(op, static_cast<uint32_t>(i), place, refs);
        return gather(w.b, std::span<const Ref>(refs, 4), ir::Scalar::F32);
    };
    // An index that names none of them gives 0, or the last one.
    const bool clamps = policy(w.options, &Bounds::registers) == OutOfRange::Clamp;
    int32_t beyond = -1;
    if (clamps) beyond = range != nullptr ? range->last : w.registers.count(File::Input) - 1;
    ir::Value value = beyond >= 0 ? read(beyond) : b.zero(ir::f32(4));
    size_t seen = 0;
    auto add = [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last && ++seen <= kMaxIndexedInputs; ++i) {
            if (i == beyond) continue;
            const ir::Value this_one = read(i);
            value = b.select(b.ieq(index, b.const_u32(static_cast<uint32_t>(i))), this_one, value);
        }
    };
    if (range != nullptr)
        add(range->first, range->last);
    else
        w.registers.for_each_run(File::Input, 0, add);
    if (seen > kMaxIndexedInputs) return false;
    for (uint8_t c = 0; c < 4; ++c) out[c] = {value, c};
    return true;
}

Outcome interpolate(Operation& op) {
    Context& w = op.context;
    ir::Builder& b = w.b;
    const tgsi::Operand& o = op.program.srcs(op.instruction)[0];
    // With io=buffers the inputs are the values at the lane; there are no others.
    if (w.options.io_buffers) return {true, source(op, 0, ir::Scalar::F32)};
    if (!w.capabilities.sample_rate_shading) return refuse_lacking(op, "sampleRateShading");
    const ir::Value place = place_of(op);
    Ref four[4];
    if (!o.index_is_relative)
        read_at(op, static_cast<uint32_t>(o.index), place, four);
    else if (!read_indexed(op, o, place, four))
        return refuse(op, "too-many-registers", "the index selects among more than 64 inputs");
    Ref refs[4];
    size_t n = 0;
    for (int c = 0; c < 4; ++c)
        if (op.mask >> c & 1) refs[n++] = four[o.component(c)];
    ir::Value value = gather(w.b, std::span<const Ref>(refs, n), ir::Scalar::F32);
    if (o.absolute) value = b.fabs(value);
    if (o.negate) value = b.fneg(value);
    return {w.ok, value};
}

/// The same from a sampled image (State::fetch_image), at the fragment's layer and sample.
ir::Value read_target_image(Context& w, uint32_t color, uint32_t& variable) {
    ir::Builder& b = w.b;
    const State& s = w.options.state;
    const bool integer = s.targets[color] != NumericType::Float;
    if (variable == kNoIndex)
        variable = b.add_variable({.kind = VariableKind::SampledImage,
                                   .index = tgsi::kFirstTarget + color,
                                   .image = {.array = s.fetch_layer,
                                             .ms = s.fetch_sample,
                                             .sampled = integer ? ir::Scalar::U32 : ir::Scalar::F32,
                                             .sampled_is_signed = s.targets[color] == NumericType::SInt},
                                   .name = indexed("COLOR", color)});
    const ir::Value place = load_builtin(w, ir::BuiltIn::FragCoord, ir::f32(4));
    ir::Value at = b.convert(Op::FToU, b.compose({{place, 0}, {place, 1}}), ir::u32(2));
    if (s.fetch_layer) at = b.compose({{at, 0}, {at, 1}, {load_builtin(w, ir::BuiltIn::Layer, ir::u32()), 0}});
    const ir::Value selector =
        s.fetch_sample ? load_builtin(w, ir::BuiltIn::SampleId, ir::u32()) : b.const_u32(0);  // or the level
    const ir::Type type = integer ? ir::u32(4) : ir::f32(4);
    const ir::ImageOp image{.image = variable, .lod = !s.fetch_sample, .sample = s.fetch_sample};
    return b.bitcast(b.image(Op::ImageFetch, type, image, {at, selector}), ir::f32(4));
}

/// FBFETCH: reads the colour that the pixel has already.
Outcome fetch_framebuffer(Operation& op) {
    Context& w = op.context;
    const tgsi::Operand& o = op.program.srcs(op.instruction)[0];
    const Declared d = declared_as(w, File::Output, o.index);
    if (o.index_is_relative || d.semantic != tgsi::Semantic::Color)
        return refuse(op, "unsupported-operand", "the source is not a directly indexed COLOR output");
    uint32_t& variable = w.inputs.attachments[d.index & 7];
    if (d.index > 7) return refuse(op, "unsupported-operand", "FBFETCH can read only COLOR[0] to COLOR[7]");
    const bool from_image = w.options.state.fetch_image && !w.options.io_buffers;
    if (from_image && w.options.state.fetch_sample && !w.capabilities.sample_rate_shading)
        return refuse_lacking(op, "sampleRateShading");
    const ir::Value texel =
        from_image ? read_target_image(w, d.index, variable) : read_attachment(w, d.index, false, variable);
    Ref refs[4];
    size_t n = 0;
    for (uint8_t c = 0; c < 4; ++c)
        if (op.mask >> c & 1) refs[n++] = {texel, static_cast<uint8_t>(o.component(c))};
    return {true, gather(w.b, std::span<const Ref>(refs, n), ir::Scalar::F32)};
}

}  // namespace

Outcome lower_fragment_io(Operation& op) {
    return op.instruction.op == Opcode::FBFETCH ? fetch_framebuffer(op) : interpolate(op);
}

}  // namespace tgsi2spv::lower
